"""Where trees clip residuals of a number: as near as ranks before them came to nearly all rows.

Noise in a leaf's step is as long as the clip. Where nearly all numbers are is released before anything is learned; what
ranks leave of the numbers is shorter. So before the first tree the sizes of residuals are halved: how far half of the
rows are from what is predicted for them, then half of the others, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from tacit.convex import SquaredLoss
from tacit.cut_points import affordable_levels
from tacit.mechanisms import Releases
from tacit.privacy import Budget, PlanEntry, PrivacyUnit
from tacit.queries.leaf_sums import LeafSums
from tacit.queries.residual_sizes import cells_of_sizes, residual_sizes
from tacit.rules.cut_points import ROWS_PER_SCALE
from tacit.rules.shared import MAX_LEVELS, SURE_DEVIATIONS, TINY_SHARE


@dataclass(frozen=True)
class CloserClip:
    """Settings of the releases.

    Parameters
    ----------
    half : float
        Where half of the numbers are taken to be, in scores: of where choices clip, unless a distance is released.
    halvings : int
        How often rows farther off than the last distance are halved: beyond the last one of 32 is left after five. 0
        where none is released.
    share : float
        Of what ranks leave to trees.
    """

    half: float
    halvings: int = MAX_LEVELS
    share: float = TINY_SHARE

    @classmethod
    def affordable(cls, half: float, n_rows: int, budget: Budget) -> CloserClip:
        """Return settings of as many distances as a twentieth of the budget finds, five at least, or of none.

        Fewer would clip nearer than residuals of skewed numbers allow.

        Examples
        --------
        >>> [CloserClip.affordable(1.0, 10_000, Budget(each, 1e-6)).halvings for each in (0.1, 1.0)]
        [0, 5]
        """
        affordable = partial(
            affordable_levels,
            *(n_rows, budget.epsilon, budget.delta, 1),
            most=n_rows.bit_length(),
            share=TINY_SHARE,
        )
        if affordable() < MAX_LEVELS:
            return cls(half, 0)
        # More where they are surely found: without noise nothing may be clipped, or means would be those of the rest.
        surely = affordable(rows_per_scale=ROWS_PER_SCALE * SURE_DEVIATIONS**2)
        return cls(half, max(surely, MAX_LEVELS))

    def plan(self, unit: PrivacyUnit, others: Sequence[PlanEntry]) -> list[PlanEntry]:
        """Return the selections, which share a part of what the trees' releases have."""
        if unit.protects_nothing or not (others and self.halvings):
            return []
        # Weights are relative: of selections and trees together, selections have the share.
        rest = sum(release.weight * release.count for release in others)
        weight = rest * self.share / (1 - self.share) / self.halvings
        return [PlanEntry("selection", weight=weight, count=self.halvings)]

    def released(self, sums: LeafSums, loss: SquaredLoss, releases: Releases) -> tuple[SquaredLoss, SquaredLoss]:
        """Return losses whose residuals are clipped at the farthest distance, and at that of half of the rows.

        Neither is farther than the clip was. The first one is for steps, whose means shall be those of nearly all rows.
        The other is for choices among tests, which only have to find the best, and hear more of most rows so. Where no
        distance is released, steps are clipped where they were, and choices where half of the numbers are taken to be.

        Privacy: releases one cell for each halving, of range 4 half rows. Proof: ``proofs/queries/leaf_sums.md``.
        """
        if not self.halvings:
            return loss, _nearer(loss, self.half)
        cells = cells_of_sizes(loss.clip)
        # Each selection halves the rows beyond the last one, so that the edges come nearer to the largest sizes.
        scores, edges = residual_sizes(sums, cells), np.asarray([0, cells.n_cells], dtype=np.int64)
        distances = list[float]()
        for _ in range(self.halvings):
            # All that are left may be in one cell.
            if np.diff(edges)[-1] < 2:
                break
            edges = np.append(releases.cells(scores.statistic(edges[-2:])) + 1, cells.n_cells)
            distances.append(cells.farthest(int(edges[0]) - 1))
        if not distances:
            return loss, _nearer(loss, self.half)
        return SquaredLoss(min(distances[-1], loss.clip)), _nearer(loss, distances[0])


def _nearer(loss: SquaredLoss, half: float) -> SquaredLoss:
    return SquaredLoss(min(half, loss.clip))
