"""Rows between places on public grids: of several numeric columns at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.features import GridWindow
from tacit.features.grid_window import N_CELLS
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.privacy.basis import RowSums
from tacit.queries.person_sums import row_sums
from tacit.sensitivities.counts import PlaceCountsBasis
from tacit.table import Block, Table


class PlaceCounts:
    """How many rows of each column lie between edges of cells; the rows are read once.

    Parameters
    ----------
    table : Table
    windows : sequence of GridWindow
        One for each column; public, or released before.

    Notes
    -----
    Privacy: a replaced row leaves one part of each protected column and enters another: ``statistic`` moves by at most
    2 d in L1 and the root of 2 d in L2, replace-one, of d protected columns. Proof: ``proofs/queries/place_counts.md``.
    """

    def __init__(self, table: Table, windows: Sequence[GridWindow]):
        self._table, self._basis = table, self._basis_of(windows)

        def of_block(block: Block) -> NDArray[np.int64]:
            return np.stack([block.counted(self._cells(block, window), N_CELLS) for window in windows])

        counts = table.sum(of_block)
        self._below = np.concatenate([np.zeros((len(windows), 1), dtype=np.int64), np.cumsum(counts, axis=1)], axis=1)

    def _basis_of(self, windows: Sequence[GridWindow]) -> RowSums:
        return PlaceCountsBasis(tuple(window.grid.column for window in windows))

    def _cells(self, block: Block, window: GridWindow) -> NDArray[np.int64]:
        return block.scored(window.transform)

    def statistic(self, edges: NDArray[np.int64]) -> NumericStatistic:
        """Return the rows in each part of each column, shape (n_columns, n_parts).

        Parameters
        ----------
        edges : int array of shape (n_columns, n_parts + 1)
            Public, or released before, never decreasing, from 0 to the number of cells: part i has the cells from edge
            i up to and without edge i + 1.
        """
        counts = np.diff(np.take_along_axis(self._below, edges, axis=1), axis=1)
        return row_sums(self._basis, self._table, counts)


def plan_places(unit: PrivacyUnit, columns: Sequence[str], *, count: int, weight: float) -> list[PlanEntry]:
    """Return so many releases of counts to announce; none where no column is protected."""
    l1, l2 = PlaceCountsBasis(tuple(columns)).of_row(unit)
    return [PlanEntry("last noise", count=count, weight=weight, l1=l1, l2=l2)] if l1 else []
