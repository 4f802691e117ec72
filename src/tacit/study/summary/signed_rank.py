"""Wilcoxon's signed-rank test on paired accuracies."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

DIGITS = 12
"""Decimals to which differences are rounded: 0.8 - 0.7 and 0.9 - 0.8 are a tie."""


@dataclass(frozen=True)
class SignedRank:
    """What the test says.

    Attributes
    ----------
    pairs : int
    statistic : float or None
        The smaller of the two rank sums.
    z : float or None
        The statistic less its mean, in deviations, ties counted; at most 0.
    p : float or None
        Two-sided, by the normal approximation. None, as the other two, with fewer than two pairs.
    """

    pairs: int
    statistic: float | None
    z: float | None
    p: float | None


def signed_rank(first: ArrayLike, second: ArrayLike) -> SignedRank:
    """Return Wilcoxon's signed-rank test of paired values: scipy's, with ranks of zeros split and the normal law.

    Parameters
    ----------
    first, second : array-like of shape (n_pairs,)
        Finite. Differences are rounded to twelve decimals, as scipy advises, so that equal ones tie.

    Notes
    -----
    The test of Lopuhaä-Zwakenberg and others (2021), definition 4.1: half of the zeros' ranks go to either sum. Their
    formula (22) divides by the root of N(N+1)(2N+1)/4, where the variance of a rank sum is N(N+1)(2N+1)/24, less what
    ties take off. With their 1/4, at their N = 60 (six tables, ten epsilons) even the most extreme sum, 0, has
    z = -2.75 and a two-sided p of 0.006, so their p = 0.003 cannot come from it; with 1/24 it can.

    The pairs ought to be independent. Splits of one table are not, as they share rows, and neither are the epsilons of
    one split: over these p is too small, and tells an order of learners rather than a chance of error. The p of
    many comparisons are not adjusted for their number.

    Examples
    --------
    >>> signed_rank([0.9, 0.8, 0.7], [0.6, 0.6, 0.6]).statistic
    0.0
    """
    from scipy.stats import wilcoxon

    differences = np.round(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64), DIGITS)
    if len(differences) < 2:
        return SignedRank(len(differences), None, None, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some versions warn of few pairs; their number stands beside the result
        # The normal law; newer versions call it "asymptotic", and know this name too.
        found = wilcoxon(differences, zero_method="zsplit", correction=False, alternative="two-sided", method="approx")
    return SignedRank(len(differences), float(found.statistic), float(found.zstatistic), float(found.pvalue))
