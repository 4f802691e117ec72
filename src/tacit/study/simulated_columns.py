"""Marginal distributions of synthetic columns, from a column's schema entry alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr

from tacit.schema import Categorical, Numeric, Value
from tacit.table.linear_encoding import stretch

_REACH = 2.5
"""Standard deviations of a normal trait from the center of a column to its bounds."""

_MISSING = 0.05
"""Share of the cells of a numeric column that are missing, where it has a code for that."""


@dataclass(frozen=True)
class NumericLaw:
    """Marginal distribution of a numeric column.

    Attributes
    ----------
    column : Numeric
    shares : array or None
        Of the bins between the declared cut points.
    """

    column: Numeric
    shares: NDArray[np.float64] | None

    @classmethod
    def drawn(cls, column: Numeric, generator: np.random.Generator) -> NumericLaw:
        """Return a law drawn at random."""
        cuts = column.cut_points
        return cls(column, None if cuts is None else _shares(len(cuts) + 1, generator))

    def cells(self, trait: NDArray[np.float64], generator: np.random.Generator) -> pl.Series:
        """Return a cell for each value of a standard normal trait, in increasing dependence on it."""
        values = self._around_center(trait) if self.shares is None else self._between_cuts(trait)
        values = np.clip(_shrink(values, self.column), self.column.lower, self.column.upper)
        missing = generator.random(len(trait)) < _MISSING
        if self.column.missing_value is not None:
            values[missing] = self.column.missing_value
        return _days(self.column.name, values) if self.column.is_date else pl.Series(self.column.name, values)

    def _around_center(self, trait: NDArray[np.float64]) -> NDArray[np.float64]:
        """Half of the people are on either side of the center; a center at a bound has half of them there."""
        low, center, high = stretch([self.column.lower, self.column.middle, self.column.upper], self.column)
        part = np.clip(trait / _REACH, -1.0, 1.0)
        return np.asarray(center + np.where(part < 0, part * (center - low), part * (high - center)))

    def _between_cuts(self, trait: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self.shares is not None
        ends = stretch([self.column.lower, *(self.column.cut_points or ()), self.column.upper], self.column)
        return np.interp(_quantiles(trait), np.concatenate([[0.0], np.cumsum(self.shares)]), ends)


@dataclass(frozen=True)
class CategoricalLaw:
    """Marginal distribution of a categorical column.

    Attributes
    ----------
    column : Categorical
    values : tuple
        What the cells are; a made-up value last, where unlisted ones have a code.
    shares : array of shape (n_values,)
    """

    column: Categorical
    values: tuple[Value, ...]
    shares: NDArray[np.float64]

    @classmethod
    def drawn(cls, column: Categorical, generator: np.random.Generator) -> CategoricalLaw:
        """Return a law drawn at random; the declared center, if any, is the most frequent category."""
        values = (*column.categories, *_unlisted(column))
        shares = _shares(len(values), generator)
        if column.center is not None:
            center, most = column.categories.index(column.center), int(shares.argmax())
            shares[[center, most]] = shares[[most, center]]
        return cls(column, values, shares)

    def cells(self, trait: NDArray[np.float64], generator: np.random.Generator) -> pl.Series:
        """Return a cell for each value of a standard normal trait, in the order of the categories."""
        codes = np.searchsorted(np.cumsum(self.shares)[:-1], _quantiles(trait), side="right")
        return pl.Series(self.column.name, self.values)[codes]


def _shares(size: int, generator: np.random.Generator) -> NDArray[np.float64]:
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
        text = "other"
        while text in column.categories:
            text += "_"
        return (text,)
    return (max(column.categories) + 1,)  # type: ignore[operator]


def _quantiles(trait: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(ndtr(trait))


def _shrink(values: NDArray[np.float64], column: Numeric) -> NDArray[np.float64]:
    """Undo the column's scale."""
    return np.asarray(np.sign(values) * np.expm1(np.abs(values))) if column.scale == "log" else values


def _days(name: str, values: NDArray[Any]) -> pl.Series:
    epoch = date(1970, 1, 1)
    return pl.Series(name, [epoch + timedelta(days=int(day)) for day in np.rint(values)], dtype=pl.Date)
