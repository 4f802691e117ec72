"""Pairs of neighboring tables, from any schema: one row differs, in protected cells only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, permutations
from typing import Any

import numpy as np
import polars as pl

from tacit.mechanisms import public_generator
from tacit.schema import Categorical, Column, Label, Numeric, Schema
from tacit.schema.columns import is_indicator
from tacit.table import Table
from tacit.table.cell import moments_of
from tacit.table.codebook import codebook

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

    @property
    def may_be_refused(self) -> bool:
        """Whether one of the tables may be refused by a column's type although invalid cells are coerced."""
        return False

    def times(self, count: int) -> Pair:
        """Return a pair of all rows repeated, so that as many differ, or as many persons."""
        return replace(self, first=self.first * count, second=self.second * count)

    def searched(self, generator: np.random.Generator) -> Pair:
        """Return a pair a little different, for a local search."""
        return mutated(self, generator)

    def tables(self, block_rows: int = 65_536) -> tuple[Table, Table]:
        """Return both as tables."""
        return table_of(self.first, self.schema, block_rows), table_of(self.second, self.schema, block_rows)

    def inputs(self) -> tuple[tuple[Any, list[Any]], tuple[Any, list[Any]]]:
        """Return (X, y) of both, as ``fit`` takes them: a polars frame and a list."""
        return inputs_of(self.first, self.schema), inputs_of(self.second, self.schema)


def inputs_of(rows: tuple[Row, ...], schema: Schema) -> tuple[Any, list[Any]]:
    """Return rows as a frame of the columns' own types, and a list of labels."""
    columns = list(zip(*as_given(rows, schema), strict=True))
    series = {column.name: _series(column, cells) for column, cells in zip(schema.inputs, columns[:-1], strict=True)}
    return pl.DataFrame(series), list(columns[-1])


def as_given(rows: tuple[Row, ...], schema: Schema) -> tuple[Row, ...]:
    """Return rows as a table has them: a number that its indicator says is missing is None, and the indicator gone."""
    marks = [at for at, column in enumerate(schema.columns) if is_indicator(column)]
    if not marks:
        return rows
    found = [list(row) for row in rows]
    for row in found:
        for at in reversed(marks):  # an indicator follows its number
            if row.pop(at) is True:
                row[at - 1] = None
    return tuple(map(tuple, found))


def table_of(rows: tuple[Row, ...], schema: Schema, block_rows: int = 65_536) -> Table:
    """Return rows as a table."""
    frame, labels = inputs_of(rows, schema)
    return Table.from_frame(frame, labels, schema, block_rows=block_rows)


def with_unlabeled(pair: Pair, places: Sequence[int]) -> Pair:
    """Return the pair with rows without a label in both tables, before those at some places.

    Where a schema leaves out such rows, neighbors have them at the same places.
    """
    first, second = list(pair.first), list(pair.second)
    for at in sorted(places, reverse=True):
        row = (*pair.first[at][:-1], None)
        first.insert(at, row)
        second.insert(at, row)
    return replace(pair, first=tuple(first), second=tuple(second), kind=f"{pair.kind}, with rows without a label")


def protected(schema: Schema) -> tuple[bool, ...]:
    """Return which positions of a row may differ between neighbors."""
    return (*(column.private for column in schema.columns), schema.label.private)


def values(part: Column | Label, points: int = 3) -> list[Any]:
    """Return a few values that the schema admits, extremes among them."""
    if isinstance(part, Numeric):
        return [float(value) for value in np.linspace(part.lower, part.upper, points)]
    if isinstance(part, Categorical) and part.buckets is not None:
        return _texts_of_buckets(part, min(part.buckets, 4))
    return list(part.categories if isinstance(part, Categorical) else part.cells)


