"""Codes of several columns as one, so that counting and looking up take one pass for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_CELLS = 2_048
"""Of a group: its counts or table stay in the fastest cache. More are fewer groups, and slower."""


@lru_cache(maxsize=64)
def column_groups(sizes: tuple[int, ...], most: int = MOST_CELLS) -> tuple[tuple[int, ...], ...]:
    """Return groups of columns of at most so many combinations of codes; a larger column is a group by itself.

    The largest columns first, each into the first group that has room.

    Examples
    --------
    >>> column_groups((32, 3, 64, 32), most=128)
    ((2,), (0, 1), (3,))
    """
    smallest = min(sizes, default=1)
    groups: list[list[int]] = []
    cells: list[int] = []
    spacious: list[int] = []  # groups in which the smallest column would fit, so that full ones are not asked again
    for column in sorted(range(len(sizes)), key=lambda at: -sizes[at]):
        at = next((at for at in spacious if cells[at] * sizes[column] <= most), None)
        if at is None:
            at = len(groups)
            groups.append([])
            cells.append(1)
            spacious.append(at)
        groups[at].append(column)
        cells[at] *= sizes[column]
        if cells[at] * smallest > most:
            spacious.remove(at)
    return tuple(tuple(group) for group in groups)


def joint_codes(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int], first: NDArray[Any] | None = None, n_first: int = 1
) -> NDArray[Any]:
    """Return each row's combination of codes as one number, the last column varying fastest, shape (n_rows,).

    Parameters
    ----------
    codes : sequence of arrays of shape (n_rows,)
    sizes : sequence of int
    first : array of shape (n_rows,), optional
        Codes below ``n_first``, which vary slowest.

    Examples
    --------
    >>> joint_codes([np.asarray([0, 1, 2]), np.asarray([1, 1, 0])], [3, 2]).tolist()
    [1, 3, 4]
    """
    cells = n_first * prod(sizes)
    kind: Any = np.uint16 if cells <= 2**16 else np.uint32 if cells <= 2**32 else np.intp
    joint = codes[0].astype(kind)
    if first is not None:
        joint += first.astype(kind) * kind(sizes[0])
    for column, size in zip(codes[1:], sizes[1:], strict=True):
        joint *= kind(size)
        joint += column.astype(kind, copy=False)
    return joint


def joint_table(tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the sums of one number of each table, for each combination, in the order of ``joint_codes``.

    Examples
    --------
    >>> joint_table([np.asarray([10.0, 20.0]), np.asarray([1.0, 2.0])]).tolist()
    [11.0, 12.0, 21.0, 22.0]
    """
    return np.asarray(reduce(np.add.outer, tables)).ravel()


def margin(counts: NDArray[Any], axis: int) -> NDArray[Any]:
    """Return the counts by the first axis and one other, from those of all combinations, shape (n_first, size)."""
    others = tuple(other for other in range(1, counts.ndim) if other != axis)
    return np.asarray(counts.sum(axis=others))
