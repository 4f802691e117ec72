"""What it says of a number that it lies in some bins, as people write it."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

import numpy as np

from tacit.features.bin_encoding import MIN_AMOUNT
from tacit.schema import Numeric

MAX_WRITTEN_OUT = 10**15
"""Whole numbers from here on are written as powers of ten: nobody counts so far."""


def range_words(
    column: Numeric, cuts: Sequence[float], first: int, last: int, *, negated: bool = False, digits: int = 6
) -> str:
    """Return what it says of a number that it lies, or does not, in these bins between the cuts, to so many digits.

    Examples
    --------
    >>> range_words(Numeric("age", 0, 90), (18, 65), 1, 1)
    'above 18 and at most 65'
    >>> range_words(Numeric("gain", 0, 99_999, whole=True), (0.5, 4432.5), 1, 1)
    '1 to 4,432'
    """
    least, most = _ends(column, cuts, first, last)
    if least == most:
        return f"{'not ' if negated else ''}{_written(column, most, digits)}"
    if first == 0:
        return (_above if negated else _at_most)(column, cuts[last], digits)
    if last == len(cuts):
        return (_at_most if negated else _above)(column, cuts[first - 1], digits)
    if column.whole:
        inside = f"{_written(column, least, digits)} to {_written(column, most, digits)}"
    else:
        inside = f"{_above(column, cuts[first - 1], digits)} and {_at_most(column, cuts[last], digits)}"
    return f"{'not ' if negated else ''}{inside}"


def _ends(column: Numeric, cuts: Sequence[float], first: int, last: int) -> tuple[float, float]:
    """Return the least and the largest number in the bins; where there is no least one, what it is above."""
    below = column.lower if first == 0 else cuts[first - 1]
    most = column.upper if last == len(cuts) else cuts[last]
    if column.whole:
        return (below if first == 0 else floor(below) + 1), floor(most)
    return (0.0 if below == -MIN_AMOUNT else below), most


def _at_most(column: Numeric, cut: float, digits: int) -> str:
    return "below 0" if cut == -MIN_AMOUNT else f"at most {_written(column, cut, digits)}"


def _above(column: Numeric, cut: float, digits: int) -> str:
    return "at least 0" if cut == -MIN_AMOUNT else f"above {_written(column, cut, digits)}"


def _written(column: Numeric, number: float, digits: int) -> str:
    if column.is_date:
        return str(np.datetime64("1970-01-01") + np.timedelta64(round(number), "D"))
    if column.whole and abs(number) < MAX_WRITTEN_OUT:
        # Where all numbers have four digits they may be years, which are written without marks.
        are_years = column.lower >= 1_000 and column.upper < 10_000
        return f"{floor(number):{'' if are_years else ','}}"
    return f"{number:.{digits}g}"
