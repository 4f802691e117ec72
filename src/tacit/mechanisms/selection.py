"""Choosing a good candidate: permute-and-flip for pure budgets, the exponential mechanism for zCDP."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import final

import numpy as np

from tacit.mechanisms.noise import check_claim
from tacit.mechanisms.scales import finite, require
from tacit.privacy import ZCDP, NoiseSource, PureDP, SelectionStatistic
from tacit.privacy.mechanism import SensitivityKind
from tacit.privacy.rounding import slightly_up, up


@final
@dataclass(frozen=True)
class PermuteAndFlip:
    """Selects the largest score after exponential noise of mean range / epsilon.

    McKenna and Sheldon (2020); a noisy maximum by Ding and others (2021).

    Parameters
    ----------
    share : PureDP
        What one release may cost.

    Notes
    -----
    Privacy: releases an index, epsilon-DP for the scores' range under the statistic's unit; never worse in
    expected score than the exponential mechanism, but not epsilon^2/8-zCDP. A range of zero releases the first
    best, at the same charge. Proof: ``proofs/mechanisms/permute_and_flip.md``.

    Examples
    --------
    >>> from tacit.privacy import PrivacyUnit
    >>> scores = SelectionStatistic("cut", PrivacyUnit(("age",), label=False), np.asarray([3, 5]), range=2.0)
    >>> PermuteAndFlip(PureDP(0.5)).noise_scale(scores)
    4.0
    """

    share: PureDP

    def __post_init__(self) -> None:
        require(self.share, PureDP)

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "permute-and-flip"

    def loss(self, statistic: SelectionStatistic) -> PureDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return range / epsilon, rounded up."""
        return finite(up(Fraction(statistic.range) / Fraction(self.share.epsilon)))

    def sensitivity(self, statistic: SelectionStatistic) -> tuple[float, SensitivityKind]:
        """Return the range."""
        return statistic.range, "range"

    def sample(self, statistic: SelectionStatistic, noise: NoiseSource) -> int:
        """Return the index of the chosen candidate."""
        scale = self.noise_scale(statistic)
        if scale == 0:
            return int(np.argmax(statistic.unreleased_value))
        check_claim(noise, "permute-and-flip", statistic.range, scale, self.share.epsilon)
        return noise.permute_and_flip(statistic.unreleased_value, scale)


@final
@dataclass(frozen=True)
class ExponentialMechanism:
    """Selects with probability proportional to exp(eta * score), eta = sqrt(8 rho) / range.

    McSherry and Talwar (2007); drawn as the largest score after Gumbel noise.

    Parameters
    ----------
    share : ZCDP
        What one release may cost.

    Notes
    -----
    Privacy: releases an index, rho-zCDP by bounded range (Dong, Durfee and Rogers 2020) for the scores' range
    under the statistic's unit. A range of zero releases the first best, at the same charge. Proof:
    ``proofs/mechanisms/exponential_mechanism.md``.

    Examples
    --------
    >>> from tacit.privacy import PrivacyUnit
    >>> scores = SelectionStatistic("cut", PrivacyUnit(("age",), label=False), np.asarray([3, 5]), range=2.0)
    >>> round(ExponentialMechanism(ZCDP(0.125)).noise_scale(scores), 6)
    2.0
    """

    share: ZCDP

    def __post_init__(self) -> None:
        require(self.share, ZCDP)

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "exponential mechanism"

    def loss(self, statistic: SelectionStatistic) -> ZCDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return 1 / eta = range / sqrt(8 rho), rounded up."""
        return finite(slightly_up(statistic.range / sqrt(8 * self.share.rho)))

    def sensitivity(self, statistic: SelectionStatistic) -> tuple[float, SensitivityKind]:
        """Return the range."""
        return statistic.range, "range"

    def sample(self, statistic: SelectionStatistic, noise: NoiseSource) -> int:
        """Return the index of the chosen candidate."""
        scale = self.noise_scale(statistic)
        if scale == 0:
            return int(np.argmax(statistic.unreleased_value))
        check_claim(noise, "exponential-mechanism", statistic.range, scale, self.share.rho)
        return noise.exponential_mechanism(statistic.unreleased_value, scale)
