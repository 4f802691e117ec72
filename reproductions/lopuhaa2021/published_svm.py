"""Objective perturbation as Lopuhaä-Zwakenberg and others (2021), Algorithm 2: rows are taken to have norm one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import expm1, log1p, sqrt
from typing import final

import numpy as np
from numpy.typing import NDArray

from tacit.convex import Loss
from tacit.learners.linear import Coefficients
from tacit.mechanisms import Releases
from tacit.mechanisms.calibration import finite
from tacit.mechanisms.k_norm import sphere_log_density, sphere_noise
from tacit.mechanisms.mask import Mask, density_and_mask, masked_sampler
from tacit.mechanisms.objective_perturbation import mask_for
from tacit.privacy import NoiseSource, Persons, PlanEntry, PrivacyUnit, PureDP
from tacit.privacy.basis import SensitivityKind
from tacit.privacy.rounding import slightly_up
from tacit.privacy.statistic import ObjectiveStatistic, RowGeometry
from tacit.queries import Design
from tacit.queries.linear_objective import LinearObjective, row_geometry
from tacit.queries.linear_rows import LinearProblem

MEAN_REGULARIZATION = 10**-2.5
"""The paper's Lambda, which belongs to a mean over rows."""


@dataclass(frozen=True)
class PublishedObjective:
    """Learns linear coefficients by Algorithm 2; a ``LinearMethod``.

    Parameters
    ----------
    loss : Loss
    regularization : float or None
        Lambda, for the sum over rows; None means the paper's, 10^-2.5 n.
    """

    loss: Loss
    regularization: float | None = None

    def unsupported(self, persons: Persons) -> str:
        """Return why several rows of a person are not protected."""
        return "the paper has no bound for them"

    def plan(self, design: Design, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the one release."""
        return [PlanEntry("pure")]

    def coefficients(self, problem: LinearProblem, releases: Releases) -> Coefficients:
        """Return the perturbed minimizer; nothing is said of its noise."""
        share = releases.share
        assert isinstance(share, PureDP)
        mechanism, rows = PublishedSphere(share), UnitNormObjective.claimed(problem, self.loss)
        asked = problem.table.n_rows * MEAN_REGULARIZATION if self.regularization is None else self.regularization
        regularization = mechanism.published_regularization(rows, asked)
        statistic = UnitNormObjective(problem, self.loss, regularization).statistic()
        return Coefficients(releases.by(mechanism.masking(statistic), statistic))


@final
@dataclass(frozen=True)
class PublishedSphere:
    """Spherical noise of epsilon' = epsilon - 2 ln(1 + c R^2 / lambda), and the fallback where that is not above zero.

    Parameters
    ----------
    share : PureDP
        What one release may cost.
    mask : Mask, optional
        Set by ``masking``.
    """

    share: PureDP
    mask: Mask | None = None

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "objective perturbation"

    @property
    def sampler(self) -> str:
        """What draws the noise, for the record of the release."""
        return masked_sampler(self.mask)

    def published_regularization(self, rows: RowGeometry, regularization: float) -> float:
        """Return the paper's lambda: the given one, or c R^2 / (exp(epsilon / 4) - 1) where it leaves nothing."""
        density = density_and_mask(self.share.epsilon)[0]
        if density > 2 * log1p(rows.curvature * rows.squared_radius / regularization):
            return regularization
        return rows.curvature * rows.squared_radius / expm1(density / 4)

    def density_epsilon(self, rows: RowGeometry, regularization: float) -> float:
        """Return the epsilon' of the noise's density."""
        density = density_and_mask(self.share.epsilon)[0]
        left = density - 2 * log1p(rows.curvature * rows.squared_radius / regularization)
        return left if left > density * 1e-9 else density / 2

    def log_density(self, rows: RowGeometry, regularization: float, draw: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of the noise."""
        return sphere_log_density(self._scale(rows, regularization), draw)

    def masking(self, statistic: ObjectiveStatistic) -> PublishedSphere:
        """Return the mechanism with a mask for the statistic's tolerance."""
        return replace(self, mask=mask_for(statistic, self.share.epsilon))

    def loss(self, statistic: ObjectiveStatistic) -> PureDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: ObjectiveStatistic) -> float:
        """Return 2 R / epsilon', rounded up: the scale of the noise's radius."""
        return finite(slightly_up(self._scale(statistic.rows, statistic.regularization)))

    def sensitivity(self, statistic: ObjectiveStatistic) -> tuple[float, SensitivityKind]:
        """Return the claimed L2 norm by which the summed gradient moves, 2 R."""
        return slightly_up(2 * sqrt(statistic.rows.squared_radius)), "l2"

    def sample(self, statistic: ObjectiveStatistic, noise: NoiseSource) -> NDArray[np.float64]:
        """Return the perturbed minimizer on the mask's grid, with its noise."""
        draw = sphere_noise(statistic.rows.ball.dimension, self.noise_scale(statistic), noise)
        return mask_for(statistic, self.share.epsilon).apply(statistic.minimizer(draw), noise)

    def _scale(self, rows: RowGeometry, regularization: float) -> float:
        return 2 * sqrt(rows.squared_radius) / self.density_epsilon(rows, regularization)


@dataclass(frozen=True, eq=False)
class UnitNormObjective:
    """The objective of ``LinearObjective`` with a claimed norm of one for rows whose norm is larger.

    Parameters
    ----------
    problem : LinearProblem
    loss : Loss
    regularization : float

    Notes
    -----
    Wrong: Chaudhuri and others (2011) demand rows of norm at most one, and Lopuhaä-Zwakenberg and others (2021) never
    enforce it. The noise is too small by a factor R, the change of curvature counted too small by R^2.
    """

    problem: LinearProblem
    loss: Loss
    regularization: float

    @staticmethod
    def claimed(problem: LinearProblem, loss: Loss) -> RowGeometry:
        """Return the geometry with the claimed norm."""
        return replace(row_geometry(problem.design, loss), squared_radius=1.0)

    def statistic(self) -> ObjectiveStatistic:
        """Return the objective with the claimed norm."""
        statistic = LinearObjective(self.problem, self.loss, self.regularization, self.regularization).statistic()
        return replace(statistic, rows=self.claimed(self.problem, self.loss))
