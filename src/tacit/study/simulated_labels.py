"""What the labels of synthetic rows follow: a random sparse form of the features and of products of two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import softmax

from tacit.features import LinearEncoding
from tacit.features.bin_encoding import long_tailed
from tacit.schema import Label, Schema, Value
from tacit.study.simulated_columns import Cells, Floats, column_cells
from tacit.table import read_rows

# All were set by judgment, so that made-up tables are about as hard as the packaged ones, and are not tuned.
_USED = 1 / 3  # of the columns: labels depend on these
_TOGETHER = 1 / 4  # of the log-odds' variance: products of two features
_OFFSET_STEPS = 200  # of a fixed point, which is within 1e-9 after 164 even where the signal is 10


@dataclass(frozen=True)
class Terms:
    """What labels depend on: features of the columns that matter, and products of two of them."""

    schema: Schema
    encoding: LinearEncoding
    """Of the columns that matter."""
    center: Floats
    """Of shape (n_features,). Taken off the features."""
    pairs: NDArray[np.intp]
    """Of shape (n_products, 2). Positions of the features that are multiplied."""

    @classmethod
    def drawn(cls, schema: Schema, people: pl.DataFrame, generator: np.random.Generator) -> Terms:
        """Return terms drawn at random, their center that of these rows."""
        encoding = LinearEncoding(schema, _used(schema, generator), "one-hot")
        features = encoding.transform(read_rows(people, schema))
        return cls(schema, encoding, features.mean(axis=0), _pairs(encoding, generator))

    def of(self, people: pl.DataFrame) -> Floats:
        """Return the terms of rows, shape (n_rows, n_features + n_products)."""
        features = self.encoding.transform(read_rows(people, self.schema)) - self.center
        return np.hstack([features, features[:, self.pairs[:, 0]] * features[:, self.pairs[:, 1]]])

    def form(self, terms: Floats, generator: np.random.Generator) -> Floats:
        """Return a slope for each term: columns and products weigh by chance, whatever their widths."""
        n_features = self.encoding.n_features
        groups = [self.encoding.positions((name,)) for name in self.encoding.columns]
        groups += [np.asarray([at]) for at in range(n_features, terms.shape[1])]
        slope = np.zeros(terms.shape[1])
        for group in groups:
            own = generator.normal(size=len(group))
            slope[group] = generator.normal() * _unit(terms[:, group], own)
        alone, together = slice(0, n_features), slice(n_features, None)
        slope[alone] = sqrt(1 - _TOGETHER) * _unit(terms[:, alone], slope[alone])
        slope[together] = sqrt(_TOGETHER) * _unit(terms[:, together], slope[together])
        return _unit(terms, slope)


@dataclass(frozen=True)
class LabelModel:
    """Probability of each class, given a row."""

    terms: Terms
    slopes: Floats
    """Of shape (n_features + n_products, n_classes)."""
    offsets: Floats
    """Of shape (n_classes,)."""

    @classmethod
    def drawn(cls, schema: Schema, people: pl.DataFrame, signal: float, generator: np.random.Generator) -> LabelModel:
        """Return a model drawn at random, whose log-odds have the standard deviation `signal` over these rows."""
        drawn = Terms.drawn(schema, people, generator)
        terms, classes = drawn.of(people), len(schema.classes)
        slopes = signal * _slopes(drawn, terms, classes, generator)
        offsets = _offsets(terms @ slopes, generator.dirichlet(np.full(classes, 5.0)))
        return cls(drawn, slopes, offsets)

    def chances(self, people: pl.DataFrame) -> Floats:
        """Return the probability of each class, shape (n_rows, n_classes), in the schema's order."""
        return np.asarray(softmax(self.terms.of(people) @ self.slopes + self.offsets, axis=1))

    def labels(self, people: pl.DataFrame, generator: np.random.Generator) -> pl.Series:
        """Return a label for each row, drawn from its class probabilities."""
        label = self.terms.schema.class_label
        return drawn_classes(self.chances(people), label.classes, label, generator)


@dataclass(frozen=True)
class NumberModel:
    """The distribution of a number to predict, given a row: normal before it takes its column's shape."""

    terms: Terms
    slope: Floats
    """Of shape (n_features + n_products,)."""
    spread: float
    """Standard deviation of the form and the noise together, where noise has 1."""
    cells: Cells

    @classmethod
    def drawn(cls, schema: Schema, people: pl.DataFrame, signal: float, generator: np.random.Generator) -> NumberModel:
        """Return a model drawn at random, whose form has the standard deviation `signal` over these rows."""
        assert schema.target is not None
        drawn = Terms.drawn(schema, people, generator)
        terms = drawn.of(people)
        slope = signal * drawn.form(terms, generator)
        spread = sqrt(float((terms @ slope).var()) + 1.0)
        return cls(drawn, slope, spread, column_cells(long_tailed(schema.target), generator))

    def labels(self, people: pl.DataFrame, generator: np.random.Generator) -> pl.Series:
        """Return a number for each row."""
        noise = generator.normal(size=len(people))
        return self.cells((self.terms.of(people) @ self.slope + noise) / self.spread, generator)


def drawn_classes(chances: Floats, classes: Sequence[Value], label: Label, generator: np.random.Generator) -> pl.Series:
    """Return a cell of the label for each row, drawn from its probabilities of the classes, in their order."""
    below = np.cumsum(chances, axis=1)[:, :-1]
    codes = (generator.random((len(chances), 1)) > below).sum(axis=1)
    # Of several classes that are one together, the first stands for all.
    cells = [next(cell for cell in label.cells if label.class_of(cell) == each) for each in classes]
    return pl.Series(label.name, cells)[codes]


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


def _slopes(drawn: Terms, terms: Floats, classes: int, generator: np.random.Generator) -> Floats:
    """Return slopes with which the log-odds of any class against another have standard deviation 1."""
    forms = [drawn.form(terms, generator) for _ in range(classes)]
    if classes == 2:
        return np.stack([np.zeros(terms.shape[1]), forms[1]], axis=1)
    return np.stack(forms, axis=1) / sqrt(2)


def _unit(terms: Floats, slope: Floats) -> Floats:
    """Return the slope divided by the standard deviation of its form; zero for a constant form."""
    deviation = float((terms @ slope).std())
    return slope / deviation if deviation > 1e-9 else np.zeros_like(slope)


def _offsets(log_odds: Floats, shares: Floats) -> Floats:
    """Return the intercepts with which the classes' mean probabilities are these shares."""
    offsets = np.zeros(len(shares))
    for _ in range(_OFFSET_STEPS):
        offsets += np.log(shares) - np.log(softmax(log_odds + offsets, axis=1).mean(axis=0))
    return offsets
