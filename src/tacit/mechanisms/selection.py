"""Choosing a good candidate: permute-and-flip for pure budgets, the exponential mechanism for zCDP."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, final

from tacit.mechanisms.noise import check_claim
from tacit.mechanisms.scales import finite, pure_scale
from tacit.mechanisms.selecting import Selecting
from tacit.privacy import ZCDP, NoiseSource, PureDP, SelectionStatistic
from tacit.privacy.rounding import slightly_up


@final
@dataclass(frozen=True)
class PermuteAndFlip(Selecting[PureDP]):
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
    >>> import numpy as np
    >>> from tacit.privacy import PrivacyUnit
    >>> scores = SelectionStatistic("cut", PrivacyUnit(("age",), label=False), np.asarray([3, 5]), range=2.0)
    >>> PermuteAndFlip(PureDP(0.5)).noise_scale(scores)
    4.0
    """

    currency: ClassVar[type[PureDP] | type[ZCDP]] = PureDP

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "permute-and-flip"

    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return range / epsilon, rounded up."""
        return pure_scale(statistic, self.share)

    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int:
        check_claim(noise, "permute-and-flip", statistic.range, scale, self.share.epsilon)
        return noise.permute_and_flip(statistic.unreleased_value, scale)


@final
@dataclass(frozen=True)
class ExponentialMechanism(Selecting[ZCDP]):
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
    >>> import numpy as np
    >>> from tacit.privacy import PrivacyUnit
    >>> scores = SelectionStatistic("cut", PrivacyUnit(("age",), label=False), np.asarray([3, 5]), range=2.0)
    >>> round(ExponentialMechanism(ZCDP(0.125)).noise_scale(scores), 6)
    2.0
    """

    currency: ClassVar[type[PureDP] | type[ZCDP]] = ZCDP

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "exponential mechanism"

    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return 1 / eta = range / sqrt(8 rho), rounded up."""
        return finite(slightly_up(statistic.range / sqrt(8 * self.share.rho)))

    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int:
        check_claim(noise, "exponential-mechanism", statistic.range, scale, self.share.rho)
        return noise.exponential_mechanism(statistic.unreleased_value, scale)
