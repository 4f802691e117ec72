"""Oblivious trees' tests: one test for all nodes of a level, so that a leaf is a number of one bit a level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.features.bin_encoding import BinEncoding, Codes, joint_table
from tacit.features.literals import Literal
from tacit.schema import Categorical

DEEPEST = 8
"""Levels: a leaf's number is one byte, and its sums are released with noise of their own."""


@dataclass(frozen=True)
class Subset:
    """Whether a column's category is one of several.

    Parameters
    ----------
    column : str
    codes : tuple of int
        Codes of a ``BinEncoding``, ascending.

    Examples
    --------
    >>> Subset("c", (0, 2)).holds(np.asarray([0, 1, 2], dtype=np.uint8)).tolist()
    [True, False, True]
    """

    column: str
    codes: tuple[int, ...]

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    @property
    def held(self) -> list[int]:
        """The codes of which it holds, as an index."""
        return list(self.codes)

    def holds(self, codes: Codes) -> NDArray[np.bool_]:
        """Return whether each code is one of them, in the codes' shape."""
        members = np.zeros(2 ** (8 * codes.dtype.itemsize), dtype=np.uint8)
        members[self.held] = 1
        return _looked_up(members, codes).view(np.bool_)


LevelTest = Literal | Subset
"""What a level asks: whether a number is at most a cut, or a category one of several."""


def fit_encoding(tests: Sequence[LevelTest], encoding: BinEncoding) -> bool:
    """Return whether each test is about a column and codes of the encoding."""
    return all(_is_of(test, encoding) for test in tests)


def _is_of(test: LevelTest, encoding: BinEncoding) -> bool:
    bins = encoding.bins_of.get(test.column, 0)
    if bins and isinstance(test, Subset):
        listed = isinstance(encoding.schema.column(test.column), Categorical) and 0 < len(test.codes) < bins
        return listed and all(0 <= a < b for a, b in zip(test.codes, (*test.codes[1:], bins), strict=True))
    return bins > 0 and isinstance(test, Literal) and 0 == test.first <= test.last < bins - 1


def reached_leaves(tests: Sequence[LevelTest], codes: Codes, encoding: BinEncoding) -> NDArray[np.uint8]:
    """Return each row's leaf, shape (n_rows,): a bit a level, the first test's the highest, 1 where it holds.

    Parameters
    ----------
    tests : sequence of Literal or Subset
        At most ``DEEPEST``.
    codes : array of shape (n_rows, n_columns)
        Of ``encoding``.
    encoding : BinEncoding

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> encoding = BinEncoding(Schema([Numeric("x", 0, 9, cuts=[1, 2, 3])], label=Label("y", [0, 1])), ("x",))
    >>> codes = np.asarray([[0], [1], [2], [3]], dtype=np.uint8)
    >>> reached_leaves([Literal("x", 0, 1), Literal("x", 0, 0)], codes, encoding).tolist()
    [3, 2, 0, 0]
    """
    if is_of_one_column(tests):
        [(name, pattern)] = patterns(tests, encoding).items()
        return _looked_up(pattern, codes[:, encoding.positions[name]])
    leaves = np.zeros(len(codes), dtype=np.uint8)
    for test in tests:
        # Doubling and adding bit by bit keeps to vectors of bytes, a few microseconds for 65,536 rows.
        leaves += leaves
        leaves |= test.holds(codes[:, encoding.positions[test.column]]).view(np.uint8)
    return leaves


def patterns(tests: Sequence[LevelTest], encoding: BinEncoding) -> dict[str, NDArray[np.uint8]]:
    """Return for each tested column what each of its codes adds to a leaf's number, shape (n_codes,)."""
    found = {test.column: np.zeros(encoding.bins_of[test.column], dtype=np.uint8) for test in tests}
    for at, test in enumerate(reversed(tests)):
        found[test.column][test.held] |= 1 << at
    return found


def is_of_one_column(tests: Sequence[LevelTest]) -> bool:
    """Return whether all levels test the same column."""
    return len({test.column for test in tests}) == 1


TREES_AT_ONCE = 8
"""Whose leaves, a byte each, are one number: what a group of columns adds to all of them is looked up at once."""


def at_once(trees: Sequence[Sequence[LevelTest]]) -> list[Sequence[Sequence[LevelTest]]]:
    """Return trees in parts that are looked up together."""
    return [trees[start : start + TREES_AT_ONCE] for start in range(0, len(trees), TREES_AT_ONCE)]


