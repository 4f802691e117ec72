"""Numbers and codes of one column, each cell read by itself, whatever the others hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, partial
from math import isfinite
from typing import Any, Literal, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import TableError
from tacit.schema import Categorical, Numeric
from tacit.schema.likely_notation import likely_date, likely_number
from tacit.schema.missing_codes import by_number
from tacit.schema.notation import Notation
from tacit.table.cell import as_written, day, days, number, parts_of, plain
from tacit.table.codebook import UNLIKE, UNSEEN, Codebook, codebook
from tacit.table.containers import ColumnTypeError, GivenColumn, as_doubles, refusal
from tacit.table.written import read_written

_PLAIN_NUMBERS = frozenset(np.dtype(letter).type for letter in "bhilqBHILQfd")
_NUMBERS = "a column of numbers (or of NaN alone)"

_FEW = 256
"""Cells that are looked up one by one: finding which of them differ takes libraries as long."""

# What NumPy converts to doubles one by one, as `number` does.
_BUILT_IN = (float, int, bool, type(None))
_OF_NUMPY = (np.float64, np.float32, np.int64, np.int32, np.int16, np.int8, np.uint8, np.bool_)
_CONVERTIBLE = frozenset(map(id, _BUILT_IN + _OF_NUMPY))


def read_numbers(
    given: GivenColumn, column: Numeric, on_invalid: Literal["raise", "coerce"]
) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Return numbers within the column's bounds, days since 1970-01-01 or parts of dates, and 1 where there is none."""
    numbers = _all_finite(given, column)
    if numbers is not None:
        return numbers, np.zeros(len(numbers), dtype=np.int8)
    found, all_read = _spelled(given, column)
    if not all_read and on_invalid == "raise":
        _refuse(given, column)
    absent = ~np.isfinite(found)
    if absent.any():
        if column.missing_value is None and on_invalid == "raise":
            raise TableError(
                f"Expected a finite number in every row of column {column.name!r}, got input that contains NaN or "
                "infinity or nothing. Pass on_invalid='coerce', or declare `missing` for the column before a fit."
            )
        found = np.where(absent, column.middle if column.missing_value is None else column.missing_value, found)
    return np.clip(found, column.lower, column.upper, out=found), absent.view(np.int8)


def _all_finite(given: GivenColumn, column: Numeric) -> NDArray[Any] | None:
    """Return numbers clipped to the bounds, in the column's own type, if all are finite, as in most tables; else None.

    The steps for other columns give the same numbers, as doubles, and take several times as long.
    """
    array = None if column.has_dates or column.missing_codes or given.kind != "number" else given.array()
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


@lru_cache(maxsize=1024)  # asked for some rows of each column at a time
def _holds(kind: np.dtype[Any], *bounds: float) -> bool:
    """Tell whether a type has exactly these numbers."""
    if kind.kind == "f":
        with np.errstate(over="ignore"):
            return all(float(kind.type(bound)) == bound for bound in bounds)
    if kind.kind == "b":
        return all(bound in (0, 1) for bound in bounds)
    ends = np.iinfo(kind)
    return all(float(bound).is_integer() and ends.min <= bound <= ends.max for bound in bounds)


def _spelled(given: GivenColumn, column: Numeric) -> tuple[NDArray[np.float64], bool]:
    """Return what is in each row, NaN where nothing is or a code of a missing number, and whether all was read.

    A code of text makes a column one of text, and so do signs and marks: such columns are read cell by cell.
    """
    words = column.text_codes
    if column.notation is not None and (given.kind in ("text", "cells") or _may_spell_dates(given, column)):
        together = _together(given, column.notation) if given.kind == "text" else None
        found, all_read = together or _each(given.cells(), partial(as_written, notation=column.notation))
    elif words and given.kind in ("text", "cells"):
        numbers = by_number(words) if column.has_dates else {}
        cells = [plain(cell) for cell in given.cells()]
        cells = [None if _is_code(cell, words, numbers) else cell for cell in cells]
        found, all_read = _each(cells, day if column.has_dates else number)
    else:
        found, all_read = (_days if column.has_dates else _numbers)(given)
    if column.date_part is not None:
        found = parts_of(found, column.date_part)
    return np.where(np.isin(found, column.numeric_codes), np.nan, found) if column.numeric_codes else found, all_read


def _is_code(cell: Any, words: Collection[str], numbers: Collection[float]) -> bool:
    return cell.strip() in words if type(cell) is str else type(cell) in (int, float) and cell in numbers


def _together(given: GivenColumn, notation: Notation) -> tuple[NDArray[np.float64], bool] | None:
    """Return what ``as_written`` reads of each text, a tenth of the time; None for texts that are no Unicode."""
    cells = [cell if isinstance(cell, str) else None for cell in given.cells()]  # libraries differ in missing ones
    try:
        texts = pl.Series(cells, dtype=pl.String)
    except UnicodeEncodeError:  # a lone surrogate
        return None
    found, texts = read_written(texts, notation)
    array = found.to_numpy()
    return days(array) if found.dtype == pl.Datetime else array.copy(), found.null_count() == texts.null_count()


def _may_spell_dates(given: GivenColumn, column: Numeric) -> bool:
    """Tell whether whole numbers may be the digits of dates."""
    dates = None if column.notation is None else column.notation.dates
    return given.kind == "number" and dates is not None and dates.is_number


