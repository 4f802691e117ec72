"""Rows counted by (weight on a public grid, outcome)."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.table import Block, PerBlock, Table


class WeightGrid(Protocol):
    """The weights that a row can have; public."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each index, ascending, above zero."""

    @property
    def start(self) -> int:
        """The index that all rows have before the first round."""


Outcomes = PerBlock[NDArray[np.uint8]]
"""An outcome of each row, below some width: what its next weight depends on besides the present one."""


class WeightGridCounts:
    """Each row's weight index, and counts of rows by (index, outcome).

    Attributes
    ----------
    present : array of int
        The indices that the released coefficients admit, ascending: public. Rows hold positions in this array.
    """

    def __init__(self, table: Table, grid: WeightGrid):
        self.grid = grid
        self.present = np.asarray([grid.start])
        self._reachable = np.zeros(len(grid.weights), dtype=bool)
        self._reachable[grid.start] = True
        self._table = table
        # None while all rows have the first index: then nothing needs to be added to their outcomes.
        self._positions: PerBlock[NDArray[np.uint16] | None] = table.per_block(lambda block: None)

    @property
    def ratio(self) -> float:
        """The largest over the smallest weight that any row can have now, whatever its cells."""
        weights = self.grid.weights[self._reachable]
        return float(weights[-1] / weights[0])

    def widen(self, after_mistake: NDArray[np.int64]) -> None:
        """Note which indices rows can have after a round; a row that was no mistake keeps its own."""
        # From the released coefficient alone, for every index that any row might have: so the ratio stays public.
        self._reachable[after_mistake[self._reachable]] = True

    def histogram(self, outcomes: Outcomes, width: int) -> NDArray[np.int64]:
        """Count rows by (position of the index, outcome), shape (indices present, width)."""
        n_cells = len(self.present) * width

        def count(block: Block) -> NDArray[np.int64]:
            return block.counted(_cells(self._positions[block], outcomes[block], width), n_cells)

        return self._table.sum(count).reshape(len(self.present), width)

    def move(self, outcomes: Outcomes, index_after: NDArray[np.int64]) -> None:
        """Give every row the index that its (index, outcome) leads to, shape (indices present, width)."""
        present = np.flatnonzero(self._reachable)
        position_after = np.searchsorted(present, index_after).astype(np.uint16).ravel()
        width = index_after.shape[1]

        def follow(block: Block, positions: NDArray[np.uint16] | None) -> NDArray[np.uint16]:
            return np.asarray(position_after[_cells(positions, outcomes[block], width)])

        self._positions.advance(follow)
        self.present = present

    def count(self, indices: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Gather counts of cells by their index, shape (indices of the grid,); exact below 2**53 rows."""
        weights = counts.ravel().astype(np.float64)
        return np.asarray(np.bincount(indices.ravel(), weights=weights, minlength=len(self.grid.weights)))


def _cells(positions: NDArray[np.uint16] | None, outcomes: NDArray[np.uint8], width: int) -> NDArray[Any]:
    if positions is None:
        return outcomes
    # Sixteen bits for the index times up to 256 outcomes: 32 bits hold every cell.
    cells = positions.astype(np.uint32)
    cells *= np.uint32(width)
    cells += outcomes
    return cells
