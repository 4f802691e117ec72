"""How good a released model is on rows of other people, privately: one noisy histogram, with a certificate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tacit.errors import ParameterError, PrivacyWarning, shown
from tacit.estimators.beforehand import refuse
from tacit.estimators.charging import charged, commit
from tacit.estimators.grouping import HOLDOUT_BY, check_by, groups_of
from tacit.estimators.holdout import measured
from tacit.estimators.inputs import randomness, read_table
from tacit.estimators.requirements import COMMON
from tacit.estimators.residual_holdout import check_residuals, measured_residuals
from tacit.measures import GroupMeasures, HeldOut, HeldOutResiduals
from tacit.measures.prediction_sets import USUAL_MISSES, SetBound
from tacit.measures.set_measures import SetMeasures, edges_of_sets, set_measures
from tacit.models import Model, RegressionModel
from tacit.models.decisions import bounds_of_sets
from tacit.models.document import as_plain
from tacit.privacy import Accountant, Budget, Guarantee
from tacit.queries.held_out import Groups
from tacit.schema import Label, Schema, Target
from tacit.schema.side_features import bare
from tacit.table import Place, Table
from tacit.table.side_tables import Given

OTHER_PEOPLE = "the rows are taken to be other people than the model's; of the same people, both costs add up"
"""What the certificate of an evaluation takes for granted besides."""


class HasModel:
    """A classifier, a regressor or a search, whose ``model_`` may be published once it is fitted."""

    model_: Any


@dataclass(frozen=True)
class Evaluation:
    """What was measured, and what it cost.

    Parameters
    ----------
    measured : HeldOut or HeldOutResiduals
        Of classes accuracy, area under the ROC curve and more, of a number errors and coverage; with intervals.
    privacy : Guarantee
        The certificate, about these rows.
    classes : tuple
        The model's, sorted.
    sets : SetMeasures, optional
        How often the model's prediction sets of 90 % hold each class of these rows, where it has some.
    """

    measured: HeldOut | HeldOutResiduals
    privacy: Guarantee
    classes: tuple[Any, ...] = ()
    sets: SetMeasures | None = None

    def groups(self) -> GroupMeasures:
        """Return the measures by group of rows that were counted ``by`` a column; costs nothing."""
        if not isinstance(self.measured, HeldOut):
            raise ParameterError("Expected rows of classes for groups, got a number to predict. Read measured.")
        return GroupMeasures(self.measured, self.classes, self.privacy.counted == "persons")

    def document(self) -> dict[str, Any]:
        """Return both as what JSON can hold: measures, the counts that they follow from, and the certificate."""
        by_group = (
            {"groups": self.groups().document()}
            if isinstance(self.measured, HeldOut) and self.measured.by_group
            else {}
        )
        return {
            "measures": self.measured.measures(),
            **by_group,
            **({"sets": self.sets.document()} if self.sets else {}),
            "counts": as_plain(self.measured),
            "privacy": as_plain(self.privacy),
        }


def evaluate(
    model: Model | RegressionModel | HasModel,
    X: Any,
    y: Any = None,
    *,
    epsilon: float,
    delta: float = 0.0,
    by: str | None = None,
    schema: Schema | None = None,
    ledger: str | Path | None = None,
    storage: Place = "auto",
    client: Any = None,
    random_state: Any = None,
    other_people: bool | None = None,
    tables: Given | None = None,
) -> Evaluation:
    """Return how good a model is on rows of other people, with a certificate of what that costs them.

    Parameters
    ----------
    model : Model, RegressionModel, or fitted classifier or regressor
        ``tacit.load_model`` reads a model.
    X, y
        As ``fit`` takes them.
    epsilon, delta : float
        Privacy to spend.
    by : str, optional
        A column of categories, by which rows are counted besides: ``Evaluation.groups`` has measures by group.
    schema : Schema, optional
        The model's columns and label or target, with what is private of these rows and the identifier of persons; by
        default the model's, in which each person is in one row. Required where the fit protected persons with several
        rows.
    ledger : str or Path, optional
        As for ``fit``.
    storage : {"auto", "memory", "disk"}
        As for ``fit``.
    client : distributed.Client, optional
        As for ``fit``: the workers of this Dask cluster read X, files or a Dask data frame, and count.
    random_state : None, int or Generator
        As for ``fit``.
    other_people : bool, optional
        Whether the rows are known to be of other people than the model's. Where they are of as many as it was fitted to
        (rows, or persons by an identifier), they may be the same: None then warns, False refuses.
    tables : mapping of str to path, query or data frame, optional
        Side tables of these people, as for ``fit``.

    Returns
    -------
    Evaluation

    Raises
    ------
    ParameterError
        If there are too few rows for the budget, or the schema has other columns, classes or bounds, or is missing for
        a model of persons with several rows; or by ``other_people``; nothing is released. A ledger's charge stays where
        rows were read.

    Notes
    -----
    Privacy: the releases of a holdout. Proofs: ``proofs/queries/held_out_scores.md``,
    ``proofs/queries/held_out_residuals.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Label, LogisticClassifier, Numeric, Schema, evaluate
    >>> schema = Schema([Numeric("x", -1, 1)], label=Label("y", [0, 1]))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (4000, 1))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> model = LogisticClassifier(schema, epsilon=1.0).fit(X[:2000], y[:2000]).model_
    >>> found = evaluate(model, X[2000:], y[2000:], epsilon=1.0, other_people=True)
    >>> found.measured.accuracy.low > 0.7, found.privacy.epsilon
    (True, 1.0)
    """
    model = _model_of(model)
    budget = Budget(epsilon, delta)
    rows_of = _fitting(model, schema)
    COMMON["random_state"].check("random_state", random_state)
    told: dict[str, Any] = {"fitted": "evaluation", "random_state": random_state, "void": _void(rows_of)}
    if not (other_people is None or isinstance(other_people, bool)):
        raise ParameterError(f"Expected True, False or None, got other_people={shown(other_people)}. Leave it out.")
    _check_by(by, rows_of)
    # Others need not be in the table, as nothing reads them.
    rows_of = replace(rows_of, group_columns=tuple(each for each in rows_of.group_columns if each.name == by))
    groups = groups_of(rows_of, HOLDOUT_BY.check("by", by))
    check = partial(_check_table, model=model, budget=budget, other_people=other_people, groups=groups)
    told["refuse"] = lambda n_rows: refuse(rows_of, n_rows, budget.delta, check)
    with charged(ledger, rows_of, budget, **told) as payment:
        given: dict[str, Any] = {"reader": "evaluate", "payment": payment, "storage": storage, "client": client}
        given["tables"] = tables
        table, _ = read_table(X, y, rows_of, model.on_invalid, **given)
        check(table)
        if other_people is None and _as_many(model, table):
            _warn_of_same_people(table)
        found = _evaluated(model, table, budget, random_state, groups)
        commit(payment, found.privacy)
    return found


def _model_of(given: object) -> Model | RegressionModel:
    if isinstance(given, HasModel):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(given)
        found: Model | RegressionModel = given.model_
        return found
    if not isinstance(given, Model | RegressionModel):
        raise ParameterError(
            f"Expected a model, or a fitted classifier or regressor, got a {type(given).__name__}. tacit.load_model "
            "reads a file."
        )
    return given


def _check_table(
    table: Table, *, model: Model | RegressionModel, budget: Budget, other_people: bool | None, groups: Groups | None
) -> None:
    """Refuse too few rows, and as many as the model was fitted to where nobody says that they are others."""
    budget.check_rows(table.n_persons)
    enough = check_residuals if table.schema.target else check_by(groups)
    enough(table.n_persons, table, budget, "all rows")
    if other_people is False and _as_many(model, table):
        raise ParameterError(
            f"Expected {_counted(table)} of other people than the model's, got as many as it was fitted to: of the "
            "same people both costs add up, and measures are too good. Evaluate on others; if these are, say so with "
            "other_people=True (--other-people)."
        )


def _check_by(by: str | None, schema: Schema) -> None:
    """Refuse groups where a number is predicted."""
    if by is not None and schema.target:
        raise ParameterError(f"Expected classes with by={shown(by)}, got a number to predict. Leave it out.")


def _evaluated(
    model: Model | RegressionModel, table: Table, budget: Budget, random_state: Any, groups: Groups | None
) -> Evaluation:
    noise, _ = randomness(random_state, stacklevel=5)
    accountant = Accountant(budget, table.unit, noise, n_rows=table.n_persons)
    classes: tuple[Any, ...] = ()
    sets: SetMeasures | None = None
    if isinstance(model, RegressionModel):
        found: Any = measured_residuals(model, table, accountant, origin="evaluation")
    else:
        classes, bounds = tuple(model.classes.tolist()), _bounds(model)
        further = edges_of_sets(bounds, 1 if len(classes) == 2 else len(classes))
        found = measured(model, table, accountant, origin="evaluation", groups=groups, further=further)
        if bounds and found.rows_of_person == 1:
            sets = set_measures(found, bounds, 1 - USUAL_MISSES, classes)
    privacy = accountant.guarantee(assumptions=(OTHER_PEOPLE,), reasons=_void(table.schema))
    return Evaluation(found, privacy, classes, sets)


def _bounds(model: Model) -> list[SetBound]:
    """Return what leaves classes out of the model's sets of 90 %; nothing where it has none."""
    if model.held_out is None or model.held_out.rows_of_person > 1:
        return []
    return bounds_of_sets(model.held_out, model.guarantee.counted, 1 - USUAL_MISSES)


