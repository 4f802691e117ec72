"""How far expectations were off where a whole source was left out: what makes intervals of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tacit.study.advice.expectation import Expectation, expected_without_own
from tacit.study.advice.past_studies import PastStudies

COVERAGE = 0.8
"""How often an interval should hold what then happens."""

LEAST_SPREAD = 0.005
"""Half a point of accuracy: repeats differ by as much where tables agree."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """How many spreads below and above its expectation a loss may lie, for each learner, and for the advised one last.

    Attributes
    ----------
    low, high : array of shape (n_learners + 1,)
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def intervals(self, expectation: Expectation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the ends of every learner's interval, each of shape (n_asked, n_learners); the best has its own.

        The learner that is chosen because little loss is expected of it tends to lose more than expected: its
        interval comes from how far off the chosen ones were.
        """
        rows = np.arange(len(expectation.loss))
        spread = expectation.spread + LEAST_SPREAD
        ends = []
        for factor in (self.low, self.high):
            end = expectation.loss + spread * factor[:-1]
            end[rows, expectation.best] = (expectation.loss + spread * factor[-1])[rows, expectation.best]
            ends.append(end)
        return ends[0], ends[1]


@lru_cache(maxsize=2)
def calibrated(past: PastStudies) -> Calibration:
    """Return the calibration that past studies give by leaving out each source in turn.

    Each score, (loss - expected loss) / spread, is one of a setting whose source was left out; sources count equally.
    The quantiles leave out a tenth at either end, with one source more counted as beyond it.
    """
    expectation = expected_without_own(past)
    scores = (past.losses - expectation.loss) / (expectation.spread + LEAST_SPREAD)
    rows = np.arange(len(scores))
    scores = np.column_stack([scores, scores[rows, expectation.best]])
    names, source, counts = np.unique(past.sources, return_inverse=True, return_counts=True)
    weights = 1.0 / counts[source]
    beyond = (1 - COVERAGE) / 2
    tail = max(beyond - (1 - beyond) / len(names), 0.0)
    columns = scores.T
    return Calibration(
        np.asarray([-quantile(-column, weights, 1 - tail) for column in columns]),
        np.asarray([quantile(column, weights, 1 - tail) for column in columns]),
    )


def quantile(values: NDArray[np.float64], weights: NDArray[np.float64], level: float) -> float:
    """Return the least value that at least this share of the weight does not exceed.

    Examples
    --------
    >>> quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), 0.75)
    2.0
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    at = int(np.searchsorted(reached, level - 1e-12))
    return float(values[order][min(at, len(order) - 1)])
