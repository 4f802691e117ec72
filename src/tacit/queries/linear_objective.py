"""Sums of losses of a linear form over rows: what objective perturbation minimizes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.privacy.gauge import ProductOfBalls
from tacit.privacy.objective import ObjectiveStatistic, RowGeometry
from tacit.queries.grouped_bins import MOST_CELLS
from tacit.queries.linear_problem import Design, LinearProblem
from tacit.queries.linear_rows import STRIP
from tacit.queries.losses import Loss
from tacit.queries.minimizer import Smooth, approached, minimize
from tacit.table import Block

Numbers = NDArray[np.float64]

UNIT_ROUNDOFF = 2.0**-53

FEW_ROWS, ROWS_A_FEATURE, RARER = 8_192, 64, 4
"""Second derivatives of so many rows are near enough to those of all, to point the solver's way; of more where fewer
rows have any, as with the Huber loss."""


def row_geometry(design: Design, loss: Loss) -> RowGeometry:
    """Return what the schema and the loss say of every row."""
    return RowGeometry(
        ball=ProductOfBalls(design.widths),
        squared_radius=design.squared_radius,
        curvature=loss.curvature_bound,
        logistic=loss.logistic,
    )


@dataclass(frozen=True, eq=False)
class LinearObjective:
    """The sum over rows of l(y (w . z + o)) plus lambda/2 |w|^2; y is 1 for the second class, else -1.

    Parameters
    ----------
    problem : LinearProblem
    loss : Loss
    regularization : float
        Lambda, for the sum over rows; the coefficient of an intercept is regularized like all others.
    reach : float
        An L2 norm that the perturbation b practically never exceeds; decides the tolerance.

    Notes
    -----
    Privacy: ``statistic`` states the geometry of one row's loss under replace-one on the protected cells, and the
    tolerance of its minimizer; a mechanism perturbs the objective. Proof: ``proofs/queries/linear_objective.md``.
    """

    problem: LinearProblem
    loss: Loss
    regularization: float
    reach: float = 0.0

    def statistic(self) -> ObjectiveStatistic:
        """Return the objective as a statistic, of which only a perturbed minimizer may leave."""
        kind = "logistic" if self.loss.logistic else "Huber"
        return ObjectiveStatistic(
            query=f"minimizer of the {kind} objective with lambda {self.regularization:.4g}, "
            f"to a gradient norm of {self.tolerance:.3g}",
            unit=self.problem.table.unit,
            unreleased_value=self.evaluate(np.zeros(self.problem.design.n_features))[1],
            rows=row_geometry(self.problem.design, self.loss),
            regularization=self.regularization,
            tolerance=self.tolerance,
            minimizer=self.minimizer,
        )

    def minimizer(self, perturbation: Numbers) -> Numbers:
        """Return w at which the gradient of the objective plus perturbation . w has a norm within the tolerance."""
        function, zero = self._perturbed(perturbation), np.zeros(self.problem.design.n_features)
        start = zero
        for loss in self.loss.easier:
            start = approached(replace(self, loss=loss)._perturbed(perturbation), start)
        # Never from above the value at zero: the bound on rounding takes an answer to lie no higher.
        if self.loss.easier and not function.evaluate(start)[0] <= function.evaluate(zero)[0]:
            start = zero
        return minimize(function, start, self.tolerance / 2)

    def _perturbed(self, perturbation: Numbers) -> Smooth:
        def evaluate(weights: Numbers) -> tuple[float, Numbers]:
            value, gradient = self.evaluate(weights)
            return value + float(perturbation @ weights), gradient + perturbation

        smooth = self.regularization + self.problem.table.n_rows * self.loss.curvature_bound * self._squared_radius
        return Smooth(evaluate, self.hessian, self.regularization, smooth, partial(self.hessian, sampled=True))

    @property
    def tolerance(self) -> float:
        """Twice a bound on the rounding of a computed gradient near the minimizer: from n, blocks, d, lambda alone."""
        n_rows, radius = self.problem.table.n_rows, sqrt(self._squared_radius)
        loss_at_zero = n_rows * (2 + self._offset_reach)
        weights = 2 * self.reach / self.regularization + sqrt(2 * loss_at_zero / self.regularization)
        margins = (self.problem.design.n_features + 2) * radius * weights + 4 * self._offset_reach
        slopes = self.loss.curvature_bound * margins + 8
        sums = STRIP + self.problem.table.strips(STRIP) + MOST_CELLS + 1
        rounding = n_rows * radius * (slopes + sums) + 4 * self.regularization * weights + 68 * self.reach
        return max(2 * UNIT_ROUNDOFF * rounding, 1e-9)

    def evaluate(self, weights: Numbers) -> tuple[float, Numbers]:
        """Return value and gradient."""
        rows = self.problem.rows
        prepared, sums = rows.prepared(weights), rows.no_sums()

        def add(block: Block) -> Numbers:
            value, signs, offsets = 0.0, self.problem.signs(block), self.problem.offsets(block)
            for strip in rows.strips(block):
                own = signs[strip.rows]
                losses, slopes = self.loss.value_and_slope(own * (strip.times(prepared) + offsets[strip.rows]))
                value += float(losses.sum())
                strip.add(own * slopes, sums)
            return np.asarray(value)

        value, half = float(self.problem.table.sum(add)), self.regularization / 2
        return value + half * float(weights @ weights), self.regularization * weights - rows.features(sums)

    def hessian(self, weights: Numbers, *, sampled: bool = False) -> Numbers:
        """Return the matrix of second derivatives; of some strips of many, times their part, if sampled."""
        rows, every = self.problem.rows, self._thinning if sampled else 1
        prepared, total, seen = rows.prepared(weights), np.zeros((len(weights), len(weights))), 0

        def add(block: Block) -> NDArray[np.int64]:
            nonlocal seen
            signs, offsets, used = self.problem.signs(block), self.problem.offsets(block), 0
            for strip in rows.strips(block):
                seen += 1
                if seen % every == 0:
                    margins = signs[strip.rows] * (strip.times(prepared) + offsets[strip.rows])
                    total[...] += strip.moments(self.loss.curvature(margins))
                    used += len(margins)
            return np.asarray([used])

        part = self.problem.table.n_rows / max(int(self.problem.table.sum(add)[0]), 1)
        return part * total + self.regularization * np.eye(len(weights))

    @property
    def _thinning(self) -> int:
        """One strip in so many is enough for second derivatives that only point the way."""
        enough = max(FEW_ROWS, ROWS_A_FEATURE * self.problem.design.n_features)
        return max(self.problem.table.n_rows // (enough if self.loss.logistic else RARER * enough), 1)

    @property
    def _squared_radius(self) -> float:
        return self.problem.design.squared_radius

    @property
    def _offset_reach(self) -> float:
        return self.problem.offset.reach if self.problem.offset else 0.0
