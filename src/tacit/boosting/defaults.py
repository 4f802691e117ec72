"""Rounds, density and learning rate without tuning: from public numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from tacit.privacy.parameters import counting, positive

FEWEST_ROUNDS, MOST_ROUNDS = 3, 99
LEARNING_RATE = 0.45


@dataclass(frozen=True)
class Smoothness:
    """Rounds, density and learning rate of one run."""

    rounds: int
    density: float
    learning_rate: float


def smoothness(n_rows: int, epsilon: float, n_literals: int) -> Smoothness:
    """Return defaults for a run that may spend a pure epsilon.

    With strength s = n epsilon / ln(number of rules), a round's selection among the rules loses about
    2 rounds / (density s) of weighted error. Rounds are s^0.6 / 4, at least 3 and at most 99, made odd against ties;
    the density falls from 0.5 to 0.25 as s grows. Fitted by eye to drawn tables of 2,000 to 30,000 rows and to
    tables B.1 to B.3 of Salamatian (2021), which are public; not to any test set.

    Examples
    --------
    >>> smoothness(30_000, 1.0, 250).rounds
    41
    """
    strength = positive("epsilon", epsilon) * counting("n_rows", n_rows) / log(2 * n_literals + 2)
    rounds = min(max(strength**0.6 / 4, FEWEST_ROUNDS), MOST_ROUNDS)
    density = min(max(0.5 - 0.05 * log(strength / 100), 0.25), 0.5)
    return Smoothness(2 * (int(rounds) // 2) + 1, density, LEARNING_RATE)
