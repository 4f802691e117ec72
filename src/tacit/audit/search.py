"""Many pairs replayed, and a local search next to the worst of them, for the largest loss of each release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, sqrt
from time import monotonic

import numpy as np

from tacit.audit.findings import REACHED, REASONS, Claim, Control, Finding, ReleaseLoss
from tacit.audit.mutants import MUTANTS, Mutant
from tacit.audit.neighbors import Pair
from tacit.audit.planted import planted_controls
from tacit.audit.recording import Fits
from tacit.audit.replay import Key, ReplayResult, Step, key_of, press, replay_pair
from tacit.mechanisms import public_generator
from tacit.privacy import PendingRelease

NOT_SEEN = (
    "Whether the samplers draw from the distributions that the mechanisms state.",
    "Running time, memory and power.",
    "Exact noise that masks the rounding of floating-point noise, which costs at most 1 % of a release's share.",
    "Tables that were not tried.",
)
"""What replay cannot see."""


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
        ``ReplayResult.epsilon``, its ``half_noise`` that with half the noise.

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
    at: dict[Key, tuple[Step, ReplayResult]] = field(default_factory=dict)
    together: ReplayResult | None = None
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
                REASONS.get(key[1], REASONS.get(key[0], "")) if step.reached < REACHED else "",
            )
            for key, (step, _) in self.at.items()
        )

    def _try_near(self, found: ReplayResult, generator: np.random.Generator, patience: float = 1.0) -> None:
        # Another seed now and then, as earlier answers and public draws decide what is asked.
        seed = int(generator.integers(2**31)) if generator.random() < 0.2 else found.seed
        self.try_pair(found.pair.searched(generator), seed, patience)

    def _note(self, found: ReplayResult) -> None:
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
