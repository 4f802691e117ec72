"""Pairs of neighboring tables that differ in all rows of one person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import polars as pl

from tacit.audit.directed import directed_pairs
from tacit.audit.neighbors import Pair, Row, inputs_of, protected, random_pairs, redrawn, worst_pairs
from tacit.errors import ParameterError
from tacit.mechanisms import public_generator
from tacit.schema import Identifier, Schema
from tacit.schema.identifier import RowsOfPerson
from tacit.table import Table

HEAVY = ((1, 40), (40, 1), (40, 40), (1, 1), (3, 2), (1, 10_000))
"""Rows of the person who differs, in the first table and in the second; the last pair is tried seldom."""

_SELDOM = 40
"""Every so many pairs a person has 10,000 rows, which take a hundred times as long as the others."""

_SIZES = (2, 6, 24, 60)
"""Numbers of persons."""

Owned = tuple[Row, str]
"""A row, and whose it is."""


@dataclass(frozen=True)
class PersonPair(Pair):
    """Two tables that differ in one person's rows, where the schema has an identifier.

    Parameters
    ----------
    persons : tuple of two tuples of str
        Identifiers of the rows of both tables.
    """

    persons: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    def inputs(self) -> tuple[tuple[Any, list[Any]], tuple[Any, list[Any]]]:
        """Return (X, y) of both, X with a column of identifiers."""
        one, other = (
            _with_identifiers(rows, names, self.schema)
            for rows, names in zip((self.first, self.second), self.persons, strict=True)
        )
        return one, other

    def times(self, count: int) -> PersonPair:
        """Return a pair in which each person is there so many times, under other names."""
        one, other = (tuple(f"{name}/{turn}" for turn in range(count) for name in names) for names in self.persons)
        return replace(self, first=self.first * count, second=self.second * count, persons=(one, other))

    def searched(self, generator: np.random.Generator) -> PersonPair:
        """Return a pair in which the person who differs has other protected cells in one of the tables, in all rows."""
        side, free = int(generator.integers(2)), protected(self.schema)
        rows, names = list((self.first, self.second)[side]), self.persons[side]
        own = [at for at, name in enumerate(names) if name == self._differing]
        fresh = redrawn(self.schema, rows[own[0]], generator, free)
        for at in own:
            moved = tuple(new if may else old for old, new, may in zip(rows[at], fresh, free, strict=True))
            # A row without a label stays one, and others keep theirs.
            rows[at] = (*moved[:-1], rows[at][-1]) if None in (rows[at][-1], fresh[-1]) else moved
        first, second = (self.first, tuple(rows)) if side else (tuple(rows), self.second)
        return replace(self, first=first, second=second, kind="local search")

    @property
    def _differing(self) -> str:
        """The name of the person who differs, or of the first where none does."""
        for name in dict.fromkeys((*self.persons[0], *self.persons[1])):
            own = [
                repr([row for row, other in zip(rows, names, strict=True) if other == name])
                for rows, names in zip((self.first, self.second), self.persons, strict=True)
            ]
            if own[0] != own[1]:
                return name
        return self.persons[0][0]

    def tables(self, block_rows: int = 65_536) -> tuple[Table, Table]:
        """Return both as tables."""
        one, other = (
            Table.from_frame(frame, labels, self.schema, block_rows=block_rows) for frame, labels in self.inputs()
        )
        return one, other


def person_pairs(schema: Schema, *, seed: int = 0) -> Iterator[PersonPair]:
    """Yield pairs without end: worst cases of one row, of which a person has one or many, and random persons.

    Where all cells are protected, the person has another number of rows in the second table, in every other pair at
    other places, so that others appear before this person or no longer do; where a column or the label is public, the
    same number, at the same places, with the same public cells.

    Parameters
    ----------
    schema : Schema
        With an identifier.
    seed : int

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("a", 0, 1)], label=Label("y", [0, 1]), identifier=Identifier("person"))
    >>> pair = next(person_pairs(schema))
    >>> len(pair.first), len(pair.second)
    (1, 40)
    """
    if schema.identifier is None:
        raise ParameterError("Expected a schema with an identifier, got none. Add Identifier(name).")
    generator, plain = public_generator(seed), schema.without_persons()
    worst = [
        pair for size in _SIZES for pair in (*worst_pairs(plain, n_rows=size), *directed_pairs(plain, n_rows=size))
    ]
    worst = [pair for pair in worst if len(pair.first) == len(pair.second)]
    random = [random_pairs(plain, n_rows=size, seed=seed) for size in _SIZES]
    same = any(not may for may in protected(schema))
    for turn in count():
        heavy = HEAVY[turn % (len(HEAVY) - 1)] if turn % _SELDOM else HEAVY[0]
        if turn % _SELDOM == _SELDOM - 1:
            heavy = HEAVY[-1]
        heavy = (max(heavy), max(heavy)) if same else heavy
        pair = worst[int(generator.integers(len(worst)))] if turn % 3 else next(random[turn % len(random)])
        if turn == 0:
            pair = worst[-1] if len(worst[-1].first) == 1 else min(worst, key=lambda each: len(each.first))
        yield repeated(pair, schema, *heavy, last=not same and turn % 2 == 1)
        mixed = _mixed(next(random[turn % len(random)]), schema, generator, same=same)
        yield _with_unlabeled(mixed, same=same) if schema.label.drops_missing else mixed


def repeated(pair: Pair, schema: Schema, first: int, second: int, *, last: bool = False) -> PersonPair:
    """Return the pair with one person for each row, of whom the one who differs has so many equal rows.

    Parameters
    ----------
    last : bool
        Whether these rows come after all others in the second table: other persons then appear earlier than before.
    """
    at = next((at for at, rows in enumerate(zip(pair.first, pair.second, strict=True)) if rows[0] is not rows[1]), 0)
    others = [f"p{number}" for number in range(len(pair.first) - 1)]

    def placed(row: Any, rest: Sequence[Any], times: int, place: int) -> tuple[Any, ...]:
        return (*rest[:place], *[row] * times, *rest[place:])

    tables, names = [], []
    for rows, times, place in ((pair.first, first, at), (pair.second, second, len(others) if last else at)):
        tables.append(placed(rows[at], (*rows[:at], *rows[at + 1 :]), times, place))
        names.append(placed("differs", others, times, place))
    kind = f"{pair.kind}, {first} and {second} rows" + ", the second's last" * last
    return PersonPair(schema, tables[0], tables[1], kind, persons=(names[0], names[1]))


def _mixed(pair: Pair, schema: Schema, generator: np.random.Generator, *, same: bool) -> PersonPair:
    """Return persons of several random rows each, in any order; one of them has others in the second table."""
    owners = generator.integers(max(1, len(pair.first) // 3), size=len(pair.first))
    chosen, free = generator.choice(owners), protected(schema)
    names = tuple(f"p{owner}" for owner in owners)
    if same:
        moved = [
            tuple(new if may else old for old, new, may in zip(row, _any(pair, generator), free, strict=True))
            if owner == chosen
            else row
            for row, owner in zip(pair.first, owners, strict=True)
        ]
        return PersonPair(schema, pair.first, tuple(moved), "random persons", persons=(names, names))
    kept = [(row, name) for row, name, owner in zip(pair.first, names, owners, strict=True) if owner != chosen]
    fresh = [(_any(pair, generator), f"p{chosen}") for _ in range(int(generator.integers(1, 12)))]
    rows, others = zip(*_merged(fresh, kept, generator), strict=True)
    return PersonPair(schema, pair.first, rows, "random persons", persons=(names, others))


def _with_unlabeled(pair: PersonPair, *, same: bool) -> PersonPair:
    """Return the pair with rows without a label: of a person in both, of one without others, and of who differs.

    Of who differs there are more in the second table, where the number of a person's rows is protected.
    """
    row, name, differing = (*pair.first[0][:-1], None), pair.persons[0][0], pair._differing
    both = ((row, name), (row, "nobody"))
    others = (*both, *((row, differing),) * (1 if same else 4))
    first, second = (
        (*beside, *zip(rows, names, strict=True))
        for beside, rows, names in (
            ((*both, (row, differing)), pair.first, pair.persons[0]),
            (others, pair.second, pair.persons[1]),
        )
    )
    (one, of_one), (other, of_other) = (tuple(zip(*table, strict=True)) for table in (first, second))
    return replace(pair, first=one, second=other, persons=(of_one, of_other), kind=f"{pair.kind}, some without a label")


def _merged(fresh: list[Owned], kept: list[Owned], generator: np.random.Generator) -> list[Owned]:
    """Return rows that are kept, in their order, with fresh ones at random places: the person appears there first."""
    n_rows = len(fresh) + len(kept)
    places = set(generator.choice(n_rows, len(fresh), replace=False).tolist())
    new, old = iter(fresh), iter(kept)
    return [next(new if at in places else old) for at in range(n_rows)]


def _any(pair: Pair, generator: np.random.Generator) -> Row:
    """Return one of the rows, by chance."""
    return pair.first[int(generator.integers(len(pair.first)))]


def _with_identifiers(rows: tuple[Row, ...], names: tuple[str, ...], schema: Schema) -> tuple[Any, list[Any]]:
    assert schema.identifier is not None
    frame, labels = inputs_of(rows, schema)
    columns = [pl.Series(name, parts, dtype=pl.String) for name, parts in _parts(schema.identifier, names)]
    return frame.with_columns(columns), labels


def _parts(identifier: Identifier, names: tuple[str, ...]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what each column of an identifier holds: of several, the last has a name's end, which others share."""
    first, *rest = identifier.names
    if not rest:
        yield first, names
        return
    yield first, [f"_{name[:-1]}" for name in names]
    yield from ((middle, ["one"] * len(names)) for middle in rest[:-1])
    yield rest[-1], [name[-1:] for name in names]


def with_identifier(schema: Schema, rows: RowsOfPerson = "mean") -> Schema:
    """Return the schema with an identifier of its own name."""
    return replace(schema, identifier=Identifier("person", rows=rows))
