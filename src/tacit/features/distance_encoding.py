"""How far a number is from a released one, in cells of the same factor: candidates for how far apart numbers are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np
from numpy.typing import NDArray

from tacit.features.cell_encoding import CellEncoding
from tacit.features.number_scale import stretch, unstretch
from tacit.schema.whole import settled
from tacit.table.rows import Rows

DISTANCE_BITS = 12
"""Of a cell's number: neighboring edges differ by about a half percent."""

NEAREST_BITS = 32
"""Doublings from the nearest distance that is told from none to the farthest: bounds a million times too wide leave a
third of the cells to the rows, where an even grid would leave one, and a long tail makes bounds wide as well."""


@dataclass(frozen=True)
class DistanceEncoding(CellEncoding):
    """The cell of each number's distance from a released one, on the scale of its column.

    Parameters
    ----------
    schema : Schema
    column : str
        Numeric.
    middle : float
        Released, within the bounds.
    bits : int

    Notes
    -----
    Edges are the same factor apart. The middle was released before, so it may be used as freely as the schema.
    """

    middle: float
    bits: int = DISTANCE_BITS

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return 1 << self.bits

    @property
    def description(self) -> str:
        """How far half of the rows are from the released number, at most."""
        return f"median distance in {self.column}"

    def transform(self, rows: Rows) -> NDArray[np.int64]:
        """Return the cells, shape (n_rows,)."""
        # Of the number itself the logarithm is minus infinity; distances of the widest bounds are infinite.
        with np.errstate(divide="ignore", over="ignore"):
            distances = np.abs(stretch(rows.columns[self.column], self._numeric) - self._place)
            shares = 1 + (np.log2(distances) - np.log2(self._reach)) / NEAREST_BITS
        return np.asarray(np.clip(np.ceil(shares * self.n_cells) - 1, 0, self.n_cells - 1).astype(np.int64))

    def farthest(self, cell: int) -> float:
        """Return the distance at a cell's upper edge, on the column's scale."""
        return float(self._reach * 2.0 ** (NEAREST_BITS * ((cell + 1) / self.n_cells - 1)))

    def around(self, cell: int) -> tuple[float, ...]:
        """Return the released number and those as far from it as a cell's upper edge, strictly between the bounds."""
        column, far = self._numeric, self.farthest(cell)
        low, high = self._ends
        # Beyond the bounds of a logarithmic scale numbers may have no float.
        places = [place for place in (self._place - far, self._place + far) if low < place < high]
        ends = unstretch(np.asarray(places), column).tolist()
        numbers = [floor(end) if column.is_date else end for end in ends]
        return settled([float(number) for number in numbers] + [self.middle], column)

    @cached_property
    def _place(self) -> float:
        return float(stretch(self.middle, self._numeric))

    @cached_property
    def _reach(self) -> float:
        """The distance of the farther bound: above zero and finite, whatever the bounds."""
        low, high = self._ends
        reach, least = max(high - self._place, self._place - low), np.finfo(np.float64)
        return float(min(max(reach, least.tiny), least.max))
