"""Synthetic data from a schema alone, for trying learners without reading a private row.

Columns follow normal traits, labels a random sparse logistic model of the features and of products of two of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, softmax

from tacit.features import LinearEncoding
from tacit.features.bin_encoding import long_tailed
from tacit.features.number_scale import stretch
from tacit.privacy.parameters import SEED, Whole, nonnegative
from tacit.schema import Categorical, Numeric, Schema, Value
from tacit.table import read_rows
from tacit.table.cell import moments_of

Floats = NDArray[np.float64]

MAX_CELLS = 10**8
"""Of a synthetic table: 800 MB of numbers."""

# All of these were set by judgment, so that made-up tables are about as hard as the packaged ones, and are not tuned.
_TRAITS = 2  # common to all columns: columns that share none would be independent
_REACH = 2.5  # standard deviations of a trait from the center of a column to its bounds
_MISSING = 0.05  # of the cells of a numeric column that has a code for missing ones
_USED = 1 / 3  # of the columns: labels depend on these
_TOGETHER = 1 / 4  # of the log-odds' variance: products of two features
_OFFSET_STEPS = 200  # of a fixed point, which is within 1e-9 after 164 even where the signal is 10
_REFERENCE_ROWS = 4096  # over which the log-odds get their variance: an error of 1 / sqrt(2 * 4096), about 1 %
_BLOCK_ROWS = 65_536  # drawn at once, so that a large table takes little more memory than its cells


def simulate(schema: Schema, n_rows: int, seed: int, *, signal: float = 3.0) -> tuple[pl.DataFrame, pl.Series]:
    """Return synthetic rows and labels that fit the schema.

    Parameters
    ----------
    schema : Schema
        All that is known of the table.
    n_rows : int
        As many as have 1e8 cells at most.
    seed : int
        Decides the population and the people drawn from it; however many are drawn, the population is the same.
    signal : float
        How strongly the label depends on the columns: the standard deviation of its log-odds. At 0 not at all; of two
        equal classes no learner gets more right than about 0.68 at 1, 0.78 at 2, 0.84 at 3 and 0.90 at 5.

    Returns
    -------
    frame : polars.DataFrame
        The columns in the schema's order, none of its cells null.
    labels : polars.Series
        Under the label's name.

    Raises
    ------
    ParameterError
        If a number is out of its range.

    Notes
    -----
    Privacy: the schema and the seed decide everything, so the rows are as public as the schema. Where an entry of it
    was guessed from a table, they are not.

    *Columns.* Each follows a normal trait that leans on two common ones, so that columns depend on each other. A number
    has half of its values on either side of its center on its scale, thinning out to the bounds, or random shares of
    its bins where it declares cut points; a long tail (a center at a bound) becomes logarithmic. One in twenty takes
    the declared code for missing ones. Categories have random shares, the declared center the largest.

    *Labels.* A third of the columns matter. Log-odds are a random linear form of their public features (numbers in
    [-1, 1], categories one-hot), three quarters of the variance, and of products of two features of different columns,
    one quarter; with more than two classes, one form for each. Random class shares are met on average.

    Examples
    --------
    >>> from tacit.schema import Label
    >>> schema = Schema([Numeric("age", 17, 90)], label=Label("income", ["low", "high"]))
    >>> frame, labels = simulate(schema, 5, seed=1)
    >>> frame.columns, labels.name, frame["age"].is_between(17, 90).all()
    (['age'], 'income', True)
    """
    n_rows = Whole(1, MAX_CELLS // len(schema.columns), "More rows, or columns, would not fit in memory.").check(
        "n_rows", n_rows
    )
    seed = SEED.check("seed", seed)
    strength = nonnegative("signal", signal)
    shape = np.random.default_rng([seed, 0])
    columns = [_column(column, shape) for column in map(long_tailed, schema.inputs)]
    loadings = shape.uniform(-1.0, 1.0, (len(columns), _TRAITS))
    spare, people, chance = (np.random.default_rng([seed, stream]) for stream in (1, 2, 3))
    label_model = LabelModel.drawn(schema, _people(columns, loadings, _REFERENCE_ROWS, spare), strength, spare)
    sizes = [min(_BLOCK_ROWS, n_rows - start) for start in range(0, n_rows, _BLOCK_ROWS)]
    frames = [_people(columns, loadings, size, people) for size in sizes]
    return pl.concat(frames), pl.concat([label_model.labels(frame, chance) for frame in frames])


Cells = Callable[[Floats, np.random.Generator], pl.Series]
"""Makes the cells of a column from a standard normal trait, increasing in it."""


def _people(columns: Sequence[Cells], loadings: Floats, n_rows: int, generator: np.random.Generator) -> pl.DataFrame:
    """Return rows; everything of one block is drawn together."""
    common = generator.normal(size=(n_rows, _TRAITS))

    def trait(loading: Floats) -> Floats:
        return np.asarray((common @ loading + generator.normal(size=n_rows)) / sqrt(1.0 + loading @ loading))

    return pl.DataFrame([cells(trait(own), generator) for cells, own in zip(columns, loadings, strict=True)])


def _column(column: Numeric | Categorical, generator: np.random.Generator) -> Cells:
    """Return a column's marginal distribution, drawn at random from its schema entry alone."""
    return _numeric(column, generator) if isinstance(column, Numeric) else _categorical(column, generator)


