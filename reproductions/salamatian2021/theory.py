"""Accuracy theorems of private selections and LazyBB: Salamatian (2021).

Theorems 2.6.4, 2.7.3 and 2.7.4, of one selection; Theorem 3.0.1 and Corollary 4.1.1, of boosting with them. eta is the
inverse of a selection's noise scale, as its release states it; ``selection_rate`` finds it beforehand.
"""

from __future__ import annotations

from math import ceil, log

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting, positive


def selection_rate(epsilon: float, score_range: float) -> float:
    """Return eta = epsilon / range of a pure selection.

    A one-rule under weights of the given density has range 2/(density n).
    """
    return positive("epsilon", epsilon) / positive("score_range", score_range)


def exponential_shortfall(n_candidates: int, eta: float, failure: float) -> float:
    """Return ln(candidates/failure)/eta: the weighted exponential mechanism's score is that close to the best.

    Holds with probability at least 1 - failure (Theorem 2.6.4), for permute-and-flip too, which is never worse.
    """
    return log(counting("n_candidates", n_candidates) / _failure(failure)) / positive("eta", eta)


def noisy_max_shortfall(n_candidates: int, eta: float, failure: float) -> float:
    """Return 2 ln(candidates/failure)/eta, the same for the weighted noisy max with Laplace noise.

    All |noise| are at most half of it with probability 1 - failure (union bound); the thesis states no bound.
    """
    return 2 * exponential_shortfall(n_candidates, eta, failure)


def one_rule_error(best_error: float, n_candidates: int, eta: float, failure: float) -> float:
    """Return a bound on the error of a private one-rule: best + ln(candidates/failure)/eta (Theorem 2.7.3)."""
    return best_error + exponential_shortfall(n_candidates, eta, failure)


def one_rule_advantage(advantage: float, n_candidates: int, eta: float, failure: float) -> float:
    """Return the advantage that a private one-rule keeps: less ln(candidates/failure)/eta (Theorem 2.7.4).

    Below zero the theorem promises nothing: raise epsilon or density, or make fewer rounds.
    """
    return advantage - exponential_shortfall(n_candidates, eta, failure)


def rounds_needed(density: float, advantage: float) -> int:
    """Return the rounds after which all but ``density`` of the rows have margin ``advantage``.

    At least 16 ln(1/density) / advantage^2, at learning rate advantage/4 (Theorem 3.0.1), if each round's rule is
    right on at least half plus advantage of the weight. Far more than practice needs.
    """
    density, advantage = positive("density", density), positive("advantage", advantage)
    if density > 1 or advantage > 0.5:
        raise ParameterError("Expected a density of at most 1 and an advantage of at most 1/2. Choose smaller ones.")
    return max(1, ceil(16 * log(1 / density) / advantage**2))


def one_rule_rate(epsilon: float, density: float, n_rows: int, rounds: int) -> float:
    """Return eta of each round's selection under a pure budget: epsilon density n / (2 rounds).

    The thesis has half of it (Corollary 4.1.1), as it charges 4 eta zeta for what costs 2 eta zeta.
    """
    return positive("epsilon", epsilon) * positive("density", density) * counting("n_rows", n_rows) / (2 * rounds)


def kept_advantage(
    advantage: float, n_literals: int, *, epsilon: float, density: float, n_rows: int, rounds: int, failure: float
) -> float:
    """Return the advantage that every round keeps with probability 1 - failure (Theorems 2.7.4 and 3.0.1)."""
    eta = one_rule_rate(epsilon, density, n_rows, rounds)
    return one_rule_advantage(advantage, 2 * n_literals + 2, eta, failure / rounds)


def _failure(failure: float) -> float:
    if 0 < positive("failure", failure) < 1:
        return failure
    raise ParameterError(f"Expected a failure probability between 0 and 1, got failure={failure!r}. Choose 0.05, say.")
