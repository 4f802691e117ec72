"""A part of a column's grid, in few cells: what is looked at once it is known about where a column's numbers are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.features.grid_encoding import GRID_BITS, GridEncoding
from tacit.table import Rows

CELL_BITS = 8
N_CELLS = 1 << CELL_BITS
"""Of a window."""


@dataclass(frozen=True)
class GridWindow:
    """Cells of a grid of 2^48, some together as one of 2^8; what is outside counts for the outer ones.

    Parameters
    ----------
    grid : GridEncoding
    first : int
        The first cell, in cells of this window.
    shift : int
        Bits of the grid's cells that are one here.
    """

    grid: GridEncoding
    first: int = 0
    shift: int = GRID_BITS - CELL_BITS

    def transform(self, rows: Rows) -> NDArray[np.int64]:
        """Return the window's cells of rows, shape (n_rows,)."""
        return self.cells(self.grid.transform(rows))

    def cells(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the window's cells of the grid's."""
        return np.asarray(np.clip((cells >> self.shift) - self.first, 0, N_CELLS - 1), dtype=np.int64)

    def edges(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which edges here are at edges of the grid's cells, or nearest to them."""
        return np.asarray(np.clip((places >> self.shift) - self.first, 0, N_CELLS), dtype=np.int64)

    def places(self, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the edges of the grid's cells at edges here."""
        return np.asarray((edges + self.first) << self.shift)

    def shares(self, edges: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of all cells of the grid below edges here, or between them."""
        return np.asarray(np.ldexp(edges + self.first, self.shift - self.grid.bits))

    def around(self, low: int, high: int) -> GridWindow:
        """Return a narrower window about cells, four times as wide as these and at least four cells."""
        bits = min(max(2, int(4 * (high - low) - 1).bit_length()), self.shift + CELL_BITS)
        shift = max(0, self.shift - (CELL_BITS - bits))
        middle = int(self.places(np.asarray(low)) + self.places(np.asarray(high))) // 2
        most = (1 << (self.grid.bits - shift)) - N_CELLS
        return GridWindow(self.grid, min(max(0, (middle >> shift) - N_CELLS // 2), most), shift)
