"""From rows to rados, which may be handed over, and from rados to a model, without a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tacit.boosting.private_rados import PrivateRados
from tacit.boosting.rado_makers import (
    COUNT,
    SUPPORT,
    EdgeRados,
    MarginalRados,
    PlainRados,
    Protection,
    RadoMaker,
    part_of,
)
from tacit.boosting.radoboost import KAPPA, ROUNDS, ChosenBy, RadoRule, RoundSettings, Rule, WeakLearnerName, rado_form
from tacit.errors import ParameterError
from tacit.estimators.beforehand import refuse
from tacit.estimators.charging import charged, commit
from tacit.estimators.inputs import randomness, read_table
from tacit.estimators.requirements import COMMON, checked, one_of
from tacit.estimators.row_weights import check_takes_weights
from tacit.estimators.tally import count_fit
from tacit.features import LinearEncoding
from tacit.features.linear_encoding import CLIP, CategoricalEncoding
from tacit.ledger import Payment
from tacit.mechanisms import announce
from tacit.mechanisms.rado_signatures import RandomBits
from tacit.models import Model
from tacit.models.rado_set import RadoDescription, RadoSet
from tacit.models.released_schema import on_schema
from tacit.privacy import Accountant, Budget, Guarantee
from tacit.privacy.loss import EPSILON, MAX_EPSILON
from tacit.privacy.marginal import MarginalGuarantee
from tacit.privacy.parameters import FLAG, NONE, Choice, Kind, Requirement
from tacit.queries.edges import EdgeForm
from tacit.schema import Schema
from tacit.table import OnInvalid, Table


def _is_column_names(value: object) -> bool:
    listed = isinstance(value, tuple | list) and len(value) > 0 and all(isinstance(name, str) for name in value)
    return listed or (isinstance(value, str) and value != "")


PARAMETERS: Mapping[str, Requirement] = {
    "epsilon": EPSILON | NONE,
    "protection": one_of(Protection) | NONE,
    "protected_column": Kind("the name of a column, or names", _is_column_names, "Name columns of the schema.") | NONE,
    "count": COUNT,
    "rounds": ROUNDS,
    "weak_learner": one_of(WeakLearnerName),
    "kappa": KAPPA,
    "iterate": one_of(ChosenBy),
    "rule": one_of(Rule),
    "support": SUPPORT | NONE,
    "intercept": Choice(("centered", "constant", "none")),
    "encoding": one_of(CategoricalEncoding),
    "clip": CLIP | NONE,
}
"""Of rados and of boosting with them."""

NO_BUDGET = MAX_EPSILON
"""The epsilon of a void certificate, where no differential privacy was bought."""


def check_protection(protection: object, epsilon: object) -> Protection:
    """Return the protection that was asked for; an epsilon means private, and none must be written out."""
    if protection is None and epsilon is None:
        raise ParameterError(
            "Expected an epsilon, got none. Pass the privacy to spend, for example epsilon=1.0; to learn without any "
            "protection, write protection='none'."
        )
    asked = "private" if protection is None else protection
    if asked not in get_args(Protection):
        raise ParameterError(
            f"Expected protection 'private', 'edges', 'marginal' or 'none', got protection={protection!r}."
        )
    if asked == "none" and epsilon is not None:
        raise ParameterError("Expected no epsilon with protection='none', which would ignore it. Drop one of the two.")
    if asked != "none" and epsilon is None:
        raise ParameterError(f"Expected an epsilon with protection={asked!r}, got none. Pass one, as epsilon=1.0.")
    return asked  # type: ignore[return-value]


def protected_columns(protection: Protection, columns: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the columns of DP-Feat, none for other protections."""
    if protection != "marginal":
        if columns is not None:
            raise ParameterError(
                f"Expected protected_column with protection='marginal' only, got protection={protection!r}. Which "
                "columns are protected otherwise is said by the schema."
            )
        return ()
    if not columns:
        raise ParameterError("Expected a protected_column with protection='marginal', got none. Name one.")
    return (columns,) if isinstance(columns, str) else tuple(columns)


def rado_maker(
    table: Table,
    *,
    protection: Protection,
    epsilon: float | None,
    delta: float,
    columns: tuple[str, ...],
    count: int,
    support: float | None,
    random_state: Any,
    clip: float | None = None,
) -> RadoMaker:
    """Return the way to make rados; a budget for noisy edges is divided among one-against-rest targets."""
    bits = RandomBits(random_state)
    if support is not None and protection != "edges":
        raise ParameterError(f"Expected support with protection='edges' only, got protection={protection!r}. Drop it.")
    if protection == "none" or epsilon is None:
        return PlainRados(count, bits)
    if protection == "private":
        return PrivateRados(count, clip)
    parts = 1 if table.n_classes == 2 else table.n_classes
    if protection == "edges":
        share = 0.5 if support is None else support
        # Each class against the rest gets noisy edges of its own, whose losses add up.
        return EdgeRados(count, bits, part_of(epsilon, parts), part_of(delta, parts), share)
    if parts > 1:
        raise ParameterError("Expected two classes with protection='marginal', got more. Use protection='private'.")
    unknown = [name for name in columns if name not in table.schema.names]
    if unknown:
        raise ParameterError(f"Expected a column of the schema, got protected_column={unknown[0]!r}. Check its name.")
    return MarginalRados(count, bits, columns, epsilon)


