"""Pairs of neighboring tables, from any schema: one row differs, in protected cells only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tacit.mechanisms import public_generator
from tacit.schema import Categorical, Column, Label, Numeric, Schema
from tacit.table import Table

Row = tuple[Any, ...]
"""The columns' values in the schema's order, then the label."""


@dataclass(frozen=True)
class Pair:
    """Two neighboring tables as lists of rows, and the schema that says what may differ.

    Parameters
    ----------
    schema : Schema
    first, second : tuple of rows
        Of the columns' values in the schema's order, then the label.
    kind : str
        How it was made, for the report.
    """

    schema: Schema
    first: tuple[Row, ...]
    second: tuple[Row, ...]
    kind: str = "random"

    def tables(self, block_rows: int = 65_536) -> tuple[Table, Table]:
        """Return both as tables."""
        return table_of(self.first, self.schema, block_rows), table_of(self.second, self.schema, block_rows)

    def inputs(self) -> tuple[tuple[Any, list[Any]], tuple[Any, list[Any]]]:
        """Return (X, y) of both, as ``fit`` takes them: a polars frame and a list."""
        return inputs_of(self.first, self.schema), inputs_of(self.second, self.schema)


def inputs_of(rows: tuple[Row, ...], schema: Schema) -> tuple[Any, list[Any]]:
    """Return rows as a frame of the columns' own types, and a list of labels."""
    columns = list(zip(*rows, strict=True))
    series = {c.name: pl.Series(v, dtype=_dtype(c)) for c, v in zip(schema.columns, columns[:-1], strict=True)}
    return pl.DataFrame(series), list(columns[-1])


def table_of(rows: tuple[Row, ...], schema: Schema, block_rows: int = 65_536) -> Table:
    """Return rows as a table."""
    frame, labels = inputs_of(rows, schema)
    return Table.from_frame(frame, labels, schema, block_rows=block_rows)


def protected(schema: Schema) -> tuple[bool, ...]:
    """Return which positions of a row may differ between neighbors."""
    return (*(column.private for column in schema.columns), schema.label.private)


def values(part: Column | Label, points: int = 3) -> list[Any]:
    """Return a few values that the schema admits, extremes among them."""
    if isinstance(part, Numeric):
        return [float(value) for value in np.linspace(part.lower, part.upper, points)]
    return list(part.categories if isinstance(part, Categorical) else part.classes)


def random_pairs(schema: Schema, *, n_rows: int = 12, seed: int = 0) -> Iterator[Pair]:
    """Yield pairs without end: tables of values spread over the schema's, one row's protected cells drawn again."""
    generator = public_generator(seed)
    free = protected(schema)
    while True:
        rows = [_random_row(schema, generator) for _ in range(n_rows)]
        at, fresh = int(generator.integers(n_rows)), _random_row(schema, generator)
        changed = tuple(new if may else old for old, new, may in zip(rows[at], fresh, free, strict=True))
        yield Pair(schema, tuple(rows), (*rows[:at], changed, *rows[at + 1 :]))


def _random_row(schema: Schema, generator: np.random.Generator) -> Row:
    return tuple(_random_cell(part, generator) for part in (*schema.columns, schema.label))


def _random_cell(part: Column | Label, generator: np.random.Generator) -> Any:
    # Half of the numbers are at a bound, where most sensitivities are attained.
    if isinstance(part, Numeric) and generator.random() < 0.5:
        return float(generator.uniform(part.lower, part.upper))
    offered = values(part, 2)
    return offered[int(generator.integers(len(offered)))]


def _dtype(column: Column) -> Any:
    return pl.Float64 if isinstance(column, Numeric) else None
