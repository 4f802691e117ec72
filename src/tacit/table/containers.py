"""Data frames, arrays and lists of rows, opened as columns whose type is checked before any cell is read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError, guarded
from tacit.schema import Column, Label, Numeric, Schema, Target
from tacit.table.arrays import as_array, check_without_names, is_listed, iterated, rows_of_cells
from tacit.table.arrow_columns import type_name
from tacit.table.cell import is_plain_unit
from tacit.table.columns import by_column, distinct, near_integers
from tacit.table.data_frames import (
    NO_TABLE,
    Frame,
    are_numbered,
    cells_at,
    check_width,
    columns_at,
    known,
    names_of,
    opened_frame,
    places_of,
)
from tacit.table.known_types import of_known_type

Kind = Literal["number", "moment", "text", "cells"]

_WIDE_INTEGERS = ("Int128", "UInt128")
# Arrays of text hold what once may have been numbers, so that their cells are read as those of a list are.
_KIND_OF_ARRAY: dict[str, Kind] = {
    "b": "number", "i": "number", "u": "number", "f": "number", "M": "moment", "U": "cells", "T": "cells", "O": "cells"
}  # fmt: skip
_NAMES_OF_NUMBERS = ("int", "uint", "float", "double", "halffloat", "decimal", "bool")
_PER_CELL = (nw.Categorical, nw.Enum, nw.Object)


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
    def number_type(self) -> np.dtype[Any] | None:
        """The type of the column's numbers, double where NumPy has none; None if its cells may be no numbers."""
        if isinstance(self.source, np.ndarray):
            return self.source.dtype if self.kind == "number" else None
        if self.kind == "number":
            kind: np.dtype[Any] = self.source[:0].to_numpy().dtype
            return kind if kind.kind in "biuf" else np.dtype(np.float64)
        return np.dtype(np.float64) if self.kind == "cells" and _lists_numbers(self.source) else None

    @property
    def levels(self) -> tuple[str, ...] | None:
        """The texts that a polars Enum declares; other types of categories list what occurs in some rows."""
        if isinstance(self.source, np.ndarray) or not self.source.implementation.is_polars():
            return None
        return tuple(self.source.dtype.categories) if self.source.dtype == nw.Enum else None

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
        """Return floats as an array that is not copied, to be divided and looked at once; anything else as it is."""
        if self.is_opened or self.kind != "number" or not self.is_floating:
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
        if start == 0 and stop >= len(self.source):
            return self
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
        source = guarded(lambda: of_known_type(source), refusal(expected, "a type that cannot be converted"))
        kind = _kind_of_series(source)
    if kind is None:
        array = _array_of_unknown(source, expected)
        if array is None:
            raise refusal(expected, f"the type {type_name(_native_type(source))}, which no column describes")
        return _given_array(array, expected)
    return GivenColumn(kind, source, expected)


def expected_in(entry: Column | Label | Target) -> str:
    """Return what a schema entry holds, and where."""
    if isinstance(entry, Label):
        return f"text, numbers or truth values in label {entry.name!r}"
    if isinstance(entry, Numeric):
        where = "target" if isinstance(entry, Target) else "column"
        return f"{'dates' if entry.has_dates else 'numbers'} in {where} {entry.name!r}"
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


def _native_type(series: Any) -> Any:
    native = series.to_native()
    return getattr(native, "dtype", None) or getattr(native, "type", "unknown")


def _holds_objects(series: Any) -> bool:
    """Tell pandas' columns of objects, which narwhals calls text where all cells are."""
    kind = series.to_native().dtype if series.implementation.is_pandas_like() else None
    return isinstance(kind, np.dtype) and kind.kind == "O"


def _lists_numbers(series: Any) -> bool:
    """Tell decimals, integers that NumPy has no type for, and categories that are numbers."""
    if _holds_objects(series):
        return False
    native = series.to_native()
    if series.dtype in (nw.Categorical, nw.Enum) and series.implementation.is_pandas_like():
        return str(native.dtype.categories.dtype).lower().startswith(_NAMES_OF_NUMBERS)
    if series.dtype == nw.Categorical and series.implementation.is_pyarrow():
        return str(native.type.value_type).startswith(_NAMES_OF_NUMBERS)
    return bool(series.dtype.is_numeric())


def _listed(series: Any) -> list[Any]:
    listed: list[Any] = series.to_native().tolist() if _holds_objects(series) else series.to_list()
    return listed


