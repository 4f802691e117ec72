"""Rows that fit their schema: one array per column, every value inside what the schema admits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import repeat
from typing import Any, Literal, NoReturn, Protocol

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError, TableError
from tacit.schema import Categorical, Column, Label, Numeric, Schema

OnInvalid = Literal["raise", "code"]
UNSEEN = -1
_NO_DATES = (int, float, np.number, timedelta)


class ColumnTypeError(TableError, TypeError):
    """A column whose values are of a type that its schema entry cannot hold."""


class Encoding(Protocol):
    """A function of the schema and of one row at a time."""

    def transform(self, rows: Rows) -> NDArray[Any]:
        """Return an array with one row for each of the rows."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Validated columns: float64 numbers within their bounds, int32 codes of categories (-1 is unseen)."""

    columns: Mapping[str, NDArray[Any]]
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected rows to stay where they are, got a request to copy or pickle them.")

    def slice(self, start: int, stop: int) -> Rows:
        """Return rows ``start`` to ``stop`` as views."""
        stop = min(stop, self.n_rows)
        return Rows({name: values[start:stop] for name, values in self.columns.items()}, stop - start)

    def take(self, positions: NDArray[np.intp]) -> Rows:
        """Return the rows at these positions, as copies."""
        return Rows({name: values[positions] for name, values in self.columns.items()}, len(positions))

    def keeping(self) -> Rows:
        """Return the same rows, ready to be read many times."""
        return self

    def encoded(self, encoding: Encoding) -> NDArray[Any]:
        """Return what an encoding makes of the rows: float32 features or byte codes; see ``Block``."""
        made = encoding.transform(self)
        return made.astype(np.float32) if made.dtype == np.float64 else made


def read_rows(frame: Any, schema: Schema, *, on_invalid: OnInvalid = "raise") -> Rows:
    """Return the schema's columns of a data frame (by name) or of a 2-D array (by position).

    Parameters
    ----------
    frame : pandas, polars or Arrow data frame, or array of shape (n_rows, n_columns)
        Further columns of a data frame are ignored.
    schema : Schema
    on_invalid : {"raise", "code"}
        What to do with a missing number, an unlisted category, text among numbers. ``"code"`` makes reading
        total: a missing value takes its declared code, else the column's center; an unlisted category takes
        ``other``, else none of the categories. Numbers outside their bounds are clipped either way.

    Raises
    ------
    TableError
        If a column is missing or twice there, or holds what the schema does not admit.

    Notes
    -----
    Privacy: errors name the column and the remedy, never a value or a count. They are for the owner's eyes.
    """
    named = _named_columns(frame, schema)
    columns = {column.name: _read(named[column.name], column, on_invalid) for column in schema.columns}
    n_rows = len(next(iter(columns.values())))
    if n_rows == 0:
        raise TableError("Expected at least one row, got an empty table. Check how the data were read.")
    return Rows(columns, n_rows)


def read_labels(labels: Any, label: Label, *, on_invalid: OnInvalid = "raise") -> NDArray[np.uint8]:
    """Return each label as its position among the sorted classes, shape (n_rows,).

    Raises
    ------
    TableError
        If a label is missing or not among the schema's classes, and ``on_invalid`` is ``"raise"``. With
        ``"code"`` such a label becomes the first class that the schema lists.
    """
    classes = sorted(label.classes)
    values = labels.to_list() if hasattr(labels, "to_list") else np.asarray(labels).ravel().tolist()
    codes = _code(values, {value: code for code, value in enumerate(classes)}, label.name, on_invalid)
    if (codes == UNSEEN).any():
        if on_invalid == "raise":
            raise TableError(
                f"Expected every label {label.name!r} to be among the schema's classes, of their type. "
                "Complete the classes in the schema, or pass on_invalid='code' to count others as the first class."
            )
        codes[codes == UNSEEN] = classes.index(label.classes[0])
    return codes.astype(np.uint8 if len(classes) <= 256 else np.uint16)


def is_frame(frame: Any) -> bool:
    """Tell whether the object is a data frame, whose columns go by name."""
    return isinstance(_wrapped(frame), nw.DataFrame | nw.LazyFrame)


