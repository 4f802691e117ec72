"""Bins of a score by which held-out rows are counted: cells of a public grid of log-odds, or predicted classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.rules.shared import MAX_LEVELS as MAX_HALVINGS

MAX_LEVELS = 128
"""Of a model file."""

MAX_HALVED_LEVELS = 2**MAX_HALVINGS + 1
"""Of a score that is halved as often as any is: of files that do not say how often theirs was."""

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
    return np.asarray(np.clip(np.ceil(_steps(known)) - 1, 0, 2.0**SCORE_BITS - 1).astype(np.int64) << TIE_BITS)


def odds_of_edges(edges: NDArray[np.int64]) -> tuple[float, ...]:
    """Return log-odds of edges between cells: edge e lies between the cells e - 1 and e.

    Examples
    --------
    >>> odds_of_edges(np.asarray([0, MIDDLE]))
    (-64.0, 0.0)
    """
    return tuple(_odds(np.asarray(edges, dtype=np.float64) / MIDDLE - 1).tolist())


def odds_of_steps(step: float) -> float:
    """Return the log-odds at which a step of a score begins."""
    return float(_odds(np.asarray(step / 2.0 ** (SCORE_BITS - 1) - 1)))


def _odds(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log-odds at places of the grid from -1 to 1."""
    places = _TOP * places
    # Rounding must not go beyond the grid's ends.
    return np.asarray(np.clip(HALF_WITHIN * places / (1 - np.abs(places)), -REACH, REACH))


def steps_of_edges(edges: Sequence[float]) -> NDArray[np.float64]:
    """Return where edges in log-odds lie among the steps of a score: the coin divides a step, too, so not at wholes."""
    return _steps(np.asarray(edges, dtype=np.float64))


def _steps(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((odds / (HALF_WITHIN + np.abs(odds)) / _TOP + 1) * 2.0 ** (SCORE_BITS - 1))


def score_cells(likely: NDArray[np.float64], favored: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the cell of the log-odds of the second of two classes, shape (n_rows, 1): of that row's scores alone.

    Parameters
    ----------
    likely : array of shape (n_rows, 2)
    favored : array of shape (n_rows,)
        Position of the class that is predicted.
    """
    # Two chances of zero have no log-odds: these are then taken to be zero, whatever they are.
    with np.errstate(divide="ignore", invalid="ignore"):
        cells = cells_of_odds(np.log(likely[:, 1]) - np.log(likely[:, 0]))
    # Rounding must not put a row on the other side of zero than its prediction, nor must the coin that is added.
    return np.where(favored == 1, np.maximum(cells, MIDDLE), np.minimum(cells, MIDDLE - (1 << TIE_BITS)))[:, None]


def predicted_cells(
    likely: NDArray[np.float64], favored: NDArray[np.intp], edges: tuple[float, ...]
) -> NDArray[np.intp]:
    """Return the cell of each row by predicted class and level of its probability, shape (n_rows,)."""
    best = likely[np.arange(len(likely)), favored]
    return np.asarray(favored * (len(edges) + 1) + np.searchsorted(edges, best), dtype=np.intp)


def chance_edges(n_classes: int, *, few: bool = False) -> tuple[float, ...]:
    """Return edges of levels of the largest of many probabilities: four levels, or a few, which are two."""
    least = 1 / n_classes
    return tuple(least + (1 - least) * share for share in ((0.5,) if few else (0.25, 0.5, 0.75)))


def class_cells(likely: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the cell of each class's log-odds against the rest in each row, shape (n_rows, n_classes)."""
    # Rounding may put a chance above one.
    likely = np.minimum(likely, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return cells_of_odds(np.log(likely) - np.log1p(-likely))
