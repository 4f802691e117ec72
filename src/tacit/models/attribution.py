"""What each column adds to the scores, by kind of scorer: on average in each of its cells, and in each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import singledispatch
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import LinearEncoding, OneHotEncoding
from tacit.models.cells import ColumnCells, Distribution, binned_cells, drawn_cells
from tacit.models.linear import LinearForm, LinearModel, LogisticModel
from tacit.models.links import LinkedScorer
from tacit.models.naive_bayes import BinTable, NaiveBayesModel
from tacit.models.rado_form import RadoForm
from tacit.models.ranked import RankedModel
from tacit.models.released_schema import with_cuts
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
    schema = with_cuts(schema, scorer.cuts)
    cells = [each for form in scorer.forms for each in form_cells(form, schema)]
    added = {name: [part] for form in scorer.forms for name, part in _form_parts(form, schema)}
    constant = scorer.intercept + (scorer.offset if isinstance(scorer, LinkedScorer) else 0.0)
    return Additive(cells, added, np.asarray([constant]))


def form_cells(form: LinearForm, schema: Schema) -> list[ColumnCells]:
    """Return the cells of a form's columns, under a schema that has the model's cut points."""
    encoding = form.read(schema)
    if isinstance(encoding, OneHotEncoding):
        return binned_cells(encoding.schema, form.columns, form.n_bins)
    return drawn_cells(schema, form.columns)


def _form_parts(form: LinearForm, schema: Schema) -> Iterator[tuple[str, Part]]:
    encoding, weights = form.read(schema), np.asarray(form.weights)
    for name in form.columns:
        own = replace(encoding, columns=(name,))
        yield name, linear_part(own, weights[encoding.positions((name,))][:, None])


def linear_part(encoding: LinearEncoding | OneHotEncoding, weights: Floats) -> Part:
    """Return the linear form of one column's features, weights being of shape (n_features, 1)."""
    return lambda rows: np.asarray(encoding.transform(rows) @ weights)


@attribution.register
def _(scorer: RadoForm, schema: Schema) -> Attribution:
    encoding = LinearEncoding(schema, schema.names, scorer.encoding, scorer.clip)
    weights = scorer.scale * np.asarray(scorer.weights)
    added = {
        name: [linear_part(replace(encoding, columns=(name,)), weights[encoding.positions((name,))][:, None])]
        for name in schema.names
    }
    return Additive(
        drawn_cells(schema, schema.names), added, np.asarray([scorer.scale * scorer.intercept + scorer.offset])
    )


@attribution.register
def _(scorer: NaiveBayesModel, schema: Schema) -> Attribution:
    schema = with_cuts(schema, scorer.cuts)
    names = [table.column for table in scorer.tables]
    alone = [replace(scorer, tables=(table,), intercepts=(0.0,) * len(scorer.intercepts)) for table in scorer.tables]
    added = {name: [_scored(one, schema)] for name, one in zip(names, alone, strict=True)}
    binned = binned_cells(schema, [t.column for t in scorer.tables if isinstance(t, BinTable)], scorer.n_bins)
    intercepts = np.asarray(scorer.intercepts)
    constant = intercepts[1:] - intercepts[0] if len(intercepts) == 2 else intercepts
    return Additive([*binned, *drawn_cells(schema, scorer.scaled)], added, constant)


def _scored(scorer: NaiveBayesModel, schema: Schema) -> Part:
    return lambda rows: np.atleast_2d(scorer.scores(rows, schema).T).T


class RankedAttribution(Attribution):
    """A linear form of rows that are shortened: what a column adds depends a little on a row's length."""

    def __init__(self, scorer: RankedModel, schema: Schema):
        self.schema = schema
        self.encoding = scorer.encoding(schema)
        self.weights = np.asarray(scorer.weights).T
        public = [_of_forms(one, schema) for one in scorer.public]
        self.public = public
        others = [each for each in (public[0].cells if public else ()) if each.column.name not in scorer.columns]
        self.cells = [*drawn_cells(schema, scorer.columns), *others]
        self.n_scores = self.weights.shape[1]

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
        """Return a column's features before rows are shortened, (n_rows, n_features of the column)."""
        whole = replace(self.encoding, columns=(name,), radius=inf)
        # A radius that the longest row of one column has shortens nothing.
        alone = replace(whole, radius=whole.longest)
        return np.asarray(alone.transform(rows)[:, 1:])

    def factor(self, distribution: Distribution) -> float:
        """Return how much a row of mean squared length is shortened."""
        total = CONSTANT**2
        for name in self.encoding.columns:
            total += distribution.shares[name] @ (self.features(name, distribution.cells[name].rows) ** 2).sum(axis=1)
        return min(1.0, self.encoding.radius / sqrt(total))

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
    return RankedAttribution(scorer, with_cuts(schema, scorer.cuts))
