"""Gaussian mechanism under zCDP: Bun and Steinke (2016); on integers, Canonne, Kamath and Steinke (2020)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, final

from numpy.typing import NDArray

from tacit.mechanisms.noise import check_claim
from tacit.mechanisms.scales import finite, require
from tacit.privacy import ZCDP, NoiseSource, NumericStatistic
from tacit.privacy.mechanism import SensitivityKind
from tacit.privacy.rounding import slightly_up


@final
@dataclass(frozen=True)
class Gaussian:
    """Adds Gaussian noise of deviation l2 / sqrt(2 rho) to each number; integers get the discrete law.

    Parameters
    ----------
    share : ZCDP
        What one release may cost.

    Notes
    -----
    Privacy: releases the values with noise, rho-zCDP for their L2 sensitivity under the statistic's unit.
    A sensitivity of zero releases them exactly, at the same charge. Proof: ``proofs/mechanisms/gaussian.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.privacy import PrivacyUnit
    >>> count = NumericStatistic("rows", PrivacyUnit(("age",), label=False), np.asarray(60), l1=1.0, l2=1.0)
    >>> round(Gaussian(ZCDP(0.125)).noise_scale(count), 6)
    2.0
    """

    share: ZCDP

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
