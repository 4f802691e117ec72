"""How well each cell of a fine public grid halves the rows of an interval, for any number of intervals at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.features import CellEncoding
from tacit.privacy import PrivacyUnit
from tacit.privacy.bucketed_cells import UnorderedCells
from tacit.privacy.cell_selection import CellSelectionStatistic
from tacit.privacy.sorted_cells import CellsOf
from tacit.sensitivities.scores import MOVED, RANGE_OF_HALVES, MediansBasis
from tacit.table import Block, Table

Cells = TypeVar("Cells", bound=CellEncoding)


PERSON_WEIGHT = 4
"""Of a person who weighs one: so many rows are read at most. Few, as scales are bounded in these units."""


def rows_read(table: Table) -> int:
    """Return how many rows of one person are read at most."""
    return PERSON_WEIGHT if table.is_weighted else table.influence


class RowCells:
    """Cells of a public grid that rows are in, in their order.

    Parameters
    ----------
    query : str
        What is asked; public.
    unit : PrivacyUnit
    n_cells : int
    numbers : array of shape (n_rows,)
        Of the rows that are read, ascending; their cells never fall.
    rows_read : int
        Of one person, at most.
    cells_of : callable, optional
        Returns the cells of some numbers; by default they are cells themselves.
    unordered : UnorderedCells, optional
        The same numbers where they are in no order.

    Notes
    -----
    Privacy: ``statistic`` has range 4 under replace-one neighbors, whatever the number of intervals; 4 k where k rows
    of a person are read. The label is not read. Proof: ``proofs/queries/median_scores.md``. Kaplan, Schnapp and Stemmer
    (2022).
    """

    def __init__(
        self,
        query: str,
        unit: PrivacyUnit,
        n_cells: int,
        numbers: NDArray[Any],
        rows_read: int,
        cells_of: CellsOf | None = None,
        unordered: UnorderedCells | None = None,
    ):
        self.n_cells = n_cells
        self._query, self._unit, self._numbers = query, unit, numbers
        self._rows_read, self._cells_of, self._unordered = rows_read, cells_of, unordered

    def statistic(self, edges: NDArray[np.int64]) -> CellSelectionStatistic:
        """Return minus the half rows by which each cell misses the middle, in each interval of two cells or more.

        Parameters
        ----------
        edges : int64 array of shape (n_intervals + 1,)
            Increasing, public: interval i has the cells from edge i up to and without edge i + 1.
        """
        open_ = np.diff(edges) >= 2
        return CellSelectionStatistic(
            query=self._query,
            unit=self._unit,
            unreleased_value=self._numbers,
            range=RANGE_OF_HALVES * self._rows_read,
            moved=MOVED * self._rows_read,
            basis=MediansBasis(self._rows_read),
            intervals=np.column_stack([edges[:-1], edges[1:] - 1])[open_],
            cells_of=self._cells_of,
            unordered=self._unordered,
        )


class MedianScores(RowCells, Generic[Cells]):
    """Cells of one numeric column that rows are in; the rows' numbers are sorted or counted by buckets once.

    Parameters
    ----------
    table : Table
    grid : CellEncoding
    numbers : callable, optional
        Returns the numbers that cells follow from, where they were asked for before.
    """

    def __init__(self, table: Table, grid: Cells, numbers: Callable[[], NDArray[Any]] | None = None):
        unit = table.unit if grid.column in table.unit.columns else PrivacyUnit((), label=False)
        found = (numbers or table.gathering(partial(_numbers, grid=grid)))()
        about = grid.description, unit, grid.n_cells
        if grid.tolerance is None:
            super().__init__(*about, np.sort(found), rows_read(table))
        else:
            unordered = UnorderedCells(found, grid.cells, grid.tolerance)
            super().__init__(*about, found, rows_read(table), grid.cells, unordered)
        self.grid: Cells = grid


def scores_of_each(table: Table, grids: Sequence[Cells]) -> Iterator[MedianScores[Cells]]:
    """Yield the scores of columns in turn; the workers of a cluster make the next one's cells while one is released."""
    asked = [table.gathering(partial(_numbers, grid=grid)) for grid in grids[:1]]
    for at, grid in enumerate(grids):
        asked += [table.gathering(partial(_numbers, grid=following)) for following in grids[at + 1 : at + 2]]
        yield MedianScores(table, grid, asked.pop(0))


def _numbers(block: Block, grid: CellEncoding) -> NDArray[Any]:
    """Return the number of each row that its cell follows from, as often as it counts."""
    return as_often_as_read(block, block.scored(grid.numbers))


def as_often_as_read(block: Block, numbers: NDArray[Any]) -> NDArray[Any]:
    """Return numbers of rows, shape (n_rows, ...), each as often as its row counts."""
    if block.weights is None:
        return numbers
    return np.repeat(numbers, block.weights_of(PERSON_WEIGHT).astype(np.intp), axis=0)
