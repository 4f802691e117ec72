"""Rows counted by their weight, which lies on a public grid."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.table import Block, PerBlock, Table


class WeightGrid(Protocol):
    """The weights that a row can have; public."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each level, ascending, above zero."""
        ...

    @property
    def start(self) -> int:
        """The level that all rows have before the first round."""
        ...


Outcomes = PerBlock[NDArray[np.uint8]]
"""What came of each row, below some width."""


class WeightGridCounts:
    """Each row's weight level, and counts of rows by (level, outcome).

    Parameters
    ----------
    table : Table
    grid : WeightGrid

    Attributes
    ----------
    present : array of int
        The levels that the released coefficients admit, ascending: public. Rows hold positions in this array.
    """

    def __init__(self, table: Table, grid: WeightGrid):
        self.grid = grid
        self.present = np.asarray([grid.start])
        self._reachable = np.zeros(len(grid.weights), dtype=bool)
        self._reachable[grid.start] = True
        self._table = table
        # None while all rows have the first level: then nothing needs to be added to their outcomes.
        self._positions: PerBlock[NDArray[np.uint16] | None] = table.per_block(lambda block: None)

    @property
    def ratio(self) -> float:
        """The largest over the smallest weight that any row can have now, whatever its cells."""
        weights = self.grid.weights[self._reachable]
        return float(weights[-1] / weights[0])

    def widen(self, after_mistake: NDArray[np.int64]) -> None:
        """Note which levels rows can have after a round; a row that was no mistake keeps its own."""
        self._reachable[after_mistake[self._reachable]] = True

    def histogram(self, outcomes: Outcomes, width: int) -> NDArray[np.int64]:
        """Count rows by (position of the level, outcome), shape (levels present, width)."""
        n_cells = len(self.present) * width

        def count(block: Block) -> NDArray[np.int64]:
            return np.bincount(_cells(self._positions[block], outcomes[block], width), minlength=n_cells)

        return self._table.sum(count).reshape(len(self.present), width)

    def move(self, outcomes: Outcomes, level_after: NDArray[np.int64]) -> None:
        """Give every row the level that its (level, outcome) leads to, shape (levels present, width)."""
        present = np.flatnonzero(self._reachable)
        position_after = np.searchsorted(present, level_after).astype(np.uint16).ravel()
        width = level_after.shape[1]

        def follow(block: Block, positions: NDArray[np.uint16] | None) -> NDArray[np.uint16]:
            return np.asarray(position_after[_cells(positions, outcomes[block], width)])

        self._positions.advance(follow)
        self.present = present

    def count(self, levels: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Gather counts of cells by their level, shape (levels of the grid,); exact below 2**53 rows."""
        weights = counts.ravel().astype(np.float64)
        return np.asarray(np.bincount(levels.ravel(), weights=weights, minlength=len(self.grid.weights)))


def _cells(positions: NDArray[np.uint16] | None, outcomes: NDArray[np.uint8], width: int) -> NDArray[Any]:
    if positions is None:
        return outcomes
    cells = positions.astype(np.uint32)
    cells *= np.uint32(width)
    cells += outcomes
    return cells
