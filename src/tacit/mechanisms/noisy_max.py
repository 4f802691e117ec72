"""Weighted noisy max: Salamatian (2021), section 2.6; report-noisy-max of Dwork and Roth (2014)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from tacit.mechanisms.noise import check_claim
from tacit.mechanisms.scales import pure_scale
from tacit.mechanisms.selecting import Selecting
from tacit.privacy import ZCDP, NoiseSource, PureDP, SelectionStatistic


@final
@dataclass(frozen=True)
class WeightedNoisyMax(Selecting[PureDP]):
    """Selects the largest score after Laplace noise of scale range / epsilon; only the index leaves.

    Parameters
    ----------
    share : PureDP
        What one release may cost.

    Notes
    -----
    Privacy: releases an index, epsilon-DP for the scores' range under the statistic's unit, however many
    candidates there are. The noisy scores themselves would cost far more and never leave. Proof:
    ``proofs/mechanisms/weighted_selection.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.privacy import PrivacyUnit
    >>> scores = SelectionStatistic("cut", PrivacyUnit(("age",), label=False), np.asarray([3, 5]), range=2.0)
    >>> WeightedNoisyMax(PureDP(0.5)).noise_scale(scores)
    4.0
    """

    currency: ClassVar[type[PureDP] | type[ZCDP]] = PureDP

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "weighted noisy max"

    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return range / epsilon, rounded up."""
        return pure_scale(statistic, self.share)

    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int:
        # As in the proof: the winner's own noise pays for a threshold that moves by the range, as a number would.
        check_claim(noise, "laplace", statistic.range, scale, self.share.epsilon)
        scores = np.asarray(statistic.unreleased_value, dtype=np.float64)
        return int(np.argmax(noise.laplace(scores, scale)))
