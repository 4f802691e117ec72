"""A release that counts as its part of a composition, where that is not a sum of pure losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, final

from tacit.privacy import ApproximateDP, NoiseSource
from tacit.privacy.basis import SensitivityKind
from tacit.privacy.mechanism import Mechanism
from tacit.privacy.statistic import Statistic

StatisticT = TypeVar("StatisticT", bound=Statistic)
AnswerT = TypeVar("AnswerT")


@final
@dataclass(frozen=True)
class Composed(Generic[StatisticT, AnswerT]):
    """A mechanism, charged as one part of a whole that advanced composition bounds.

    Parameters
    ----------
    mechanism : Mechanism
        What draws the answer, at a pure loss of its own.
    charged : ApproximateDP
        Its part of the whole, however the parts are divided.

    Notes
    -----
    Privacy: says nothing of one release alone. If rounds of e0-DP each are (epsilon, delta)-DP together by advanced
    composition, then parts that add up to (epsilon, delta) are charged right once all rounds are done, and fewer
    cost no more. A part alone promises nothing, so a certificate that holds one is void.
    Proof of the whole: ``proofs/privacy/composition.md``, claim 4.
    """

    mechanism: Mechanism[StatisticT, AnswerT]
    charged: ApproximateDP

    @property
    def name(self) -> str:
        """The field's name for the mechanism."""
        return self.mechanism.name

    def loss(self, statistic: StatisticT) -> ApproximateDP:
        """Return the part."""
        return self.charged

    def noise_scale(self, statistic: StatisticT) -> float:
        """Return the mechanism's scale."""
        return self.mechanism.noise_scale(statistic)

    def sensitivity(self, statistic: StatisticT) -> tuple[float, SensitivityKind]:
        """Return the mechanism's sensitivity."""
        return self.mechanism.sensitivity(statistic)

    def sample(self, statistic: StatisticT, noise: NoiseSource) -> AnswerT:
        """Return the mechanism's answer."""
        return self.mechanism.sample(statistic, noise)
