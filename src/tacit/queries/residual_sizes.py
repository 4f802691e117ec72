"""How far numbers are from what boosted scores say of them so far, in cells of a public grid, to be halved."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from tacit.features import DistanceEncoding
from tacit.features.distance_encoding import NEAREST_BITS
from tacit.privacy import PrivacyUnit
from tacit.queries.leaf_sums import LeafSums
from tacit.queries.median_scores import RowCells, as_often_as_read, rows_read
from tacit.schema import Label, Numeric, Schema
from tacit.table import Block, Rows


def cells_of_sizes(usual: float) -> DistanceEncoding:
    """Return cells of sizes, as far below as above one that was released."""
    # Cells are by the size's power of two: half of those that floats have from the usual size up, and half down.
    reach = min(2.0 ** (NEAREST_BITS // 2) * usual, sys.float_info.max)
    residual = Numeric("residual", -reach, reach)
    return DistanceEncoding(Schema([residual], label=Label("none", ["no", "yes"])), residual.name, 0.0)


def residual_sizes(sums: LeafSums, cells: DistanceEncoding) -> RowCells:
    """Return the rows by cell of the size of their residual, before it is clipped.

    Privacy: a row's cell is a function of the row and of what was released, so that halving has the ranges of
    ``MedianScores``. It is exact where neither the number nor a column that scores read is protected. Proof:
    ``proofs/queries/leaf_sums.md``.

    Parameters
    ----------
    sums : LeafSums
        Of a number to predict, with its scores so far.
    cells : DistanceEncoding
    """
    table = sums.table

    def read(block: Block) -> NDArray[np.int64]:
        left = block.outcomes - sums.scored(block)
        found = cells.transform(Rows({cells.column: left}, block.n_rows))
        return np.asarray(as_often_as_read(block, found))

    unit = table.unit if table.unit.label or sums.reads_private else PrivacyUnit((), label=False)
    return RowCells(cells.description, unit, cells.n_cells, np.sort(table.gathering(read)()), rows_read(table))
