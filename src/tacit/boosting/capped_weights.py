"""Weight update of BRC: weights within [1/c1, c2], on a public logarithmic grid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.privacy.parameters import Number

CAP = Number(1, 1e6, "The paper has sqrt(2).")

GRID_STEPS = 512
"""Steps of the logarithmic grid between 1/c1 and c2."""


@dataclass(frozen=True)
class CappedWeights:
    """Update of a row's weight: times exp(alpha) for a mistake, unless that leaves [1/c1, c2].

    A weight is exp(step * level). Released coefficients alpha are public, so rounding them to the grid costs
    nothing; in return a row's weight is an integer level, rows are counted by level, and counts are exact.

    Shen, Krishnaswamy, Kulkarni and Munagala (2022), Algorithm 2, steps 13 to 18. Proof that a row's weight follows
    from that row and from released values alone: ``proofs/boosting/capped_weights.md``.
    """

    c1: float
    c2: float
    """Caps of the weights, at least 1."""

    def __post_init__(self) -> None:
        CAP.check("c1", self.c1)
        CAP.check("c2", self.c2)

    @cached_property
    def step(self) -> float:
        """Step of the grid, in nats; of no matter where both caps are 1 and weights never move."""
        return max(float(np.log(self.c1) + np.log(self.c2)), 1e-9) / GRID_STEPS

    @cached_property
    def _levels_below(self) -> int:
        levels = int(np.log(self.c1) / self.step)
        # Rounding of log and exp may put the last level just outside of the cap, on which the sensitivity leans.
        while np.exp(-self.step * levels) < 1 / self.c1:
            levels -= 1
        return levels

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each level, ascending, all within [1/c1, c2]."""
        above = int(np.log(self.c2) / self.step)
        while np.exp(self.step * above) > self.c2:
            above -= 1
        return np.asarray(np.exp(self.step * np.arange(-self._levels_below, above + 1)))

    @property
    def start(self) -> int:
        """The level of weight 1."""
        return self._levels_below

    def after_mistake(self, alpha: float) -> NDArray[np.int64]:
        """Return the level that follows each level when a classifier of coefficient alpha was wrong.

        Steps 14 to 18: the weight times exp(alpha), unless that leaves [1/c1, c2]; then the weight is kept.
        """
        levels = np.arange(len(self.weights))
        # Twice the whole grid leads out of it from any level: larger coefficients need no larger integers.
        moved = levels + int(np.rint(np.clip(alpha / self.step, -2 * GRID_STEPS, 2 * GRID_STEPS)))
        inside = (moved >= 0) & (moved < len(levels))
        return np.where(inside, moved, levels)
