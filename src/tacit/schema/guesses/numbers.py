"""Entries of numbers and dates: bounds, whole numbers, codes of missing cells, and numbers that are categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import SchemaError
from tacit.schema.columns import Numeric
from tacit.schema.dates import OR
from tacit.schema.guesses import reasons
from tacit.schema.guesses.bounds import outward_bounds, rounded_midpoint
from tacit.schema.guesses.codes import found_codes
from tacit.schema.guesses.names import Name
from tacit.schema.guesses.observed import ObservedColumn
from tacit.schema.guesses.persons import MAX_LISTED

# Whole numbers of so few values, each with so many rows on average, are codes more often than quantities.
MAX_CODES = 6
_MIN_ROWS_OF_CODE = 50
_MIN_ROWS_OF_NAMED_CODE = 10
_MIN_ROWS_OF_TRUTH = 10


def kept_number(name: str, observed: ObservedColumn) -> tuple[Numeric, str]:
    """Return a column of an array, which is used whatever its numbers look like, and the reason."""
    numbers = finite(name, observed.numbers)
    low, high = _bounds(numbers) if len(numbers) else (0, 1)
    missing = rounded_midpoint(low, high) if observed.missing else None
    return Numeric(name, low, high, whole=observed.is_whole, missing=missing), reasons.NUMBERS


def guessed_number(
    name: str, observed: ObservedColumn, words: tuple[str, ...] = (), written: Mapping[str, Any] | None = None
) -> tuple[Numeric, str]:
    """Return a column of numbers, and the reason.

    Parameters
    ----------
    words : tuple of str
        Texts among the numbers that stand for a missing one.
    written : mapping of str to Any, optional
        How cells are written, as fields of the entry.
    """
    numbers = finite(name, observed.numbers)
    coded = found_codes(observed)
    numbers = numbers[~np.isin(numbers, coded)]
    codes: tuple[str | float, ...] = (*words, *coded)
    low, high = _bounds(numbers)
    whole = bool((numbers % 1 == 0).all())
    column = Numeric(
        name,
        low,
        high,
        whole=whole,
        missing="indicator" if codes or observed.missing else _center(low, high, whole=whole),
        missing_codes=codes or None,
        **written or {},
    )
    if written:
        return column, reasons.WRITTEN_WITH_CODES if codes else reasons.WRITTEN
    if codes:
        return column, reasons.WITH_CODES
    return column, reasons.UP_TO_NINE if whole and numbers[0] >= 0 and numbers[-1] == 9 else reasons.NUMBERS


def guessed_days(
    name: str, days: Sequence[date], *, missing: bool, codes: tuple[str, ...] = (), written: str | None = None
) -> tuple[Numeric, str]:
    """Return a column of dates, and the reason."""
    low, high = date(min(days).year, 1, 1), date(max(days).year, 12, 31)
    middle = date.fromordinal((low.toordinal() + high.toordinal()) // 2)
    column = Numeric(
        name,
        low,
        high,
        missing="indicator" if missing or codes else middle,
        missing_codes=codes or None,
        dates=written,
    )
    if written:
        return column, reasons.FORMS_OF_DAYS if OR in written else reasons.WRITTEN_DAYS
    return column, reasons.DAYS


def reason_for_codes(name: str, observed: ObservedColumn) -> str:
    """Return why whole numbers are taken for codes, each a category; nothing where they are quantities."""
    values, rows, words = observed.numbers, observed.mean_rows, Name.of(name)
    if not (2 <= len(values) <= MAX_LISTED and observed.is_whole):
        return ""
    if found_codes(observed):
        return ""
    if values.tolist() == [0, 1] and rows >= _MIN_ROWS_OF_TRUTH:
        return reasons.TRUTHS
    if words.is_code and rows >= _MIN_ROWS_OF_NAMED_CODE:
        return reasons.NAMED_CODES
    is_few = len(values) <= MAX_CODES and rows >= _MIN_ROWS_OF_CODE
    return reasons.FEW_NUMBERS if is_few and not words.is_count else ""


def finite(name: str, numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers, none of which is infinite."""
    if np.isfinite(numbers).all():
        return numbers
    raise SchemaError(f"Expected finite numbers in column {name!r}, got an infinite one. Replace or empty such cells.")


def _bounds(numbers: NDArray[Any]) -> tuple[float, float]:
    low, high = outward_bounds(numbers[0].item(), numbers[-1].item())
    if not (numbers % 1 == 0).all():
        return low, high
    # Whole numbers have whole bounds: those of -1 alone are not -2 and -0.5.
    return (int(low // 1) if low % 1 else low), (int(-(-high // 1)) if high % 1 else high)


def _center(low: float, high: float, *, whole: bool) -> float:
    middle = rounded_midpoint(low, high)
    return round(middle) if whole and abs(middle) < 2**53 else middle
