"""Rows of a side table, some at a time: whose each is, when it was, and its cells in the forms that features need."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import frexp
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import TableError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema, SideTable
from tacit.schema.feature import Take
from tacit.schema.side_features import features_of
from tacit.table.containers import named_column
from tacit.table.data_frames import opened_frame
from tacit.table.files.frames import Query
from tacit.table.files.several import Files, NoRowsError
from tacit.table.persons import NO_IDENTIFIERS, check_identifiers, keys_of
from tacit.table.rows import OnInvalid, read_identifiers_of, read_rows

SideSource = Files | Query | nw.DataFrame[Any]
"""A side table that is opened: files, a query, or a data frame in memory."""

MICROSECONDS = 86_400_000_000
"""Of a day."""

_STRIP = 131_072
"""Rows of a data frame that are read together."""

_GRID_BITS = 31
"""Cells that are added up are multiples of a power of two, 2^31 of which hold the bounds: then 2^32 rows of one person
add up exactly in 64 bits, in any order."""

_BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
"""What identifiers are stripped of."""


@dataclass(frozen=True)
class Cells:
    """What features need of a side table's columns: each in a form of its own, under a name of ours.

    Parameters
    ----------
    table : SideTable
    features : tuple of Column
        Of a schema, those that are computed of the table.
    """

    table: SideTable
    features: tuple[Numeric | Categorical, ...]

    @classmethod
    def of(cls, table: SideTable, schema: Schema) -> Cells:
        """Return what the features of a schema need of one of its side tables."""
        return cls(table, features_of(table, schema.columns))

    @cached_property
    def used(self) -> tuple[Numeric | Categorical, ...]:
        """The columns that are read."""
        asked = {column.from_table.of for column in self.features if column.from_table}
        taken = {column.from_table.take for column in self.features if column.from_table}
        if self.table.as_of is not None or taken & {"latest", "first", "span"}:
            asked.add(self.table.date)
        return tuple(column for column in self.table.columns if column.name in asked)

    @property
    def entries(self) -> tuple[Any, ...]:
        """What is read of files and queries."""
        return (*self.used, Identifier(self.table.key))

    @property
    def names(self) -> list[str]:
        """The columns that the table must have."""
        return [*(column.name for column in self.used), self.table.key]

    def place(self, name: str | None) -> str:
        """Return what a column is called here: polars takes some names for patterns of names."""
        return str([column.name for column in self.used].index(name))  # type: ignore[arg-type]

    @cached_property
    def _forms(self) -> dict[str, set[str]]:
        """Of each column, the forms that features need."""
        found: dict[str, set[str]] = {column.name: set() for column in self.used}
        for feature in (column.from_table for column in self.features if column.from_table):
            name = self.table.date if feature.of is None else feature.of
            if name in found:
                found[name].add(form_for(feature.take))
        return found

    @cached_property
    def _by(self) -> Schema:
        """The columns as they are read: missing numbers are known, and unlisted categories have a code."""
        label = Label("x" * (1 + max((len(column.name) for column in self.used), default=0)), [False, True])
        return Schema([self._as_read(column) for column in self.used], label=label)

    def _as_read(self, column: Numeric | Categorical) -> Numeric | Categorical:
        if isinstance(column, Categorical):
            return column if column.buckets else replace(column, other=True)
        if column.name == self.table.date:
            column = widened(column)
        return replace(column, missing="indicator") if column.missing is None else column

    def read(self, frame: Any, on_invalid: OnInvalid) -> dict[str, pl.Series]:
        """Return the columns of a frame in their forms, missing cells as null; see ``forms_of``."""
        if not self.used:
            return {}
        rows = read_rows(frame, self._by, on_invalid=on_invalid).columns
        found: dict[str, pl.Series] = {}
        for column in self.used:
            place, values = self.place(column.name), rows[column.name]
            if isinstance(column, Categorical):
                found[f"code {place}"] = self._codes(values, column, frame, on_invalid)
                continue
            absent = rows.get(f"{column.name} is missing", np.zeros(len(values), dtype=np.int8)).astype(np.bool_)
            if column.name == self.table.date:
                values, absent = inside(values, absent, column)
                found["time"] = _masked(np.rint(values * MICROSECONDS).astype(np.int64), absent)
            forms = forms_of(values, column, self._forms[column.name])
            found |= {f"{form} {place}": _masked(each, absent) for form, each in forms.items()}
        return found

    def _codes(self, codes: NDArray[Any], column: Categorical, frame: Any, on_invalid: OnInvalid) -> pl.Series:
        if column.buckets is not None:
            return _masked(codes.astype(np.int64), codes == column.buckets)
        absent = np.zeros(len(codes), dtype=np.bool_)
        if column.missing is None:
            absent = np.asarray(opened_frame(frame).get_column(column.name).is_null().to_numpy(), dtype=np.bool_)  # type: ignore[union-attr]
        unlisted = codes == len(column.categories)
        if not column.other:
            if on_invalid == "raise" and (unlisted & ~absent).any():
                raise TableError(
                    f"Expected every value of column {column.name!r} in side table {self.table.name!r} to be among the "
                    "schema's categories, got one that is not listed. Pass on_invalid='coerce' to pass over such "
                    "cells. Or, before a fit, complete `categories` or set `other = true`."
                )
            absent = absent | unlisted
        return _masked(codes.astype(np.int64), absent)


def form_for(take: Take) -> str:
    """Return the form of numbers that a feature needs; see ``forms_of``."""
    return {"sum": "steps", "mean": "steps", "distinct": "order", "latest": "order", "first": "order"}.get(
        take, "number"
    )


def forms_of(values: NDArray[Any], column: Numeric, forms: Collection[str]) -> dict[str, NDArray[Any]]:
    """Return numbers as they are, "number"; as multiples of a public step, "steps"; as integers in "order"."""
    numbers = values.astype(np.float64) + 0.0  # zero has one sign
    found: dict[str, NDArray[Any]] = {"number": numbers} if "number" in forms else {}
    if "steps" in forms:
        found["steps"] = np.rint(numbers / step_of(column)).astype(np.int64)
    if "order" in forms:
        bits = numbers.view(np.int64)
        found["order"] = bits ^ ((bits >> 63) & np.int64(2**63 - 1))
    return found


def step_of(column: Numeric) -> float:
    """Return the power of two whose multiples cells are when they are added up: whole numbers are exact below 2^31."""
    return float(2.0 ** (frexp(max(abs(column.lower), abs(column.upper)))[1] - _GRID_BITS))


def numbers_of(order: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the numbers that integers in their order stand for; see ``forms_of``."""
    return (order ^ ((order >> 63) & np.int64(2**63 - 1))).view(np.float64)


