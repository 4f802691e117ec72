"""Oblivious trees' tests: one test for all nodes of a level, so that a leaf is a number of one bit a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.schema import Categorical
from tacit.table.bin_encoding import BinEncoding, Codes
from tacit.table.literals import Literal

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

    def holds(self, codes: Codes) -> NDArray[np.bool_]:
        """Return whether each code is one of them, in the codes' shape."""
        if codes.dtype != np.uint8:
            # A table of all that two bytes hold, 64 KiB: the second cache has it after a few rows.
            members = np.zeros(2**16, dtype=np.bool_)
            members[list(self.codes)] = True
            return np.asarray(members[codes])
        # A translation of bytes is several times as fast as a lookup by NumPy.
        table = bytearray(256)
        for code in self.codes:
            table[code] = 1
        found = np.frombuffer(codes.tobytes().translate(table), dtype=np.bool_)
        return found.reshape(codes.shape)


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
    leaves = np.zeros(len(codes), dtype=np.uint8)
    for test in tests:
        # Doubling and adding bit by bit keeps to vectors of bytes, a few microseconds for 65,536 rows.
        leaves += leaves
        leaves |= test.holds(codes[:, encoding.positions[test.column]]).view(np.uint8)
    return leaves
