"""What one cell holds, read by itself, and the code of the category that it is."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.schema import Value

FOREIGN: Final = object()
"""What a cell is read as that holds something else than a number, a day, a text or nothing."""

UNSEEN = -1
"""The code of a cell that no category takes."""

# Types whose cells hash and compare as their values do, without foreign code.
_HASHED = (str, int, float, bool, type(None), np.str_, np.int64, np.float64, np.bool_)
_HASHED_TYPES = frozenset(map(id, _HASHED))
_UNLIKE_NUMBERS = frozenset((id(str), id(type(None))))

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
# Longer ones exceed every integer type of a table.
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
# As Python, NumPy, pandas and polars write them, and pandas reads them.
_WORDS = {
    **dict.fromkeys(("true", "True", "TRUE"), 1.0),
    **dict.fromkeys(("false", "False", "FALSE"), 0.0),
    **dict.fromkeys(("nan", "NaN"), float("nan")),
    **dict.fromkeys(("inf", "Inf", "Infinity", "infinity"), float("inf")),
    **dict.fromkeys(("-inf", "-Inf", "-Infinity", "-infinity"), float("-inf")),
}
# "20000101" is no date, since a frame whose other cells are numbers as well holds it as a number.
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.,]+(Z|[+-][0-9:]+)?)?")

_EPOCH = datetime(1970, 1, 1)
_MICROSECONDS = 86_400_000_000
_PER_DAY = {"h": 24, "m": 1440, "s": 86_400, "ms": 86_400_000, "us": _MICROSECONDS}
_PER_MICROSECOND = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}
# About 100,000 years in each unit: beyond all dates of a schema, and within what NumPy converts to days.
_MOST_TICKS = {"Y": 100_000, "M": 1_200_000, "W": 5_200_000, "D": 36_500_000}


def plain(cell: object) -> Any:
    """Return a cell as None (missing), bool, int, float, str, date, datetime or numpy.datetime64, else ``FOREIGN``."""
    # By identity of the type: a type could define its own hash and equality.
    read = _PLAIN.get(id(type(cell)))
    return _of_pandas(cell) if read is None else read(cell)


def number(value: Any) -> float | None:
    """Return the number that a plain value is, NaN for a missing one, None for one that is no number."""
    if value is None:
        return float("nan")
    if type(value) is str:
        value = number_of_text(value)
    return as_float(value) if type(value) in (bool, int, float) else None


def number_of_text(text: str) -> int | float | None:
    """Return the number that a text spells, or None; digits alone are an exact integer."""
    stripped = text.strip()
    if _WHOLE.fullmatch(stripped):
        return int(stripped)
    if _NUMBER.fullmatch(stripped):
        return float(stripped)
    return _WORDS.get(stripped)


def as_float(value: float) -> float:
    """Return the nearest double; integers beyond the doubles are infinite."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def day(value: Any) -> float | None:
    """Return the days since 1970-01-01 (UTC) of a plain value, NaN for a missing one, None for one that is no date."""
    if type(value) is str:
        value = _moment_of_text(value)
    if value is None:
        return float("nan")
    if type(value) is date:
        return float(value.toordinal() - _EPOCH.toordinal())
    if type(value) is datetime:
        return _days_of_datetime(value)
    if type(value) is np.datetime64 and is_plain_unit(value.dtype):
        return float(days(np.asarray(value).reshape(1))[0])
    return None


def is_plain_unit(kind: np.dtype[Any]) -> bool:
    """Tell whether moments of this type count single units of time."""
    return np.datetime_data(kind)[1] == 1


def days(moments: NDArray[np.datetime64]) -> NDArray[np.float64]:
    """Return the days since 1970-01-01 of moments of a plain unit, NaN for a missing one.

    Whole days and the rest are divided apart, and what is finer than a microsecond is dropped, so that one moment
    has one value in every unit.
    """
    unit = np.datetime_data(moments.dtype)[0]
    moments = moments.astype(moments.dtype.newbyteorder("="), copy=False)
    absent = np.isnat(moments)
    ticks = np.where(absent, 0, moments.view(np.int64))
    if unit in _PER_MICROSECOND:
        ticks, unit = ticks // _PER_MICROSECOND[unit], "us"
    if unit in _PER_DAY:
        whole, rest = np.divmod(ticks, _PER_DAY[unit])
        found = whole + rest / _PER_DAY[unit]
    elif unit in _MOST_TICKS:
        near = np.clip(ticks, -_MOST_TICKS[unit], _MOST_TICKS[unit]).astype(f"datetime64[{unit}]")
        found = near.astype("datetime64[D]").view(np.int64).astype(np.float64)
    else:  # a type without a unit holds nothing but missing moments
        found = np.zeros(len(ticks))
    return np.where(absent, np.nan, found)


def _days_of_datetime(moment: datetime) -> float | None:
    try:
        offset = moment.utcoffset()
    except Exception:  # noqa: BLE001 (a time zone may be of any class; what it raises must not leave)
        return None
    since = moment.replace(tzinfo=None) - _EPOCH
    if offset is not None:
        since -= offset
    return since.days + (since.seconds * 1_000_000 + since.microseconds) / _MICROSECONDS


def _moment_of_text(text: str) -> datetime | float | None:
    stripped = text.strip()
    if stripped in ("nan", "NaN", "NaT"):
        return None
    try:
        return datetime.fromisoformat(stripped) if _ISO.fullmatch(stripped) else 0.0
    except ValueError:  # such as a 30th of February
        return 0.0


