"""How much all rows weigh together, where each has a weight of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.queries.person_sums import row_sums
from tacit.sensitivities.counts import WeightSumBasis
from tacit.table import Block, Table


def weight_sum(table: Table) -> NumericStatistic:
    """Return the sum over rows of their weights, in rows of the largest weight, shape (1,).

    Privacy: a replaced row's weight goes from 0 to 1 at most: L1 1, L2 1, replace-one, where weights are protected; of
    persons, as often as one counts. Public weights have a public sum. Proof: ``proofs/queries/survey_weights.md``.

    Parameters
    ----------
    table : Table
        Whose rows count as their weights say; see ``Table.weighing_rows``.
    """
    weight = table.unit.weight
    if weight is None or not table.is_weighted:
        raise TableError("Expected rows that count as their weights say, got others. Take Table.weighing_rows.")
    unit = table.unit if weight.private else PrivacyUnit((), label=False)
    return row_sums(WeightSumBasis(), table, table.sum(_of_block), unit=unit)


def plan_weight_sum(unit: PrivacyUnit, weight: float) -> list[PlanEntry]:
    """Return the release to announce; none of public weights."""
    l1, l2 = WeightSumBasis().of_row(unit)
    protected = unit.weight is not None and unit.weight.private
    return [PlanEntry("noise", weight=weight, l1=l1, l2=l2)] if protected else []


def _of_block(block: Block) -> NDArray[np.int64]:
    # Whole numbers below 2^53 in all: exact in any order.
    weights = np.ones(block.n_rows) if block.weights is None else block.weights
    return np.asarray([weights.sum()]).astype(np.int64)
