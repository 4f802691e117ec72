"""Private selection: noisy maxima and exponential mechanisms, for one choice or several at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, Generic, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.calibration import finite, quotient, require
from tacit.mechanisms.noise import check_claim
from tacit.mechanisms.selection_probabilities import (
    Logs,
    exponential_log_probabilities,
    max_log_ratio,
    permute_and_flip_log_probabilities,
    renyi_rho,
    worst_candidate,
)
from tacit.privacy import ZCDP, NoiseSource, PureDP, SelectionStatistic, Share
from tacit.privacy.basis import SensitivityKind
from tacit.privacy.rounding import slightly_up
from tacit.privacy.statistic import JointSelectionStatistic

ShareT = TypeVar("ShareT", PureDP, ZCDP)
LogProbabilities = Callable[[NDArray[Any], float], Logs]


@dataclass(frozen=True)
class SelectionMechanism(ABC, Generic[ShareT]):
    """Releases the index of a good candidate of one choice; abstract.

    Privacy: scores that no neighbor moves, of range zero, release the first best at the same charge. Proofs:
    ``proofs/mechanisms/permute_and_flip.md``, ``exponential_mechanism.md``.
    """

    share: ShareT
    """What one release may cost."""
    currency: ClassVar[type[PureDP] | type[ZCDP]]

    name: ClassVar[str]

    def __post_init__(self) -> None:
        require(self.share, self.currency)

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
        # A range of zero means that all scores move alike: the first best is the same on every neighbor.
        return self._select(statistic, scale, noise) if scale else int(np.argmax(statistic.unreleased_value))

    def log_density(self, statistic: SelectionStatistic, answer: int) -> float:
        """Return the logarithm of the probability of this candidate."""
        return float(self._log_distribution(statistic)[answer])

    def divergence(self, one: SelectionStatistic, other: SelectionStatistic) -> float:
        """Return the largest log ratio of probabilities, or the largest Renyi divergence over its order."""
        return _divergence(self.share, [(self._log_distribution(one), self._log_distribution(other))])

    def worst_answer(self, one: SelectionStatistic, other: SelectionStatistic) -> int:
        """Return the candidate of the largest log ratio."""
        return worst_candidate(self._log_distribution(one), self._log_distribution(other))

    @staticmethod
    @abstractmethod
    def log_probabilities(scores: NDArray[Any], scale: float) -> Logs:
        """Return the logarithm of each candidate's probability."""

    @abstractmethod
    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int: ...

    def _log_distribution(self, statistic: SelectionStatistic) -> Logs:
        return _log_distribution(self.log_probabilities, statistic.unreleased_value, self.noise_scale(statistic))


