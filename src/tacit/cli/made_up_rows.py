"""Side tables of three made-up persons, who show what the features of a schema are."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import polars as pl

from tacit.schema import Categorical, Column, Numeric, Schema, SideTable
from tacit.table.side_tables import SideTables

PERSONS = ("nobody", "one row", "five rows")
_ROWS = ("one row", *["five rows"] * 5, "a stranger")
"""Whose the rows are: one has a key that no person has."""

_EPOCH = datetime.date(1970, 1, 1)


def made_up_features(schema: Schema) -> dict[str, pl.DataFrame]:
    """Return made-up rows of each side table by its name, and under ``features`` what these are for each person.

    Nothing is drawn: values go from a bound to the other, categories through their list, and dates around the date of
    which a window is before.

    Parameters
    ----------
    schema : Schema
        With side tables.
    """
    days = {
        table.until_column: _middle(schema.column(table.until_column)) for table in schema.tables if table.until_column
    }
    rows = {table.name: _rows_of(table, days.get(table.until_column or "")) for table in schema.tables}
    side = SideTables.of(schema, rows)
    keys = {name: pl.Series(PERSONS) for name in side.keys}
    until = {name: np.full(len(PERSONS), day) for name, day in days.items()}
    made = side.features(keys, until, "raise")
    dates = {name: [_date(day)] * len(PERSONS) for name, day in days.items()}
    return rows | {"features": pl.DataFrame({"person": PERSONS} | dates).hstack(made)}


def _rows_of(table: SideTable, until: float | None) -> pl.DataFrame:
    until = table.until if until is None else until
    cells = {column.name: _cells(column, until if column.name == table.date else None) for column in table.columns}
    return pl.DataFrame({table.key: _ROWS} | cells)


def _cells(column: Column, until: float | None) -> list[Any]:
    """Return a cell for each row."""
    places = range(len(_ROWS))
    if isinstance(column, Categorical):
        return [f"text {at}" if column.buckets else column.categories[at % len(column.categories)] for at in places]
    steps = [at / (len(_ROWS) - 1) for at in places]
    if until is not None:
        # The last but one is a day too late.
        low = max(column.lower, until - 100)
        return [_date(low + (until - low) * step) for step in steps[:-2]] + [_date(until + 1), _date(low)]
    numbers = [column.lower + (column.upper - column.lower) * step for step in steps]
    if column.has_dates:
        return [_date(number) for number in numbers]
    return [float(round(number)) for number in numbers] if column.whole else numbers


def _middle(column: Column) -> float:
    assert isinstance(column, Numeric)
    return float(round(column.middle))


def _date(days: float) -> datetime.date:
    return _EPOCH + datetime.timedelta(days=int(days))
