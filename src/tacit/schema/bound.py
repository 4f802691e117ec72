"""One bound of a numeric column: a finite number or a date, and the number that it stands for."""

from __future__ import annotations

import math
import re
from datetime import date, datetime

from tacit.errors import SchemaError
from tacit.schema.validation import plain, shown

_EPOCH = date(1970, 1, 1).toordinal()
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def checked_bound(value: object, field: str, where: str) -> float | date:
    """Return a finite number or a date, which may have been written as ISO text."""
    value = plain(value)
    if isinstance(value, str) and _ISO_DATE.fullmatch(value):
        value = _parsed_date(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value):
        # An integer that no double holds would not come back from JSON as it went.
        return value if float(value) == value else float(value)
    raise SchemaError(
        f"Expected a finite number, or a date without a time, for {field} of {where}, "
        f"got {field}={shown(value)}. Write a number, or a date as YYYY-MM-DD."
    )


def as_number(bound: float | date) -> float:
    """Return the bound as a float; a date counts the days since 1970-01-01."""
    return float(bound.toordinal() - _EPOCH) if isinstance(bound, date) else float(bound)


def written(bound: float | date) -> str:
    """Return the bound as people write it."""
    return bound.isoformat() if isinstance(bound, date) else shown(bound)


def _parsed_date(text: str) -> date | str:
    try:
        return date.fromisoformat(text)
    except ValueError:  # such as a 30th of February: the caller's message speaks of the column
        return text


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the doubles
        return False
