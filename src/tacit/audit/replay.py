"""Replay: a fit on one table, run again on its neighbor with the same answers. Exact, without sampling error.

Each release's loss follows from its mechanism's densities on both statistics. Given the same answers, whatever else
differs between the two fits (the model, the releases, a warning, an error, a printed line) leaked exactly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, sqrt
from time import monotonic
from typing import Any, cast

import numpy as np

from tacit.audit.findings import REACHED, REASONS, Claim, Control, Finding, ReleaseLoss
from tacit.audit.mutants import MUTANTS, Mutant
from tacit.audit.neighbors import Pair, mutated
from tacit.audit.planted import PAIR, LeakedVote, exact_counts
from tacit.audit.recording import Fits, differences, record
from tacit.mechanisms import public_generator
from tacit.mechanisms.gaussian import gaussian_epsilon
from tacit.privacy import PendingRelease, ReleaseRecord, Replayable

NOT_SEEN = (
    "Whether the samplers draw from the laws that the mechanisms state.",
    "Running time, memory and power.",
    "Exact noise that masks the rounding of floating-point noise, which costs at most 1 % of a release's share.",
    "Tables that were not tried.",
)
"""What replay cannot see."""

_NUMBER = re.compile(r"\b\d[\d.,]*(e[+-]?\d+)?\b")

_PRESSED = 2
"""How often answers are replaced by worse ones."""


Key = tuple[str, str]
"""Query and mechanism of a release."""


def key_of(line: ReleaseRecord) -> Key:
    """Return the query, without the numbers in it, which follow from rows and rounds, and the mechanism.

    Examples
    --------
    >>> key_of(ReleaseRecord("objective with lambda 4.1e-2", "K-norm", 2, "gauge", 2.0, 1.0, "epsilon", "exact"))
    ('objective with lambda …', 'K-norm')
    """
    return _NUMBER.sub("…", line.query), line.mechanism


@dataclass(frozen=True)
class Step:
    """One release, replayed.

    Parameters
    ----------
    line : ReleaseRecord
        Query, mechanism, sensitivity, scale and share (``line.loss``, in ``line.currency``).
    loss : float
        The larger of both directions, in the share's currency, whatever the answer: the largest log ratio of
        densities, the largest Renyi divergence over its order, or the epsilon at the share's delta.
    log_ratio : float
        Of the densities of the answer given, first table over second.
    worst : number or array
        An answer of the largest log ratio.
    """

    line: ReleaseRecord
    loss: float
    log_ratio: float
    worst: Any = field(repr=False, compare=False)

    @property
    def reached(self) -> float:
        """Loss over share: above one is a violation."""
        return self.loss / self.line.loss

    @property
    def key(self) -> Key:
        """Query, without the numbers in it, and mechanism."""
        return key_of(self.line)


@dataclass(frozen=True)
class Replayed:
    """A pair, replayed.

    Parameters
    ----------
    pair : Pair
    seed : int
    answers : tuple
        Of all releases; as secret as the tables.
    steps : tuple of Step
        In the order of the releases.
    epsilon : float
        Of all releases together, at the claim's delta: of pure ones the log ratio of this transcript, of zCDP ones the
        epsilon of a Gaussian release of the same rho; those at (epsilon, delta) are added.
    differences : tuple of str
        What differed although all answers were the same, in words without values.
    """

    pair: Pair
    seed: int
    answers: tuple[Any, ...] = field(repr=False)
    steps: tuple[Step, ...]
    epsilon: float
    differences: tuple[str, ...]

    @property
    def refuted(self) -> bool:
        """Whether a release was above its share, or anything differed."""
        return bool(self.differences) or any(step.reached > 1 + 1e-9 for step in self.steps)


def replay_pair(
    make: Callable[[], Fits],
    pair: Pair,
    *,
    seed: int = 0,
    delta: float = 0.0,
    mutant: Mutant | None = None,
    answers: Sequence[Any] | None = None,
) -> Replayed:
    """Fit on the first table with drawn answers, on the second with the same ones, and compare.

    Parameters
    ----------
    make : callable
        Returns an unfitted estimator; its ``random_state`` is set to the seed.
    pair : Pair
    seed : int
        Of the answers, and of the learner's own public draws, which are the same in both fits.
    delta : float
        The claim's.
    mutant : callable, optional
        Breaks each release on purpose; see ``tacit.audit.mutants``.
    answers : sequence, optional
        Given in both fits, in place of drawn ones.

    Examples
    --------
    >>> from tacit import Label, NaiveBayesClassifier, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"], private=False))
    >>> pair = Pair(schema, ((90, "low"), (45, "high")), ((0, "low"), (45, "high")))
    >>> found = replay_pair(lambda: NaiveBayesClassifier(schema, epsilon=1.0), pair)
    >>> found.differences, found.steps[0].line.query, round(found.steps[0].reached, 6)
    ((), 'counts and sums by class', 1.0)
    """
    one_input, other_input = pair.inputs()
    one = record(make, one_input, seed, mutant, answers)
    other = record(make, other_input, seed, mutant, one.answers)
    steps = tuple(
        _step(mine, its, answer) for mine, its, answer in zip(one.pending, other.pending, one.answers, strict=False)
    )
    # A refusal is for the owner of the rows alone, and may depend on them unless invalid cells are coerced.
    refused = (one.refused or other.refused) and (pair.may_be_refused or not one.total)
    differing = () if refused else differences(one, other)
    return Replayed(pair, seed, tuple(one.answers), steps, _epsilon(steps, delta), differing)


def press(found: Replayed, make: Callable[[], Fits], **settings: Any) -> Replayed:
    """Replay a pair again with the answers that distinguish its tables best, as far as later releases allow.

    Each release's answer is the worst for what it was asked before; a different answer changes what later releases are
    asked, so that this is done several times, and the largest total kept.

    Parameters
    ----------
    found : Replayed
    make : callable
    settings
        The claim's delta and the mutant, as of ``replay_pair``.
    """
    pressed = []
    for _ in range(_PRESSED):
        answers = [step.worst for step in found.steps]
        found = replay_pair(make, found.pair, seed=found.seed, answers=answers, **settings)
        pressed.append(found)
    return max(pressed, key=lambda each: each.epsilon)


def replay(
    make: Callable[[], Fits],
    pairs: Iterable[Pair],
    *,
    claim: Claim,
    subject: str = "",
    seed: int = 0,
    seconds: float = inf,
    search: int = 0,
    mutants: Mapping[str, Mutant] = MUTANTS,
) -> Finding:
    """Replay many pairs, and the worst of them with broken releases.

    Parameters
    ----------
    make : callable
        Returns an unfitted estimator.
    pairs : iterable of Pair
        Of the estimator's schema; each is replayed once, with a seed of its own.
    claim : Claim
        The estimator's epsilon and delta.
    subject : str
    seed : int
    seconds : float
        After which no further pair is begun, nor searched for; at least one is replayed.
    search : int
        How many pairs a local search tries for each release that has not reached 0.9 of its share.
    mutants : mapping of name to mutant
        Each is tried on the worst pair, for all releases together, and on that of each release, for this one alone;
        each is reported as a ``Control``.

    Returns
    -------
    Finding
        Its ``releases`` hold the largest loss of each query and mechanism over all pairs, its ``bound`` the largest
        ``Replayed.epsilon``, its ``half_noise`` that with half the noise.

    Examples
    --------
    >>> from itertools import islice
    >>> from tacit import Label, NaiveBayesClassifier, Numeric, Schema
    >>> from tacit.audit.neighbors import random_pairs
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))
    >>> make = lambda: NaiveBayesClassifier(schema, epsilon=1.0)
    >>> replay(make, islice(random_pairs(schema), 5), claim=Claim(1.0)).verdict
    'not refuted'
    """
    start = monotonic()
    worst = _Worst(make, claim.delta, start + seconds)
    for tried, pair in enumerate(pairs, 1):
        worst.try_pair(pair, seed + tried)
        if monotonic() - start > seconds:
            break
    for key in worst.at:
        tried += worst.climb(key, search, seed)
    tried += worst.climb_together(claim, search, seed)
    controls = (
        *(_control(name, worst, mutant, claim) for name, mutant in mutants.items()),
        *(_release_control(name, key, worst, mutant, claim) for name, mutant in mutants.items() for key in worst.at),
    )
    return Finding(
        subject=subject,
        claim=claim,
        method="replay",
        bound=worst.epsilon,
        confidence=1.0,
        tried=tried,
        seed=seed,
        half_noise=next((each.bound for each in controls if each.name == "half the noise"), None),
        releases=worst.releases(),
        differences=tuple(worst.differences),
        controls=(*controls, *planted_controls(claim, seed)),
        not_seen=NOT_SEEN,
        seconds=monotonic() - start,
    )


@dataclass
class _Worst:
    """The largest losses so far, and where they were found."""

    make: Callable[[], Fits]
    delta: float
    deadline: float
    epsilon: float = 0.0
    most: float = 0.0
    at: dict[Key, tuple[Step, Replayed]] = field(default_factory=dict)
    together: Replayed | None = None
    pairs: Counter[Key] = field(default_factory=Counter)
    differences: dict[str, None] = field(default_factory=dict)

    def try_pair(self, pair: Pair, seed: int, patience: float = 1.0) -> None:
        """Replay a pair; where its losses add up to nearly as much as any pair's before, with worse answers, too."""
        found = replay_pair(self.make, pair, seed=seed, delta=self.delta)
        total = sum(step.reached for step in found.steps)
        self._note(found)
        if total > patience * self.most:
            self.most = max(self.most, total)
            self._note(press(found, self.make, delta=self.delta))

    def climb(self, key: Key, tries: int, seed: int) -> int:
        """Look for a larger loss of one release next to its worst pair; return how many pairs were tried."""
        generator = public_generator(seed)
        for tried in range(tries):
            step, found = self.at[key]
            if step.reached >= REACHED or monotonic() > self.deadline:
                return tried
            self._try_near(found, generator)
        return tries

    def climb_together(self, claim: Claim, tries: int, seed: int) -> int:
        """Look for a larger loss of all releases together; return how many pairs were tried."""
        generator = public_generator(seed)
        for tried in range(tries):
            if self.together is None or self.epsilon >= REACHED * claim.epsilon or monotonic() > self.deadline:
                return tried
            self._try_near(self.together, generator, patience=0.7)
        return tries

    def releases(self) -> tuple[ReleaseLoss, ...]:
        """Return the largest loss of each query and mechanism."""
        return tuple(
            ReleaseLoss(
                *key,
                step.line.loss,
                step.line.currency,
                step.loss,
                self.pairs[key],
                REASONS.get(key[1], "") if step.reached < REACHED else "",
            )
            for key, (step, _) in self.at.items()
        )

    def _try_near(self, found: Replayed, generator: np.random.Generator, patience: float = 1.0) -> None:
        # Another seed now and then, as earlier answers and public draws decide what is asked.
        seed = int(generator.integers(2**31)) if generator.random() < 0.2 else found.seed
        self.try_pair(mutated(found.pair, generator), seed, patience)

    def _note(self, found: Replayed) -> None:
        if self.together is None or found.epsilon > self.epsilon:
            self.epsilon, self.together = found.epsilon, found
        for step in found.steps:
            if step.key not in self.at or step.reached > self.at[step.key][0].reached:
                self.at[step.key] = step, found
        self.pairs.update({step.key for step in found.steps})
        self.differences.update(dict.fromkeys(found.differences))


