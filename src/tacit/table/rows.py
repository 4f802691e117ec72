"""Rows that fit their schema, and how they are read: each cell by itself, whatever the others hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError, TableError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.schema.columns import is_indicator
from tacit.table.cell import FOREIGN, day, days, number, plain
from tacit.table.codebook import UNSEEN, Codebook, codebook
from tacit.table.columns import Columns
from tacit.table.containers import (
    ColumnTypeError,
    GivenColumn,
    as_doubles,
    expected_in,
    given_column,
    given_columns,
    named_column,
    opened_labels,
    refusal,
)
from tacit.table.persons import Members, read_identifiers
from tacit.table.storage import Storage

OnInvalid = Literal["raise", "coerce"]

_FLOAT, _CODE = np.dtype(np.float64), np.dtype(np.int32)
_PLAIN_NUMBERS = frozenset(np.dtype(letter).type for letter in "bhilqBHILQfd")
_NUMBERS = "a column of numbers (or of NaN alone)"

# What NumPy converts to doubles one by one, as `number` does.
_BUILT_IN = (float, int, bool, type(None))
_OF_NUMPY = (np.float64, np.float32, np.int64, np.int32, np.int16, np.int8, np.uint8, np.bool_)
_CONVERTIBLE = frozenset(map(id, _BUILT_IN + _OF_NUMPY))


class Encoding(Protocol):
    """A function of the schema and of one row at a time."""

    def transform(self, rows: Rows) -> NDArray[Any]:
        """Return an array with one row for each of the rows."""


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
        if start == 0 and stop == self.n_rows:
            return self
        return Rows(Columns.of(self.columns).each(lambda values: values[start:stop]), stop - start)

    def take(self, positions: NDArray[np.intp]) -> Rows:
        """Return the rows at these positions, as copies."""
        return Rows(Columns.of(self.columns).each(lambda values: values[positions]), len(positions))

    def held(self, name: str) -> NDArray[Any]:
        """Return a column in the type in which it is kept, which may be shorter than its own."""
        return self.columns.held[name] if isinstance(self.columns, Columns) else self.columns[name]

    def kept(self, storage: Storage) -> Rows:
        """Return the same rows in a storage."""
        return Rows(storage.columns(self.columns), self.n_rows)

    def keeping(self) -> Rows:
        """Return the same rows, ready to be read many times."""
        return self

    def encoded(self, encoding: Encoding) -> NDArray[Any]:
        """Return what an encoding makes of the rows: float32 features or byte codes; see ``Block``."""
        made = encoding.transform(self)
        return made.astype(np.float32) if made.dtype == np.float64 else made


def _read_numbers(given: GivenColumn, column: Numeric, on_invalid: OnInvalid) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Return numbers, or days since 1970-01-01, clipped to the column's bounds, and 1 for each row that has none."""
    numbers = _all_finite(given, column)
    if numbers is not None:
        return numbers, np.zeros(len(numbers), dtype=np.int8)
    found, all_read = _without_codes(given, column) if column.missing_codes else _spelled(given, column)
    if not all_read and on_invalid == "raise":
        _refuse(column)
    absent = ~np.isfinite(found)
    if absent.any():
        if column.missing_value is None and on_invalid == "raise":
            raise TableError(
                f"Expected a finite number in every row of column {column.name!r}, got input that contains NaN or "
                "infinity or nothing. Declare `missing` for the column in the schema, or pass on_invalid='coerce'."
            )
        found = np.where(absent, column.middle if column.missing_value is None else column.missing_value, found)
    return np.clip(found, column.lower, column.upper, out=found), absent.view(np.int8)


def _all_finite(given: GivenColumn, column: Numeric) -> NDArray[Any] | None:
    """Return numbers clipped to the bounds, in the column's own type, if all are finite, as in most tables; else None.

    The steps for other columns give the same numbers, as doubles, and take several times as long.
    """
    array = None if column.is_date or column.missing_codes or given.kind != "number" else given.array()
    if array is None or array.dtype.type not in _PLAIN_NUMBERS or not array.dtype.isnative or not len(array):
        return None
    # As Python's own types, which are compared exactly. NaN in a column is both of its ends.
    low, high = array.min().item(), array.max().item()
    if column.lower <= low and high <= column.upper:
        return array if given.is_immutable else array.copy()
    if not (isfinite(low) and isfinite(high) and _holds(array.dtype, column.lower, column.upper)):
        return None
    # What polars has put together from several chunks is nobody else's: a new array would cost most of the time.
    own = array if given.is_immutable and array.flags.writeable else None
    return np.asarray(np.clip(array, array.dtype.type(column.lower), array.dtype.type(column.upper), out=own))


