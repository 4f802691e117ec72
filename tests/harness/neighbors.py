"""Pairs of neighboring tables, from any schema: one row differs, in protected cells only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from tacit.schema import Categorical, Column, Label, Numeric, Schema
from tacit.table import Table

Row = tuple[Any, ...]  # the columns' values, then the label


@dataclass(frozen=True)
class Pair:
    """Two neighboring tables as lists of rows, and the schema that says what may differ."""

    schema: Schema
    first: tuple[Row, ...]
    second: tuple[Row, ...]

    def tables(self, block_rows: int = 65_536) -> tuple[Table, Table]:
        return table_of(self.first, self.schema, block_rows), table_of(self.second, self.schema, block_rows)


def table_of(rows: tuple[Row, ...], schema: Schema, block_rows: int = 65_536) -> Table:
    columns = list(zip(*rows, strict=True))
    frame = pl.DataFrame(
        {c.name: pl.Series(v, dtype=_dtype(c)) for c, v in zip(schema.columns, columns[:-1], strict=True)}
    )
    return Table.from_frame(frame, list(columns[-1]), schema, block_rows=block_rows)


def _dtype(column: Column) -> Any:
    return pl.Float64 if isinstance(column, Numeric) else None


def protected(schema: Schema) -> tuple[bool, ...]:
    """Which positions of a row may differ between neighbors."""
    return (*(column.private for column in schema.columns), schema.label.private)


def values(part: Column | Label, points: int = 3) -> list[Any]:
    """A few values that the schema admits, extremes among them."""
    if isinstance(part, Numeric):
        return np.linspace(part.lower, part.upper, points).tolist()
    return list(part.categories if isinstance(part, Categorical) else part.classes)


def possible_rows(schema: Schema, points: int = 3) -> list[Row]:
    return list(product(*(values(part, points) for part in (*schema.columns, schema.label))))


def all_pairs(schema: Schema, n_rows: int, points: int = 2) -> Iterator[Pair]:
    """Every pair of neighbors of so many rows, once, whichever comes first and whatever the order of the other rows.

    The last row is the one that differs: queries may not see order.
    """
    rows, free = possible_rows(schema, points), protected(schema)
    for others in combinations_with_replacement(rows, n_rows - 1):
        for one, two in combinations(rows, 2):
            if all(a == b or may for a, b, may in zip(one, two, free, strict=True)):
                yield Pair(schema, (*others, one), (*others, two))


@st.composite
def schemas(draw: st.DrawFn, max_columns: int = 4) -> Schema:
    """Schemas of numbers and categories, any of them private, the label private or not, never nothing private."""
    columns: list[Column] = []
    for index in range(draw(st.integers(1, max_columns))):
        private = draw(st.booleans())
        if draw(st.booleans()):
            low = draw(st.integers(-50, 50))
            high = low + draw(st.integers(1, 100))
            scale = draw(st.sampled_from(["linear", "log"]))
            whole = draw(st.booleans())  # whose cells may hold other numbers nevertheless
            columns.append(Numeric(f"n{index}", low, high, scale=scale, whole=whole, private=private))
        else:
            categories = [f"v{i}" for i in range(draw(st.integers(1, 4)))]
            columns.append(Categorical(f"c{index}", categories, private=private))
    nothing = not any(column.private for column in columns)
    return Schema(columns, label=Label("y", ["no", "yes"], private=nothing or draw(st.booleans())))


def cells(part: Column | Label) -> st.SearchStrategy[Any]:
    if isinstance(part, Numeric):
        return st.floats(part.lower, part.upper, allow_nan=False) | st.sampled_from(values(part))
    return st.sampled_from(values(part))


@st.composite
def neighbors(draw: st.DrawFn, max_rows: int = 12) -> Pair:
    """A schema and two tables of it that are neighbors."""
    schema = draw(schemas())
    parts = (*schema.columns, schema.label)
    row = st.tuples(*(cells(part) for part in parts))
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    at = draw(st.integers(0, len(rows) - 1))
    replacement = tuple(
        draw(cells(part)) if free else old for part, old, free in zip(parts, rows[at], protected(schema), strict=True)
    )
    return Pair(schema, tuple(rows), (*rows[:at], replacement, *rows[at + 1 :]))
