"""Scores of the parts of trees: of all choices of a few of a tree's tests, from the sums over its own leaves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tacit.queries.forests import Tests


def parts_of(tests: Tests, depth: int) -> list[Tests]:
    """Return the trees that have so many of a tree's tests, in their order."""
    return list(combinations(tests, depth))


def scores_of_parts(sums: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
    """Return for each tree's parts the sum over their leaves of the sizes of the leaves' sums.

    Parameters
    ----------
    sums : array of shape (n_trees, 2^n_tests)
        Of rows by leaf, a bit a test, the first test's the highest.
    depth : int
        How many tests a part has.

    Returns
    -------
    array of shape (n_trees, n_parts)
        In the order of ``parts_of``.

    Notes
    -----
    Privacy: nothing is released here. A part's leaves are unions of the tree's, so its score is what the sums of
    rows over its own leaves would say.

    Examples
    --------
    >>> scores_of_parts(np.asarray([[1, -2, 4, 8]]), 1).tolist()  # |1 - 2| + |4 + 8| and |1 + 4| + |-2 + 8|
    [[13, 11]]
    """
    n_trees, n_leaves = sums.shape
    left = [(tuple(range((n_leaves - 1).bit_length())), 0, sums)]
    while len(left[0][0]) > depth:
        # A test is left out by adding up its sides, each after those before it: so every part is found once.
        left = [
            ((*kept[:at], *kept[at + 1 :]), at, _added(own.reshape(n_trees * 2**at, 2, -1)))
            for kept, first, own in left
            for at in range(first, len(kept))
        ]
    scores = {kept: np.abs(own).reshape(n_trees, -1).sum(axis=1) for kept, _, own in left}
    return np.stack([scores[kept] for kept in sorted(scores)], axis=1)


def _added(sides: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(sides[:, 0] + sides[:, 1])
