"""Replay: a fit on one table, run again on its neighbor with the same answers. Exact, without sampling error.

Each release's loss follows from its mechanism's densities on both statistics. Given the same answers, whatever else
differs between the two fits (the model, the ledger, a warning, an error, a printed line) leaked exactly.
"""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass, field
from io import StringIO
from math import inf, sqrt
from time import monotonic
from typing import Any, Protocol, cast

from tacit.audit.findings import Claim, Control, Finding, ReleaseLoss
from tacit.audit.mutants import MUTANTS, Mutant
from tacit.audit.neighbors import Pair
from tacit.errors import TableError, TacitError
from tacit.mechanisms.gaussian import gaussian_epsilon
from tacit.models import to_json
from tacit.privacy import PendingRelease, ReleaseRecord, Replayable, interposing

NOT_SEEN = (
    "Whether the samplers draw from the laws that the mechanisms state.",
    "Running time, memory and power.",
    "Exact noise that masks the rounding of floating-point noise, which costs at most 1 % of a release's share.",
    "Tables that were not tried.",
)
"""What replay cannot see."""

_PRESSED = 2
"""How often answers are replaced by worse ones."""


class Fits(Protocol):
    """What can be replayed: an unfitted object that releases through an accountant."""

    def fit(self, X: Any, y: Any) -> Any:
        """Train on rows X and labels y, and return what may be published."""
        ...


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


@dataclass(frozen=True)
class Replayed:
    """A pair, replayed.

    Parameters
    ----------
    pair : Pair
    steps : tuple of Step
        In the order of the releases.
    epsilon : float
        Of all releases together, at the claim's delta: of pure ones the log ratio of this transcript, of zCDP ones the
        epsilon of a Gaussian release of the same rho; those at (epsilon, delta) are added.
    differences : tuple of str
        What differed although all answers were the same, in words without values.
    """

    pair: Pair
    steps: tuple[Step, ...]
    epsilon: float
    differences: tuple[str, ...]

    @property
    def refuted(self) -> bool:
        """Whether a release was above its share, or anything differed."""
        return bool(self.differences) or any(step.reached > 1 + 1e-9 for step in self.steps)


@dataclass
class _Fit:
    """One fit: what it released, and all that it left behind."""

    pending: list[PendingRelease] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    refused: bool = False
    total: bool = False


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
    one = _fit(make, one_input, seed, mutant, answers)
    other = _fit(make, other_input, seed, mutant, one.answers)
    steps = tuple(
        _step(mine, its, answer) for mine, its, answer in zip(one.pending, other.pending, one.answers, strict=False)
    )
    # A refusal is for the owner of the rows alone, and may depend on them unless invalid cells are coerced.
    refused = one.refused != other.refused and (pair.may_be_refused or not one.total)
    return Replayed(pair, steps, _epsilon(steps, delta), () if refused else _differences(one, other))


def press(found: Replayed, make: Callable[[], Fits], **settings: Any) -> Replayed:
    """Replay a pair again with the answers that distinguish its tables best, as far as later releases allow.

    Each release's answer is the worst for what it was asked before; a different answer changes what later releases are
    asked, so that this is done several times, and the largest total kept.

    Parameters
    ----------
    found : Replayed
    make : callable
    settings
        Further arguments of ``replay_pair``, as at first.
    """
    best = found
    for _ in range(_PRESSED):
        found = replay_pair(make, found.pair, answers=[step.worst for step in found.steps], **settings)
        best = max(best, found, key=lambda each: each.epsilon)
    return best


def replay(
    make: Callable[[], Fits],
    pairs: Iterable[Pair],
    *,
    claim: Claim,
    subject: str = "",
    seed: int = 0,
    seconds: float = inf,
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
        After which no further pair is begun; at least one is replayed.
    mutants : mapping of name to mutant
        Each is tried on the pairs on which a release came closest to its share, and reported as a ``Control``.

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
    start, worst, differences = monotonic(), _Worst(), {}
    for tried, pair in enumerate(pairs, 1):
        found = replay_pair(make, pair, seed=seed + tried, delta=claim.delta)
        if worst.may_grow(found):
            found = press(found, make, seed=seed + tried, delta=claim.delta)
        worst.note(found, seed + tried)
        differences.update(dict.fromkeys(found.differences))
        if monotonic() - start > seconds:
            break
    controls = tuple(_control(make, name, mutant, worst, claim) for name, mutant in mutants.items())
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
        differences=tuple(differences),
        controls=controls,
        not_seen=NOT_SEEN,
        seconds=monotonic() - start,
    )


