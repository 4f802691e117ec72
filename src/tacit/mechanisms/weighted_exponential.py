"""The weighted exponential mechanism: Salamatian (2021), Definition 2.6.3, under a pure budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from tacit.mechanisms.noise import check_claim
from tacit.mechanisms.scales import pure_scale
from tacit.mechanisms.selecting import Selecting
from tacit.privacy import ZCDP, NoiseSource, PureDP, SelectionStatistic
from tacit.privacy.rounding import slightly_up


@final
@dataclass(frozen=True)
class WeightedExponentialMechanism(Selecting[PureDP]):
    """Selects candidate h with probability proportional to exp(eta * score), eta = epsilon / range.

    Scores are weighted errors or other sums under weights that move with the rows. Permute-and-flip costs the same
    and is never worse; this one is here for comparison.

    Parameters
    ----------
    share : PureDP
        What one release may cost.

    Notes
    -----
    Privacy: releases an index, epsilon-DP for the scores' range under the statistic's unit. Proof:
    ``proofs/mechanisms/weighted_selection.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.privacy import PrivacyUnit
    >>> scores = SelectionStatistic("cut", PrivacyUnit(("age",), label=False), np.asarray([3, 5]), range=2.0)
    >>> WeightedExponentialMechanism(PureDP(0.5)).noise_scale(scores)
    4.0
    """

    currency: ClassVar[type[PureDP] | type[ZCDP]] = PureDP

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "weighted exponential mechanism"

    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return 1 / eta = range / epsilon, rounded up."""
        return pure_scale(statistic, self.share)

    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int:
        # OpenDP states this law's cost as (range / scale)^2 / 8 under zCDP, which grows with range / scale = epsilon.
        check_claim(noise, "exponential-mechanism", statistic.range, scale, slightly_up(self.share.epsilon**2 / 8))
        return noise.exponential_mechanism(statistic.unreleased_value, scale)
