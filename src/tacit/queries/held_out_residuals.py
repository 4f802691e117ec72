"""What a released regressor misses the numbers of held-out rows by: private quantiles, and rows between these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.measures.score_cells import N_CELLS, TIE_BITS, cells_of_odds
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.queries.median_scores import RowCells, as_often_as_read, rows_read
from tacit.queries.person_sums import row_sums
from tacit.rules.shared import LARGE_SHARE
from tacit.sensitivities.counts import HeldOutCountsBasis
from tacit.table import Block, Rows, Table

Cells = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Residuals:
    """A row's number less what is predicted for it, as a cell of the public grid on which scores are counted.

    Parameters
    ----------
    predict : callable
        Of rows, the numbers that a released model predicts, shape (n_rows,), each from its row alone.
    spread : float
        So much counts as one on the grid; released.
    """

    predict: Callable[[Rows], NDArray[Any]]
    spread: float

    def cells(self, block: Block) -> Cells:
        """Return the cell of each row, shape (n_rows,): a coin of the row or its person divides equal residuals."""
        # Differences of numbers near the largest float may be infinite, and then count as the farthest.
        with np.errstate(over="ignore", invalid="ignore"):
            missed = (block.targets - np.asarray(block.scored(self.predict), dtype=np.float64)) / self.spread
        coins = (block.coins(1)[:, 0] % np.uint64(1 << TIE_BITS)).astype(np.int64)
        return np.asarray(np.clip(cells_of_odds(missed) + coins, 0, N_CELLS - 1))


def residual_medians(table: Table, residuals: Residuals) -> RowCells:
    """Return the rows by cell of their residual, to be halved.

    Privacy: a row's cell is a function of this row, of its place or its person's identifier, and of a released model,
    so that halving has the ranges of ``median_scores``. Proof: ``proofs/queries/held_out_residuals.md``.

    Parameters
    ----------
    table : Table
        Of rows that the model was not trained on.
    residuals : Residuals
    """
    found = table.gathering(partial(_read, residuals=residuals))()
    return RowCells("medians of held-out rows' residual", table.unit, N_CELLS, np.sort(found), rows_read(table))


def residual_counts(table: Table, residuals: Residuals, edges: Cells) -> NumericStatistic:
    """Return counts of rows by level of their residual, shape (n_levels,).

    Privacy: a replaced row leaves one count and enters another: L1 2, L2 sqrt 2, replace-one, whatever is protected; of
    persons, as often as one counts. Proof: ``proofs/queries/held_out_residuals.md``.

    Parameters
    ----------
    edges : int64 array of shape (n_levels - 1,)
        Ascending, released before: level i has the cells from edge i - 1 up to and without edge i.
    """

    def count(block: Block) -> Cells:
        return block.counted(np.searchsorted(edges, residuals.cells(block), side="right"), len(edges) + 1)

    name = "held-out rows by level of the residual"
    return row_sums(HeldOutCountsBasis(1), table, table.sum(count).astype(np.int64), query=name)


def distance_counts(table: Table, start: float, edges: NDArray[np.float64]) -> NumericStatistic:
    """Return counts of rows by how far their number is from a released one, shape (n_levels,).

    Privacy: as ``residual_counts``; no column is read, so that counts of a public target are public.

    Parameters
    ----------
    edges : array of shape (n_levels - 1,)
        Ascending, released before: level i has the distances above edge i - 1, up to and with edge i.
    """

    def count(block: Block) -> Cells:
        with np.errstate(over="ignore"):
            far = np.abs(block.targets - start)
        return block.counted(np.searchsorted(edges, far), len(edges) + 1)

    unit = table.unit if table.unit.label else PrivacyUnit((), label=False)
    name = "held-out rows by distance from the start"
    return row_sums(HeldOutCountsBasis(1), table, table.sum(count).astype(np.int64), query=name, unit=unit)


def plan_held_out_residuals(unit: PrivacyUnit, *, n_medians: int) -> list[PlanEntry]:
    """Return the releases to announce: medians, counts by residual, and of a protected target by distance."""
    if unit.protects_nothing:
        return []
    l1, l2 = HeldOutCountsBasis(1).of_row(unit)
    counts = [PlanEntry("noise", l1=l1, l2=l2)]
    if unit.label:
        # What predictions are compared with is less than what they are compared for.
        counts.append(PlanEntry("noise", weight=LARGE_SHARE, l1=l1, l2=l2))
    if not n_medians:
        return counts
    weight = sum(each.weight for each in counts) * LARGE_SHARE / (1 - LARGE_SHARE) / n_medians
    return [PlanEntry("selection", weight=weight, count=n_medians), *counts]


def _read(block: Block, residuals: Residuals) -> Cells:
    return np.asarray(as_often_as_read(block, residuals.cells(block)))
