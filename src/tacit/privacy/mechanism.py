"""What the accountant asks of a mechanism."""

from __future__ import annotations

from typing import Literal, Protocol, TypeVar

from tacit.privacy.loss import PrivacyLoss
from tacit.privacy.noise_source import NoiseSource
from tacit.privacy.statistic import Statistic

SensitivityKind = Literal["l1", "l2", "range", "gauge"]
StatisticT = TypeVar("StatisticT", bound=Statistic, contravariant=True)
AnswerT = TypeVar("AnswerT", covariant=True)


class Mechanism(Protocol[StatisticT, AnswerT]):
    """Noise of a stated cost. What it says before ``sample`` must not depend on the unreleased value.

    A mechanism that does not draw all its noise from the source may have an attribute ``sampler`` of its own:
    text that the ledger then shows instead of the source's.
    """

    @property
    def name(self) -> str:
        """The field's name for it."""
        ...

    def loss(self, statistic: StatisticT) -> PrivacyLoss:
        """Return what releasing this statistic costs."""
        ...

    def noise_scale(self, statistic: StatisticT) -> float:
        """Return the scale of the noise, in the statistic's units."""
        ...

    def sensitivity(self, statistic: StatisticT) -> tuple[float, SensitivityKind]:
        """Return the sensitivity that the loss is computed from."""
        ...

    def sample(self, statistic: StatisticT, noise: NoiseSource) -> AnswerT:
        """Return the noisy answer; only an accountant may call it."""
        ...