def void_reasons(protection: Protection, schema: Schema, columns: object) -> tuple[str, ...]:
    """Return why a certificate for these rados promises nothing, if so."""
    if protection == "none" and (schema.full.private_columns or schema.label.private):
        return ("Nothing protects the rados: protection='none'.",)
    if protection == "marginal" and (schema.full.private_columns or schema.label.private):
        return (
            f"DP-Feat hides the entries of {columns!r} in the rados, each alone, and no person: protection='marginal' "
            "is no differential privacy.",
        )
    return ()


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
    ledger: str | Path | None = None,
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
        ledger=ledger,
        random_state=random_state,
    )
    return _rados_of(X, y, schema, given, constant=FLAG.check("constant", constant))


def _rados_of(X: Any, y: Any, schema: Schema | str, given: Mapping[str, Any], *, constant: bool) -> RadoSet:
    """Return rados as checked parameters ask for them."""
    random_state, of_column = given["random_state"], given["protected_column"]
    kept = check_protection(given["protection"], given["epsilon"])
    budget = _budget_of(kept, given["epsilon"], given["delta"])
    own = {name: value for name, value in given.items() if name not in ("schema", "on_invalid")}
    with charging_rados(schema, **own, constant=constant) as payment:
        table, _ = read_table(X, y, schema, given["on_invalid"], reader="make_rados", payment=payment)
        maker, form = _maker_of(table, given, constant=constant)
        made = _made(table, maker, form, budget, random_state, void_reasons(kept, table.schema, of_column))
        described = RadoDescription(
            table.schema, given["encoding"], constant, kept, made.guarantee, made.marginal, given["on_invalid"],
            made.reach,
        )  # fmt: skip
        commit(payment, made.guarantee)
    return RadoSet(made.rados, described)


@contextmanager
def charging_rados(
    schema: Schema | str, *, constant: bool = True, ledger: str | Path | None = None, **asked: Any
) -> Iterator[Payment | None]:
    """Charge a ledger for the one call of ``make_rados`` in the body, which reads rows; None without a ledger.

    Further parameters are those of ``make_rados``.

    Raises
    ------
    AccountExceeded, LedgerError
        If the ledger does not admit it; the body does not run.
    """
    given = {name: each.default for name, each in signature(make_rados).parameters.items()} | asked
    kept = check_protection(given["protection"], given["epsilon"])
    budget = _budget_of(kept, given["epsilon"], given["delta"])
    void = void_reasons(kept, schema, given["protected_column"]) if isinstance(schema, Schema) else ()

    def refused(table: Table) -> None:
        budget.check_rows(table.n_persons)
        maker, form = _maker_of(table, given, constant=constant)
        maker.plan(form, table.unit)

    told: dict[str, Any] = {"random_state": given["random_state"], "void": void, "has_rho": kept != "edges"}
    told["refuse"] = lambda n_rows: refuse(schema, n_rows, budget.delta, refused)
    with charged(ledger, schema, budget, fitted="rados", **told) as payment:
        yield payment


def _maker_of(table: Table, given: Mapping[str, Any], *, constant: bool) -> tuple[RadoMaker, EdgeForm]:
    """Return what makes rados of a table, or refuse it by what is public of it."""
    kept = check_protection(given["protection"], given["epsilon"])
    own = {name: given[name] for name in ("epsilon", "delta", "count", "support", "clip", "random_state")}
    maker = rado_maker(table, protection=kept, columns=protected_columns(kept, given["protected_column"]), **own)
    _check_rados_of(table, maker)
    reach = 1.0 if given["clip"] is None else given["clip"]
    return maker, EdgeForm(
        LinearEncoding(table.schema, table.schema.names, given["encoding"], reach), constant=constant
    )


def _budget_of(protection: Protection, epsilon: float | None, delta: float) -> Budget:
    return Budget(NO_BUDGET) if protection in ("none", "marginal") or epsilon is None else Budget(epsilon, delta)


@dataclass(frozen=True, eq=False)
class Made:
    """Rados with what protects them, and how far numbers reached into them."""

    rados: NDArray[np.float64]
    guarantee: Guarantee
    marginal: MarginalGuarantee | None
    reach: float


def _made(
    table: Table, maker: RadoMaker, form: EdgeForm, budget: Budget, random_state: Any, void: tuple[str, ...]
) -> Made:
    noise, generator = randomness(random_state, stacklevel=4)
    accountant = Accountant(budget, table.unit, noise, n_rows=table.n_persons)
    if not table.unit.protects_nothing:
        count_fit(table.schema, budget, stacklevel=4)
    releases = announce(accountant, maker.plan(form, table.unit))
    form = maker.clipped(form, table.unit, releases, table.n_persons)
    rados = maker.make(table, form, releases, generator)
    guessed = ("The schema was inferred from the rows.",) if table.schema.guessed else ()
    guarantee = on_schema(accountant.guarantee(reasons=(*guessed, *void)), table.schema)
    marginal = maker.guarantee(table.n_rows) if isinstance(maker, MarginalRados) else None
    return Made(rados, guarantee, marginal, form.encoding.clip)


def _check_rados_of(table: Table, maker: RadoMaker) -> None:
    """Refuse tables of which there are no rados."""
    if len(table.schema.classes) != 2:
        raise ParameterError("Expected two classes, got more. Make a set of rados for each class against the rest.")
    check_takes_weights(table.schema, "rados", "they are sums over some of the rows, which count the same")
    persons = table.unit.persons
    reason = maker.unsupported(persons) if persons else None
    if reason:
        raise ParameterError(
            f"Expected persons with one row each for rados, got {persons}: {reason}. Keep one row of each person."
        )


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
    schema = described.schema.without_persons()
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
