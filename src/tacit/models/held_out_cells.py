"""Cells by which held-out rows are counted: of the score of two classes, or of the predicted class of more."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.models.levels import MIDDLE, TIE_BITS, cells_of_odds
from tacit.rules.measures import WIDTH_OF_INTERVAL


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


def chance_edges(n_classes: int) -> tuple[float, ...]:
    """Return edges of levels of the largest of many probabilities."""
    least = 1 / n_classes
    return tuple(least + (1 - least) * share for share in (0.25, 0.5, 0.75))


def accuracy_error(n_classes: int, n_rows: int, deviation: float, rows_of_person: int, n_levels: int) -> float:
    """Return half of the widest interval that the accuracy may have; of public numbers alone."""
    n_cells = n_classes * n_levels * (n_classes if n_classes > 2 else 1)
    right = n_cells / n_classes
    noise = deviation**2 * right * (1 - right / n_cells)
    return WIDTH_OF_INTERVAL * sqrt(rows_of_person * n_rows / 4 + noise) / n_rows
