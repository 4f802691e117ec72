"""Oblivious trees drawn at random: candidates that no row has decided about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal as OneOf
from typing import get_args

import numpy as np

from tacit.errors import ParameterError
from tacit.schema import Categorical
from tacit.table import BinEncoding
from tacit.table.literals import Literal
from tacit.table.oblivious import LevelTest, Subset

Structure = OneOf["oblivious", "additive"]
"""Each level tests a column of its own, or all levels of a tree the same."""


def dividing(encoding: BinEncoding, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that divide rows: those with a cut, or with two categories."""
    return tuple(name for name in columns if _n_values(encoding, name) > 1)


def draw_tree(
    encoding: BinEncoding, columns: Sequence[str], depth: int, structure: Structure, generator: np.random.Generator
) -> tuple[LevelTest, ...]:
    """Return the tests of one tree, the first level's first.

    A level tests a random column: whether a number is at most a random cut, or a category in a random half of them.

    Parameters
    ----------
    encoding : BinEncoding
    columns : sequence of str
        Ones that are ``dividing``.
    depth : int
    structure : {"oblivious", "additive"}
    generator : Generator
        Public: nothing secret depends on it.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric("a", 0, 9), Numeric("b", 0, 9)], label=Label("y", [0, 1]))
    >>> tree = draw_tree(BinEncoding(schema, ("a", "b")), ("a", "b"), 3, "additive", np.random.default_rng(0))
    >>> len(tree), len({test.column for test in tree})
    (3, 1)
    """
    if structure not in get_args(Structure):
        raise ParameterError(
            f"Expected structure 'oblivious' or 'additive', got structure={structure!r}. Choose one of them."
        )
    asked = generator.integers(len(columns), size=depth)
    if structure == "additive":
        asked[:] = asked[0]
    return tuple(_draw_test(encoding, columns[at], generator) for at in asked)


def _draw_test(encoding: BinEncoding, name: str, generator: np.random.Generator) -> LevelTest:
    n_values = _n_values(encoding, name)
    if not isinstance(encoding.schema.column(name), Categorical):
        return Literal(name, 0, int(generator.integers(n_values - 1)))
    half = generator.permutation(n_values)[: n_values // 2]
    return Subset(name, tuple(sorted(half.tolist())))


def _n_values(encoding: BinEncoding, name: str) -> int:
    """Return how many bins or categories a test can separate; unlisted categories fail every test."""
    column = encoding.schema.column(name)
    return column.n_codes if isinstance(column, Categorical) else encoding.bins_of[name]