@dataclass
class _Worst:
    """The largest losses so far, and where they were found."""

    epsilon: float = 0.0
    most: float = 0.0
    at: dict[tuple[str, str], tuple[Step, Pair, int]] = field(default_factory=dict)
    together: tuple[Pair, int] | None = None
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)

    def may_grow(self, found: Replayed) -> bool:
        """Return whether the releases' losses add up to more than those of every pair so far."""
        return sum(step.reached for step in found.steps) > self.most

    def note(self, found: Replayed, seed: int) -> None:
        """Keep what is larger than before."""
        if self.together is None or found.epsilon > self.epsilon:
            self.epsilon, self.together = found.epsilon, (found.pair, seed)
        self.most = max(self.most, sum(step.reached for step in found.steps))
        for step in found.steps:
            key = step.line.query, step.line.mechanism
            if key not in self.at or step.reached > self.at[key][0].reached:
                self.at[key] = step, found.pair, seed
        self.pairs.update({(step.line.query, step.line.mechanism) for step in found.steps})

    def releases(self) -> tuple[ReleaseLoss, ...]:
        """Return the largest loss of each query and mechanism."""
        return tuple(
            ReleaseLoss(*key, step.line.loss, step.line.currency, step.loss, self.pairs[key])
            for key, (step, _, _) in self.at.items()
        )


def _control(make: Callable[[], Fits], name: str, mutant: Mutant, worst: _Worst, claim: Claim) -> Control:
    """Replay the worst pairs with a mutant; it is caught if every release is found above its share."""
    places = {id(pair): (pair, seed) for _, pair, seed in worst.at.values()}
    if worst.together:
        places[id(worst.together[0])] = worst.together
    broken = _Worst()
    for pair, seed in places.values():
        found = replay_pair(make, pair, seed=seed, delta=claim.delta, mutant=mutant)
        broken.note(press(found, make, seed=seed, delta=claim.delta, mutant=mutant), seed)
    caught = all(key in broken.at and broken.at[key][0].reached > 1 for key in worst.at)
    return Control(name, broken.epsilon, broken=True, caught=caught)


def _fit(
    make: Callable[[], Fits],
    given: tuple[Any, Any],
    seed: int,
    mutant: Mutant | None,
    answers: Sequence[Any] | None = None,
) -> _Fit:
    """Fit with drawn answers, or with those given, keeping whatever can be seen from outside."""
    fit = _Fit()

    def answer(pending: PendingRelease) -> Any:
        at = len(fit.pending)
        pending = mutant(pending) if mutant else pending
        fit.pending.append(pending)
        if answers is None or at >= len(answers):
            fit.answers.append(pending.draw())
        else:
            fit.answers.append(answers[at])
        # A copy, as learners may change what they got.
        return deepcopy(fit.answers[-1])

    subject = _seeded(make(), seed)
    fit.total = getattr(subject, "on_invalid", "raise") == "coerce"
    with _watching(fit.left), interposing(answer):
        try:
            fit.left["model"] = _published(subject.fit(*given))
        except TacitError as error:
            fit.left["error"] = f"{type(error).__name__}: {error}"
            fit.refused = isinstance(error, TableError)
    return fit


def _seeded(subject: Fits, seed: int) -> Fits:
    """Return it with the seed, where it has a random state to set."""
    if hasattr(subject, "random_state"):
        subject.random_state = seed
    return subject


def _published(fitted: Any) -> str:
    """Return all that a fitted object shows, as text."""
    model = getattr(fitted, "model_", None)
    shown = [to_json(model)] if model is not None else []
    return "\n".join([*shown, str(getattr(fitted, "privacy_", "")), repr(fitted), *sorted(map(str, vars(fitted)))])


@contextmanager
def _watching(left: dict[str, str]) -> Iterator[None]:
    """Keep what is warned, printed and logged."""
    printed, logged = StringIO(), StringIO()
    handler, root = logging.StreamHandler(logged), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with warnings.catch_warnings(record=True) as warned, redirect_stdout(printed), redirect_stderr(printed):
            warnings.simplefilter("always")
            yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    left["warnings"] = "\n".join(f"{each.category.__name__}: {each.message}" for each in warned)
    left["printed text"], left["log"] = printed.getvalue(), logged.getvalue()


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


def _differences(one: _Fit, other: _Fit) -> tuple[str, ...]:
    """Name what differs, without values."""
    found = []
    if len(one.pending) != len(other.pending):
        found.append("the number of releases")
    for mine, its in zip(one.pending, other.pending, strict=False):
        if mine.line != its.line or mine.mechanism != its.mechanism:
            found.append(f"the sensitivity, scale or name of {mine.line.query!r}")
            break
    kinds = sorted({*one.left, *other.left})
    return (*found, *(f"the {kind}" for kind in kinds if one.left.get(kind) != other.left.get(kind)))
