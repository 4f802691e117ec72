"""Synthetic labels: random sparse logistic models of the features and of products of two of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import softmax

from tacit.schema import Schema
from tacit.table import LinearEncoding, read_rows

_USED = 1 / 3
"""Share of the columns that labels depend on."""

_TOGETHER = 1 / 4
"""Share of the log-odds' variance that products have."""

_STEPS = 200
"""In which offsets come to the classes' shares."""


@dataclass(frozen=True)
class LabelLaw:
    """Probability of each class, given a row.

    Attributes
    ----------
    schema : Schema
    encoding : LinearEncoding
        Of the columns that matter.
    center : array of shape (n_features,)
        Taken off the features.
    pairs : array of shape (n_products, 2)
        Positions of the features that are multiplied.
    slopes : array of shape (n_features + n_products, n_classes)
    offsets : array of shape (n_classes,)
    """

    schema: Schema
    encoding: LinearEncoding
    center: NDArray[np.float64]
    pairs: NDArray[np.intp]
    slopes: NDArray[np.float64]
    offsets: NDArray[np.float64]

    @classmethod
    def drawn(cls, schema: Schema, people: pl.DataFrame, signal: float, generator: np.random.Generator) -> LabelLaw:
        """Return a law drawn at random, whose log-odds have the standard deviation `signal` over these rows."""
        encoding = LinearEncoding(schema, _used(schema, generator), "one-hot")
        features = encoding.transform(read_rows(people, schema))
        pairs = _pairs(encoding, generator)
        center, classes = features.mean(axis=0), len(schema.label.classes)
        terms = _terms(features - center, pairs)
        slopes = signal * _slopes(terms, encoding, classes, generator)
        offsets = _offsets(terms @ slopes, generator.dirichlet(np.full(classes, 5.0)))
        return cls(schema, encoding, center, pairs, slopes, offsets)

    def chances(self, people: pl.DataFrame) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n_rows, n_classes), in the schema's order."""
        features = self.encoding.transform(read_rows(people, self.schema)) - self.center
        return np.asarray(softmax(_terms(features, self.pairs) @ self.slopes + self.offsets, axis=1))

    def labels(self, people: pl.DataFrame, generator: np.random.Generator) -> pl.Series:
        """Return a label for each row, drawn from its class probabilities."""
        below = np.cumsum(self.chances(people), axis=1)[:, :-1]
        codes = (generator.random((len(people), 1)) > below).sum(axis=1)
        return pl.Series(self.schema.label.name, self.schema.label.classes)[codes]


def _used(schema: Schema, generator: np.random.Generator) -> tuple[str, ...]:
    least = min(2, len(schema.names))
    number = max(least, ceil(_USED * len(schema.names)))
    return tuple(schema.names[at] for at in np.sort(generator.choice(len(schema.names), number, replace=False)))


def _pairs(encoding: LinearEncoding, generator: np.random.Generator) -> NDArray[np.intp]:
    """Return as many pairs of features as there are columns, each of two columns."""
    columns = len(encoding.columns)
    if columns < 2:
        return np.empty((0, 2), dtype=np.intp)
    chosen = [generator.choice(columns, 2, replace=False) for _ in range(columns)]
    return np.asarray(
        [[generator.choice(encoding.positions((encoding.columns[at],))) for at in pair] for pair in chosen],
        dtype=np.intp,
    )


def _terms(features: NDArray[np.float64], pairs: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.hstack([features, features[:, pairs[:, 0]] * features[:, pairs[:, 1]]])


def _slopes(
    terms: NDArray[np.float64], encoding: LinearEncoding, classes: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Return slopes with which the log-odds of any class against another have standard deviation 1."""
    groups = [encoding.positions((name,)) for name in encoding.columns]
    groups += [np.asarray([at]) for at in range(encoding.n_features, terms.shape[1])]
    forms = [_form(terms, groups, encoding.n_features, generator) for _ in range(classes)]
    if classes == 2:
        return np.stack([np.zeros(terms.shape[1]), forms[1]], axis=1)
    return np.stack(forms, axis=1) / sqrt(2)


def _form(
    terms: NDArray[np.float64], groups: list[NDArray[np.intp]], n_features: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Return a slope for each term: columns and products weigh by chance, whatever their widths."""
    slope = np.zeros(terms.shape[1])
    for group in groups:
        own = generator.normal(size=len(group))
        slope[group] = generator.normal() * _unit(terms[:, group], own)
    alone, together = slice(0, n_features), slice(n_features, None)
    slope[alone] = sqrt(1 - _TOGETHER) * _unit(terms[:, alone], slope[alone])
    slope[together] = sqrt(_TOGETHER) * _unit(terms[:, together], slope[together])
    return _unit(terms, slope)


def _unit(terms: NDArray[np.float64], slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the slope divided by the standard deviation of its form; zero for a constant form."""
    deviation = float((terms @ slope).std())
    return slope / deviation if deviation > 1e-9 else np.zeros_like(slope)


def _offsets(log_odds: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the intercepts with which the classes' mean probabilities are these shares."""
    offsets = np.zeros(len(shares))
    for _ in range(_STEPS):
        offsets += np.log(shares) - np.log(softmax(log_odds + offsets, axis=1).mean(axis=0))
    return offsets