def _wrapped(frame: Any) -> Any:
    try:
        return nw.from_native(frame, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise TableError("Expected columns of different names, got several of one name. Rename all but one.") from None


def _named_columns(frame: Any, schema: Schema) -> Mapping[str, Any]:
    wrapped = _wrapped(frame)
    if isinstance(wrapped, nw.LazyFrame):
        wrapped = wrapped.collect()
    if isinstance(wrapped, nw.DataFrame):
        return _frame_columns(wrapped, schema)
    return _array_columns(frame, schema)


def _frame_columns(frame: nw.DataFrame[Any], schema: Schema) -> Mapping[str, Any]:
    names = list(map(str, frame.columns))
    for name in schema.names:
        if name not in names:
            raise TableError(
                f"Expected a column named {name!r}, got a table without one. "
                "Add the column, or take it out of the schema."
            )
    return {name: frame.get_column(name) for name in schema.names}


def _array_columns(array: Any, schema: Schema) -> Mapping[str, Any]:
    matrix = np.asarray(array)
    if matrix.ndim != 2:
        raise TableError(
            f"Expected 2D array, got {matrix.ndim}D array instead. Reshape your data: one row per person, "
            "one column per feature."
        )
    if matrix.shape[1] != len(schema.columns):
        raise TableError(
            f"Expected {len(schema.columns)} columns, as the schema lists, got {matrix.shape[1]}. "
            "Pass the columns in the schema's order, or a data frame with their names."
        )
    return {name: matrix[:, position] for position, name in enumerate(schema.names)}


def _read(values: Any, column: Column, on_invalid: OnInvalid) -> NDArray[Any]:
    if isinstance(column, Numeric):
        return _read_numbers(values, column, on_invalid)
    return _read_categories(values, column, on_invalid)


def _read_numbers(values: Any, column: Numeric, on_invalid: OnInvalid) -> NDArray[np.float64]:
    convert = _dates if column.is_date else _numbers
    numbers = _converted(values, convert)
    if numbers is None and on_invalid == "raise":
        kind, form = (
            ("dates", "a date or ISO text") if column.is_date else ("numbers", "a string of digits or a number")
        )
        raise ColumnTypeError(
            f"Expected {kind} in column {column.name!r}; each argument must be {form}, "
            "and other text in a text column is refused. Convert the column, or declare it as another kind."
        )
    if numbers is None:
        numbers = _each_number(values, convert)
    absent = ~np.isfinite(numbers)
    if absent.any():
        if column.missing_value is None and on_invalid == "raise":
            raise TableError(
                f"Expected a finite number in every row of column {column.name!r}, got input that contains NaN or "
                "infinity or nothing. Declare `missing` for the column in the schema, or pass on_invalid='code'."
            )
        code = column.middle if column.missing_value is None else column.missing_value
        numbers = np.where(absent, code, numbers)
    return np.clip(numbers, column.lower, column.upper)


def _converted(values: Any, convert: Callable[[Any], NDArray[np.float64]]) -> NDArray[np.float64] | None:
    """Return the column converted at once, or None; the error, which may quote a cell, goes no further."""
    try:
        return convert(values)
    except (TypeError, ValueError, OverflowError):
        return None


def _numbers(values: Any) -> NDArray[np.float64]:
    if isinstance(values, nw.Series):
        if values.dtype == nw.String or values.dtype.is_temporal():
            raise TypeError
        values = values.to_numpy()
    array = np.asarray(values)
    if array.dtype.kind in "cmM":  # complex numbers, spans of time, dates
        raise TypeError
    return array.astype(np.float64)


def _dates(values: Any) -> NDArray[np.float64]:
    array = values.to_numpy() if isinstance(values, nw.Series) else np.asarray(values)
    # NumPy would count a plain number, or a span of time, as microseconds since 1970.
    if array.dtype.kind in "biucm" or (array.dtype.kind == "f" and not np.isnan(array).all()):
        raise TypeError
    if array.dtype.kind == "O" and any(isinstance(value, _NO_DATES) and not _is_missing(value) for value in array):
        raise TypeError
    days: NDArray[np.float64] = (array.astype("datetime64[us]") - np.datetime64(0, "us")) / np.timedelta64(1, "D")
    return days


def _each_number(values: Any, convert: Callable[[Any], NDArray[np.float64]]) -> NDArray[np.float64]:
    """Convert value by value; what does not convert is missing."""

    def one(value: Any) -> float:
        cell = np.empty(1, dtype=object)
        cell[0] = value  # as it is, where asarray would open a list
        try:
            return float(convert(cell)[0])
        except (TypeError, ValueError, OverflowError):
            return np.nan

    return np.asarray([one(value) for value in _as_list(values)], dtype=np.float64)


def _read_categories(values: Any, column: Categorical, on_invalid: OnInvalid) -> NDArray[np.int32]:
    table: dict[Any, int] = {value: code for code, value in enumerate(column.categories)}
    other = len(column.categories) if column.other else UNSEEN
    if column.missing is not None:
        table[None] = table.get(column.missing, other)
    codes = _code(_as_list(values), table, column.name, on_invalid)
    unseen = codes == UNSEEN
    if unseen.any():
        if not column.other and on_invalid == "raise":
            raise TableError(
                f"Expected every value of column {column.name!r} to be among the schema's categories, of their type "
                "(text, whole numbers and so on), and none to be missing. Complete `categories`, set `other = true` "
                "or `missing`, or pass on_invalid='code'."
            )
        codes[unseen] = other
    return codes


def _as_list(values: Any) -> list[Any]:
    listed: list[Any] = values.to_list() if isinstance(values, nw.Series) else np.asarray(values).tolist()
    return listed


def _code(values: Iterable[Any], table: Mapping[Any, int], name: str, on_invalid: OnInvalid) -> NDArray[np.int32]:
    listed = list(values)
    codes = _looked_up(listed, table)
    if codes is None and on_invalid == "raise":
        raise ColumnTypeError(
            f"Expected text, numbers or truth values in column {name!r}, got lists or other containers. "
            "Convert the column, or pass on_invalid='code'."
        )
    if codes is None:
        codes = np.asarray([table.get(value, UNSEEN) if _hashes(value) else UNSEEN for value in listed], dtype=np.int32)
    if None in table:
        for row in np.flatnonzero(codes == UNSEEN):
            if _is_missing(listed[row]):
                codes[row] = table[None]
    return codes


def _looked_up(values: list[Any], table: Mapping[Any, int]) -> NDArray[np.int32] | None:
    """Return each value's code, or None if there is one that no table can hold."""
    try:
        return np.fromiter(map(table.get, values, repeat(UNSEEN)), dtype=np.int32, count=len(values))
    except TypeError:
        return None


def _hashes(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _is_missing(value: Any) -> bool:
    """Tell the marks of frames without nulls: NaN and NaT, which differ from themselves, and pandas' NA."""
    if type(value).__name__ == "NAType":  # known by name, so that pandas stays optional
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, float | date | np.generic) and bool(value != value)
