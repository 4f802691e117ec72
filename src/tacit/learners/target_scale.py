"""Where the numbers to predict are and how far they spread: private quantiles, by which regressors scale them.

The median is released first, with the quartiles, and then how far so and so many of the numbers are from it: half,
three quarters, and so on, as long as rows are enough to find the next. There residuals are clipped, so that noise
follows the numbers' spread and not their bounds. Distances are found by halving cells of a fine grid (Kaplan, Schnapp
and Stemmer 2022), as cut points are.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from tacit.convex import LogLoss, LossName, NumberLoss, QuantileLoss, SquaredLoss
from tacit.convex.number_losses import NEAREST, OF_LOGARITHMS
from tacit.cut_points.halving import halved
from tacit.cut_points.quartiles import QUARTILES, counted_posteriors
from tacit.cut_points.rule import affordable_levels
from tacit.features import DistanceEncoding, GridEncoding
from tacit.features.distance_encoding import NEAREST_BITS
from tacit.mechanisms import Releases
from tacit.models.target_scale import TargetScale
from tacit.privacy import Budget, PlanEntry, PrivacyUnit, in_part
from tacit.privacy.conversions import zcdp_rho
from tacit.queries.leaf_sums import STEPS, residual_sum
from tacit.queries.target_cells import TargetPlaces, plan_target_places, target_cells
from tacit.rules.cut_points import ROUNDS, ROWS_PER_SCALE
from tacit.rules.shared import SMALL_SHARE, SURE_DEVIATIONS, TINY_SHARE
from tacit.schema import Label, Schema, Target
from tacit.sensitivities.leaf_sums import Moves
from tacit.table import Table

NORMAL = tuple(NormalDist().inv_cdf(share) for share in (3 / 4, 7 / 8))
"""How many standard deviations from the middle half of a normal distribution is at most, and three quarters."""


Start = tuple[float, float]
"""A quantile, and the number at which its scores begin."""


@dataclass(frozen=True)
class TargetScaling:
    """Settings of the releases.

    Parameters
    ----------
    target : Target
    halvings : int
        How often the numbers that are farther from the median than the last distance are halved; 1 where rows are few:
        then the scale is that of a normal distribution of which half is as near.
    counted : bool
        Whether median and quartiles are found by noisy counts; else the median is by a selection.
    units : float
        Of scores, in a standard deviation of the numbers.
    clip : float
        Deviations at which residuals are clipped, unless nearly all numbers are found to be within farther ones.
    loss : LossName
    quantiles : tuple of float
        What a quantile loss learns, one after the other; else empty.
    of_middle : float
        Share of the budget for median and quartiles.
    """

    target: Target
    halvings: int
    counted: bool
    units: float = 1.0
    clip: float = SURE_DEVIATIONS
    loss: LossName = "squared"
    quantiles: tuple[float, ...] = ()
    of_middle: float = SMALL_SHARE

    @classmethod
    def affordable(cls, target: Target, n_rows: int, budget: Budget, units: float = 1.0, **loss: Any) -> TargetScaling:
        """Return settings for as many halvings as a twentieth of the budget pays for."""
        # Surely found, and not just found: clipping fewer numbers costs more noise than it spares error.
        surely = ROWS_PER_SCALE * SURE_DEVIATIONS**2
        given = (n_rows, budget.epsilon, budget.delta, 1)
        # Halved more often, no row would be left.
        found = affordable_levels(*given, most=n_rows.bit_length(), share=TINY_SHARE, rows_per_scale=surely)
        # Where rows are so few that a selection may miss the median by far, counts with noise are off by less.
        counted = budget.delta > 0 or not affordable_levels(*given, most=1, rows_per_scale=surely)
        of_middle = share_of_middle(n_rows, budget) if counted else SMALL_SHARE
        return cls(target, max(found, 1), counted, units, of_middle=of_middle, **loss)

    @property
    def share(self) -> float:
        """Of the budget, for all of the releases."""
        # Of next to all that is left to the learner, these have no more than a half.
        return self.of_middle + self._tiny * (bool(self._selections) + self._has_mean)

    @property
    def _tiny(self) -> float:
        return min(TINY_SHARE, (1 - self.of_middle) / 4)

    @property
    def _has_mean(self) -> bool:
        """Whether scores begin at a released mean: those that are logarithms."""
        return self.loss in OF_LOGARITHMS

    @property
    def _selections(self) -> int:
        """How many distances are selected: none where quartiles say the one that is wanted."""
        return 0 if self.counted and self.halvings == 1 else self.halvings

    def plan(self, unit: PrivacyUnit, others: Sequence[PlanEntry]) -> list[PlanEntry]:
        """Return the releases, with their share of a plan: of the median, and of ever larger distances from it."""
        if not unit.label:
            return []
        whole = (sum(each.weight * each.count for each in others) or 1.0) / (1 - self.share)
        middle = [PlanEntry("selection", weight=whole * self.of_middle)]
        if self.counted:
            middle = plan_target_places(unit, count=ROUNDS, weight=whole * self.of_middle / ROUNDS)
        count = self._selections
        far = [PlanEntry("selection", weight=whole * self._tiny / count, count=count)] if count else []
        l1, l2 = Moves(1, label=True, leaf=False, margin=False).gradients
        mean = [PlanEntry("noise", weight=whole * self._tiny, l1=l1, l2=l2)] if self._has_mean else []
        return [*in_part("middle", middle), *in_part("distances", far), *in_part("mean", mean)]

    def release(self, table: Table, releases: Releases) -> tuple[TargetScale, tuple[Start, ...]]:
        """Return the scale of a table's numbers, and where each quantile begins; ``releases`` are those of the plan.

        Privacy: counts of L1 2 and L2 sqrt 2, and selections of range 4 half rows. Proof:
        ``proofs/queries/target_cells.md``. A public target is read exactly, and takes none of the releases.
        """
        grid, middle = GridEncoding(_alone(self.target), self.target.name), releases.part("middle")
        if self.counted:
            [posterior] = counted_posteriors(table, [grid], middle, ROUNDS, TargetPlaces)
            shares = posterior.quantiles(np.asarray([*QUARTILES, *self.quantiles]))
            low, start, high, *starts = (self._at(grid, share) for share in shares)
            near = [(high - low) / 2]
        else:
            [edge] = halved(target_cells(table, grid), 1, middle)
            start, near, starts = self._at(grid, edge / grid.n_cells), [], []
        cells = DistanceEncoding(grid.schema, grid.column, start)
        far = self._distances(table, cells, releases.part("distances"))
        # Numbers of which half are the same have no spread by their quartiles.
        known = [each / deviations for each, deviations in zip((*near, *far[len(near) :]), NORMAL, strict=False)]
        unit = max([*known, self._least])
        if self._has_mean:
            return self._of_mean(table, releases.part("mean"), start, self._clipped(far, unit) * unit), ()
        scale = TargetScale(start, unit / self.units, self._clipped(far, unit) * self.units)
        # Selections find the median alone: the others are about where those of a normal distribution are.
        starts = starts or [start + unit * NormalDist().inv_cdf(each) for each in self.quantiles]
        within = (min(max(each, self.target.lower), self.target.upper) for each in starts)
        return scale, tuple(zip(self.quantiles, within, strict=True))

    def _of_mean(self, table: Table, releases: Releases, near: float, clip: float) -> TargetScale:
        """Return a scale of logarithms that begins at the mean of the numbers, as far as they are clipped.

        A score of one multiplies by what the numbers spread over their mean, and by e at most.
        """
        found = releases.noisy(residual_sum(table.scaled(near, 1.0, SquaredLoss(clip))))
        # The mean of residuals is one half at most, but for noise: so starts are finite where clips are.
        share = min(max(found.value.item() / STEPS / table.n_persons, -1 / 2), 1 / 2)
        mean = near + clip * (2 * share)
        # Not below what noise, or one row, would make of no number at all.
        least = clip * (2 * (found.deviation / STEPS + 1) / table.n_persons)
        start = min(max(mean, least, self.target.lower), self.target.upper)
        unit = min(clip / SURE_DEVIATIONS / start, 1.0) / self.units
        return TargetScale(start, unit, clip / start, "log")

    def _clipped(self, far: Sequence[float], unit: float) -> float:
        """Return at how many deviations residuals are clipped."""
        if self.loss in ("absolute", "quantile"):
            return NEAREST
        if self.loss == "huber":
            return SURE_DEVIATIONS
        # A mean of counts that are clipped nearer would be their median.
        least = SURE_DEVIATIONS if self._has_mean else self.clip
        return max([least, *(each / unit for each in far)])

    def losses(self, scale: TargetScale) -> tuple[NumberLoss, ...]:
        """Return what is minimized, one after the other, of numbers that are scaled so."""
        if self.loss in ("absolute", "quantile"):
            return tuple(QuantileLoss(each, scale.clip, self.units) for each in self.quantiles or (1 / 2,))
        if self.loss == "poisson" or self.loss == "gamma":
            bounds = self.target.lower / scale.start, self.target.upper / scale.start
            return (LogLoss(self.loss, scale.unit, scale.clip, bounds),)
        return (SquaredLoss(scale.clip),)

    def _distances(self, table: Table, cells: DistanceEncoding, releases: Releases) -> list[float]:
        """Return how far from the start half of the numbers are at most, then half of the others, and so on."""
        scores, edges, found = target_cells(table, cells), np.asarray([0, cells.n_cells], dtype=np.int64), list[float]()
        for _ in range(self._selections):
            if np.diff(edges)[0] < 2:
                break
            edges = np.append(releases.cells(scores.statistic(edges)) + 1, cells.n_cells)
            farthest = cells.farthest(int(edges[0]) - 1)
            # Of counts that are mostly one number nobody knows how many are left to halve.
            if self._has_mean and self.target.whole and farthest < 1:
                break
            found.append(farthest)
        return found

    def _at(self, grid: GridEncoding, share: float) -> float:
        """Return the number below which such a share of the grid's cells is; at an end of the grid, the bound."""
        if cuts := grid.cuts_at(np.asarray([share])):
            return cuts[0]
        return self.target.upper if share > 1 / 2 else self.target.lower

    @property
    def _least(self) -> float:
        """A distance above zero for numbers that are all the same, as far as is known."""
        least = max(2.0**-NEAREST_BITS * self.target.half_width, sys.float_info.min)
        # Of counts two that differ are one apart.
        return max(least, 1 / SURE_DEVIATIONS) if self._has_mean and self.target.whole else least


