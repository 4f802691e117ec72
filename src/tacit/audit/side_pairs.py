"""Pairs of neighboring tables that differ in one person's rows in side tables, and in that person's main row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np
import polars as pl

from tacit.audit.neighbors import Pair, inputs_of, random_pairs, worst_pairs
from tacit.errors import ParameterError
from tacit.mechanisms import public_generator
from tacit.schema import Categorical, Column, Numeric, Schema, SideTable
from tacit.schema.side_features import main_columns, without_tables
from tacit.table import Table, joined
from tacit.table.cell import moments_of

HEAVY = ((0, 1), (1, 0), (40, 40), (3, 2), (0, 40), (0, 10_000))
"""Rows in each side table of the person who differs, in the first tables and the second; the last is tried seldom."""

_SELDOM = 40
_SIZES = (2, 6, 24)
"""Numbers of persons."""
_MAX_OF_OTHERS, _FRESH = 3, 2
"""Rows of another person, at most, and of the one who differs in a local search."""

SideRows = Mapping[str, pl.DataFrame]
"""Side tables by name."""


@dataclass(frozen=True)
class SidePair(Pair):
    """Two main tables, and their side tables, that differ in all that is about one person.

    Parameters
    ----------
    side : tuple of two mappings of str to data frame
        Side tables of both. What rows have of their features is not used.
    """

    side: tuple[SideRows, SideRows] = field(default=({}, {}))

    def inputs(self) -> tuple[tuple[Any, list[Any]], tuple[Any, list[Any]]]:
        """Return (X, y) of both, X with the features of its side tables."""
        one, other = (self._joined(rows, side) for rows, side in zip((self.first, self.second), self.side, strict=True))
        return one, other

    def tables(self, block_rows: int = 65_536) -> tuple[Table, Table]:
        """Return both as tables."""
        one, other = (
            Table.from_frame(frame, labels, self.schema, block_rows=block_rows) for frame, labels in self.inputs()
        )
        return one, other

    def times(self, count: int) -> SidePair:
        """Return a pair in which each person is there so many times, under other keys."""
        one, other = (
            {table.name: self._repeated(side[table.name], table.key, count) for table in self.schema.tables}
            for side in self.side
        )
        return replace(self, first=self.first * count, second=self.second * count, side=(one, other))

    def searched(self, generator: np.random.Generator) -> SidePair:
        """Return a pair in which the person who differs has other rows in the second side tables."""
        at = next((at for at in range(len(self.first)) if self.first[at] != self.second[at]), 0)
        fresh = {
            table.name: _with_rows(self.side[1][table.name], table, at, 2, generator) for table in self.schema.tables
        }
        return replace(self, side=(self.side[0], fresh), kind="local search")

    def _repeated(self, frame: pl.DataFrame, key: str, count: int) -> pl.DataFrame:
        own = frame[key]
        known, size = own >= 0, len(self.first)
        moved = [own + known.cast(pl.Int64) * size * at for at in range(count)]
        return pl.concat([frame.with_columns(each.alias(key)) for each in moved])

    def _joined(self, rows: tuple[Any, ...], side: SideRows) -> tuple[Any, list[Any]]:
        frame, labels = inputs_of(rows, without_tables(self.schema))
        keys = {table.main: pl.Series(np.arange(len(rows))) for table in self.schema.tables}
        own = frame.select(column.name for column in main_columns(self.schema))
        whole = pl.DataFrame(keys) if not own.width else own.with_columns(**keys)
        return joined(whole, self.schema, side, on_invalid="coerce"), labels


def side_pairs(schema: Schema, *, seed: int = 0) -> Iterator[SidePair]:
    """Yield pairs without end: main rows of worst cases and at random, each with few or many rows in side tables.

    Parameters
    ----------
    schema : Schema
        With side tables.
    seed : int

    Examples
    --------
    >>> from tacit.schema import Feature, Label
    >>> visits = Numeric("visits", 0, 50, whole=True, from_table=Feature("visits", "count"))
    >>> schema = Schema([visits], label=Label("ill", [0, 1]), tables=[SideTable("visits", [], key="person")])
    >>> pair = next(side_pairs(schema))
    >>> one, other = (X["visits"].to_list() for X, _ in pair.inputs())
    >>> sum(a != b for a, b in zip(one, other))
    1
    """
    if not schema.tables:
        raise ParameterError("Expected a schema with side tables, got one without. Add a SideTable.")
    generator, plain = public_generator(seed), without_tables(schema)
    worst = [pair for size in _SIZES for pair in worst_pairs(plain, n_rows=size)]
    random = [random_pairs(plain, n_rows=size, seed=seed) for size in _SIZES]
    for at in count():
        pair = worst[at // 2] if at % 2 == 0 and at // 2 < len(worst) else next(random[at % len(random)])
        heavy = HEAVY[-1] if at % _SELDOM == _SELDOM - 1 else HEAVY[at % (len(HEAVY) - 1)]
        yield _with_side_tables(pair, schema, heavy, generator)


def _with_side_tables(pair: Pair, schema: Schema, heavy: tuple[int, int], generator: np.random.Generator) -> SidePair:
    """Return a pair of rows with side tables, in which the person whose row differs has so many rows."""
    own = next((at for at, rows in enumerate(zip(pair.first, pair.second, strict=True)) if rows[0] != rows[1]), 0)
    first, second = {}, {}
    for table in schema.tables:
        others = _others(table, len(pair.first), own, generator)
        first[table.name], second[table.name] = (_with_rows(others, table, own, n_rows, generator) for n_rows in heavy)
    kind = f"{heavy[0]} and {heavy[1]:,} rows in side tables"
    return SidePair(schema, pair.first, pair.second, kind, side=(first, second))


def _others(table: SideTable, n_persons: int, own: int, generator: np.random.Generator) -> pl.DataFrame:
    """Return rows of everybody but one, and of somebody who is in no main row."""
    counts = generator.integers(0, _MAX_OF_OTHERS, n_persons, endpoint=True)
    counts[own] = 0
    keys = np.concatenate([np.repeat(np.arange(n_persons), counts), [-1]])
    return _rows(table, keys, generator)


def _with_rows(
    frame: pl.DataFrame, table: SideTable, own: int, n_rows: int, generator: np.random.Generator
) -> pl.DataFrame:
    """Return a side table with so many new rows of one person in place of that person's."""
    kept = frame.filter(pl.Series(frame[table.key]) != own)
    whole = pl.concat([kept, _rows(table, np.full(n_rows, own), generator)])
    return whole[generator.permutation(len(whole))]


