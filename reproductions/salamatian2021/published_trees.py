"""Private TopDown trees as Salamatian (2021), Theorem 4.2.2, divides their cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reproductions.salamatian2021.published_rules import ByExponential
from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.learners.growing_tree import GrowingTree
from tacit.learners.top_down import WeakTree, grow_best_first
from tacit.mechanisms import Releases
from tacit.models.literal_tree import LiteralTreeRule
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.privacy.statistic import JointSelectionStatistic
from tacit.queries.margins import RowWeights
from tacit.queries.tree.rows import RowGroups, TreeRows
from tacit.table import Table

SHARE_OF_SPLITS = 0.5


class PublishedWeakTree(WeakTree):
    """Half of the cost on splits by the Gini index, and half on labels.

    Splits are selected by the exponential mechanism at the Gini index's range for the largest weight there can be in
    any round; all labels are one joint selection at range 2 zeta. ``criterion`` must be "gini".
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.criterion != "gini":
            raise ParameterError(
                f"Expected criterion 'gini' as published, got criterion={self.criterion!r}. Choose it."
            )

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return a selection for each split, and one for all leaves."""
        if unit.protects_nothing:
            return []
        splits = PlanEntry("selection", count=self.max_splits, weight=SHARE_OF_SPLITS / self.max_splits)
        return [*in_part("splits", [splits]), PlanEntry("selection", weight=1 - SHARE_OF_SPLITS)]

    def learn(
        self,
        table: Table,
        encoding: BinEncoding,
        weights: RowWeights,
        releases: Releases,
    ) -> LiteralTreeRule:
        """Return the tree of one round."""
        rows = TreeRows(table, encoding, _capped(weights))
        tree = GrowingTree(encoding, self.literals)
        part = releases.part("splits")
        splits = ByExponential(part.announced, part.curator)
        grow_best_first(tree, rows, splits, criterion=self.criterion, splits=self.max_splits)
        second = np.zeros(max(tree.leaves) + 1)
        second[tree.leaves] = releases.best_of_each(leaf_votes(rows, tree.leaves))
        return LiteralTreeRule(tree.finished(np.column_stack([1 - second, second])))


def _capped(weights: RowWeights) -> RowGroups:
    """Return rows by weight, which from the first round on may be as heavy as the cap: the published bound."""
    return replace(RowGroups.by_weight(weights), bounds=replace(weights.bounds, rate=700.0, spread=1))


def leaf_votes(rows: TreeRows, leaves: Sequence[int]) -> JointSelectionStatistic:
    """Return the masses of the classes at each leaf as scores, to choose a label for each.

    Notes
    -----
    Privacy: what leaves and what enters moves one class at one leaf by at most the influence each, so the ranges
    add up to 2 * influence.
    """
    groups, table = rows.groups, rows.table
    influence = groups.bounds.influence(table.unit, table.n_persons)
    masses = np.asarray(rows.totals(leaves) @ groups.mass.T, dtype=np.float64)
    return JointSelectionStatistic(
        query="mass of each class at each leaf",
        unit=rows.unit,
        unreleased_value=masses,
        range=2.0 * influence + 4.0 * groups.bounds.rounding,
        admitted=np.ones(masses.shape, dtype=bool),
    )
