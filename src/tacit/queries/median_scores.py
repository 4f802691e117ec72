"""How well each cell of a fine public grid halves the rows of an interval, for any number of intervals at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import PrivacyUnit
from tacit.privacy.cell_selection import CellSelectionStatistic
from tacit.table import GridEncoding, Table

RANGE = 4.0
"""Of all intervals' scores together, in half rows."""

MOVED = 2
"""A replaced row leaves one interval and enters another, at most."""


class MedianScores:
    """Cells of one numeric column that rows are in, sorted once.

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
        self._cells = table.gather(lambda block: block.cells(grid))
        self._cells.sort()

    def statistic(self, edges: NDArray[np.int64]) -> CellSelectionStatistic:
        """Return minus the half rows by which each cell misses the middle, in each interval of two cells or more.

        Parameters
        ----------
        edges : int64 array of shape (n_intervals + 1,)
            Increasing, public: interval i has the cells from edge i up to and without edge i + 1.
        """
        open_ = np.diff(edges) >= 2
        return CellSelectionStatistic(
            query=f"medians of {self.grid.column}",
            unit=self._unit,
            unreleased_value=self._cells,
            range=RANGE,
            moved=MOVED,
            intervals=np.column_stack([edges[:-1], edges[1:] - 1])[open_],
        )
