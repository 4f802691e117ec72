"""Releases of which the last are Gaussian: these are counted by their exact distribution, and so have less noise.

Proof: ``proofs/privacy/gaussians_last.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, inf, log1p, sqrt

from scipy.special import log_ndtr

from tacit.privacy.bisection import bisected
from tacit.privacy.conversions import zcdp_delta, zcdp_epsilon, zcdp_rho
from tacit.privacy.parameters import nonnegative

MIN_EPSILON, MIN_DELTA = 1e-3, 1e-15
"""Below, the two terms of a Gaussian's delta are so close that their rounding is more than ``_RAISED`` covers."""

SMOOTHING = 2.0
"""A discrete Gaussian of variance s^2 is a rounded continuous one of variance s^2 - 4, up to a factor 1 + 10^-33."""

_RAISED = 1 + 2.0**-16
_BISECTIONS = 60
_ROUNDED = 2.0**-50
"""Of the logarithms of the two terms: a smaller difference is nothing but rounding."""


def is_exact(epsilon: float, delta: float) -> bool:
    """Return whether Gaussian noise that comes last may be counted by its exact distribution at this budget."""
    return epsilon >= MIN_EPSILON and delta >= MIN_DELTA


def delta_of(before: float, gaussian: float, epsilon: float) -> float:
    """Return a delta at epsilon of releases of rho ``before``, and then Gaussian ones of rho ``gaussian``, rounded up.

    With h(x) the delta of the Gaussian releases at epsilon - x, and b the slope of log h at x, it is
    h(x) exp(b ((b + 1) rho - x)) at the x where that is least. Without releases before, x = 0: Balle and Wang (2018),
    Theorem 5; without Gaussian ones ``zcdp_delta``.

    Raises ParameterError if a rho is negative.
    """
    before, gaussian = nonnegative("before", before), nonnegative("gaussian", gaussian)
    if gaussian == 0:
        return zcdp_delta(before, epsilon)
    deviation = sqrt(2 * gaussian)
    at = 0.0
    if before > 0:
        # The slope falls with x, so this sign changes once; any x gives a valid delta.
        at = _root(lambda x: x - (2 * _slope(epsilon - x, deviation) + 1) * before, 0.0, epsilon)
    slope = _slope(epsilon - at, deviation) if before > 0 else 0.0
    found = _log_delta(epsilon - at, deviation) + slope * ((slope + 1) * before - at)
    # What follows from rho alone holds as well.
    return min(zcdp_delta(before + gaussian, epsilon), exp(min(0.0, found)) * _RAISED)


@lru_cache(maxsize=256)
def rho_of(epsilon: float, delta: float, share: float) -> float:
    """Return the largest rho of which the last ``share`` may be Gaussian within (epsilon, delta), rounded down.

    That of ``zcdp_rho`` where the budget has no exact distribution (``is_exact``).

    Examples
    --------
    >>> [round(rho_of(0.1, 1e-5, share) / rho_of(0.1, 1e-5, 0.0), 2) for share in (0.5, 0.9, 1.0)]
    [1.16, 1.21, 1.22]
    """
    low = zcdp_rho(epsilon, delta)
    if share == 0 or not is_exact(epsilon, delta):
        return low
    high = 2 * low

    def is_beyond(rho: float) -> bool:
        return delta_of((1 - share) * rho, share * rho, epsilon) > delta

    while not is_beyond(high):
        high *= 2
    return bisected(is_beyond, low, high, _BISECTIONS)[0]


def epsilon_of(before: float, gaussian: float, delta: float) -> float:
    """Return an epsilon at delta of releases of rho ``before``, and then Gaussian ones, rounded up."""
    high = zcdp_epsilon(before + gaussian, delta)
    low = MIN_EPSILON
    if delta < MIN_DELTA or high <= low:
        return high
    return bisected(lambda epsilon: delta_of(before, gaussian, epsilon) <= delta, low, high, _BISECTIONS)[1]


def _terms(epsilon: float, deviation: float) -> tuple[float, float]:
    """Return the logarithms of Phi(m/2 - epsilon/m) and exp(epsilon) Phi(-m/2 - epsilon/m)."""
    above = float(log_ndtr(deviation / 2 - epsilon / deviation))
    return above, min(above, epsilon + float(log_ndtr(-deviation / 2 - epsilon / deviation)))


def _log_delta(epsilon: float, deviation: float) -> float:
    above, below = _terms(epsilon, deviation)
    # Where rounding hides the difference, the first term bounds it.
    return above + log1p(-exp(below - above)) if below < above - _ROUNDED else above


def _slope(epsilon: float, deviation: float) -> float:
    """Return the derivative of log delta by minus epsilon: the second term over the difference.

    Infinite where rounding hides the difference: so little noise that the least bound is not there.
    """
    above, below = _terms(epsilon, deviation)
    ratio = exp(below - above)
    return ratio / (1 - ratio) if below < above - _ROUNDED else inf


def _root(increasing: Callable[[float], float], low: float, high: float) -> float:
    return bisected(lambda at: increasing(at) > 0, low, high, _BISECTIONS)[0]
