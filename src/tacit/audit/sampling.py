"""Sampling audits: a lower bound on epsilon from many runs on two neighbors, at a stated confidence.

An event is learned on some runs and tested on others. The test looks at sizes that are fixed beforehand, and may stop
at each: the error is divided over the looks, the events and the two rates of each (Bonferroni), and every rate is
bounded by Clopper and Pearson's interval. Proof: ``proofs/audit/sampling.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np

from tacit.audit.events import Event, learn_events, size_of
from tacit.audit.runs import Runs, RunStore, joined
from tacit.audit.samplers import Outputs, Sampler
from tacit.audit.trade_offs import TradeOff, rate_bounds

LOOKS = tuple(round(100 * 1.5**at) for at in range(20))
"""Runs a side at which a test is looked at: 100 to 221,684."""

_EVENTS = 3
"""That are tested together at most."""

_BATCH = 100
"""Runs a side between two looks at the clock."""

_LEARNING = 4_000
"""Runs a side that events are learned on at most; more hardly better them."""


@dataclass(frozen=True)
class Effort:
    """How hard to try.

    Parameters
    ----------
    minutes : float
        Of one sampler's runs.
    confidence : float
        Of the bound.
    seed : int
    most : int
        Runs a side.

    Examples
    --------
    >>> Effort(minutes=5).confidence
    0.95
    """

    minutes: float = 1.0
    confidence: float = 0.95
    seed: int = 0
    most: int = LOOKS[-1]

    @property
    def error(self) -> float:
        """Of each rate's bound."""
        return (1 - self.confidence) / (2 * _EVENTS * len(LOOKS))


@dataclass(frozen=True)
class Progress:
    """Where an audit is.

    Parameters
    ----------
    phase : {"choosing", "learning", "testing"}
    runs : int
        So far, both sides.
    bound : float
        On epsilon, at the latest look.
    seconds : float
    """

    phase: Literal["choosing", "learning", "testing"]
    runs: int
    bound: float
    seconds: float


@dataclass(frozen=True)
class Evidence:
    """What a sampling audit of one sampler saw.

    Parameters
    ----------
    bound : float
        Epsilon is at least that, with the effort's confidence.
    runs : int
        All that were made, both sides.
    pair : int
        Which of the samplers was tested.
    seconds : float
    """

    bound: float
    runs: int
    pair: int
    seconds: float


def lower_bound(
    samplers: Sequence[Sampler],
    trade_off: TradeOff,
    effort: Effort,
    *,
    stop_above: float = inf,
    name: str = "",
    store: RunStore | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Evidence:
    """Return a lower bound on the epsilon of what is sampled.

    Parameters
    ----------
    samplers : sequence of Sampler
        One for each pair of neighbors; the most promising one is tested, on runs that did not choose it.
    trade_off : TradeOff
        What the claim says about events.
    effort : Effort
    stop_above : float
        The test ends at a look with a larger bound.
    name : str
        Of what is sampled, in the store: the same name means the same samplers.
    store : RunStore, optional
        Runs that it has are not made again.
    progress : callable, optional
    """
    store = store or RunStore()
    runs = [Runs(each, f"{name}/{at}", effort.seed, store) for at, each in enumerate(samplers)]
    trial = _Trial(trade_off, effort, stop_above, progress)
    at = trial.choose(runs)
    events = trial.learn(runs[at])
    bound = trial.test(runs[at], events) if events else 0.0
    return Evidence(bound, trial.made, at, trial.seconds)


class _Trial:
    """One audit's clock and counts."""

    def __init__(
        self, trade_off: TradeOff, effort: Effort, stop_above: float, progress: Callable[[Progress], None] | None
    ) -> None:
        self._trade_off, self._effort, self._stop_above, self._progress = trade_off, effort, stop_above, progress
        self.made, self.seconds, self._limit = 0, 0.0, effort.minutes * 60

    def choose(self, runs: Sequence[Runs]) -> int:
        """Return the pair whose few runs promise the largest bound."""
        if len(runs) == 1:
            return 0
        promised = [self._promise(each) for each in runs]
        return int(np.argmax(promised))

    def learn(self, runs: Runs) -> tuple[Event, ...]:
        """Return events, from a quarter of the time at most."""
        batches: list[tuple[Outputs, Outputs]] = []
        start = self.seconds
        most = min(_LEARNING, max(self._effort.most // 3, 50))
        while not batches or (len(batches) * _BATCH < most and self.seconds - start < (self._limit - start) / 4):
            batches.append(self._batch(runs, "learning", len(batches), min(_BATCH, most)))
        sides = [joined([batch[side] for batch in batches]) for side in (0, 1)]
        rate = (self.seconds - start) / size_of(sides[0])
        left = max(self._limit - self.seconds, 0.0)
        reach = min(self._effort.most, int(left / rate) if rate else self._effort.most)
        reached = max((size for size in LOOKS if size <= reach), default=LOOKS[0])
        sizes = sorted({reached, max(reached // 8, LOOKS[0]), LOOKS[0]}, reverse=True)[:_EVENTS]
        known = getattr(runs.sampler, "log_ratio", None)
        return learn_events(sides, known, self._trade_off, sizes, self._effort.error, self._effort.seed)

    def test(self, runs: Runs, events: Sequence[Event]) -> float:
        """Return the largest bound at any look."""
        hits, size, bound = np.zeros((2, len(events)), dtype=np.int64), 0, 0.0
        for at, look in enumerate(LOOKS):
            if look > self._effort.most:
                break
            part = 0
            while size < look:
                if self.seconds >= self._limit:
                    return bound
                count = min(_BATCH, look - size)
                both = self._batch(runs, f"testing/{at}", part, count, bound)
                hits += [[int(event.hits(outputs).sum()) for event in events] for outputs in both]
                size, part = size + count, part + 1
            bound = max(bound, self._bound(hits, size))
            if bound > self._stop_above:
                break
        return bound

    def _bound(self, hits: np.ndarray, size: int) -> float:
        """Return the largest bound over events, whatever direction they have."""
        low, high = rate_bounds(hits, size, self._effort.error)
        rates = zip(low[1].tolist(), high[0].tolist(), strict=True)
        return max(0.0, *(self._trade_off.epsilon(often, seldom) for often, seldom in rates))

    def _promise(self, runs: Runs) -> float:
        """Return the bound that one batch would give, were it not used twice."""
        batch = self._batch(runs, "choosing", 0, _BATCH)
        known = getattr(runs.sampler, "log_ratio", None)
        events = learn_events(batch, known, self._trade_off, [10 * _BATCH], 0.05, self._effort.seed)
        if not events:
            return 0.0
        hits = np.asarray([[int(event.hits(outputs).sum()) for event in events] for outputs in batch])
        low, high = rate_bounds(hits, _BATCH, 0.3)
        return max(self._trade_off.epsilon(p, q) for p, q in zip(low[1].tolist(), high[0].tolist(), strict=True))

    def _batch(self, runs: Runs, phase: str, at: int, count: int, bound: float = 0.0) -> tuple[Outputs, Outputs]:
        before = runs.seconds
        outputs = runs.batch(phase, at, count)
        self.seconds += runs.seconds - before
        self.made += 2 * count
        if self._progress:
            name: Literal["choosing", "learning", "testing"] = phase.split("/")[0]  # type: ignore[assignment]
            self._progress(Progress(name, self.made, bound, self.seconds))
        return outputs
