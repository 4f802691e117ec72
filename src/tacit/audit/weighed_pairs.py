"""Pairs of neighboring tables whose rows have weights, which may differ with the row's other cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from tacit.audit.neighbors import Pair
from tacit.errors import ParameterError
from tacit.schema import Numeric, Schema
from tacit.table import Table


@dataclass(frozen=True)
class WeighedPair(Pair):
    """Two tables that differ in one row, or one person's rows, weights included where these are private.

    Parameters
    ----------
    inner : Pair
        Of the schema in which the weight is the last column, from 0 to the cap.
    """

    inner: Pair | None = None

    @classmethod
    def of(cls, inner: Pair, schema: Schema) -> WeighedPair:
        """Return a pair of ``with_weight_column(schema)`` as one of the schema."""
        at = len(schema.columns)  # of the weight, which follows the columns that are learned from
        first, second = (tuple((*row[:at], *row[at + 1 :]) for row in rows) for rows in (inner.first, inner.second))
        return cls(schema, first, second, inner.kind, inner)

    def inputs(self) -> tuple[tuple[Any, list[Any]], tuple[Any, list[Any]]]:
        """Return (X, y) of both, X with the column of weights."""
        (one, of_one), (other, of_other) = self._inner.inputs()
        return (self._weighing(one), of_one), (self._weighing(other), of_other)

    def tables(self, block_rows: int = 65_536) -> tuple[Table, Table]:
        """Return both as tables."""
        one, other = (
            Table.from_frame(frame, labels, self.schema, on_invalid="coerce", block_rows=block_rows)
            for frame, labels in self.inputs()
        )
        return one, other

    def times(self, count: int) -> WeighedPair:
        """Return a pair of all rows repeated, with their weights."""
        return self.of(self._inner.times(count), self.schema)

    def searched(self, generator: np.random.Generator) -> WeighedPair:
        """Return a pair a little different, in weights, too."""
        return self.of(self._inner.searched(generator), self.schema)

    def _weighing(self, frame: Any) -> Any:
        """Return the rows at the cap where all of them have a public weight of 0, as a fit refuses these."""
        weight = self.schema.weight
        assert weight is not None
        if weight.private or (frame[weight.name] > 0).any():
            return frame
        return frame.with_columns(pl.lit(float(weight.cap)).alias(weight.name))

    @property
    def _inner(self) -> Pair:
        assert self.inner is not None
        return self.inner


def with_weight_column(schema: Schema) -> Schema:
    """Return the schema whose last column is the weight, and rows of which all count one.

    Examples
    --------
    >>> from tacit.schema import Label, Weight
    >>> schema = Schema([Numeric("a", 0, 1)], label=Label("y", [0, 1]), weight=Weight("w", 8))
    >>> with_weight_column(schema).columns[-1]
    Numeric('w', 0, 8)

    Raises ParameterError if the schema has no weight.
    """
    weight = schema.weight
    if weight is None:
        raise ParameterError("Expected a schema with a weight, got one without. Add Weight(name, cap).")
    column = Numeric(weight.name, 0, weight.cap, private=weight.private)
    return replace(schema, weight=None, columns=(*schema.inputs, column))
