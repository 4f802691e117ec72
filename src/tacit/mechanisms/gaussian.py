"""Gaussian noise: under zCDP, and calibrated to (epsilon, delta) exactly."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, hypot, inf, log, pi, sqrt
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from tacit.errors import ParameterError
from tacit.mechanisms.calibration import finite, require
from tacit.mechanisms.noise import check_claim
from tacit.privacy import ZCDP, ApproximateDP, NoiseSource, NumericStatistic, gaussian_rho
from tacit.privacy.basis import SensitivityKind
from tacit.privacy.bisection import bisected
from tacit.privacy.gaussians_last import SMOOTHING
from tacit.privacy.rounding import slightly_up

# Enough to narrow any bracket of floats to neighbors.
_BISECTIONS = 200
_SAFETY = 1 + 2.0**-30
"""Raises the deviation above the error of the normal distribution function."""


@final
@dataclass(frozen=True)
class Gaussian:
    """Adds Gaussian noise of deviation l2 / sqrt(2 rho) to each number; integers get the discrete distribution.

    Privacy: releases the values with noise, rho-zCDP for their L2 sensitivity under the statistic's unit.
    A sensitivity of zero releases them exactly, at the same charge. Proof: ``proofs/mechanisms/gaussian.md``.
    """

    share: ZCDP
    """What one release may cost."""

    name: ClassVar[str] = "Gaussian"

    def __post_init__(self) -> None:
        require(self.share, ZCDP)

    def loss(self, statistic: NumericStatistic) -> ZCDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: NumericStatistic) -> float:
        """Return l2 / sqrt(2 rho), rounded up; for the exact distribution a little more, as the discrete one needs."""
        deviation = statistic.l2 / sqrt(2 * self.share.rho)
        if self.share.gaussian and deviation:
            deviation = hypot(deviation, SMOOTHING)
        return finite(slightly_up(deviation))

    def sensitivity(self, statistic: NumericStatistic) -> tuple[float, SensitivityKind]:
        """Return the L2 sensitivity."""
        return statistic.l2, "l2"

    def sample(self, statistic: NumericStatistic, noise: NoiseSource) -> NDArray[Any]:
        """Return the values with noise, in their shape and type."""
        deviation = self.noise_scale(statistic)
        if deviation == 0:
            return statistic.unreleased_value.copy()
        check_claim(noise, "gaussian", statistic.l2, deviation, self.share.rho)
        return noise.gaussian(statistic.unreleased_value, deviation)

    def log_density(self, statistic: NumericStatistic, answer: NDArray[Any]) -> float:
        """Return the logarithm of the density of this answer; of integers, of its probability."""
        return gaussian_log_density(statistic.unreleased_value, self.noise_scale(statistic), answer)

    def divergence(self, one: NumericStatistic, other: NumericStatistic) -> float:
        """Return the squared L2 distance over twice the variance: Renyi's divergence over its order, for every order.

        Of the discrete distribution it is that for whole orders, and never more.
        """
        return _shift(one, other, self.noise_scale(one)) ** 2 / 2

    def worst_answer(self, one: NumericStatistic, other: NumericStatistic) -> NDArray[Any]:
        """Return the first value itself; farther away from the other the log ratio grows without bound."""
        return one.unreleased_value.copy()


def gaussian_delta(epsilon: float, ratio: float) -> float:
    """Return the exact delta at epsilon of Gaussian noise whose deviation is ``ratio`` times the L2 sensitivity.

    Phi(1/(2 ratio) - epsilon ratio) - exp(epsilon) Phi(-1/(2 ratio) - epsilon ratio). Balle and Wang (2018), Theorem 5.
    """
    # In logarithms: exp(epsilon) overflows where the probability beside it is as small.
    above = float(log_ndtr(1 / (2 * ratio) - epsilon * ratio))
    below = epsilon + float(log_ndtr(-1 / (2 * ratio) - epsilon * ratio))
    return max(0.0, exp(above) - exp(below))


def gaussian_ratio(epsilon: float, delta: float) -> float:
    """Return the least deviation in units of the L2 sensitivity that gives (epsilon, delta), rounded up."""
    if not delta > 0:
        raise ParameterError("Expected a delta above zero for Gaussian noise, got delta=0. Pass one far below 1/rows.")
    low, high = 1e-8, 1.0
    while gaussian_delta(epsilon, high) > delta and high < inf:
        high *= 2
    return bisected(lambda ratio: gaussian_delta(epsilon, ratio) <= delta, low, high, _BISECTIONS)[1] * _SAFETY


@final
@dataclass(frozen=True)
class AnalyticGaussian:
    """Adds the least Gaussian noise that is (epsilon, delta)-DP for the statistic's L2 sensitivity.

    Privacy: releases the values with noise, (epsilon, delta)-DP. Proof: ``proofs/mechanisms/analytic_gaussian.md``.
    Values are float64, as the calibration is that of the continuous distribution.
    """

    share: ApproximateDP
    """What one release may cost; delta above zero."""

    name: ClassVar[str] = "analytic Gaussian"

    def __post_init__(self) -> None:
        gaussian_ratio(self.share.epsilon, self.share.delta)

    def loss(self, statistic: NumericStatistic) -> ApproximateDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: NumericStatistic) -> float:
        """Return the deviation, rounded up."""
        return finite(slightly_up(statistic.l2 * gaussian_ratio(self.share.epsilon, self.share.delta)))

    def sensitivity(self, statistic: NumericStatistic) -> tuple[float, SensitivityKind]:
        """Return the L2 sensitivity."""
        return statistic.l2, "l2"

    def sample(self, statistic: NumericStatistic, noise: NoiseSource) -> NDArray[Any]:
        """Return the values with noise, in their shape."""
        if statistic.unreleased_value.dtype.kind != "f":
            raise ParameterError(
                "Expected float64 values: a discrete distribution has another delta. Use Gaussian for integers."
            )
        deviation = self.noise_scale(statistic)
        if deviation == 0:
            return statistic.unreleased_value.copy()
        check_claim(noise, "gaussian", statistic.l2, deviation, slightly_up(gaussian_rho(statistic.l2, deviation)))
        return noise.gaussian(statistic.unreleased_value, deviation)

    def log_density(self, statistic: NumericStatistic, answer: NDArray[Any]) -> float:
        """Return the logarithm of the density of this answer."""
        return gaussian_log_density(statistic.unreleased_value, self.noise_scale(statistic), answer)

    def divergence(self, one: NumericStatistic, other: NumericStatistic) -> float:
        """Return the exact epsilon at the share's delta for these two values."""
        return gaussian_epsilon(self.share.delta, _shift(one, other, self.noise_scale(one)))

    def worst_answer(self, one: NumericStatistic, other: NumericStatistic) -> NDArray[Any]:
        """Return the first value itself; farther away from the other the log ratio grows without bound."""
        return one.unreleased_value.copy()


