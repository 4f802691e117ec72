"""Random linear classifiers of BRC, drawn without looking at any row, and their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.mechanisms import Releases
from tacit.models import LinearRule, snapped
from tacit.privacy import NumericStatistic
from tacit.queries import InterceptErrors, WeightedErrors

DrawClassifiers = Callable[[int, int, np.random.Generator], tuple[NDArray[np.float64], NDArray[np.float64]]]
"""From rounds, number of features and a generator: coefficients (rounds, n_features), intercepts (rounds,)."""

CANDIDATES = 33
"""Size of the public grid from which an intercept is selected."""


@dataclass(frozen=True, eq=False)
class RandomClassifiers:
    """Coefficients of shape (rounds, n_features) and intercepts of shape (rounds,), on the features' grid."""

    coefficients: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    def __post_init__(self) -> None:
        coefficients, intercepts = np.asarray(self.coefficients, float), np.asarray(self.intercepts, float)
        if coefficients.ndim != 2 or intercepts.shape != coefficients.shape[:1]:
            raise ParameterError(
                "Expected draw_classifiers to return coefficients (rounds, n_features) and intercepts (rounds,). "
                "Return two arrays of those shapes."
            )
        if not (np.isfinite(coefficients).all() and np.isfinite(intercepts).all()):
            raise ParameterError("Expected finite coefficients and intercepts from draw_classifiers.")
        object.__setattr__(self, "coefficients", np.asarray([snapped(row) for row in coefficients]))
        object.__setattr__(self, "intercepts", np.asarray(snapped(intercepts)))


def draw_uniform(
    rounds: int, n_features: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coefficients and intercepts, each uniform on [-1, 1]: Shen and others (2022), Algorithm 2, step 5."""
    drawn = generator.uniform(-1, 1, size=(rounds, n_features + 1))
    return drawn[:, :-1], drawn[:, -1]


def draw_centered(
    rounds: int, n_features: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coefficients uniform on [-1, 1] and intercepts zero, the mean of a uniform one: section 6."""
    return generator.uniform(-1, 1, size=(rounds, n_features)), np.zeros(rounds)


def intercept_grids(coefficients: NDArray[np.float64], encoding: LinearEncoding) -> NDArray[np.float64]:
    """Return candidate intercepts of each direction, ascending, shape (rounds, CANDIDATES).

    They divide the range of coefficients . features over every row that the schema admits into equal parts.
    """
    grids = []
    for row in coefficients:
        low, high = encoding.extent(row)
        grids.append(snapped(np.linspace(-high, -low, CANDIDATES + 2)[1:-1]))
    return np.asarray(grids)


class RandomRules(Protocol):
    """The random classifiers of a run, one a round, and their errors under the private weights."""

    def draw(self, releases: Releases) -> LinearRule:
        """Return this round's classifier; ``releases`` pay where its intercept is selected."""

    def error(self) -> NumericStatistic:
        """Return the weighted error of this round's classifier."""

    def reweigh(self, after_mistake: NDArray[np.int64]) -> None:
        """Go on to the next round, with the level that follows each level of weight where the classifier was wrong."""


class DrawnRules:
    """Classifiers drawn with their intercepts."""

    def __init__(self, rules: Sequence[LinearRule], errors: WeightedErrors):
        self._rules, self._errors = iter(rules), errors

    def draw(self, releases: Releases) -> LinearRule:
        """Return this round's classifier, which costs nothing."""
        return next(self._rules)

    def error(self) -> NumericStatistic:
        """Return the weighted error of this round's classifier."""
        return self._errors.statistic()

    def reweigh(self, after_mistake: NDArray[np.int64]) -> None:
        """Go on to the next round."""
        self._errors.advance(after_mistake)


class SelectedRules:
    """Drawn directions, each with the intercept that is selected by accuracy from its public grid.

    Not in the paper, which offers the data's own values as intercepts: those are no public candidates.
    """

    def __init__(self, rules: Sequence[LinearRule], grids: NDArray[np.float64], errors: InterceptErrors):
        self._rules, self._grids, self._errors = iter(rules), iter(grids), errors
        self._chosen = 0

    def draw(self, releases: Releases) -> LinearRule:
        """Return this round's direction at the selected intercept; one release."""
        self._chosen = releases.best(self._errors.accuracies())
        return replace(next(self._rules), intercept=float(next(self._grids)[self._chosen]))

    def error(self) -> NumericStatistic:
        """Return the weighted error at the selected intercept."""
        return self._errors.statistic(self._chosen)

    def reweigh(self, after_mistake: NDArray[np.int64]) -> None:
        """Go on to the next round."""
        self._errors.advance(self._chosen, after_mistake)