def _control(name: str, worst: _Worst, mutant: Mutant, claim: Claim) -> Control:
    """Replay the worst pair with every release broken."""
    assert worst.together is not None
    found, delta = worst.together, claim.delta
    again = replay_pair(worst.make, found.pair, seed=found.seed, delta=delta, mutant=mutant, answers=found.answers)
    bound = max(again.epsilon, press(found, worst.make, delta=delta, mutant=mutant).epsilon)
    return Control(name, bound, broken=True, caught=bound > claim.epsilon)


def _release_control(name: str, key: Key, worst: _Worst, mutant: Mutant, claim: Claim) -> Control:
    """Replay a release's worst pair with this release broken; its bound is the claim times its loss over its share."""
    _, found = worst.at[key]

    def broken(pending: PendingRelease) -> PendingRelease:
        return mutant(pending) if key_of(pending.line) == key else pending

    again = replay_pair(
        worst.make, found.pair, seed=found.seed, delta=claim.delta, mutant=broken, answers=found.answers
    )
    largest = max((step for step in again.steps if step.key == key), key=lambda step: step.reached)
    # Rho grows with the square of epsilon.
    factor = sqrt(largest.reached) if largest.line.currency == "rho" else largest.reached
    return Control(f"{name}: {key[0]}, {key[1]}", factor * claim.epsilon, broken=True, caught=factor > 1)


