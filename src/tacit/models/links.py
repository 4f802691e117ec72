"""Probabilities from scores that are no log-odds: a logistic link whose slope is public."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from tacit.schema import Schema
from tacit.table import Rows

FARTHEST = 3.0
"""Log-odds that a link never passes, a probability of 0.95: where all votes deny a rare class, they say no more."""


class Linked:
    """A scorer of two classes whose log-odds are taken to be a constant times its score, bent before ``FARTHEST``.

    The constant is the same for every fit: a middle of those that held-out rows of drawn tables choose, which differ by
    a factor of two either way (``benchmarks/probabilities.py``). So the order of rows is right, and the size of a
    probability a rough one.
    """

    reach: Any
    log_odds_of_one: ClassVar[float]
    """Log-odds of the second class at a score of one."""

    @abstractmethod
    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return scores, shape (n_rows,)."""

    def probabilities(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_rows, 2)."""
        return logistic(FARTHEST * np.tanh(self.log_odds_of_one / FARTHEST * self.scores(rows, schema)))


def linked_together(scores: NDArray[np.float64], scorers: Sequence[Linked]) -> NDArray[np.float64]:
    """Return probabilities of one-vs-rest scorers, (n_rows, n_classes), in the order of their comparable scores.

    Parameters
    ----------
    scores : array of shape (n_rows, n_classes)
        In units of the scorers' reach, where they have one.
    """
    return np.asarray(softmax(slope_together(scorers) * scores, axis=1))


def slope_together(scorers: Sequence[Linked]) -> float:
    """Return what comparable scores are multiplied by: no more than leads to ``FARTHEST`` at the largest."""
    slope = float(np.mean([each.log_odds_of_one * (each.reach or 1.0) for each in scorers]))
    return min(slope, FARTHEST) if any(each.reach for each in scorers) else slope


def logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities of both classes, shape (n_rows, 2), from log-odds of the second."""
    return np.column_stack([expit(-odds), expit(odds)])
