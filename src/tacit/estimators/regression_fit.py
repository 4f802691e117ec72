"""What fits of all private regressors share: their schema's target, and the model that is published."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self

from tacit.convex import LossName
from tacit.errors import ParameterError
from tacit.estimators.beforehand import check_suits
from tacit.estimators.holdout import HoldoutSplit, divided, held_size
from tacit.estimators.inputs import randomness
from tacit.estimators.number_loss import Chosen, number_loss
from tacit.estimators.paid_fit import PaidFit
from tacit.estimators.residual_holdout import check_residuals, measured_residuals
from tacit.estimators.row_weights import RowWeights
from tacit.estimators.training import RowWeightedLearner, ScaledLearner, Trainable, Training
from tacit.estimators.usual_delta import Delta
from tacit.learners.learner import Learner
from tacit.learners.target_scale import TargetScaling
from tacit.models import RegressionModel
from tacit.models.released_schema import on_schema
from tacit.privacy import Accountant, Budget
from tacit.privacy.rounding import down
from tacit.rules.shared import SURE_DEVIATIONS
from tacit.schema import Schema, Target
from tacit.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class RegressionFit(PaidFit):
    """The fit of a regressor that pays for what it learns from protected cells.

    The schema's label is a ``Target``. Its median is released first, and how far the numbers are from it: they are
    counted from there, in units of that distance, and residuals are clipped at it. So noise follows how far numbers
    spread, not how wide the declared bounds are, and predictions follow when numbers and bounds move.

    Parameters
    ----------
    schema : Schema or "infer"
        What is public about the table, with a ``Target``. ``"infer"`` reads it off the rows and voids the certificate.
    holdout : float
        Above 0, the share of the rows, drawn in secret, that are kept back to measure the model, at no extra cost: they
        are paid for in parallel. What they say is in ``model_.held_out``, and ``predict_interval`` rests on it.

    loss : {"auto", "squared", "absolute", "quantile", "huber", "poisson", "gamma"}
        What predictions minimize: squared errors, for means; absolute ones, for medians; those of ``quantiles``;
        squared errors that count no further than two deviations of the target, for means of what is not extreme; or
        minus the likelihood of counts (low at least 0) or of costs (low above 0) by the logarithm of their mean.
        "auto": gamma for a target whose scale is logarithmic, else squared.
    quantiles : tuple of float, optional
        Of a quantile loss, one or several between 0 and 1, ascending, at most 16. Each has an equal part of the budget.
        ``predict`` is the one that is nearest to one half, ``predict_quantiles`` all of them.

    Attributes
    ----------
    model_ : RegressionModel
        What may be published.
    """

    delta: Delta = "auto"
    holdout: float = 0.0
    loss: LossName | Literal["auto"] = "auto"
    quantiles: tuple[float, ...] | None = None

    _no_row_weights = ""
    _of_number = True
    units: ClassVar[float] = 1.0
    """Of scores, in a standard deviation of the target."""

    def _checked(self) -> Self:
        checked = super()._checked()
        if isinstance(checked.schema, Schema) and checked.schema.target is None:
            raise ParameterError(
                f"Expected a schema with a target for {self._name()}, got the classes of label "
                f"{checked.schema.label.name!r}. Write label=Target(name, low, high), or take a classifier."
            )
        checked._chosen_loss()
        return checked

    def _chosen_loss(self) -> Chosen:
        target = self.schema.target if isinstance(self.schema, Schema) else None
        # A schema that is read off the rows has no scale.
        return number_loss(self.loss, self.quantiles, target or Target("number", 1, 2))

    def _refuse(self, table: Table) -> None:
        if self.holdout:
            self._budget().check_rows(table.n_persons)
            held_size(table, self.holdout, self._budget(), check_residuals)
        super()._refuse(table)

    def _name(self) -> str:
        """Return what messages call it: a fit by its regressor."""
        return type(self).__name__.replace("RegressionFit", "Regressor")

    def _learner_for(self, table: Table) -> Trainable:
        learner = self._settings(table)
        check_suits(learner, table, self._name())
        scaled = ScaledLearner(learner, replace(self._scaling(table), clip=self._clip(table, learner)))
        own = table.schema.weight
        return scaled if own is None else RowWeightedLearner(scaled, RowWeights(own))

    def _clip(self, table: Table, learner: Learner) -> float:
        """Return at how many deviations residuals are clipped at least; it follows from public numbers."""
        return SURE_DEVIATIONS

    def _scaling(self, table: Table) -> TargetScaling:
        assert table.schema.target is not None
        loss, quantiles = self._chosen_loss()
        given = table.schema.target, table.n_persons, self._budget(), self.units
        return TargetScaling.affordable(*given, loss=loss, quantiles=quantiles)

    def _budget_of_learner(self, table: Table) -> Budget:
        """Return what the scale leaves, by which settings are chosen."""
        budget, scaling = self._budget(), self._scaling(table)
        spent = Fraction(scaling.share) if table.unit.label else Fraction(0)
        # Each of several quantiles has a part: of squared noise, as a delta allows, or of epsilon itself.
        each = Fraction(max(1, len(scaling.quantiles)) ** (0.5 if budget.delta else 1.0))
        return Budget(down(Fraction(budget.epsilon) * (1 - spent) / each), budget.delta)

    def _train(self, table: Table) -> RegressionModel:
        """Return the trained model; of checked parameters."""
        budget = self._budget()
        noise, generator = randomness(self.random_state, stacklevel=4)
        parts = divided(table, self.holdout, budget, noise, check_residuals) if self.holdout else None
        training = parts.training if parts else table
        learner = self._learner_for(training)
        whole = Accountant(budget, table.unit, noise, n_rows=table.n_persons)
        accountant, *rest = parts.accountants(whole) if parts else (whole,)
        trained = self._released(learner, training, accountant, generator)
        model = self._model(table.schema, trained, whole)
        return self._measured(model, parts, whole, *rest) if parts else model

    def _measured(
        self, model: RegressionModel, parts: HoldoutSplit, whole: Accountant, rest: Accountant, **said: Any
    ) -> RegressionModel:
        """Return the model with what the kept rows say, and with a certificate of both."""
        held_out = measured_residuals(model, parts.held, rest, origin="holdout")
        trained = Training(model.scorers, scale=model.scale)
        return replace(model, held_out=held_out, guarantee=self._model(model.schema, trained, whole, **said).guarantee)

    def _taken_for(self, table: Table) -> tuple[RegressionFit, str]:
        """Return the estimator that trains on such a table, and why it was chosen, if by a rule."""
        return self, ""

    def _model(
        self, schema: Schema, trained: Training, accountant: Accountant, *, searched: bool = False
    ) -> RegressionModel:
        """Return what may be published, with the certificate of all that the accountant released."""
        assert trained.scale is not None
        guarantee = accountant.guarantee(
            assumptions=self._assumptions(),
            exact=self._exact(schema),
            reasons=self._void_reasons(schema),
            searched=searched,
        )
        return RegressionModel(
            self._learner,
            schema.without_persons(),
            trained.scorers,
            on_schema(guarantee, schema),
            self.on_invalid,
            monotone=self._signs(schema),
            scale=trained.scale,
            loss=self._chosen_loss()[0],
            quantiles=trained.quantiles,
        )
