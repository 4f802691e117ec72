"""Rows that count as much as their classes, or their own weights, say, and the same rows without."""

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
    """What a table of rows that do not all count one was made of.

    Privacy: a sum over rows of w f(row), w in [0, 1], moves as far as without weights, or as far as the longest f where
    that is more. Proofs: ``proofs/queries/class_weights.md``, ``proofs/queries/survey_weights.md``.
    """

    table: Table
    """The same rows without weights."""
    mean: float
    """Of the rows' weights, as far as it is public."""
    rows: float | None = None
    """Of the rows' own weights the mean, where they count; None where they do not."""
    classes: NDArray[np.float64] | None = None
    """Of each of the sorted classes, in (0, 1]; None where all count the same."""

    @classmethod
    def of_classes(
        cls, table: Table, weights: Sequence[float], mean: float, known: RowWeighting | None
    ) -> RowWeighting:
        """Return it for class weights, and those that rows have.

        Raises
        ------
        ParameterError
            If there is not one weight in (0, 1] for each class.
        TableError
            If the rows have class weights.
        """
        factors = np.asarray(weights, dtype=np.float64)
        if factors.shape != (table.n_classes,) or not ((factors > 0) & (factors <= 1)).all():
            raise ParameterError("Expected a weight in (0, 1] for each class, got others. Divide by the largest.")
        if known is None:
            return cls(table, mean, None, factors)
        if known.classes is not None:
            raise TableError("Expected rows without class weights, got some with. Set weights once.")
        return cls(known.table, mean, known.rows, factors)

    @classmethod
    def of_rows(cls, table: Table, mean: float, known: RowWeighting | None) -> RowWeighting:
        """Return it for the weights that rows have by the schema.

        Raises
        ------
        TableError
            If the schema has none, or rows have weights.
        """
        if table.schema.weight is None or known is not None:
            raise TableError("Expected a schema with a weight, and rows without, got others. Set weights once.")
        return cls(table, mean, mean)

    @property
    def unit_weight(self) -> int:
        """What a row of the largest weight weighs, of a person who has no other."""
        table, weight = self.table, self.table.schema.weight
        if table.is_weighted:
            return table.unit_weight
        found = unit_weight_for(table.n_persons * table.unit.most_rows)
        if self.rows is None or self.classes is not None or weight is None or not weight.whole:
            return found
        return min(int(weight.cap), found)  # whole numbers as they are, where they are not too large

    def shards(self, shards: Shards) -> Shards:
        """Return shards whose rows have these weights."""
        weight = self.table.schema.weight
        name = weight.name if weight is not None and self.rows is not None else None
        return shards.replaced(_weighing, repeat((self.classes, name, self.unit_weight)), shards.sizes)

    def without_classes(self, weighed: Table) -> Table:
        """Return the rows with their own weights alone; the table that has these weights, if these are all."""
        if self.classes is None:
            return weighed
        return self.table if self.rows is None else self.table.weighing_rows(self.rows)


Factors = tuple["NDArray[np.float64] | None", str | None, int]
"""Weights of classes, the name of the rows' own, and what a row of the largest weight weighs."""


def _weighing(block: Block, factors: Factors) -> Block:
    return block.weighing(*factors)
