"""How much a noisy selection loses, with what probability: Salamatian (2021), Theorems 2.6.4, 2.7.3 and 2.7.4.

eta is the inverse of a selection's noise scale, as a ledger line states it; ``selection_rate`` finds it beforehand.
"""

from __future__ import annotations

from math import log

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting, positive


def selection_rate(epsilon: float, score_range: float) -> float:
    """Return eta = epsilon / range of a pure selection.

    A one-rule under weights of the given density has range 2/(density n).

    Examples
    --------
    >>> selection_rate(0.01, 2 / (0.5 * 10_000))
    25.0
    """
    return positive("epsilon", epsilon) / positive("score_range", score_range)


def exponential_shortfall(n_candidates: int, eta: float, failure: float) -> float:
    """Return ln(candidates/failure)/eta: the weighted exponential mechanism's score is that close to the best.

    Holds with probability at least 1 - failure (Theorem 2.6.4), for permute-and-flip too, which is never worse.

    Examples
    --------
    >>> round(exponential_shortfall(100, 200.0, 0.05), 4)
    0.038
    """
    return log(counting("n_candidates", n_candidates) / _failure(failure)) / positive("eta", eta)


def noisy_max_shortfall(n_candidates: int, eta: float, failure: float) -> float:
    """Return 2 ln(candidates/failure)/eta, the same for the weighted noisy max with Laplace noise.

    All |noise| are at most half of it with probability 1 - failure (union bound); the thesis states no bound.
    """
    return 2 * exponential_shortfall(n_candidates, eta, failure)


def one_rule_error(best_error: float, n_candidates: int, eta: float, failure: float) -> float:
    """Return a bound on the error of a private one-rule: best + ln(candidates/failure)/eta (Theorem 2.7.3).

    Examples
    --------
    >>> round(one_rule_error(0.25, 100, 200.0, 0.05), 4)
    0.288
    """
    return best_error + exponential_shortfall(n_candidates, eta, failure)


def one_rule_advantage(advantage: float, n_candidates: int, eta: float, failure: float) -> float:
    """Return the advantage that a private one-rule keeps: less ln(candidates/failure)/eta (Theorem 2.7.4).

    Below zero the theorem promises nothing: raise epsilon or density, or make fewer rounds.

    Examples
    --------
    >>> round(one_rule_advantage(0.1, 100, 200.0, 0.05), 4)
    0.062
    """
    return advantage - exponential_shortfall(n_candidates, eta, failure)


def _failure(failure: float) -> float:
    if 0 < positive("failure", failure) < 1:
        return failure
    raise ParameterError(f"Expected a failure probability between 0 and 1, got failure={failure!r}. Choose 0.05, say.")
