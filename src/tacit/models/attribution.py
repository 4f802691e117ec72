"""What each column adds to the scores, by kind of scorer: on average in each of its cells, and in each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property, singledispatch
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.features.feature_encoding import FeatureEncoding
from tacit.features.ranked_encoding import RankedEncoding
from tacit.models.cells import ColumnCells, Distribution, cells_of
from tacit.models.linear import LinearModel, LogisticModel
from tacit.models.links import LinkedScorer
from tacit.models.naive_bayes import NaiveBayesModel
from tacit.models.rado_form import RadoForm
from tacit.models.ranked import RankedModel
from tacit.rules.priors import CONSTANT
from tacit.schema import Schema
from tacit.table import Rows

Floats = NDArray[np.float64]
Part = Callable[[Rows], Floats]
"""What a column adds to each row's scores, (n_rows, n_scores); reads that column alone."""


class Attribution(ABC):
    """What the columns add to the scores of one scorer.

    Attributes
    ----------
    n_scores : int
    cells : list of ColumnCells
        Of the columns that the scorer reads.
    """

    n_scores: int
    cells: list[ColumnCells]

    @abstractmethod
    def effects(self, distribution: Distribution) -> dict[str, Floats]:
        """Return by column what each cell adds on average, centered by the shares, (n_scores, n_cells) each."""

    @abstractmethod
    def parts(self, distribution: Distribution, rows: Rows) -> tuple[Floats, dict[str, Floats]]:
        """Return the mean score, (n_scores,), and by column what it adds beyond that, (n_rows, n_scores) each.

        Their sum is the score.
        """


@singledispatch
def attribution(scorer: Any, schema: Schema) -> Attribution:
    """Return how a scorer's scores are shared among the columns.

    Raises ParameterError if nothing is known of how a scorer decides.
    """
    raise ParameterError(
        f"Expected a model that can be written down, got one of kind {getattr(scorer, 'kind', 'unknown')!r}. "
        "Fit with a public learner of scikit-learn: a linear model or a decision tree."
    )


def summed(one: dict[str, Floats], other: dict[str, Floats]) -> dict[str, Floats]:
    """Return what columns add in two scorers together."""
    both = {name: one[name] + other[name] for name in one.keys() & other.keys()}
    return one | other | both


class Additive(Attribution):
    """A sum of functions of one column each."""

    def __init__(self, cells: Iterable[ColumnCells], added: dict[str, list[Part]], constant: Floats):
        self.cells, self.added, self.constant = list(cells), added, constant
        self.n_scores = len(constant)

    def effects(self, distribution: Distribution) -> dict[str, Floats]:
        """Return by column what each cell adds."""
        return {name: (own - distribution.shares[name] @ own).T for name, own in self._by_cell(distribution).items()}

    def parts(self, distribution: Distribution, rows: Rows) -> tuple[Floats, dict[str, Floats]]:
        """Return the mean score, and what columns add beyond it."""
        means = {name: distribution.shares[name] @ own for name, own in self._by_cell(distribution).items()}
        found = {name: _total(self.added[name], rows) - mean for name, mean in means.items()}
        return self.constant + sum(means.values(), np.zeros(self.n_scores)), found

    def _by_cell(self, distribution: Distribution) -> dict[str, Floats]:
        return {name: _total(parts, distribution.cells[name].rows) for name, parts in self.added.items()}


def _total(parts: list[Part], rows: Rows) -> Floats:
    return np.asarray(sum(part(rows) for part in parts))


@attribution.register
def _(scorer: LinearModel, schema: Schema) -> Attribution:
    return _of_forms(scorer, schema)


@attribution.register
def _(scorer: LogisticModel, schema: Schema) -> Attribution:
    return _of_forms(scorer, schema)


def _of_forms(scorer: LinearModel | LogisticModel, schema: Schema) -> Attribution:
    forms = scorer.encoded(schema)
    cells = [each for encoding, _ in forms for each in cells_of(encoding)]
    added = {name: [part] for encoding, weights in forms for name, part in linear_parts(encoding, weights)}
    constant = scorer.intercept + (scorer.offset if isinstance(scorer, LinkedScorer) else 0.0)
    return Additive(cells, added, np.asarray([constant]))


def linear_parts(encoding: FeatureEncoding, weights: Floats) -> Iterator[tuple[str, Part]]:
    """Yield each column with what it adds to a linear form of all features."""
    for name in encoding.columns:
        yield name, _linear_part(encoding.alone(name), weights[encoding.positions((name,))][:, None])


def _linear_part(encoding: FeatureEncoding, weights: Floats) -> Part:
    return lambda rows: np.asarray(encoding.transform(rows) @ weights)


