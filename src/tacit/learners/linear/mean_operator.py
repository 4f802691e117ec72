"""One noisy sum of residuals times features, and the linear form that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.learners.linear.coefficients import Coefficients, Floats, in_blocks
from tacit.mechanisms import Releases
from tacit.mechanisms.k_norm import KNorm, k_norm_variances
from tacit.privacy import Persons, PlanEntry, PrivacyUnit, PureDP
from tacit.queries import Design, LinearProblem, plan_residual_sums, residual_sums
from tacit.rules.priors import UNTOLD_SPREAD

_TINY = 1e-12

MAX_UNEVEN = 0.98
"""Largest difference of the classes' shares that noisy sums are believed."""


@dataclass(frozen=True)
class MeanOperator:
    """Coefficients from the mean operator alone: one step of Newton's from zero, on guesses of the curvature.

    The mean operator (Patrini and others 2014) is all that a linear loss knows of labels. Curvature is n/4 times the
    number of columns times the second moment of a feature that is uniform over its column's values, and of a bin at
    least what its sum implies: a row's residual is one half, so that a sum of S has 2 |S| rows at least. Where all
    features are bins, the threshold is moved to the middle between both classes' mean scores, as the sums tell them.
    """

    def unsupported(self, persons: Persons) -> str | None:
        """Return None: sums of persons move as those of rows do."""
        return None

    def plan(self, design: Design, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the one release."""
        return plan_residual_sums(unit)

    def coefficients(self, problem: LinearProblem, releases: Releases) -> Coefficients:
        """Return the coefficients, with the noise of the sums over the curvature.

        Where a sum raises its own curvature, the noise of the coefficient is less than that.

        Privacy: one release, of ``residual_sums`` by the K-norm mechanism.
        """
        share, statistic = releases.share, residual_sums(problem)
        assert isinstance(share, PureDP)
        mechanism, widths = KNorm(share).masking(statistic), problem.design.widths
        sums = releases.by(mechanism, statistic)
        variances = mechanism.noise_scale(statistic) ** 2 * k_norm_variances(widths)
        curvature = _curvature(problem, share.epsilon, sums)
        weights = sums / curvature
        # Beside a public margin residuals are not one half, and a number's sum does not tell its rows.
        if problem.offset is None and min(widths) > 1:
            weights = weights - _threshold(sums / _rows(problem), variances / _rows(problem) ** 2, weights, widths)
        return Coefficients(weights, tuple(in_blocks(variances / curvature**2, widths)))


def _rows(problem: LinearProblem) -> float:
    return problem.table.n_persons * problem.table.mean_weight


def _curvature(problem: LinearProblem, epsilon: float, sums: Floats) -> Floats:
    widths = np.repeat(problem.design.widths, problem.design.widths)
    guessed = _rows(problem) * np.where(widths > 1, 1 / widths, 1 / 3)
    columns = len(problem.design.widths)
    implied = np.where(widths > 1, 2 * np.abs(sums), 0.0) if problem.offset is None else 0.0
    # 1/4: curvature of the logistic loss at zero. 2 / epsilon a column: about the noise's scale, as a ridge.
    return np.asarray(columns / 4 * np.maximum(guessed, implied) + 2 * columns / epsilon)


def _threshold(means: Floats, variances: Floats, weights: Floats, widths: Sequence[int]) -> float:
    """Return a column's part of the threshold, from sums and variances of their noise as parts of the rows.

    With b the mean score, d the difference of the classes' shares and a that of their scores' sums, the middle of both
    classes' means is (b - d a) / (1 - d^2). Here b / (1 - d^2) is taken to first order, and the rest without the
    quotient, so that a rare class of unknown size moves nothing far. Half of the classes' log-odds are taken off.
    """
    column, n_columns = np.repeat(np.arange(len(widths)), widths), len(widths)
    rows = 2 * np.sqrt(np.maximum(means**2 - variances, 0.0))
    rows /= np.maximum(np.bincount(column, rows), 1.0)[column]
    told = np.bincount(column, rows)
    alike = np.where(told > 0, 1 - UNTOLD_SPREAD, 0.0)
    rows = rows * (1 + alike * (1 - told) / np.maximum(told, _TINY))[column]
    rows += ((1 - alike) * (1 - told) / widths)[column]
    apart = max(0.0, 2 * float(weights @ (means - variances / np.where(means == 0, np.inf, means))))
    trust = apart / max(2 * float(weights @ means), _TINY)
    balance = float(np.clip(2 * means.sum() / n_columns, -MAX_UNEVEN, MAX_UNEVEN))
    # What noise adds to the square of the balance is four times its variance.
    balance *= balance**2 / max(balance**2 + 4 * variances.sum() / n_columns**2, _TINY)
    middle = float(rows @ weights) * (1 + balance**2) - apart * balance
    return float(trust * (middle - np.arctanh(balance)) / n_columns)
