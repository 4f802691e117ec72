"""What the mechanisms that select have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

import numpy as np

from tacit.mechanisms.scales import require
from tacit.privacy import ZCDP, NoiseSource, PureDP, SelectionStatistic
from tacit.privacy.mechanism import SensitivityKind

ShareT = TypeVar("ShareT", PureDP, ZCDP)


@dataclass(frozen=True)
class Selecting(ABC, Generic[ShareT]):
    """Releases the index of a good candidate, at the cost of a share, for a range of scores; abstract.

    Parameters
    ----------
    share : PureDP or ZCDP
        What one release may cost.

    Notes
    -----
    Privacy: scores that no neighbor moves, of range zero, release the first best at the same charge. Proofs:
    ``proofs/mechanisms/permute_and_flip.md``, ``exponential_mechanism.md``, ``weighted_selection.md``.
    """

    share: ShareT
    currency: ClassVar[type[PureDP] | type[ZCDP]]

    def __post_init__(self) -> None:
        require(self.share, self.currency)

    @property
    @abstractmethod
    def name(self) -> str:
        """The field's name for it."""

    @abstractmethod
    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return the scale of the noise, in the scores' units."""

    def loss(self, statistic: SelectionStatistic) -> ShareT:
        """Return the share."""
        return self.share

    def sensitivity(self, statistic: SelectionStatistic) -> tuple[float, SensitivityKind]:
        """Return the range."""
        return statistic.range, "range"

    def sample(self, statistic: SelectionStatistic, noise: NoiseSource) -> int:
        """Return the index of the chosen candidate."""
        scale = self.noise_scale(statistic)
        return self._select(statistic, scale, noise) if scale else int(np.argmax(statistic.unreleased_value))

    @abstractmethod
    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int: ...
