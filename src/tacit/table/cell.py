"""What one cell holds, read by itself."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.schema import Numeric
from tacit.schema.dates import EPOCH, DatePart, days_of
from tacit.schema.notation import Notation

FOREIGN: Final = object()
"""What a cell is read as that holds something else than a number, a day, a text or nothing."""

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

_MICROSECONDS = 86_400_000_000
_PER_DAY = {"h": 24, "m": 1440, "s": 86_400, "ms": 86_400_000, "us": _MICROSECONDS}
# Of the years from 1 to 9999.
_FIRST_DAY, _LAST_DAY = -719_162.0, 2_932_896.0
_ENDS: dict[DatePart, tuple[int, int]] = {
    "year": (1, 9999), "month": (1, 12), "day": (1, 31), "weekday": (1, 7), "hour": (0, 23)
}  # fmt: skip
_PER_MICROSECOND = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}
# About 100,000 years in each unit: beyond all dates of a schema, and within what NumPy converts to days.
_MAX_TICKS = {"Y": 100_000, "M": 1_200_000, "W": 5_200_000, "D": 36_500_000}


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
        return float(value.toordinal() - EPOCH.toordinal())
    if type(value) is datetime:
        return _days_of_datetime(value)
    if type(value) is np.datetime64 and is_plain_unit(value.dtype):
        return float(days(np.asarray(value).reshape(1))[0])
    return None


def as_written(value: Any, notation: Notation) -> float | None:
    """Return what a plain value is in a column of a notation: of a text, what this reads.

    A number, truth value or moment is what it is elsewhere, but a number among dates is what the notation reads of it.
    NaN for a missing one, None for one that is none.
    """
    if type(value) is str:
        return notation.read(value)
    if notation.dates is None:
        return number(value)
    if type(value) in (int, float) and value == value:
        return notation.read_number(value)
    return day(value)


def parts_of(found: NDArray[np.float64], part: DatePart) -> NDArray[np.float64]:
    """Return a part of each of some days since 1970-01-01, NaN for a missing one."""
    absent = ~np.isfinite(found)
    since = np.where(absent, 0.0, np.clip(found, _FIRST_DAY, _LAST_DAY))
    whole = np.floor(since)
    dates = whole.astype(np.int64).astype("datetime64[D]")
    years, months = dates.astype("datetime64[Y]"), dates.astype("datetime64[M]")
    read: dict[DatePart, Callable[[], NDArray[Any]]] = {
        "year": lambda: years.view(np.int64) + 1970,
        "month": lambda: (months - years.astype("datetime64[M]")).astype(np.int64) + 1,
        "day": lambda: (dates - months.astype("datetime64[D]")).astype(np.int64) + 1,
        "weekday": lambda: (whole + 3) % 7 + 1,  # 1970-01-01 was a Thursday
        # In whole microseconds, as a fraction of a day is no round number.
        "hour": lambda: np.round((since - whole) * _MICROSECONDS) // (_MICROSECONDS // 24) % 24,
    }
    return np.where(absent, np.nan, read[part]().astype(np.float64))


def moments_of(numbers: Sequence[float | None], column: Numeric) -> list[datetime | None]:
    """Return moments that a column of dates reads as these numbers, as far as there are such; None for none."""
    return [None if number is None or number != number else _moment_of(number, column.date_part) for number in numbers]


def _moment_of(number: float, part: DatePart | None) -> datetime:
    if part is None:
        return EPOCH + timedelta(microseconds=round(min(max(number, _FIRST_DAY), _LAST_DAY) * _MICROSECONDS))
    low, high = _ENDS[part]
    near = round(min(max(number, low), high))
    if part in ("weekday", "hour"):  # from a Monday on
        return datetime(2001, 1, 1) + (timedelta(days=near - 1) if part == "weekday" else timedelta(hours=near))
    return datetime(near if part == "year" else 2001, near if part == "month" else 1, near if part == "day" else 1)


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
    elif unit in _MAX_TICKS:
        near = np.clip(ticks, -_MAX_TICKS[unit], _MAX_TICKS[unit]).astype(f"datetime64[{unit}]")
        found = near.astype("datetime64[D]").view(np.int64).astype(np.float64)
    else:  # a type without a unit holds nothing but missing moments
        found = np.zeros(len(ticks))
    return np.where(absent, np.nan, found)


def _days_of_datetime(moment: datetime) -> float | None:
    try:
        offset = moment.utcoffset()
    except Exception:  # noqa: BLE001 (a time zone may be of any class; what it raises must not leave)
        return None
    since = moment.replace(tzinfo=None) - EPOCH
    if offset is not None:
        since -= offset
    return days_of(since)


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
