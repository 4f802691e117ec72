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
    """Proposes a random classifier each round, and learns what became of it."""

    def propose(self) -> Proposal:
        """Return this round's classifier; spends this round's releases."""
        ...

    def advance(self, alpha: float) -> None:
        """Go on to the next round; alpha is the classifier's coefficient, zero if it was not taken."""
        ...


class FixedProposer:
    """Classifiers drawn whole; one release a round, of a noisy error."""

    def __init__(self, rules: Sequence[LinearRule], errors: WeightedErrors, releases: Releases):
        self._rules, self._errors, self._releases = iter(rules), errors, releases

    def propose(self) -> Proposal:
        """Return this round's classifier with its released edge."""
        error = self._releases.noisy(self._errors.statistic())
        return Proposal(next(self._rules), 0.5 - float(error.value))

    def advance(self, alpha: float) -> None:
        """Go on to the next round."""
        self._errors.advance(alpha)


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

    def advance(self, alpha: float) -> None:
        """Go on to the next round."""
        self._errors.advance(self._chosen, alpha)
