"""Subjects of known privacy, audited beside every other: one attains its claim exactly, and one leaks a cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.audit.findings import Claim
from tacit.audit.neighbors import Pair
from tacit.audit.recording import Fits
from tacit.estimators import NaiveBayesClassifier
from tacit.schema import Categorical, Label, Schema

SCHEMA = Schema([Categorical("vote", ["no", "yes"])], label=Label("ward", ["east", "west"], private=False))
"""One private column and a public label, so that naive Bayes makes one release: the counts of each vote by ward."""

PAIR = Pair(SCHEMA, (("no", "east"), ("no", "west")), (("yes", "east"), ("no", "west")), "one vote")


def exact_counts(claim: Claim) -> Fits:
    """Return a learner whose one release attains the claim on ``PAIR``, where delta is zero, and nothing more."""
    return NaiveBayesClassifier(SCHEMA, epsilon=claim.epsilon, delta=claim.delta)


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
