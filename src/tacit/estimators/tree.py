"""The scikit-learn estimator of private decision trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import ClassVar, Literal

from tacit.cut_points import CutPoints, chosen_cuts
from tacit.errors import ParameterError
from tacit.estimators.base import PrivateFit
from tacit.estimators.profiles import EXPLAIN_SHARE, ProfileSettings, profile_settings
from tacit.estimators.requirements import one_of
from tacit.features import BinEncoding
from tacit.features.literals import literals
from tacit.learners.tree import (
    DEPTH,
    MIN_PRODUCT_OF_SHARES,
    SPLITS,
    Growth,
    LeafDetail,
    LevelBudget,
    Tree,
    TreeCriterion,
)
from tacit.privacy.conversions import zcdp_rho
from tacit.privacy.parameters import AUTO, Requirement
from tacit.rules.trees import ROWS_FOR_A_SPLIT, ROWS_FOR_THE_FIRST
from tacit.table import Table

DEEPEST = 12
"""Of the automatic depths; the leaves of more levels would outnumber what can be counted with noise."""


@dataclass(kw_only=True, eq=False, repr=False)
class TreeFit(PrivateFit):
    """A decision tree on yes-or-no questions that the schema fixes: a category is or is not, a number is at most a cut.

    By default it grows the best leaf first, choosing leaf and question together by a selection (TopDown: Kearns
    and Mansour 1996; private: Salamatian 2021, Algorithm 3), and the noisy counts at its leaves
    distinguish the categories of the columns asked about. ``growth="level", criterion="counts"`` is the private CART of
    Lopuhaä-Zwakenberg and others (2021), Algorithm 3, at a corrected cost.

    Parameters
    ----------
    growth : {"best-first", "level"}
        Split the best leaf, one at a time, or all leaves of a level, for which one cost is paid.
    criterion : {"auto", "error", "weighted-error", "gini", "counts"}
        What a question should improve: the mistakes (range 2 rows, and finds questions soonest); the mistakes, those
        about a rare class counting more, by the root of how much rarer it is (range 2, and, unless its share is public
        or declared, 5 % of the budget for the classes' counts); the Gini impurity (range 4 rows); or the Gini
        impurity of noisy counts of every column (growth by levels only). ``"auto"``: the mistakes, and, as far as there
        is an ``explain_share``, two classes and 1,131 rows times epsilon, weighted ones, as a question that changes no
        prediction, but probabilities, is then worth asking: other fits find the same ones more often.
    max_depth : int or "auto"
        Levels, at most 16, for growth by levels. "auto" with "counts" is the paper's ceil(sqrt(number of questions)),
        at most 12; else the deepest at which a leaf is still worth its noise, from numbers of rows and questions and
        epsilon.
    max_splits : int or "auto"
        Splits, at most 1000, for growth of the best leaf first. "auto" is the largest number whose leaves are
        worth the noise: without delta, sqrt(n_rows epsilon / (24 log(number of questions))), and one or,
        of a private label, none below two. A tree of none says how frequent the classes are, for all of the budget,
        and asks for no cut points.
    level_budget : {"uniform", "geometric"}
        Equal shares, or more for later levels and splits, whose leaves are smaller.
    cut_points : {"auto", "private", "grid"}
        Of numeric columns whose schema names none: quantiles released at a tenth of the budget, at most 31, or a public
        grid of 32 equal bins; ``"auto"``: quantiles where a tenth pays for enough of them.
    leaf_detail : {"auto", "categories", "plain"}
        Whether the noisy counts at a leaf are by the remaining categories of the first column asked on the way,
        which costs nothing more, and single out those of another class. "auto" does so when growing best-first.
    explain_share : float
        Of the budget, for what the model predicts by bin and category, on which explanations then rest; 0 for none,
        else 0.001 to 0.5.

    Notes
    -----
    Privacy: one selection a split or level at range 2 (error) or 4 (Gini) rows, or one histogram a level of L1
    sensitivity 2 for each column that is asked; then the leaves' counts of L1 sensitivity 2, and before them, where
    mistakes are weighed, the classes' of L1 sensitivity 2. Replace-one, any protected columns and label. With a public
    label, public columns are asked first, without noise. Proofs:
    ``proofs/queries/tree/split_scores.md``, ``depth_histograms.md``, ``leaf_counts.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Label, Numeric, Schema
    >>> from tacit.estimators import TreeClassifier
    >>> schema = Schema([Numeric("age", 0, 100, cuts=[18, 40, 65])], label=Label("works", ["no", "yes"]))
    >>> X = np.random.default_rng(0).uniform(0, 100, (3000, 1))
    >>> y = np.where((X[:, 0] > 18) & (X[:, 0] <= 65), "yes", "no")
    >>> model = TreeClassifier(schema, epsilon=1.0).fit(X, y)
    >>> model.predict(np.asarray([[10.0], [30.0], [80.0]])).tolist()
    ['no', 'yes', 'no']
    """

    growth: Growth = "best-first"
    criterion: TreeCriterion | Literal["auto"] = "auto"
    max_depth: int | Literal["auto"] = "auto"
    max_splits: int | Literal["auto"] = "auto"
    level_budget: LevelBudget = "uniform"
    cut_points: CutPoints = "auto"
    leaf_detail: Literal["auto", "categories", "plain"] = "auto"
    explain_share: float = 0.0

    _learner = "tree"
    _has_likelihood = True
    _no_row_weights = ""
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        "growth": one_of(Growth),
        "criterion": AUTO | one_of(TreeCriterion),
        "max_depth": DEPTH | AUTO,
        "max_splits": SPLITS | AUTO,
        "level_budget": one_of(LevelBudget),
        "cut_points": one_of(CutPoints),
        "leaf_detail": AUTO | one_of(LeafDetail),
        "explain_share": EXPLAIN_SHARE,
    }

    def _profile(self, n_classes: int) -> ProfileSettings | None:
        return profile_settings(self.explain_share, n_classes)

    def _settings(self, table: Table) -> Tree:
        assert self.epsilon is not None
        encoding = BinEncoding(table.schema, table.schema.names)
        size = self._size(table, len(literals(encoding)))
        return Tree(
            encoding=encoding,
            growth=self.growth,
            criterion=self._criterion(table),
            size=size,
            level_budget=self.level_budget,
            leaf_detail=self._detail(),
            cuts=chosen_cuts(self.cut_points, table, self.epsilon, self._delta) if size else None,
        )

    def _criterion(self, table: Table) -> TreeCriterion:
        if self.criterion == "weighted-error" and self.class_weight is not None:
            raise ParameterError(
                "Expected class_weight=None with criterion='weighted-error', which has weights of its own, got both. "
                "Leave one of them out."
            )
        if self.criterion != "auto":
            return self.criterion
        assert self.epsilon is not None
        known = table.n_persons * self.epsilon * (1 - self.explain_share) >= MIN_PRODUCT_OF_SHARES
        explained = self.explain_share > 0 and table.n_classes == 2 and self.class_weight is None
        return "weighted-error" if explained and known else "error"

    def _detail(self) -> Literal["categories", "plain"]:
        if self.leaf_detail == "auto":
            return "categories" if self.growth == "best-first" else "plain"
        return self.leaf_detail

    def _size(self, table: Table, n_questions: int) -> int:
        by_levels = self.growth == "level"
        used, unused = ("max_depth", "max_splits") if by_levels else ("max_splits", "max_depth")
        if getattr(self, unused) != "auto":
            raise ParameterError(
                f"Expected {unused} only with growth='{'best-first' if by_levels else 'level'}', "
                f"got growth={self.growth!r}. Pass {used} instead."
            )
        size = getattr(self, used)
        if isinstance(size, str):
            return min(self._automatic_size(table, n_questions), n_questions)
        return size

    def _automatic_size(self, table: Table, n_questions: int) -> int:
        assert self.epsilon is not None
        paper = min(ceil(sqrt(n_questions)), DEEPEST)
        if self.criterion == "counts":
            return paper
        rho = zcdp_rho(self.epsilon, self._delta) if self._delta else 0.0
        best_first, epsilon = self.growth == "best-first", self.epsilon

        def is_worth(size: int) -> bool:
            # What a selection may cost is the better of both compositions; the last leaves are the smallest.
            share = max(epsilon / size, sqrt(8 * rho / size))
            rows = table.n_persons / (size if best_first else 2 ** (size - 1))
            needed = ROWS_FOR_THE_FIRST if best_first and size == 1 else ROWS_FOR_A_SPLIT
            return rows * share >= needed * log(n_questions + 1)

        # A public label's classes are counted exactly, so that there is nothing else to spend the budget on.
        fewest = 0 if best_first and table.unit.label else 1
        return max(filter(is_worth, range(1, (64 if best_first else paper) + 1)), default=fewest)
