"""A private decision tree on the literals of the schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tacit.cut_points import PrivateCuts
from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.learners.conditionals import positive_mean
from tacit.learners.depth_wise import grow_by_counts, grow_by_selection
from tacit.learners.growing_tree import GrowingTree, leaf_probabilities, root_shares, split_off_categories
from tacit.learners.top_down import grow_best_first
from tacit.learners.tree_noise import leaf_deviations, leaf_noise, question_doubts, selection_loss
from tacit.mechanisms import Releases
from tacit.models import LiteralTree
from tacit.models.class_shares import as_shares
from tacit.models.tree_attribution import tree_boxes
from tacit.privacy import Persons, PlanEntry, PrivacyUnit, in_part
from tacit.privacy.parameters import Whole
from tacit.queries.class_sums import class_counts
from tacit.queries.tree.counts import leaf_counts, plan_depth_histogram, plan_leaf_counts, read_leaf_counts
from tacit.queries.tree.rows import RowGroups, TreeRows
from tacit.queries.tree.scores import on_steps
from tacit.rules.linear import RARE
from tacit.rules.shared import SURE_DEVIATIONS, TINY_SHARE
from tacit.rules.trees import (
    MIN_PUBLIC_GAIN,
    POWER_OF_SHARES,
    SHARE_OF_SPLITS,
)
from tacit.sensitivities.masses import Criterion
from tacit.table import Table

Growth = Literal["level", "best-first"]
TreeCriterion = Literal["counts", "gini", "error", "weighted-error"]
LevelBudget = Literal["uniform", "geometric"]

LeafDetail = Literal["plain", "categories"]

DEPTH = Whole(1, 16, "Each level doubles the leaves; choose 3, say.")
SPLITS = Whole(0, 1000, "Choose 3, say, or 0 for the classes' shares alone.")

MIN_PRODUCT_OF_SHARES = sqrt(8) / (TINY_SHARE * RARE)
"""Rows times epsilon of the whole training from which on released counts of two classes can show a rare one: their
Laplace noise, of scale 2 / epsilon, then has a standard deviation below its share."""


@dataclass(frozen=True)
class Tree:
    """Settings of the algorithm; ``train`` runs it."""

    encoding: BinEncoding
    """Of all columns."""
    growth: Growth
    criterion: TreeCriterion
    """"counts" is for growth by levels; "weighted-error" counts a mistake about a rare class more."""
    size: int
    """Levels, or splits of the best leaf first."""
    level_budget: LevelBudget = "uniform"
    """Shares of the levels: equal, or growing by the cube root of 2 a level (Cormode and others 2012); of splits,
    equal, or growing as the cube root of their number."""
    leaf_detail: LeafDetail = "plain"
    cuts: PrivateCuts | None = None
    """Release cut points of numbers first."""

    multiclass: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("growth", self.growth, get_args(Growth)),
            ("criterion", self.criterion, get_args(TreeCriterion)),
            ("level_budget", self.level_budget, get_args(LevelBudget)),
            ("leaf_detail", self.leaf_detail, get_args(LeafDetail)),
        ):
            if value not in allowed:
                choices = " or ".join(map(repr, allowed))
                raise ParameterError(f"Expected {name} {choices}, got {name}={value!r}. Choose one of them.")
        if self.criterion == "counts" and self.growth != "level":
            raise ParameterError("Expected growth='level' with criterion='counts'. Choose 'gini' to grow best-first.")
        self._check_size()

    def _check_size(self) -> None:
        name, range_ = ("max_depth", DEPTH) if self.growth == "level" else ("max_splits", SPLITS)
        range_.check(name, self.size)
        most = len(GrowingTree(self.encoding).questions)
        if self.size > most:
            raise ParameterError(
                f"Expected {name} of at most {most}, the number of questions that the schema allows, "
                f"got {name}={self.size}. Choose fewer, or name more cuts."
            )

    def unsupported(self, persons: Persons) -> str | None:
        """Return None: sums of persons move as those of rows do."""
        return None

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return one release a level or split, and one for the leaves; for the classes, if they weigh, one before."""
        if unit.protects_nothing:
            return []
        plan = self._plan(unit)
        if self.criterion == "weighted-error" and self.size and unit.label and self._declared is None:
            rest = sum(release.weight * release.count for release in plan)
            weight = rest * TINY_SHARE / (1 - TINY_SHARE)
            plan = [*in_part("classes", class_counts(self.encoding.schema).planned(unit, weight)), *plan]
        return self.cuts.before(plan, unit) if self.cuts else plan

    @property
    def _declared(self) -> tuple[float, ...] | None:
        return self.encoding.schema.class_label.sorted_prevalence

    def _plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        if self.criterion == "counts":
            columns = np.asarray([self._columns_asked(level) for level in range(self.size)])
            weights = columns * self._growth_of_weights()
            # All splits together keep their part, so that the leaves' does not depend on the growth of weights.
            weights *= columns.sum() / weights.sum()
            levels = [
                level
                for weight, asked in zip(weights.tolist(), columns.tolist(), strict=True)
                for level in plan_depth_histogram(unit, asked, weight)
            ]
            return [*in_part("splits", levels), *plan_leaf_counts(unit, 1.0)]
        weights = self._growth_of_weights()
        part = SHARE_OF_SPLITS
        splits = [PlanEntry("selection", weight=float(weight)) for weight in part * weights / weights.sum()]
        return [*in_part("splits", splits), *plan_leaf_counts(unit, 1 - part)]

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> LiteralTree:
        """Return the trained tree.

        Privacy: releases what ``plan`` lists, under the ranges of ``SplitScores`` or the sensitivities of
        ``depth_histogram``, and of ``leaf_counts`` and ``class_counts``.
        """
        if self.cuts:
            cuts = self.cuts.release(table, releases.part("cuts"))
            return self._with(replace(self.encoding, released=cuts)).train(table, releases, generator)
        tree = GrowingTree(self.encoding)
        weights = self._class_weights(table, releases)
        rows = self._after_public_columns(tree, RowGroups.by_class(table, weights), table)
        splits = releases.part("splits")
        self._grow(tree, rows, splits)
        loss = selection_loss(splits.announced, self._scored, len(tree.questions))
        return self._labeled(tree, rows, releases, loss)

    def _class_weights(self, table: Table, releases: Releases) -> NDArray[np.float64] | None:
        """Return how much mistakes about each class count, the most one; by shares that are public or released."""
        if self.criterion != "weighted-error" or not self.size:
            return None
        if self._declared is not None and table.unit.label:
            shares = np.asarray(self._declared)
        else:
            released = releases.part("classes").noisy(class_counts(table.schema).statistic(table))
            shares = np.maximum(released.value, 1 + SURE_DEVIATIONS * released.deviation)
        return on_steps((shares.min() / shares) ** POWER_OF_SHARES)

    def _with(self, encoding: BinEncoding) -> Tree:
        """Return the settings for released cut points, of which there may be too few for so many questions."""
        questions = len(GrowingTree(encoding).questions)
        return replace(self, encoding=encoding, size=min(self.size, questions), cuts=None)

    def _labeled(self, tree: GrowingTree, rows: TreeRows, releases: Releases, loss: float) -> LiteralTree:
        leaves = tree.leaves
        detailed = self.leaf_detail == "categories"
        columns = [tree.categories_asked(leaf) if detailed else None for leaf in leaves]
        released = releases.noisy(leaf_counts(rows, leaves, columns))
        read = read_leaf_counts(rows, released.value, columns)
        counts, cells = split_off_categories(tree, read, columns, released.scale)
        deviations = released.deviation * np.sqrt(cells)
        root, most = self._root(rows.table, counts, deviations, releases), _most_rows(rows.table)
        probabilities = leaf_probabilities(tree, counts, deviations, root, most=most)
        # A class's rows are those of all cells that were counted, with the noise of all of them.
        spread = released.deviation * float(cells.sum()) ** 0.5
        shares = as_shares(positive_mean(counts.sum(axis=0), spread))
        model = LiteralTree(
            tree.finished(probabilities), self.encoding.n_bins, self.encoding.released, class_shares=shares
        )
        spreads = leaf_deviations(probabilities[tree.leaves], counts, deviations)
        by_leaf = dict(zip(tree.leaves, spreads, strict=True))
        weights = rows.groups.class_weights
        as_asked = counts if weights is None else counts * weights
        doubts = question_doubts(tree, model, as_asked, self._scored, loss)
        return replace(model, noise=leaf_noise(tree_boxes(model, self.encoding.schema), by_leaf, doubts))

    def _root(
        self, table: Table, counts: NDArray[np.float64], deviations: NDArray[np.float64], releases: Releases
    ) -> NDArray[np.float64]:
        """Return the classes' shares of all rows: exact ones of a public label, else from noisy counts of leaves."""
        if not table.unit.label:
            exact = releases.noisy(class_counts(table.schema).statistic(table)).value
            return np.asarray(exact / exact.sum())
        alike = table.counts_rows
        return root_shares(
            counts.sum(axis=0),
            float(np.square(deviations).sum()),
            most=_most_rows(table),
            exact=alike and table.unit.most_rows == 1,
            usual=table.schema.class_label.sorted_prevalence if alike else None,
        )

    @property
    def _scored(self) -> Criterion:
        """What questions of exact counts, and of selections, are scored by, rows weighed or not."""
        if self.criterion == "weighted-error":
            return "error"
        return "gini" if self.criterion == "counts" else self.criterion  # none made for noisy counts

    def _after_public_columns(self, tree: GrowingTree, groups: RowGroups, table: Table) -> TreeRows:
        """Return the rows at the leaves of a tree of public columns alone, exact, where the label is public."""
        names = table.schema.public_columns
        rows = TreeRows(table, self.encoding, groups)
        if table.unit.label or table.unit.protects_nothing or not any(q.column in names for q in tree.questions):
            return rows
        stem = GrowingTree(replace(self.encoding, columns=names))
        public_rows = TreeRows(table, stem.encoding, groups)
        least = MIN_PUBLIC_GAIN * table.n_persons * table.unit_weight * table.mean_weight
        grow_best_first(stem, public_rows, Releases.none(), criterion=self._scored, splits=self.size, least=least)
        tree.graft(stem)
        return public_rows.continued(self.encoding)

    def _grow(self, tree: GrowingTree, rows: TreeRows, releases: Releases) -> None:
        if self.criterion == "counts":
            grow_by_counts(tree, rows, releases, levels=self.size)
        elif self.growth == "level":
            grow_by_selection(tree, rows, releases, criterion=self._scored, levels=self.size)
        else:
            grow_best_first(tree, rows, releases, criterion=self._scored, splits=self.size)

    def _growth_of_weights(self) -> NDArray[np.float64]:
        steps = np.arange(self.size)
        if self.level_budget == "uniform":
            return np.ones(self.size)
        # Cormode and others (2012): nodes double with each level, so budgets grow with the cube root of two.
        return np.asarray(2.0 ** (steps / 3) if self.growth == "level" else (1.0 + steps) ** (1 / 3))

    def _columns_asked(self, level: int) -> int:
        """Return how many columns have more than one bin left at a leaf of the level, at most.

        Each question above a leaf took at least one bin from its column, and a column with one left is done for.
        """
        bins = GrowingTree(self.encoding).bins_listed
        spare = sum(max(each - 2, 0) for each in bins)
        return max(sum(each > 1 for each in bins) - max(0, level - spare), 1)


def _most_rows(table: Table) -> int:
    """Return how many rows the table has at most, as far as public."""
    return table.n_persons * table.unit.most_rows
