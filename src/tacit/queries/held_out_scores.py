"""Held-out rows counted by class and level of a released model's score: what its quality is measured by."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, Planned, PrivacyUnit
from tacit.queries.person_sums import row_sums
from tacit.table import Block, Rows, Table

L1, L2 = 2.0, sqrt(2.0)
"""A replaced row leaves one cell and enters another."""

Cells = Callable[[Rows], NDArray[Any]]
"""Of rows, the cell of each, shape (n_rows,), from that row and a released model alone."""


def held_out_scores(table: Table, cells: Cells, n_cells: int) -> NumericStatistic:
    """Return counts of rows by (class, cell), shape (n_classes, n_cells).

    Privacy: a replaced row leaves one count and enters another: L1 2, L2 sqrt 2, replace-one, whatever is protected; of
    persons, as often as one counts. The model was trained on other rows, or released before. Proof:
    ``proofs/queries/held_out_scores.md``.

    Parameters
    ----------
    cells : callable
        Its answer is brought into 0 to n_cells - 1, so that each row is in one cell, whatever the model makes of it.
    """
    n_classes = table.n_classes

    def count(block: Block) -> NDArray[np.int64]:
        at = np.nan_to_num(np.asarray(block.scored(cells), dtype=np.float64), nan=0.0)
        at = np.clip(at, 0, n_cells - 1).astype(np.int64)
        return block.counted(block.labels.astype(np.int64) * n_cells + at, n_classes * n_cells)

    counts = table.sum(count).astype(np.int64).reshape(n_classes, n_cells)
    return row_sums("held-out rows by class and level of the score", table, counts, l1=L1, l2=L2)


def plan_held_out_scores(unit: PrivacyUnit) -> list[Planned]:
    """Return the one release to announce."""
    return [] if unit.protects_nothing else [Planned("noise", l1=L1, l2=L2)]