@dataclass(frozen=True, eq=False)
class Leaves:
    """What looks up the leaves of trees, of which each level is one test of a column's code."""

    trees: Sequence[Sequence[LevelTest]]
    encoding: BinEncoding


@dataclass(frozen=True, eq=False)
class JointLeaves(Leaves):
    """The leaves of several trees, looked up by the joint codes of groups of columns.

    Parameters
    ----------
    groups : tuple of tuples of int
        Of the encoding's columns.
    """

    groups: tuple[tuple[int, ...], ...]

    def of(self, joint: NDArray[Any]) -> Iterator[NDArray[np.uint8]]:
        """Yield each tree's leaves, (n_rows,), of rows' joint codes by group, (n_rows, n_groups)."""
        for n_trees, tables in self._tables:
            leaves = np.zeros(len(joint), dtype=np.uint64)
            found = np.empty_like(leaves)
            for at, table in tables:
                # The default mode would check all codes first.
                leaves |= table.take(joint[:, at], out=found, mode="clip")
            yield from leaves.view(np.uint8).reshape(-1, TREES_AT_ONCE).T[:n_trees]

    @cached_property
    def _tables(self) -> list[tuple[int, list[tuple[int, NDArray[np.uint64]]]]]:
        """Of each eight trees: how many there are, and by group what its joint codes add to their leaves."""
        return [(len(trees), list(self._tables_of(trees))) for trees in at_once(self.trees)]

    def _tables_of(self, trees: Sequence[Sequence[LevelTest]]) -> Iterator[tuple[int, NDArray[np.uint64]]]:
        bytes_of: dict[int, NDArray[np.uint8]] = {}
        for at, tests in enumerate(trees):
            for name, pattern in patterns(tests, self.encoding).items():
                position = self.encoding.positions[name]
                bytes_of.setdefault(position, np.zeros((len(pattern), TREES_AT_ONCE), dtype=np.uint8))[:, at] = pattern
        for at, group in enumerate(self.groups):
            if not bytes_of.keys().isdisjoint(group):
                sizes = [self.encoding.n_codes[column] for column in group]
                nothing = [np.zeros((size, TREES_AT_ONCE), dtype=np.uint8) for size in sizes]
                own = [bytes_of.get(column, none) for column, none in zip(group, nothing, strict=True)]
                # Columns of a tree add bits of their own, so that no byte is carried into the next.
                yield at, joint_table([each.view(np.uint64)[:, 0] for each in own])


@dataclass(frozen=True, eq=False)
class EveryLeaf(Leaves):
    """The leaves of many trees, looked up by the codes of the columns that they test: a few steps a column.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric, Schema
    >>> encoding = BinEncoding(Schema([Numeric("x", 0, 9, cuts=[1, 2, 3])], label=Label("y", [0, 1])), ("x",))
    >>> codes = np.asarray([[0], [1], [2], [3]], dtype=np.uint8)
    >>> EveryLeaf([[Literal("x", 0, 1), Literal("x", 0, 0)], [Literal("x", 0, 2)]], encoding).of(codes).tolist()
    [[3, 2, 0, 0], [1, 1, 1, 0]]
    """

    def of(self, codes: Codes) -> NDArray[np.uint8]:
        """Return each tree's leaves, shape (n_trees, n_rows), as ``reached_leaves`` does."""
        leaves = np.zeros((len(self.trees), len(codes)), dtype=np.uint8)
        for position, testing, table in self._tables:
            leaves[testing] |= table.take(codes[:, position], axis=1, mode="clip")
        return leaves

    @cached_property
    def _tables(self) -> list[tuple[int, NDArray[np.intp], NDArray[np.uint8]]]:
        """By column its position, the trees that test it, and what each of its codes adds to their leaves."""
        found: dict[int, dict[int, NDArray[np.uint8]]] = {}
        for at, tests in enumerate(self.trees):
            for name, pattern in patterns(tests, self.encoding).items():
                found.setdefault(self.encoding.positions[name], {})[at] = pattern
        return [(position, np.asarray(list(each)), np.stack(list(each.values()))) for position, each in found.items()]


def _looked_up(table: NDArray[np.uint8], codes: Codes) -> NDArray[np.uint8]:
    """Return the table's value at each code, in the codes' shape."""
    if codes.dtype != np.uint8:
        return np.asarray(table[codes])
    # A translation of bytes is several times as fast as a lookup by NumPy.
    every = table.tobytes().ljust(256)
    return np.frombuffer(codes.tobytes().translate(every), dtype=np.uint8).reshape(codes.shape)
