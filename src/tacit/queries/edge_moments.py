"""Sums and second moments of edges by feature, and the mean of a score: what private rados are drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, Planned, PrivacyUnit
from tacit.privacy.rounding import slightly_up
from tacit.privacy.statistic import GaugeStatistic, ProductOfBalls
from tacit.queries.edges import EdgeForm, check_same_unit
from tacit.queries.person_sums import row_sums
from tacit.table import GRID_STEPS, Block, Table

SQUARES_OFFSET = 7 / 8
"""The m of sum(u^2 - m) with the smallest L1 norm of a row's (u, u^2 - m), 9/8; its movement does not depend on m."""

MOMENTS_L1 = 9 / 4
"""The largest |u - u'| + |u^2 - u'^2| over u, u' in [-1, 1]: from 1 to -1/2."""
SUM_ERROR = 2.0**-16
"""Rows; sums are exact in integers, and their float64 form is off by less for any table in memory."""


@dataclass(frozen=True)
class EdgeMoments:
    """Sums over the rows, of each column that may move, and of the labels if they may; rows of a person count as one.

    Of a column of one feature, u being its edge, label times feature: sum u and sum (u^2 - 7/8). Of one-hot categories:
    their counts in the second class, then in the first. Of the constant: sum of labels, 1 or -1.

    Privacy: a column of one feature moves by at most 9/4 in L1 and 2 in L2, one of categories by 2 and sqrt 2, the
    label by 2 and 2; in the gauge of the product of L1 balls, with the first kind stretched by 8/9, everything together
    moves by at most 2. Squares are rounded to the grid, a step each. Proof: ``proofs/queries/edge_moments.md``.
    """

    form: EdgeForm
    unit: PrivacyUnit

    @property
    def widths(self) -> tuple[int, ...]:
        """Number of features of each column that may move, the constant left out."""
        return self.form.moving_widths(self.unit)

    @property
    def counts_labels(self) -> bool:
        """Whether the sum of labels is among the numbers, as the last."""
        return self.form.constant and self.unit.label

    @property
    def ball(self) -> ProductOfBalls:
        """One L1 ball for the numbers of each column, one for the sum of labels."""
        pairs = [2 * width for width in self.widths]
        return ProductOfBalls((*pairs, 1) if self.counts_labels else tuple(pairs))

    def sensitivity(self) -> tuple[float, float]:
        """Return the L1 and L2 sensitivities in units of rows."""
        l1 = sum(MOMENTS_L1 if width == 1 else 2.0 for width in self.widths) + 2.0 * self.counts_labels
        squared = sum(4.0 if width == 1 else 2.0 for width in self.widths) + 4.0 * self.counts_labels
        # Squares alone are rounded to the grid, half a step in either neighbor's row; edges are on it.
        rounding = sum(width == 1 for width in self.widths) / GRID_STEPS
        return l1 + rounding, slightly_up(sqrt(squared)) + rounding

    def planned(self, weight: float = 1.0) -> list[Planned]:
        """Return the release to announce.

        Under pure composition noise is in the gauge's norm, and has about the deviation of Laplace noise of this L1
        sensitivity in each number.
        """
        _, l2 = self.sensitivity()
        moves = self.form.protected(self.unit).any()
        # 0.6 a dimension: where K-norm and Laplace noise of this L1 sensitivity have about the same deviation.
        return [Planned("noise", weight=weight, l1=0.6 * self.ball.dimension, l2=l2)] if moves else []

    def statistic(self, table: Table) -> NumericStatistic:
        """Return the sums in steps of the features' grid, integers, for Gaussian noise."""
        l1, l2 = self.sensitivity()
        return row_sums("moments of edges", table, self._total(table), l1=l1 * GRID_STEPS, l2=l2 * GRID_STEPS)

    def gauged(self, table: Table) -> GaugeStatistic:
        """Return the sums, stretched, in units of rows, for noise in the gauge's norm."""
        total = self._total(table) / (GRID_STEPS * table.unit_weight) * self.stretch
        # A step of rounding in either neighbor's row.
        sensitivity = (2 + 2 / GRID_STEPS) * table.unit.most_rows
        return GaugeStatistic("moments of edges", self.unit, total, self.ball, sensitivity=sensitivity, error=SUM_ERROR)

    @property
    def stretch(self) -> NDArray[np.float64]:
        """By what the numbers are multiplied in the gauge's statistic."""
        factors = [2 / MOMENTS_L1 if width == 1 else 1.0 for width in self.widths for _ in range(2 * width)]
        return np.asarray([*factors, 1.0] if self.counts_labels else factors)

    def read(self, released: NDArray[np.float64], n_rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return sums of edges and of their squares, of the moving features, from numbers in units of rows."""
        first, second, at = [], [], 0
        for width in self.widths:
            one, two = released[at : at + width], released[at + width : at + 2 * width]
            first.append(one if width == 1 else one - two)
            second.append(two + SQUARES_OFFSET * n_rows if width == 1 else one + two)
            at += 2 * width
        if self.counts_labels:
            first.append(released[at:])
            second.append(np.asarray([float(n_rows)]))
        return np.concatenate(first), np.concatenate(second)

    def _total(self, table: Table) -> NDArray[np.int64]:
        check_same_unit(table, self.unit)
        sums, squares = moment_totals(table, self.form)
        parts = []
        for name, width in zip(self.form.encoding.columns, self.form.widths, strict=False):
            at = self.form.encoding.positions((name,))
            if not (self.unit.label or name in self.unit.columns):
                continue
            if width == 1:
                offset = round(SQUARES_OFFSET * GRID_STEPS) * table.n_persons * table.unit_weight
                parts += [sums[at], squares[at] - offset]
            else:
                # Of categories, squares count both classes and sums their difference: half of the sum is the second's.
                parts += [(squares[at] + sums[at]) // 2, (squares[at] - sums[at]) // 2]
        return np.concatenate([*parts, sums[-1:]] if self.counts_labels else parts)


def moment_totals(table: Table, form: EdgeForm) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sums of edges and of their squares, each square rounded to the grid, in weighted steps, exact.

    Privacy: none; behind a statistic, or for features that are public under a public label.
    """

    def of_block(block: Block) -> NDArray[np.int64]:
        edges = form.of_block(block).T.astype(np.float64) * GRID_STEPS
        # Whole numbers below 2^53 in every partial sum, weights included, so that float64 adds them exactly.
        both = edges, np.rint(edges * edges / GRID_STEPS)
        return np.asarray([block.weighted(each).sum(axis=1) for each in both], dtype=np.int64)

    total = table.sum(of_block)
    return total[0], total[1]


def exact_moments(table: Table, form: EdgeForm) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums of edges and of their squares, of the features that cannot move, in units of rows.

    Privacy: exact; public columns under a public label, and the public number of rows of each class.
    """
    public = ~form.protected(table.unit)
    steps = GRID_STEPS * table.unit_weight
    sums, squares = moment_totals(table, form)
    return sums[public] / steps, squares[public] / steps


def score_sum(table: Table, form: EdgeForm, weights: NDArray[np.float64]) -> NumericStatistic:
    """Return the sum of weights . features over the rows, each cut to [-1, 1], in steps, an integer.

    Privacy: moves by at most 2, or by the weights' L1 norm over the protected columns times 2, and by a step for
    rounding; labels do not enter. Proof: ``proofs/queries/edge_moments.md``.

    Parameters
    ----------
    weights : array of shape (n_features without the constant,)
        Public.
    """
    protected = form.encoding.positions(table.unit.columns)
    # Cutting scores to [-1, 1] bounds the movement whatever the weights; small weights bound it by themselves.
    moves = min(2.0, slightly_up(2 * float(np.abs(weights[protected]).sum()))) * GRID_STEPS
    reach = moves + 1 if table.unit.columns else 0.0

    def of_block(block: Block) -> NDArray[np.int64]:
        scores = np.clip(block.features(form.encoding).astype(np.float64) @ weights, -1, 1)
        return np.asarray([block.weighted(np.rint(scores * GRID_STEPS)).sum()], dtype=np.int64)

    return row_sums("mean score", table, table.sum(of_block), l1=reach, l2=reach)


def plan_score_sum(unit: PrivacyUnit, weight: float) -> list[Planned]:
    """Return the release to announce; none where all columns are public, as labels do not enter."""
    return [Planned("noise", weight=weight)] if unit.columns else []


@dataclass(frozen=True)
class EdgeSums:
    """Sums over the rows of the edges of each feature that may move, and of the labels if they may.

    Privacy: each column moves by at most 2 in L1; by 2 in L2, or sqrt 2 for categories under a public label. In the
    gauge of the product of L1 balls everything together moves by at most 2. Proof: ``proofs/queries/edge_moments.md``.
    """

    form: EdgeForm
    unit: PrivacyUnit

    @property
    def counts_labels(self) -> bool:
        """Whether the sum of labels is among the numbers, as the last."""
        return self.form.constant and self.unit.label

    @property
    def ball(self) -> ProductOfBalls:
        """One L1 ball for the features of each column, one for the sum of labels."""
        widths = self.form.moving_widths(self.unit)
        return ProductOfBalls((*widths, 1) if self.counts_labels else widths)

    @property
    def stretch(self) -> NDArray[np.float64]:
        """By what the numbers are multiplied in the gauge's statistic: nothing."""
        return np.ones(self.ball.dimension)

    def sensitivity(self) -> tuple[float, float]:
        """Return the L1 and L2 sensitivities in units of rows."""
        return self.form.sensitivity(self.unit)

    def statistic(self, table: Table) -> NumericStatistic:
        """Return the sums in steps of the features' grid, integers, for Gaussian noise."""
        l1, l2 = self.sensitivity()
        return row_sums("sums of edges", table, self._total(table), l1=l1 * GRID_STEPS, l2=l2 * GRID_STEPS)

    def gauged(self, table: Table) -> GaugeStatistic:
        """Return the sums in units of rows, for noise in the gauge's norm."""
        total = self._total(table) / (GRID_STEPS * table.unit_weight)
        reach = 2.0 * table.unit.most_rows
        return GaugeStatistic("sums of edges", self.unit, total, self.ball, sensitivity=reach, error=SUM_ERROR)

    def _total(self, table: Table) -> NDArray[np.int64]:
        check_same_unit(table, self.unit)
        return moment_totals(table, self.form)[0][self.form.protected(self.unit)]