def _as_many(model: Model | RegressionModel, table: Table) -> bool:
    """Return whether rows may be the model's own: both numbers are public, and the model's is in its certificate.

    Of a merged model they may be one part's own.
    """
    fitted = {model.guarantee.n_rows, *(part.guarantee.n_rows for part in getattr(model, "parts", ()))}
    return not table.unit.protects_nothing and table.n_persons in fitted


def _warn_of_same_people(table: Table) -> None:
    warnings.warn(
        f"These are as many {_counted(table)} as the model was fitted to. If they are the same people, both costs add "
        "up, and measures are too good; if they are not, say so with other_people=True.",
        PrivacyWarning,
        stacklevel=3,
    )


def _counted(table: Table) -> str:
    return "persons" if table.schema.identifier else "rows"


def _fitting(model: Model | RegressionModel, schema: Schema | None) -> Schema:
    """Return the schema to read rows by, which has what the model reads and predicts."""
    if not (schema is None or isinstance(schema, Schema)):
        raise ParameterError(f"Expected a tacit.Schema, got schema={shown(schema)}. Read a file with Schema.from_toml.")
    if schema is None and model.guarantee.persons is not None:
        raise ParameterError(
            "Expected a schema with a model of persons with several rows, got none: a model's own takes each row for "
            "a person. Give the schema of the fit, or one without an identifier if each person has one row."
        )
    given = model.schema if schema is None else schema
    plain = [bare(each) for each in (model.schema, given)]
    if plain[0].columns != plain[1].columns or _predicted(plain[0].label) != _predicted(plain[1].label):
        raise ParameterError(
            "Expected a schema with the model's columns and classes, or its target's bounds, got another. Change what "
            "is private, the "
            "identifier, and what becomes of rows without a label, alone."
        )
    return given


def _predicted(label: Label | Target) -> tuple[object, ...]:
    """Return what is predicted, whatever cells without it become."""
    if isinstance(label, Target):
        return "a number", label.low, label.high
    return label.classes, label.positive, label.listed


def _void(schema: Schema) -> tuple[str, ...]:
    return ("The schema was inferred from the rows.",) if schema.guessed else ()
