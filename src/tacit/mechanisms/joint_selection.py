"""Choosing for several choices at once: independent noise, one cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.noise import check_claim
from tacit.mechanisms.scales import finite, quotient
from tacit.privacy import NoiseSource, PureDP, Share
from tacit.privacy.joint_selection import JointSelectionStatistic
from tacit.privacy.mechanism import SensitivityKind
from tacit.privacy.rounding import slightly_up


@final
@dataclass(frozen=True)
class JointSelection:
    """Makes each choice by permute-and-flip (a pure share) or the exponential mechanism (a zCDP share).

    Parameters
    ----------
    share : PureDP or ZCDP
        What all choices together may cost.

    Notes
    -----
    Privacy: releases one index for each choice. As the choices' ranges add up to at most the statistic's range,
    the release costs what one selection of that range costs at the same scale. Proof:
    ``proofs/mechanisms/joint_selection.md``.

    Examples
    --------
    >>> from tacit.privacy import PrivacyUnit
    >>> unit = PrivacyUnit(("age",), label=False)
    >>> scores = np.asarray([[3.0, 5.0], [0.0, 1.0]])
    >>> cuts = JointSelectionStatistic("cuts", unit, scores, range=4.0, admitted=np.ones((2, 2), bool))
    >>> JointSelection(PureDP(0.5)).noise_scale(cuts)
    8.0
    """

    share: Share

    @property
    def name(self) -> str:
        """The field's name for it."""
        return f"joint {self._law.replace('-', ' ') if self._law != 'permute-and-flip' else self._law}"

    @property
    def _law(self) -> Any:
        return "permute-and-flip" if isinstance(self.share, PureDP) else "exponential-mechanism"

    def loss(self, statistic: JointSelectionStatistic) -> Share:
        """Return the share."""
        return self.share

    def noise_scale(self, statistic: JointSelectionStatistic) -> float:
        """Return the scale of a single selection of this range and cost, rounded up."""
        if isinstance(self.share, PureDP):
            return quotient(statistic.range, self.share.epsilon)
        return finite(slightly_up(statistic.range / sqrt(8 * self.share.rho)))

    def sensitivity(self, statistic: JointSelectionStatistic) -> tuple[float, SensitivityKind]:
        """Return the range."""
        return statistic.range, "range"

    def sample(self, statistic: JointSelectionStatistic, noise: NoiseSource) -> NDArray[np.intp]:
        """Return the index of the chosen candidate of each choice, shape (n_choices,)."""
        scale = self.noise_scale(statistic)
        if scale > 0:
            loss = self.share.epsilon if isinstance(self.share, PureDP) else self.share.rho
            check_claim(noise, self._law, statistic.range, scale, loss)
        pairs = zip(statistic.unreleased_value, statistic.admitted, strict=True)
        return np.asarray([self._choose(scores, np.flatnonzero(mask), scale, noise) for scores, mask in pairs], np.intp)

    def _choose(self, scores: NDArray[Any], admitted: NDArray[np.intp], scale: float, noise: NoiseSource) -> int:
        offered = scores[admitted]
        if scale == 0:
            return int(admitted[np.argmax(offered)])
        draw = noise.permute_and_flip if isinstance(self.share, PureDP) else noise.exponential_mechanism
        return int(admitted[draw(offered, scale)])
