"""Data sets and what is known of them beforehand: files, checksums, numbers of rows, schemas."""

from __future__ import annotations

import hashlib
import json
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.datasets.fetch import Downloader, Downloads, File, content, find, obtain
from tacit.datasets.readers import READERS
from tacit.errors import DatasetUnavailable, ParameterError
from tacit.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from tacit.schema import Schema


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set: features, target, public schema.

    Examples
    --------
    >>> cancer = load("breast-cancer")
    >>> cancer
    Dataset('breast-cancer', 569 rows, 30 columns)
    >>> cancer.target[0], cancer.schema.classes, cancer.split
    ('malignant', ('benign', 'malignant'), None)
    """

    name: str
    frame: pl.DataFrame
    """The features alone, in the schema's order; no value is null."""
    target: pl.Series
    """The label of each row, under the label's name in the schema."""
    schema: Schema
    """Written from the data set's documentation; which columns are private is said there."""
    split: NDArray[np.str_] | None = None
    """Shape (n_rows,). "train" or "test" for each row, where the data set has an official split. Read-only."""

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {self.frame.height} rows, {self.frame.width} columns)"


@dataclass(frozen=True, kw_only=True)
class Record(ABC):
    """What is known of a data set beforehand."""

    name: str
    files: tuple[File, ...] = ()
    n_rows: int
    n_train: int | None = None
    """Where the files are an official split: how many rows come first."""
    digest: str | None = None
    """Of the whole table, the label last."""

    def schema(self) -> Schema:
        """Return its public schema; needs none of its files."""
        path = resources.files("tacit.datasets") / "schemas" / f"{self.name}.toml"
        return Schema.from_toml(path.read_text(encoding="utf-8"))

    def here(self) -> tuple[Path, ...] | None:
        """Return the files that it would be read from, or None if it had to be downloaded; reads nothing."""
        paths = [find(file) for file in self.files]
        return None if None in paths else tuple(path for path in paths if path)

    @abstractmethod
    def found(self, downloads: Downloads, downloader: Downloader | None) -> tuple[str, Callable[[], pl.DataFrame]]:
        """Return where its files are, downloaded if need be, and a function that reads one table from them."""