@attribution.register
def _(scorer: RadoForm, schema: Schema) -> Attribution:
    encoding = LinearEncoding(schema, schema.names, scorer.encoding, scorer.clip)
    parts = linear_parts(encoding, scorer.scale * np.asarray(scorer.weights))
    constant = np.asarray([scorer.scale * scorer.intercept + scorer.offset])
    return Additive(cells_of(encoding), {name: [part] for name, part in parts}, constant)


@attribution.register
def _(scorer: NaiveBayesModel, schema: Schema) -> Attribution:
    alone = [replace(scorer, tables=(table,), intercepts=(0.0,) * len(scorer.intercepts)) for table in scorer.tables]
    added = {one.tables[0].column: [_scored(one, schema)] for one in alone}
    intercepts = np.asarray(scorer.intercepts)
    constant = intercepts[1:] - intercepts[0] if len(intercepts) == 2 else intercepts
    return Additive([each for own in scorer.encodings(schema) for each in cells_of(own)], added, constant)


def _scored(scorer: NaiveBayesModel, schema: Schema) -> Part:
    return lambda rows: np.atleast_2d(scorer.scores(rows, schema).T).T


class RankedAttribution(Attribution):
    """A linear form of rows that are clipped: what a column adds depends a little on a row's length."""

    def __init__(self, scorer: RankedModel, schema: Schema):
        self.encoding = scorer.encoding(schema)
        self.weights = np.asarray(scorer.weights).T
        self.public = public = [_of_forms(one, schema) for one in scorer.public_models()]
        others = [each for each in (public[0].cells if public else ()) if each.column.name not in scorer.columns]
        self.cells = [*cells_of(self.encoding), *others]
        self.n_scores = self.weights.shape[1]
        self._alone: dict[str, RankedEncoding] = {}

    def effects(self, distribution: Distribution) -> dict[str, Floats]:
        """Return by column what each cell adds to a row of mean length."""
        factor, found = self.factor(distribution), dict[str, Floats]()
        for name, at in self.positions():
            own = factor * self.features(name, distribution.cells[name].rows) @ self.weights[at]
            found[name] = (own - distribution.shares[name] @ own).T
        return summed(found, self._public_effects(distribution))

    def parts(self, distribution: Distribution, rows: Rows) -> tuple[Floats, dict[str, Floats]]:
        """Return the mean score of rows of mean length, and what columns add beyond it."""
        features, factor = self.encoding.transform(rows), self.factor(distribution)
        base, found = CONSTANT * factor * self.weights[0], dict[str, Floats]()
        for name, at in self.positions():
            mean = (
                factor
                * distribution.shares[name]
                @ self.features(name, distribution.cells[name].rows)
                @ self.weights[at]
            )
            base, found[name] = base + mean, features[:, at] @ self.weights[at] - mean
        # The constant's own change with a row's length belongs to all columns alike.
        rest = np.outer(features[:, 0] - CONSTANT * factor, self.weights[0])
        found = {name: part + rest / len(found) for name, part in found.items()}
        for score, one in enumerate(self.public):
            start, own = one.parts(distribution, rows)
            base = base + np.eye(self.n_scores)[score] * start
            for name, part in own.items():
                added = found.setdefault(name, np.zeros((rows.n_rows, self.n_scores)))
                added[:, score] += part[:, 0]
        return base, found

    def features(self, name: str, rows: Rows) -> Floats:
        """Return a column's features before rows are clipped, (n_rows, n_features of the column)."""
        if name not in self._alone:
            whole = self._whole.alone(name)
            # A radius that no row of one column has clips nothing.
            self._alone[name] = replace(whole, radius=whole.unclipped)
        return np.asarray(self._alone[name].transform(rows)[:, 1:])

    def factor(self, distribution: Distribution) -> float:
        """Return how much a row of mean squared length is clipped."""
        total = CONSTANT**2
        for name in self.encoding.columns:
            total += distribution.shares[name] @ (self.features(name, distribution.cells[name].rows) ** 2).sum(axis=1)
        return min(1.0, self.encoding.radius / sqrt(total))

    @cached_property
    def _whole(self) -> RankedEncoding:
        return replace(self.encoding, radius=inf)

    def positions(self) -> Iterator[tuple[str, slice]]:
        """Yield each column with the places of its features."""
        starts = self.encoding.starts
        for at, name in enumerate(self.encoding.columns):
            yield name, slice(starts[at], starts[at + 1])

    def _public_effects(self, distribution: Distribution) -> dict[str, Floats]:
        found = [one.effects(distribution) for one in self.public]
        return {name: np.concatenate([one[name] for one in found]) for name in (found[0] if found else ())}


@attribution.register
def _(scorer: RankedModel, schema: Schema) -> Attribution:
    return RankedAttribution(scorer, schema)
