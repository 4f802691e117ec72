"""From rows to rados, which may be handed over, and from rados to a model, without a row."""

from __future__ import annotations

from typing import Any, Literal

from tacit.boosting.rado_learner import RadoRule, rado_form
from tacit.boosting.rado_makers import MarginalRados, Protection
from tacit.boosting.radoboost import RoundSettings
from tacit.errors import ParameterError
from tacit.estimators.inputs import as_table, check_labels, public_schema, warn_about_position
from tacit.estimators.rado_settings import (
    NO_BUDGET,
    PARAMETERS,
    check_protection,
    protected_columns,
    rado_maker,
    void_reasons,
)
from tacit.estimators.randomness import randomness
from tacit.estimators.requirements import COMMON, checked
from tacit.estimators.tally import count_fit
from tacit.mechanisms import announce
from tacit.models import Model
from tacit.models.rado_set import RadoDescription, RadoSet
from tacit.privacy import Accountant, Budget
from tacit.privacy.parameters import FLAG, NONE
from tacit.queries.edges import EdgeForm
from tacit.schema import Schema
from tacit.table import LinearEncoding, OnInvalid, Table


def make_rados(
    X: Any,
    y: Any,
    schema: Schema | str,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    protection: Protection | None = None,
    protected_column: str | tuple[str, ...] | None = None,
    count: int = 1000,
    support: float | None = None,
    constant: bool = True,
    encoding: Literal["ordinal", "one-hot"] = "ordinal",
    clip: float | None = None,
    on_invalid: OnInvalid = "raise",
    random_state: Any = None,
) -> RadoSet:
    """Return rados of a table of two classes; parameters as those of ``RadoBoostClassifier``.

    Parameters
    ----------
    X : data frame or array
    y : array-like of shape (n_rows,)
    schema : Schema or "infer"
    constant : bool
        Whether a constant is the last feature, which gives rules an intercept.

    Raises
    ------
    ParameterError
        If parameters contradict each other, or there are more than two classes; nothing is spent.
    TableError
        If rows and schema do not fit; nothing is spent.

    Notes
    -----
    Privacy: what protects them is in ``description.guarantee`` and, for DP-Feat, in ``description.marginal``; ``str``
    of the set says it in words. Only ``"private"`` and ``"edges"`` are differentially private.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("a", -1, 1)], label=Label("y", [0, 1]))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 1))
    >>> made = make_rados(X, (X[:, 0] > 0).astype(int), schema, epsilon=1.0, count=50)
    >>> made.rados.shape, made.description.guarantee.status
    ((50, 2), 'private')
    """
    given = checked(
        {**COMMON, **PARAMETERS},
        schema=schema,
        epsilon=epsilon,
        delta=delta,
        protection=protection,
        protected_column=protected_column,
        count=count,
        support=support,
        encoding=encoding,
        clip=clip,
        on_invalid=on_invalid,
        random_state=random_state,
    )
    epsilon, delta, count, support, clip = (given[name] for name in ("epsilon", "delta", "count", "support", "clip"))
    constant = FLAG.check("constant", constant)
    kept = check_protection(protection, epsilon)
    columns = protected_columns(kept, protected_column)
    X = as_table(X)
    y = check_labels(y, schema, "make_rados")
    known = public_schema(schema, X, y)
    warn_about_position(schema, X)
    if len(known.label.classes) != 2:
        raise ParameterError("Expected two classes, got more. Make a set of rados for each class against the rest.")
    budget = Budget(NO_BUDGET) if kept in ("none", "marginal") or epsilon is None else Budget(epsilon, delta)
    table = Table.from_frame(X, y, known, on_invalid=on_invalid)
    maker = rado_maker(
        table,
        protection=kept,
        epsilon=epsilon,
        delta=delta,
        columns=columns,
        count=count,
        support=support,
        random_state=random_state,
        clip=clip,
    )
    form = EdgeForm(LinearEncoding(known, known.names, encoding, 1.0 if clip is None else clip), constant=constant)
    noise, generator = randomness(random_state)
    accountant = Accountant(budget, table.unit, noise, n_rows=table.n_rows)
    if not table.unit.protects_nothing:
        count_fit(known, budget)
    releases = announce(accountant, maker.plan(form, table.unit))
    form = maker.clipped(form, table.unit, releases, table.n_rows)
    rados = maker.make(table, form, releases, generator)
    guessed = ("The schema was inferred from the rows.",) if known.guessed else ()
    guarantee = accountant.guarantee(reasons=(*guessed, *void_reasons(kept, known, protected_column)))
    marginal = maker.guarantee(table.n_rows) if isinstance(maker, MarginalRados) else None
    reach = form.encoding.clip
    return RadoSet(rados, RadoDescription(known, encoding, constant, kept, guarantee, marginal, on_invalid, reach))


def learn_from_rados(
    rado_set: RadoSet,
    *,
    rounds: int = 1000,
    weak_learner: Literal["strongest", "capped", "median"] = "strongest",
    kappa: float = 2,
    iterate: Literal["last", "rado-risk"] = "last",
    rule: Literal["boosted", "linear"] = "boosted",
    centered: bool | None = None,
) -> Model:
    """Return the model that RadoBoost learns from rados alone; parameters as those of ``RadoBoostClassifier``.

    Parameters
    ----------
    rado_set : RadoSet
    centered : bool, optional
        Whether what goes along with the constant is taken from the other features first; so if there is a constant.

    Notes
    -----
    Privacy: reads no row; the model has the rados' certificate.
    """
    settings = checked(PARAMETERS, rounds=rounds, weak_learner=weak_learner, kappa=kappa, iterate=iterate, rule=rule)
    centered = (FLAG | NONE).check("centered", centered)
    described = rado_set.description
    schema = described.schema
    form = EdgeForm(LinearEncoding(schema, schema.names, described.encoding, described.clip), described.constant)
    shear = described.constant if centered is None else centered and described.constant
    learner = RadoRule(
        RoundSettings(settings["rounds"], settings["weak_learner"], settings["kappa"]),
        settings["iterate"],
        settings["rule"],
        shear,
    )
    theta = learner.learn(rado_set.rados)
    scorer = rado_form(theta, form, described.protection, described.marginal)
    # Learning from rados keeps their certificate, and what is known against the version that made them.
    return Model(
        "radoboost", schema, (scorer,), described.guarantee, described.on_invalid, fitted_with=described.fitted_with
    )
