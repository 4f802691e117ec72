"""What sees every release: for records, tests and audits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from tacit.privacy.ledger import LedgerLine


@dataclass(frozen=True, eq=False)
class ObservedRelease:
    """A release as everybody may see it: how it was made, and the noisy answer.

    Parameters
    ----------
    line : LedgerLine
        Query, mechanism, sensitivity, noise scale and loss.
    answer : number or array
        A copy of what the learner got.
    """

    line: LedgerLine
    answer: Any


Observer = Callable[[ObservedRelease], None]

_observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Call a function with every release of this context, right after it.

    Notes
    -----
    Privacy: answers are outputs of their mechanisms, and a guarantee is about all answers together: whoever keeps them
    learns no more than it allows. The function gets neither the statistic, which holds the unreleased value, nor the
    noise source or the mechanism's object. A mechanism that runs others and hides some of their answers must not send
    these through an accountant that is observed.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Label, NaiveBayesClassifier, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))
    >>> model = NaiveBayesClassifier(schema, epsilon=1.0)
    >>> seen = []
    >>> with observing(seen.append):
    ...     model = model.fit(np.arange(90)[:, None], ["low"] * 45 + ["high"] * 45)
    >>> [release.line for release in seen] == list(model.privacy_.releases)
    True
    """
    token = _observers.set((*_observers.get(), observer))
    try:
        yield
    finally:
        _observers.reset(token)


def observe(line: LedgerLine, answer: Any) -> None:
    """Show a release to all observers of this context; only an accountant may call it."""
    for observer in _observers.get():
        observer(ObservedRelease(line, deepcopy(answer)))