def _holds(kind: np.dtype[Any], *bounds: float) -> bool:
    """Tell whether a type has exactly these numbers."""
    if kind.kind == "f":
        with np.errstate(over="ignore"):
            return all(float(kind.type(bound)) == bound for bound in bounds)
    ends = np.iinfo(kind)
    return all(float(bound).is_integer() and ends.min <= bound <= ends.max for bound in bounds)


def _spelled(given: GivenColumn, column: Numeric) -> tuple[NDArray[np.float64], bool]:
    return _days(given) if column.is_date else _numbers(given)


def _without_codes(given: GivenColumn, column: Numeric) -> tuple[NDArray[np.float64], bool]:
    """Return the numbers, NaN where there is none or a code of a missing one, and whether all others were read.

    A code of text makes a column one of text, so that such a column is read cell by cell.
    """
    assert column.missing_codes
    words = {code.strip() for code in column.missing_codes if isinstance(code, str)}
    if words and given.kind in ("text", "cells"):
        cells = [plain(cell) for cell in given.cells()]
        cells = [None if type(cell) is str and cell.strip() in words else cell for cell in cells]
        found, all_read = _each(cells, day if column.is_date else number)
    else:
        found, all_read = _spelled(given, column)
    return np.where(np.isin(found, column.numeric_codes), np.nan, found), all_read


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
        # Also of NaN alone, which one number would change; dates become counts of days in some libraries where one cell
        # is a number or NaN.
        raise refusal(given.expected, _NUMBERS)
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


def read_rows(frame: Any, schema: Schema, *, on_invalid: OnInvalid = "raise") -> Rows:
    """Return the schema's columns of a data frame (by name), or of an array or list of rows (by position).

    Privacy: what a row becomes depends on that row alone, also where a library chose a column's type by all cells;
    see ``tacit.table.cell``. Errors name the column and the remedy, never a value or a count. They are for the owner's
    eyes.

    Raises TableError if a column is missing or twice there, of a type that no schema describes (lists, structs, bytes,
    spans of time, complex numbers), or holds what the schema does not admit.

    Parameters
    ----------
    frame : pandas, polars or Arrow data frame, array of shape (n_rows, n_columns), or list of rows
        Further columns of a data frame are ignored; one whose columns are numbered goes by position.
    on_invalid : {"raise", "coerce"}
        What to do with a missing number, an unlisted category, text among numbers. ``"coerce"`` makes reading
        total but for columns of a type that none describes: a missing value takes its declared code, else the
        column's center; an unlisted category takes ``other``, else none of the categories. Numbers outside their
        bounds are clipped either way.
    """
    given = given_columns(frame, schema)
    columns: dict[str, NDArray[Any]] = {}
    absent = np.empty(0, dtype=np.int8)
    for column in schema.columns:
        if is_indicator(column):  # the number before it has it
            columns[column.name] = absent
        elif isinstance(column, Numeric):
            columns[column.name], absent = _read_numbers(given[column.name], column, on_invalid)
        else:
            columns[column.name] = _read_categories(given[column.name], column, on_invalid)
    n_rows = len(next(iter(columns.values())))
    if n_rows == 0:
        raise TableError("Expected at least one row, got an empty table. Check how the data were read.")
    kinds = {
        each.name: _FLOAT if isinstance(each, Numeric) and not is_indicator(each) else _CODE for each in schema.columns
    }
    return Rows(Columns(columns, kinds), n_rows)


def read_persons(frame: Any, schema: Schema) -> Members | None:
    """Return which person each row of a data frame is of, or None for a schema without an identifier.

    Raises
    ------
    TableError
        If the frame has no such column, it is of neither text nor whole numbers, or a row has none; whatever is done
        with invalid cells, as nobody could be protected by a missing identifier.
    """
    if schema.identifier is None:
        return None
    return Members.of(read_identifiers_of(frame, schema.identifier))


def read_identifiers_of(frame: Any, identifier: Identifier) -> list[str]:
    """Return each row's identifier as text; see ``read_persons``."""
    name = identifier.name
    return read_identifiers(named_column(frame, name, f"text or whole numbers in identifier {name!r}"), name)


