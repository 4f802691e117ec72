"""Gaussian objective perturbation: Redberg, Koskela and Wang (2023), under replace-one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, expm1, inf, log, log1p, pi, sqrt
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri

from tacit.errors import ParameterError
from tacit.mechanisms.calibration import finite
from tacit.mechanisms.gaussian import gaussian_log_density
from tacit.mechanisms.k_norm import normal_noise, normal_reach
from tacit.mechanisms.mask import Mask, density_and_mask, masked_sampler
from tacit.mechanisms.objective_perturbation import gradient_and_curvature, mask_for, require_regularization
from tacit.privacy import ApproximateDP, NoiseSource
from tacit.privacy.basis import SensitivityKind
from tacit.privacy.bisection import bisected
from tacit.privacy.rounding import slightly_up
from tacit.privacy.statistic import ObjectiveStatistic, RowGeometry

Floats = NDArray[np.float64]

_WIDER, _STEPS = 1.3, 4
"""How much wider than the outputs' own is the distribution by which they are spread for a privacy loss, as weights must
not grow in its tails; and how often its center is moved."""

_OUTPUTS = ((7, 0.9, 1.1), (10, 0.95, 1.05), (13, 1.0, 1.0))
"""Two to which power outputs, and between which parts of epsilon their answer is not sure enough for a verdict, so that
more are taken: in nine dimensions 128 outputs were once off by 3.5 %, and said that a release lost 1.005 of its share
that loses 0.971."""

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

    name: ClassVar[str] = "Gaussian objective perturbation"

    def __post_init__(self) -> None:
        ApproximateDP(self.epsilon, self.delta)
        if not (self.delta > 0 and self.epsilon > 0):
            raise ParameterError(f"Expected epsilon and delta above zero, got delta={self.delta:g}. Give a delta.")

    @property
    def sampler(self) -> str:
        """What draws the noise, for the record of the release."""
        return masked_sampler(self.mask)

    def least_regularization(self, rows: RowGeometry) -> float:
        """Return the lambda at which ln(1 + c R^2 / lambda) is a quarter of epsilon.

        For several rows of one person c R^2 / lambda in place of the logarithm.
        """
        # A floor on lambda, as the formula falls towards zero, and overflows in the end.
        exponent = min(JACOBIAN_SHARE * density_and_mask(self.epsilon)[0], 30.0)
        return finite(
            slightly_up(rows.curvature * rows.squared_radius / (exponent if rows.several else expm1(exponent)))
        )

    def deviation(self, rows: RowGeometry, regularization: float) -> float:
        """Return the least deviation sigma with H(2R / sigma) + 2 H(R / sigma) <= delta, rounded up.

        H(m) is the delta of a Gaussian mechanism of shift m and deviation one at epsilon - ln(1 + c R^2 / lambda); for
        several rows of one person the mean excess of its loss, at epsilon - c R^2 / lambda.
        """
        added = rows.curvature * rows.squared_radius / regularization
        left = density_and_mask(self.epsilon)[0] - slightly_up(added if rows.several else log1p(added))
        failure = mean_excess if rows.several else gaussian_failure
        return _least_deviation(failure, left, sqrt(rows.squared_radius), self.delta)

    def reach(self, rows: RowGeometry, regularization: float) -> float:
        """Return an L2 norm that the noise practically never exceeds."""
        return normal_reach(rows.ball.dimension, self.deviation(rows, regularization))

    def variance(self, rows: RowGeometry, regularization: float) -> float:
        """Return the variance of each coordinate of the noise in the gradient."""
        return self.deviation(rows, regularization) ** 2

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

    def log_density(self, statistic: ObjectiveStatistic, answer: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of this answer, of an exact minimizer without a mask."""
        gradient, curvature = gradient_and_curvature(statistic, answer)
        return gaussian_log_density(np.zeros(len(gradient)), self.noise_scale(statistic), gradient) + curvature

    def divergence(self, one: ObjectiveStatistic, other: ObjectiveStatistic) -> float:
        """Return the epsilon at the share's delta for these two objectives, from the privacy loss of drawn outputs.

        Outputs are spread evenly under a normal distribution around those whose loss is about epsilon, and weighed by
        their densities: the more of them, the nearer the epsilon is to the share's.
        """
        center, factor = self._where_lost(one, other)
        if factor is None:
            return 0.0
        found = 0.0
        for power, low, high in _OUTPUTS:
            found = self._epsilon_of(one, other, center, factor, power)
            if not low < found / self.epsilon < high:
                break
        return found

    def _epsilon_of(
        self, one: ObjectiveStatistic, other: ObjectiveStatistic, center: Floats, factor: Floats, power: int
    ) -> float:
        """Return the epsilon at the share's delta, of two to this power outputs."""
        from scipy.stats.qmc import Sobol

        dimension = len(center)
        points = ndtri(Sobol(dimension, scramble=True, rng=0).random_base2(power))
        losses, weights = [], []
        for point in _WIDER * points:
            output = center + factor @ point
            density = self.log_density(one, output)
            # Of the normal distribution that the outputs are spread by, per unit of volume.
            drawn = -float(point @ point) / (2 * _WIDER**2) - dimension * log(_WIDER * sqrt(2 * pi))
            weights.append(density - drawn + float(np.linalg.slogdet(factor)[1]))
            losses.append(density - self.log_density(other, output))
        return _epsilon_at(self.delta, np.asarray(losses), np.exp(np.asarray(weights)) / len(points))

    def worst_answer(self, one: ObjectiveStatistic, other: ObjectiveStatistic) -> Floats:
        """Return an output whose log ratio is about epsilon; farther away it grows without bound."""
        return self._where_lost(one, other)[0]

    def _where_lost(self, one: ObjectiveStatistic, other: ObjectiveStatistic) -> tuple[Floats, Floats | None]:
        """Return an output whose loss is about epsilon, and a square root of the outputs' covariance around it."""
        sigma = self.noise_scale(one)
        draw = np.zeros(one.rows.ball.dimension)
        # The rows' slopes depend on the output, so that the direction of the loss is found in a few steps.
        for _ in range(_STEPS):
            output = one.minimizer(draw)
            change = one.derivatives(output)[0] - other.derivatives(output)[0]
            size = float(np.linalg.norm(change))
            if size == 0:
                return output, None
            draw = sigma * max(self.epsilon * sigma / size - size / sigma / 2, 0.0) * change / size
        output = one.minimizer(draw)
        return output, np.asarray(sigma * np.linalg.inv(one.derivatives(output)[1]))


