"""How well each cell of a fine public grid halves the rows of an interval, for any number of intervals at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import PrivacyUnit
from tacit.privacy.cell_selection import CellSelectionStatistic
from tacit.table import Block, GridEncoding, Table

RANGE = 4.0
"""Of all intervals' scores together, in half rows."""

MOVED = 2
"""A replaced row leaves one interval and enters another, at most."""


class MedianScores:
    """Cells of one numeric column that rows are in, counted once.

    Parameters
    ----------
    table : Table
    grid : GridEncoding

    Notes
    -----
    Privacy: ``statistic`` has range 4 under replace-one neighbors, whatever the number of intervals. The label is
    not read. Proof: ``proofs/queries/median_scores.md``. Kaplan, Schnapp and Stemmer (2022).
    """

    def __init__(self, table: Table, grid: GridEncoding):
        self._unit = table.unit if grid.column in table.unit.columns else PrivacyUnit((), label=False)
        self.grid = grid
        cells = table.gather(lambda block: _cells(block, grid))
        # Rows by cell, not by row: columns of few values take little memory.
        self._occupied, counts = np.unique(cells, return_counts=True)
        self._up_to = np.concatenate([[0], np.cumsum(counts)])

    def statistic(self, edges: NDArray[np.int64]) -> CellSelectionStatistic:
        """Return minus the half rows by which each cell misses the middle, in each interval of two cells or more.

        Parameters
        ----------
        edges : int64 array of shape (n_intervals + 1,)
            Increasing, public: interval i has the cells from edge i up to and without edge i + 1. A cut after its
            last cell would leave the other half nothing, so that one is no candidate.
        """
        start, stop = edges[:-1], edges[1:]
        open_ = stop - start >= 2
        start, stop = start[open_], stop[open_]
        low, high = np.searchsorted(self._occupied, start), np.searchsorted(self._occupied, stop - 1)
        below, up_to_high = self._up_to[low], self._up_to[np.searchsorted(self._occupied, stop)]
        # A score changes only at a cell that holds rows; these lie in order, interval by interval.
        of = np.repeat(np.arange(len(start)), high - low)
        at = np.arange(len(of)) + np.repeat(low - (np.cumsum(high - low) - (high - low)), high - low)
        first, scores = self._occupied[at], 2 * (self._up_to[at + 1] - below[of])
        # Each interval's first cell as well, where it holds no row.
        empty = np.flatnonzero((low == high) | (self._occupied[np.minimum(low, len(self._occupied) - 1)] != start))
        before = (np.cumsum(high - low) - (high - low))[empty]
        of, first, scores = (
            np.insert(values, before, own) for values, own in ((of, empty), (first, start[empty]), (scores, 0))
        )
        scores = -np.abs(scores - (up_to_high - below)[of])
        return CellSelectionStatistic(
            query=f"medians of {self.grid.column}",
            unit=self._unit,
            unreleased_value=np.stack([of, first, scores]),
            range=RANGE,
            moved=MOVED,
            intervals=np.column_stack([start, stop - 1]),
        )

    def _rows_below(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self._up_to[np.searchsorted(self._occupied, cells)])


def _cells(block: Block, grid: GridEncoding) -> NDArray[np.int64]:
    return block.cells(grid)
