"""Rounds, density and learning rate without tuning: from public numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from tacit.privacy.parameters import counting, positive
from tacit.rules.boosting import (
    FALL_OF_DENSITY,
    LEARNING_RATE,
    MAX_DENSITY,
    MAX_ROUNDS,
    MIN_DENSITY,
    MIN_START,
    POWER_OF_ROUNDS,
    STRENGTH_OF_A_ROUND,
    STRENGTH_OF_FALL,
)

MAX_VOTES, MIN_LONG_ROUNDS = 50_000_000, 49
"""Rows times rounds of one-rules, which bound a fit's time, and how few rounds that may lead to: 99 up to 500,000 rows,
49 from a little above a million on. Half of the rounds cost some tenths of a point (``benchmarks/lazybb_long.py``)."""

MAX_START = 8.0
"""Share of a public start's log-odds that its margin, which is kept in few bits, has room for."""


@dataclass(frozen=True)
class Smoothness:
    """Rounds, density and learning rate of one run, and how much a public start counts beside its votes."""

    rounds: int
    density: float
    learning_rate: float
    start: float


def smoothness(n_rows: int, epsilon: float, n_literals: int, splits: int = 0) -> Smoothness:
    """Return defaults for a run that may spend a pure epsilon.

    With strength s = n epsilon / ln(number of rules), a round's selection among the rules loses about
    2 rounds / (density s) of weighted error. Rounds of one-rules are s^0.6 / 4; the density falls from 0.5 to 0.3 as s
    grows from 100 to 1200; the rate is 0.5. A tree takes twice its splits as much of s. Rounds are at most 99, those of
    one-rules at most 50 million by rows but 49 in any case, made odd against ties. A public start's margin counts a
    quarter of its log-odds, and more where s is below 400, up to eight times: votes drawn from noise must not overturn
    it.

    Fitted to synthetic tables (``drawn``) and, for trees, to public ones from 600 to 60,000 rows, from
    tables B.1 to B.3 of Salamatian (2021) on, which are public; not to a test set of theirs.

    Parameters
    ----------
    splits : int
        Of a tree; 0 for a one-rule.
    """
    strength = positive("epsilon", epsilon) * counting("n_rows", n_rows) / log(2 * n_literals + 2)
    # A tree's selections and leaves take so many times what a one-rule takes.
    times = 2 * splits if splits else 1
    rounds, most_from = strength**POWER_OF_ROUNDS / STRENGTH_OF_A_ROUND / times, STRENGTH_OF_FALL * times
    density = min(max(MAX_DENSITY - FALL_OF_DENSITY * log(strength / most_from), MIN_DENSITY), MAX_DENSITY)
    start = min(max(STRENGTH_OF_FALL / strength, MIN_START), MAX_START)
    # Odd, as an even number of votes can tie.
    most = MAX_ROUNDS if splits else min(max(MAX_VOTES / n_rows, MIN_LONG_ROUNDS), MAX_ROUNDS)
    return Smoothness(2 * (int(min(max(rounds, 1), most)) // 2) + 1, density, LEARNING_RATE, start)
