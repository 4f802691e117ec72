"""Sums over rows as sums over persons: what one person moves, and what counts as one row."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, PrivacyUnit
from tacit.table import Table


def row_sums(
    query: str,
    table: Table,
    value: NDArray[Any],
    *,
    l1: float,
    l2: float,
    unit: PrivacyUnit | None = None,
    person_weight: int | None = None,
) -> NumericStatistic:
    """Return a sum over rows of a function of one row, as a statistic.

    Privacy: a person whose rows weigh one together adds a convex combination of the function's values, so that the sum
    moves by no more than for a row; up to k rows move it k times as far, as long as the function's values are not
    longer than the sensitivities. Proof: ``proofs/queries/person_sums.md``.

    Parameters
    ----------
    value : array
        With rows weighed by ``Block.weights``: ``table.unit_weight`` in place of one.
    l1, l2 : float
        Sensitivities where each person has one row, of weight one.
    unit : PrivacyUnit, optional
        Of what the sum reads, by default the table's.
    person_weight : int, optional
        What a person weighs here, where that is not ``table.unit_weight``.
    """
    weight = table.unit_weight if person_weight is None else person_weight
    most = weight * table.unit.most_rows
    return NumericStatistic(query, unit or table.unit, value, l1=l1 * most, l2=l2 * most, unit_weight=weight)
