"""What answers with noise say of independent normal numbers behind them: means, variances, and what noise does.

Answers are a matrix times the numbers, plus noise. It is written out, or a diagonal and a few products.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from tacit.learners.linear.low_rank import LowRank, LowRankFactors

Floats = NDArray[np.float64]


@dataclass(eq=False)
class DensePosterior:
    """Of a matrix written out.

    Parameters
    ----------
    shaped : array of shape (n, n)
    explained : array of shape (n, n)
        Covariance of the answers; it is overwritten.
    """

    shaped: Floats
    explained: Floats = field(repr=False)

    @cached_property
    def _factor(self) -> Any:
        return cho_factor(self.explained, overwrite_a=True)

    def numbers(self, answers: Floats) -> Floats:
        """Return the expected numbers, shape (n, n_outputs)."""
        return np.asarray(self.shaped.T @ cho_solve(self._factor, answers))

    def squares(self, answers: Floats) -> Floats:
        """Return the expected squares of the numbers, shape (n, n_outputs)."""
        solved = self._solved
        # A square's mean is the mean's square and the variance; rounding may leave a variance below zero.
        mean, doubt = solved.T @ answers, 1 - (self.shaped * solved).sum(axis=0)
        return np.asarray(mean**2 + np.maximum(doubt, 0.0)[:, None])

    def gain(self) -> Floats:
        """Return what answers are multiplied by for the expected numbers."""
        return np.asarray(self._solved.T)

    @property
    def _solved(self) -> Floats:
        return np.asarray(cho_solve(self._factor, self.shaped))


@dataclass(eq=False)
class LowRankPosterior:
    """Of a diagonal and a few products.

    Parameters
    ----------
    shaped : LowRank of shape (n, n)
    explained : LowRankFactors
        Covariance of the answers.
    """

    shaped: LowRank
    explained: LowRankFactors

    def numbers(self, answers: Floats) -> Floats:
        """Return the expected numbers, shape (n, n_outputs)."""
        return self.shaped.T @ self.explained.solve(answers)

    def squares(self, answers: Floats) -> Floats:
        """Return the expected squares of the numbers, shape (n, n_outputs)."""
        doubt = 1 - self.gain().times(self.shaped).all_diagonal()
        return np.asarray(self.numbers(answers) ** 2 + np.maximum(doubt, 0.0)[:, None])

    def gain(self) -> LowRank:
        """Return what answers are multiplied by for the expected numbers."""
        return self.shaped.T.times(self.explained.inverse())
