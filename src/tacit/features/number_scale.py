"""Numbers on their column's scale, and their ranks between its cut points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features.cut_grid import FEW, CutPoints
from tacit.kept import kept
from tacit.schema import Numeric

_MAX_COUNTED = 255
"""Knots below a number that fit a byte."""


def symmetric_log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sign(x) log(1 + abs(x))."""
    # Of the least numbers the logarithm is none above zero, which is as near as it gets.
    with np.errstate(under="ignore"):
        return np.asarray(np.sign(values) * np.log1p(np.abs(values)))


def stretch(values: Any, column: Numeric) -> NDArray[np.float64]:
    """Return the values on the column's scale, linear or logarithmic."""
    numbers = np.asarray(values, dtype=np.float64)
    return symmetric_log(numbers) if column.scale == "log" else numbers


def unstretch(values: NDArray[np.float64], column: Numeric) -> NDArray[np.float64]:
    """Return the numbers at places on the column's scale: what ``stretch`` came from, but for rounding."""
    return np.sign(values) * np.expm1(np.abs(values)) if column.scale == "log" else values


def scaled(values: NDArray[np.float64], column: Numeric) -> NDArray[np.float64]:
    """Return the values on the column's scale, the public center at 0 and the farther bound at distance 1."""
    center, reach = _center_and_reach(column)
    # Bounds that are neighboring floats may have the same logarithm: nothing is left to tell values by.
    return np.asarray((stretch(values, column) - center) / reach if reach else np.zeros(np.shape(values)))


@kept
def _center_and_reach(column: Numeric) -> tuple[np.float64, np.float64]:
    low, center, high = stretch([column.lower, column.middle, column.upper], column)
    return center, max(high - center, center - low)


@kept
def knots(column: Numeric) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where a number's rank is known, on the column's scale and increasing, and the ranks there."""
    low, high = scaled(np.asarray([column.lower, column.upper]), column)
    inner = scaled(np.asarray(column.cut_points or (), dtype=np.float64), column)
    if len(inner) > 1:
        # Bounds may be far beyond the rows: outer knots are no farther than twice the neighboring step.
        low, high = max(low, 3 * inner[0] - 2 * inner[1]), min(high, 3 * inner[-1] - 2 * inner[-2])
    places = np.asarray([low, *inner, high])
    # Knots that are the same float on the scale leave nothing between them.
    kept = np.concatenate([[True], np.diff(places) > 0])
    return places[kept], np.linspace(-1.0, 1.0, len(places))[kept]


@kept
def _interpolator(
    column: Numeric, places: NDArray[np.float64], ranks: NDArray[np.float64]
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return the linear interpolation of ranks, the same to the bit as ``np.interp`` and two to three times as fast."""
    with np.errstate(over="ignore"):
        slopes = np.append(np.diff(ranks) / np.diff(places), 0.0)
    # Bins begin above a cut, and pieces at a knot.
    pieces = CutPoints(np.nextafter(places[1:], -np.inf).tolist())
    is_plain = len(places) > _MAX_COUNTED or not np.isfinite(slopes).all()

    def found(scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        if is_plain or len(scaled) <= FEW:
            return np.asarray(np.interp(scaled, places, ranks))
        within = np.clip(scaled, places[0], places[-1])
        piece = np.empty(len(within), dtype=np.uint8)
        pieces.bins(within, piece)
        at = piece.astype(np.intp)
        within -= places.take(at, mode="clip")
        within *= slopes.take(at, mode="clip")
        within += ranks.take(at, mode="clip")
        return np.asarray(within)

    return found


def rank_of(values: NDArray[np.float64], column: Numeric) -> NDArray[np.float64]:
    """Return approximate ranks, from -1 to 1: linear from knot to knot."""
    places = scaled(values, column)
    found = _interpolator(column, *knots(column))(places)
    if len(cuts := column.cut_points or ()) == 1:
        # One cut point gives no scale: half of the rank is the side of it on which a number is.
        found = (found + np.where(values > cuts[0], 0.5, -0.5)) / 2
    return found
