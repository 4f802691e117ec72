"""Rows counted by cell of each column, class, and class that a released model predicts: what explanations rest on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.queries.person_sums import row_sums
from tacit.sensitivities.counts import PredictedClassesBasis
from tacit.table import Block, Rows, Table

STEPS = 2**10
"""Of a row that is divided among predicted classes by their probabilities: finer would be lost in any noise, and
coarser would add up; with persons of weight 2^20 a block's sums stay whole below 2^53."""

PerRow = Callable[[Rows], NDArray[Any]]
"""Of rows, a line of numbers for each, from that row and released values alone."""


def predicted_classes(table: Table, cells: PerRow, n_cells: Sequence[int], predicted: PerRow) -> NumericStatistic:
    """Return rows by (cell, class, predicted class), column after column, in steps.

    Shape (sum of n_cells, n_classes, n_classes).

    Privacy: in each column a replaced row leaves entries that add up to one and enters others: L1 2, L2 sqrt 2 a
    column, replace-one, whatever is protected, as predictions read all columns; of persons, as often as one counts.
    Rows are divided in whole steps: nothing is rounded after. Proof: ``proofs/queries/predicted_classes.md``.

    Parameters
    ----------
    cells : callable
        Shape (n_rows, n_columns): the cell of each column; what is outside 0 to n_cells - 1 is counted nowhere.
    n_cells : sequence of int
        By column.
    predicted : callable
        Shape (n_rows, n_classes): probabilities; brought into 0 to 1 and to a sum of 1, whatever the model makes of
        a row.
    """
    n_classes = table.n_classes

    def count(block: Block) -> NDArray[np.int64]:
        codes, divided = block.scored(cells), block.weighted(_in_steps(block.scored(predicted)).T)
        labels = block.labels.astype(np.int64)
        return np.concatenate(
            [
                _counted(codes[:, at].astype(np.int64), labels, divided, (size, n_classes))
                for at, size in enumerate(n_cells)
            ]
        )

    return row_sums(PredictedClassesBasis(len(n_cells)), table, table.sum(count))


def sensitivities(n_columns: int) -> tuple[float, float]:
    """Return L1 and L2, in rows."""
    return 2.0 * n_columns, sqrt(2.0 * n_columns) * (1 + 2.0**-50)


def plan_predicted_classes(unit: PrivacyUnit, n_columns: int, weight: float) -> list[PlanEntry]:
    """Return the release to announce."""
    l1, l2 = sensitivities(n_columns)
    return [] if unit.protects_nothing else [PlanEntry("noise", weight=weight, l1=l1, l2=l2)]


def _in_steps(probabilities: NDArray[Any]) -> NDArray[np.float64]:
    """Return whole numbers of steps, at least 0 and of sum ``STEPS`` in each row, of the same shape."""
    shares = np.clip(np.nan_to_num(probabilities.astype(np.float64), nan=0.0), 0.0, 1.0)
    # Differences of rounded sums: they add up, and none is negative.
    ends = np.rint(STEPS * np.minimum(np.cumsum(shares[:, :-1], axis=1), 1.0))
    return np.diff(ends, axis=1, prepend=0.0, append=float(STEPS))


def _counted(
    codes: NDArray[np.int64], labels: NDArray[np.int64], divided: NDArray[np.float64], shape: tuple[int, int]
) -> NDArray[np.int64]:
    n_cells, n_classes = shape
    inside = (codes >= 0) & (codes < n_cells)
    if not inside.all():
        codes, labels, divided = codes[inside], labels[inside], divided[:, inside]
    at, size = codes * n_classes + labels, n_cells * n_classes
    # Whole numbers below 2^53 in a block: exact.
    counts = [np.bincount(at, weights=each, minlength=size).astype(np.int64) for each in divided]
    return np.stack(counts, axis=-1).reshape(n_cells, n_classes, n_classes)