def _step(mine: PendingRelease, its: PendingRelease, answer: Any) -> Step:
    mechanism = cast(Replayable[Any, Any], mine.mechanism)
    one, other = mine.statistic, its.statistic
    ratio = mechanism.log_density(one, answer) - mechanism.log_density(other, answer)
    pure = mine.line.currency == "epsilon" and not mine.line.delta
    losses = mechanism.divergence(one, other), mechanism.divergence(other, one), abs(ratio) if pure else 0.0
    return Step(mine.line, max(losses), ratio, mechanism.worst_answer(one, other))


def _epsilon(steps: Sequence[Step], delta: float) -> float:
    """Return what all releases cost together on this pair."""
    pure = abs(sum(step.log_ratio for step in steps if step.line.currency == "epsilon" and not step.line.delta))
    approximate = sum(step.loss for step in steps if step.line.delta)
    rho = sum(step.loss for step in steps if step.line.currency == "rho")
    return pure + approximate + (gaussian_epsilon(delta, sqrt(2 * rho)) if rho else 0.0)


@lru_cache(maxsize=8)
def planted_controls(claim: Claim, seed: int) -> tuple[Control, ...]:
    """Return what replay says of an exact mechanism, and of one that shows a private cell.

    Examples
    --------
    >>> [(control.name, control.broken, control.caught) for control in planted_controls(Claim(0.5), 0)]
    [('exact counts', False, False), ('a private cell shown exactly', True, True)]
    """

    def exact() -> Fits:
        return exact_counts(claim)

    found = replay_pair(exact, PAIR, seed=seed, delta=claim.delta)
    pressed = press(found, exact, delta=claim.delta)
    refuted = found.refuted or pressed.refuted or pressed.epsilon > claim.epsilon * (1 + 1e-9)
    leak = replay_pair(lambda: LeakedVote(exact_counts(claim)), PAIR, seed=seed, delta=claim.delta)
    return (
        Control("exact counts", pressed.epsilon, broken=False, caught=refuted),
        Control("a private cell shown exactly", leak.epsilon, broken=True, caught=bool(leak.differences)),
    )
