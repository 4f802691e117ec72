"""The estimator that chooses a learner and its settings by a rule of public quantities."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar, Generic, Self, TypeVar

from tacit.estimators.base import PrivateFit
from tacit.estimators.boosted_trees import BoostedTreesFit
from tacit.estimators.logistic import LogisticFit
from tacit.estimators.monotone import MonotoneFit
from tacit.estimators.naive_bayes import NaiveBayesFit
from tacit.estimators.paid_fit import PaidFit
from tacit.estimators.profiles import EXPLAIN_SHARE, profile_settings
from tacit.estimators.tree import TreeFit
from tacit.estimators.usual_delta import Delta
from tacit.learners.learner import Learner
from tacit.learners.linear.defaults import MAX_CATEGORIES, column_codes
from tacit.learners.linear.public_margin import suits_public_trees
from tacit.learners.platt_scaling import CALIBRATION
from tacit.models import Model, ReleasedModel
from tacit.privacy import Budget
from tacit.privacy.parameters import Requirement
from tacit.rules import choice
from tacit.rules.shared import TINY_SHARE
from tacit.schema import Numeric, Schema
from tacit.table import Table

Steps = tuple[tuple[float, type[PrivateFit]], ...]

# From how many rows times epsilon to a column on a learner is taken.
TWO_CLASSES: Steps = (
    (0, TreeFit),
    (choice.LOGISTIC_FROM, LogisticFit),
    (choice.BOOSTED_TREES_FROM, BoostedTreesFit),
)
TWO_CLASSES_PURE: Steps = (*TWO_CLASSES[:2], (choice.BOOSTED_TREES_FROM_PURE, BoostedTreesFit))
CATEGORIES: Steps = (
    (0, TreeFit),
    (choice.LOGISTIC_FROM_OF_CATEGORIES, LogisticFit),
    (choice.BOOSTED_TREES_FROM, BoostedTreesFit),
)
CATEGORIES_PURE: Steps = (
    *CATEGORIES[:2],
    (choice.PURE_TREE_FROM, TreeFit),
    (choice.PURE_TREE_TO, LogisticFit),
    (choice.BOOSTED_TREES_FROM_PURE, BoostedTreesFit),
)
MANY_CLASSES: Steps = (*TWO_CLASSES[:2], (choice.BOOSTED_TREES_FROM_OF_CLASSES, BoostedTreesFit))
MANY_CLASSES_PURE: Steps = (
    (0, TreeFit),
    (choice.PURE_TREE_TO, NaiveBayesFit),
    (choice.BOOSTED_TREES_FROM_PURE, BoostedTreesFit),
)
PUBLIC_TREES: Steps = ((0, BoostedTreesFit),)

REASONS = {
    TreeFit: "enough for few splits or none",
    LogisticFit: "enough for an additive model",
    NaiveBayesFit: "enough to count the classes by column",
    BoostedTreesFit: "enough to learn interactions",
}


FitT = TypeVar("FitT", bound=PaidFit)


@dataclass(frozen=True)
class Choice(Generic[FitT]):
    """What ``choose`` names, and ``choose_regressor``.

    Parameters
    ----------
    estimator : type of PrivateFit or RegressionFit
    signal : float
        Rows times epsilon for each column that costs privacy.
    why : str
    """

    estimator: type[FitT]
    signal: float
    why: str

    @property
    def learner(self) -> str:
        """The learner's name."""
        return self.estimator._learner


