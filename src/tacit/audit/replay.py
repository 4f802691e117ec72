"""Replay: a fit on one table, run again on its neighbor with the same answers. Exact, without sampling error.

Each release's loss follows from its mechanism's densities on both statistics. Given the same answers, whatever else
differs between the two fits (the model, the releases, a warning, an error, a printed line) leaked exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, cast

from tacit.audit.mutants import Mutant
from tacit.audit.neighbors import Pair
from tacit.audit.recording import Fits, differences, record
from tacit.mechanisms.gaussian import gaussian_epsilon
from tacit.privacy import PendingRelease, ReleaseRecord, Replayable

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
class ReplayResult:
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
) -> ReplayResult:
    """Fit on the first table with drawn answers, on the second with the same ones, and compare.

    Parameters
    ----------
    make : callable
        Returns an unfitted estimator; its ``random_state`` is set to the seed.
    pair : Pair
    seed : int
        Of the answers, and of the learner's own draws that are no releases, public or secret: the same in both fits.
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
    return ReplayResult(pair, seed, tuple(one.answers), steps, _epsilon(steps, delta), differing)


def press(found: ReplayResult, make: Callable[[], Fits], **settings: Any) -> ReplayResult:
    """Replay a pair again with the answers that distinguish its tables best, as far as later releases allow.

    Each release's answer is the worst for what it was asked before; a different answer changes what later releases are
    asked, so that this is done several times, and the largest total kept.

    Parameters
    ----------
    found : ReplayResult
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
    # One that holds up to a delta has its loss in the currency of the whole.
    approximate = sum(step.loss for step in steps if step.line.delta and step.line.currency == "epsilon")
    rho = sum(step.loss for step in steps if step.line.currency == "rho")
    return pure + approximate + (gaussian_epsilon(delta, sqrt(2 * rho)) if rho else 0.0)
