"""The marginal distribution of a synthetic column, drawn at random from its schema entry alone."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr

from tacit.features.number_scale import stretch
from tacit.schema import Categorical, Numeric, Value
from tacit.table.cell import moments_of

Floats = NDArray[np.float64]

# Both were set by judgment, so that made-up tables are about as hard as the packaged ones, and are not tuned.
_REACH = 2.5  # standard deviations of a trait from the center of a column to its bounds
MISSING = 0.05  # of the cells of a numeric column that has a code for missing ones

Cells = Callable[[Floats, np.random.Generator], pl.Series]
"""Makes the cells of a column from a standard normal trait, increasing in it."""


def column_cells(column: Numeric | Categorical, generator: np.random.Generator) -> Cells:
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
        values = values.round() if column.whole else values
        missing = generator.random(len(trait)) < MISSING
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
