"""Public grids of numbers and days, and what noisy counts of their cells say of bounds and center."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import floor, inf, log10, nextafter
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tacit.mechanisms import ReleasedValue
from tacit.rules.shared import MAX_LEVELS

Floats = NDArray[np.float64]

FINE_CELLS: Final = 2 << MAX_LEVELS
"""Even cells between the first bounds: twice as many as the finest bins of learners, so that rounding a bound outward
lengthens a bin by a half at most."""

_DECADES: Final = range(-9, 15)
"""Of the logarithmic grid: from billionths to a thousand billions."""

_YEARS: Final = range(1900, 2101)
"""Of the grids of days and of years."""

_FALSE, _FALSE_NEXT = 1e-3, 0.02
"""Probability that noise alone adds a cell: far away anywhere in a column, which would spoil its bounds, and next to
the bounds, where it widens them by one cell."""

_DIGITS = 3
"""Of the width of bounds: what bounds and center are rounded to."""


def logarithmic_edges() -> Floats:
    """Return the steps 1, 2 and 5 of each decade, of either sign; zero has a cell of its own."""
    steps = [digit * 10.0**decade for decade in _DECADES for digit in (1, 2, 5)]
    # The cell that ends at zero begins at the float below it.
    return np.asarray([*(-step for step in reversed(steps)), nextafter(0.0, -inf), 0.0, *steps])


def years() -> Floats:
    """Return years, each the upper edge of its own cell."""
    return np.asarray([float(year) for year in _YEARS])


def days_of_years() -> Floats:
    """Return the days, counted from 1970-01-01, with which years begin."""
    epoch = date(1970, 1, 1).toordinal()
    return np.asarray([float(date(year, 1, 1).toordinal() - epoch) for year in _YEARS])


@dataclass(frozen=True)
class Bounds:
    """Where most rows of a column are: nothing but noisy counts and a public grid went into it."""

    low: float
    high: float
    center: float | None = None
    """Zero, where half of the rows are."""

    def edges(self) -> Floats:
        """Return the edges of even cells between the bounds, both of which are in a cell."""
        edges = np.linspace(self.low, self.high, FINE_CELLS + 1)
        edges[0] = nextafter(self.low, -inf)  # cells hold their upper edge alone
        return edges


def coarse_bounds(edges: Floats, counts: ReleasedValue) -> Bounds | None:
    """Return the edges of the outermost cells that noise alone does not explain, or None if it explains all.

    Parameters
    ----------
    edges : float64 array of shape (n_edges,)
        Ascending.
    counts : ReleasedValue
        Noisy rows of n_edges + 1 cells; those beyond the grid, where missing numbers are, count for nothing.
    """
    found = _outermost(counts, _FALSE / (len(edges) - 1))
    if found is None:
        return None
    first, last = found
    low, high = float(edges[first]), float(edges[last + 1])
    # Of the cell of zero, both edges are zero.
    low = 0.0 if -1e-300 < low < 0 else low
    inside = np.maximum(_inside(counts), 0.0)
    # An even cell that begins at zero would put the center of such a column at its middle.
    at_zero = inside[np.flatnonzero(edges[1:] == 0)].sum() >= inside.sum() / 2
    return Bounds(low, high if low < high else low + 1, 0.0 if at_zero and low <= 0 <= high else None)


def fine_bounds(bounds: Bounds, counts: ReleasedValue) -> tuple[float, float, float]:
    """Return low, high and center from noisy counts of the even cells between the first bounds, rounded outward."""
    edges = np.linspace(bounds.low, bounds.high, FINE_CELLS + 1)
    inside = _inside(counts)
    first, last = _empty(inside), FINE_CELLS - 1 - _empty(inside[::-1])
    if first >= last:
        first, last = 0, FINE_CELLS - 1
    digits = _DIGITS - 1 - floor(log10(edges[last + 1] - edges[first]))
    low, high = _rounded_down(edges[first], digits), -_rounded_down(-edges[last + 1], digits)
    median = _median(edges, np.maximum(inside, 0.0))
    center = round(median if bounds.center is None else bounds.center, digits)
    return low, high, min(max(center, low), high)


def _inside(counts: ReleasedValue) -> Floats:
    """Return the noisy counts of the cells between the first and the last edge."""
    return np.asarray(counts.value[1:-1], dtype=np.float64)


def _outermost(counts: ReleasedValue, false: float) -> tuple[int, int] | None:
    """Return the first and the last cell whose noisy count is above what noise reaches with probability ``false``.

    From there on outward, cells next to each other are added while they are likely to hold rows.
    """
    inside = _inside(counts)
    strong = np.flatnonzero(inside > _quantile(counts, false))
    if not len(strong):
        return None
    first, last = int(strong[0]), int(strong[-1])
    likely = inside > _quantile(counts, _FALSE_NEXT)
    while first > 0 and likely[first - 1]:
        first -= 1
    while last < len(inside) - 1 and likely[last + 1]:
        last += 1
    return first, last


def _empty(inside: Floats) -> int:
    """Return how many cells, from the first on, hold no rows together, as noisy counts say."""
    few = np.flatnonzero(np.cumsum(inside) <= 0)
    return int(few[-1]) + 1 if len(few) else 0


def _quantile(counts: ReleasedValue, false: float) -> float:
    """Return what the noise of one count is above with a probability of ``false``."""
    if counts.distribution == "Laplace":
        return -counts.scale * float(np.log(2 * false))
    return -counts.deviation * float(ndtri(false))


def _median(edges: Floats, counts: Floats) -> float:
    """Return the median of rows that are spread evenly within their cells; the middle if there is none."""
    total = counts.sum()
    if not total:
        return float(edges[0] + (edges[-1] - edges[0]) / 2)
    return float(np.interp(total / 2, np.concatenate([[0.0], np.cumsum(counts)]), edges))


def _rounded_down(value: float, digits: int) -> float:
    """Return the value rounded down to so many decimal digits; a step lower where it is a step but for rounding."""
    return round(floor(value * 10.0**digits) * 10.0**-digits, max(digits, 0))