@dataclass(frozen=True, kw_only=True)
class PackagedDataset(Record):
    """A data set of ``catalog.toml``, read with one of `tacit.datasets.readers`."""

    reader: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def found(self, downloads: Downloads, downloader: Downloader | None) -> tuple[str, Callable[[], pl.DataFrame]]:
        """See `Record`; a table that the package brings along is never downloaded."""
        table = self._table()
        if table.is_file() and super().here() is None:
            return str(table), lambda: pl.read_parquet(table)
        paths = [obtain(file, downloads=downloads, downloader=downloader) for file in self.files]
        where = " and ".join(map(str, paths)) or "scikit-learn"
        return where, lambda: self.read([content(path) for path in paths], self.schema())

    def here(self) -> tuple[Path, ...] | None:
        """See `Record`."""
        files = super().here()
        return (self._table(),) if files is None and self._table().is_file() else files

    def _table(self) -> Path:
        """Return where the package would have the table."""
        return Path(str(resources.files("tacit.datasets") / "tables" / f"{self.name}.parquet"))

    def read(self, contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
        """Return one table of the contents of all files."""
        return READERS[self.reader](contents, schema, **self.options)


@cache
def records() -> dict[str, Record]:
    """Return all data sets by name, in the order of the documentation."""
    listed = tomllib.loads(resources.files("tacit.datasets").joinpath("catalog.toml").read_text(encoding="utf-8"))
    return {
        name: PackagedDataset(name=name, files=tuple(File(**file) for file in entry.pop("files", ())), **entry)
        for name, entry in listed.items()
    }


def add_record(record: Record) -> None:
    """Let `load` know one more data set, in this process."""
    if records().setdefault(record.name, record) != record:
        raise ParameterError(f"Expected each data set once, got name={record.name!r} twice. Rename one.")


def names() -> tuple[str, ...]:
    """Return the names of all data sets, in order."""
    return tuple(records())


def load(name: str, *, downloads: Downloads = "if-missing", downloader: Downloader | None = None) -> Dataset:
    """Return a data set, checked against its digest.

    Raises ParameterError if there is no data set of this name, or `downloads` is something else, or DatasetUnavailable
    if a file cannot be had, or is not the one that is known; the message says what to do.

    Parameters
    ----------
    name : str
        One of `names`.
    downloads : {"if-missing", "never"}
        Whether files that are neither in the folder that the environment variable ``TACIT_DATA`` names nor in the
        cache may be fetched from their source into the cache.
    downloader : callable, optional
        In place of https, as pooch has them.
    """
    record = _record(name)
    if downloads not in ("if-missing", "never"):
        raise ParameterError(f"Expected 'if-missing' or 'never', got downloads={downloads!r}. Choose one of the two.")
    schema = record.schema()
    where, read = record.found(downloads, downloader)
    table = _checked_table(record, where, read)
    return Dataset(name, table.select(schema.names), table[schema.label.name], schema, _split(record))


def load_schema(name: str) -> Schema:
    """Return the public schema of a data set; needs none of its files."""
    return _record(name).schema()


def _record(name: str) -> Record:
    known = records()
    if name in known:
        return known[name]
    near = get_close_matches(str(name), known, n=1)
    remedy = f"Did you mean {near[0]!r}?" if near else f"Choose one of {', '.join(known)}."
    raise ParameterError(f"Expected the name of a data set, got name={name!r}. {remedy}")


def _checked_table(record: Record, where: str, read: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    try:
        table = read()
        reason = _mismatch(record, table)
    except (pl.exceptions.PolarsError, ValueError):
        reason = "something that cannot be read as this table"
    if reason is None:
        return table
    raise DatasetUnavailable(
        f"Expected the published table {record.name!r} in {where}, got {reason}. "
        "Remove the file and load again, or put an unchanged copy there."
    )


def _mismatch(record: Record, table: pl.DataFrame) -> str | None:
    if table.height != record.n_rows:
        return f"another number of rows than {record.n_rows}"
    if record.digest is not None and digest(table) != record.digest:
        return "other values than the known ones"
    return None


def _split(record: Record) -> NDArray[np.str_] | None:
    if record.n_train is None:
        return None
    split = np.repeat(["train", "test"], [record.n_train, record.n_rows - record.n_train])
    split.setflags(write=False)  # shared by all who load it
    return split


def digest(table: pl.DataFrame) -> str:
    """Return the SHA-256 digest of a table without nulls, as 64 hexadecimal digits.

    Column after column: name, type and number of rows in one line of text; then integers and floats as eight bytes
    each, little-endian; texts as one JSON list in UTF-8 without blanks.
    """
    hasher = hashlib.sha256()
    for column in table.iter_columns():
        kind, content = _bytes(column)
        # The length comes before the content, so that two columns are never read as one.
        hasher.update(f"{column.name}\t{kind}\t{len(column)}\n".encode())
        hasher.update(content)
    return hasher.hexdigest()


def _bytes(column: pl.Series) -> tuple[str, bytes]:
    if column.null_count():
        raise ValueError(f"Expected no nulls in column {column.name!r}, got some.")
    if column.dtype == pl.String:
        return "text", json.dumps(column.to_list(), ensure_ascii=False, separators=(",", ":")).encode()
    if column.dtype.is_integer():
        return "integer", column.to_numpy().astype("<i8").tobytes()
    if column.dtype.is_float():
        # Minus zero and zero are the same number.
        return "float", (column.to_numpy().astype("<f8") + 0.0).tobytes()
    raise ValueError(f"Expected integers, floats or texts in column {column.name!r}, got another type.")
