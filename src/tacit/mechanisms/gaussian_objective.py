"""Gaussian objective perturbation: Redberg, Koskela and Wang (2023), under replace-one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, expm1, inf, log1p, sqrt
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from tacit.errors import ParameterError
from tacit.mechanisms.calibration import finite
from tacit.mechanisms.k_norm import normal_noise, normal_reach
from tacit.mechanisms.mask import Mask, density_and_mask, masked_sampler
from tacit.mechanisms.objective_perturbation import mask_for, require_regularization
from tacit.privacy import ApproximateDP, NoiseSource
from tacit.privacy.mechanism import SensitivityKind
from tacit.privacy.rounding import slightly_up
from tacit.privacy.statistic import ObjectiveStatistic, RowGeometry

JACOBIAN_SHARE = 0.25
"""Largest part of epsilon that the change of curvature may use up."""


@final
@dataclass(frozen=True)
class GaussianObjective:
    """Minimizes the objective plus b . w, b normal of a deviation for (epsilon, delta).

    Privacy: releases the minimizer with a little noise, (epsilon, delta)-DP under replace-one. Proof:
    ``proofs/mechanisms/gaussian_objective.md``.
    """

    epsilon: float
    delta: float
    """What one release may cost: 99 % of epsilon for the minimizer, 1 % for exact noise that masks its digits."""
    mask: Mask | None = None
    """Set by ``masking``."""

    def __post_init__(self) -> None:
        ApproximateDP(self.epsilon, self.delta)
        if not (self.delta > 0 and self.epsilon > 0):
            raise ParameterError(f"Expected epsilon and delta above zero, got delta={self.delta:g}. Give a delta.")

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "Gaussian objective perturbation"

    @property
    def sampler(self) -> str:
        """What draws the noise, for the record of the release."""
        return masked_sampler(self.mask)

    def least_regularization(self, rows: RowGeometry) -> float:
        """Return the lambda at which ln(1 + c R^2 / lambda) is a quarter of epsilon."""
        # A floor on lambda, as the formula falls towards zero, and overflows in the end.
        exponent = min(JACOBIAN_SHARE * density_and_mask(self.epsilon)[0], 30.0)
        return finite(slightly_up(rows.curvature * rows.squared_radius / expm1(exponent)))

    def deviation(self, rows: RowGeometry, regularization: float) -> float:
        """Return the least deviation sigma with H(2R / sigma) + 2 H(R / sigma) <= delta, rounded up.

        H(m) is the delta of a Gaussian mechanism of shift m and deviation one at epsilon - ln(1 + c R^2 / lambda).
        """
        left = density_and_mask(self.epsilon)[0]
        left -= slightly_up(log1p(rows.curvature * rows.squared_radius / regularization))
        radius = sqrt(rows.squared_radius)
        low, high = 0.0, radius
        while _failure(left, radius / high) > self.delta:
            low, high = high, 2 * high
        # ``high`` fulfills the inequality at every step, so that stopping early costs noise and no privacy.
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if _failure(left, radius / middle) > self.delta else (low, middle)
        return finite(high * (1 + 1e-9))

    def reach(self, rows: RowGeometry, regularization: float) -> float:
        """Return an L2 norm that the noise practically never exceeds."""
        return normal_reach(rows.ball.dimension, self.deviation(rows, regularization))

    def masking(self, statistic: ObjectiveStatistic) -> GaussianObjective:
        """Return the mechanism with a mask for the statistic's tolerance."""
        return replace(self, mask=mask_for(statistic, self.epsilon))

    def loss(self, statistic: ObjectiveStatistic) -> ApproximateDP:
        """Return epsilon and delta."""
        return ApproximateDP(self.epsilon, self.delta)

    def noise_scale(self, statistic: ObjectiveStatistic) -> float:
        """Return the noise's deviation."""
        return self.deviation(statistic.rows, statistic.regularization)

    def sensitivity(self, statistic: ObjectiveStatistic) -> tuple[float, SensitivityKind]:
        """Return the largest L2 norm by which the summed gradient moves, 2 R."""
        return slightly_up(2 * sqrt(statistic.rows.squared_radius)), "l2"

    def sample(self, statistic: ObjectiveStatistic, noise: NoiseSource) -> NDArray[np.float64]:
        """Return the perturbed minimizer on the mask's grid, with its noise."""
        require_regularization(statistic, self.least_regularization(statistic.rows))
        draw = self.noise_scale(statistic) * normal_noise(statistic.rows.ball.dimension, noise)
        return mask_for(statistic, self.epsilon).apply(statistic.minimizer(draw), noise)


def gaussian_failure(epsilon: float, shift: float) -> float:
    """Return the least delta of a Gaussian mechanism of deviation one: Balle and Wang (2018), Theorem 8."""
    if shift == inf:
        return 1.0
    below = float(log_ndtr(shift / 2 - epsilon / shift))
    above = epsilon + float(log_ndtr(-shift / 2 - epsilon / shift))
    # The last term covers the error of ``log_ndtr``, so that a delta is never stated too small.
    return max(exp(below) - exp(min(above, 700.0)), 0.0) + 1e-12 * exp(below)


def _failure(epsilon: float, shift: float) -> float:
    return gaussian_failure(epsilon, 2 * shift) + 2 * gaussian_failure(epsilon, shift)