def _of_pandas(cell: object) -> Any:
    pandas = sys.modules.get("pandas")  # which stays optional: no cell is of its types before it is imported
    if pandas is None:
        return FOREIGN
    if cell is pandas.NA or cell is pandas.NaT:
        return None
    return cell.to_datetime64() if type(cell) is pandas.Timestamp else FOREIGN  # type: ignore[attr-defined]


def _itself(cell: Any) -> Any:
    return cell


def _unless_nan(cell: float) -> float | None:
    return None if cell != cell else cell


def _of_floating(cell: Any) -> float | None:
    # Long doubles overflow with a warning that would tell of the cell.
    with np.errstate(all="ignore"):
        return _unless_nan(float(np.asarray(cell).astype(np.float64)))


def _of_decimal(cell: Decimal) -> int | float | None:
    if cell.is_nan():
        return None
    nearest = float(cell)
    # Far beyond integer columns, the exact integer could have a billion digits.
    return int(cell) if abs(nearest) < 2.0**64 and cell == cell.to_integral_value() else nearest


def _of_datetime64(cell: np.datetime64) -> np.datetime64 | None:
    return None if np.isnat(cell) else cell


_EXACT: dict[type, Callable[[Any], Any]] = {
    **dict.fromkeys((type(None), bool, int, str, date, datetime), _itself),
    float: _unless_nan,
    Decimal: _of_decimal,
    np.bool_: bool,
    np.str_: str,
    np.datetime64: _of_datetime64,
    **dict.fromkeys((np.float16, np.float32, np.float64, np.longdouble), _of_floating),
    **dict.fromkeys((np.dtype(letter).type for letter in "bhilqBHILQ"), int),
}
_PLAIN = {id(kind): read for kind, read in _EXACT.items()}


class Codebook:
    """Codes of listed values.

    A text that the list has letter for letter is that category. Every other cell goes by its value: a number, a truth
    value and a text that spells a number are the category of the same value, be it listed as a number, as a truth
    value or as a text that spells one.

    Parameters
    ----------
    listed : sequence of str, int, float or bool
        Of one kind; the code of each is its position.
    missing : int
        The code of a missing cell.

    Attributes
    ----------
    ambiguous : bool
        Whether two listed values are one number, as "1" and "01" are, or integers that no double distinguishes: no
        cell that is a number only can be either.
    spells_nan : bool
        Whether a listed text is "nan" or "NaN": a missing number, but for arrays that turned it into that text.
    is_text : bool
        Whether the list is one of texts.
    """

    def __init__(self, listed: Sequence[Value], missing: int = UNSEEN):
        self.missing = missing
        self.is_text = isinstance(listed[0], str)
        self._texts = {value: code for code, value in enumerate(listed)} if self.is_text else {}
        self._integers = {value: code for code, value in enumerate(listed) if type(value) is int}
        self._numbers: dict[float, int] = {}
        self.ambiguous, self.spells_nan = False, False
        for code, value in enumerate(listed):
            spelled = number_of_text(value) if isinstance(value, str) else value
            if spelled is not None and spelled != spelled:
                self.spells_nan = True
            elif spelled is not None:
                self._add(as_float(spelled), code)

    def code(self, cell: object) -> int:
        """Return the code of one cell of any type."""
        value = plain(cell)
        if type(value) is str:
            known = self._texts.get(value)
            if known is not None:
                return known
            value = number_of_text(value)
            if value is None:
                return UNSEEN
        if value is None or value != value:
            return self.missing
        if type(value) not in (bool, int, float):
            return UNSEEN
        known = self._integers.get(value) if type(value) is int else None
        return self._numbers.get(as_float(value), UNSEEN) if known is None else known

    def codes(self, cells: list[Any], *, of_one_type: bool = False) -> NDArray[np.int32]:
        """Return the code of each cell, shape (n_cells,), as ``code`` gives it.

        ``of_one_type`` says that but for missing cells all are text, or all are built-in numbers of one type.
        """
        kinds = set() if of_one_type else set(map(id, map(type, cells)))
        # Where at most one type besides text is there, no two cells of different types are equal, as 1 and True are.
        if kinds <= _HASHED_TYPES and len(kinds - _UNLIKE_NUMBERS) <= 1:
            return self._looked_up(_Codes(self.code).__getitem__, cells)
        memos = {kind: _Codes(self.code).__getitem__ for kind in kinds & _HASHED_TYPES}
        return self._looked_up(lambda cell: memos.get(id(type(cell)), self.code)(cell), cells)

    def _looked_up(self, code: Callable[[Any], int], cells: list[Any]) -> NDArray[np.int32]:
        return np.fromiter(map(code, cells), dtype=np.int32, count=len(cells))

    def _add(self, value: float, code: int) -> None:
        if value in self._numbers:
            self.ambiguous = True
            code = UNSEEN
        self._numbers[value] = code


class _Codes(dict[Any, int]):
    """Codes of the cells that have occurred."""

    def __init__(self, code: Callable[[object], int]):
        super().__init__()
        self._code = code

    def __missing__(self, cell: Any) -> int:
        code = self._code(cell)
        if type(cell) is not float or cell == cell:  # each NaN would be kept as one more key
            self[cell] = code
        return code
