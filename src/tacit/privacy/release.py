"""One release: drawn through a mechanism or answered by an audit, recorded, and shown to observers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from tacit.errors import NO_MEMORY, PrivacyError, TacitError, lacks_memory
from tacit.privacy.basis import BasisValue, SensitivityKind
from tacit.privacy.limit import Counted, Slices, check_slices, slice_words, slices_of
from tacit.privacy.loss import ZCDP, ApproximateDP, PrivacyLoss, UpToDelta
from tacit.privacy.mechanism import Mechanism, NoiseSource
from tacit.privacy.plan import PrivacyFilter
from tacit.privacy.progress_events import untold
from tacit.privacy.statistic import NumericStatistic, Statistic

StatisticT = TypeVar("StatisticT", bound=Statistic)
AnswerT = TypeVar("AnswerT")

_SLICE_OF_VERSION_1 = re.compile(r"\((slice \d+ of \d+(?: of slice \d+ of \d+)*)\)$")
"""The end of a query's text, which alone says so in certificates of version 1."""


@dataclass(frozen=True)
class ReleaseRecord:
    """Record of one release: what, and at what cost. The fields are fixed: nothing computed from rows may join them."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    query: str
    mechanism: str
    sensitivity: float
    """Under which the noise was scaled."""
    sensitivity_kind: SensitivityKind
    noise_scale: float
    """In the query's units."""
    loss: float
    """Charged, in the currency of the composition."""
    currency: Literal["epsilon", "rho"]
    sampler: str
    """What drew the noise."""
    delta: float = 0.0
    """Charged besides; zero but for mechanisms that are private only up to a failure probability."""
    slice: Slices = ()
    """Of which slice of the rows."""
    counted: Counted | None = None
    """How the loss is counted; None in certificates of version 1, which do not say."""
    order: int = field(default=0, compare=False)
    """Which release of these rows it is, from 1 on; 0 in certificates of version 1."""
    basis: Mapping[str, BasisValue] | None = field(default=None, hash=False)
    """The query's kind, and the public numbers that its sensitivity follows from; None where they are not stated."""

    def __post_init__(self) -> None:
        check_slices(self.slice)

    @property
    def rows(self) -> str:
        """Of which slice of the rows, in words; empty if of all."""
        named = _SLICE_OF_VERSION_1.search(self.query) if self.counted is None else None
        return named[1] if named else slice_words(self.slice)

    @property
    def asked(self) -> str:
        """What was asked, and of which slice of the rows if not of all."""
        return f"{self.query} ({slice_words(self.slice)})" if self.slice else self.query


def describe(
    mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT, filter_: PrivacyFilter, noise: NoiseSource
) -> ReleaseRecord:
    """Return the record of a release, from its public parts only."""
    loss = mechanism.loss(statistic)
    sensitivity, kind = mechanism.sensitivity(statistic)
    rho = filter_.composition == "zcdp" and not isinstance(loss, ApproximateDP)
    return ReleaseRecord(
        query=statistic.query,
        mechanism=_distribution(mechanism.name, statistic),
        sensitivity=float(sensitivity),
        sensitivity_kind=kind,
        noise_scale=float(mechanism.noise_scale(statistic)),
        loss=filter_.amount(loss),
        currency="rho" if rho else "epsilon",
        sampler=str(getattr(mechanism, "sampler", noise.sampler)),
        delta=loss.delta if isinstance(loss, ApproximateDP | UpToDelta) else 0.0,
        slice=slices_of(statistic.unit.slice),
        counted=_counted(loss, filter_),
        basis=statistic.basis.written() if statistic.basis else None,
    )


def _counted(loss: PrivacyLoss, filter_: PrivacyFilter) -> Counted:
    """Return how a loss is counted."""
    if isinstance(loss, ApproximateDP):
        return "approximate"
    if isinstance(loss, ZCDP) and loss.gaussian and filter_.gaussian:
        return "gaussian"
    return filter_.composition