def _numeric(column: Numeric, generator: np.random.Generator) -> Cells:
    cuts = column.cut_points
    below = None if cuts is None else np.cumsum(_shares(len(cuts) + 1, generator))
    ends = stretch([column.lower, *(cuts or ()), column.upper], column)
    low, center, high = stretch([column.lower, column.middle, column.upper], column)

    def cells(trait: Floats, generator: np.random.Generator) -> pl.Series:
        part = np.clip(trait / _REACH, -1.0, 1.0)
        if below is not None:
            values = np.interp(ndtr(trait), np.concatenate([[0.0], below]), ends)
        else:  # half of the people are on either side of the center; a center at a bound has half of them there
            values = center + np.where(part < 0, part * (center - low), part * (high - center))
        if column.scale == "log":
            values = np.sign(values) * np.expm1(np.abs(values))
        values = np.clip(values, column.lower, column.upper)
        missing = generator.random(len(trait)) < _MISSING
        if column.missing_value is not None:
            values[missing] = column.missing_value
        made = pl.Series(column.name, values)
        if column.is_date:
            made = made.round().cast(pl.Int32).cast(pl.Date)
        elif column.has_dates:
            made = pl.Series(column.name, moments_of(values.tolist(), column), dtype=pl.Datetime("us"))
        return made.set(pl.Series(missing), None) if column.has_indicator else made

    return cells


def _categorical(column: Categorical, generator: np.random.Generator) -> Cells:
    # Of buckets as many texts, which a hash puts into most of them.
    listed = column.categories or tuple(f"code {number}" for number in range(column.buckets or 0))
    values = pl.Series(column.name, (*listed, *_unlisted(column)))
    shares = _shares(len(values), generator)
    if column.center is not None:  # the declared center is the most frequent category
        center, most = column.categories.index(column.center), int(shares.argmax())
        shares[[center, most]] = shares[[most, center]]
    ends = np.cumsum(shares)[:-1]
    return lambda trait, generator: values[np.searchsorted(ends, ndtr(trait), side="right")]


def _shares(size: int, generator: np.random.Generator) -> Floats:
    """Return random shares of which none is below a tenth of an equal one."""
    return np.asarray(0.9 * generator.dirichlet(np.ones(size)) + 0.1 / size)


