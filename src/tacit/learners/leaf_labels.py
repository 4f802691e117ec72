"""From noisy counts at the leaves to class probabilities; nothing here reads rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.learners.growing_tree import GrowingTree


def split_off_categories(
    tree: GrowingTree, counts: Sequence[NDArray[np.float64]], columns: Sequence[str | None], scale: float
) -> NDArray[np.float64]:
    """Ask at each leaf for the categories that speak for another class than the leaf, and return all leaves' counts.

    A category is split off where another class leads by more than the noise's scale.

    Parameters
    ----------
    tree : GrowingTree
    counts : sequence of arrays of shape (n_bins or 1, n_classes)
        Of each leaf, in the order of ``tree.leaves``; with noise.
    columns : sequence of str or None
        Whose bins the counts tell apart.
    scale : float

    Returns
    -------
    array of shape (n_leaves, n_classes)
        In the order of ``tree.leaves`` as they are now.
    """
    found: dict[int, NDArray[np.float64]] = {}
    for leaf, counted, column in zip(tree.leaves, counts, columns, strict=True):
        rest = counted.sum(axis=0)
        if column is not None:
            lead = counted.max(axis=1) - counted[:, rest.argmax()]
            for code in np.argsort(-lead, kind="stable"):
                question = tree.question_about(column, int(code))
                if lead[code] <= scale or question is None or not tree.admitted(leaf)[question]:
                    continue
                branch = tree.branch(leaf, question)
                found[branch.yes] = counted[code]
                rest, leaf = rest - counted[code], branch.no
        found[leaf] = rest
    return np.asarray([found[leaf] for leaf in tree.leaves])


def leaf_probabilities(tree: GrowingTree, counts: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return class probabilities of each node, shape (n_nodes, n_classes).

    A node's share of each class is drawn toward its parent's by as many rows as the noise is wide, so that a leaf
    with few rows speaks as its parent does. Without noise they are the plain shares; an empty leaf takes its parent's.

    Parameters
    ----------
    tree : GrowingTree
    counts : array of shape (n_leaves, n_classes)
        In the order of ``tree.leaves``; with noise.
    scale : float
        Of the noise on each count, in rows.
    """
    leaves = tree.leaves
    n_nodes, n_classes = max(leaves) + 1, counts.shape[1]
    totals = np.zeros((n_nodes, n_classes))
    totals[leaves] = counts
    for node in range(n_nodes - 1, -1, -1):
        if below := tree.children(node):
            totals[node] = totals[below[0]] + totals[below[1]]
    shares = np.zeros((n_nodes, n_classes))
    shares[0] = _drawn(totals[0], np.full(n_classes, 1 / n_classes), scale)
    for node in range(n_nodes):
        for child in tree.children(node) or ():
            shares[child] = _drawn(totals[child], shares[node], scale)
    return shares


def _drawn(counts: NDArray[np.float64], toward: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    positive = np.maximum(counts, 0.0)
    strength = max(scale / 2, 1e-9)
    return np.asarray((positive + strength * toward) / (positive.sum() + strength))
