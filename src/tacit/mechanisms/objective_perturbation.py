"""Objective perturbation: Chaudhuri, Monteleoni and Sarwate (2011), with K-norm or spherical noise, pure epsilon."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import expm1, log, log1p, sqrt
from typing import final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.mechanisms.k_norm import k_norm_log_density, k_norm_noise, k_norm_reach
from tacit.mechanisms.mask import Mask, density_and_mask, masked_sampler
from tacit.mechanisms.scales import finite, require
from tacit.mechanisms.sphere import sphere_log_density, sphere_noise, sphere_reach
from tacit.privacy import NoiseSource, PureDP
from tacit.privacy.mechanism import SensitivityKind
from tacit.privacy.objective import ObjectiveStatistic, RowGeometry
from tacit.privacy.rounding import slightly_down, slightly_up


@final
@dataclass(frozen=True)
class KNormObjective:
    """Minimizes the objective plus b . w, b of density exp(-epsilon' |b|_K / 2), K holding every row's features.

    For the logistic loss lambda >= 2 R^2 / epsilon makes epsilon' = epsilon: the Jacobian costs nothing. For other
    losses epsilon' = epsilon - ln(1 + c R^2 / lambda).

    Parameters
    ----------
    share : PureDP
        What one release may cost: 99 % for the minimizer, 1 % for exact noise that masks its last digits.
    mask : Mask, optional
        Set by ``masking``.

    Notes
    -----
    Privacy: releases the minimizer with a little noise, epsilon-DP under replace-one. Proof:
    ``proofs/mechanisms/k_norm.md``.

    Examples
    --------
    >>> from tacit.privacy.gauge import ProductOfBalls
    >>> rows = RowGeometry(ProductOfBalls((1, 1)), squared_radius=2.0, curvature=0.25, logistic=True)
    >>> round(KNormObjective(PureDP(1.0)).least_regularization(rows), 3)  # 2 R^2 / (0.99 epsilon)
    4.04
    """

    share: PureDP
    mask: Mask | None = None

    def __post_init__(self) -> None:
        require(self.share, PureDP)

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "K-norm objective perturbation"

    @property
    def sampler(self) -> str:
        """What draws the noise, for the ledger."""
        return masked_sampler(self.mask)

    def least_regularization(self, rows: RowGeometry) -> float:
        """Return 2 R^2 / epsilon for the logistic loss, else c R^2 / (exp(epsilon / 2) - 1)."""
        density = density_and_mask(self.share.epsilon)[0]
        if rows.logistic:
            return finite(slightly_up(2 * rows.squared_radius / density))
        return finite(rank_one_regularization(rows, density))

    def density_epsilon(self, rows: RowGeometry, regularization: float) -> float:
        """Return the epsilon' of the noise's density."""
        density = density_and_mask(self.share.epsilon)[0]
        if rows.logistic:
            return density
        return slightly_down(density - log1p(rows.curvature * rows.squared_radius / regularization))

    def reach(self, rows: RowGeometry, regularization: float) -> float:
        """Return an L2 norm that the noise practically never exceeds."""
        return k_norm_reach(rows.ball, 2 / self.density_epsilon(rows, regularization))

    def log_density(self, rows: RowGeometry, regularization: float, draw: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of b."""
        return k_norm_log_density(rows.ball, 2 / self.density_epsilon(rows, regularization), draw)

    def masking(self, statistic: ObjectiveStatistic) -> KNormObjective:
        """Return the mechanism with a mask for the statistic's tolerance."""
        return replace(self, mask=mask_for(statistic, self.share.epsilon))

    def loss(self, statistic: ObjectiveStatistic) -> PureDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: ObjectiveStatistic) -> float:
        """Return 2 / epsilon', rounded up: the scale of the noise's radius."""
        return finite(slightly_up(2 / self.density_epsilon(statistic.rows, statistic.regularization)))

    def sensitivity(self, statistic: ObjectiveStatistic) -> tuple[float, SensitivityKind]:
        """Return the largest gauge by which the summed gradient moves: two rows' slopes."""
        return 2.0, "gauge"

    def sample(self, statistic: ObjectiveStatistic, noise: NoiseSource) -> NDArray[np.float64]:
        """Return the perturbed minimizer on the mask's grid, with its noise."""
        require_regularization(statistic, self.least_regularization(statistic.rows))
        draw = k_norm_noise(statistic.rows.ball, self.noise_scale(statistic), noise)
        return mask_for(statistic, self.share.epsilon).apply(statistic.minimizer(draw), noise)


