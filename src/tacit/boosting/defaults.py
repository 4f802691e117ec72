"""Rounds, density and learning rate without tuning: from public numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from tacit.privacy.parameters import counting, positive

FEWEST_ROUNDS, MOST_ROUNDS = 3, 99
LEARNING_RATES = {"one-rule": 0.45, "tree": 0.8}
LEAST_DENSITIES, MOST_DENSITY = {"one-rule": 0.3, "tree": 0.4}, 0.5


@dataclass(frozen=True)
class Smoothness:
    """Rounds, density and learning rate of one run."""

    rounds: int
    density: float
    learning_rate: float


def smoothness(n_rows: int, epsilon: float, n_literals: int, cost: float = 1.0) -> Smoothness:
    """Return defaults for a run that may spend a pure epsilon.

    With strength s = n epsilon / ln(number of rules), a round's selection among the rules loses about
    2 rounds / (density s) of weighted error. Rounds are s^0.6 / 4, at least 3 and at most 99, made odd against ties;
    the density falls from 0.5 to 0.3 as s grows from 100 to 1200. The selections that a tree costs divide s by their
    square for the rounds; its density stays above 0.4, its rate is higher. Fitted to drawn tables of 7,000 to 53,000
    rows (``tacit.study.drawn``), from tables B.1 to B.3 of Salamatian (2021) on, which are public; not to a test set.

    Parameters
    ----------
    n_rows : int
    epsilon : float
    n_literals : int
    cost : float
        Selections that one vote costs: 1 for a one-rule, more for a tree.

    Examples
    --------
    >>> smoothness(30_000, 1.0, 250).rounds, smoothness(30_000, 1.0, 250, cost=3.0).rounds
    (41, 11)
    """
    strength = positive("epsilon", epsilon) * counting("n_rows", n_rows) / log(2 * n_literals + 2)
    rounds = min(max((strength / positive("cost", cost) ** 2) ** 0.6 / 4, FEWEST_ROUNDS), MOST_ROUNDS)
    kind = "tree" if cost > 1 else "one-rule"
    density = min(max(MOST_DENSITY - 0.08 * log(strength / 100), LEAST_DENSITIES[kind]), MOST_DENSITY)
    return Smoothness(2 * (int(rounds) // 2) + 1, density, LEARNING_RATES[kind])
