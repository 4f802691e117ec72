"""Composition theorems: basic and advanced. Proofs: ``proofs/privacy/composition.md``."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import expm1, log, sqrt

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting, failure_probability, nonnegative
from tacit.privacy.rounding import slightly_up, up


def basic_composition(losses: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the (epsilon, delta) of several releases: the sums. Dwork and Roth (2014), Theorem 3.16."""
    epsilon, delta = Fraction(0), Fraction(0)
    for one_epsilon, one_delta in losses:
        epsilon += Fraction(nonnegative("epsilon", one_epsilon))
        delta += Fraction(failure_probability("delta", one_delta))
    return up(epsilon), min(1.0, up(delta))


def advanced_composition(epsilon: float, rounds: int, slack: float, delta: float = 0.0) -> tuple[float, float]:
    """Return the (epsilon, delta) of k releases of equal loss for an extra failure probability d' = slack.

    epsilon sqrt(2 k ln(1/d')) + k epsilon (exp(epsilon) - 1) and k delta + d': Dwork, Rothblum and Vadhan
    (2010), Theorem III.3. Published analyses use it; the accountant composes in zCDP instead.
    """
    epsilon, rounds = nonnegative("epsilon", epsilon), counting("rounds", rounds)
    delta, slack = failure_probability("delta", delta), failure_probability("slack", slack)
    if slack == 0:
        raise ParameterError(f"Expected a slack above zero, got slack={slack!r}. Use basic_composition for none.")
    total = epsilon * sqrt(-2 * rounds * log(slack)) + rounds * epsilon * expm1(epsilon)
    # The sum of deltas is exact; the root, logarithm and exponential are covered by a margin.
    return slightly_up(total), min(1.0, up(rounds * Fraction(delta) + Fraction(slack)))
