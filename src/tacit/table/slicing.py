"""Which positions each of several disjoint sets of persons has."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, TableError


def positions_of(
    sizes: Sequence[int], order: NDArray[np.integer[Any]] | None, n_persons: int
) -> list[NDArray[np.integer[Any]]]:
    """Return the positions of so many persons each, in a given order or in the table's.

    Raises
    ------
    ParameterError
        If a size is no whole number.
    TableError
        If sizes ask for more persons than there are, or for none, or the order is no permutation.

    Examples
    --------
    >>> [each.tolist() for each in positions_of([1, 2], np.asarray([2, 0, 1]), 3)]
    [[2], [0, 1]]
    """
    order = np.arange(n_persons) if order is None else np.asarray(order)
    if not all(isinstance(size, int | np.integer) and not isinstance(size, bool) for size in sizes):
        raise ParameterError(f"Expected whole numbers of rows, got sizes={list(sizes)!r:.80}. Pass integers.")
    # In whole numbers of Python: a sum that wraps around could give a row to two slices.
    ends = list(accumulate(map(operator.index, sizes)))
    if len(sizes) == 0 or min(sizes) < 1 or ends[-1] > n_persons:
        raise TableError("Expected sizes of at least one row each, of all rows at most. Choose smaller ones.")
    if order.dtype.kind not in "iu" or not np.array_equal(np.sort(order), np.arange(n_persons)):
        raise TableError("Expected an order with each row's position once. Pass a permutation, or none.")
    return np.split(order[: ends[-1]], ends[:-1])