def widened(column: Numeric) -> Numeric:
    """Return a column of dates that distinguishes cells outside of its bounds, by a day, and missing ones."""
    low, high = column.low, column.high
    assert isinstance(low, datetime.date) and isinstance(high, datetime.date)
    day = datetime.timedelta(days=1)
    with suppress(OverflowError):  # nothing is before the first year, nor after the last
        low = low - day
    with suppress(OverflowError):
        high = high + day
    return replace(column, low=low, high=high, missing="indicator")


def inside(
    days: NDArray[Any], absent: NDArray[np.bool_], column: Numeric
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return days, and which are missing or outside of a column's bounds; the last day is inside to its end."""
    outside = absent | (days < column.lower) | (days >= column.upper + 1)
    return np.where(outside, column.lower, days), outside


def days_until(frame: Any, column: Numeric) -> NDArray[np.float64]:
    """Return each person's date of a column of the main table, NaN where it is missing or outside of its bounds.

    Privacy: of one cell. Bounds of what is read of a person's rows must not be moved by clipping: a date that is read
    as a later one would let in rows after it.
    """
    wide = widened(column)
    rows = read_rows(frame, Schema([wide], label=Label(f"{column.name}?", [False, True])), on_invalid="coerce").columns
    days, outside = inside(rows[column.name], rows[f"{column.name} is missing"].astype(np.bool_), column)
    return np.where(outside, np.nan, days)


def side_frames(source: SideSource, cells: Cells, on_invalid: OnInvalid) -> Iterator[pl.DataFrame]:
    """Yield the rows of a side table: ``key`` as text or whole numbers, ``time`` in microseconds, and its cells."""
    key = cells.table.key
    for frame in _strips(source, cells, on_invalid):
        yield pl.DataFrame({"key": keys_in(frame, key)} | cells.read(frame, on_invalid))


def check_key(frame: Any, key: str) -> None:
    """Refuse a data frame whose column of keys is of a type that holds none; looks at no cell."""
    check_identifiers(named_column(frame, key, f"text or whole numbers in key {key!r}"), key)


def main_keys(frame: Any, name: str) -> pl.Series:
    """Return each row's key as text, as ``read_identifiers_of`` reads it.

    Raises
    ------
    TableError
        If the column is of another type, or a row has no key.
    """
    found = keys_in(frame, name).cast(pl.String)
    if found.null_count() or found.str.to_lowercase().is_in(list(NO_IDENTIFIERS)).any():
        read_identifiers_of(frame, Identifier(name))  # which says what is wrong
    return found


def _strips(source: SideSource, cells: Cells, on_invalid: OnInvalid) -> Iterator[Any]:
    if isinstance(source, Files | Query):
        try:
            yield from (frame for frame, _ in source.frames(cells.entries, on_invalid) if frame.height)
        except NoRowsError:  # nobody has a row: a neighbor of a table in which one person has some
            return
        return
    for start in range(0, len(source), _STRIP):
        yield source[start : start + _STRIP]


def keys_in(frame: Any, key: str) -> pl.Series:
    """Return each row's key, as text or as a whole number; of no main row where it is missing."""
    given = named_column(frame, key, f"text or whole numbers in key {key!r}")
    check_identifiers(given, key)
    native: Any = nw.to_native(given.source, pass_through=True)
    if isinstance(native, pl.Series) and native.dtype == pl.String:
        return native.alias("key").str.strip_chars(_BLANKS)
    if isinstance(native, pl.Series) and native.dtype in _INTEGERS:
        return native.alias("key").cast(pl.Int64)
    if given.kind == "number" and given.array().dtype.kind in "iu":
        whole = pl.Series("key", given.array())
        return whole.cast(pl.Int64 if whole.dtype in _INTEGERS else pl.String)
    return pl.Series("key", keys_of(given, key), dtype=pl.String)


_INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)


def _masked(values: NDArray[Any], absent: NDArray[np.bool_]) -> pl.Series:
    series = pl.Series(values)
    return series.set(pl.Series(absent), None) if absent.any() else series
