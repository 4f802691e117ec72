"""Conversions between pure DP, zCDP and (epsilon, delta)-DP, and composition, one function a theorem, rounded safely.

rho is the parameter of zero-concentrated differential privacy (zCDP, Bun and Steinke 2016): the Rényi
divergence of order a between neighbors' outputs is at most a * rho for every a > 1. Proofs:
``proofs/privacy/conversions.md``, ``proofs/privacy/bounded_range.md`` and ``proofs/privacy/composition.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from math import exp, log, log1p, sqrt, tanh

from tacit.errors import ParameterError
from tacit.privacy.bisection import bisected
from tacit.privacy.parameters import failure_probability, nonnegative, positive
from tacit.privacy.rounding import slightly_up, up

_BISECTIONS = 64


def pure_to_zcdp(epsilon: float) -> float:
    """Return the rho of any epsilon-DP mechanism: epsilon * tanh(epsilon / 2).

    Attained by randomized response and by the discrete Laplace distribution at shift 1.
    """
    epsilon = nonnegative("epsilon", epsilon)
    return slightly_up(epsilon * tanh(epsilon / 2))


def bounded_range_to_zcdp(epsilon: float) -> float:
    """Return the rho of an epsilon-bounded-range mechanism, such as the exponential one: epsilon^2 / 8.

    Dong, Durfee and Rogers (2020); Cesar and Rogers (2021).
    """
    return up(Fraction(nonnegative("epsilon", epsilon)) ** 2 / 8)


def gaussian_rho(l2: float, deviation: float) -> float:
    """Return the rho of Gaussian noise, l2^2 / (2 deviation^2), continuous or discrete.

    Bun and Steinke (2016), Proposition 1.6; Canonne, Kamath and Steinke (2020), Theorem 4.
    """
    return up((Fraction(nonnegative("l2", l2)) / Fraction(positive("deviation", deviation))) ** 2 / 2)


def zcdp_delta(rho: float, epsilon: float) -> float:
    """Return a delta for which rho-zCDP implies (epsilon, delta)-DP, rounded up.

    The least over orders a > 1 of exp((a-1)(a rho - epsilon)) / (a-1) * (1 - 1/a)^a. Canonne, Kamath and
    Steinke (2020), Corollary 13.
    """
    rho, epsilon = nonnegative("rho", rho), nonnegative("epsilon", epsilon)
    if rho == 0:
        return 0.0
    # The derivative of log delta in a, (2a-1) rho - epsilon + log(1 - 1/a), increases: one root; b = a - 1.
    # Any order gives a valid delta: a root that is off costs tightness and no privacy.
    order = _root(lambda b: (2 * b + 1) * rho - epsilon - log1p(1 / b))
    return min(1.0, exp(min(0.0, _log_delta(order, rho, epsilon))))


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Return an epsilon for which rho-zCDP implies (epsilon, delta)-DP, rounded up."""
    rho, delta = nonnegative("rho", rho), _positive_probability(delta)
    if zcdp_delta(rho, 0.0) <= delta:
        return 0.0
    # Bun and Steinke (2016), Proposition 1.3, bounds it from above.
    above = slightly_up(rho + 2 * sqrt(rho * -log(delta)))
    return _bisect(lambda epsilon: zcdp_delta(rho, epsilon) <= delta, 0.0, above)[1]


def zcdp_rho(epsilon: float, delta: float) -> float:
    """Return the largest rho that implies (epsilon, delta)-DP, rounded down."""
    return _largest_rho(nonnegative("epsilon", epsilon), _positive_probability(delta))


@lru_cache
def _largest_rho(epsilon: float, delta: float) -> float:
    # Kept, as rules ask for the same budget's several times before the accountant does.
    above = 1.0
    while zcdp_delta(above, epsilon) <= delta:
        above *= 2  # delta grows with rho, so that a bracket is found
    return _bisect(lambda rho: zcdp_delta(rho, epsilon) > delta, 0.0, above)[0]


def _log_delta(b: float, rho: float, epsilon: float) -> float:
    """Return log delta at order 1 + b, raised above its rounding error."""
    terms = b * rho * (1 + b), -b * epsilon, -b * log1p(1 / b), -log1p(b)
    return sum(terms) + 2.0**-48 * (1 + sum(map(abs, terms)))


def _root(increasing: Callable[[float], float]) -> float:
    """Return a positive argument next to which an increasing function changes sign."""
    return exp(bisected(lambda power: increasing(exp(power)) > 0, -700.0, 700.0, _BISECTIONS)[1])


def _bisect(holds: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Narrow [low, high] to a relative width of 2^-45, the condition kept true at high, false at low."""
    while high - low > 2.0**-45 * high:
        middle = (low + high) / 2
        if middle in (low, high):  # neighbors among the least floats, which never come closer
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def _positive_probability(delta: float) -> float:
    if failure_probability("delta", delta) > 0:
        return float(delta)
    raise ParameterError(f"Expected a delta above zero, got delta={delta!r}. Use a pure budget for none.")


def basic_composition(losses: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the (epsilon, delta) of several releases: the sums. Dwork and Roth (2014), Theorem 3.16."""
    epsilon, delta = Fraction(0), Fraction(0)
    for one_epsilon, one_delta in losses:
        epsilon += Fraction(nonnegative("epsilon", one_epsilon))
        delta += Fraction(failure_probability("delta", one_delta))
    return up(epsilon), min(1.0, up(delta))
