"""Sums of a row's numbers over the classes, added class after class: the same for a row whatever is beside it.

NumPy adds eight numbers or more of one row in an order that depends on where they lie in memory, and products of
matrices in one that depends on how many rows there are: a row's value would move by a rounding with the rows beside.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def class_sums(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return the sum over the classes along an axis, which stays, of length one.

    Examples
    --------
    >>> class_sums(np.asarray([[1.0, 2.0, 3.0]]), axis=1)
    array([[6.]])
    """
    first, *others = np.moveaxis(values, axis, 0)
    total = np.array(first, dtype=np.float64)
    for each in others:
        total += each
    return np.expand_dims(total, axis)


def other_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each class the sum of all others, shape (n_rows, n_classes), as exact where one is nearly all.

    Examples
    --------
    >>> other_sums(np.asarray([[1.0, 2.0, 3.0]]))
    array([[5., 4., 3.]])
    """
    below, above = np.zeros_like(values, dtype=np.float64), np.zeros_like(values, dtype=np.float64)
    for at in range(1, values.shape[1]):
        below[:, at] = below[:, at - 1] + values[:, at - 1]
        above[:, -1 - at] = above[:, -at] + values[:, -at]
    return np.asarray(below + above)


def class_shares(scores: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return the softmax of scores over the classes along an axis.

    Examples
    --------
    >>> class_shares(np.log(np.asarray([[1.0, 3.0]])), axis=1).round(6)
    array([[0.25, 0.75]])
    """
    weights = np.asarray(scores - scores.max(axis=axis, keepdims=True), dtype=np.float64)
    np.exp(weights, out=weights)
    weights /= class_sums(weights, axis)
    return weights
