"""Private TopDown trees under given weights, for a booster: Salamatian (2021), Algorithm 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from tacit.errors import ParameterError
from tacit.learners.choices import Choices
from tacit.learners.growing_tree import GrowingTree
from tacit.learners.top_down import grow_best_first
from tacit.mechanisms import WeightedExponentialMechanism, selection
from tacit.models.literal_tree import LiteralTreeRule
from tacit.privacy import Accountant, Planned, PrivacyUnit, PureDP, Share
from tacit.queries.leaf_counts import leaf_votes
from tacit.queries.margin_weights import RowWeights
from tacit.queries.split_scores import Criterion
from tacit.queries.strata import Strata
from tacit.queries.tree_rows import TreeRows
from tacit.table import BinEncoding, Table
from tacit.table.literals import NumericLiterals

SHARE_OF_SPLITS = 0.9
"""Of the cost of a round; labels get the rest."""


@dataclass(frozen=True)
class WeakTree:
    """A tree of few splits, each selected over all leaves and literals, its labels selected at the leaves.

    Parameters
    ----------
    max_splits : int
    criterion : {"error", "gini"}
        What a split improves: the weighted error (range 2 zeta), or the thesis's Gini index (range 8 zeta in its
        units, 4 zeta in ours, which are half of them).
    literals : {"thresholds", "bins", "both"}
        What is asked of numeric columns.
    as_published : bool
        Theorem 4.2.2: half of the cost on splits, by the exponential mechanism at the Gini index's range for the
        largest weight there can be in any round, and half on labels. ``criterion`` must be "gini".

    Notes
    -----
    Privacy: for weights within total variation zeta of their neighbors' over records, one selection a split and one
    joint selection of all labels at range 2 zeta. A public label is no discount. Proof:
    ``proofs/queries/split_scores.md``.
    """

    max_splits: int = 3
    criterion: Criterion = "error"
    literals: NumericLiterals = "thresholds"
    as_published: bool = False

    def __post_init__(self) -> None:
        if self.as_published and self.criterion != "gini":
            raise ParameterError(
                f"Expected criterion 'gini' as published, got criterion={self.criterion!r}. Choose it."
            )
        if isinstance(self.max_splits, bool) or not isinstance(self.max_splits, int | np.integer):
            raise ParameterError(f"Expected max_splits as a number, got max_splits={self.max_splits!r}. Choose 3, say.")
        if self.max_splits < 1:
            raise ParameterError(f"Expected max_splits of at least 1, got max_splits={self.max_splits}. Choose 3, say.")
        if self.criterion not in get_args(Criterion):
            raise ParameterError(
                f"Expected criterion 'gini' or 'error', got criterion={self.criterion!r}. Choose one of them."
            )

    def plan(self, unit: PrivacyUnit) -> list[Planned]:
        """Return a selection for each split, and one for the labels."""
        if unit.protects_nothing:
            return []
        on_splits = 0.5 if self.as_published else SHARE_OF_SPLITS
        split = Planned("selection", weight=on_splits / self.max_splits)
        return [*[split] * self.max_splits, Planned("selection", weight=1 - on_splits)]

    def check(self, encoding: BinEncoding) -> None:
        """Raise ParameterError if the schema has no usable literal, or fewer than splits."""
        most = len(GrowingTree(encoding, self.literals).questions)
        if self.max_splits > most:
            raise ParameterError(
                f"Expected max_splits of at most {most}, the number of questions that the schema allows, "
                f"got max_splits={self.max_splits}. Choose fewer, or name more cuts."
            )

    def learn(
        self,
        table: Table,
        encoding: BinEncoding,
        weights: RowWeights,
        shares: Sequence[Share],
        accountant: Accountant,
    ) -> LiteralTreeRule:
        """Return the tree of one round."""
        strata = Strata.by_weight(weights)
        rows = TreeRows(table, encoding, replace(strata, influence=weights.cap) if self.as_published else strata)
        tree = GrowingTree(encoding, self.literals)
        splits = Choices(shares[:-1], accountant, published_selection if self.as_published else selection)
        labels = Choices(shares[-1:], accountant)
        grow_best_first(tree, rows, splits, criterion=self.criterion, splits=self.max_splits)
        leaves = tree.leaves
        second = np.zeros(max(leaves) + 1)
        second[leaves] = labels.best_of_each(leaf_votes(rows, leaves))
        return LiteralTreeRule(tree.finished(np.column_stack([1 - second, second])))


def published_selection(share: Share) -> WeightedExponentialMechanism:
    """Return the exponential mechanism that a pure share pays for."""
    assert isinstance(share, PureDP)
    return WeightedExponentialMechanism(share)
