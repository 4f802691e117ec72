"""Sums of edges by feature, exact moments of public ones, and a score's mean: what private rados are drawn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.features import GRID_STEPS
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.privacy.statistic import GaugeStatistic, ProductOfBalls
from tacit.queries.edges import EdgeForm, check_same_unit
from tacit.queries.person_sums import row_sums
from tacit.sensitivities.linear import EdgeSumsBasis, MeanScoreBasis
from tacit.table import Block, Table

SUM_ERROR = 2.0**-16
"""Rows; sums are exact in integers, and their float64 form is off by less for any table in memory."""


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
    basis = MeanScoreBasis(float(np.abs(weights[protected]).sum()))

    def of_block(block: Block) -> NDArray[np.int64]:
        scores = np.clip(block.features(form.encoding).astype(np.float64) @ weights, -1, 1)
        return np.asarray([block.weighted(np.rint(scores * GRID_STEPS)).sum()], dtype=np.int64)

    return row_sums(basis, table, table.sum(of_block))


def plan_score_sum(unit: PrivacyUnit, weight: float) -> list[PlanEntry]:
    """Return the release to announce; none where all columns are public, as labels do not enter."""
    return [PlanEntry("noise", weight=weight)] if unit.columns else []


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

    def planned(self, weight: float = 1.0) -> list[PlanEntry]:
        """Return the release to announce.

        Under pure composition noise is in the gauge's norm, and has about the deviation of Laplace noise of this L1
        sensitivity in each number.
        """
        _, l2 = self.sensitivity()
        moves = self.form.protected(self.unit).any()
        # 0.6 a dimension: where K-norm and Laplace noise of this L1 sensitivity have about the same deviation.
        return [PlanEntry("noise", weight=weight, l1=0.6 * self.ball.dimension, l2=l2)] if moves else []

    def sensitivity(self) -> tuple[float, float]:
        """Return the L1 and L2 sensitivities in units of rows."""
        return self.form.sensitivity(self.unit)

    def statistic(self, table: Table) -> NumericStatistic:
        """Return the sums in steps of the features' grid, integers, for Gaussian noise."""
        return row_sums(self._basis, table, self._total(table))

    def gauged(self, table: Table) -> GaugeStatistic:
        """Return the sums in units of rows, for noise in the gauge's norm."""
        total = self._total(table) / (GRID_STEPS * table.unit_weight)
        reach = self._basis.sensitivity(table.unit, table.n_persons)["gauge"]
        return GaugeStatistic(
            self._basis.query, self.unit, total, self.ball, sensitivity=reach, error=SUM_ERROR, basis=self._basis
        )

    @property
    def _basis(self) -> EdgeSumsBasis:
        return EdgeSumsBasis(self.form.numbers, self.form.categories, self.form.constant)

    def _total(self, table: Table) -> NDArray[np.int64]:
        check_same_unit(table, self.unit)
        return moment_totals(table, self.form)[0][self.form.protected(self.unit)]
