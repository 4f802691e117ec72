"""What the theory of LazyBB promises: Salamatian (2021), Theorem 3.0.1 and Corollary 4.1.1."""

from __future__ import annotations

from math import ceil, log

from tacit.errors import ParameterError
from tacit.mechanisms import one_rule_advantage
from tacit.privacy.parameters import counting, positive


def rounds_needed(density: float, advantage: float) -> int:
    """Return the rounds after which all but ``density`` of the rows have margin ``advantage``.

    At least 16 ln(1/density) / advantage^2, at learning rate advantage/4 (Theorem 3.0.1), if each round's rule is
    right on at least half plus advantage of the weight. Far more than practice needs.

    Examples
    --------
    >>> rounds_needed(0.5, 0.05)
    4437
    """
    density, advantage = positive("density", density), positive("advantage", advantage)
    if density > 1 or advantage > 0.5:
        raise ParameterError("Expected a density of at most 1 and an advantage of at most 1/2. Choose smaller ones.")
    return max(1, ceil(16 * log(1 / density) / advantage**2))


def one_rule_rate(epsilon: float, density: float, n_rows: int, rounds: int) -> float:
    """Return eta of each round's selection under a pure budget: epsilon density n / (2 rounds).

    The thesis has half of it (Corollary 4.1.1), as it charges 4 eta zeta for what costs 2 eta zeta.

    Examples
    --------
    >>> one_rule_rate(1.0, 0.5, 10_000, 25)
    100.0
    """
    return positive("epsilon", epsilon) * positive("density", density) * counting("n_rows", n_rows) / (2 * rounds)


def kept_advantage(
    advantage: float, n_literals: int, *, epsilon: float, density: float, n_rows: int, rounds: int, failure: float
) -> float:
    """Return the advantage that every round keeps with probability 1 - failure (Theorems 2.7.4 and 3.0.1).

    Examples
    --------
    >>> round(kept_advantage(0.2, 200, epsilon=1.0, density=0.5, n_rows=30_000, rounds=9, failure=0.05), 3)
    0.187
    """
    eta = one_rule_rate(epsilon, density, n_rows, rounds)
    return one_rule_advantage(advantage, 2 * n_literals + 2, eta, failure / rounds)
