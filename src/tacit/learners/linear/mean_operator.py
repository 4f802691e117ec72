"""One noisy sum of residuals times features, and the linear form that follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.learners.linear.coefficients import Coefficients, in_blocks
from tacit.mechanisms import Releases
from tacit.mechanisms.k_norm import KNorm, k_norm_variances
from tacit.privacy import Persons, Planned, PrivacyUnit, PureDP
from tacit.queries import Design, LinearProblem, plan_residual_sums, residual_sums


@dataclass(frozen=True)
class MeanOperator:
    """Coefficients from the mean operator alone: one step of Newton's from zero, on public guesses of the curvature.

    The mean operator (Patrini and others 2014) is all that a linear loss knows of labels. Curvature is n/4 times
    the number of columns times the second moment of a feature that is uniform over its column's values.
    """

    def why_not(self, persons: Persons) -> str | None:
        """Return None: sums of persons move as those of rows do."""
        return None

    def plan(self, design: Design, unit: PrivacyUnit) -> list[Planned]:
        """Return the one release."""
        return plan_residual_sums(unit)

    def coefficients(self, problem: LinearProblem, releases: Releases) -> Coefficients:
        """Return the coefficients; the curvature is public, so that their noise is that of the sums.

        Privacy: one release, of ``residual_sums`` by the K-norm mechanism.
        """
        share, statistic = releases.share, residual_sums(problem)
        assert isinstance(share, PureDP)
        mechanism, curvature = KNorm(share).masking(statistic), _curvature(problem, share.epsilon)
        sums = releases.by(mechanism, statistic)
        widths = problem.design.widths
        variances = mechanism.noise_scale(statistic) ** 2 * k_norm_variances(widths)
        return Coefficients(sums / curvature, tuple(in_blocks(variances / curvature**2, widths)))


def _curvature(problem: LinearProblem, epsilon: float) -> NDArray[np.float64]:
    widths = np.repeat(problem.design.widths, problem.design.widths)
    second_moments = np.where(widths > 1, 1 / widths, 1 / 3)
    columns = len(problem.design.widths)
    # n/4: curvature of the logistic loss at zero. 2 / epsilon a column: about the noise's scale, as a ridge.
    counted = problem.table.n_persons * problem.table.mean_weight
    return np.asarray(counted / 4 * columns * second_moments + 2 * columns / epsilon)
