"""How far residuals of a number to predict count: noise grows with the clip, and a near clip learns less of the mean.

Noise in predictions is the clip over the share of residuals within it, squared (Huber 1964, with noise in place of
sampling). What is lost is taken to be what an exponential distribution's mean would lose: uneven, as costs are.
"""

from __future__ import annotations

from math import exp, log, sinh
from statistics import NormalDist

from tacit.convex.number_losses import NEAREST, share_within
from tacit.privacy import Budget
from tacit.privacy.conversions import zcdp_rho
from tacit.rules.shared import SURE_DEVIATIONS

_OF_EXPONENTIAL = log(3) / (2 * NormalDist().inv_cdf(3 / 4))
"""Deviation of an exponential distribution of mean 1 as quartiles of a normal one tell it."""


def noise_of_predictions(n_rows: int, n_columns: int, budget: Budget, steps: int) -> float:
    """Return the variance of noise in predictions, over the target's, were residuals clipped at one deviation.

    Of gradients of ``n_columns`` numbers each: Gaussian with a delta, else one vector of K-norm noise a step.
    """
    if budget.delta:
        noise = 1 / (2 * zcdp_rho(budget.epsilon, budget.delta))
    else:
        # A vector of K-norm noise has (d + 1) / epsilon^2 in each number; the mean of all steps has a part of one's.
        noise = (n_columns + 1) * steps / budget.epsilon**2
    # Of features of mean square m rows have the squared length d m, and a changed residual moves twice the clip of
    # that; divided by curvatures n m, d numbers of this variance add up to 4 (d / n)^2 of what is above.
    return 4 * noise * (n_columns / n_rows) ** 2


def best_clip(noise: float) -> float:
    """Return the clip in deviations, at most `SURE_DEVIATIONS`, of the least noise and loss together.

    Examples
    --------
    >>> [round(best_clip(noise), 1) for noise in (10.0, 0.1, 0.01, 0.0)]
    [0.1, 0.6, 1.6, 2.0]
    """

    def error(clip: float) -> float:
        return noise * (clip / share_within(clip)) ** 2 + _lost(clip * _OF_EXPONENTIAL) ** 2

    from scipy.optimize import minimize_scalar  # not for those who predict classes

    return float(minimize_scalar(error, bounds=(NEAREST, SURE_DEVIATIONS), method="bounded").x)


def _lost(clip: float) -> float:
    """Return how far Huber's location of an exponential distribution of mean 1 is below its mean.

    It is where the mean of clipped residuals is zero: 1 - t = exp(-t - clip) for t below the clip, and beyond it
    t = log(2 sinh(clip) / clip).
    """
    # Where the lower end of the clip is above zero, no row is missing there.
    found = log(2 * sinh(clip) / clip)
    if found >= clip:
        return 1 - found
    # Each step divides the distance by at least two, as exp(-t - clip) is below a half there.
    found = 1.0
    for _ in range(50):
        found = 1 - exp(-found - clip)
    return 1 - found
