"""A release as a sampler: drawn many times on two tables, each draw shown as the log ratio of the stated densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tacit.audit.mutants import Mutant
from tacit.audit.samplers import Outputs
from tacit.mechanisms import Gaussian, Laplace, noise_source
from tacit.privacy import PendingRelease, Replayable
from tacit.privacy.statistic import NumericStatistic

_MAX_RATIO = 1e6
"""Above it a log ratio is infinite to every test."""


@dataclass(frozen=True, eq=False)
class Redraws:
    """A sampler whose runs are draws of one release, each shown as the log ratio of its stated densities.

    Parameters
    ----------
    sides : tuple of two PendingRelease
        The release on neighbor 0 and on neighbor 1; both have its stated distribution.
    copies : int
        Of a numeric statistic that one call draws; 1 draws each by itself.
    mutant : callable, optional
        Breaks what is drawn, while the distribution that is stated stays.
    """

    sides: tuple[PendingRelease, PendingRelease]
    copies: int = 1
    mutant: Mutant | None = None

    def draw(self, side: int, count: int, seed: int) -> Outputs:
        """Return the log ratios of so many draws; noise is the operating system's, whatever the seed."""
        pending = replace(self.sides[side], noise=_UncheckedNoise() if self.mutant else noise_source(None))
        if self.copies > 1:
            pending = replace(pending, statistic=self._copied(side))
        pending = self.mutant(pending) if self.mutant else pending
        answers = [pending.draw() for _ in range(-(-count // self.copies))]
        found = np.concatenate(answers)[:count] if self.copies > 1 else answers
        return {"log ratio": np.clip(np.nan_to_num(self._ratios(found)), -_MAX_RATIO, _MAX_RATIO)}

    def log_ratio(self, outputs: Outputs) -> NDArray[np.float64]:
        """Return ln of neighbor 1's density over neighbor 0's."""
        return outputs["log ratio"]

    def _ratios(self, answers: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]:
        """Return the log ratio of each answer's densities."""
        if isinstance(self.sides[0].mechanism, Laplace | Gaussian):
            return self._additive(np.asarray(answers))
        densities = [cast(Replayable[Any, Any], side.mechanism).log_density for side in self.sides]
        ratios: dict[bytes, float] = {}
        for answer in answers:
            key = np.asarray(answer).tobytes()
            if key not in ratios:
                zero, one = (
                    distribution(side.statistic, answer)
                    for distribution, side in zip(densities, self.sides, strict=True)
                )
                ratios[key] = one - zero
        return np.asarray([ratios[np.asarray(answer).tobytes()] for answer in answers])

    def _additive(self, answers: NDArray[Any]) -> NDArray[np.float64]:
        """Return log ratios of many vectors with noise at once: their constants are the same on both sides."""
        mechanism, statistic = self.sides[0].mechanism, self.sides[0].statistic
        scale, own = mechanism.noise_scale(statistic), tuple(range(1, answers.ndim))
        zero, one = (np.abs(answers - self._value(side)) for side in (0, 1))
        if isinstance(mechanism, Gaussian):
            return np.asarray((zero**2 - one**2).sum(axis=own) / (2 * scale**2))
        return np.asarray((zero - one).sum(axis=own) / scale)

    def _copied(self, side: int) -> NumericStatistic:
        """Return many copies of the side's numbers in one statistic of the same sensitivity, hence the same scale."""
        copies = np.broadcast_to(self._value(side), (self.copies, *np.shape(self._value(side))))
        return replace(cast(NumericStatistic, self.sides[side].statistic), unreleased_value=copies)

    def _value(self, side: int) -> NDArray[Any]:
        """Return a side's numbers: of noise that is added, the answer of the largest density."""
        mine, other = self.sides[side], self.sides[1 - side]
        found: NDArray[Any] = cast(Replayable[Any, Any], mine.mechanism).worst_answer(mine.statistic, other.statistic)
        return found


class _UncheckedNoise:
    """Secure noise that is not asked to prove a claim, so that a broken scale is drawn from."""

    def __init__(self) -> None:
        self._secure = noise_source(None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._secure, name)
