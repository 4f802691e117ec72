"""Levels of log-odds, by which held-out rows are counted: more where noise is small, wider towards the ends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

WIDTHS = {128: 0.1, 64: 0.16, 32: 0.3, 16: 0.5, 8: 1.0}
"""Of a level of log-odds near zero, by their number."""

MOST_LEVELS = max(WIDTHS)


def level_edges(error: Callable[[int], float]) -> tuple[float, ...]:
    """Return the edges of as many levels as have the least error: ascending, with zero in the middle.

    Examples
    --------
    >>> level_edges(lambda levels: levels)
    (-3.84375, -2.25, -1.03125, 0.0, 1.03125, 2.25, 3.84375)
    """
    n_levels = min(WIDTHS, key=error)
    half = n_levels // 2
    # Wider towards the ends, which are so far out that few rows are beyond.
    return tuple(WIDTHS[n_levels] * step * (1 + (step / half) ** 2 / 2) for step in range(1 - half, half))


def width_of(n_levels: int) -> float:
    """Return the width of a level near zero, in log-odds."""
    return WIDTHS[n_levels]


def hidden_inside(edges: tuple[float, ...]) -> NDArray[np.float64]:
    """Return how far from one half the share of pairs in order may be inside each level, whose rows count as ties."""
    # Inside a level of width w, where the density ratio is exp(x), the share is one half and w / 12: twice that.
    return np.asarray([0.5, *np.minimum(np.diff(edges) / 6, 0.5), 0.5])
