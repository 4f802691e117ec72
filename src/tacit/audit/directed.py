"""Pairs made for the worst cases of single releases, to which random and extreme rows hardly ever come close."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product, zip_longest
from typing import Any

import numpy as np

from tacit.audit.neighbors import Pair, Row, protected, values
from tacit.features import GridEncoding
from tacit.schema import Column, Numeric, Schema

_COLUMNS, _QUESTIONS = 8, 3
"""Of which pairs are made at most, and between whose values at most so many questions of one column lie."""


def directed_pairs(schema: Schema, *, n_rows: int) -> Iterator[Pair]:
    """Yield worst cases of gradients, of medians of private cut points, and of scores of a tree's questions.

    Parameters
    ----------
    schema : Schema
    n_rows : int
        Of each table, rounded down to an even number; at least two.
    """
    half = max(n_rows // 2, 1)
    # In turn, so that the first few serve a learner of any kind.
    turns = zip_longest(_misfits(schema, half), _medians(schema, half), _rivals(schema, half))
    yield from (pair for turn in turns for pair in turn if pair is not None)


def _misfits(schema: Schema, half: int) -> Iterator[Pair]:
    """Yield a table of two crowds, and one row of one crowd's cells and the other label, which moves to the other's.

    Both rows' slopes are then near one, the largest: their gradients differ by most. A label that is not protected is
    the same for both crowds.
    """
    low, free, labels = _start(schema), protected(schema), values(schema.label)
    ends = (*(values(column, 2)[-1] for column in schema.columns), labels[0])
    high = tuple(end if may else cell for cell, end, may in zip(low, ends, free, strict=True))
    if high == low:
        return
    usual = (labels[1], labels[0] if free[-1] else labels[1])
    one, other = (_with(row, -1, label) for row, label in zip((low, high), usual, strict=True))
    odd = [_with(row, -1, labels[0] if row[-1] == labels[1] else labels[1]) for row in (one, other)]
    common = (*(one,) * half, *(other,) * (half - 1))
    yield Pair(
        schema, (*common, odd[0]), (*common, odd[1]), "a row that does not fit one half of the rows or the other"
    )


def _medians(schema: Schema, half: int) -> Iterator[Pair]:
    """Yield tables in which a row that moves over the median moves the scores of all cells, up on one side of it.

    All numbers are at the column's ends, but for one: from its cell on a score falls by two half rows, below it rises.
    In the middle of the grid both sides are equally likely, where the Renyi divergence is largest; at its ends one
    side is nearly certain, and the other's log ratio the largest.
    """
    base, free, labels = _start(schema), protected(schema), values(schema.label)
    for at, column in enumerate(schema.columns):
        if not (isinstance(column, Numeric) and free[at]) or column.cuts is not None:
            continue  # its cut points are public
        bottom, top = values(column, 2)
        grid = GridEncoding(schema, column.name)
        for cell in (grid.n_cells // 2, grid.n_cells - 2, 1):
            for between in grid.cuts(np.asarray([cell])):
                low, middle, high = (_with(base, at, cell) for cell in (bottom, between, top))
                # Labels take turns, as a table whose public labels are all the same has nothing to learn.
                common = [
                    _with(row, -1, labels[turn % len(labels)])
                    for turn, row in enumerate((*(low,) * (half - 1), middle, *(high,) * (half - 1)))
                ]
                yield Pair(schema, (*common, high), (*common, low), f"over the median of {column.name}")


def _rivals(schema: Schema, half: int) -> Iterator[Pair]:
    """Yield tables of two columns that separate the classes equally well, and a row that moves from one to the other.

    The scores of one column's questions rise by a row, the other's fall, and all others are far below, so that the
    selection is a toss-up between as many questions of either.
    """
    base, free = _start(schema), protected(schema)
    movable = [(at, column) for at, column in enumerate(schema.columns) if free[at]][:_COLUMNS]
    label, other_label = values(schema.label)[:2]
    for (one, first), (other, second) in combinations(movable, 2):
        for ends, others in product(_ends(first), _ends(second)):
            none = _with(_with(base, one, ends[0]), other, others[0])
            left, right = (
                _with(row, -1, other_label) for row in (_with(none, one, ends[1]), _with(none, other, others[1]))
            )
            both = _with(left, other, others[1])
            common = (*((_with(none, -1, label),) * half), *((both,) * (half - 1)))
            yield Pair(schema, (*common, left), (*common, right), f"{first.name} or {second.name}")


def _start(schema: Schema) -> Row:
    return tuple(values(part, 2)[0] for part in (*schema.columns, schema.label))


def _with(row: Row, at: int, cell: Any) -> Row:
    at %= len(row)
    return (*row[:at], cell, *row[at + 1 :])


def _ends(column: Column) -> list[tuple[Any, Any]]:
    """Return two values of a column with one question between them, two, and so on; or its ends."""
    ends = values(column, 2)
    if not isinstance(column, Numeric) or not column.cuts:
        return [(ends[0], ends[-1])]
    edges = np.asarray([ends[0], *column.cuts, ends[-1]], dtype=np.float64)
    inside = ((edges[1:] + edges[:-1]) / 2).tolist()
    return [(inside[0], end) for end in inside[1 : 1 + _QUESTIONS]]
