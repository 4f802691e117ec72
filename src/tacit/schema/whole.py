"""Cut points of a whole column: between numbers that it can have, so that no cell of its is without one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.schema.columns import Numeric


def settled(cuts: Iterable[float], column: Numeric) -> tuple[float, ...]:
    """Return cut points that say the same of the column's numbers: increasing, strictly between its bounds.

    Those of a whole column lie at halves, and none is left that ends a cell without a number that the column can have.
    A code of a missing number is none.

    Examples
    --------
    >>> from tacit.schema import Numeric
    >>> settled([0.0001, 0.7, 1.2, 3.999], Numeric("visits", 0, 10, whole=True))
    (0.5, 1.5, 3.5)
    """
    if not column.whole:
        return tuple(sorted({cut for cut in cuts if column.lower < cut < column.upper}))
    kept: list[float] = []
    for cut in sorted({_half(cut) for cut in cuts if column.lower <= cut < column.upper}):
        if column.lower < cut < column.upper and (not kept or _has_number(column, kept[-1], cut)):
            kept.append(cut)
    return tuple(kept)


def has_numbers(column: Numeric, cuts: Sequence[float]) -> bool:
    """Return whether the column can have a number in each cell between the cuts.

    The first cell has the lower bound and the last the upper one, as which numbers beyond count.
    """
    return all(_has_number(column, low, high) for low, high in pairwise(cuts))


def _half(cut: float) -> float:
    """Return the cut halfway between the whole numbers around one, or the lower of these where no float is between."""
    below = floor(cut)
    half = below + 0.5
    return half if below < half < below + 1 else float(below)


def _has_number(column: Numeric, low: float, high: float) -> bool:
    """Return whether a row can have a number above the one and at most the other."""
    if column.missing_value is not None and low < column.missing_value <= high:
        return True
    codes = {code for code in column.numeric_codes if code.is_integer() and low < code <= high}
    return floor(high) - floor(low) > len(codes)
