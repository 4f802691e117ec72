"""What fits of all private classifiers share further than all fits do: held-out rows, class weights, their model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

from tacit.errors import ParameterError, TableError
from tacit.estimators.beforehand import check_suits
from tacit.estimators.class_weights import ClassWeight, class_weights
from tacit.estimators.docstrings import EXAMPLE
from tacit.estimators.evaluation import HasModel
from tacit.estimators.grouping import check_by, check_holdout_by, groups_of
from tacit.estimators.holdout import HoldoutSplit, divided, held_size, measured
from tacit.estimators.inputs import randomness
from tacit.estimators.paid_fit import PaidFit
from tacit.estimators.profiles import ProfileSettings
from tacit.estimators.row_weights import RowWeights
from tacit.estimators.training import ProfiledLearner, RowWeightedLearner, Trainable, Training, WeightedLearner
from tacit.learners.learner import Learner
from tacit.models import Model, ReleasedModel
from tacit.models.released_schema import on_schema
from tacit.privacy import Accountant
from tacit.privacy.parameters import Requirement
from tacit.privacy.rounding import down
from tacit.queries.held_out import Groups
from tacit.schema import Schema
from tacit.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class PrivateFit(PaidFit, HasModel):
    """The fit of a classifier that pays for what it learns from protected cells.

    Subclasses are dataclasses whose fields are their own parameters. They name their ``_learner``, declare in
    ``_parameters`` what the fields may be, and make the learner from them in ``_settings``. Their docstrings describe
    their own parameters; these, and the attributes, are filled in.

    Parameters
    ----------
    holdout : float
        Above 0, the share of the rows, drawn in secret, that are kept back to measure the model, at no extra cost: they
        are paid for in parallel. What they say, with intervals, is in ``model_.held_out``.
    holdout_by : str, optional
        A column of categories, by which these rows are counted besides, at no extra cost: ``model_.groups()`` has
        measures by group. Those of all rows are noisier by the root of the number of groups.
    class_weight : None, "balanced" or {class: weight}
        How much rows of each class count in training, as in scikit-learn; probabilities follow. ``"balanced"``: all
        classes together the same, by the label's public ``prevalence`` or, without one, by class counts that are
        released for 5 % of the budget. Learners that do not take it say why.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    model_ : Model
        What may be published.
    """

    holdout: float = 0.0
    holdout_by: str | None = None
    class_weight: ClassWeight | None = None

    _no_class_weight: ClassVar[str] = ""
    """Why rows of some classes cannot count more than others, as a clause; empty where they can."""
    _has_likelihood: ClassVar[bool] = False
    """Whether probabilities follow from what is released, and not by a public link from the order of scores alone."""
    _parameters: ClassVar[Mapping[str, Requirement]]

    @classmethod
    def _example(cls) -> str:
        offered = "_learner" in vars(cls) and cls.__name__.endswith("Fit")
        return EXAMPLE.format(name=f"{cls.__name__.removesuffix('Fit')}Classifier") if offered else ""

    def _checked(self) -> Self:
        """Return a copy whose parameters are plain Python within their bounds; nothing was read or spent before."""
        checked = super()._checked()
        if checked.class_weight is not None and self._no_class_weight:
            raise ParameterError(
                f"Expected class_weight=None for {self._name()}, got another: {self._no_class_weight}."
            )
        check_holdout_by(checked.holdout, checked.holdout_by, checked.schema)
        if isinstance(checked.schema, Schema):
            checked._profile(len(checked.schema.classes))
        return checked

    def _refuse(self, table: Table) -> None:
        if self.holdout:
            self._budget().check_rows(table.n_persons)
            held_size(table, self.holdout, self._budget(), check_by(groups_of(table.schema, self.holdout_by)))
        super()._refuse(table)

    def _keep(self, model: ReleasedModel, *, named: bool) -> None:
        assert isinstance(model, Model)
        self.classes_ = model.classes
        super()._keep(model, named=named)

    def _learns_probabilities(self) -> bool:
        """Tell whether probabilities follow from what is released, whatever the number of rows."""
        return self._has_likelihood

    def _linked(self, learner: Learner, table: Table) -> Learner:
        """Return the learner with what makes log-odds of its scores, where a share of the budget is for that."""
        return learner

    def _profile(self, n_classes: int) -> ProfileSettings | None:
        """Return how the trained model is counted with the rows, if it is; refuse more classes than can be."""
        return None

    def _name(self) -> str:
        """Return what messages call it: a fit by its classifier."""
        name = type(self).__name__
        return f"{name.removesuffix('Fit')}Classifier" if name.endswith("Fit") else name

    def _budget_of_one(self, table: Table) -> tuple[float, float]:
        """Return epsilon and delta of one training: one for two classes, else one for each class."""
        trainings = 1 if table.n_classes == 2 else table.n_classes
        assert self.epsilon is not None
        # Rounded down as fractions, so that all trainings together stay within the budget exactly.
        return down(Fraction(self.epsilon) / trainings), down(Fraction(self._delta) / trainings)

    def _train(self, table: Table) -> Model:
        """Return the trained model; of checked parameters."""
        # All refusals come before the accountant: a fit that cannot be costs nothing.
        budget = self._budget()
        self._check_classes(table)
        noise, generator = randomness(self.random_state, stacklevel=4)
        groups = groups_of(table.schema, self.holdout_by)
        parts = divided(table, self.holdout, budget, noise, check_by(groups)) if self.holdout else None
        training = parts.training if parts else table
        learner = self._learner_for(training)
        whole = Accountant(budget, table.unit, noise, n_rows=table.n_persons)
        accountant, *rest = parts.accountants(whole) if parts else (whole,)
        trained = self._released(learner, training, accountant, generator)
        model = self._model(table.schema, trained, whole)
        return self._measured(model, parts, whole, *rest, groups=groups) if parts else model

    def _measured(
        self,
        model: Model,
        parts: HoldoutSplit,
        whole: Accountant,
        rest: Accountant,
        *,
        groups: Groups | None = None,
        **said: Any,
    ) -> Model:
        """Return the model with what the kept rows say, and with a certificate of both."""
        held_out = measured(model, parts.held, rest, origin="holdout", groups=groups)
        guarantee = self._model(model.schema, Training(model.scorers), whole, **said).guarantee
        return replace(model, held_out=held_out, guarantee=guarantee)

    def _learner_for(self, table: Table) -> Trainable:
        """Return the learner of a table, or refuse it."""
        learner = self._linked(self._settings(table), table)
        check_suits(learner, table, self._name())
        weight, profile = self.class_weight, self._profile(table.n_classes)
        weighed = learner if weight is None else WeightedLearner(learner, class_weights(weight, table.schema))
        profiled = weighed if profile is None else ProfiledLearner(weighed, profile)
        own = table.schema.weight
        return profiled if own is None else RowWeightedLearner(profiled, RowWeights(own))

    def _model(self, schema: Schema, trained: Training, accountant: Accountant, *, searched: bool = False) -> Model:
        """Return what may be published, with the certificate of all that the accountant released."""
        guarantee = accountant.guarantee(
            assumptions=self._assumptions(),
            exact=self._exact(schema),
            reasons=self._void_reasons(schema),
            searched=searched,
        )
        # Without the identifier, which no prediction needs.
        return Model(
            self._learner,
            schema.without_persons(),
            trained.scorers,
            on_schema(guarantee, schema),
            self.on_invalid,
            monotone=self._signs(schema),
            class_weights=trained.class_weights,
            released_shares=trained.released_shares,
            profile=trained.profile,
        )

    def _taken_for(self, table: Table) -> tuple[PrivateFit, str]:
        """Return the estimator that trains on such a table, and why it was chosen, if by a rule."""
        return self, ""

    def _check_classes(self, table: Table) -> None:
        # Which classes of a private label have rows is private: the fit then ends in a constant classifier.
        if table.unit.label or self.on_invalid == "coerce":
            return
        labels = table.public_labels()
        if labels.min() == labels.max():
            raise TableError(
                "Expected rows of at least two classes, got one class. Check the label column, and that rows of all "
                "classes were read."
            )
