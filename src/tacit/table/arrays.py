"""Arrays and lists of rows or of labels, each cell of its own type where the container leaves it one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError, guarded
from tacit.table.data_frames import NO_TABLE, is_of

_WITH_NAMES = ("columns", "column_names", "__dataframe__")
"""What tables of other libraries have and arrays do not."""


def is_listed(values: Any) -> bool:
    """Tell whether values are a list or a tuple."""
    return issubclass(type(values), list | tuple)


def as_array(values: Any, message: str) -> NDArray[Any]:
    """Return an array of something that has one type already; only NumPy knows how to open others.

    Raises TableError with the message if it has none.
    """
    if not (issubclass(type(values), np.ndarray | np.generic) or hasattr(type(values), "__array__")):
        raise TableError(message)
    array: NDArray[Any] = guarded(lambda: np.asanyarray(values), TableError(message))
    if isinstance(array, np.ma.MaskedArray):
        array = guarded(lambda: _without_masked(array), TableError(message))
    return np.asarray(array)


def check_without_names(table: Any) -> None:
    """Refuse a table whose columns have names that an array would lose."""
    if issubclass(type(table), np.ndarray | np.generic):
        has_names = table.dtype.names is not None
    else:
        has_names = any(hasattr(table, name) for name in _WITH_NAMES) or is_of(table, "xarray", "DataArray")
    if has_names:
        raise TableError(
            "Expected a data frame of a library that narwhals reads, or an array without names, got columns with "
            f"names in a {type(table).__name__}. Convert it to a data frame, for example of pandas."
        )


def rows_of_cells(rows: Any) -> NDArray[Any]:
    """Return a list of rows as an array of objects, shape (n_rows, n_columns).

    One type for all of them would let one cell decide how the others are read. No rows have no columns either.

    Raises TableError if rows are of different lengths, or have names for their cells.
    """
    cells = [_row(row) for row in iterated(rows)]
    width = len(cells[0]) if cells else 0
    if any(len(row) != width for row in cells):
        raise TableError(NO_TABLE)
    found = np.fromiter(chain.from_iterable(cells), dtype=object, count=len(cells) * width)
    return found.reshape(len(cells), width)


def iterated(values: Any) -> Iterator[Any]:
    """Return the entries as the built-in type has them, whatever a subclass makes of them."""
    base = list if issubclass(type(values), list) else tuple
    return base.__iter__(values)


def _without_masked(array: NDArray[Any]) -> NDArray[Any]:
    """Return the cells one by one, None where they are masked; an array's own filling would invent values."""
    cells = np.fromiter(np.ma.getdata(array).flat, dtype=object, count=array.size).reshape(array.shape)
    cells[np.ma.getmaskarray(array)] = None
    return cells


def _row(row: Any) -> list[Any]:
    kind = type(row)
    if issubclass(kind, dict) or hasattr(kind, "_fields") or is_of(row, "pyspark.sql", "Row"):
        raise TableError(
            "Expected rows without names for their cells, which go by position, got dictionaries or named tuples. "
            "Pass a data frame of them, for example pandas.DataFrame(rows)."
        )
    if is_listed(row):
        return list(iterated(row))
    if issubclass(kind, np.ndarray):
        array = as_array(row, NO_TABLE)
        if array.ndim == 1:
            return list(array)  # NumPy's scalars: as Python's, moments would lose their unit
    raise TableError(NO_TABLE)