def gaussian_epsilon(delta: float, shift: float) -> float:
    """Return the least epsilon at delta of Gaussian noise of deviation one against itself moved by ``shift``.

    Examples
    --------
    >>> round(gaussian_epsilon(1e-6, 1 / 4.2247), 3)
    1.0
    """
    if shift == inf:
        return inf
    if shift == 0 or gaussian_delta(0.0, 1 / shift) <= delta:
        return 0.0
    low, high = 0.0, 1.0
    while gaussian_delta(high, 1 / shift) > delta and high < inf:
        low, high = high, 2 * high
    return bisected(lambda epsilon: gaussian_delta(epsilon, 1 / shift) <= delta, low, high, 60)[1]


def gaussian_log_density(value: NDArray[Any], deviation: float, answer: NDArray[Any]) -> float:
    """Return the logarithm of the density of Gaussian noise around a value; of integers, of the discrete distribution.

    Examples
    --------
    >>> round(gaussian_log_density(np.zeros(1), 1.0, np.zeros(1)), 4)  # -log(2 pi) / 2
    -0.9189
    """
    if np.shape(answer) != value.shape:
        return -inf
    squared = float(((answer - value) ** 2).sum())
    if deviation == 0:
        return 0.0 if squared == 0 else -inf
    total = deviation * sqrt(2 * pi)
    # From deviation 8 on, the sum over integers is the integral to the last digit (Poisson's summation).
    if value.dtype == np.int64 and deviation < 8:
        total = float(np.exp(-(np.arange(-400, 401) ** 2) / (2 * deviation**2)).sum())
    return -squared / (2 * deviation**2) - value.size * log(total)


def _shift(one: NumericStatistic, other: NumericStatistic, deviation: float) -> float:
    """Return the L2 distance of two values in units of the deviation."""
    distance = float(np.linalg.norm(one.unreleased_value - other.unreleased_value))
    return 0.0 if distance == 0 else float(np.divide(distance, deviation))
