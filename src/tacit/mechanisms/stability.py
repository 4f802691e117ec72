"""Stability-based histogram: values of a column leave if their noisy counts reach a threshold.

Korolova, Kenthapadi, Mishra and Ntoulas (2009); Bun, Nissim and Stemmer (2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, inf, log, log1p, tanh
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from tacit.errors import ParameterError
from tacit.mechanisms.calibration import finite, quotient
from tacit.mechanisms.noise import check_claim
from tacit.privacy import NoiseSource, PureDP, UpToDelta
from tacit.privacy.basis import SensitivityKind
from tacit.privacy.rounding import slightly_up
from tacit.privacy.stability import ColumnValue, StabilityStatistic

Listed = tuple[tuple[ColumnValue, int], ...]
"""Values in their own order, each with its noisy count."""

_SAFETY = 2.0**-30
"""Above the relative error of the tails' logarithms."""

_FARTHEST = 64.0
"""Of a tail, in deviations or in fifths of a scale: beyond it lies less than the least delta."""


@final
@dataclass(frozen=True)
class Stability:
    """Adds discrete noise to the count of each value that occurs, and releases the values of the threshold or more.

    Privacy: the share, up to the share's delta, under the statistic's unit: a value that only one person has reaches
    the threshold with a probability of at most delta, and all other counts have noise for their sensitivity. Proof:
    ``proofs/mechanisms/stability.md``.
    """

    share: UpToDelta
    """What one release may cost."""

    def __post_init__(self) -> None:
        if self.share.delta <= 0:
            raise ParameterError("Expected a delta above zero for a threshold, got delta=0. Give one far below 1/rows.")

    @property
    def name(self) -> str:
        """With the distribution of its noise."""
        return f"thresholded discrete {'Laplace' if self._is_pure else 'Gaussian'}"

    def loss(self, statistic: StabilityStatistic) -> UpToDelta:
        """Return the share."""
        return self.share

    def sensitivity(self, statistic: StabilityStatistic) -> tuple[float, SensitivityKind]:
        """Return the L1 sensitivity, or L2 under zCDP."""
        return (statistic.l1, "l1") if self._is_pure else (statistic.l2, "l2")

    def noise_scale(self, statistic: StabilityStatistic) -> float:
        """Return l1 / epsilon, or l2 / sqrt(2 rho), rounded up."""
        share = self.share.share
        if isinstance(share, PureDP):
            return quotient(statistic.l1, share.epsilon)
        return finite(slightly_up(statistic.l2 / (2 * share.rho) ** 0.5))

    def threshold(self, statistic: StabilityStatistic) -> int:
        """Return the least noisy count that is released: of k rows, k values may be new, each of k rows at most."""
        k = statistic.moved
        return k + self._distance(self.share.delta / k, self.noise_scale(statistic))

    def sample(self, statistic: StabilityStatistic, noise: NoiseSource) -> Listed:
        """Return the values that reach the threshold, with their noisy counts, in the values' order."""
        counts, scale = statistic.unreleased_value, self.noise_scale(statistic)
        if isinstance(self.share.share, PureDP):
            check_claim(noise, "laplace", statistic.l1, scale, self.share.share.epsilon)
            noisy: NDArray[np.int64] = noise.laplace(counts, scale)
        else:
            check_claim(noise, "gaussian", statistic.l2, scale, self.share.share.rho)
            noisy = noise.gaussian(counts, scale)
        least = self.threshold(statistic)
        pairs = zip(statistic.values, noisy.tolist(), strict=True)
        return tuple((value, count) for value, count in pairs if count >= least)

    def log_density(self, statistic: StabilityStatistic, answer: Listed) -> float:
        """Return the logarithm of the probability of this answer."""
        counts, least, scale = statistic.counts, self.threshold(statistic), self.noise_scale(statistic)
        shown = dict(answer)
        if shown.keys() - counts.keys() or min(shown.values(), default=least) < least:
            return -inf
        seen = sum(self._log_probability(noisy - counts[value], scale) for value, noisy in answer)
        hidden = (self._log_below(least - count, scale) for value, count in counts.items() if value not in shown)
        return seen + sum(hidden)

    def divergence(self, one: StabilityStatistic, other: StabilityStatistic) -> float:
        """Return the cost of the counts that both tables have, infinite where the others pass more often than delta.

        In the currency of the share: the L1 distance over the scale, or the squared L2 distance over twice the
        variance.
        """
        mine, its, scale = one.counts, other.counts, self.noise_scale(one)
        least = self.threshold(one)
        alone = [count for value, count in mine.items() if value not in its]
        if sum(exp(self._log_tail(least - count, scale)) for count in alone) > self.share.delta:
            return inf
        moved = [mine[value] - its[value] for value in mine.keys() & its.keys()]
        if self._is_pure:
            return sum(map(abs, moved)) / scale
        return sum(each**2 for each in moved) / (2 * scale**2)

    def worst_answer(self, one: StabilityStatistic, other: StabilityStatistic) -> Listed:
        """Return the counts of the first that both tables have, where they reach the threshold."""
        least, common = self.threshold(one), other.counts.keys()
        return tuple((value, count) for value, count in one.counts.items() if value in common and count >= least)

    @property
    def _is_pure(self) -> bool:
        return isinstance(self.share.share, PureDP)

    def _distance(self, failure: float, scale: float) -> int:
        """Return a whole number that noise reaches with a probability of at most ``failure``."""
        wanted = log(failure) - _SAFETY * (1 + abs(log(failure)))
        low, high = 0, ceil(_FARTHEST * (5 * scale if self._is_pure else scale)) + 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._log_tail(middle, scale) <= wanted else (middle, high)
        return high

    def _log_tail(self, at: int, scale: float) -> float:
        """Return the logarithm of a bound on the probability that noise reaches a whole number; exact for Laplace."""
        if at <= 0:
            return 0.0
        if self._is_pure:
            return -at / scale - log1p(exp(-1 / scale))
        # Canonne, Kamath and Steinke (2020), Proposition 25: the continuous tail one earlier.
        return float(log_ndtr(-(at - 1) / scale))

    def _log_below(self, at: int, scale: float) -> float:
        """Return the logarithm of the probability that noise stays below a whole number."""
        if not self._is_pure:
            return float(log_ndtr((at - 0.5) / scale))  # the midpoint rule, off by 1/(24 scale^2) of itself at the mode
        return log1p(-exp(self._log_tail(at, scale))) if at > 0 else self._log_tail(1 - at, scale)

    def _log_probability(self, noise: int, scale: float) -> float:
        """Return the logarithm of the probability of one whole number."""
        if self._is_pure:
            return log(tanh(1 / (2 * scale))) - abs(noise) / scale
        total = float(np.exp(-(np.arange(-40 * ceil(scale), 40 * ceil(scale) + 1) ** 2) / (2 * scale**2)).sum())
        return -(noise**2) / (2 * scale**2) - log(total)
