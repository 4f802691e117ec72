"""Rows of a column counted by cell of a public grid, or by value where nobody listed the values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.privacy.stability import StabilityStatistic
from tacit.sensitivities.counts import ValueCountsBasis
from tacit.table.raw import RawTable


def cell_counts(table: RawTable, column: str, edges: NDArray[np.float64]) -> NumericStatistic:
    """Return rows by cell of a column of numbers, shape (n_edges + 1,).

    Privacy: a replaced row leaves one cell and enters another: L1 2, L2 sqrt 2, replace-one; of a person with up to k
    rows k times as much; of one whose rows weigh one together, as much as a row. Proof:
    ``proofs/queries/value_counts.md``.

    Parameters
    ----------
    edges : float64 array of shape (n_edges,)
        Ascending; public, or released before. Cell i holds the numbers above edge i - 1 and at most edge i.
    """
    counts, basis = table.rows_by_cell(column, edges), ValueCountsBasis(weight=table.unit_weight)
    moves = basis.sensitivity(table.unit, table.n_persons)
    return NumericStatistic(
        f"rows by cell of {column}",
        table.unit,
        counts,
        l1=moves["l1"],
        l2=moves["l2"],
        unit_weight=basis.weight,
        basis=basis,
    )


def value_counts(table: RawTable, column: str) -> StabilityStatistic:
    """Return rows by value of a column of categories, for values that nobody listed.

    Privacy: a replaced row leaves one value and enters another, either of which may be in this row alone: L1 2, L2
    sqrt 2, replace-one; of a person with up to k rows k times as much. Rows without a value are not counted. Proof:
    ``proofs/queries/value_counts.md``.
    """
    k = table.unit.most_rows
    values, counts = table.rows_by_value(column)
    basis = ValueCountsBasis()
    moves = basis.sensitivity(table.unit, table.n_persons)
    return StabilityStatistic(
        f"values of {column}", table.unit, counts, values, moved=k, l1=moves["l1"], l2=moves["l2"], basis=basis
    )


def plan_cell_counts(unit: PrivacyUnit, weight: float = 1.0) -> PlanEntry:
    """Return the release to announce."""
    l1, l2 = ValueCountsBasis().of_row(unit)
    return PlanEntry("noise", weight=weight, l1=l1 * unit.most_rows, l2=l2 * unit.most_rows)


def plan_value_counts(unit: PrivacyUnit, delta: float, weight: float = 1.0) -> PlanEntry:
    """Return the release to announce, whose threshold fails with a probability of at most ``delta``."""
    l1, l2 = ValueCountsBasis().of_row(unit)
    return PlanEntry("thresholded", weight=weight, l1=l1 * unit.most_rows, l2=l2 * unit.most_rows, delta=delta)
