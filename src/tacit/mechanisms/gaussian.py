"""Gaussian noise: under zCDP, and calibrated to (epsilon, delta) exactly."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, sqrt
from typing import Any, final

from numpy.typing import NDArray
from scipy.special import log_ndtr

from tacit.errors import ParameterError
from tacit.mechanisms.calibration import finite, require
from tacit.mechanisms.noise import check_claim
from tacit.privacy import ZCDP, ApproximateDP, NoiseSource, NumericStatistic, gaussian_rho
from tacit.privacy.mechanism import SensitivityKind
from tacit.privacy.rounding import slightly_up

# Enough to narrow any bracket of floats to neighbors.
_BISECTIONS = 200
_SAFETY = 1 + 2.0**-30
"""Raises the deviation above the error of the normal distribution function."""


@final
@dataclass(frozen=True)
class Gaussian:
    """Adds Gaussian noise of deviation l2 / sqrt(2 rho) to each number; integers get the discrete law.

    Privacy: releases the values with noise, rho-zCDP for their L2 sensitivity under the statistic's unit.
    A sensitivity of zero releases them exactly, at the same charge. Proof: ``proofs/mechanisms/gaussian.md``.
    """

    share: ZCDP
    """What one release may cost."""

    def __post_init__(self) -> None:
        require(self.share, ZCDP)

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "Gaussian"

    def loss(self, statistic: NumericStatistic) -> ZCDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: NumericStatistic) -> float:
        """Return l2 / sqrt(2 rho), rounded up."""
        return finite(slightly_up(statistic.l2 / sqrt(2 * self.share.rho)))

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
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(epsilon, middle) > delta else (low, middle)
    return high * _SAFETY


@final
@dataclass(frozen=True)
class AnalyticGaussian:
    """Adds the least Gaussian noise that is (epsilon, delta)-DP for the statistic's L2 sensitivity.

    Privacy: releases the values with noise, (epsilon, delta)-DP. Proof: ``proofs/mechanisms/analytic_gaussian.md``.
    Values are float64, as the calibration is that of the continuous law.
    """

    share: ApproximateDP
    """What one release may cost; delta above zero."""

    def __post_init__(self) -> None:
        gaussian_ratio(self.share.epsilon, self.share.delta)

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "analytic Gaussian"

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
                "Expected float64 values: a discrete law has another delta. Use Gaussian for integers."
            )
        deviation = self.noise_scale(statistic)
        if deviation == 0:
            return statistic.unreleased_value.copy()
        check_claim(noise, "gaussian", statistic.l2, deviation, slightly_up(gaussian_rho(statistic.l2, deviation)))
        return noise.gaussian(statistic.unreleased_value, deviation)
