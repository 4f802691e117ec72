"""How steep draws show a stated log ratio to be: below one with too much noise, above one with too little.

Of a draw on one of two tables, which a fair coin chose, the log odds of the coin are the log ratio L of the
distributions' densities at the draw. If the distributions are those stated, the coin's probability is ``expit(L)``;
with half of Laplace's noise it is ``expit(2 L)``. A steepness s is refuted by betting on steeper ones: the product over
all draws of what ``expit(f s L)`` gives the coin over what ``expit(s L)`` gives is an e-process, which is ever as large
as 1/error with probability ``error`` at most (Ville 1939). Proof: ``proofs/audit/sampling.md``, Redraws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

_STEP = 1.05
_FIRST_POWER, _LAST_POWER = -60, 30
"""Exponents of the steepnesses that are tested: from 0.054 to 4.3, one among them."""

_BETS = (2, 5, 9, 15, 29)
"""Exponents of the factors f, from 1.1 to 4.1; the stake is divided evenly."""

_GRID = _STEP ** np.arange(_FIRST_POWER, _LAST_POWER + _BETS[-1] + 1)


class Steepness:
    """What draws say of the steepness, and may say at any time: looking often costs no confidence.

    Parameters
    ----------
    error : float
        With which any of the bounds is too large.

    Examples
    --------
    >>> found = Steepness(0.05)
    >>> found.see(np.full(300, 2.0), np.arange(300) < 270)
    >>> round(found.bound, 2)
    0.82
    """

    def __init__(self, error: float) -> None:
        self._error = error
        self._log_likelihood = np.zeros(len(_GRID))
        self.bound = 0.0
        self.draws = 0

    def see(self, ratios: NDArray[np.float64], sides: NDArray[np.bool_]) -> None:
        """Take draws: their stated log ratios, of side one over side zero, and whether they are of side one."""
        signed = np.where(sides, ratios, -ratios)
        self._log_likelihood += log_expit(np.multiply.outer(_GRID, signed)).sum(axis=1)
        self.draws += len(signed)
        tested = _LAST_POWER - _FIRST_POWER + 1
        gains = np.stack([self._log_likelihood[bet : bet + tested] for bet in _BETS]) - self._log_likelihood[:tested]
        wealth = np.logaddexp.reduce(gains, axis=0) - np.log(len(_BETS))
        refuted = int(np.argmin(np.append(wealth >= -np.log(self._error), False)))
        if refuted:
            self.bound = max(self.bound, float(_GRID[refuted - 1]))


def information(ratios: NDArray[np.float64]) -> float:
    """Return how much a draw of such ratios says, on average, if they are twice as steep as stated.

    Examples
    --------
    >>> information(np.zeros(3)), round(information(np.asarray([-2.0, 2.0])), 3)
    (0.0, 0.073)
    """
    size = np.abs(ratios)
    gains = expit(2 * size) * (log_expit(2 * size) - log_expit(size))
    return float(np.mean(gains + expit(-2 * size) * (log_expit(-2 * size) - log_expit(-size))))
