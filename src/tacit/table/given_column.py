"""A column as it was handed over: its type is checked before any cell is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError, guarded
from tacit.schema import Column, Label, Numeric
from tacit.table.cell import is_plain_unit

Kind = Literal["number", "moment", "text", "cells"]

_WIDE = ("Int128", "UInt128")
# Arrays of text hold what once may have been numbers, so that their cells are read as those of a list are.
_KIND_OF_ARRAY: dict[str, Kind] = {
    "b": "number", "i": "number", "u": "number", "f": "number", "M": "moment", "U": "cells", "T": "cells", "O": "cells"
}  # fmt: skip
_PER_CELL = (nw.Categorical, nw.Enum, nw.Object)


class ColumnTypeError(TableError, TypeError):
    """A column whose values are of a type that its schema entry cannot hold."""


@dataclass(frozen=True, eq=False, repr=False)
class GivenColumn:
    """One column of a table, or the labels.

    Attributes
    ----------
    kind : {"number", "moment", "text", "cells"}
        The type that the whole column has; ``"cells"`` where each cell has its own.
    source : narwhals.Series or numpy.ndarray of shape (n_rows,)
    expected : str
        What its schema entry holds, and where, for messages.
    """

    kind: Kind
    source: Any
    expected: str

    @property
    def is_floating(self) -> bool:
        """Whether the column's numbers are doubles, which do not distinguish all integers."""
        if isinstance(self.source, np.ndarray):
            return bool(self.source.dtype.kind == "f")
        return bool(self.source.dtype.is_float())

    def array(self) -> NDArray[Any]:
        """Return the cells as numbers, as moments, or, where the library has no such array, as objects."""
        if isinstance(self.source, np.ndarray):
            return self.source
        array: NDArray[Any] = guarded(self.source.to_numpy, refusal(self.expected, "a type that cannot be converted"))
        return array

    def cells(self) -> list[Any]:
        """Return the cells one by one, as they are."""
        if isinstance(self.source, np.ndarray):
            # A long double is no Python number.
            array = as_doubles(self.source) if self.source.dtype.kind == "f" else self.source
            listed: list[Any] = array.tolist()
            return listed
        return guarded(lambda: _listed(self.source), refusal(self.expected, "a type that cannot be converted"))


def given_column(source: Any, expected: str) -> GivenColumn:
    """Return a column of a frame (a narwhals series) or of an array, by its type alone.

    Raises
    ------
    ColumnTypeError
        If it is of a type that no schema describes, such as lists, structs, bytes or spans of time.
    """
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
        return f"{'dates' if entry.is_date else 'numbers'} in column {entry.name!r}"
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
    if dtype.is_decimal() or str(dtype) in _WIDE or dtype in _PER_CELL:
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