def _rows(table: SideTable, keys: np.ndarray[Any, Any], generator: np.random.Generator) -> pl.DataFrame:
    cells = {column.name: _cells(column, len(keys), generator) for column in table.columns}
    return pl.DataFrame({table.key: keys.astype(np.int64)} | cells)


def _cells(column: Column, n_rows: int, generator: np.random.Generator) -> pl.Series:
    """Return cells at random, some of them missing, numbers also beyond their bounds."""
    if isinstance(column, Categorical):
        listed = [*column.categories, None] if column.buckets is None else [f"text {at}" for at in range(9)]
        kind = pl.Series([each for each in listed if each is not None]).dtype
        return pl.Series([listed[at] for at in generator.integers(0, len(listed), n_rows)], dtype=kind)
    return _numbers(column, generator.uniform(-0.1, 1.1, n_rows), generator.random(n_rows) < 0.1)


def _numbers(column: Numeric, places: np.ndarray[Any, Any], absent: np.ndarray[Any, Any]) -> pl.Series:
    values = column.lower + (column.upper - column.lower) * places
    if column.has_dates:
        moments = [None if none else moments_of([value], column)[0] for value, none in zip(values, absent, strict=True)]
        return pl.Series(moments, dtype=pl.Datetime("us"))
    return pl.Series(values).set(pl.Series(absent), None)
