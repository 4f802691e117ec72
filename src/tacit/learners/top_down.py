"""TopDown trees, best leaf first (Kearns and Mansour 1996); private as in Salamatian (2021), Algorithm 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.features.literals import NumericLiterals
from tacit.learners.growing_tree import GrowingTree, split_off_categories
from tacit.mechanisms import Releases
from tacit.models.literal_tree import LiteralTreeRule
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.privacy.parameters import Whole
from tacit.queries.margins import RowWeights
from tacit.queries.tree.counts import leaf_leads, plan_leaf_leads, read_leaf_leads
from tacit.queries.tree.rows import RowGroups, TreeRows
from tacit.queries.tree.scores import SplitScores
from tacit.rules.trees import SHARE_OF_SPLITS
from tacit.sensitivities.masses import Criterion
from tacit.table import Table


def grow_best_first(
    tree: GrowingTree, rows: TreeRows, releases: Releases, *, criterion: Criterion, splits: int, least: float = 0.0
) -> None:
    """Split the leaf and by the question that promise the largest improvement, so many times.

    Privacy: one selection a split; its candidates, all admitted (leaf, question), are fixed by the schema and by
    the splits released so far. Of two new leaves only the smaller is counted.

    Parameters
    ----------
    rows : TreeRows
        At the tree's leaves.
    criterion : {"gini", "error"}
    least : float
        Of exact answers, which are free: stop where the best improvement is not above this.
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
        # Histograms of the last two leaves would not be read.
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


SPLITS = Whole(1, 64, "A weak learner has few: 3 is the default.")


@dataclass(frozen=True)
class WeakTree:
    """A tree of few splits, each selected over all leaves and literals; noisy leads of the classes label its leaves.

    A row lies in one leaf, and in one category of a column there, so the leads are counted by the remaining categories
    of the first column asked at no further cost, and those with the other majority class are split off.

    Privacy: for weights within total variation zeta of their neighbors' over records, one selection a split at range
    2 zeta (error) or 4 zeta (Gini), and one noisy vector of all leads of L1 and L2 sensitivity 2 zeta. A public label
    is no discount. Proofs: ``proofs/queries/tree/split_scores.md``, ``proofs/queries/tree/leaf_counts.md``.
    """

    max_splits: int = 3
    criterion: Criterion = "error"
    """What a split improves: the weighted error (range 2 zeta), or the thesis's Gini index (range 8 zeta in its units,
    4 zeta in ours, which are half of them)."""
    literals: NumericLiterals = "thresholds"
    """What is asked of numeric columns."""

    def __post_init__(self) -> None:
        SPLITS.check("max_splits", self.max_splits)
        if self.criterion not in get_args(Criterion):
            raise ParameterError(
                f"Expected criterion 'gini' or 'error', got criterion={self.criterion!r}. Choose one of them."
            )

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return a selection for each split, and one release for all leaves."""
        if unit.protects_nothing:
            return []
        splits = PlanEntry("selection", count=self.max_splits, weight=SHARE_OF_SPLITS / self.max_splits)
        return [*in_part("splits", [splits]), *plan_leaf_leads(unit, 1 - SHARE_OF_SPLITS)]

    def check(self, encoding: BinEncoding) -> None:
        """Raise ParameterError if the schema has no usable literal, or fewer than splits."""
        most = len(GrowingTree(encoding, self.literals).questions)
        if self.max_splits > most:
            raise ParameterError(
                f"Expected max_splits of at most {most}, the number of questions that the schema allows, "
                f"got max_splits={self.max_splits}. Choose fewer, or name more cuts."
            )

    def learn(self, table: Table, encoding: BinEncoding, weights: RowWeights, releases: Releases) -> LiteralTreeRule:
        """Return the tree of one round."""
        rows = TreeRows(table, encoding, RowGroups.by_weight(weights))
        tree = GrowingTree(encoding, self.literals)
        splits = releases.part("splits")
        grow_best_first(tree, rows, splits, criterion=self.criterion, splits=self.max_splits)
        second = self._labels(tree, rows, releases)
        return LiteralTreeRule(tree.finished(np.column_stack([1 - second, second])))

    def _labels(self, tree: GrowingTree, rows: TreeRows, releases: Releases) -> NDArray[np.float64]:
        """Return 1 for each leaf of the second class, 0 for others and for inner nodes, shape (n_nodes,)."""
        leaves = tree.leaves
        columns = [tree.categories_asked(leaf) for leaf in leaves]
        released = releases.noisy(leaf_leads(rows, leaves, columns))
        leads = read_leaf_leads(rows, released.value, columns)
        masses, _ = split_off_categories(tree, leads, columns, released.scale)
        second = np.zeros(max(tree.leaves) + 1)
        second[tree.leaves] = masses.argmax(axis=1)
        return second
