"""Data frames, arrays and lists of rows, opened as columns whose type is checked before any cell is read."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError, guarded
from tacit.schema import Column, Label, Numeric, Schema
from tacit.table.cell import is_plain_unit
from tacit.table.columns import by_column, distinct, near_integers

Kind = Literal["number", "moment", "text", "cells"]

_WIDE_INTEGERS = ("Int128", "UInt128")
# Arrays of text hold what once may have been numbers, so that their cells are read as those of a list are.
_KIND_OF_ARRAY: dict[str, Kind] = {
    "b": "number", "i": "number", "u": "number", "f": "number", "M": "moment", "U": "cells", "T": "cells", "O": "cells"
}  # fmt: skip
_PER_CELL = (nw.Categorical, nw.Enum, nw.Object)
_NO_TABLE = (
    "Expected a data frame, a 2D array or a list of rows that are lists, tuples or 1D arrays of equal length. Reshape "
    "your data: a row per person, a column per feature."
)
_NO_QUERY = "Expected a lazy frame that can be collected, got one whose query fails. Collect it before."


class ColumnTypeError(TableError, TypeError):
    """A column whose values are of a type that its schema entry cannot hold."""


@dataclass(frozen=True, eq=False, repr=False)
class GivenColumn:
    """One column of a table, or the labels."""

    kind: Kind
    """The type that the whole column has; ``"cells"`` where each cell has its own."""
    source: Any
    """Shape (n_rows,)."""
    expected: str
    """What its schema entry holds, and where, for messages."""
    is_opened: bool = False
    """Whether it is an array of a series, which nobody may change."""

    @property
    def is_floating(self) -> bool:
        """Whether the column's numbers are doubles, which do not distinguish all integers."""
        if isinstance(self.source, np.ndarray):
            return bool(self.source.dtype.kind == "f")
        return bool(self.source.dtype.is_float())

    @property
    def is_immutable(self) -> bool:
        """Whether nobody can change the column's array later; others are copied."""
        if self.is_opened:
            return True
        kind = getattr(self.source, "implementation", None)
        return kind is not None and bool(kind.is_polars() or kind.is_pyarrow())

    def array(self) -> NDArray[Any]:
        """Return the cells as numbers, as moments, or, where the library has no such array, as objects."""
        if isinstance(self.source, np.ndarray):
            return self.source
        array: NDArray[Any] = guarded(self.source.to_numpy, refusal(self.expected, "a type that cannot be converted"))
        return array

    def opened(self) -> GivenColumn:
        """Return floats of a series as an array, ready to be divided and looked at once; anything else as it is."""
        if isinstance(self.source, np.ndarray) or self.kind != "number" or not self.is_floating:
            return self
        array = self.array()
        if array.dtype.kind != "f":
            return self
        if not self.is_immutable:
            array = array.view()
            array.flags.writeable = False  # it may be the frame's own
        return GivenColumn(self.kind, array, self.expected, is_opened=True)

    def part(self, start: int, stop: int) -> GivenColumn:
        """Return some of the rows, as a view."""
        return GivenColumn(self.kind, self.source[start:stop], self.expected, self.is_opened)

    def distinct(self) -> tuple[list[Any], NDArray[np.integer[Any]]] | None:
        """Return the cells that occur, and for each row which one; None if its library has no way to find them.

        Of text, whole numbers and truth values, which are equal only if they are the same cell; missing ones are None.
        """
        if isinstance(self.source, np.ndarray):
            return near_integers(self.source)
        return guarded(lambda: distinct(self.source), refusal(self.expected, "a type that cannot be converted"))

    def cells(self) -> list[Any]:
        """Return the cells one by one, of the types that they have."""
        if isinstance(self.source, np.ndarray):
            # A long double is no Python number.
            array = as_doubles(self.source) if self.source.dtype.kind == "f" else self.source
            listed: list[Any] = array.tolist()
            return listed
        return guarded(lambda: _listed(self.source), refusal(self.expected, "a type that cannot be converted"))


def given_column(source: Any, expected: str) -> GivenColumn:
    """Return a column of a frame (a narwhals series) or of an array, by its type alone."""
    if isinstance(source, np.ndarray):
        return _given_array(source, expected)
    kind = _kind_of_series(source)
    if kind is None:
        array = _array_of_unknown(source, expected)
        if array is None:
            raise refusal(expected, "lists, bytes, spans of time or others that no column describes")
        return _given_array(array, expected)
    return GivenColumn(kind, source, expected)


def expected_in(entry: Column | Label) -> str:
    """Return what a schema entry holds, and where."""
    if isinstance(entry, Label):
        return f"text, numbers or truth values in label {entry.name!r}"
    if isinstance(entry, Numeric):
        return f"{'dates' if entry.has_dates else 'numbers'} in column {entry.name!r}"
    return f"text, numbers or truth values in column {entry.name!r}"


