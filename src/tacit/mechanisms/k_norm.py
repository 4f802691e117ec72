"""K-norm mechanism, and noise of K-norm, spherical and normal density: Hardt and Talwar (2010)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import cbrt, floor, fsum, lgamma, log, pi, sqrt
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.calibration import finite, require
from tacit.mechanisms.mask import Mask, density_and_mask, masked_sampler
from tacit.privacy import NoiseSource, PureDP
from tacit.privacy.basis import SensitivityKind
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
    # A sum of exponential numbers has the Gamma distribution; fsum rounds once, however many there are.
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


@dataclass(frozen=True, eq=False)
class Part:
    """Columns of similar widths, whose noise is drawn together, and their share in the norm of all of them."""

    ball: ProductOfBalls
    share: float
    positions: NDArray[np.intp]
    """Of their coordinates among all."""


MEAN_SQUARE_OF_NUMBERS = 1 / 3
"""Of a number that is uniform in [-1, 1]: how much of the variance of its coefficient shows in a row's score."""

_SHARES = 2**20
"""Shares are multiples of one over this, rounded down, so that they add up to at most one exactly."""


@lru_cache(maxsize=64)
def parts_of(ball: ProductOfBalls) -> tuple[Part, ...]:
    """Return the parts of a product whose norms, each times its share, add up to the norm of a noise that fits it.

    Rows are in the product, so in each part's gauge they are at most one, and at most one in the sum. In one gauge a
    column's noise grows with the number of all coordinates over its own; divided, columns of few coordinates do not pay
    for those of many. Parts are of consecutive widths, and chosen, as the shares are, so that what noise of independent
    coefficients adds up to over a row's columns has the least variance. Reads widths alone.

    Examples
    --------
    >>> [part.ball.widths for part in parts_of(ProductOfBalls((1,) * 8))]
    [(1, 1, 1, 1, 1, 1, 1, 1)]
    >>> [(part.ball.widths, round(part.share, 2)) for part in parts_of(ProductOfBalls((1, 40, 1)))]
    [((1, 1), 0.52), ((40,), 0.48)]
    """
    widths = sorted(set(ball.widths))
    # The best division of the first widths, by how many they are: a sum of cube roots, and where parts begin.
    best: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for end in range(1, len(widths) + 1):
        tried = (
            (
                best[start][0] + cbrt(_row_variance(_between(ball, widths[start], widths[end - 1]))),
                best[start][1] + (start,),
            )
            for start in range(end)
        )
        best.append(min(tried))
    total, starts = best[-1]
    ends = (*starts[1:], len(widths))
    return tuple(_part(ball, widths[start], widths[end - 1], total) for start, end in zip(starts, ends, strict=True))


def _part(ball: ProductOfBalls, least: int, most: int, total: float) -> Part:
    own = _between(ball, least, most)
    each = np.repeat(ball.widths, ball.widths)
    # Of shares a_g of sum one the sum of V_g / a_g^2 is least where a_g is as the cube root of V_g.
    share = floor(cbrt(_row_variance(own)) / total * _SHARES) / _SHARES
    return Part(own, share, np.flatnonzero((each >= least) & (each <= most)))


def _between(ball: ProductOfBalls, least: int, most: int) -> ProductOfBalls:
    return ProductOfBalls(tuple(width for width in ball.widths if least <= width <= most))


def _row_variance(ball: ProductOfBalls) -> float:
    """Return the variance of a row's score, were each coefficient's that of noise of scale 1."""
    starts = np.cumsum([0, *ball.widths[:-1]])
    variances = k_norm_variances(ball.widths)[starts]
    return float(np.where(np.asarray(ball.widths) == 1, MEAN_SQUARE_OF_NUMBERS, 1.0) @ variances)


def divided_noise(ball: ProductOfBalls, scale: float, noise: NoiseSource) -> NDArray[np.float64]:
    """Return b of density exp(-N(b) / scale), up to a constant, N being the norm of ``parts_of``."""
    draw = np.empty(ball.dimension)
    for part in parts_of(ball):
        draw[part.positions] = k_norm_noise(part.ball, slightly_up(scale / part.share), noise)
    return draw


def divided_log_density(ball: ProductOfBalls, scale: float, draw: NDArray[np.float64]) -> float:
    """Return the logarithm of the density of ``divided_noise``."""
    return sum(
        k_norm_log_density(part.ball, slightly_up(scale / part.share), draw[part.positions]) for part in parts_of(ball)
    )


def divided_variance(ball: ProductOfBalls, scale: float) -> float:
    """Return the largest variance of a coordinate of ``divided_noise``."""
    return max((scale / part.share) ** 2 * float(k_norm_variances(part.ball.widths).max()) for part in parts_of(ball))


def divided_reach(ball: ProductOfBalls, scale: float) -> float:
    """Return an L2 norm that ``divided_noise`` exceeds with probability below exp(-190)."""
    # By 10 more each part's radius is within its own but for exp(-200): enough for all of up to exp(10) parts.
    reaches = [
        slightly_up(scale / part.share) * (gamma_reach(part.ball.dimension + 1) + 10) * sqrt(len(part.ball.widths))
        for part in parts_of(ball)
    ]
    return sqrt(sum(reach**2 for reach in reaches))


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