def choose(
    schema: Schema, budget: Budget, n_rows: int, *, weighs_classes: bool = False, monotone: bool = False
) -> Choice[PrivateFit]:
    """Return the learner that ``AutoClassifier`` takes; reads the schema, the budget and the number of rows alone.

    Parameters
    ----------
    schema : Schema
    budget : Budget
    n_rows : int
    weighs_classes : bool
        Take only a learner that takes class weights.
    monotone : bool
        Take only a learner whose scores can be made monotone.

    Notes
    -----
    The rule is from synthetic tables: ``benchmarks/auto_rules.py``.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("age", 0, 100), Numeric("pay", 0, 9)], label=Label("works", ["no", "yes"]))
    >>> [choose(schema, Budget(epsilon), 10_000).learner for epsilon in (0.001, 0.1, 1.0)]
    ['logistic', 'logistic', 'boosted-trees']
    """
    pure = budget.delta == 0
    if not schema.paid_columns:
        return Choice(BoostedTreesFit, 0.0, "nothing is protected, so no noise is needed")
    # Under a delta public columns are learned among all others.
    columns = len(schema.paid_columns if pure else schema.inputs)
    signal = n_rows * budget.epsilon / columns
    steps = _steps(schema, pure=pure, weighs_classes=weighs_classes, monotone=monotone)
    at = bisect_right(steps, signal, key=lambda step: step[0]) - 1
    least, estimator = steps[at]
    most = steps[at + 1][0] if at + 1 < len(steps) else inf
    limits = [f"at least {_number(least)}"] * bool(least) + [f"below {_number(most)}"] * (most < inf)
    column = "private column" if pure else "column"
    where = f" is {' and '.join(limits)}" if limits else ""
    why = f"rows x epsilon per {column} ({_number(signal)}){where}"
    return Choice(estimator, signal, f"{why}, {REASONS[estimator]}")


def _number(value: float) -> str:
    """Return a number to three digits, as people write it."""
    return f"{float(f'{value:.3g}'):,.15g}"


def could_take(
    schema: Schema, budget: Budget, *, weighs_classes: bool = False, monotone: bool = False
) -> tuple[type[PrivateFit], ...]:
    """Return the learners that ``choose`` names for some number of rows.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("age", 0, 100)], label=Label("works", ["no", "yes"], private=False))
    >>> [each.__name__ for each in could_take(schema, Budget(1.0))]
    ['BoostedTreesFit']
    """
    if not (schema.label.private or schema.full.private_columns):
        return (BoostedTreesFit,)
    given = {"weighs_classes": weighs_classes, "monotone": monotone}
    return tuple(step[1] for step in _steps(schema, pure=budget.delta == 0, **given))


def _steps(schema: Schema, *, pure: bool, weighs_classes: bool, monotone: bool) -> Steps:
    """Return from how much signal on which learner is taken, of those that take the schema."""
    many = max(column_codes(schema), default=0) > (choice.MAX_PURE_CATEGORIES if pure else MAX_CATEGORIES)
    instead = BoostedTreesFit if weighs_classes or monotone or not schema.label.private else NaiveBayesFit
    steps = _usual_steps(schema, pure=pure)
    left = [
        (least, instead if many and taken is LogisticFit else taken)
        for least, taken in steps
        if not (weighs_classes and taken._no_class_weight) and not (monotone and not issubclass(taken, MonotoneFit))
    ]
    return ((0, left[0][1]), *left[1:])


def _usual_steps(schema: Schema, *, pure: bool) -> Steps:
    if suits_public_trees(schema) or (pure and not schema.label.private):
        return PUBLIC_TREES
    many, numbers = len(schema.classes) > 2, any(isinstance(column, Numeric) for column in schema.columns)
    if pure:
        return MANY_CLASSES_PURE if many else TWO_CLASSES_PURE if numbers else CATEGORIES_PURE
    steps = MANY_CLASSES if many else TWO_CLASSES if numbers else CATEGORIES
    # Declared and public shares need no budget, and logistic regression begins there; a tree needs a question.
    tree = (
        schema.label.private
        and schema.class_label.prevalence is None
        and (numbers or max(column_codes(schema), default=0) > 1)
    )
    return steps if tree else ((0, steps[1][1]), *steps[2:])