def _texts_of_buckets(column: Categorical, n_texts: int) -> list[str]:
    """Return texts of so many different buckets."""
    book = codebook(column)
    found: dict[int, str] = {}
    for number in count():  # each is in a new bucket with even odds at least
        text = f"code {number}"
        found.setdefault(book.code(text), text)
        if len(found) == n_texts:
            break
    return list(found.values())


def random_pairs(schema: Schema, *, n_rows: int = 12, seed: int = 0) -> Iterator[Pair]:
    """Yield pairs without end: tables of values spread over the schema's, one row's protected cells drawn again."""
    generator = public_generator(seed)
    free = protected(schema)
    while True:
        rows = [_random_row(schema, generator) for _ in range(n_rows)]
        at, fresh = int(generator.integers(n_rows)), _random_row(schema, generator)
        changed = tuple(new if may else old for old, new, may in zip(rows[at], fresh, free, strict=True))
        yield Pair(schema, tuple(rows), (*rows[:at], changed, *rows[at + 1 :]))


def worst_pairs(schema: Schema, *, n_rows: int = 24) -> Iterator[Pair]:
    """Yield pairs at which sensitivities tend to be attained: extreme changes of one row in extreme tables.

    Tables: all rows equal; one class empty; one row per class and column far from all others; columns that separate the
    classes; a single row. Changes: the label alone, each column alone, all of them, to the other bound, the bound's
    neighbor, a value beyond, missing, or unlisted.
    """
    for table, rows in _tables(schema, n_rows):
        # The row that changes has its table's label, or the other one: alone against a crowd it weighs most.
        for start in (rows[0], (*rows[0][:-1], _other_end(schema.label, rows[0][-1]))):
            for change, row, fresh in _changes(schema, start):
                if row != fresh:
                    yield Pair(schema, (row, *rows[1:]), (fresh, *rows[1:]), f"{table}, {change}")


def mutated(pair: Pair, generator: np.random.Generator) -> Pair:
    """Return a pair a little different: cells of common rows, or protected ones of the row that changes, drawn again.

    For a local search. The row that changes may be the first that differs; sometimes many rows become alike.
    """
    schema, first, second = pair.schema, list(pair.first), list(pair.second)
    target = next((at for at, rows in enumerate(zip(first, second, strict=True)) if _differ(*rows)), 0)
    if type(pair) is not Pair:
        # An odd cell is in a container of its own, which others may not fit: it gives way to an ordinary one.
        second[target] = redrawn(schema, first[target], generator, protected(schema))
    kind, at = generator.random(), int(generator.integers(len(first)))
    source = int(generator.integers(len(first)))
    if kind < 0.3:  # rows alike: scores far apart, which single cells reach slowly
        for row in generator.choice(len(first), int(generator.integers(1, len(first) + 1)), replace=False).tolist():
            if target not in (row, source):
                first[row] = second[row] = first[source]
    elif kind < 0.6 and at != target:
        first[at] = second[at] = redrawn(schema, first[at], generator, [True] * len(first[at]))
    elif kind < 0.7:  # its public cells in both tables
        public = [not may for may in protected(schema)]
        fresh = redrawn(schema, first[target], generator, public)
        for rows in (first, second):
            rows[target] = tuple(
                new if known else old for new, old, known in zip(fresh, rows[target], public, strict=True)
            )
    else:
        rows = first if generator.random() < 0.5 else second
        rows[target] = redrawn(schema, rows[target], generator, protected(schema))
    # A pair that is handed over in a certain container stays in it: others may not take its odd cell.
    return replace(pair, first=tuple(first), second=tuple(second), kind="local search")


def _differ(one: Row, other: Row) -> bool:
    """Return whether two rows are not the same; cells of odd types cannot always be compared."""
    return one is not other and repr(one) != repr(other)


