"""Learning by minimizing a perturbed objective: Chaudhuri, Monteleoni and Sarwate (2011), and what came after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.convex import Loss
from tacit.errors import ParameterError
from tacit.features.feature_encoding import has_ranks
from tacit.learners.linear.coefficients import Coefficients
from tacit.learners.linear.defaults import automatic_regularization
from tacit.mechanisms import Releases
from tacit.mechanisms.gaussian_objective import GaussianObjective
from tacit.mechanisms.objective_perturbation import Euclidean, Gauge, ObjectivePerturbation
from tacit.privacy import Persons, PlanEntry, PrivacyUnit, PureDP
from tacit.queries import Design, LinearObjective, LinearProblem, row_geometry, solvable_regularization

Norm = Literal["k-norm", "sphere"]


@dataclass(frozen=True)
class PureObjective:
    """Objective perturbation under pure epsilon."""

    loss: Loss
    norm: Norm = "k-norm"
    """Of the noise."""
    regularization: float | None = None
    """Lambda, for the sum over rows; raised to the least that the proof admits. None means the rule's."""

    def unsupported(self, persons: Persons) -> str | None:
        """Return why rows that count one each are not protected, several of a person."""
        return _unsupported(persons)

    def plan(self, design: Design, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the one release."""
        return [PlanEntry("pure")]

    def coefficients(self, problem: LinearProblem, releases: Releases) -> Coefficients:
        """Return the perturbed minimizer; the covariances of its noise are bounded by lambda.

        Privacy: one release, of ``ObjectivePerturbation``.
        """
        share = releases.share
        assert isinstance(share, PureDP)
        # Numbers that say much in one feature each would pay for the many features of categories.
        gauge = Gauge(divided=has_ranks(problem.design.encoding))
        mechanism = ObjectivePerturbation(share, gauge if self.norm == "k-norm" else Euclidean())
        return _released(mechanism, problem, self.loss, self.regularization, share.epsilon, releases)


@dataclass(frozen=True)
class GaussianObjectivePerturbation:
    """Objective perturbation with Gaussian noise, (epsilon, delta)."""

    loss: Loss
    epsilon: float
    delta: float
    """Of one training."""
    regularization: float | None = None
    """As for ``PureObjective``."""

    def __post_init__(self) -> None:
        if self.delta <= 0:
            raise ParameterError(
                f"Expected a delta above zero for method 'gaussian-objective', got delta={self.delta:g}. "
                "Give one far below 1/n_rows, or choose method='k-norm'."
            )

    def unsupported(self, persons: Persons) -> str | None:
        """Return why rows that count one each are not protected, several of a person."""
        return _unsupported(persons)

    def plan(self, design: Design, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the one release, of fixed epsilon and delta."""
        return [PlanEntry.approximate(self.epsilon, self.delta)]

    def coefficients(self, problem: LinearProblem, releases: Releases) -> Coefficients:
        """Return the perturbed minimizer; the covariances of its noise are bounded by lambda.

        Privacy: one release, of ``GaussianObjective``.
        """
        mechanism = GaussianObjective(self.epsilon, self.delta)
        return _released(mechanism, problem, self.loss, self.regularization, self.epsilon, releases)


def _unsupported(persons: Persons) -> str | None:
    return None if persons.rows == "mean" else "its constants are for persons of weight one each, rows='mean'"


def _released(
    mechanism: ObjectivePerturbation | GaussianObjective,
    problem: LinearProblem,
    loss: Loss,
    asked: float | None,
    epsilon: float,
    releases: Releases,
) -> Coefficients:
    # Class weights leave one row what it was: of rank one, and no steeper or more curved.
    rows = row_geometry(problem.design, loss, several=problem.table.unweighed.is_weighted)
    least = mechanism.least_regularization(rows)
    rule = automatic_regularization(least, loss, problem.design.n_features, problem.table.n_persons, epsilon)
    solvable = solvable_regularization(problem.table.n_persons, problem.design, loss)
    # Raised to what the proof needs, and to what the solver surely ends with; both follow from what is public.
    regularization = max(rule if asked is None else asked, least, solvable)
    objective = LinearObjective(problem, loss, regularization, mechanism.reach(rows, regularization))
    statistic = objective.statistic()
    answer = releases.by(mechanism.masking(statistic), statistic)
    # Whatever the rows' curvature is, the inverse of Hessian plus lambda is at most 1 / lambda.
    variance = mechanism.variance(rows, regularization) / regularization**2
    covariances = [variance * np.eye(width) for width in problem.design.encoding.widths]
    return Coefficients(answer, covariances)