def _refuse(given: GivenColumn, column: Numeric) -> NoReturn:
    kind, form = ("dates", "a date or ISO text") if column.has_dates else ("numbers", "a string of digits or a number")
    read = day if column.has_dates else number
    if column.notation is not None:
        form, read = f"{form} as the schema says they are written", partial(as_written, notation=column.notation)
    texts = [cell for cell in map(plain, given.cells()) if type(cell) is str]
    unread = next((text for text in texts if read(text) is None), None)
    if unread is None and given.kind == "text":
        found = "texts of digits in a column of text" if texts else "a column of text"
        raise ColumnTypeError(f"Expected {kind} in column {column.name!r}, got {found}. Convert the column to numbers.")
    likely = (likely_date if column.has_dates else likely_number)(unread or "")
    entry = f"write {likely} for it in the schema before a fit" if likely else "declare it as another kind"
    raise ColumnTypeError(
        f"Expected {kind} in column {column.name!r}; each argument must be {form}, "
        f"and other text in a text column is refused. Convert the column, or {entry}."
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


def read_categories(
    given: GivenColumn, column: Categorical, on_invalid: Literal["raise", "coerce"]
) -> NDArray[np.signedinteger[Any]]:
    """Return the code of each row's category, of ``other`` where it is not listed, or -1."""
    book = codebook(column)
    codes = codes_of(given, book, column.n_codes)
    unseen = codes < 0
    if unseen.any():
        if on_invalid == "raise":
            _refuse_unseen(given, column, book, codes)
        codes[unseen] = len(column.categories) if column.other else UNSEEN
    return codes


def can_be_listed(given: GivenColumn, book: Codebook) -> bool:
    """Tell whether the type of a column, whatever its cells are, has a value that is listed."""
    levels, numbers = given.levels, given.number_type
    if levels is not None:
        return any(book.code(level) >= 0 for level in levels)
    return numbers is None or book.numbers is None or any(_holds(numbers, listed) for listed in book.numbers)


def _refuse_unseen(
    given: GivenColumn, column: Categorical, book: Codebook, codes: NDArray[np.signedinteger[Any]]
) -> None:
    """Refuse cells without a code, but for values that ``other`` takes."""
    if column.other or column.buckets is not None:
        found = _unlike(given, book, codes, column.categories)
        if found:
            kind = "text" if book.numbers == () else "text, numbers or truth values"
            raise ColumnTypeError(
                f"Expected {kind} in column {column.name!r}, as its categories are, got {found} Convert the column, or "
                "pass on_invalid='coerce'."
            )
        return
    expected = {
        "value": "to be among the schema's categories, of their type (text, whole numbers and so on)",
        "prefix": "to be a text that begins with one of the schema's categories",
    }
    found = " ".join(fault(first_unseen(given, codes), column.categories)).strip()
    raise TableError(
        f"Expected every value of column {column.name!r} {expected[column.match]}, and none to be missing, got "
        f"{found} Pass on_invalid='coerce'. Or, before a fit, complete `categories` or set `other = true` or `missing`."
    )


def _unlike(given: GivenColumn, book: Codebook, codes: NDArray[np.signedinteger[Any]], listed: Sequence[Any]) -> str:
    """Return what is in the column that can be none of the listed values, by its type alone; empty if nothing is."""
    if (codes == UNLIKE).any():
        return fault(plain(given.cells()[int(np.argmax(codes == UNLIKE))]), listed)[0]
    if not can_be_listed(given, book) and any(plain(cell) is not None for cell in given.cells()):
        return "a column of a type that has none of them."
    return ""


def first_unseen(given: GivenColumn, codes: NDArray[np.signedinteger[Any]]) -> Any:
    """Return the first cell without a code, as ``plain`` reads it."""
    return plain(given.cells()[int(np.argmax(codes < 0))])


def fault(cell: Any, listed: Sequence[Any]) -> tuple[str, str]:
    """Return what a cell without a code is, by its kind alone, and what to do; for the owner's eyes."""
    is_text = not listed or isinstance(listed[0], str)
    if cell is None or (isinstance(cell, float) and np.isnan(cell)):
        hint = "Some readers of CSV turn texts such as None and NA into missing cells." if is_text else ""
        return "a missing one.", hint
    if not isinstance(cell, str | bool | int | float):
        return "a cell of another type, such as bytes, a list or a date.", "Convert the column."
    if isinstance(cell, str) != is_text:
        kinds = ("numbers or truth values", "texts") if is_text else ("texts", "numbers or truth values")
        what = f"{kinds[0]} where the schema lists {kinds[1]}."
        return what, "Convert the column, or list the values in its type."
    return "one that is not listed.", ""


def codes_of(given: GivenColumn, book: Codebook, n_codes: int) -> NDArray[np.signedinteger[Any]]:
    """Return each row's code in a codebook, -1 where it has none, in the shortest type of so many codes."""
    if given.kind == "moment":
        # As text, which one odd cell may turn the column into, moments could be categories.
        raise refusal(given.expected, "dates")
    if given.kind == "number" and book.ambiguous and (book.is_text or given.is_floating):
        raise refusal(given.expected, "numbers where two of those in the schema are the same number")
    if given.kind == "number" and book.spells_nan and given.is_floating:
        raise refusal(given.expected, "floating-point numbers where the schema lists a text that spells NaN")
    if not book.takes_numbers and given.number_type is not None:
        raise refusal(given.expected, f"{_NUMBERS} where the schema lists prefixes: numbers lose the zeros of a code")
    # The shortest type of all codes and of the one after them: what is read once for each row had better be short.
    kind = np.min_scalar_type(-1 - n_codes)
    distinct = given.distinct() if len(given.source) > _FEW else None
    if distinct is None:
        return book.codes(given.cells(), of_one_type=given.kind != "cells").astype(kind)
    values, places = distinct
    return book.codes(values, of_one_type=True).astype(kind).take(places)