@final
@dataclass(frozen=True)
class SphereObjective:
    """Minimizes the objective plus b . w, b of density exp(-epsilon' |b|_2 / (2 R)): Algorithm 2 of the paper.

    A row's change is of rank one, hence epsilon' = epsilon - ln(1 + c R^2 / lambda).

    Parameters
    ----------
    share : PureDP
        What one release may cost.
    mask : Mask, optional
        Set by ``masking``.

    Notes
    -----
    Privacy: releases the minimizer with a little noise, epsilon-DP under replace-one where the rows' norm is what the
    statistic says. Proof: ``proofs/mechanisms/objective_perturbation.md``.

    Examples
    --------
    >>> SphereObjective(PureDP(0.5)).name
    'objective perturbation'
    """

    share: PureDP
    mask: Mask | None = None

    def __post_init__(self) -> None:
        require(self.share, PureDP)

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "objective perturbation"

    @property
    def sampler(self) -> str:
        """What draws the noise, for the ledger."""
        return masked_sampler(self.mask)

    def least_regularization(self, rows: RowGeometry) -> float:
        """Return c R^2 / (exp(epsilon / 2) - 1)."""
        return finite(rank_one_regularization(rows, density_and_mask(self.share.epsilon)[0]))

    def density_epsilon(self, rows: RowGeometry, regularization: float) -> float:
        """Return the epsilon' of the noise's density."""
        density = density_and_mask(self.share.epsilon)[0]
        return slightly_down(density - log1p(rows.curvature * rows.squared_radius / regularization))

    def reach(self, rows: RowGeometry, regularization: float) -> float:
        """Return an L2 norm that the noise practically never exceeds."""
        return sphere_reach(rows.ball.dimension, self._scale(rows, regularization))

    def log_density(self, rows: RowGeometry, regularization: float, draw: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of b."""
        return sphere_log_density(self._scale(rows, regularization), draw)

    def masking(self, statistic: ObjectiveStatistic) -> SphereObjective:
        """Return the mechanism with a mask for the statistic's tolerance."""
        return replace(self, mask=mask_for(statistic, self.share.epsilon))

    def loss(self, statistic: ObjectiveStatistic) -> PureDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: ObjectiveStatistic) -> float:
        """Return 2 R / epsilon', rounded up: the scale of the noise's radius."""
        return finite(slightly_up(self._scale(statistic.rows, statistic.regularization)))

    def sensitivity(self, statistic: ObjectiveStatistic) -> tuple[float, SensitivityKind]:
        """Return the largest L2 norm by which the summed gradient moves, 2 R."""
        return slightly_up(2 * sqrt(statistic.rows.squared_radius)), "l2"

    def sample(self, statistic: ObjectiveStatistic, noise: NoiseSource) -> NDArray[np.float64]:
        """Return the perturbed minimizer on the mask's grid, with its noise."""
        require_regularization(statistic, self.least_regularization(statistic.rows))
        draw = sphere_noise(statistic.rows.ball.dimension, self.noise_scale(statistic), noise)
        return mask_for(statistic, self.share.epsilon).apply(statistic.minimizer(draw), noise)

    def _scale(self, rows: RowGeometry, regularization: float) -> float:
        return 2 * sqrt(rows.squared_radius) / self.density_epsilon(rows, regularization)


def rank_one_regularization(rows: RowGeometry, epsilon: float) -> float:
    """Return the least lambda at which ln(1 + c R^2 / lambda) leaves half of epsilon."""
    if epsilon > log(1e12):
        return slightly_up(rows.curvature * rows.squared_radius / 1e6)
    return slightly_up(rows.curvature * rows.squared_radius / expm1(epsilon / 2))


def mask_for(statistic: ObjectiveStatistic, epsilon: float) -> Mask:
    """Return the mask for the statistic's tolerance out of a release's epsilon."""
    return Mask(statistic.rows.ball.dimension, statistic.error, density_and_mask(epsilon)[1])


def require_regularization(statistic: ObjectiveStatistic, least: float) -> None:
    """Refuse an objective for which the proof does not hold, before anything is drawn."""
    if statistic.regularization < least:
        raise PrivacyError(
            f"Expected a regularization of at least {least:g}, got {statistic.regularization:g}. Raise it."
        )
