"""The cells of a column: bins or categories, what a model says of each, and how frequent each is taken to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding, Encoding, OneHotEncoding
from tacit.features.bin_encoding import MAX_BINS, even_cuts
from tacit.features.range_words import range_words
from tacit.models.noise import Noise, even_shares
from tacit.schema import Column, Numeric
from tacit.table import Rows

DRAWN_BINS = 8
"""Of a number that a model reads as a number: points of a curve."""

MAX_NAMED = 3
"""Categories of one line; the others are counted."""


@dataclass(frozen=True)
class ColumnCells:
    """The cells of one column as a model reads it.

    Examples
    --------
    >>> ColumnCells(Numeric("age", 0, 90, cuts=[18, 65])).labels
    ('at most 18', 'above 18 and at most 65', 'above 65')
    """

    column: Column
    """Its cut points, where it has any, are those of its cells."""
    n_bins: int = DRAWN_BINS
    """Equal parts of a number without cut points."""

    @cached_property
    def cuts(self) -> tuple[float, ...]:
        """Cut points of a number, none of categories."""
        return even_cuts(self.column, self.n_bins) if isinstance(self.column, Numeric) else ()

    @property
    def n_cells(self) -> int:
        """How many there are; a category that the schema does not list is in none."""
        return len(self.cuts) + 1 if isinstance(self.column, Numeric) else self.column.n_codes

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each cell holds."""
        return self._words(self._digits) if isinstance(self.column, Numeric) else self.column.words

    def label_of(self, cells: Sequence[int]) -> str:
        """Return what several cells hold together: one range of a number, or the first categories by name."""
        first, last = cells[0], cells[-1]
        if isinstance(self.column, Numeric) and last > first:
            every = last - first + 1 == self.n_cells
            return "any value" if every else range_words(self.column, self.cuts, first, last, digits=self._digits)
        named = ", ".join(self.labels[at] for at in cells[:MAX_NAMED])
        return named + (f" and {len(cells) - MAX_NAMED} more" if len(cells) > MAX_NAMED else "")

    @cached_property
    def _digits(self) -> int:
        # Released cut points may lie next to each other: more digits where fewer would say the same of two bins.
        tried = ((digits, self._words(digits)) for digits in (6, 9, 17))
        return next((digits for digits, words in tried if len(set(words)) == len(words)), 17)

    @cached_property
    def rows(self) -> Rows:
        """One row a cell, with this column alone: a number in the middle of its bin, or the category's code."""
        return Rows({self.column.name: self._values()}, self.n_cells)

    def _words(self, digits: int) -> tuple[str, ...]:
        assert isinstance(self.column, Numeric)
        return tuple(range_words(self.column, self.cuts, at, at, digits=digits) for at in range(self.n_cells))

    def codes(self, rows: Rows) -> NDArray[np.intp]:
        """Return the cell of each row, shape (n_rows,); -1 is a category that the schema does not list."""
        values = rows.columns[self.column.name]
        if isinstance(self.column, Numeric):
            return np.searchsorted(np.asarray(self.cuts), values, side="left")
        return np.asarray(values, dtype=np.intp)

    def _values(self) -> NDArray[np.float64] | NDArray[np.int32]:
        if not isinstance(self.column, Numeric):
            return np.arange(self.n_cells, dtype=np.int32)
        low, high, cuts = self.column.lower, self.column.upper, self.cuts
        if not cuts:
            return np.asarray([self.column.middle])
        # Bounds may be a million times as far apart as cut points: outer bins are taken as wide as their neighbors.
        step = (cuts[-1] - cuts[0]) / (len(cuts) - 1) if len(cuts) > 1 else high - low
        ends = np.asarray([max(low, cuts[0] - step), *cuts, min(high, cuts[-1] + step)])
        first, last = ends[:-1], ends[1:]
        if self.column.whole:
            first, last = np.append(np.ceil(first[0]), np.floor(first[1:]) + 1), np.floor(last)
        middles = first + (last - first) / 2
        # Rounding may have taken a middle down to its lower cut, which is of the bin below.
        return np.where(middles > ends[:-1], middles, ends[1:])


@dataclass(frozen=True)
class Distribution:
    """Cells of the columns that a scorer reads, and how frequent they are taken to be: columns are independent."""

    cells: dict[str, ColumnCells]
    shares: dict[str, NDArray[np.float64]]
    """Of the rows, by cell, of sum 1."""

    @classmethod
    def of(cls, cells: Iterable[ColumnCells], noise: Noise = ()) -> Distribution:
        """Return the released shares where a model has them, else the public distribution: all cells alike."""
        by_name = {each.column.name: each for each in cells}
        shares = {name: even_shares(each.n_cells) for name, each in by_name.items()}
        # Files keep few digits, of which the sum is not quite 1.
        released = {each.column: np.asarray(each.shares) / sum(each.shares) for each in noise}
        return cls(by_name, shares | released)


def cells_of(encoding: Encoding) -> list[ColumnCells]:
    """Return the cells of an encoding's columns: bins that it has, or few points of numbers that it reads as numbers.

    These are few whatever the cut points.
    """
    if isinstance(encoding, BinEncoding | OneHotEncoding):
        return [ColumnCells(column, encoding.n_bins) for column in encoding.by_name.values()]
    return [ColumnCells(_few_cuts(column)) for column in encoding.by_name.values()]


def _few_cuts(column: Column) -> Column:
    if isinstance(column, Numeric) and len(column.cuts or ()) >= MAX_BINS:
        return replace(column, cuts=None)
    return column


def size(number: float) -> str:
    """Return a size to two digits; of hundreds and more, as units of a target may be, in whole numbers.

    Examples
    --------
    >>> size(0.123), size(13046.2)
    ('0.12', '13,046')
    """
    return f"{number:.2g}" if abs(number) < 100 else f"{number:,.0f}"


def signed(number: float) -> str:
    """Return a number with its sign, to hundredths, or whole where it is large; see ``size``."""
    return f"{number:+.2f}" if abs(number) < 100 else f"{number:+,.0f}"
