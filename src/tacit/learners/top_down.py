"""Growth of the best leaf first: TopDown of Kearns and Mansour (1996), private as in Salamatian (2021), Algorithm 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.learners.growing_tree import GrowingTree
from tacit.mechanisms import Releases
from tacit.queries.tree.rows import TreeRows
from tacit.queries.tree.scores import Criterion, SplitScores


def grow_best_first(
    tree: GrowingTree, rows: TreeRows, releases: Releases, *, criterion: Criterion, splits: int, least: float = 0.0
) -> None:
    """Split the leaf and by the question that promise the largest improvement, so many times.

    Parameters
    ----------
    tree : GrowingTree
    rows : TreeRows
        At the tree's leaves.
    releases : Releases
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
    offers = _offers(tree, rows, scores, tree.leaves)
    for step in range(splits):
        if not offers:
            return
        offered = scores.best_of_all([found for _, found in offers.values()])
        chosen = releases.best(offered)
        if rows.unit.protects_nothing and float(offered.public_value[chosen]) <= least:
            return
        leaf, question = _candidate(offers, chosen)
        del offers[leaf]
        branch = tree.branch(leaf, question)
        rows.split({leaf: branch})
        if step < splits - 1:
            offers |= _offers(tree, rows, scores, [branch.yes, branch.no])


Offers = dict[int, tuple[NDArray[np.intp], NDArray[Any]]]
"""Of each leaf the admitted questions and their improvements."""


def _offers(tree: GrowingTree, rows: TreeRows, scores: SplitScores, leaves: Sequence[int]) -> Offers:
    """Return what the leaves offer; those that admit no question are left out."""
    admitted = {leaf: found for leaf in leaves if len(found := np.flatnonzero(tree.admitted(leaf)))}
    if not admitted:
        return {}
    improvements = scores.improvements(rows.histogram(list(admitted)))
    return {leaf: (asked, row[asked]) for (leaf, asked), row in zip(admitted.items(), improvements, strict=True)}


def _candidate(offers: Offers, chosen: int) -> tuple[int, int]:
    """Return the leaf and the question at a place among all that is offered."""
    for leaf, (asked, _) in offers.items():
        if chosen < len(asked):
            return leaf, int(asked[chosen])
        chosen -= len(asked)
    raise IndexError(chosen)
