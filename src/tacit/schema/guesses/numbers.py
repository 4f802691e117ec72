"""Entries of numbers and dates: bounds, codes of missing cells, and when numbers are codes of categories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import SchemaError
from tacit.schema.columns import Numeric
from tacit.schema.guesses import reasons
from tacit.schema.guesses.bounds import outward_bounds, rounded_midpoint
from tacit.schema.guesses.codes import found_codes, words_for_missing
from tacit.schema.guesses.names import Name
from tacit.schema.guesses.observed import Observed
from tacit.schema.guesses.persons import MAX_LISTED
from tacit.schema.guesses.spelled import numbers_in

# Whole numbers of so few values, each with so many rows on average, are codes more often than quantities.
_MAX_CODES = 6
_MIN_ROWS_OF_CODE = 50
_MIN_ROWS_OF_NAMED_CODE = 10
_MIN_ROWS_OF_TRUTH = 20
MIN_SPELLED = 8
"""Fewer numbers among texts are as likely codes with a word for a further one."""


def kept_number(name: str, observed: Observed) -> tuple[Numeric, str]:
    """Return a column of an array, which is used whatever its numbers look like, and the reason."""
    numbers = finite(name, observed.numbers)
    low, high = _bounds(numbers) if len(numbers) else (0, 1)
    missing = rounded_midpoint(low, high) if observed.missing else None
    return Numeric(name, low, high, missing=missing), reasons.NUMBERS


def guessed_number(name: str, observed: Observed) -> tuple[Numeric | tuple[int, ...], str]:
    """Return a column of numbers, or the categories that whole numbers are, and the reason."""
    numbers = finite(name, observed.numbers)
    codes = found_codes(numbers, observed.counts, observed.codes)
    left = ~np.isin(numbers, codes)
    if not codes:
        reason = _reason_for_codes(Name.of(name), numbers, observed.mean_rows)
        if reason:
            return tuple(int(value) for value in numbers.tolist()), reason
    return _with_codes(name, numbers[left], codes, observed.missing)


def guessed_spelled(name: str, observed: Observed) -> tuple[Numeric, str]:
    """Return a column of numbers that texts spell, and the reason."""
    words = words_for_missing(observed.texts, observed.codes)
    counted: dict[float, int] = {}
    for text, count in zip(observed.texts, observed.counts.tolist(), strict=True):
        if text not in words:
            number = float(text)
            counted[number] = counted.get(number, 0) + count
    numbers = np.asarray(sorted(counted))
    counts = np.asarray([counted[number] for number in numbers.tolist()])
    coded = found_codes(numbers, counts, observed.codes)
    return _with_codes(name, numbers[~np.isin(numbers, coded)], (*words, *coded), observed.missing)


def guessed_days(name: str, days: Sequence[date], missing: bool) -> tuple[Numeric, str]:
    """Return a column of dates, and the reason."""
    low, high = date(min(days).year, 1, 1), date(max(days).year, 12, 31)
    return Numeric(name, low, high, missing="indicator" if missing else None), reasons.DAYS


def spells_numbers(observed: Observed) -> bool:
    """Return whether texts are numbers but for a few words that say that nothing is known."""
    if observed.kind != "text":
        return False
    cells = observed.texts
    spelled, words = numbers_in(cells), words_for_missing(cells, observed.codes)
    fewest = 2 if observed.codes and words else MIN_SPELLED
    return len(spelled) >= fewest and len(spelled) + len(words) == len(cells)


def finite(name: str, numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers, none of which is infinite."""
    if np.isfinite(numbers).all():
        return numbers
    raise SchemaError(f"Expected finite numbers in column {name!r}, got an infinite one. Replace or empty such cells.")


def _reason_for_codes(name: Name, values: NDArray[Any], rows: float) -> str:
    """Return why whole numbers are taken for codes; nothing where they are quantities."""
    if not 2 <= len(values) <= MAX_LISTED or (values % 1 != 0).any():
        return ""
    if values.tolist() == [0, 1] and rows >= _MIN_ROWS_OF_TRUTH / 2:
        return reasons.TRUTHS
    if name.is_code and rows >= _MIN_ROWS_OF_NAMED_CODE:
        return reasons.NAMED_CODES
    is_few = len(values) <= _MAX_CODES and rows >= _MIN_ROWS_OF_CODE
    return reasons.FEW_NUMBERS if is_few and not name.is_count else ""


def _with_codes(name: str, numbers: NDArray[Any], codes: tuple[str | float, ...], missing: bool) -> tuple[Numeric, str]:
    low, high = _bounds(numbers)
    column = Numeric(name, low, high, missing="indicator" if codes or missing else None, missing_codes=codes or None)
    return column, reasons.WITH_CODES if codes else reasons.NUMBERS


def _bounds(numbers: NDArray[Any]) -> tuple[float, float]:
    return outward_bounds(numbers.min().item(), numbers.max().item())