def as_doubles(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return an array of numbers as float64."""
    # Long doubles overflow with a warning that would tell of a cell.
    with np.errstate(all="ignore"):
        return array.astype(np.float64)  # a copy: a matrix's column, whose cells lie apart, is slow to read twice


def refusal(expected: str, found: str) -> ColumnTypeError:
    """Return the error about a column's type."""
    return ColumnTypeError(f"Expected {expected}, got {found}. Convert the column, or leave it out of the schema.")


def _given_array(array: NDArray[Any], expected: str) -> GivenColumn:
    kind = _KIND_OF_ARRAY.get(array.dtype.kind)
    if kind is None or (kind == "moment" and not is_plain_unit(array.dtype)):
        raise refusal(expected, "complex numbers, bytes, spans of time or others that no column describes")
    return GivenColumn(kind, array, expected)


def _kind_of_series(series: Any) -> Kind | None:
    if _holds_objects(series):
        return "cells"
    dtype = series.dtype
    if dtype.is_decimal() or str(dtype) in _WIDE_INTEGERS or dtype in _PER_CELL:
        return "cells"
    if dtype.is_numeric() or dtype == nw.Boolean:
        return "number"
    if dtype == nw.String:
        return "text"
    return "moment" if dtype in (nw.Date, nw.Datetime) else None


def _holds_objects(series: Any) -> bool:
    """Tell pandas' columns of objects, which narwhals calls text where all cells are."""
    return bool(series.implementation.is_pandas_like() and str(series.to_native().dtype) == "object")


def _listed(series: Any) -> list[Any]:
    listed: list[Any] = series.to_native().tolist() if _holds_objects(series) else series.to_list()
    return listed


def _array_of_unknown(series: Any, expected: str) -> NDArray[Any] | None:
    """Return an array of a column whose type narwhals does not know: without cells, sparse, of long doubles."""
    native = series.to_native()
    if str(getattr(native, "dtype", getattr(native, "type", ""))).lower() == "null":
        return np.full(len(series), None, dtype=object)
    if series.dtype != nw.Unknown or not series.implementation.is_pandas_like():
        return None
    array: NDArray[Any] = guarded(series.to_numpy, refusal(expected, "a type that cannot be converted"))
    return array if array.dtype.kind in "biufUM" else None


def opened_table(table: Any) -> Any:
    """Return a data frame unchanged, anything else as an array of two dimensions.

    A list of rows becomes an array of objects, each cell of its own type: one type for all of them would let one cell
    decide how the others are read.

    Raises TableError if it is no table, or one of complex numbers.
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

    Raises TableError if they are no such thing, or complex numbers.
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
    """Return the schema's columns of a data frame (by name) or of anything else (by position), by schema name."""
    opened = opened_table(table)
    frame = _wrapped(opened)
    if isinstance(frame, nw.LazyFrame):
        names = _names(frame)
        _check_names(names, schema)
        # By position: polars takes a name between ^ and $ for a pattern of names, and * for all.
        frame = _collected(frame.select(nw.nth([names.index(name) for name in schema.input_names])))
    if not isinstance(frame, nw.DataFrame):
        _check_width(opened.shape[1], schema)
        columns: Iterable[Any] = by_column(opened)
    elif is_named(opened):
        _check_names(frame.columns, schema)
        columns = map(frame.get_column, schema.input_names)
    else:
        _check_width(frame.shape[1], schema)
        columns = frame.iter_columns()
    return {
        entry.name: given_column(column, expected_in(entry))
        for entry, column in zip(schema.inputs, columns, strict=True)
    }


def collected(table: Any, names: Iterable[str]) -> Any:
    """Return some columns of a lazy frame, collected; anything else unchanged.

    A query may give its rows in another order each time, so that columns that belong together come of one collection.
    """
    frame = _wrapped(table)
    if not isinstance(frame, nw.LazyFrame):
        return table
    present = _names(frame)
    wanted = [present.index(name) for name in names if name in present]  # reading them says what is missing
    return _collected(frame.select(nw.nth(wanted))).to_native()


def named_column(table: Any, name: str, expected: str) -> GivenColumn:
    """Return one column of a data frame with named columns.

    Raises TableError if it is none, or has no such column.
    """
    opened = opened_table(table)
    if not is_named(opened):
        raise TableError(f"Expected a data frame with a column named {name!r}, got columns by position. Name them.")
    frame = _wrapped(opened)
    names = _names(frame)
    if name not in names:
        raise TableError(f"Expected a column named {name!r}, got a table without one. Add the column.")
    return given_column(frame.get_column(name), expected)


def check_columns(table: Any, schema: Schema) -> None:
    """Refuse a data frame or an array of two dimensions without the schema's columns; looks at no cell."""
    wrapped = _wrapped(table)
    if not isinstance(wrapped, nw.DataFrame | nw.LazyFrame):
        _check_width(table.shape[1], schema)
    elif is_named(table):
        _check_names(_names(wrapped), schema)
    else:
        _check_width(len(_names(wrapped)), schema)


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
    for name in schema.input_names:
        if name not in names:
            raise TableError(
                f"Expected a column named {name!r}, got a table without one. "
                "Add the column, or take it out of the schema."
            )


def _check_width(width: int, schema: Schema) -> None:
    if width != len(schema.inputs):
        raise TableError(
            f"Expected {len(schema.inputs)} columns, as the schema lists, got {width}. "
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
        array = guarded(lambda: _without_masked(array), TableError(message))
    return np.asarray(array)


def _without_masked(array: NDArray[Any]) -> NDArray[Any]:
    """Return the cells one by one, None where they are masked; an array's own filling would invent values."""
    cells = np.fromiter(np.ma.getdata(array).flat, dtype=object, count=array.size).reshape(array.shape)
    cells[np.ma.getmaskarray(array)] = None
    return cells


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