class PureSelection(SelectionMechanism[PureDP]):
    """A selection under a pure budget; abstract."""

    currency: ClassVar[type[PureDP] | type[ZCDP]] = PureDP

    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return range / epsilon, rounded up: for an exponential mechanism, 1 / eta."""
        # The range is already the change of a difference of two scores: no factor of two, as for one score's change.
        return quotient(statistic.range, self.share.epsilon)


@final
@dataclass(frozen=True)
class PermuteAndFlip(PureSelection):
    """Selects the largest score after exponential noise of mean range / epsilon.

    McKenna and Sheldon (2020); a noisy maximum by Ding and others (2021).

    Privacy: releases an index, epsilon-DP for the scores' range under the statistic's unit; never worse in
    expected score than the exponential mechanism, but not epsilon^2/8-zCDP. A range of zero releases the first
    best, at the same charge. Proof: ``proofs/mechanisms/permute_and_flip.md``.
    """

    name: ClassVar[str] = "permute-and-flip"
    log_probabilities = staticmethod(permute_and_flip_log_probabilities)

    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int:
        check_claim(noise, "permute-and-flip", statistic.range, scale, self.share.epsilon)
        return noise.permute_and_flip(statistic.unreleased_value, scale)


@final
@dataclass(frozen=True)
class ExponentialMechanism(SelectionMechanism[ZCDP]):
    """Selects with probability proportional to exp(eta * score), eta = sqrt(8 rho) / range.

    McSherry and Talwar (2007); drawn as the largest score after Gumbel noise.

    Privacy: releases an index, rho-zCDP by bounded range (Dong, Durfee and Rogers 2020) for the scores' range
    under the statistic's unit. A range of zero releases the first best, at the same charge. Proof:
    ``proofs/mechanisms/exponential_mechanism.md``.
    """

    currency: ClassVar[type[PureDP] | type[ZCDP]] = ZCDP

    name: ClassVar[str] = "exponential mechanism"
    log_probabilities = staticmethod(exponential_log_probabilities)

    def noise_scale(self, statistic: SelectionStatistic) -> float:
        """Return 1 / eta = range / sqrt(8 rho), rounded up."""
        # Bounded range eta * range costs (eta * range)^2 / 8, about four times less than a pure epsilon of that size.
        return finite(slightly_up(statistic.range / sqrt(8 * self.share.rho)))

    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int:
        check_claim(noise, "exponential-mechanism", statistic.range, scale, self.share.rho)
        return noise.exponential_mechanism(statistic.unreleased_value, scale)


@final
@dataclass(frozen=True)
class JointSelection:
    """Makes each choice by permute-and-flip (a pure share) or the exponential mechanism (a zCDP share).

    Privacy: releases one index for each choice. As the choices' ranges add up to at most the statistic's range,
    the release costs what one selection of that range costs at the same scale. Proof:
    ``proofs/mechanisms/joint_selection.md``.
    """

    share: Share
    """What all choices together may cost."""

    @property
    def name(self) -> str:
        """The field's name for it."""
        return f"joint {self._method if self._method == 'permute-and-flip' else self._method.replace('-', ' ')}"

    @property
    def _method(self) -> Any:
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
            check_claim(noise, self._method, statistic.range, scale, loss)
        pairs = zip(statistic.unreleased_value, statistic.admitted, strict=True)
        return np.asarray([self._choose(scores, np.flatnonzero(mask), scale, noise) for scores, mask in pairs], np.intp)

    def log_density(self, statistic: JointSelectionStatistic, answer: NDArray[np.intp]) -> float:
        """Return the logarithm of the probability of these candidates."""
        distributions = zip(self._log_distributions(statistic), statistic.admitted, answer.tolist(), strict=True)
        return float(
            sum(
                distribution[np.flatnonzero(mask).tolist().index(chosen)]
                for distribution, mask, chosen in distributions
            )
        )

    def divergence(self, one: JointSelectionStatistic, other: JointSelectionStatistic) -> float:
        """Return the sum over choices of largest log ratios, or the largest of Renyi divergences over its order."""
        return _divergence(
            self.share, list(zip(self._log_distributions(one), self._log_distributions(other), strict=True))
        )

    def worst_answer(self, one: JointSelectionStatistic, other: JointSelectionStatistic) -> NDArray[np.intp]:
        """Return the candidates of the largest log ratio."""
        distributions = zip(self._log_distributions(one), self._log_distributions(other), one.admitted, strict=True)
        return np.asarray([np.flatnonzero(mask)[worst_candidate(*pair)] for *pair, mask in distributions], np.intp)

    def _log_distributions(self, statistic: JointSelectionStatistic) -> list[Logs]:
        """Return each choice's distribution over the candidates that it has."""
        distributions = (
            permute_and_flip_log_probabilities if isinstance(self.share, PureDP) else exponential_log_probabilities
        )
        pairs = zip(statistic.unreleased_value, statistic.admitted, strict=True)
        return [_log_distribution(distributions, scores[mask], self.noise_scale(statistic)) for scores, mask in pairs]

    def _choose(self, scores: NDArray[Any], admitted: NDArray[np.intp], scale: float, noise: NoiseSource) -> int:
        # Which candidates are admitted is public, so leaving the others out changes nothing that is protected.
        offered = scores[admitted]
        if scale == 0:
            return int(admitted[np.argmax(offered)])
        draw = noise.permute_and_flip if isinstance(self.share, PureDP) else noise.exponential_mechanism
        return int(admitted[draw(offered, scale)])


def _log_distribution(distributions: LogProbabilities, scores: NDArray[Any], scale: float) -> Logs:
    """Return the distribution at a scale above zero, else that of the first best."""
    if scale > 0:
        return distributions(scores, scale)
    return np.where(np.arange(len(scores)) == np.argmax(scores), 0.0, -np.inf)


def _divergence(share: Share, distributions: list[tuple[Logs, Logs]]) -> float:
    """Return the divergence of independent choices in the share's currency."""
    if isinstance(share, ZCDP):
        return renyi_rho(distributions)
    return sum(max_log_ratio(one, other) for one, other in distributions)