def read_labels(labels: Any, label: Label, *, on_invalid: OnInvalid = "raise") -> NDArray[np.uint8]:
    """Return each label as its position among the sorted classes, shape (n_rows,).

    Raises
    ------
    TableError
        If a label is missing or not among the schema's classes, and ``on_invalid`` is ``"raise"``. With
        ``"coerce"`` such a label becomes the first class that the schema lists. Or if they are of a type that no label
        has.
    """
    cells = sorted(label.cells)
    given = given_column(opened_labels(labels), expected_in(label))
    codes = _codes(given, Codebook(cells), len(cells))
    if (codes == UNSEEN).any():
        if on_invalid == "raise":
            raise TableError(
                f"Expected every label {label.name!r} to be among the schema's classes, of their type, got "
                f"{_fault(given, codes, cells)} Complete the classes in the schema, or pass on_invalid='coerce' to "
                "count others as the first class."
            )
        first = label.cells[0] if label.listed is None else label.listed[0]
        codes[codes == UNSEEN] = cells.index(first)
    classes = sorted(label.classes)
    places = np.asarray([classes.index(label.class_of(cell)) for cell in cells])
    return np.asarray(places.astype(np.uint8 if len(classes) <= 256 else np.uint16)[codes])


def _read_categories(given: GivenColumn, column: Categorical, on_invalid: OnInvalid) -> NDArray[np.signedinteger[Any]]:
    codes = _codes(given, codebook(column), column.n_codes)
    unseen = codes == UNSEEN
    if unseen.any():
        if not column.other and on_invalid == "raise":
            raise TableError(_unseen_message(given, column, codes))
        codes[unseen] = len(column.categories) if column.other else UNSEEN
    return codes


def _unseen_message(given: GivenColumn, column: Categorical, codes: NDArray[np.signedinteger[Any]]) -> str:
    if column.buckets is not None:
        return (
            f"Expected text, numbers or truth values in column {column.name!r}, got a cell of another type. Convert "
            "the column, or pass on_invalid='coerce'."
        )
    expected = {
        "value": "to be among the schema's categories, of their type (text, whole numbers and so on)",
        "prefix": "to be a text that begins with one of the schema's categories",
    }
    return (
        f"Expected every value of column {column.name!r} {expected[column.match]}, and none to be missing, got "
        f"{_fault(given, codes, column.categories)} Complete `categories`, set `other = true` or `missing`, or pass "
        "on_invalid='coerce'."
    )


def _fault(given: GivenColumn, codes: NDArray[np.signedinteger[Any]], listed: Sequence[Any]) -> str:
    """Return what the first cell that was not read is, by its kind alone, and what to do; for the owner's eyes."""
    cell = plain(given.cells()[int(np.argmax(codes == UNSEEN))])
    is_text = isinstance(listed[0], str)
    if cell is FOREIGN:
        return "one of a type that is none of these. Convert the column."
    if cell is None or (isinstance(cell, float) and np.isnan(cell)):
        hint = " Some readers of CSV turn texts such as None and NA into missing cells." if is_text else ""
        return f"a missing one.{hint}"
    if isinstance(cell, str) != is_text:
        kinds = ("numbers or truth values", "texts") if is_text else ("texts", "numbers or truth values")
        return f"{kinds[0]} where the schema lists {kinds[1]}. Convert the column, or list the values in its type."
    return "one that is not listed."


def _codes(given: GivenColumn, book: Codebook, n_codes: int) -> NDArray[np.signedinteger[Any]]:
    if given.kind == "moment":
        # As text, which one odd cell may turn the column into, moments could be categories.
        raise refusal(given.expected, "dates")
    if given.kind == "number" and book.ambiguous and (book.is_text or given.is_floating):
        raise refusal(given.expected, "numbers where two of those in the schema are the same number")
    if given.kind == "number" and book.spells_nan and given.is_floating:
        raise refusal(given.expected, "floating-point numbers where the schema lists a text that spells NaN")
    if given.kind == "number" and not book.takes_numbers:
        raise refusal(given.expected, f"{_NUMBERS} where the schema lists prefixes: numbers lose the zeros of a code")
    # The shortest type of all codes and of the one after them: what is read once for each row had better be short.
    kind = np.min_scalar_type(-1 - n_codes)
    distinct = given.distinct()
    if distinct is None:
        return book.codes(given.cells(), of_one_type=given.kind != "cells").astype(kind)
    values, places = distinct
    return book.codes(values, of_one_type=True).astype(kind).take(places)
