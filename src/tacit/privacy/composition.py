"""How losses add up. Proofs: ``proofs/privacy/composition.md``."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import expm1, log, sqrt

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting, failure_probability, nonnegative
from tacit.privacy.rounding import down, slightly_up, up


def basic_composition(losses: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the (epsilon, delta) of several releases: the sums. Dwork and Roth (2014), Theorem 3.16.

    Examples
    --------
    >>> basic_composition([(0.5, 0.0), (0.25, 1e-6)])
    (0.75, 1e-06)
    """
    epsilon, delta = Fraction(0), Fraction(0)
    for one_epsilon, one_delta in losses:
        epsilon += Fraction(nonnegative("epsilon", one_epsilon))
        delta += Fraction(failure_probability("delta", one_delta))
    return up(epsilon), min(1.0, up(delta))


def advanced_composition(epsilon: float, rounds: int, slack: float, delta: float = 0.0) -> tuple[float, float]:
    """Return the (epsilon, delta) of k releases of equal loss for an extra failure probability d' = slack.

    epsilon sqrt(2 k ln(1/d')) + k epsilon (exp(epsilon) - 1) and k delta + d': Dwork, Rothblum and Vadhan
    (2010), Theorem III.3. Published analyses use it; the accountant composes in zCDP instead.

    Examples
    --------
    >>> round(advanced_composition(0.1, 10, 1e-6)[0], 4)
    1.7674
    """
    epsilon, rounds = nonnegative("epsilon", epsilon), counting("rounds", rounds)
    delta, slack = failure_probability("delta", delta), failure_probability("slack", slack)
    if slack == 0:
        raise ParameterError(f"Expected a slack above zero, got slack={slack!r}. Use basic_composition for none.")
    total = epsilon * sqrt(-2 * rounds * log(slack)) + rounds * epsilon * expm1(epsilon)
    return slightly_up(total), min(1.0, up(rounds * Fraction(delta) + Fraction(slack)))


def epsilon_of_each(epsilon: float, delta: float, rounds: int) -> float:
    """Return the pure epsilon that each of some releases may have so that all are (epsilon, delta)-DP together.

    By basic or advanced composition, whichever allows more: Salamatian (2021), Theorem 2.5.3. For studies of
    published analyses; rounded down.

    Examples
    --------
    >>> epsilon_of_each(1.0, 1e-5, 4)  # few rounds: a fourth
    0.25
    >>> round(epsilon_of_each(1.0, 1e-5, 99), 4)  # many rounds: more than a ninety-ninth
    0.0201
    """
    basic = down(Fraction(nonnegative("epsilon", epsilon)) / counting("rounds", rounds))
    if failure_probability("delta", delta) == 0:
        return basic
    low, high = 0.0, epsilon
    for _ in range(60):
        middle = (low + high) / 2
        within = advanced_composition(middle, rounds, delta)[0] <= epsilon
        low, high = (middle, high) if within else (low, middle)
    return max(basic, low)