def _unlisted(column: Categorical) -> tuple[Value, ...]:
    """Return one value that the column's list lacks, of the same kind, or nothing."""
    if not column.other:
        return ()
    first = column.categories[0]
    if isinstance(first, bool):
        return tuple(value for value in (False, True) if value not in column.categories)
    if isinstance(first, str):
        if column.match == "prefix":  # a letter that no category begins with
            begun = {str(each)[0] for each in column.categories}
            return (next(letter for letter in map(chr, range(ord("A"), sys.maxunicode)) if letter not in begun),)
        text = "other"
        while text in column.categories:
            text += "_"
        return (text,)
    return (max(column.categories) + 1,)  # type: ignore[operator]


@dataclass(frozen=True)
class LabelModel:
    """Probability of each class, given a row."""

    schema: Schema
    encoding: LinearEncoding
    """Of the columns that matter."""
    center: Floats
    """Of shape (n_features,). Taken off the features."""
    pairs: NDArray[np.intp]
    """Of shape (n_products, 2). Positions of the features that are multiplied."""
    slopes: Floats
    """Of shape (n_features + n_products, n_classes)."""
    offsets: Floats
    """Of shape (n_classes,)."""

    @classmethod
    def drawn(cls, schema: Schema, people: pl.DataFrame, signal: float, generator: np.random.Generator) -> LabelModel:
        """Return a model drawn at random, whose log-odds have the standard deviation `signal` over these rows."""
        encoding = LinearEncoding(schema, _used(schema, generator), "one-hot")
        features = encoding.transform(read_rows(people, schema))
        pairs = _pairs(encoding, generator)
        center, classes = features.mean(axis=0), len(schema.classes)
        terms = _terms(features - center, pairs)
        slopes = signal * _slopes(terms, encoding, classes, generator)
        offsets = _offsets(terms @ slopes, generator.dirichlet(np.full(classes, 5.0)))
        return cls(schema, encoding, center, pairs, slopes, offsets)

    def chances(self, people: pl.DataFrame) -> Floats:
        """Return the probability of each class, shape (n_rows, n_classes), in the schema's order."""
        features = self.encoding.transform(read_rows(people, self.schema)) - self.center
        return np.asarray(softmax(_terms(features, self.pairs) @ self.slopes + self.offsets, axis=1))

    def labels(self, people: pl.DataFrame, generator: np.random.Generator) -> pl.Series:
        """Return a label for each row, drawn from its class probabilities."""
        below = np.cumsum(self.chances(people), axis=1)[:, :-1]
        codes = (generator.random((len(people), 1)) > below).sum(axis=1)
        label = self.schema.class_label
        # Of several classes that are one together, the first stands for all.
        cells = [next(cell for cell in label.cells if label.class_of(cell) == each) for each in label.classes]
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


def _terms(features: Floats, pairs: NDArray[np.intp]) -> Floats:
    return np.hstack([features, features[:, pairs[:, 0]] * features[:, pairs[:, 1]]])


def _slopes(terms: Floats, encoding: LinearEncoding, classes: int, generator: np.random.Generator) -> Floats:
    """Return slopes with which the log-odds of any class against another have standard deviation 1."""
    groups = [encoding.positions((name,)) for name in encoding.columns]
    groups += [np.asarray([at]) for at in range(encoding.n_features, terms.shape[1])]
    forms = [_form(terms, groups, encoding.n_features, generator) for _ in range(classes)]
    if classes == 2:
        return np.stack([np.zeros(terms.shape[1]), forms[1]], axis=1)
    return np.stack(forms, axis=1) / sqrt(2)


def _form(terms: Floats, groups: list[NDArray[np.intp]], n_features: int, generator: np.random.Generator) -> Floats:
    """Return a slope for each term: columns and products weigh by chance, whatever their widths."""
    slope = np.zeros(terms.shape[1])
    for group in groups:
        own = generator.normal(size=len(group))
        slope[group] = generator.normal() * _unit(terms[:, group], own)
    alone, together = slice(0, n_features), slice(n_features, None)
    slope[alone] = sqrt(1 - _TOGETHER) * _unit(terms[:, alone], slope[alone])
    slope[together] = sqrt(_TOGETHER) * _unit(terms[:, together], slope[together])
    return _unit(terms, slope)


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
