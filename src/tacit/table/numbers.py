"""Numbers and days of a numeric column, within its bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError
from tacit.schema import Numeric
from tacit.table.cell import day, days, number, plain
from tacit.table.given_column import ColumnTypeError, GivenColumn, as_doubles, refusal
from tacit.table.rows import OnInvalid

# What NumPy converts to doubles one by one, as `number` does.
_CONVERTIBLE = frozenset(map(id, (float, int, bool, np.float64, np.int64)))


def read_numbers(given: GivenColumn, column: Numeric, on_invalid: OnInvalid) -> NDArray[np.float64]:
    """Return the numbers, or days since 1970-01-01, clipped to the column's bounds, shape (n_rows,).

    Raises
    ------
    TableError
        If a cell is missing or no number, and ``on_invalid`` is ``"raise"``.
    """
    found, all_read = _days(given) if column.is_date else _numbers(given)
    if not all_read and on_invalid == "raise":
        _refuse(column)
    absent = ~np.isfinite(found)
    if absent.any():
        if column.missing_value is None and on_invalid == "raise":
            raise TableError(
                f"Expected a finite number in every row of column {column.name!r}, got input that contains NaN or "
                "infinity or nothing. Declare `missing` for the column in the schema, or pass on_invalid='code'."
            )
        found = np.where(absent, column.middle if column.missing_value is None else column.missing_value, found)
    return np.clip(found, column.lower, column.upper)


def _refuse(column: Numeric) -> NoReturn:
    kind, form = ("dates", "a date or ISO text") if column.is_date else ("numbers", "a string of digits or a number")
    raise ColumnTypeError(
        f"Expected {kind} in column {column.name!r}; each argument must be {form}, "
        "and other text in a text column is refused. Convert the column, or declare it as another kind."
    )


def _numbers(given: GivenColumn) -> tuple[NDArray[np.float64], bool]:
    """Return the number in each row, NaN where there is none, and whether every cell was a number or missing."""
    if given.kind == "moment":
        raise refusal(given.expected, "dates")
    if given.kind == "number":
        array = given.array()
        return _each(array.tolist(), number) if array.dtype.kind == "O" else (as_doubles(array), True)
    found, all_read = _each(given.cells(), number)
    return found, all_read and given.kind == "cells"


def _days(given: GivenColumn) -> tuple[NDArray[np.float64], bool]:
    if given.kind == "moment":
        array = given.array()
        return (days(array), True) if array.dtype.kind == "M" else _each(array.tolist(), day)
    if given.kind == "number":
        array = given.array()
        if not (array.dtype.kind == "f" and bool(np.isnan(array).all())):
            # They may have been dates, which some libraries turn into counts of days where a number is among them.
            raise refusal(given.expected, "numbers")
        return array, True
    return _each(given.cells(), day)


def _each(cells: list[Any], read: Callable[[Any], float | None]) -> tuple[NDArray[np.float64], bool]:
    """Read cell by cell; plain numbers at once, with the same result."""
    if read is number and set(map(id, map(type, cells))) <= _CONVERTIBLE:
        try:
            return np.array(cells, dtype=np.float64), True
        except OverflowError:  # an integer beyond the doubles: cell by cell it is one missing number
            pass
    found = [read(plain(cell)) for cell in cells]
    numbers = np.array([np.nan if value is None else value for value in found], dtype=np.float64)
    return numbers, all(value is not None for value in found)