def _epsilon_at(delta: float, losses: Floats, weights: Floats) -> float:
    """Return the least epsilon at which the weighed outputs' losses exceed it by delta in all."""

    def failure(epsilon: float) -> float:
        return float(np.sum(weights * np.maximum(-np.expm1(epsilon - losses), 0.0)))

    low, high = 0.0, max(float(losses.max()), 0.0)
    if failure(0.0) <= delta:
        return 0.0
    return bisected(lambda epsilon: failure(epsilon) <= delta, low, high, 60)[1]


# Kept, as an audit asks for the density of thousands of outputs of one mechanism.
@lru_cache(maxsize=64)
def _least_deviation(failure: Callable[[float, float], float], epsilon: float, radius: float, delta: float) -> float:
    """Return the least deviation at which both rows' slopes fail by delta at most, rounded up."""
    low, high = 0.0, radius
    while corners_failure(failure, epsilon, radius / high) > delta:
        low, high = high, 2 * high
    found = bisected(lambda sigma: corners_failure(failure, epsilon, radius / sigma) <= delta, low, high, 60)
    return finite(found[1] * (1 + 1e-9))


def gaussian_failure(epsilon: float, shift: float) -> float:
    """Return the least delta of a Gaussian mechanism of deviation one: Balle and Wang (2018), Theorem 8."""
    if shift == inf:
        return 1.0
    below = float(log_ndtr(shift / 2 - epsilon / shift))
    above = epsilon + float(log_ndtr(-shift / 2 - epsilon / shift))
    # The last term covers the error of ``log_ndtr``, so that a delta is never stated too small.
    return max(exp(below) - exp(min(above, 700.0)), 0.0) + 1e-12 * exp(below)


def mean_excess(epsilon: float, shift: float) -> float:
    """Return E max(Z - epsilon, 0) of a Gaussian mechanism's loss Z, normal of mean shift^2 / 2 and deviation shift.

    At least ``gaussian_failure``, and convex in the direction of the shift, so that it holds for mixtures of rows.
    """
    if shift == inf:
        return inf
    beyond = epsilon / shift - shift / 2
    density = exp(-beyond * beyond / 2) / sqrt(2 * pi)
    tail = exp(float(log_ndtr(-beyond)))
    # Far out both terms nearly cancel: the last one covers their rounding.
    return shift * (max(density - beyond * tail, 0.0) + 1e-12 * density * (1 + abs(beyond)))


def corners_failure(failure: Callable[[float, float], float], epsilon: float, shift: float) -> float:
    """Return the failures of both rows' slopes at once, and of each alone, for one row's shift."""
    return failure(epsilon, 2 * shift) + 2 * failure(epsilon, shift)
