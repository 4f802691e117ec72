"""What may hold a table or its labels: data frames, arrays, and lists of rows, which are read cell by cell."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError, guarded
from tacit.schema import Schema
from tacit.table.given_column import GivenColumn, expected_in, given_column

_NO_TABLE = (
    "Expected a data frame, a 2D array or a list of rows that are lists, tuples or 1D arrays of equal length. Reshape "
    "your data: a row per person, a column per feature."
)
_NO_QUERY = "Expected a lazy frame that can be collected, got one whose query fails. Collect it before."


def opened_table(table: Any) -> Any:
    """Return a data frame as it is, anything else as an array of two dimensions.

    A list of rows becomes an array of objects, each cell as it is: one type for all of them would let one cell decide
    how the others are read.

    Raises
    ------
    TableError
        If it is no table, or one of complex numbers.
    """
    if is_frame(table):
        return table
    array = _rows_of_cells(table) if _is_listed(table) else _as_array(table, _NO_TABLE)
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported: expected real numbers. Split it into real columns.")
    if array.ndim != 2:
        raise TableError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: a row per person, a column per "
            "feature."
        )
    if array.shape[1] == 0:
        raise TableError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return array


def opened_labels(labels: Any) -> Any:
    """Return labels as a narwhals series, or as an array of one dimension; a single column counts as one.

    Raises
    ------
    TableError
        If they are no such thing, or complex numbers.
    """
    message = "Expected a 1D array, a list or a column of labels, got y of another shape. Pass a label for each row."
    if _is_listed(labels):
        return np.fromiter(_iterated(labels), dtype=object)
    wrapped = nw.from_native(labels, pass_through=True, allow_series=True)
    if isinstance(wrapped, nw.Series):
        return wrapped
    if isinstance(wrapped, nw.DataFrame) and wrapped.shape[1] == 1:
        return next(wrapped.iter_columns())
    array = _as_array(labels, message)
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported: expected classes. Pass labels of text, numbers or truth values.")
    if array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1):
        return array.reshape(-1)
    raise TableError(message)


def is_frame(table: Any) -> bool:
    """Tell whether the object is a data frame."""
    return isinstance(_wrapped(table), nw.DataFrame | nw.LazyFrame)


def is_named(table: Any) -> bool:
    """Tell whether the object is a data frame whose columns go by name; numbered ones go by position."""
    return is_frame(table) and all(isinstance(name, str) for name in column_names(table))


def column_names(frame: Any) -> list[Any]:
    """Return the names of a data frame's columns, of any type."""
    return _names(_wrapped(frame))


def given_columns(table: Any, schema: Schema) -> Mapping[str, GivenColumn]:
    """Return the schema's columns of a data frame (by name) or of anything else (by position), by schema name.

    Raises
    ------
    TableError
        If a column is missing or twice there, or of a type that no schema describes.
    """
    opened = opened_table(table)
    frame = _wrapped(opened)
    if isinstance(frame, nw.LazyFrame):
        _check_names(_names(frame), schema)
        frame = _collected(frame.select(schema.names))
    if not isinstance(frame, nw.DataFrame):
        _check_width(opened.shape[1], schema)
        columns: Iterable[Any] = opened.T
    elif is_named(opened):
        _check_names(frame.columns, schema)
        columns = map(frame.get_column, schema.names)
    else:
        _check_width(frame.shape[1], schema)
        columns = frame.iter_columns()
    return {
        entry.name: given_column(column, expected_in(entry))
        for entry, column in zip(schema.columns, columns, strict=True)
    }


def _wrapped(frame: Any) -> Any:
    try:
        return nw.from_native(frame, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise TableError("Expected columns of different names, got several of one name. Rename all but one.") from None


def _names(frame: Any) -> list[Any]:
    if isinstance(frame, nw.DataFrame):
        return list(frame.columns)
    names: list[Any] = guarded(lambda: frame.collect_schema().names(), TableError(_NO_QUERY))
    return names


def _collected(frame: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a function in the query may warn of what it meets
        return guarded(frame.collect, TableError(_NO_QUERY))


def _check_names(names: list[Any], schema: Schema) -> None:
    for name in schema.names:
        if name not in names:
            raise TableError(
                f"Expected a column named {name!r}, got a table without one. "
                "Add the column, or take it out of the schema."
            )


def _check_width(width: int, schema: Schema) -> None:
    if width != len(schema.columns):
        raise TableError(
            f"Expected {len(schema.columns)} columns, as the schema lists, got {width}. "
            "Pass the columns in the schema's order, or a data frame with their names."
        )


def _is_listed(values: Any) -> bool:
    return issubclass(type(values), list | tuple)


def _as_array(values: Any, message: str) -> NDArray[Any]:
    """Return an array of something that has one type already; only NumPy knows how to open others."""
    if not (issubclass(type(values), np.ndarray | np.generic) or hasattr(type(values), "__array__")):
        raise TableError(message)
    array: NDArray[Any] = guarded(lambda: np.asanyarray(values), TableError(message))
    if isinstance(array, np.ma.MaskedArray):
        array = np.ma.filled(array.astype(object), None)
    return np.asarray(array)


def _rows_of_cells(rows: Any) -> NDArray[Any]:
    cells = [_row(row) for row in _iterated(rows)]
    width = len(cells[0]) if cells else 0
    if not cells or any(len(row) != width for row in cells):
        raise TableError(_NO_TABLE)
    found = np.fromiter(chain.from_iterable(cells), dtype=object, count=len(cells) * width)
    return found.reshape(len(cells), width)


def _row(row: Any) -> list[Any]:
    if _is_listed(row):
        return list(_iterated(row))
    if issubclass(type(row), np.ndarray):
        array = _as_array(row, _NO_TABLE)
        if array.ndim == 1:
            return list(array)  # NumPy's scalars: as Python's, moments would lose their unit
    raise TableError(_NO_TABLE)


def _iterated(values: Any) -> Iterator[Any]:
    """Return the entries as the built-in type has them, whatever a subclass makes of them."""
    base = list if issubclass(type(values), list) else tuple
    return base.__iter__(values)
