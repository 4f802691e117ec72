"""Sums over rows as sums over persons: what one person moves, and what counts as one row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, PrivacyUnit
from tacit.privacy.basis import RowSums
from tacit.table import Table


def row_sums(
    basis: RowSums,
    table: Table,
    value: NDArray[Any],
    *,
    query: str = "",
    unit: PrivacyUnit | None = None,
) -> NumericStatistic:
    """Return a sum over rows of a function of one row, as a statistic.

    Privacy: a person whose rows weigh one together adds a convex combination of the function's values, so that the sum
    moves by no more than for a row; up to k rows move it k times as far, as long as the function's values are not
    longer than the sensitivities. Proof: ``proofs/queries/person_sums.md``.

    Parameters
    ----------
    basis : RowSums
        Says the sensitivities where each person has one row, of weight one.
    value : array
        With rows weighed by ``Block.weights``: ``table.unit_weight`` in place of one.
    query : str, optional
        What is asked, in words; by default the name of the basis.
    unit : PrivacyUnit, optional
        Of what the sum reads, by default the table's.
    """
    weighed = replace(basis, weight=table.unit_weight)
    moves = weighed.sensitivity(table.unit, table.n_persons)
    return NumericStatistic(
        query or basis.query,
        unit or table.unit,
        value,
        l1=moves["l1"],
        l2=moves["l2"],
        unit_weight=table.unit_weight,
        basis=weighed,
    )
