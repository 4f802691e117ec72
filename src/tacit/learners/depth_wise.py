"""Depth-wise tree growth: by a private selection at each leaf, or from noisy counts as published."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.learners.growing_tree import GrowingTree
from tacit.mechanisms import Releases
from tacit.queries.tree.counts import cells_asked, depth_histogram
from tacit.queries.tree.rows import TreeRows
from tacit.queries.tree.scores import SplitScores, impurity
from tacit.sensitivities.masses import Criterion

MIN_NOISY_COUNT = 1e-5
"""Noisy counts are at least this: Lopuhaä-Zwakenberg and others (2021), section 3."""

MAX_LEAVES_OF_LEVEL = 4096
"""A level with more leaves is not grown: they would fill the memory and hold nothing but noise."""


def grow_by_selection(
    tree: GrowingTree, rows: TreeRows, releases: Releases, *, criterion: Criterion, levels: int
) -> None:
    """Choose a question for every leaf of a level, level after level; the level's leaves share one cost.

    Privacy: one joint selection a level. Where nothing is protected, leaves that no question improves stay.
    """
    scores = SplitScores(rows, tree.spans, criterion)
    leaves = tree.leaves
    for _ in range(levels):
        if not (leaves := _growing(tree, leaves)):
            return
        admitted = np.asarray([tree.admitted(leaf) for leaf in leaves])
        offered = scores.best_of_each(rows.histogram(leaves), admitted)
        chosen = releases.best_of_each(offered)
        if rows.unit.protects_nothing:
            improves = offered.public_value[np.arange(len(leaves)), chosen] > 0
            leaves, chosen = [leaf for leaf, yes in zip(leaves, improves, strict=True) if yes], chosen[improves]
        leaves = ask_of_each(tree, rows, leaves, chosen)


def grow_by_counts(tree: GrowingTree, rows: TreeRows, releases: Releases, *, levels: int) -> None:
    """Choose every leaf's question by the Gini impurity of noisy counts, level after level.

    A column's categories share one noisy histogram. A leaf whose noisy size is within two deviations of its noise is
    not split further, which is free, as everything follows from the noisy counts.

    Privacy: one noisy histogram a level, of the columns with more than one bin left.
    """
    leaves = tree.leaves
    for _ in range(levels):
        if not (leaves := _growing(tree, leaves)):
            return
        asked = np.asarray([tree.asked(leaf) for leaf in leaves])
        histogram = rows.histogram(leaves)
        released = releases.noisy(depth_histogram(rows, histogram, asked))
        noisy, scale = np.zeros(histogram.shape), released.scale
        noisy[cells_asked(rows, histogram.shape, asked)] = released.value
        held, total = tree.held(noisy)
        admitted = np.asarray([tree.admitted(leaf) for leaf in leaves])
        # Exact counts need no floor: no rows have no impurity.
        floor = MIN_NOISY_COUNT if scale else 0.0
        chosen, gain = best_of_noisy(np.maximum(held, floor), np.maximum(total - held, floor), admitted)
        worth = _large_enough(noisy, asked, tree, scale) if scale else gain > 0
        leaves = ask_of_each(tree, rows, [leaf for leaf, yes in zip(leaves, worth, strict=True) if yes], chosen[worth])


def _growing(tree: GrowingTree, leaves: list[int]) -> list[int]:
    """Return the leaves of a level that may be split; none where they are too many."""
    found = [leaf for leaf in leaves if tree.admitted(leaf).any()]
    return found if len(found) <= MAX_LEAVES_OF_LEVEL else []


def ask_of_each(tree: GrowingTree, rows: TreeRows, leaves: list[int], chosen: NDArray[np.intp]) -> list[int]:
    """Split each leaf by the question chosen for it, shape (n_leaves,); return the new leaves."""
    if not leaves:
        return []
    branches = {leaf: tree.branch(leaf, int(question)) for leaf, question in zip(leaves, chosen, strict=True)}
    rows.split(branches)
    return [child for branch in branches.values() for child in (branch.yes, branch.no)]


def best_of_noisy(
    held: NDArray[np.float64], rest: NDArray[np.float64], admitted: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the question with the least average impurity of each leaf, and what it improves; equation 9."""
    # Never zero, as it divides; the paper's floor on counts serves here, too.
    size = np.maximum((held + rest).sum(axis=2), MIN_NOISY_COUNT)
    share = (impurity(held, "gini") + impurity(rest, "gini")) / size
    before = impurity(held + rest, "gini") / size
    share = np.where(admitted, share, np.inf)
    chosen = share.argmin(axis=1)
    at = np.arange(len(share))
    return chosen, before[at, chosen] - share[at, chosen]


def _large_enough(
    noisy: NDArray[np.float64], asked: NDArray[np.bool_], tree: GrowingTree, scale: float
) -> NDArray[np.bool_]:
    """Return which leaves hold more rows than two deviations of what their noisy size may be off.

    Every column that is asked counts all rows of the leaf: the size is the mean of the columns' sums.
    """
    n_columns = asked.sum(axis=1)
    cells = (asked * np.asarray(tree.encoding.n_codes)).sum(axis=1) * noisy.shape[1]
    size = noisy.sum(axis=(1, 2)) / n_columns
    # Laplace noise of this scale has variance 2 scale^2 a cell.
    return np.asarray(size > 2 * scale * np.sqrt(2 * cells) / n_columns)
