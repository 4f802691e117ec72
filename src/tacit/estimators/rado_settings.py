"""Checks of the parameters that protect rados, and the maker of rados that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from tacit.boosting.private_rados import PrivateRados
from tacit.boosting.rado_learner import ChosenBy, Rule
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
from tacit.boosting.radoboost import KAPPA, ROUNDS, WeakLearnerName
from tacit.errors import ParameterError
from tacit.estimators.requirements import one_of
from tacit.mechanisms.rado_signatures import RandomBits
from tacit.privacy.loss import EPSILON, LARGEST_EPSILON
from tacit.privacy.parameters import NONE, Choice, Kind, Requirement
from tacit.schema import Schema
from tacit.table import Table
from tacit.table.linear_encoding import CLIP, CategoricalEncoding


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

NO_BUDGET = LARGEST_EPSILON
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
        return EdgeRados(count, bits, part_of(epsilon, parts), part_of(delta, parts), share)
    if parts > 1:
        raise ParameterError("Expected two classes with protection='marginal', got more. Use protection='private'.")
    unknown = [name for name in columns if name not in table.schema.names]
    if unknown:
        raise ParameterError(f"Expected a column of the schema, got protected_column={unknown[0]!r}. Check its name.")
    return MarginalRados(count, bits, columns, epsilon)


def void_reasons(protection: Protection, schema: Schema, columns: object) -> tuple[str, ...]:
    """Return why a certificate for these rados promises nothing, if so."""
    if protection == "none" and (schema.private_columns or schema.label.private):
        return ("Nothing protects the rados: protection='none'.",)
    if protection == "marginal" and (schema.private_columns or schema.label.private):
        return (
            f"DP-Feat hides the entries of {columns!r} in the rados, each alone, and no person: protection='marginal' "
            "is no differential privacy.",
        )
    return ()