def _array_of_unknown(series: Any, expected: str) -> NDArray[Any] | None:
    """Return an array of a column whose type narwhals does not know: without cells, sparse, of long doubles."""
    native = series.to_native()
    if str(getattr(native, "dtype", getattr(native, "type", ""))).lower() in ("null", "null[pyarrow]"):
        return np.full(len(series), None, dtype=object)
    if series.dtype != nw.Unknown or not series.implementation.is_pandas_like():
        return None
    array: NDArray[Any] = guarded(series.to_numpy, refusal(expected, "a type that cannot be converted"))
    return array if array.dtype.kind in "biufUM" else None


def opened_table(table: Any) -> Frame | NDArray[Any]:
    """Return a data frame as ``opened_frame`` does, anything else as an array of two dimensions.

    A list of rows becomes an array of objects, each cell of its own type: one type for all of them would let one cell
    decide how the others are read. One without rows may have no columns either, as an empty list.

    Raises TableError if it is no table, a sparse matrix, or one of complex numbers; or if its columns have names that
    an array would lose.
    """
    if _is_sparse(table):
        raise ColumnTypeError("Expected a dense table, got a sparse matrix. Convert it with .toarray().")
    frame = opened_frame(table)
    if frame is not None:
        return frame
    if is_listed(table):
        array = rows_of_cells(table)
    else:
        check_without_names(table)
        array = as_array(table, NO_TABLE)
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported: expected real numbers. Split it into real columns.")
    if array.ndim != 2:
        raise TableError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: a row per person, a column per "
            "feature."
        )
    if array.shape[1] == 0 and len(array):
        raise TableError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return array


def opened_labels(labels: Any) -> Any:
    """Return labels as a narwhals series, or as an array of one dimension; a single column counts as one.

    Raises TableError if they are no such thing, or complex numbers.
    """
    message = "Expected a 1D array, a list or a column of labels, got y of another shape. Pass a label for each row."
    if is_listed(labels):
        return np.fromiter(iterated(labels), dtype=object)
    native = nw.to_native(labels, pass_through=True)
    series = known(native)
    if isinstance(series, nw.Series):
        return series
    frame = _frame_of_labels(native)
    if frame is not None and len(names_of(frame)) == 1:
        return next(columns_at(frame, [0]))
    array = as_array(native, message)
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported: expected classes. Pass labels of text, numbers or truth values.")
    if array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1):
        return array.reshape(-1)
    raise TableError(message)


def given_columns(opened: Frame | NDArray[Any], schema: Schema) -> Mapping[str, GivenColumn]:
    """Return the schema's columns of an opened data frame (by name) or array (by position), by schema name."""
    columns: Iterable[Any]
    if isinstance(opened, np.ndarray):
        width = len(schema.inputs)
        if opened.shape == (0, 0):
            opened = opened.reshape(0, width)
        check_width(opened.shape[1], width)
        columns = by_column(opened)
    else:
        columns = cells_at(opened, places_of(names_of(opened), schema.input_names))
    return {
        entry.name: given_column(column, expected_in(entry))
        for entry, column in zip(schema.inputs, columns, strict=True)
    }


def named_column(table: Any, name: str, expected: str) -> GivenColumn:
    """Return one column of a data frame with named columns.

    Raises TableError if it is none, or has no such column.
    """
    frame = opened_frame(table)
    if frame is None or are_numbered(names_of(frame)):
        raise TableError(f"Expected a data frame with a column named {name!r}, got columns by position. Name them.")
    names = names_of(frame)
    if name not in names:
        raise TableError(f"Expected a column named {name!r}, got a table without one. Add the column.")
    return given_column(next(columns_at(frame, [names.index(name)])), expected)


def check_columns(table: Any, schema: Schema) -> None:
    """Refuse a data frame or an array of two dimensions without the schema's columns; looks at no cell."""
    frame = opened_frame(table)
    if frame is None:
        check_width(table.shape[1], len(schema.inputs))
    else:
        places_of(names_of(frame), schema.input_names)


def _is_sparse(table: Any) -> bool:
    scipy = sys.modules.get("scipy.sparse")  # no table is one of its matrices before it is imported
    return scipy is not None and bool(scipy.issparse(table))


def _frame_of_labels(labels: Any) -> Frame | None:
    try:
        return opened_frame(labels)
    except TableError:  # of Arrow's arrays, too
        return None
