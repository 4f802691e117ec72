"""Subjects of known privacy, audited beside every other: one attains its claim exactly, and one leaks a cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tacit.audit.findings import Claim, Control
from tacit.audit.neighbors import Pair
from tacit.audit.recording import Fits
from tacit.audit.replay import press, replay_pair
from tacit.estimators import NaiveBayesClassifier
from tacit.schema import Categorical, Label, Schema

SCHEMA = Schema([Categorical("vote", ["no", "yes"])], label=Label("ward", ["east", "west"], private=False))
"""One private column and a public label, so that naive Bayes makes one release: the counts of each vote by ward."""

PAIR = Pair(SCHEMA, (("no", "east"), ("no", "west")), (("yes", "east"), ("no", "west")), "one vote")


def exact_counts(claim: Claim) -> Fits:
    """Return a learner whose one release attains the claim on ``PAIR``, where delta is zero, and nothing more."""
    return NaiveBayesClassifier(SCHEMA, epsilon=claim.epsilon, delta=claim.delta, ledger="none")


@dataclass
class LeakedVote:
    """A learner that shows the first private cell beside a private model."""

    private: Fits
    vote: str = ""

    def fit(self, X: Any, y: Any) -> LeakedVote:
        """Train the private model, and keep a cell."""
        self.private.fit(X, y)
        self.vote = X["vote"][0]
        return self


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
