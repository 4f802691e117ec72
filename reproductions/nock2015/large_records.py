"""The large data sets of table 1 of Nock, Patrini and Friedman (2015); importing this adds them to `tacit.datasets`."""

from __future__ import annotations

from reproductions.nock2015.large import LargeRecord, class_first, score_last
from tacit.datasets.catalog import add_record
from tacit.datasets.fetch import File

_UCI = "https://archive.ics.uci.edu/static/public"
_BUZZ = f"{_UCI}/248/buzz+in+social+media.zip"

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

for _record in LARGE_RECORDS:
    add_record(_record)