@dataclass(kw_only=True, eq=False, repr=False)
class AutoFit(MonotoneFit, PrivateFit):
    """The learner that is best for so many rows, columns and so much privacy, chosen without reading a row.

    Takes ``TreeClassifier``, ``LogisticClassifier``, ``NaiveBayesClassifier`` or ``BoostedTreesClassifier``, their
    settings by public rules. What it chose and why is in ``choice_``, in ``model_.why``, and in ``tacit inspect``.

    Parameters
    ----------
    explain_share : float
        Of the budget, where it takes a tree or logistic regression: for what the model predicts by bin and category, on
        which explanations then rest. Naive Bayes and boosted trees are explained for nothing, and spend all on
        training. 0 for none, else 0.001 to 0.5.
    calibration : float
        Of the budget, unless it takes a tree: for the release by which log-odds are calibrated; 0 for none.

    Attributes
    ----------
    choice_ : Choice
        Learner, and why.

    Notes
    -----
    Privacy: that of the learner it takes. The choice costs nothing, as schema, budget and number of rows are public.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import AutoClassifier, Label, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 1_000)], label=Label("works", ["no", "yes"]))
    >>> X = np.random.default_rng(0).uniform(0, 100, (3000, 1))
    >>> y = np.where((X[:, 0] > 18) & (X[:, 0] <= 65), "yes", "no")
    >>> model = AutoClassifier(schema, epsilon=1.0, delta=1e-6).fit(X, y)
    >>> model.choice_.learner, model.predict(np.asarray([[10.0], [40.0], [80.0]])).tolist()
    ('boosted-trees', ['no', 'yes', 'no'])
    """

    delta: Delta = "auto"
    explain_share: float = 0.0
    calibration: float = TINY_SHARE

    _learner = "auto"
    _has_likelihood = True
    _no_row_weights = ""
    _parameters: ClassVar[Mapping[str, Requirement]] = {"explain_share": EXPLAIN_SHARE, "calibration": CALIBRATION}

    def _checked(self) -> Self:
        checked = super()._checked()
        if checked.explain_share and isinstance(checked.schema, Schema):
            # The number of rows is not known yet: refused if any learner that it may take would refuse it.
            for taken in could_take(checked.schema, checked._budget(), **checked._needed):
                if "explain_share" in taken._parameters:
                    profile_settings(checked.explain_share, len(checked.schema.classes))
        return checked

    def _settings(self, table: Table) -> Learner:
        taken = self._taken_for(table)[0]
        return taken._linked(taken._settings(table), table)

    def _train(self, table: Table) -> Model:
        estimator, why = self._taken_for(table)
        return replace(estimator._train(table), why=why)

    def _keep(self, model: ReleasedModel, *, named: bool) -> None:
        super()._keep(model, named=named)
        assert self.epsilon is not None
        delta = model.guarantee.of_fit.delta if self.delta == "auto" else float(self.delta)
        self.choice_ = self._choose(model.schema, Budget(float(self.epsilon), delta), model.guarantee.n_rows)

    def _choose(self, schema: Schema, budget: Budget, n_rows: int) -> Choice[PrivateFit]:
        return choose(schema, budget, n_rows, **self._needed)

    @property
    def _needed(self) -> dict[str, bool]:
        """What the learner has to take."""
        return {"weighs_classes": self.class_weight is not None, "monotone": bool(self.monotone)}

    def _taken_for(self, table: Table) -> tuple[PrivateFit, str]:
        taken = self._choose(table.schema, self._budget(), table.n_persons)
        settings: dict[str, Any] = {"monotone": self.monotone} if self.monotone else {}
        if "explain_share" in taken.estimator._parameters:
            settings["explain_share"] = self.explain_share
        estimator = taken.estimator(
            table.schema,
            epsilon=self.epsilon,
            delta=self.delta,
            on_invalid=self.on_invalid,
            holdout=self.holdout,
            holdout_by=self.holdout_by,
            class_weight=self.class_weight,
            random_state=self.random_state,
            **settings,
        )
        return estimator, taken.why
