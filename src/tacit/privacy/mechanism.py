"""Protocols of mechanisms and noise sources: what an accountant asks of them."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.privacy.basis import SensitivityKind
from tacit.privacy.loss import PrivacyLoss
from tacit.privacy.statistic import Statistic

Number = TypeVar("Number", np.float64, np.int64)
StatisticT = TypeVar("StatisticT", bound=Statistic, contravariant=True)
AnswerT = TypeVar("AnswerT", covariant=True)


class NoiseSource(Protocol):
    """Noise and choices; values of type float64 get continuous distributions, values of type int64 discrete ones."""

    @property
    def description(self) -> str:
        """Where the noise comes from, in words, for the certificate."""

    @property
    def is_private(self) -> bool:
        """Whether nobody can know or repeat the draws."""

    @property
    def sampler(self) -> str:
        """Short name for the record of a release."""

    def laplace(self, values: NDArray[Number], scale: float) -> NDArray[Number]:
        """Return values plus independent Laplace noise, density exp(-|x|/scale)."""

    def gaussian(self, values: NDArray[Number], deviation: float) -> NDArray[Number]:
        """Return values plus independent Gaussian noise of the given standard deviation."""

    def permute_and_flip(self, scores: NDArray[Any], scale: float) -> int:
        """Return the index of the largest score after exponential noise of the given mean on each."""

    def exponential_mechanism(self, scores: NDArray[Any], scale: float) -> int:
        """Return index i with probability proportional to exp(scores[i] / scale)."""

    def integers(self, stops: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return independent integers, each uniform on 0 up to and without its stop; of secure noise, exact draws."""

    def uniform(self, size: int) -> NDArray[np.float64]:
        """Return independent numbers uniform on (0, 1); of secure noise, exact draws rounded to floats."""

    def exponential(self, size: int) -> NDArray[np.float64]:
        """Return independent standard exponential numbers; of secure noise, exact draws rounded to floats."""


class Mechanism(Protocol[StatisticT, AnswerT]):
    """Noise of a stated cost. What it states before ``sample`` must not depend on the unreleased value.

    A mechanism that does not draw all its noise from the source may have an attribute ``sampler`` of its own:
    text that the record then shows instead of the source's.
    """

    @property
    def name(self) -> str:
        """The field's name for it."""

    def loss(self, statistic: StatisticT) -> PrivacyLoss:
        """Return what releasing this statistic costs."""

    def noise_scale(self, statistic: StatisticT) -> float:
        """Return the scale of the noise, in the statistic's units."""

    def sensitivity(self, statistic: StatisticT) -> tuple[float, SensitivityKind]:
        """Return the sensitivity that the loss is computed from."""

    def sample(self, statistic: StatisticT, noise: NoiseSource) -> AnswerT:
        """Return the noisy answer; only an accountant may call it."""


class Replayable(Mechanism[StatisticT, AnswerT], Protocol[StatisticT, AnswerT]):
    """A mechanism whose exact distribution is known, so that an audit can compare it on two neighbors' statistics."""

    def log_density(self, statistic: StatisticT, answer: Any) -> float:
        """Return the logarithm of the density, or probability, of this answer; as secret as the statistic."""

    def divergence(self, one: StatisticT, other: StatisticT) -> float:
        """Return what a release of ``one`` in place of ``other`` costs, exactly, in the currency of ``loss``.

        The largest log ratio of densities for a pure loss; the largest Renyi divergence over its order for zCDP; the
        least epsilon at the loss's delta for approximate DP. A release costs at most the larger of both directions. As
        secret as the statistics.
        """

    def worst_answer(self, one: StatisticT, other: StatisticT) -> Any:
        """Return an answer whose log ratio of densities is the largest, or large where no answer's is."""
