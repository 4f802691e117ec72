"""Objectives of linear forms for objective perturbation, and the mean operator: their gradient at zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from tacit.convex.losses import Loss
from tacit.convex.minimizer import Metric, Smooth, minimize
from tacit.errors import ParameterError, PrivacyError
from tacit.privacy import PlanEntry, PrivacyUnit
from tacit.privacy.statistic import GaugeStatistic, ObjectiveStatistic, ProductOfBalls, RowGeometry
from tacit.queries.grouped_bins import MAX_GROUP_CELLS
from tacit.queries.linear_rows import STRIP_ROWS, Design, LinearProblem, Strip
from tacit.sensitivities.linear import ObjectiveBasis, ResidualSumsBasis
from tacit.table import Block

Numbers = NDArray[np.float64]
Sums = list[Numbers]

UNIT_ROUNDOFF = 2.0**-53
"""Relative error of one float64 operation."""

HESSIAN_ROWS, HESSIAN_ROWS_PER_FEATURE, HESSIAN_GROWTH = 8_192, 16, 4
"""The Hessian of so many rows resembles that of all well enough for the solver's first metric; each further one is made
from four times as many."""

MAX_FACTORED_FEATURES, MOVES_PER_DIAGONAL = 512, 50
"""Coefficients up to which metrics are Cholesky factors. Beyond, those take longer than the moves they save: the
Hessian's diagonal is used, and seldom renewed, as the moves seen since are worth more than it."""

MAX_CONDITION_NUMBER = 1e7
"""Largest ratio of smoothness to regularization: the proved method then needs some 10^5 passes over the rows. L-BFGS,
which is tried before it, then arrives after some hundred."""


def row_geometry(design: Design, loss: Loss, *, several: bool = False) -> RowGeometry:
    """Return bounds on one row's features, slope and curvature, from the schema and the loss."""
    return RowGeometry(
        ball=ProductOfBalls(design.widths),
        squared_radius=design.squared_radius,
        curvature=loss.curvature_bound,
        self_bounded=loss.self_bounded,
        several=several,
    )


def solvable_regularization(n_rows: int, design: Design, loss: Loss) -> float:
    """Return the least lambda at which the proved solver ends in reasonable time: n c R^2 / 10^7."""
    return n_rows * loss.curvature_bound * design.squared_radius / MAX_CONDITION_NUMBER


def check_solvable(regularization: float, n_rows: int, design: Design, loss: Loss) -> None:
    """Refuse a lambda with which the proved solver might run for days.

    Raises ParameterError if it is below ``solvable_regularization``.
    """
    least = solvable_regularization(n_rows, design, loss)
    if regularization < least:
        raise ParameterError(
            f"Expected a regularization of at least {least:.3g} for {n_rows} rows, got regularization="
            f"{regularization!r}. Raise it: with less, the solver may need more than 100,000 passes over the rows."
        )


