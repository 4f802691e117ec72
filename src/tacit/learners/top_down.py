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
    the splits released so far. Histograms are counted for the new leaves only.
    """
    scores = SplitScores(rows, tree.spans, criterion)
    open_leaves = _scored(tree, scores, rows.histogram(tree.leaves), tree.leaves)
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
        children = [branch.yes, branch.no]
        open_leaves |= _scored(tree, scores, rows.histogram(children), children)


def _scored(
    tree: GrowingTree, scores: SplitScores, histogram: NDArray[np.int64], leaves: list[int]
) -> dict[int, tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Return each leaf's admitted questions and their improvements; leaves that admit none are left out."""
    improvements = scores.improvements(histogram)
    found = {}
    for leaf, row in zip(leaves, improvements, strict=True):
        admitted = np.flatnonzero(tree.admitted(leaf))
        if len(admitted):
            found[leaf] = (admitted, row[admitted])
    return found
