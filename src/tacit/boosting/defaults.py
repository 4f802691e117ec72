"""Rounds, density and learning rate without tuning: from public numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from tacit.privacy.parameters import counting, positive

MOST_ROUNDS = 99
DENSITY, LEARNING_RATE = 0.4, 0.45


@dataclass(frozen=True)
class Smoothness:
    """Rounds, density and learning rate of one run."""

    rounds: int
    density: float
    learning_rate: float


def smoothness(n_rows: int, epsilon: float, n_literals: int) -> Smoothness:
    """Return defaults for a run that may spend a pure epsilon.

    A round's selection among L rules, spending epsilon/T at range 2/(density n), loses about
    2 T ln(L) / (density n epsilon) in weighted error. Rounds are worth it until that is felt.

    Examples
    --------
    >>> smoothness(30_000, 1.0, 500).rounds
    39
    """
    strength = positive("epsilon", epsilon) * counting("n_rows", n_rows) / log(2 * n_literals + 2)
    rounds = min(max(0.06 * strength**0.75, 5), MOST_ROUNDS)
    return Smoothness(2 * (int(rounds) // 2) + 1, DENSITY, LEARNING_RATE)
