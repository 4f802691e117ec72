"""Algorithm 3 of Lopuhaä-Zwakenberg and others (2021), its budget not split over levels: a second reading."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reproductions.lopuhaa2021.settings import SMALLEST

Array = NDArray[np.float32]
Rows = NDArray[np.intp]
Node = tuple[Rows, Rows, NDArray[np.bool_]]
"""Training rows, test rows, and the attributes that its path has asked."""


def predicted(
    train: Array, labels: Array, test: Array, depth: int, epsilon: float | None, noise: np.random.Generator
) -> NDArray[np.integer]:
    """Return the classes of test rows; every noisy count has epsilon / m, where Algorithm 3 has epsilon / (m (d + 1)).

    Parameters
    ----------
    train, test : array of shape (n_rows, m)
        Binary attributes.
    labels : array of shape (n_rows, n_classes)
        A one in the class of each row.
    depth : int
    epsilon : float or None
        None is no noise.
    noise : numpy.random.Generator
    """
    scale = 0.0 if epsilon is None else train.shape[1] / epsilon
    nodes: list[Node] = [(np.arange(len(train)), np.arange(len(test)), np.zeros(train.shape[1], bool))]
    for _ in range(depth):
        # A node that no test row reaches changes no answer.
        grown = [child for node in nodes for child in _children(node, train, labels, test, scale, noise)]
        nodes = [child for child in grown if len(child[1])]
    said = np.zeros(len(test), dtype=int)
    for rows, reached, _ in nodes:
        counts = labels[rows].sum(axis=0)
        said[reached] = int((counts + noise.laplace(size=counts.shape) * scale).argmax())
    return said


def _children(
    node: Node, train: Array, labels: Array, test: Array, scale: float, noise: np.random.Generator
) -> list[Node]:
    rows, reached, used = node
    if used.all():
        return [node]
    inside = labels[rows]
    held = train[rows].T @ inside
    counts = np.stack([inside.sum(axis=0) - held, held], axis=1).astype(np.float64)
    counts = np.maximum(counts + noise.laplace(size=counts.shape) * scale, SMALLEST)
    asked = int(np.where(used, np.inf, impurities(counts)).argmin())
    path = used.copy()
    path[asked] = True
    here, there = train[rows, asked] > 0, test[reached, asked] > 0
    return [(rows[here == side], reached[there == side], path) for side in (False, True)]


def impurities(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return equation 9 for each attribute; counts have shape (m, 2, n_classes).

    Examples
    --------
    >>> impurities(np.asarray([[[3.0, 1.0], [0.0, 4.0]]]))
    array([0.1875])
    """
    sides = counts.sum(axis=2)
    parts = (sides**2 - (counts**2).sum(axis=2)) / sides
    return np.asarray(parts.sum(axis=1) / sides.sum(axis=1))