def sample(mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT, noise: NoiseSource) -> AnswerT:
    """Return the answer; a foreign exception is replaced, as it may hold the unreleased value."""
    try:
        return mechanism.sample(statistic, noise)
    except TacitError:
        raise
    # A foreign exception may hold the unreleased value, in its message or its frames.
    except Exception as error:  # noqa: BLE001 - replaced outside the handler, so that no context is kept
        failure, no_memory = type(error).__name__, lacks_memory(error)
    if no_memory:
        raise MemoryError(f"{NO_MEMORY} The budget stays spent.")
    raise PrivacyError(
        f"Expected the sampler of {mechanism.name!r} to answer, got failure={failure!r}. "
        "The budget stays spent; report this as a bug."
    )


@dataclass(frozen=True, eq=False)
class ObservedRelease:
    """A release as everybody may see it: how it was made, and the noisy answer."""

    line: ReleaseRecord
    """Query, mechanism, sensitivity, noise scale and loss."""
    answer: Any
    """A copy of what the learner got."""


Observer = Callable[[ObservedRelease], None]

_observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Call a function with every release of this context, right after it.

    Privacy: answers are outputs of their mechanisms, and a guarantee is about all answers together: an observer that
    keeps them learns no more than it allows. The function gets neither the statistic, which holds the unreleased
    value, nor the noise source or the mechanism's object. A mechanism that runs others and hides some of their answers
    must not send these through an accountant that is observed.
    """
    token = _observers.set((*_observers.get(), observer))
    try:
        yield
    finally:
        _observers.reset(token)


@contextmanager
def unobserved() -> Iterator[None]:
    """Show no release of this context to any observer, nor count it: of runs of which all but the best stay secret."""
    token = _observers.set(())
    try:
        with untold():
            yield
    finally:
        _observers.reset(token)


def observe(line: ReleaseRecord, answer: Any) -> None:
    """Show a release to all observers of this context; only an accountant may call it."""
    for observer in _observers.get():
        # A copy, so that no observer can change what the learner got.
        observer(ObservedRelease(line, deepcopy(answer)))


@dataclass(frozen=True, eq=False)
class PendingRelease:
    """A release that was charged and waits for its answer.

    Parameters
    ----------
    line : ReleaseRecord
    mechanism : Mechanism
    statistic : Statistic
        Holds the unreleased value.
    noise : NoiseSource
    """

    line: ReleaseRecord
    mechanism: Mechanism[Any, Any]
    statistic: Statistic
    noise: NoiseSource

    def draw(self) -> Any:
        """Return an answer of the mechanism, as an accountant would."""
        return sample(self.mechanism, self.statistic, self.noise)


Answerer = Callable[[PendingRelease], Any]

_answerer: ContextVar[Answerer | None] = ContextVar("answerer", default=None)


@contextmanager
def interposing(answerer: Answerer) -> Iterator[None]:
    """Let a function answer every release of this context; of nested ones, the innermost.

    Notes
    -----
    Privacy: for audits alone. The function sees unreleased values, so every certificate of an accountant that released
    under it is void, and its models are not for publication.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Label, NaiveBayesClassifier, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))
    >>> model = NaiveBayesClassifier(schema, epsilon=1.0)
    >>> with interposing(lambda pending: pending.draw()):
    ...     model = model.fit(np.arange(90)[:, None], ["low"] * 45 + ["high"] * 45)
    >>> model.privacy_.status, model.privacy_.reasons
    ('void', ('Answers were forced or recorded.',))
    """
    token = _answerer.set(answerer)
    try:
        yield
    finally:
        _answerer.reset(token)


def interposed() -> Answerer | None:
    """Return the function that answers releases in this context, if there is one."""
    return _answerer.get()


def _distribution(name: str, statistic: Statistic) -> str:
    """Return the mechanism's name, marked where integers get a discrete distribution, whose exact loss differs."""
    # Numeric composition may count the continuous Gaussian distribution alone, so that the name must tell which one it
    # was.
    integers = isinstance(statistic, NumericStatistic) and statistic.unreleased_value.dtype == np.int64
    return f"discrete {name}" if integers else name
