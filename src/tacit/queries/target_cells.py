"""Cells of public grids that the numbers to predict are in: halved by selections, or counted between edges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.features import GridWindow
from tacit.features.cell_encoding import CellEncoding
from tacit.privacy import PlanEntry, PrivacyUnit
from tacit.privacy.basis import RowSums
from tacit.queries.median_scores import RowCells, as_often_as_read, rows_read
from tacit.queries.place_counts import PlaceCounts
from tacit.sensitivities.counts import TargetPlacesBasis
from tacit.table import Block, Rows, Table


class _Grid(Protocol):
    def transform(self, rows: Rows) -> NDArray[Any]: ...


def target_cells(table: Table, grid: CellEncoding) -> RowCells:
    """Return the rows by cell of their number, to be halved.

    Privacy: a row's cell is a function of its number, of the schema and of what was released, so that halving has the
    ranges of ``MedianScores``. No column is read. Proof: ``proofs/queries/target_cells.md``.

    Parameters
    ----------
    table : Table
        With numbers to predict.
    grid : CellEncoding
        Of a column of the same numbers.
    """
    unit = table.unit if table.unit.label else PrivacyUnit((), label=False)
    found = table.gathering(partial(_read, grid=grid))()
    return RowCells(grid.description, unit, grid.n_cells, np.sort(found), rows_read(table))


class TargetPlaces(PlaceCounts):
    """How many rows' numbers to predict lie between edges of cells of one window; rows are read once.

    Notes
    -----
    Privacy: a replaced row leaves one part and enters another: L1 2, L2 sqrt 2, replace-one, where the target is
    protected. No column is read. Proof: ``proofs/queries/target_cells.md``.
    """

    def _basis_of(self, windows: Sequence[GridWindow]) -> RowSums:
        return TargetPlacesBasis()

    def _cells(self, block: Block, window: GridWindow) -> NDArray[np.int64]:
        return _cells(block, window, window.grid.column)


def plan_target_places(unit: PrivacyUnit, *, count: int, weight: float) -> list[PlanEntry]:
    """Return so many releases of counts to announce; none of a public target."""
    l1, l2 = TargetPlacesBasis().of_row(unit)
    return [PlanEntry("last noise", count=count, weight=weight, l1=l1, l2=l2)] if l1 else []


def _read(block: Block, grid: CellEncoding) -> NDArray[np.int64]:
    return as_often_as_read(block, _cells(block, grid, grid.column))


def _cells(block: Block, grid: _Grid, name: str) -> NDArray[np.int64]:
    """Return the cell of each row's number, as of a column of that name."""
    return np.asarray(grid.transform(Rows({name: block.targets}, block.n_rows)))
