"""The large data sets of table 1 of Nock, Patrini and Friedman (2015); importing this adds them to `tacit.datasets`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from reproductions.nock2015.large import SCHEMAS, LargeRecord, class_first, score_last
from tacit.datasets.catalog import Record, add_record
from tacit.datasets.fetch import Downloader, Downloads, File, obtain
from tacit.schema import Schema

_UCI = "https://archive.ics.uci.edu/static/public"
_BUZZ = f"{_UCI}/248/buzz+in+social+media.zip"

_SAMPLE = (
    "https://raw.githubusercontent.com/sassoftware/sas-viya-workbench-examples/"
    "f180274bbf5d5cfc3598cfa2696780a4c228ab4d/data/higgs.csv"
)

BUZZ = 500
"""Discussions, or displays, from which on a topic counts as a buzz: the least that the archive's own classes use."""

LARGE_RECORDS = (
    LargeRecord(
        name="hardware",
        files=(File("hardware/TomsHardware.data", _BUZZ, "TomsHardware.data"),),
        read=score_last(BUZZ),
        n_rows=28_179,
    ),
    LargeRecord(
        name="twitter",
        files=(File("twitter/Twitter.data", _BUZZ, "Twitter.data"),),
        read=score_last(BUZZ),
        n_rows=583_250,
    ),
    LargeRecord(
        name="susy",
        files=(File("susy/SUSY.csv", f"{_UCI}/279/susy.zip", "SUSY.csv"),),
        read=class_first,
        n_rows=5_000_000,
    ),
    LargeRecord(
        name="higgs",
        files=(File("higgs/HIGGS.csv", f"{_UCI}/280/higgs.zip", "HIGGS.csv"),),
        read=class_first,
        n_rows=11_000_000,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Sample(Record):
    """Some rows of a large table: a file of text with a header, the class last."""

    of: str

    def schema(self) -> Schema:
        """See `Record`; that of the whole table."""
        return Schema.from_toml(SCHEMAS / f"{self.of}.toml")

    def found(self, downloads: Downloads, downloader: Downloader | None) -> tuple[str, Callable[[], pl.DataFrame]]:
        """See `Record`."""
        path = obtain(self.files[0], downloads=downloads, downloader=downloader)
        schema = self.schema()
        named = [*schema.names, schema.label.name]
        return str(path), lambda: pl.read_csv(path, new_columns=named)


HIGGS_SAMPLE = Sample(
    name="higgs-sample",
    of="higgs",
    files=(File("higgs-sample/higgs-10984.csv", _SAMPLE),),
    n_rows=10_984,
)

for _record in (*LARGE_RECORDS, HIGGS_SAMPLE):
    add_record(_record)
