"""Redraws: one release drawn many times on two neighbors' statistics, for what replay does not see: the sampler.

All noise is the operating system's, as in a fit that is published. What is looked at of a draw is the log ratio of the
densities that its mechanism states for two tables; a sampler of less noise tells the tables apart better than that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf, sqrt
from time import perf_counter

import numpy as np

from tacit.audit.findings import Claim, Control, Finding, ReleaseLoss
from tacit.audit.mutants import half_noise
from tacit.audit.neighbors import Pair
from tacit.audit.recording import Fits, record
from tacit.audit.release_sampler import Redraws
from tacit.audit.replay import Key, key_of
from tacit.audit.sampling import Effort
from tacit.audit.steepness import Steepness, information
from tacit.mechanisms import public_generator
from tacit.privacy import ReleaseRecord
from tacit.privacy.statistic import NumericStatistic

NOT_SEEN = (
    "Whether the sensitivities are those of the queries, and the scales theirs: replay sees it.",
    "Draws that are wrong too seldom for the runs made.",
    "Whether draws of different releases depend on each other.",
    "Running time, memory and power.",
)
"""What redraws do not see."""

_TRIED, _CHOOSING = 20, 0.3
"""Draws a side by which one of many pairs of tables is chosen, and the part of the time that fits to them may take."""

_APART, _MAX_ROWS, _OF_A_FIT = 2.0, 2_000, 2
"""Log ratios at which draws say much of their distribution; rows of tables that are repeated to come there; and
releases of one query that are looked at in each fit."""

_BATCH, _MORE, _MAX_DRAWS = 100, 8, 10_000
"""Draws between two looks; how many more there are of a release than half its noise took to be seen; and in all."""

_REASON = "A lower bound from draws, not the largest loss."

_AT_ONCE = 1_000
"""Copies of a vector of whole numbers in one call: the sampler of so many is another than that of a few."""


def redraw(
    make: Callable[[], Fits],
    pairs: Iterable[Pair],
    *,
    claim: Claim,
    subject: str = "",
    releases: Sequence[Key] = (),
    effort: Effort | None = None,
) -> Finding:
    """Draw each release of a learner many times, on two tables between which the draws say most.

    Parameters
    ----------
    make : callable
        Returns an unfitted estimator.
    pairs : iterable of Pair
        Of the estimator's schema; the learner is fitted to each. Where a share is small all rows are repeated, so that
        many differ: draws are compared with the distribution that the mechanism states for these very tables.
    claim : Claim
        The estimator's epsilon and delta.
    subject : str
    releases : sequence of (query, mechanism)
        That alone are drawn, as ``key_of`` names them; all of them by default.
    effort : Effort, optional
        Its minutes and its error are divided over all releases; ``most`` is of each one's draws.

    Returns
    -------
    Finding
        Its ``releases`` hold lower bounds on what each release loses, as the draws' log ratios are at least so steep
        as those of its share, at the effort's confidence for all together; its controls what was found of the same
        releases drawn with half the noise.
    """
    start, effort = perf_counter(), effort or Effort()
    samplers = [
        (key, replace(sampler, copies=copies))
        for key, sampler in _chosen(
            make, list(pairs), claim, releases, effort.seed, 60 * effort.minutes * _CHOOSING
        ).items()
        for copies in _calls(sampler)
    ]
    parts = max(len(samplers), 1)
    left = max(60 * effort.minutes - (perf_counter() - start), 0.0)
    each = replace(effort, minutes=left / 60 / parts, confidence=1 - (1 - effort.confidence) / parts)
    tests = [_tested(key, sampler, each, claim) for key, sampler in samplers]
    controls = tuple(control for _, control in tests)
    return Finding(
        subject=subject,
        claim=claim,
        method="sampling",
        bound=max((_in_epsilon(loss, claim) for loss, _ in tests), default=0.0),
        confidence=effort.confidence,
        tried=sum(loss.pairs for loss, _ in tests),
        seed=effort.seed,
        half_noise=min((control.bound for control in controls), default=None),
        releases=tuple(loss for loss, _ in tests),
        controls=controls,
        not_seen=NOT_SEEN,
        seconds=perf_counter() - start,
    )


def _chosen(
    make: Callable[[], Fits],
    pairs: Sequence[Pair],
    claim: Claim,
    releases: Sequence[Key],
    seed: int,
    seconds: float,
) -> dict[Key, Redraws]:
    """Return each release on the two tables between which a draw says most, of those fitted in so many seconds."""
    first = _by_release(make, pairs[:1], seed)
    times = {key: _times(found[0].sides[0].line) for key, found in first.items() if not releases or key in releases}
    chosen: dict[Key, Redraws] = {}
    counts = sorted(set(times.values()))
    for count in counts:
        repeated = (_repeated(pair, count, claim.delta) for pair in pairs)
        found = _by_release(make, repeated, seed, seconds / len(counts))
        keys = [key for key in found if times.get(key, count) == count and (not releases or key in releases)]
        chosen |= {key: max(found[key], key=_told) for key in keys if key not in chosen}
    return chosen


def _times(line: ReleaseRecord) -> int:
    """Return how often to repeat all rows, so that the two distributions are about ``_APART`` apart."""
    share = sqrt(2 * line.loss) if line.currency == "rho" else line.loss
    return max(round(_APART / share), 1)


def _repeated(pair: Pair, times: int, delta: float) -> Pair:
    """Return the pair repeated, within so many rows that it is fitted soon, and at all at this delta."""
    most = min(_MAX_ROWS, 1 / delta - 1) if delta else _MAX_ROWS
    return pair.times(max(min(times, int(most) // max(len(pair.first), len(pair.second))), 1))


def _by_release(
    make: Callable[[], Fits], pairs: Iterable[Pair], seed: int, seconds: float = inf
) -> dict[Key, list[Redraws]]:
    """Return the releases of fits to all pairs, each with the statistics of both tables, by query and mechanism."""
    found: dict[Key, list[Redraws]] = {}
    start = perf_counter()
    for turn, pair in enumerate(pairs):
        first, second = pair.inputs()
        one = record(make, first, seed + turn, None)
        other = record(make, second, seed + turn, None, one.answers)
        of_this: Counter[Key] = Counter()
        for sides in zip(one.pending, other.pending, strict=False):
            key = key_of(sides[0].line)
            of_this[key] += 1
            # Rounds are many, and ask the same.
            if of_this[key] <= _OF_A_FIT:
                found.setdefault(key, []).append(Redraws(sides))
        if perf_counter() - start > seconds:
            break
    return found


def _calls(sampler: Redraws) -> tuple[int, ...]:
    """Return in how many copies a release is drawn: vectors of whole numbers by themselves and by the thousand."""
    discrete = (
        isinstance(sampler.sides[0].statistic, NumericStatistic) and "discrete" in sampler.sides[0].line.mechanism
    )
    return (1, _AT_ONCE) if discrete else (1,)


def _told(sampler: Redraws) -> float:
    """Estimate what a draw says of its distribution."""
    return information(np.concatenate([sampler.draw(side, _TRIED, 0)["log ratio"] for side in (0, 1)]))


def _tested(key: Key, sampler: Redraws, effort: Effort, claim: Claim) -> tuple[ReleaseLoss, Control]:
    """Return what a release was seen to lose, and whether half the noise was."""
    line = sampler.sides[0].line
    called = f"{key[0]}, drawn by the thousand" if sampler.copies > 1 else key[0]
    half = replace(effort, minutes=effort.minutes / 2)
    broken = _seen(replace(sampler, mutant=half_noise), half)
    honest = _seen(sampler, replace(half, most=min(half.most, _MORE * broken.draws)))
    found, caught = (
        ReleaseLoss(called, key[1], line.loss, line.currency, seen.bound * line.loss, seen.draws, _REASON)
        for seen in (honest, broken)
    )
    name = f"half the noise: {called}, {key[1]}"
    return found, Control(name, _in_epsilon(caught, claim), broken=True, caught=caught.is_violated)


def _seen(sampler: Redraws, effort: Effort) -> Steepness:
    """Draw until the log ratios are shown to be steeper than stated."""
    seen, coin, start = Steepness(1 - effort.confidence), public_generator(effort.seed), perf_counter()
    batch, most = max(_BATCH, sampler.copies), min(effort.most, _MAX_DRAWS)
    while seen.draws < most and (not seen.draws or perf_counter() - start < 60 * effort.minutes):
        ones = int(coin.binomial(batch, 0.5))
        drawn = [sampler.draw(side, count, 0)["log ratio"] for side, count in enumerate((batch - ones, ones)) if count]
        seen.see(np.concatenate(drawn), np.arange(batch) >= batch - ones)
        if seen.bound > 1:
            break
    return seen


def _in_epsilon(loss: ReleaseLoss, claim: Claim) -> float:
    """Return the claim's epsilon times the part of its share that a release lost."""
    # Rho grows with the square of epsilon.
    return claim.epsilon * (sqrt(loss.reached) if loss.currency == "rho" else loss.reached)
