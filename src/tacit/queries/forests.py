"""Rows added up by the leaves of several oblivious trees, in strips that stay in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.features.bin_encoding import Codes
from tacit.features.oblivious import JointLeaves, LevelTest, Subset, at_once, is_of_one_column, patterns, reached_leaves

Tests = tuple[LevelTest, ...]
"""An oblivious tree's, the first level's first."""

_STRIP = 8_192
"""Rows whose margins, residuals and leaves are worked on at once. Their arrays have 64 KiB: on a Dask worker larger
ones are requested from the system more often, which takes as long as the arithmetic (``benchmarks/dask_memory.py``)."""


class Forest:
    """Adds up values of rows by the leaves of oblivious trees of one depth.

    Leaves of several trees are looked up together, by joint codes of groups of columns. What is added up by the codes
    of a column serves all trees that test that column alone.

    Parameters
    ----------
    trees : sequence of Tests
    encoding : BinEncoding
    groups : tuple of tuples of int
        Of the encoding's columns.

    Notes
    -----
    Privacy: nothing is released here; ``LeafSums`` says how far its sums move.
    """

    def __init__(self, trees: Sequence[Tests], encoding: BinEncoding, groups: tuple[tuple[int, ...], ...]):
        self._n_leaves, self._encoding = 2 ** len(trees[0]), encoding
        self._by_code = [patterns(tests, encoding) if is_of_one_column(tests) else {} for tests in trees]
        self._wide = [tests for tests in trees if not is_of_one_column(tests)]
        self._joint = JointLeaves(self._wide if _saves_time(self._wide, encoding, groups) else (), encoding, groups)

    @property
    def reads_groups(self) -> bool:
        """Whether ``sums`` reads joint codes."""
        return bool(self._joint.trees)

    def sums(
        self, codes: Codes, joint: NDArray[np.uint16] | None, values: Callable[[slice], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return sums by tree, score and leaf of a block's values, given for some rows as (n_scores, n_rows)."""
        leaves = [reached_leaves(tests, codes, self._encoding) for tests in self._wide] if joint is None else []
        total = np.zeros(1)
        for strip in strips(len(codes)):
            of_rows = self._joint.of(joint[strip]) if joint is not None else (each[strip] for each in leaves)
            total = total + self._of_strip(codes[strip], of_rows, values(strip))
        return total

    def _of_strip(
        self, codes: Codes, leaves: Iterator[NDArray[np.uint8]], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        sums = np.empty((len(self._by_code), len(values), self._n_leaves))
        found: dict[str, NDArray[np.float64]] = {}
        for by_code, of_tree in zip(self._by_code, sums, strict=True):
            for name, pattern in by_code.items():
                if name not in found:
                    found[name] = np.empty((len(values), len(pattern)))
                    _add_up(codes[:, self._encoding.positions[name]], values, found[name])
                _add_up(pattern, found[name], of_tree)
            if not by_code:
                _add_up(next(leaves), values, of_tree)
        return sums


_TESTED, _LISTED, _GROUP, _TREE = 8, 30, 40, 12
"""Microseconds of 65,536 rows: to compare numbers, to look categories up; to look a group of columns up, and to read
one tree's leaves off. So a single tree, or shallow ones of numbers in many columns, are read test by test."""


def _saves_time(trees: Sequence[Tests], encoding: BinEncoding, groups: tuple[tuple[int, ...], ...]) -> bool:
    """Return whether leaves are found sooner by groups of columns than test by test."""
    alone = sum(_LISTED if isinstance(test, Subset) else _TESTED for tests in trees for test in tests)
    asked = [{encoding.positions[test.column] for tests in some for test in tests} for some in at_once(trees)]
    together = sum(_GROUP * sum(not columns.isdisjoint(group) for group in groups) for columns in asked)
    return together + _TREE * len(trees) < alone


def _add_up(cells: NDArray[Any], values: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """Fill in the sum of each score's values by cell, shape (n_scores, n_cells)."""
    for each, of_score in zip(values, sums, strict=True):
        # Whole numbers below 2^53, for up to 2^32 rows, or weights of persons: exact in any order.
        of_score[:] = np.bincount(cells, each, len(of_score))


def strips(n_rows: int) -> list[slice]:
    """Return strips of about ``_STRIP`` rows, so that what is computed of them stays in the second cache."""
    n_strips = max(1, n_rows // _STRIP)
    ends = [at * n_rows // n_strips for at in range(n_strips + 1)]
    return [slice(start, end) for start, end in pairwise(ends)]
