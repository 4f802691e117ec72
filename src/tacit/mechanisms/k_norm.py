"""K-norm mechanism, and noise of K-norm, spherical and normal density: Hardt and Talwar (2010)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum, lgamma, log, pi, sqrt
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.calibration import finite, require
from tacit.mechanisms.mask import Mask, density_and_mask, masked_sampler
from tacit.privacy import NoiseSource, PureDP
from tacit.privacy.mechanism import SensitivityKind
from tacit.privacy.rounding import slightly_up
from tacit.privacy.statistic import GaugeStatistic, ProductOfBalls

DRAW_ROUNDING = 2.0**-44
"""Of the noise's largest practical norm: how far a draw, and a sum with it, may be off in floating point. Eight times
the error of an exponential number: products of up to five of these, and some roundings."""


@final
@dataclass(frozen=True)
class KNorm:
    """Adds noise of density exp(-|b|_K epsilon / sensitivity), K being the statistic's product of balls.

    Privacy: releases the vector with noise, epsilon-DP for its gauge sensitivity under the statistic's unit. Proof:
    ``proofs/mechanisms/k_norm.md``.
    """

    share: PureDP
    """What one release may cost: 99 % for this noise, 1 % for exact noise that masks its floats."""
    mask: Mask | None = None
    """Set by ``masking``."""

    name: ClassVar[str] = "K-norm"

    def __post_init__(self) -> None:
        require(self.share, PureDP)

    @property
    def sampler(self) -> str:
        """What draws the noise, for the record of the release."""
        return masked_sampler(self.mask)

    def masking(self, statistic: GaugeStatistic) -> KNorm:
        """Return the mechanism with a mask for the rounding of this statistic, of the noise and of their sum."""
        drawn = DRAW_ROUNDING * k_norm_reach(statistic.ball, self.noise_scale(statistic))
        error = slightly_up(statistic.error + drawn)
        return replace(self, mask=Mask(statistic.ball.dimension, error, density_and_mask(self.share.epsilon)[1]))

    def loss(self, statistic: GaugeStatistic) -> PureDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: GaugeStatistic) -> float:
        """Return sensitivity / epsilon, rounded up."""
        return finite(slightly_up(statistic.sensitivity / density_and_mask(self.share.epsilon)[0]))

    def sensitivity(self, statistic: GaugeStatistic) -> tuple[float, SensitivityKind]:
        """Return the sensitivity in the gauge."""
        return statistic.sensitivity, "gauge"

    def sample(self, statistic: GaugeStatistic, noise: NoiseSource) -> NDArray[np.float64]:
        """Return the vector with noise."""
        mask = self.masking(statistic).mask
        # A mask made for another statistic might hide less than this one's rounding.
        assert mask is not None and (self.mask is None or self.mask == mask)
        draw = k_norm_noise(statistic.ball, self.noise_scale(statistic), noise)
        return mask.apply(statistic.unreleased_value + draw, noise)

    def log_density(self, statistic: GaugeStatistic, answer: NDArray[np.float64]) -> float:
        """Return the logarithm of the density of this answer, without the mask, which has a cost of its own."""
        return k_norm_log_density(statistic.ball, self.noise_scale(statistic), answer - statistic.unreleased_value)

    def divergence(self, one: GaugeStatistic, other: GaugeStatistic) -> float:
        """Return the gauge of the difference over the scale: the log ratio at the first value."""
        return one.ball.gauge(one.unreleased_value - other.unreleased_value) / self.noise_scale(one)

    def worst_answer(self, one: GaugeStatistic, other: GaugeStatistic) -> NDArray[np.float64]:
        """Return the first value itself."""
        return one.unreleased_value.copy()


def k_norm_noise(ball: ProductOfBalls, scale: float, noise: NoiseSource) -> NDArray[np.float64]:
    """Return b of density exp(-|b|_K / scale), up to a constant: a Gamma(d + 1, scale) radius times a point of K.

    The point is uniform in K. In an L1 ball of dimension m it is a vector of signed exponential numbers over
    their sum and one exponential more.
    """
    # A sum of exponential numbers has the Gamma law; fsum rounds once, however many there are.
    radius = scale * fsum(noise.exponential(ball.dimension + 1))
    return np.asarray(radius * np.concatenate([_ball_point(width, noise) for width in ball.widths]))


def k_norm_variances(widths: Sequence[int]) -> NDArray[np.float64]:
    """Return the variance of each coordinate of ``k_norm_noise`` of scale 1, shape (dimension,).

    The mean square of a Gamma(d + 1) radius is (d + 1)(d + 2), of a coordinate of a uniform point of an L1 ball of
    dimension m 2 / ((m + 1)(m + 2)).

    Examples
    --------
    >>> k_norm_variances([1]).tolist()  # a signed Gamma(2) number times a uniform one: a Laplace number
    [2.0]
    """
    dimension, width = int(np.sum(widths)), np.repeat(np.asarray(widths, dtype=np.float64), widths)
    return np.asarray((dimension + 1) * (dimension + 2) * 2 / ((width + 1) * (width + 2)))


def k_norm_log_density(ball: ProductOfBalls, scale: float, draw: NDArray[np.float64]) -> float:
    """Return the logarithm of the density of ``k_norm_noise``; its integral is d! vol(K) scale^d."""
    constant = lgamma(ball.dimension + 1) + ball.log_volume + ball.dimension * log(scale)
    return -ball.gauge(draw) / scale - constant


def k_norm_reach(ball: ProductOfBalls, scale: float) -> float:
    """Return an L2 norm that the noise exceeds with probability below exp(-190).

    A point of K has an L2 norm of at most the root of the number of balls.
    """
    return gamma_reach(ball.dimension + 1) * scale * sqrt(len(ball.widths))


def gamma_reach(shape: int) -> float:
    """Return a number that a Gamma(shape) number exceeds with probability below exp(-190).

    It exceeds k + sqrt(2 k t) + t with probability at most exp(-t): Boucheron, Lugosi and Massart (2013), section 2.4.
    """
    # t = 190, and 20 is above sqrt(2 t).
    return shape + 20 * sqrt(shape) + 190


def sphere_noise(dimension: int, scale: float, noise: NoiseSource) -> NDArray[np.float64]:
    """Return b: a Gamma(d, scale) radius in a uniform direction.

    Privacy: an exact draw rounded to floats, to be masked. Proof: ``proofs/mechanisms/objective_perturbation.md``.
    """
    # Gamma(d) and not Gamma(d + 1) as above, as the direction is a point of the sphere and not of its ball.
    radius = scale * fsum(noise.exponential(dimension))
    direction = normal_noise(dimension, noise)
    # Rounded once: the error of other sums of squares grows with the dimension.
    return np.asarray(radius * direction / sqrt(fsum(direction**2)))


def normal_noise(dimension: int, noise: NoiseSource) -> NDArray[np.float64]:
    """Return independent standard normal numbers, as a vector off by at most 2^-46 of its norm.

    Box and Muller (1958): pairs of a length sqrt(2 E) and an angle, uniform in a quadrant that signs choose. Sines come
    first, as the last cosine is left out of an odd number: a small sine is as exact as a large one. An inverse
    distribution function would lose digits in the tails.
    """
    pairs = (dimension + 1) // 2
    lengths, angles = np.sqrt(2 * noise.exponential(pairs)), pi / 2 * noise.uniform(pairs)
    sizes = np.concatenate([lengths * np.sin(angles), lengths * np.cos(angles)])[:dimension]
    return np.where(noise.uniform(dimension) < 0.5, -sizes, sizes)


def sphere_log_density(scale: float, draw: NDArray[np.float64]) -> float:
    """Return the logarithm of the density; its integral is the sphere's area times Gamma(d) scale^d."""
    dimension = len(draw)
    area = log(2) + dimension / 2 * log(pi) - lgamma(dimension / 2)
    return -float(np.linalg.norm(draw)) / scale - area - lgamma(dimension) - dimension * log(scale)


def sphere_reach(dimension: int, scale: float) -> float:
    """Return an L2 norm that the noise exceeds with probability below exp(-190)."""
    return gamma_reach(dimension) * scale


def normal_reach(dimension: int, deviation: float) -> float:
    """Return an L2 norm that normal noise exceeds with probability below exp(-190)."""
    # The norm exceeds its mean by t deviations with probability at most exp(-t^2 / 2); its mean is below sqrt(d).
    return deviation * (sqrt(dimension) + 20)


def _ball_point(width: int, noise: NoiseSource) -> NDArray[np.float64]:
    # The part that is left out of the result makes the point uniform in the ball rather than on its boundary.
    parts = noise.exponential(width + 1)
    signs = np.where(noise.uniform(width) < 0.5, -1.0, 1.0)
    return np.asarray(signs * parts[:width] / fsum(parts))
