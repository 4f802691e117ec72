"""Levels of log-odds, by which held-out rows are counted: cells of a public grid, divided at private quantiles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_LEVELS = 128
"""Of a model file."""

REACH = 64.0
"""Log-odds of which the grid consists, on both sides of zero: beyond are chances that no float64 tells from one."""
HALF_WITHIN = 2.0
"""Log-odds between which and their negative lies about half of the grid: finer where scores usually are, as an edge
that noise hides may be in any cell."""
SCORE_BITS, TIE_BITS = 36, 12
"""Of a cell's number: by the score, in steps of 6e-11 at zero and 6e-8 at the ends, and by a public coin of the row or
its person. The coin divides rows of equal scores evenly, as half of such a pair counts in an area under the ROC
curve."""
N_CELLS = 1 << (SCORE_BITS + TIE_BITS)

_TOP = REACH / (HALF_WITHIN + REACH)

MIDDLE = N_CELLS // 2
"""The edge at which the predicted class of two changes."""


def cells_of_odds(odds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the cell of log-odds, of any shape, before a coin is thrown: the first of 2^12 that are theirs.

    Examples
    --------
    >>> cells = cells_of_odds(np.asarray([0.0, 1e-8, -1e9]))
    >>> (cells < MIDDLE).tolist(), cells[2]
    ([True, False, True], np.int64(0))
    """
    # No number counts as none known: a model's answer must not decide whether there are counts.
    known = np.clip(np.nan_to_num(odds, nan=0.0, posinf=REACH, neginf=-REACH), -REACH, REACH)
    places = (known / (HALF_WITHIN + np.abs(known)) / _TOP + 1) * 2.0 ** (SCORE_BITS - 1)
    return np.asarray(np.clip(np.ceil(places) - 1, 0, 2.0**SCORE_BITS - 1).astype(np.int64) << TIE_BITS)


def odds_of_edges(edges: NDArray[np.int64]) -> tuple[float, ...]:
    """Return log-odds of edges between cells: edge e lies between the cells e - 1 and e.

    Examples
    --------
    >>> odds_of_edges(np.asarray([0, MIDDLE]))
    (-64.0, 0.0)
    """
    places = _TOP * (np.asarray(edges, dtype=np.float64) / MIDDLE - 1)
    # Rounding must not go beyond the grid's ends.
    return tuple(np.clip(HALF_WITHIN * places / (1 - np.abs(places)), -REACH, REACH).tolist())
