"""Fits of private regression: linear on ranks, boosted trees, and the choice between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import floor, log2
from typing import Any, ClassVar

from tacit.boosting.boosted_trees import SHALLOWEST, BoostedTrees
from tacit.boosting.closer_clip import CloserClip
from tacit.convex.number_losses import share_within
from tacit.cut_points import CutPoints, cuts_of_ranks
from tacit.estimators.auto import Choice
from tacit.estimators.boosted_trees import BoostedTreesParameters
from tacit.estimators.monotone import MonotoneFit, MonotoneLearner
from tacit.estimators.regression_fit import RegressionFit
from tacit.estimators.requirements import one_of
from tacit.learners.learner import Learner
from tacit.learners.linear import RankedLogistic
from tacit.learners.linear.clipped_residuals import best_clip, noise_of_predictions
from tacit.learners.linear.defaults import use_quadratic
from tacit.learners.linear.row_lengths import best_length, longest_over_usual
from tacit.learners.target_scale import NORMAL
from tacit.models import RegressionModel
from tacit.privacy import Budget
from tacit.privacy.parameters import Requirement
from tacit.rules import choice
from tacit.rules.shared import GRADIENTS, SURE_DEVIATIONS
from tacit.schema import Schema
from tacit.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class LinearRegressionFit(RegressionFit, MonotoneFit):
    """Private linear regression on ranks of numbers, their squares and one-hot categories, by noisy gradients.

    Squared loss, with residuals clipped, and rows cut to a length at which noise and the bend of straight lines are
    least together. Coefficients have a normal prior, whose widths the same noisy gradients tell: where noise hides what
    columns say, predictions stay near the median.

    Parameters
    ----------
    cut_points : {"auto", "private", "grid"}
        Between which numbers are ranks, where the schema names none: quartiles released at a tenth of the budget,
        where that pays for them, in any case; or none, and numbers count by their places within the bounds.

    Notes
    -----
    Privacy: releases quantiles of the target (range 4 half rows each), cut points, moments of the features and summed
    gradients (L2 twice the clip times a row's length), under replace-one on the protected columns and target. Proofs:
    ``proofs/queries/target_cells.md``, ``proofs/queries/ranked_gradients.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import LinearRegressor, Numeric, Schema, Target
    >>> schema = Schema([Numeric("size", 0, 200)], label=Target("price", 0, 1000))
    >>> sizes = np.random.default_rng(0).uniform(0, 200, (3000, 1))
    >>> model = LinearRegressor(schema, epsilon=1.0).fit(sizes, 100 + 3 * sizes[:, 0])
    >>> bool(abs(model.predict(np.asarray([[100.0]]))[0] - 400) < 40)
    True
    """

    cut_points: CutPoints = "auto"

    _learner = "linear"
    _parameters: ClassVar[Mapping[str, Requirement]] = {"cut_points": one_of(CutPoints)}

    def _clip(self, table: Table, learner: Learner) -> float:
        learner = learner.learner if isinstance(learner, MonotoneLearner) else learner
        assert isinstance(learner, RankedLogistic)
        return best_clip(self._noise(table, learner) * longest_over_usual(learner.encoding(), learner.clip_norm))

    def _settings(self, table: Table) -> Learner:
        budget, n_rows = self._budget_of_learner(table), table.n_persons
        given = table.schema, table.unit, n_rows, budget.epsilon, budget.delta
        cuts, columns = cuts_of_ranks(*given, asked=self.cut_points), len(table.schema.inputs)
        if budget.delta:
            quadratic = use_quadratic(n_rows, budget.epsilon, columns)
            learner = RankedLogistic(table.schema, cuts, quadratic=quadratic)
        else:
            # Pure noise grows with the number of releases, and not with its root: as much more is needed as for trees.
            pure_is_less = choice.BOOSTED_TREES_FROM_PURE / choice.BOOSTED_TREES_FROM
            quadratic = use_quadratic(n_rows, budget.epsilon / pure_is_less, columns)
            learner = RankedLogistic(table.schema, cuts, steps=GRADIENTS // 2, quadratic=quadratic)
        noise = self._noise(table, learner)
        clipped = noise * (best_clip(noise) / share_within(best_clip(noise))) ** 2
        return self._in_order(replace(learner, clip_norm=best_length(learner.encoding(), clipped)), table)

    def _noise(self, table: Table, learner: RankedLogistic) -> float:
        """Return the variance of noise in predictions, over the target's, of rows of one length."""
        n_features = len(table.schema.inputs) * (1 + learner.quadratic)
        return noise_of_predictions(table.n_persons, n_features, self._budget(), learner.steps)


@dataclass(kw_only=True, eq=False, repr=False)
class BoostedTreesRegressionFit(RegressionFit, BoostedTreesParameters):
    """Gradient boosting of random oblivious trees with noisy leaves, of squared loss with clipped residuals.

    As ``BoostedTreesClassifier``: trees are drawn without looking at rows, one of a few is selected with noise, and
    the sums of residuals and the counts of all its leaves are released together. Under a delta linear regression on
    ranks comes first; where rows are enough to find how far it is off, the selection is among all parts of the trees.

    Parameters
    ----------
    structure : {"mixed", "oblivious", "additive"}
        Trees whose levels test columns of their own ("oblivious"), trees of one column each ("additive": a prediction
        is a sum of curves, one for each column), or one of the latter after three of the former.
    n_trees : int or "auto"
        Trees, 1 to 1000; by default 10 to 80, by the noise that the budget leaves for each.
    candidates : int or "auto"
        Trees, 1 to 256, that each one is selected from; "auto" is 8.
    depth : int or "auto"
        Levels of a tree, 1 to 8; by default as many as leave the leaves rows enough for their noise, and two or three
        fewer where parts of trees are selected.
    learning_rate : float or "auto"
        From 0.001 to 1, what a tree's step is multiplied by; "auto" is 0.3.
    start : {"auto", "ranks", "balance"}
        What is predicted before the first tree: linear regression on ranks, on a fifth of the budget, or the median.
        "auto": the former under a delta, unless the structure is "additive" or columns are very many.
    cut_points : {"auto", "grid"}
        Of numeric columns whose schema names none: quantiles released at a tenth of the budget, where that pays for
        one, or a public grid of equal bins.
    n_bins : int
        Equal bins, 2 to 255, of a numeric column without cut points.

    Notes
    -----
    Privacy: releases quantiles of the target (range 4 half rows each), what linear regression on ranks releases where
    it comes first, and of each tree a choice among candidates (range 2), counts of rows and sums of clipped residuals
    by leaf (L2 sqrt(2)/4 and 1), under replace-one on the protected columns and target. Proofs:
    ``proofs/queries/target_cells.md``, ``proofs/queries/leaf_sums.md``, ``proofs/queries/ranked_gradients.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import BoostedTreesRegressor, Numeric, Schema, Target
    >>> schema = Schema([Numeric(name, -1, 1) for name in "ab"], label=Target("y", -10, 10))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (4000, 2))
    >>> model = BoostedTreesRegressor(schema, epsilon=2.0).fit(X, 5 * X[:, 0] * X[:, 1])
    >>> low, high = model.predict(np.asarray([[-0.9, 0.9], [0.9, 0.9]]))
    >>> bool(low < -1 and high > 1)
    True
    """

    _learner = "boosted-trees"
    # A number one deviation off counts as far as a score does at which a class is as good as sure: its residual, of the
    # parabola that touches the logistic loss at zero, is one half.
    units = SURE_DEVIATIONS

    def _settings(self, table: Table) -> BoostedTrees:
        budget = self._budget_of_learner(table)
        settings = self._sized(table, budget)
        if self._chosen_loss()[0] != "squared":
            return settings
        closer = CloserClip(NORMAL[0] * self.units, 0)
        # Without ranks residuals are as far as the numbers are, whose distances are known; of weights none are halved.
        if settings.ranks and table.schema.weight is None:
            closer = CloserClip.affordable(closer.half, table.n_persons, budget)
        # If residuals are exponential, their clip is so many times the one of choices, and noise grows with the former.
        halvings = closer.halvings or self._scaling(table).halvings
        fewer = floor(log2(halvings)) if self.depth == "auto" else 0
        return replace(settings, closer=closer, depth=max(settings.depth - fewer, SHALLOWEST))


@dataclass(kw_only=True, eq=False, repr=False)
class AutoRegressionFit(RegressionFit, MonotoneFit):
    """The regressor that is best for so many rows, columns and so much privacy, chosen without reading a row.

    Takes ``BoostedTreesRegressor`` where there are enough rows for the budget, and else ``LinearRegressor``. What it
    chose and why is in ``model_.learner`` and ``model_.why``.

    Notes
    -----
    Privacy: that of the learner it takes. The choice costs nothing, as schema, budget and number of rows are public.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import AutoRegressor, Numeric, Schema, Target
    >>> schema = Schema([Numeric("age", 0, 100)], label=Target("cost", 0, 10_000))
    >>> ages = np.random.default_rng(0).uniform(0, 100, (3000, 1))
    >>> model = AutoRegressor(schema, epsilon=1.0).fit(ages, 50 * ages[:, 0])
    >>> model.model_.learner
    'boosted-trees'
    """

    _learner = "auto"
    _parameters: ClassVar[Mapping[str, Requirement]] = {}
    _handed: ClassVar[Mapping[type[RegressionFit], type[RegressionFit]]] = {}
    """What is handed to users in the place of a fit."""

    def _settings(self, table: Table) -> Learner:
        return self._taken_for(table)[0]._settings(table)

    def _train(self, table: Table) -> RegressionModel:
        estimator, why = self._taken_for(table)
        return replace(estimator._train(table), why=why)

    def _taken_for(self, table: Table) -> tuple[RegressionFit, str]:
        taken = choose_regressor(table.schema, self._budget(), table.n_persons)
        shared = ("epsilon", "delta", "on_invalid", "holdout", "monotone", "loss", "quantiles")
        given: dict[str, Any] = {name: getattr(self, name) for name in shared}
        cls = self._handed.get(taken.estimator, taken.estimator)
        return cls(table.schema, random_state=self.random_state, **given), taken.why


def choose_regressor(schema: Schema, budget: Budget, n_rows: int) -> Choice[RegressionFit]:
    """Return the learner that ``AutoRegressor`` takes, by schema, budget and number of rows alone: as of two classes.

    Examples
    --------
    >>> from tacit import Numeric, Target
    >>> schema = Schema([Numeric("age", 0, 100), Numeric("pay", 0, 9)], label=Target("cost", 0, 10_000))
    >>> [choose_regressor(schema, Budget(epsilon), 10_000).learner for epsilon in (0.1, 1.0)]
    ['linear', 'boosted-trees']
    """
    if not schema.paid_columns:
        return Choice(BoostedTreesRegressionFit, 0.0, "nothing is protected, so no noise is needed")
    pure = budget.delta == 0
    signal = n_rows * budget.epsilon / len(schema.paid_columns if pure else schema.inputs)
    least = choice.BOOSTED_TREES_FROM_PURE if pure else choice.BOOSTED_TREES_FROM
    enough = signal >= least
    per = "private column" if pure else "column"
    why = f"rows x epsilon per {per} ({signal:,.3g}) is {'at least' if enough else 'below'} {least:,.0f}"
    meant = "enough to learn interactions" if enough else "enough for an additive model"
    return Choice(BoostedTreesRegressionFit if enough else LinearRegressionFit, signal, f"{why}, {meant}")
