"""Growth of the best leaf first: TopDown of Kearns and Mansour (1996), private as in Salamatian (2021), Algorithm 3."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.learners.choices import Choices
from tacit.learners.growing_tree import GrowingTree
from tacit.queries.split_scores import Criterion, SplitScores
from tacit.queries.tree_rows import TreeRows


def grow_best_first(
    tree: GrowingTree, rows: TreeRows, choices: Choices, *, criterion: Criterion, splits: int, least: float = 0.0
) -> None:
    """Split the leaf and by the question that promise the largest improvement, so many times.

    Parameters
    ----------
    tree : GrowingTree
    rows : TreeRows
        At the tree's leaves.
    choices : Choices
    criterion : {"gini", "error"}
    splits : int
    least : float
        Of exact answers, which are free: stop where the best improvement is not above this.

    Notes
    -----
    Privacy: one selection a split; its candidates, all admitted (leaf, question), are fixed by the schema and by
    the splits released so far. Of two new leaves only the smaller is counted.
    """
    scores = SplitScores(rows, tree.spans, criterion)
    histograms = _first_histograms(tree, rows)
    open_leaves = _scored(tree, scores, histograms)
    for _ in range(splits):
        candidates = [(leaf, question) for leaf, (admitted, _) in open_leaves.items() for question in admitted]
        if not candidates:
            return
        offered = scores.best_of_all([found for _, found in open_leaves.values()])
        chosen = choices.best(offered)
        if rows.unit.protects_nothing and float(offered.public_value[chosen]) <= least:
            return
        leaf, question = candidates[chosen]
        del open_leaves[leaf]
        branch = tree.branch(leaf, question)
        rows.split({leaf: branch})
        children = dict(zip((branch.yes, branch.no), rows.child_histograms(histograms.pop(leaf), branch), strict=True))
        histograms |= children
        open_leaves |= _scored(tree, scores, children)


def _first_histograms(tree: GrowingTree, rows: TreeRows) -> dict[int, NDArray[np.int64]]:
    """Return the histogram of each leaf of the tree as it is given."""
    if tree.leaves == [0]:
        return {0: rows.root_histogram()}
    return dict(zip(tree.leaves, rows.histogram(tree.leaves), strict=True))


def _scored(
    tree: GrowingTree, scores: SplitScores, histograms: dict[int, NDArray[np.int64]]
) -> dict[int, tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Return each leaf's admitted questions and their improvements; leaves that admit none are left out."""
    improvements = scores.improvements(np.stack(list(histograms.values())))
    found = {}
    for leaf, row in zip(histograms, improvements, strict=True):
        admitted = np.flatnonzero(tree.admitted(leaf))
        if len(admitted):
            found[leaf] = (admitted, row[admitted])
    return found
