"""Laplace mechanism: Dwork, McSherry, Nissim and Smith (2006)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, tanh
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.calibration import quotient, require
from tacit.mechanisms.noise import check_claim
from tacit.privacy import NoiseSource, NumericStatistic, PureDP
from tacit.privacy.basis import SensitivityKind


@final
@dataclass(frozen=True)
class Laplace:
    """Adds Laplace noise of scale l1 / epsilon to each number; integers get the discrete distribution.

    Privacy: releases the values with noise, epsilon-DP for their L1 sensitivity under the statistic's unit.
    A sensitivity of zero releases them exactly, at the same charge. Proof: ``proofs/mechanisms/laplace.md``.
    """

    share: PureDP
    """What one release may cost."""

    name: ClassVar[str] = "Laplace"

    def __post_init__(self) -> None:
        require(self.share, PureDP)

    def loss(self, statistic: NumericStatistic) -> PureDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: NumericStatistic) -> float:
        """Return l1 / epsilon, rounded up."""
        return quotient(statistic.l1, self.share.epsilon)

    def sensitivity(self, statistic: NumericStatistic) -> tuple[float, SensitivityKind]:
        """Return the L1 sensitivity."""
        return statistic.l1, "l1"

    def sample(self, statistic: NumericStatistic, noise: NoiseSource) -> NDArray[Any]:
        """Return the values with noise, in their shape and type."""
        scale = self.noise_scale(statistic)
        if scale == 0:
            return statistic.unreleased_value.copy()
        check_claim(noise, "laplace", statistic.l1, scale, self.share.epsilon)
        return noise.laplace(statistic.unreleased_value, scale)

    def log_density(self, statistic: NumericStatistic, answer: NDArray[Any]) -> float:
        """Return the logarithm of the density of this answer; of integers, of its probability."""
        value, scale = statistic.unreleased_value, self.noise_scale(statistic)
        if np.shape(answer) != value.shape:
            return -inf
        distance = float(np.abs(answer - value).sum())
        if scale == 0:
            return 0.0 if distance == 0 else -inf
        # The discrete distribution's constant is (1 - a) / (1 + a), a = exp(-1 / scale), which is a hyperbolic tangent.
        constant = tanh(1 / (2 * scale)) if value.dtype == np.int64 else 1 / (2 * scale)
        return value.size * log(constant) - distance / scale

    def divergence(self, one: NumericStatistic, other: NumericStatistic) -> float:
        """Return the L1 distance over the scale: the log ratio at the first value."""
        distance = float(np.abs(one.unreleased_value - other.unreleased_value).sum())
        return 0.0 if distance == 0 else float(np.divide(distance, self.noise_scale(one)))

    def worst_answer(self, one: NumericStatistic, other: NumericStatistic) -> NDArray[Any]:
        """Return the first value itself."""
        return one.unreleased_value.copy()
