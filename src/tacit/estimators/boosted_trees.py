"""The scikit-learn estimator of boosted trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tacit.boosting.boosted_trees import CANDIDATES, DEPTH, LEARNING_RATE, TREES, BoostedTrees
from tacit.boosting.random_trees import Structure
from tacit.boosting.tree_sizes import Start, sized
from tacit.estimators.calibrated import CalibratedFit
from tacit.estimators.monotone import MonotoneFit
from tacit.estimators.requirements import one_of
from tacit.features.bin_encoding import N_BINS
from tacit.learners.platt_scaling import CALIBRATION
from tacit.privacy import Budget
from tacit.privacy.parameters import AUTO, Requirement
from tacit.table import Table

CutPoints = Literal["auto", "grid"]


@dataclass(kw_only=True, eq=False, repr=False)
class BoostedTreesParameters(MonotoneFit):
    """What boosted trees of classes and of numbers to predict let users set; their docstrings say what each is."""

    structure: Structure = "mixed"
    n_trees: int | Literal["auto"] = "auto"
    candidates: int | Literal["auto"] = "auto"
    depth: int | Literal["auto"] = "auto"
    learning_rate: float | Literal["auto"] = "auto"
    start: Start = "auto"
    cut_points: CutPoints = "auto"
    n_bins: int = 32

    _no_row_weights = ""
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        "structure": one_of(Structure),
        "n_trees": TREES | AUTO,
        "candidates": CANDIDATES | AUTO,
        "depth": DEPTH | AUTO,
        "learning_rate": LEARNING_RATE | AUTO,
        "start": one_of(Start),
        "cut_points": one_of(CutPoints),
        "n_bins": N_BINS,
    }

    def _sized(self, table: Table, budget: Budget, *, weighs_classes: bool = False) -> BoostedTrees:
        """Return the learner for so many rows and so much budget; what is "auto" follows from both."""
        named = ("n_trees", "candidates", "depth", "learning_rate")
        given: dict[str, Any] = {name: getattr(self, name) for name in named if getattr(self, name) != "auto"}
        given |= {"structure": self.structure, "start": self.start, "n_bins": self.n_bins}
        given |= {"weighs_classes": weighs_classes, "private_cuts": self.cut_points == "auto"}
        given["monotone"] = self._signs(table.schema)
        return sized(table.schema, table.unit, budget, table.n_persons, **given)


@dataclass(kw_only=True, eq=False, repr=False)
class BoostedTreesFit(BoostedTreesParameters, CalibratedFit):
    """Gradient boosting of random oblivious trees with noisy leaves, for mixed columns and any number of classes.

    Each round draws a few trees without looking at rows, every level of a tree with one test for all of its nodes;
    selects, with noise, the one whose leaves differ most; and releases the gradients and curvatures of all its leaves
    together. Steps are shrunk by the known noise. Under a delta logistic regression on ranks comes first; where the
    label is public, trees of the public columns do, if there are any, without noise. After Friedman, "Greedy Function
    Approximation: A Gradient Boosting Machine" (2001), and Geurts and others, "Extremely Randomized Trees" (2006).

    Parameters
    ----------
    structure : {"mixed", "oblivious", "additive"}
        Trees whose levels test columns of their own ("oblivious"), trees of one column each ("additive": the score
        is a sum of curves, one for each column, that ``tacit inspect`` lists, without interactions), or
        one of the latter after three of the former.
    n_trees : int or "auto"
        Trees, 1 to 1000; by default 10 to 80, by the noise that the budget leaves for each.
    candidates : int or "auto"
        Trees, 1 to 256, that each one is selected from; "auto" is 8.
    depth : int or "auto"
        Levels of a tree, 1 to 8; by default as many as leave the leaves rows enough for their noise. Trees of one
        column have 2^depth - 1, at most 8.
    learning_rate : float or "auto"
        From 0.001 to 1, what a tree's step is multiplied by; "auto" is at least 0.3, and where released sums say that
        more of the classes' variance is explained, the square of that part.
    start : {"auto", "ranks", "balance"}
        What rows score before the first tree: what a private logistic regression on ranks says, on a fifth of the
        budget, or the log-odds of the class shares. "auto": the former under a delta, unless more than two public
        classes have public columns, where categories and twice the numbers are at most 1,024 (fewer with many classes),
        and the structure is not "additive".
    cut_points : {"auto", "grid"}
        Of numeric columns whose schema names none: quantiles released at a tenth of the budget, where that pays for
        one, or a public grid of equal bins.
    n_bins : int
        Equal bins, 2 to 255, of a numeric column without cut points.

    Notes
    -----
    Privacy: releases the class counts (L1 2), the answers of logistic regression on ranks where that comes first, and
    of each tree a choice among candidates (range 4 C), sums of curvatures and of residuals clipped to C by leaf (two
    classes: L2 sqrt(2)/4 and 1; sqrt(2) C where the label is public; C is 1/2, or up to 0.7071 where classes are
    uneven, with a delta and a private label), under replace-one on the protected columns and label. More classes
    share one vector: the budget is not divided by their number. Proofs: ``proofs/queries/leaf_sums.md``,
    ``proofs/queries/ranked_gradients.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import BoostedTreesClassifier, Label, Numeric, Schema
    >>> schema = Schema([Numeric(name, -1, 1) for name in "ab"], label=Label("y", [0, 1]))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (4000, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> model = BoostedTreesClassifier(schema, epsilon=2.0, delta=1e-5).fit(X, y)
    >>> model.predict(np.asarray([[-0.5, -0.5], [0.5, -0.5]])).tolist()
    [1, 0]
    """

    _learner = "boosted-trees"
    _has_likelihood = True
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        **BoostedTreesParameters._parameters,
        "calibration": CALIBRATION,
    }

    def _settings(self, table: Table) -> BoostedTrees:
        return self._sized(table, self._budget(), weighs_classes=self.class_weight is not None)
