"""Oblivious trees drawn at random: candidates that no row has decided about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal as OneOf

import numpy as np

from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.features.oblivious import DEEPEST, LevelTest, Subset
from tacit.rules.boosted_trees import ONE_COLUMN_EVERY
from tacit.schema.columns import indicated

Structure = OneOf["mixed", "oblivious", "additive"]
"""Each level of a tree tests a column of its own ("oblivious"), or all levels the same ("additive"); or every fourth
tree is of the latter kind ("mixed")."""


def is_of_one_column(structure: Structure, at: int) -> bool:
    """Return whether the tree at this place, from 0 on, tests one column alone."""
    return structure == "additive" or (structure == "mixed" and at % ONE_COLUMN_EVERY == 0)


def n_levels(depth: int, *, one_column: bool) -> int:
    """Return how many tests a tree has; D cuts of one column make D + 1 bins, about as many as others have leaves."""
    return min(2**depth - 1, DEEPEST) if one_column else depth


def dividing(encoding: BinEncoding, columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the columns that divide rows, those with a cut or with two categories, a number with its indicator."""
    found = dict[str, list[str]]()
    for name in columns:
        if encoding.separable[name][0] > 1:
            found.setdefault(indicated(encoding.schema.column(name)) or name, []).append(name)
    return tuple(map(tuple, found.values()))


def draw_tree(
    encoding: BinEncoding,
    columns: Sequence[tuple[str, ...]],
    depth: int,
    generator: np.random.Generator,
    *,
    one_column: bool,
    favored: Sequence[str] = (),
) -> tuple[LevelTest, ...]:
    """Return the tests of one tree, the first level's first.

    A level tests a random column: whether a number is at most a random cut, or a category in a random half of them. An
    empty cell is one more cut of its number.

    Parameters
    ----------
    encoding : BinEncoding
    columns : sequence of tuple of str
        What is ``dividing``.
    depth : int
    generator : Generator
        Public: nothing secret depends on it.
    one_column : bool
        Whether all levels test the same.
    favored : sequence of str
        Columns of which every other level tests one; released or public. As often as a column is in it, so likely.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric("a", 0, 9), Numeric("b", 0, 9)], label=Label("y", [0, 1]))
    >>> encoding = BinEncoding(schema, ("a", "b"))
    >>> tree = draw_tree(encoding, [("a",), ("b",)], 3, np.random.default_rng(0), one_column=True)
    >>> len(tree), len({test.column for test in tree})
    (3, 1)
    """
    asked = generator.integers(len(columns), size=depth)
    names = [_draw_name(encoding, columns[at], generator) for at in asked[: 1 if one_column else depth].tolist()]
    if favored:
        names = [favored[int(generator.integers(len(favored)))] if generator.integers(2) else name for name in names]
    return tuple(_draw_test(encoding, name, generator) for name in (names * depth if one_column else names))


def _draw_name(encoding: BinEncoding, names: tuple[str, ...], generator: np.random.Generator) -> str:
    if len(names) == 1:
        return names[0]
    number, indicator = names
    return number if generator.integers(encoding.separable[number][0]) else indicator


def _draw_test(encoding: BinEncoding, name: str, generator: np.random.Generator) -> LevelTest:
    n_values, is_category = encoding.separable[name]
    if not is_category:
        return Literal(name, 0, int(generator.integers(n_values - 1)))
    half = generator.permutation(n_values)[: n_values // 2]
    return Subset(name, tuple(sorted(half.tolist())))