def share_of_middle(n_rows: int, budget: Budget) -> float:
    """Return the share of the budget by which counts find median and quartiles: more than a tenth where rows are few.

    A predicted number is wrong by as much as its start, which no other release corrects. So noise in all counts of a
    place together is at most n_rows sqrt(2) / 8, the one at which a median is worth its budget, as far as nine tenths
    of the budget go.

    Examples
    --------
    >>> [round(share_of_middle(3341, Budget(each, 5e-8)), 2) for each in (0.01, 0.03, 0.1)]
    [0.9, 0.12, 0.1]
    """
    # Laplace noise of each round has a part of the budget, and the mean of all has the deviation of one over the root.
    pure = ROUNDS * ROWS_PER_SCALE / (sqrt(2) * n_rows * budget.epsilon)
    rho = zcdp_rho(budget.epsilon, budget.delta) if budget.delta else 0.0
    gaussian = (ROWS_PER_SCALE / n_rows) ** 2 / (2 * rho) if rho else inf
    return float(min(max(min(pure, gaussian), SMALL_SHARE), 1 - SMALL_SHARE))


def _alone(target: Target) -> Schema:
    """Return a schema whose one column is the target; its label is of no row."""
    return Schema([target.as_column], label=Label(f"{target.name} or not", ["no", "yes"]))
