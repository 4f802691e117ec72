"""How a data set is loaded: find its files, read them, check the table, split off the target."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from importlib import resources

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.datasets.dataset import Dataset
from tacit.datasets.digest import digest
from tacit.datasets.download import Opener, open_url
from tacit.datasets.files import Downloads, obtain
from tacit.datasets.large import LargeRecord, obtain_large, read_large
from tacit.datasets.record import Record
from tacit.datasets.records import RECORDS
from tacit.errors import DatasetUnavailable, ParameterError
from tacit.schema import Schema


def names() -> tuple[str, ...]:
    """Return the names of all data sets, in order.

    Examples
    --------
    >>> "adult" in names()
    True
    """
    return tuple(RECORDS)


def load(name: str, *, downloads: Downloads = "if-missing", opener: Opener = open_url) -> Dataset:
    """Return a data set, checked against its digest.

    Parameters
    ----------
    name : str
        One of `names`.
    downloads : {"if-missing", "never"}
        Whether files that are neither in the folder that the environment variable ``TACIT_DATA`` names nor in the
        cache may be fetched from their source into the cache.
    opener : callable
        Opens an address of the web; for tests.

    Raises
    ------
    ParameterError
        If there is no data set of this name, or `downloads` is something else.
    DatasetUnavailable
        If a file cannot be had, or is not the one that is known; the message says what to do.

    Examples
    --------
    >>> load("breast-cancer").frame.width
    30
    """
    record = _record(name)
    if downloads not in ("if-missing", "never"):
        raise ParameterError(f"Expected 'if-missing' or 'never', got downloads={downloads!r}. Choose one of the two.")
    schema = load_schema(name)
    table = _checked_table(record, schema, downloads, opener)
    return Dataset(name, table.select(schema.names), table[schema.label.name], schema, _split(record))


def load_schema(name: str) -> Schema:
    """Return the public schema of a data set; needs none of its files.

    Raises
    ------
    ParameterError
        If there is no data set of this name.
    """
    path = resources.files("tacit.datasets") / "schemas" / f"{_record(name).name}.toml"
    return Schema.from_toml(path.read_text(encoding="utf-8"))


def _record(name: str) -> Record | LargeRecord:
    if name in RECORDS:
        return RECORDS[name]
    near = get_close_matches(str(name), RECORDS, n=1)
    remedy = f"Did you mean {near[0]!r}?" if near else f"Choose one of {', '.join(RECORDS)}."
    raise ParameterError(f"Expected the name of a data set, got name={name!r}. {remedy}")


def _checked_table(record: Record | LargeRecord, schema: Schema, downloads: Downloads, opener: Opener) -> pl.DataFrame:
    read: Callable[[], pl.DataFrame]
    if isinstance(record, LargeRecord):
        path = obtain_large(record.file, downloads=downloads, opener=opener)
        where, read = str(path), partial(read_large, record, path, schema)
    else:
        found = [obtain(file, downloads=downloads, opener=opener) for file in record.files]
        where = " and ".join(str(path) for path, _ in found) or "scikit-learn"
        read = partial(record.read, [content for _, content in found], schema)
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


def _mismatch(record: Record | LargeRecord, table: pl.DataFrame) -> str | None:
    if table.height > record.n_rows and isinstance(record, LargeRecord):
        return f"more than {record.n_rows} rows"
    if table.height != record.n_rows:
        return f"{table.height} rows instead of {record.n_rows}"
    if record.digest is not None and digest(table) != record.digest:
        return "other values than the known ones"
    return None


def _split(record: Record | LargeRecord) -> NDArray[np.str_] | None:
    if record.n_train is None:
        return None
    split = np.repeat(["train", "test"], [record.n_train, record.n_rows - record.n_train])
    split.setflags(write=False)
    return split
