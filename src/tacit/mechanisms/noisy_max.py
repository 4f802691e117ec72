"""Weighted noisy max: Salamatian (2021), section 2.6; report-noisy-max of Dwork and Roth (2014)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tacit.mechanisms.scales import pure_scale, require
from tacit.privacy import NoiseSource, PureDP, SelectionStatistic
from tacit.privacy.mechanism import SensitivityKind


@final
@dataclass(frozen=True)
class WeightedNoisyMax:
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
    >>> from tacit.privacy import PrivacyUnit
    >>> scores = SelectionStatistic("cut", PrivacyUnit(("age",), label=False), np.asarray([3, 5]), range=2.0)
    >>> WeightedNoisyMax(PureDP(0.5)).noise_scale(scores)
    4.0
    """

    share: PureDP

    def __post_init__(self) -> None:
        require(self.share, PureDP)

    @property
    def name(self) -> str:
        """The field's name for it."""
        return "weighted noisy max"

    def loss(self, statistic: SelectionStatistic) -> PureDP:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return range / epsilon, rounded up."""
        return pure_scale(statistic, self.share)

    def sensitivity(self, statistic: SelectionStatistic) -> tuple[float, SensitivityKind]:
        """Return the range."""
        return statistic.range, "range"

    def sample(self, statistic: SelectionStatistic, noise: NoiseSource) -> int:
        """Return the index of the largest noisy score, the first of equal ones."""
        scores = np.asarray(statistic.unreleased_value, dtype=np.float64)
        scale = self.noise_scale(statistic)
        return int(np.argmax(noise.laplace(scores, scale) if scale else scores))
