"""Logistic regression by noisy gradients on ranks, its rows shortened and its prior strong: for small budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.convex import LogisticLoss
from tacit.cut_points import PrivateCuts
from tacit.learners.linear.coefficients import averaged_noise, ranked_noise
from tacit.learners.linear.defaults import check_categories
from tacit.learners.linear.linear import PUBLIC_BINS
from tacit.learners.linear.public_margin import PUBLIC_REGULARIZATION, public_margin
from tacit.mechanisms import Releases
from tacit.models import LinearForm, LinearModel, RankedModel, on_grid, with_cuts
from tacit.privacy import Persons, Planned, PrivacyUnit, in_part
from tacit.queries import Offset
from tacit.queries.ranked_gradients import (
    GRADIENT_STEPS,
    SQUARE_STEPS,
    RankedGradients,
    n_outputs,
    plan_gradients,
    plan_squares,
)
from tacit.schema import Numeric, Schema
from tacit.table import Table
from tacit.table.feature_encoding import named_encoding
from tacit.table.ranked_encoding import CONSTANT, RankedEncoding

_LEAST_PULL = 1e-6
"""Keeps directions that no row has where they are, at budgets without noise."""

CONSTANT_WIDER = 3.0
"""How many times as wide as other coefficients' the constant's prior is: classes are uneven more often than a column
tells much, and features that are mostly of one sign took the part of a constant that was held back
(``benchmarks/ranked_rules.py``)."""


@dataclass(frozen=True)
class RankedLogistic:
    """Settings of the algorithm; ``train`` runs it.

    Parameters
    ----------
    schema : Schema
    cuts : PrivateCuts or None
        How cut points of numbers are released first; without, a number counts by its place within its bounds.
    squares : float
        Share of the budget for the mean squares of features, by which steps are scaled.
    steps : int
        How many noisy gradients are released.
    step_size : float
        Part of a regularized Newton step.
    spread : float
        Standard deviation of a normal prior of the coefficients, but for the constant's: ``CONSTANT_WIDER`` times it.
    shortening : float
        Radius of rows over their usual length: a column's noise is paid for with the largest norm of a row, and
        shortened rows keep their direction.

    Notes
    -----
    All defaults are constants, chosen on synthetic tables: ``benchmarks/ranked_rules.py``.
    """

    schema: Schema
    cuts: PrivateCuts | None = None
    squares: float = 0.02
    steps: int = 16
    step_size: float = 0.8
    spread: float = 0.08
    shortening: float = 0.25

    multiclass: ClassVar[bool] = True

    def why_not(self, persons: Persons) -> str | None:
        """Return None: sums of persons move as those of rows do."""
        return None

    def plan(self, unit: PrivacyUnit) -> list[Planned]:
        """Return the releases: cut points, squared features, gradients."""
        if unit.protects_nothing:
            return []
        encoding, n_classes = self._encoding(self.schema, unit), len(self.schema.label.classes)
        asked = plan_squares(encoding, unit, self.squares)
        weight = (1 - self.squares) / self.steps
        asked = [*asked, *plan_gradients(encoding, unit, n_classes, count=self.steps, weight=weight)]
        own = self.cuts.plan(unit, asked) if self.cuts else []
        return [*in_part("cuts", own), *asked]

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> RankedModel:
        """Return the classifier.

        Notes
        -----
        Privacy: releases what ``plan`` lists. Cut points of public columns are exact, and so are, with a public label,
        their margins. All else is computed from released answers and the size of their noise.
        """
        cuts = self.cuts.release(table, releases.part("cuts")) if self.cuts else ()
        schema = with_cuts(self.schema, cuts)
        public = () if table.unit.label else _public_margins(table, schema)
        if table.unit.protects_nothing:
            return RankedModel((), ((0.0,),) * n_outputs(table.n_classes), CONSTANT, cuts, _models(public))
        encoding = self._encoding(schema, table.unit)
        weights, covariance = self._descend(RankedGradients(table, encoding, public), releases)
        rows = tuple(tuple(row) for row in on_grid(weights.T).tolist())
        model = RankedModel(encoding.columns, rows, encoding.radius, cuts, _models(public))
        return replace(model, noise=ranked_noise(model, covariance, self.schema))

    def _descend(
        self, gradients: RankedGradients, releases: Releases
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return coefficients, (n_features, n_outputs), and the covariance of each output's noise."""
        shape = (gradients.encoding.n_features, gradients.n_outputs)
        # Of the softmax at equal probabilities: 1 / K across outputs; of one logistic margin 1 / 4.
        curvature = 0.25 if gradients.n_outputs == 1 else 1 / gradients.n_outputs
        hessian = curvature * self._second_moments(gradients, releases)
        w, visited, inverse = np.zeros(shape), [], None
        last, size = np.zeros(shape), self.step_size
        for _ in range(self.steps):
            released = releases.noisy(gradients.statistic(w))
            gradient, deviation = (
                released.value.astype(np.float64) / GRADIENT_STEPS,
                released.deviation / GRADIENT_STEPS,
            )
            if inverse is None:
                # The noise of the whole budget, were it spent on one gradient, over the prior's deviation.
                pull = self.step_size * deviation / sqrt(self.steps) / self.spread
                pulls = np.full(shape[0], pull)
                pulls[0] /= CONSTANT_WIDER
                inverse = np.linalg.inv(hessian + np.diag(np.maximum(pulls, _LEAST_PULL)))
            # Columns that say the same make steps too long, and gradients turn back by more than noise does.
            if (last * gradient).sum() < -2 * shape[1] * deviation**2 * np.trace(inverse):
                size /= 2
            last = inverse @ gradient
            w = w - size * last
            visited.append(w)
        # The later half: averaging removes noise, the first half is still on its way.
        weights = np.asarray(np.mean(visited[self.steps // 2 :], axis=0))
        assert inverse is not None
        return weights, deviation**2 * averaged_noise(hessian, inverse, self.steps, size)

    def _second_moments(self, gradients: RankedGradients, releases: Releases) -> NDArray[np.float64]:
        """Return the sum of x x' as if columns were independent, from released squares of features."""
        encoding, n_rows = gradients.encoding, gradients.table.n_persons
        statistic = gradients.squares()
        released = releases.noisy(statistic)
        deviation = released.deviation / SQUARE_STEPS / n_rows
        guessed = _guessed_squares(encoding)
        # A guess is as uncertain as it is large: what was released counts as far as its noise is smaller.
        trust = guessed**2 / (guessed**2 + deviation**2)
        squares = np.clip(guessed + trust * (released.value / SQUARE_STEPS / n_rows - guessed), 0.0, 1.0)
        return gradients.table.mean_weight * n_rows * _independent_moments(encoding, squares)

    def _encoding(self, schema: Schema, unit: PrivacyUnit) -> RankedEncoding:
        check_categories(schema, schema.names)
        columns = schema.names if unit.label else unit.columns
        whole = RankedEncoding(schema, columns, inf)
        return replace(whole, radius=self.shortening * whole.longest)


def _guessed_squares(encoding: RankedEncoding) -> NDArray[np.float64]:
    """Return the mean square of each feature but the constant, were numbers uniform and categories equally likely."""
    widths = np.diff(encoding.starts)
    return np.repeat(
        [1 / 3 if number else 1 / width for number, width in zip(_numbers(encoding), widths, strict=True)], widths
    )


def _independent_moments(encoding: RankedEncoding, squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of x x' of shortened rows, columns being independent and ranks around zero in the mean."""
    widths, center = np.diff(encoding.starts), encoding.centers
    column, number = np.repeat(np.arange(len(widths)), widths), np.repeat(_numbers(encoding), widths)
    # Of a category what was released is its share of the rows.
    means = np.concatenate([[CONSTANT], np.where(number, 0.0, squares - center)])
    moments = np.outer(means, means)
    # A row has one category of a column: of two of its features one at least is minus the center.
    together = center**2 - center * (squares[:, None] + squares)
    moments[1:, 1:] = np.where(column[:, None] == column, together, moments[1:, 1:])
    squares = np.concatenate([[CONSTANT**2], squares * (1 - 2 * center) + center**2])
    np.fill_diagonal(moments, squares)
    return np.asarray(moments * min(1.0, encoding.radius**2 / float(squares.sum())))


def _numbers(encoding: RankedEncoding) -> list[bool]:
    """Return which columns are numbers."""
    return [isinstance(encoding.schema.column(name), Numeric) for name in encoding.columns]


def _public_margins(table: Table, schema: Schema) -> tuple[Offset, ...]:
    """Return the exact margins of public columns and a public label, one for each output."""
    encoding = named_encoding(schema, schema.public_columns, "binned", PUBLIC_BINS)
    targets = [table] if table.n_classes == 2 else [table.one_against_rest(k) for k in range(table.n_classes)]
    return tuple(public_margin(target, encoding, LogisticLoss(), PUBLIC_REGULARIZATION) for target in targets)


def _models(offsets: Sequence[Offset]) -> tuple[LinearModel, ...]:
    return tuple(
        LinearModel(
            (LinearForm(one.encoding.columns, tuple(on_grid(one.weights).tolist()), "binned", PUBLIC_BINS, "public"),)
            if one.encoding.columns
            else (),
            float(on_grid(np.asarray(one.intercept))),
        )
        for one in offsets
    )
