"""What each column adds to a weighted vote of linear rules and public trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.models.attribution import Attribution, Floats, attribution
from tacit.models.boxes import Box, box_effects, box_parts
from tacit.models.cells import Distribution, cells_of
from tacit.models.rules import LinearRule, TreeRule
from tacit.models.vote import Vote, VoteModel
from tacit.schema import Schema
from tacit.table import Rows

_CHUNK = 1_024
"""Rows that are shared among columns together: each takes a number a vote, for two orders of the columns."""

_MIN_DEVIATION = 1e-9
"""Of the part of a linear form that is not known: below it, the form is known."""


@dataclass(frozen=True, eq=False)
class PathBox(Box):
    """A leaf of a tree that compares features with thresholds, which need not be ends of cells."""

    tests: dict[str, list[tuple[int, float, bool]]] | None = None
    """By column the features compared on the way, their thresholds, and whether at most is the way."""

    def inside(self, features: Floats) -> list[Floats]:
        """Return by column whether each row goes the leaf's way, (n_rows,)."""
        assert self.tests is not None
        return [
            np.all([(features[:, at] <= most) == left for at, most, left in tests], axis=0).astype(np.float64)
            for tests in self.tests.values()
        ]


class Votes(Attribution):
    """Linear rules decide by a sum over all columns: what is not known of it is taken to be normal."""

    n_scores = 1

    def __init__(self, scorer: VoteModel, schema: Schema):
        self.encoding = LinearEncoding(schema, schema.names, scorer.encoding)
        self.cells = cells_of(self.encoding)
        linear = [(vote, vote.rule) for vote in scorer.votes if isinstance(vote.rule, LinearRule)]
        n_features = self.encoding.n_features
        self.weights = np.asarray([rule.weights for _, rule in linear]).reshape(-1, n_features).T
        self.offsets = np.asarray([rule.intercept for _, rule in linear])
        self.coefficients = np.asarray([vote.coefficient for vote, _ in linear])
        self._votes, self._offset = scorer.votes, scorer.offset

    @cached_property
    def boxes(self) -> list[PathBox]:
        """Leaves of the public trees.

        Raises ParameterError if a public classifier is not written down.
        """
        return [box for vote in self._votes for box in self._leaves(vote)]

    def effects(self, distribution: Distribution) -> dict[str, Floats]:
        """Return by column what each cell adds on average over the other columns, taken to be independent."""
        found = {name: (vote @ self.coefficients)[None, :] for name, vote in self.vote_effects(distribution).items()}
        trees = box_effects(self.boxes, distribution, 1)
        return {name: own + trees.get(name, 0.0) for name, own in found.items()}

    def vote_effects(self, distribution: Distribution) -> dict[str, Floats]:
        """Return by column what each linear vote of coefficient one adds in each cell, centered, (n_cells, n_votes)."""
        means, variances, own = self._moments(distribution)
        centers, unknown = self.offsets + sum(means.values()), sum(variances.values(), np.zeros(len(self.offsets)))
        found = {}
        for name, forms in own.items():
            votes = _expected_votes(centers - means[name] + forms, unknown - variances[name])
            found[name] = votes - distribution.shares[name] @ votes
        return found

    def parts(self, distribution: Distribution, rows: Rows) -> tuple[Floats, dict[str, Floats]]:
        """Return the mean score, and what columns add beyond it, made known one after the other, in two orders."""
        strips = [
            self._strip(distribution, rows.slice(at, at + _CHUNK)) for at in range(0, max(rows.n_rows, 1), _CHUNK)
        ]
        return strips[0][0], {
            name: np.concatenate([strip[1][name] for strip in strips]) for name in self.encoding.columns
        }

    def _strip(self, distribution: Distribution, rows: Rows) -> tuple[Floats, dict[str, Floats]]:
        features = self.encoding.transform(rows)
        inside = [box.inside(features) for box in self.boxes]
        base, found = box_parts(self.boxes, distribution, inside, 1)
        means, variances, _ = self._moments(distribution)
        start = _expected_votes(
            self.offsets + sum(means.values()), sum(variances.values(), np.zeros(len(self.offsets)))
        )
        total = {name: np.zeros((rows.n_rows, 1)) for name in self.encoding.columns}
        for order in (self.encoding.columns, self.encoding.columns[::-1]):
            for name, part in self._made_known(order, features, means, variances):
                total[name] += part[:, None] / 2
        base = base + self._offset + start @ self.coefficients
        return base, {name: own + found.get(name, 0.0) for name, own in total.items()}

    def _made_known(
        self, order: tuple[str, ...], features: Floats, means: dict[str, Floats], variances: dict[str, Floats]
    ) -> Iterator[tuple[str, Floats]]:
        """Yield how much the expected vote of each row changes as each column becomes known, (n_rows,)."""
        forms = np.tile(self.offsets + sum(means.values()), (len(features), 1))
        unknown = sum(variances.values(), np.zeros(len(self.offsets)))
        votes = _expected_votes(forms, unknown)
        for at, name in enumerate(order):
            places = self.encoding.positions((name,))
            forms = forms + features[:, places] @ self.weights[places] - means[name]
            unknown = np.maximum(unknown - variances[name], 0.0)
            if at == len(order) - 1:
                # The decisions themselves, as the model makes them, whatever was rounded on the way.
                after = 2.0 * (features @ self.weights > -self.offsets) - 1.0
            else:
                after = _expected_votes(forms, unknown)
            yield name, (after - votes) @ self.coefficients
            votes = after

    def _moments(self, distribution: Distribution) -> tuple[dict[str, Floats], dict[str, Floats], dict[str, Floats]]:
        """Return by column mean and variance of its part of each linear form, (n_votes,), and the part by cell."""
        means, variances, own = {}, {}, {}
        for name in self.encoding.columns:
            alone, places = self.encoding.alone(name), self.encoding.positions((name,))
            own[name] = alone.transform(distribution.cells[name].rows) @ self.weights[places]
            means[name] = distribution.shares[name] @ own[name]
            variances[name] = distribution.shares[name] @ (own[name] - means[name]) ** 2
        return means, variances, own

    def _leaves(self, vote: Vote) -> Iterator[PathBox]:
        if isinstance(vote.rule, LinearRule):
            return
        if not isinstance(vote.rule, TreeRule):
            raise ParameterError(
                "Expected a public learner that can be written down, got another. Fit with a linear model or a "
                "decision tree of scikit-learn to explain the model."
            )
        owners = [name for name in self.encoding.columns for _ in self.encoding.positions((name,))]
        cells = {each.column.name: self.encoding.alone(each.column.name).transform(each.rows) for each in self.cells}
        firsts = {name: int(self.encoding.positions((name,))[0]) for name in self.encoding.columns}
        for place, path in _paths(vote.rule):
            tests: dict[str, list[tuple[int, float, bool]]] = {}
            for test in path:
                tests.setdefault(owners[test[0]], []).append(test)
            masks = {
                name: np.all([(cells[name][:, at - firsts[name]] <= most) == left for at, most, left in own], axis=0)
                for name, own in tests.items()
            }
            sign = 1.0 if vote.rule.second[place] else -1.0
            yield PathBox(np.asarray([vote.coefficient * sign]), masks, place, tests)


def _paths(rule: TreeRule) -> Iterator[tuple[int, list[tuple[int, float, bool]]]]:
    """Yield each leaf with the comparisons on its way."""
    waiting: list[tuple[int, list[tuple[int, float, bool]]]] = [(0, [])]
    while waiting:
        at, path = waiting.pop()
        if rule.feature[at] < 0:
            yield at, path
            continue
        test = rule.feature[at], rule.threshold[at]
        waiting += [(rule.left[at], [*path, (*test, True)]), (rule.right[at], [*path, (*test, False)])]


def _expected_votes(forms: Floats, variances: Floats) -> NDArray[np.float64]:
    """Return the mean of sign(form + normal noise of these variances), for forms of shape (..., n_votes)."""
    deviations = np.sqrt(np.maximum(variances, 0.0))
    known = deviations < _MIN_DEVIATION
    return np.where(known, np.where(forms > 0, 1.0, -1.0), 2.0 * ndtr(forms / np.where(known, 1.0, deviations)) - 1.0)


@attribution.register
def _(scorer: VoteModel, schema: Schema) -> Attribution:
    return Votes(scorer, schema)