@dataclass(frozen=True, eq=False)
class LinearObjective:
    """The sum over rows of l(y (w . z + o)) plus lambda/2 |w|^2; y is 1 for the second class, else -1.

    Privacy: ``statistic`` states the geometry of one row's loss under replace-one on the protected cells, and the
    tolerance of its minimizer; a mechanism perturbs the objective. Proof: ``proofs/queries/linear_objective.md``.

    Raises ParameterError if the regularization is below ``solvable_regularization``.
    """

    problem: LinearProblem
    loss: Loss
    regularization: float
    """Lambda, for the sum over rows; the coefficient of an intercept is regularized like all others."""
    reach: float = 0.0
    """An L2 norm that the perturbation b practically never exceeds; decides the tolerance."""

    def __post_init__(self) -> None:
        check_solvable(self.regularization, self.problem.table.n_persons, self.problem.design, self.loss)

    def statistic(self) -> ObjectiveStatistic:
        """Return the objective as a statistic, of which only a perturbed minimizer may leave."""
        return ObjectiveStatistic(
            query=f"minimizer of the {self.loss.name} objective with lambda {self.regularization:.4g}, "
            f"to a gradient norm of {self.tolerance:.3g}",
            unit=self.problem.table.unit,
            unreleased_value=self._gradient_at_zero,
            rows=row_geometry(self.problem.design, self.loss, several=self.problem.table.unweighed.is_weighted),
            regularization=self.regularization,
            tolerance=self.tolerance,
            minimizer=self.minimizer,
            derivatives=lambda weights: (self.gradient(weights), self.hessian(weights)),
            basis=ObjectiveBasis(len(self.problem.design.widths)),
        )

    def minimizer(self, perturbation: Numbers) -> Numbers:
        """Return the minimizer of the objective plus b . w, to the tolerance."""
        n_features = self.problem.design.n_features
        # L = lambda + n c R^2, of which the least solvable lambda is a ten-millionth.
        solvable = solvable_regularization(self.problem.table.n_persons, self.problem.design, self.loss)
        function = Smooth(
            # Where the solver starts it is known: one pass over the rows in twenty-five.
            gradient=lambda weights: (
                (self.gradient(weights) if weights.any() else self._gradient_at_zero) + perturbation
            ),
            metric=self.metric,
            strong=self.regularization,
            smooth=self.regularization + solvable * MAX_CONDITION_NUMBER,
            moves=3 if n_features <= MAX_FACTORED_FEATURES else MOVES_PER_DIAGONAL,
        )
        found = minimize(function, np.zeros(n_features), self.tolerance * 2 / 3)
        # The bound on rounding holds within this distance; the exact minimizer is no farther away.
        if not np.linalg.norm(found) <= self._distance(float(np.linalg.norm(perturbation))):
            raise PrivacyError("Expected a minimizer within its proved distance. Nothing was released; report this.")
        return found

    @property
    def tolerance(self) -> float:
        """Three times a bound on the rounding of a gradient near the minimizer: from n, blocks, design, lambda alone.

        The computed gradient at the answer is within two thirds of it: one for what the proved method leaves of the
        exact gradient, one for the rounding of the computed one; the last third is that rounding again.
        """
        n_rows, distance = self.problem.table.n_persons, self._distance(self.reach)
        squared_radius = self.problem.design.squared_radius
        radius = sqrt(squared_radius)
        # A row has at most one feature other than zero for each column, R^2 in all: so many numbers are added up.
        margins = (squared_radius + 2) * radius * distance + 4 * self._offset_reach
        # A weight times a slope is rounded once more.
        slopes = self.loss.curvature_bound * margins + 8 + (self.problem.table.unit_weight > 1)
        sums = STRIP_ROWS + self.problem.table.strips(STRIP_ROWS) + MAX_GROUP_CELLS + 1
        rounding = n_rows * radius * (slopes + sums) + 4 * self.regularization * distance + 516 * self.reach
        # Never below 1e-9, as no use of a minimizer needs more digits.
        return max(3 * UNIT_ROUNDOFF * rounding, 1e-9)

    def gradient(self, weights: Numbers) -> Numbers:
        """Return the gradient, without a perturbation."""
        loss = self.loss

        def add(strip: Strip, signs: Numbers, margins: Numbers, counts: Numbers, sums: Sums) -> None:
            strip.add(counts * signs * loss.slope(margins), sums)

        sums, _ = self._added(weights, self.problem.rows.no_sums(), add)
        return self.regularization * weights - self.problem.rows.features(sums)

    @cached_property
    def _gradient_at_zero(self) -> Numbers:
        return self.gradient(np.zeros(self.problem.design.n_features))

    def hessian(self, weights: Numbers) -> Numbers:
        """Return the matrix of second derivatives, shape (n_features, n_features)."""
        total, _ = self._moments(weights, self.loss, 1)
        return total + self.regularization * np.eye(len(weights))

    def metric(self, weights: Numbers, made: int) -> Metric:
        """Return an approximate inverse of the Hessian: of some rows, more for each that was made before."""
        # Under a Huber loss few rows lie in the narrow corner and bend the sum: first metrics take wider corners.
        losses = (*self.loss.broader, self.loss)
        loss, n_features = losses[min(made, len(losses) - 1)], len(weights)
        wanted = max(HESSIAN_ROWS, HESSIAN_ROWS_PER_FEATURE * n_features) * HESSIAN_GROWTH ** min(made, 20)
        every = max(self.problem.table.n_persons // wanted, 1)
        if n_features > MAX_FACTORED_FEATURES:
            diagonal = self._diagonal(weights, loss, every)
            return lambda gradient: gradient / diagonal
        total, part = self._moments(weights, loss, every)
        return partial(cho_solve, cho_factor(total / part + self.regularization * np.eye(n_features)))

    def _moments(self, weights: Numbers, loss: Loss, every: int) -> tuple[Numbers, float]:
        def add(strip: Strip, signs: Numbers, margins: Numbers, counts: Numbers, sums: Sums) -> None:
            sums[0] += strip.moments(counts * loss.curvature(margins))

        (total,), part = self._added(weights, [np.zeros((len(weights), len(weights)))], add, every)
        return total, part

    def _diagonal(self, weights: Numbers, loss: Loss, every: int) -> Numbers:
        def add(strip: Strip, signs: Numbers, margins: Numbers, counts: Numbers, sums: Sums) -> None:
            strip.add_squares(counts * loss.curvature(margins), sums)

        sums, part = self._added(weights, self.problem.rows.no_sums(), add, every)
        return self.problem.rows.features(sums) / part + self.regularization

    def _added(
        self,
        weights: Numbers,
        zeros: Sums,
        add: Callable[[Strip, Numbers, Numbers, Numbers, Sums], None],
        every: int = 1,
    ) -> tuple[Sums, float]:
        """Return what every so many strips add to sums, and which part of the rows these strips are.

        ``add`` gets a strip, its rows' signs and margins and how much they count, and the sums.
        """
        problem, prepared = self.problem, self.problem.rows.prepared(weights)

        def of_shard(blocks: Sequence[Block]) -> tuple[Numbers, ...]:
            # One strip after the other within a shard, and shards after that: no more additions than strips.
            sums, used = [zero.copy() for zero in zeros], 0.0
            for block in blocks:
                # Strips at equal distances, not random rows: the metric is deterministic, and decides speed alone.
                for seen, strip in enumerate(problem.rows.strips(block), problem.table.first_strip(block, STRIP_ROWS)):
                    if (seen + 1) % every == 0:
                        # Of a strip at a time: arrays of a block would have to be fetched from memory again.
                        signs, counts = problem.signs(block, strip.rows), problem.weights(block, strip.rows)
                        margins = signs * (strip.times(prepared) + problem.offsets(block, strip.rows))
                        add(strip, signs, margins, counts, sums)
                        used += float(counts.sum())
            return *sums, np.asarray(used)

        *sums, used = problem.table.sum_shards(of_shard)
        # A strip of rows that count nothing is possible, and any metric will do.
        return sums, max(float(used), 1.0) / problem.table.n_persons

    def _distance(self, perturbation: float) -> float:
        """Return an L2 norm that no minimizer exceeds under a perturbation of this norm."""
        slopes = self.problem.table.n_persons * (1 + self._offset_reach)
        return perturbation / self.regularization + sqrt(slopes / self.regularization)

    @property
    def _offset_reach(self) -> float:
        return self.problem.offset.reach if self.problem.offset else 0.0


def residual_sums(problem: LinearProblem) -> GaugeStatistic:
    """Return the sum of r z over rows, r = y - sigma(o) being the residual of the public offset o, +-1/2 without one.

    Privacy: moves by at most 2 sigma(O) in the gauge of the features' ball under replace-one, O being the largest
    public offset that the schema admits; by 1 without an offset. Proof: ``proofs/queries/residual_sums.md``.
    """
    # Rounded up: SciPy's sigmoid is exact to a few units in the last place.
    largest = float(expit(problem.offset.reach)) * (1 + 2.0**-40) if problem.offset else 0.5
    n_rows, radius = problem.table.n_persons, sqrt(problem.design.squared_radius)
    basis = ResidualSumsBasis(largest)
    return GaugeStatistic(
        query=basis.query,
        unit=problem.table.unit,
        unreleased_value=_sums(problem),
        ball=ProductOfBalls(problem.design.widths),
        sensitivity=basis.sensitivity(problem.table.unit, n_rows)["gauge"],
        basis=basis,
        error=n_rows * radius * (STRIP_ROWS + problem.table.strips(STRIP_ROWS) + MAX_GROUP_CELLS + 16) * UNIT_ROUNDOFF,
    )


def plan_residual_sums(unit: PrivacyUnit) -> list[PlanEntry]:
    """Return the release to announce."""
    return [] if unit.protects_nothing else [PlanEntry("pure")]


def _sums(problem: LinearProblem) -> NDArray[np.float64]:
    def of_shard(blocks: Sequence[Block]) -> tuple[Numbers, ...]:
        sums = problem.rows.no_sums()
        for block in blocks:
            for strip in problem.rows.strips(block):
                probabilities = expit(problem.offsets(block, strip.rows))
                residuals = problem.weights(block, strip.rows) * ((block.labels[strip.rows] == 1) - probabilities)
                strip.add(residuals, sums)  # one strip after the other, as the bound on rounding has it
        return tuple(sums)

    return problem.rows.features(list(problem.table.sum_shards(of_shard)))