def redrawn(schema: Schema, row: Row, generator: np.random.Generator, free: Sequence[bool]) -> Row:
    """Return the row with one of its free cells drawn again, or all of them; a row without a label stays so."""
    places = np.flatnonzero(free)
    if not len(places):
        return row
    some = set(places.tolist() if generator.random() < 0.3 else [int(generator.choice(places))])
    fresh = _random_row(schema, generator)
    some -= {len(row) - 1} if row[-1] is None and schema.label.drops_missing else set()
    return tuple(new if at in some else old for at, (old, new) in enumerate(zip(row, fresh, strict=True)))


def _tables(schema: Schema, n_rows: int) -> Iterator[tuple[str, list[Row]]]:
    low, high = (tuple(values(part, 2)[end] for part in (*schema.columns, schema.label)) for end in (0, -1))
    generator = public_generator(0)
    yield "all rows equal", [low] * n_rows
    yield "all rows equal", [high] * n_rows
    yield "one class empty", [(*_random_row(schema, generator)[:-1], low[-1]) for _ in range(n_rows)]
    yield "one row far from all", [low] + [high] * (n_rows - 1)
    yield "columns separate classes", [low] * (n_rows // 2) + [high] * (n_rows - n_rows // 2)
    yield "columns against classes", [(*low[:-1], high[-1])] * (n_rows // 2) + [(*high[:-1], low[-1])] * (n_rows // 2)
    yield "random", [_random_row(schema, generator) for _ in range(n_rows)]
    yield "one row", [low]


def _changes(schema: Schema, row: Row) -> Iterator[tuple[str, Row, Row]]:
    """Yield what is changed, the row before and after."""
    parts, free = (*schema.columns, schema.label), protected(schema)
    opposite = tuple(_other_end(part, cell) if may else cell for part, cell, may in zip(parts, row, free, strict=True))
    yield "all cells to their other bounds", row, opposite
    moving = np.flatnonzero(free[:-1]).tolist()
    for one, other in permutations(moving, 2):
        # The row answers one question alone, then another: their scores move apart by most.
        yield "two columns exchanged", _at(row, one, opposite[one]), _at(row, other, opposite[other])
    for at in np.flatnonzero(free).tolist():
        for what, cell in _replacements(parts[at], row[at]):
            yield f"{parts[at].name} {what}", row, _at(row, at, cell)
            if at < len(row) - 1:  # with all else changed, too
                yield f"all cells, {parts[at].name} {what}", row, _at(opposite, at, cell)


def _at(row: Row, at: int, cell: Any) -> Row:
    return (*row[:at], cell, *row[at + 1 :])


def _other_end(part: Column | Label, cell: Any) -> Any:
    ends = values(part, 2)
    return ends[0] if cell == ends[-1] else ends[-1]


def _replacements(part: Column | Label, cell: Any) -> Iterator[tuple[str, Any]]:
    yield "to the other end", _other_end(part, cell)
    if isinstance(part, Numeric):
        yield "to the center", (part.lower + part.upper) / 2
        yield "next to its bound", float(np.nextafter(part.upper, part.lower))
        yield "beyond its bound", part.upper + (part.upper - part.lower)
    if isinstance(part, Numeric | Categorical):
        yield "missing", None
    if not isinstance(part, Numeric) and all(isinstance(value, str) for value in values(part)):
        yield "unlisted", "unlisted"


def _random_row(schema: Schema, generator: np.random.Generator) -> Row:
    return tuple(_random_cell(part, generator) for part in (*schema.columns, schema.label))


def _random_cell(part: Column | Label, generator: np.random.Generator) -> Any:
    # Half of the numbers are at a bound, where most sensitivities are attained.
    if isinstance(part, Numeric) and generator.random() < 0.5:
        return float(generator.uniform(part.lower, part.upper))
    offered = values(part, 2)
    return offered[int(generator.integers(len(offered)))]


def _series(column: Column, cells: tuple[Any, ...]) -> pl.Series:
    if not isinstance(column, Numeric):
        return pl.Series(cells)
    if column.has_dates:
        return pl.Series(moments_of(cells, column), dtype=pl.Datetime("us"))
    return pl.Series(cells, dtype=pl.Float64)
