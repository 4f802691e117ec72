"""Rows that count as much as their classes weigh, and the same rows without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from tacit.errors import ParameterError, TableError
from tacit.table.persons import unit_weight_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tacit.table.blocks import Block
    from tacit.table.shards import Shards
    from tacit.table.table import Table


@dataclass(frozen=True, eq=False)
class RowWeighting:
    """What a table of rows that count as much as their classes weigh was made of.

    Privacy: a sum over rows of w f(row), w in [0, 1], moves as far as without weights, or as far as the longest f where
    that is more. Proof: ``proofs/queries/class_weights.md``.
    """

    table: Table
    """The same rows without class weights."""
    mean: float
    """Of the rows' weights, as far as it is public."""

    @property
    def unit_weight(self) -> int:
        """What the heaviest row of a person who has no other weighs."""
        table = self.table
        return table.unit_weight if table.is_weighted else unit_weight_for(table.n_persons * table.unit.most_rows)

    def shards(self, shards: Shards, weights: Sequence[float]) -> Shards:
        """Return shards whose rows count as much as their classes weigh.

        Raises
        ------
        ParameterError
            If there is not one weight in (0, 1] for each class.
        TableError
            If the rows have class weights.
        """
        factors = np.asarray(weights, dtype=np.float64)
        if factors.shape != (self.table.n_classes,) or not ((factors > 0) & (factors <= 1)).all():
            raise ParameterError("Expected a weight in (0, 1] for each class, got others. Divide by the largest.")
        if self.table.weighs_classes:
            raise TableError("Expected rows without class weights, got some with. Set weights once.")
        return shards.replaced(_weighing, repeat((factors, self.unit_weight)), shards.sizes)


def _weighing(block: Block, weights: tuple[NDArray[np.float64], int]) -> Block:
    return block.weighing_classes(*weights)
