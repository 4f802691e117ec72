"""How sure an expectation is: how far off expectations were in like settings, their whole source left out."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tacit.study.advice.expectation import Expectation, expected_without_own
from tacit.study.advice.likeness import shares
from tacit.study.advice.past_studies import PastStudies

COVERAGE = 0.8
"""How often an interval should hold what then happens."""

REACH = 2.0
"""How much farther settings count here than for the expectation: the ends of a distribution take more of them."""


def intervals(past: PastStudies, expectation: Expectation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of every learner's interval, each of shape (n_asked, n_learners).

    The learner that is chosen because little loss is expected of it tends to lose more than expected: its interval
    comes from how far off the chosen ones were, whichever they were.
    """
    errors, chosen = leave_one_out_errors(past)
    weights = shares(expectation.distances / REACH**2, past.sources)
    low, high = (np.empty_like(expectation.loss) for _ in range(2))
    for at, (own, best) in enumerate(zip(weights, expectation.best, strict=True)):
        for learner in range(errors.shape[1]):
            off = chosen if learner == best else errors[:, learner]
            tail = (1 - COVERAGE) / 2
            low[at, learner] = min(-quantile(-off, own, 1 - tail), 0.0)
            high[at, learner] = max(quantile(off, own, 1 - tail), 0.0)
    return expectation.loss + low, expectation.loss + high


@lru_cache(maxsize=2)
def leave_one_out_errors(past: PastStudies) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return loss minus expected loss in each past setting, expected from other sources alone.

    Returns
    -------
    errors : array of shape (n_settings, n_learners)
    chosen : array of shape (n_settings,)
        Of the learner that would have been advised.
    """
    expectation = expected_without_own(past)
    errors = past.losses - expectation.loss
    return errors, errors[np.arange(len(errors)), expectation.best]


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
