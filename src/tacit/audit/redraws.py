"""Redraws: one release drawn many times on two neighbors' statistics, for what replay does not see: the sampler.

All noise is the operating system's, as in a fit that is published. What is looked at of a draw is the log ratio of the
densities that its mechanism states; a sampler that draws from another law shows in how often this is large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from time import perf_counter
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tacit.audit.findings import Claim, Control, Finding, ReleaseLoss
from tacit.audit.mutants import Mutant, half_noise
from tacit.audit.neighbors import Pair
from tacit.audit.recording import Fits, record
from tacit.audit.replay import Key, key_of
from tacit.audit.samplers import Outputs
from tacit.audit.sampling import Effort, Evidence, lower_bound
from tacit.audit.trade_offs import ApproximateTradeOff, TradeOff, least_rho
from tacit.mechanisms import Gaussian, Laplace, noise_source
from tacit.privacy import PendingRelease, Replayable
from tacit.privacy.statistic import NumericStatistic

NOT_SEEN = (
    "Whether the sensitivities are those of the queries, and the scales theirs: replay sees it.",
    "Draws that are wrong too seldom for the runs made.",
    "Whether draws of different releases depend on each other.",
    "Running time, memory and power.",
)
"""What redraws do not see."""

_TRIED = 50
"""Draws a side by which one of many pairs of statistics is chosen."""

_AT_ONCE = 1_000
"""Copies of a vector of whole numbers in one call: the sampler of so many is another than that of a few."""

_MOST_RATIO = 1e6
"""Above it a log ratio is infinite to every test."""


@dataclass(frozen=True, eq=False)
class Redraws:
    """A sampler whose runs are draws of one release, each shown as the log ratio of its stated densities.

    Parameters
    ----------
    sides : tuple of two PendingRelease
        The release on neighbor 0 and on neighbor 1; both have its stated law.
    copies : int
        Of a numeric statistic that one call draws; 1 draws each by itself.
    mutant : callable, optional
        Breaks what is drawn, while the law that is stated stays.
    """

    sides: tuple[PendingRelease, PendingRelease]
    copies: int = 1
    mutant: Mutant | None = None

    def draw(self, side: int, count: int, seed: int) -> Outputs:
        """Return the log ratios of so many draws; noise is the operating system's, whatever the seed."""
        pending = replace(self.sides[side], noise=_Unchecked() if self.mutant else noise_source(None))
        if self.copies > 1:
            pending = replace(pending, statistic=self._copied(side))
        pending = self.mutant(pending) if self.mutant else pending
        answers = [pending.draw() for _ in range(-(-count // self.copies))]
        found = np.concatenate(answers)[:count] if self.copies > 1 else answers
        return {"log ratio": np.clip(self._ratios(found), -_MOST_RATIO, _MOST_RATIO)}

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
                zero, one = (law(side.statistic, answer) for law, side in zip(densities, self.sides, strict=True))
                ratios[key] = one - zero
        return np.asarray([ratios[np.asarray(answer).tobytes()] for answer in answers])

    def _additive(self, answers: NDArray[Any]) -> NDArray[np.float64]:
        """Return log ratios of many vectors with noise at once: the laws' constants are the same on both sides."""
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


class _Unchecked:
    """Secure noise that is not asked to prove a claim, so that a broken scale is drawn from."""

    def __init__(self) -> None:
        self._secure = noise_source(None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._secure, name)


def redraw(
    make: Callable[[], Fits],
    pairs: Iterable[Pair],
    *,
    claim: Claim,
    subject: str = "",
    releases: Sequence[Key] = (),
    effort: Effort | None = None,
) -> Finding:
    """Draw each release of a learner many times, on the pair of tables whose statistics differ most.

    Parameters
    ----------
    make : callable
        Returns an unfitted estimator.
    pairs : iterable of Pair
        Of the estimator's schema; the learner is fitted twice to each.
    claim : Claim
        The estimator's epsilon and delta.
    subject : str
    releases : sequence of (query, mechanism)
        That alone are drawn, as ``key_of`` names them; all of them by default.
    effort : Effort, optional
        Its minutes and its error are divided over all releases.

    Returns
    -------
    Finding
        Its ``releases`` hold lower bounds on what each release loses, at the effort's confidence for all together, its
        controls what was found of the same releases drawn with half the noise.
    """
    start, effort = perf_counter(), effort or Effort()
    samplers = [
        (key, replace(sampler, copies=copies))
        for key, found in _by_release(make, pairs, effort.seed).items()
        if not releases or key in releases
        for sampler in [max(found, key=_apart)]
        for copies in _calls(sampler)
    ]
    parts = max(len(samplers), 1)
    # The control stops as soon as it is caught, so that it takes what it needs from the other half of the time.
    each = replace(effort, minutes=effort.minutes / parts / 2, confidence=1 - (1 - effort.confidence) / parts)
    tests = [_tested(key, sampler, each, claim) for key, sampler in samplers]
    controls = tuple(control for _, _, control in tests)
    return Finding(
        subject=subject,
        claim=claim,
        method="sampling",
        bound=max((_in_epsilon(loss, claim) for loss, _, _ in tests), default=0.0),
        confidence=effort.confidence,
        tried=sum(runs for _, runs, _ in tests),
        seed=effort.seed,
        half_noise=min((control.bound for control in controls), default=None),
        releases=tuple(loss for loss, _, _ in tests),
        controls=controls,
        not_seen=NOT_SEEN,
        seconds=perf_counter() - start,
    )


def _by_release(make: Callable[[], Fits], pairs: Iterable[Pair], seed: int) -> dict[Key, list[Redraws]]:
    """Return the releases of fits to all pairs, each with the statistics of both tables, by query and mechanism."""
    found: dict[Key, list[Redraws]] = {}
    for turn, pair in enumerate(pairs):
        first, second = pair.inputs()
        one = record(make, first, seed + turn, None)
        other = record(make, second, seed + turn, None, one.answers)
        for sides in zip(one.pending, other.pending, strict=False):
            found.setdefault(key_of(sides[0].line), []).append(Redraws(sides))
    return found


def _calls(sampler: Redraws) -> tuple[int, ...]:
    """Return in how many copies a release is drawn: vectors of whole numbers by themselves and by the thousand."""
    discrete = (
        isinstance(sampler.sides[0].statistic, NumericStatistic) and "discrete" in sampler.sides[0].line.mechanism
    )
    return (1, _AT_ONCE) if discrete else (1,)


def _apart(sampler: Redraws) -> float:
    """Estimate how far both sides' laws are apart: the mean log ratio of one side less that of the other."""
    zero, one = (sampler.draw(side, _TRIED, 0)["log ratio"].mean() for side in (0, 1))
    return float(one - zero)


def _tested(key: Key, sampler: Redraws, effort: Effort, claim: Claim) -> tuple[ReleaseLoss, int, Control]:
    """Return what a release was seen to lose, from how many runs, and the same with half the noise."""
    line = sampler.sides[0].line
    trade_off: TradeOff = _Rho() if line.currency == "rho" else ApproximateTradeOff(line.delta)
    bound = partial(lower_bound, trade_off=trade_off, effort=effort, stop_above=line.loss)
    called = f"{key[0]}, drawn by the thousand" if sampler.copies > 1 else key[0]

    def loss(found: Evidence) -> ReleaseLoss:
        reason = f"A lower bound from {found.runs:,} draws, not the largest loss."
        return ReleaseLoss(called, key[1], line.loss, line.currency, found.bound, found.runs, reason)

    honest, broken = (bound([replace(sampler, mutant=mutant)]) for mutant in (None, half_noise))
    caught = _in_epsilon(loss(broken), claim)
    control = Control(f"half the noise: {called}, {key[1]}", caught, broken=True, caught=caught > claim.epsilon)
    return loss(honest), honest.runs, control


def _in_epsilon(loss: ReleaseLoss, claim: Claim) -> float:
    """Return the claim's epsilon times the part of its share that a release lost."""
    # Rho grows with the square of epsilon.
    return claim.epsilon * (sqrt(loss.reached) if loss.currency == "rho" else loss.reached)


@dataclass(frozen=True)
class _Rho:
    """The test of zCDP in its own currency."""

    def epsilon(self, often: float, seldom: float) -> float:
        """Return the least rho that the rates allow."""
        return least_rho(often, seldom)
