"""The private half of a boosting round: a random classifier and its noisy error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms import Releases
from tacit.models import LinearRule
from tacit.queries import InterceptErrors, WeightedErrors


@dataclass(frozen=True)
class Proposal:
    """A random classifier and its released edge, 0.5 minus its noisy error."""

    rule: LinearRule
    edge: float


class Proposer(Protocol):
    """Proposes a random classifier each round, and reweighs the rows by its mistakes."""

    def propose(self) -> Proposal:
        """Return this round's classifier; spends this round's releases."""
        ...

    def reweigh(self, after_mistake: NDArray[np.int64]) -> None:
        """Go on to the next round, with the level that follows each level of weight where the classifier was wrong."""
        ...


class FixedProposer:
    """Classifiers drawn whole; one release a round, of a noisy error."""

    def __init__(self, rules: Sequence[LinearRule], errors: WeightedErrors, releases: Releases):
        self._rules, self._errors, self._releases = iter(rules), errors, releases

    def propose(self) -> Proposal:
        """Return this round's classifier with its released edge."""
        error = self._releases.noisy(self._errors.statistic())
        return Proposal(next(self._rules), 0.5 - float(error.value))

    def reweigh(self, after_mistake: NDArray[np.int64]) -> None:
        """Go on to the next round."""
        self._errors.advance(after_mistake)


class SelectingProposer:
    """Directions whose intercept is selected by accuracy from a public grid; two releases a round."""

    def __init__(
        self,
        rules: Sequence[LinearRule],
        grids: NDArray[np.float64],
        errors: InterceptErrors,
        releases: Releases,
    ):
        self._rules, self._grids = iter(rules), iter(grids)
        self._errors, self._releases = errors, releases
        self._chosen = 0

    def propose(self) -> Proposal:
        """Return this round's direction at the selected intercept, with its released edge."""
        self._chosen = self._releases.best(self._errors.accuracies())
        error = self._releases.noisy(self._errors.statistic(self._chosen))
        intercept = float(next(self._grids)[self._chosen])
        return Proposal(replace(next(self._rules), intercept=intercept), 0.5 - float(error.value))

    def reweigh(self, after_mistake: NDArray[np.int64]) -> None:
        """Go on to the next round."""
        self._errors.advance(self._chosen, after_mistake)
