"""Sums of edges, feature by feature, without their squares: for so little budget that squares would be all noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, PrivacyUnit
from tacit.privacy.gauge import ProductOfBalls
from tacit.privacy.objective import GaugeStatistic
from tacit.queries.edge_moments import ERROR, moment_totals
from tacit.queries.edges import STEPS, EdgeForm
from tacit.table import Table


@dataclass(frozen=True)
class EdgeSums:
    """Sums over the rows of the edges of each feature that may move, and of the labels if they may.

    Parameters
    ----------
    form : EdgeForm
    unit : PrivacyUnit

    Notes
    -----
    Privacy: each column moves by at most 2 in L1; by 2 in L2, or sqrt 2 for categories under a public label. In the
    gauge of the product of L1 balls everything together moves by at most 2. Proof: ``proofs/queries/edge_moments.md``.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> from tacit.table import LinearEncoding
    >>> schema = Schema([Numeric("age", 20, 60)], label=Label("income", ["low", "high"]))
    >>> EdgeSums(EdgeForm(LinearEncoding(schema, ("age",))), PrivacyUnit(("age",), label=True)).ball.widths
    (1, 1)
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
        return NumericStatistic("sums of edges", self.unit, self._total(table), l1=l1 * STEPS, l2=l2 * STEPS)

    def gauged(self, table: Table) -> GaugeStatistic:
        """Return the sums in units of rows, for noise in the gauge's norm."""
        total = self._total(table) / STEPS
        return GaugeStatistic("sums of edges", self.unit, total, self.ball, sensitivity=2.0, error=ERROR)

    def _total(self, table: Table) -> NDArray[np.int64]:
        return moment_totals(table, self.form)[0][self.form.protected(self.unit)]
