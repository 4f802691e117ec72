"""What the parameters that estimators share may be; each estimator declares its own in ``_parameters``."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, get_args

import numpy as np

from tacit.cut_points import CutPoints
from tacit.estimators.charging import LEDGER
from tacit.estimators.class_weights import CLASS_WEIGHT
from tacit.estimators.grouping import HOLDOUT_BY
from tacit.estimators.holdout import HOLDOUT
from tacit.estimators.number_loss import LOSS
from tacit.estimators.profiles import EXPLAIN_SHARE
from tacit.features.bin_encoding import N_BINS
from tacit.features.feature_encoding import EncodingName
from tacit.privacy.loss import DELTA, EPSILON
from tacit.privacy.parameters import AUTO, FLAG, NONE, SEED, Choice, Kind, Number, Requirement
from tacit.schema import Schema
from tacit.table import OnInvalid


def one_of(texts: Any) -> Choice:
    """Return the choice that a type of literal texts names."""
    return Choice(get_args(texts))


def _is_sign(value: object) -> bool:
    return type(value) is not bool and isinstance(value, Integral) and int(value) in (-1, 1)


MONOTONE = NONE | Kind(
    "1 or -1 by column",
    lambda value: isinstance(value, Mapping) and all(map(_is_sign, value.values())),
    "Write for example {'age': 1} for scores that rise with age, -1 for such that fall.",
    lambda value: {each: int(sign) for each, sign in value.items()},
)
"""What ``monotone`` may be."""

COMMON: dict[str, Requirement] = {
    "schema": Kind(
        "a tacit.Schema or 'infer'",
        lambda value: isinstance(value, Schema) or (isinstance(value, str) and value == "infer"),
        "Read a file with Schema.from_toml.",
    ),
    "epsilon": EPSILON,
    "delta": DELTA | AUTO,
    "on_invalid": one_of(OnInvalid),
    "holdout": HOLDOUT,
    "holdout_by": HOLDOUT_BY,
    "class_weight": CLASS_WEIGHT,
    "monotone": MONOTONE,
    **LOSS,
    "ledger": LEDGER,
    "random_state": NONE
    | SEED
    | Kind(
        "a Generator or RandomState of NumPy's",
        lambda value: isinstance(value, np.random.Generator | np.random.RandomState),
        "Give None for noise that may be published.",
    ),
}

LINEAR_METHODS = ("auto", "k-norm", "objective-perturbation", "gaussian-objective")

LINEAR: dict[str, Requirement] = {
    "encoding": one_of(EncodingName),
    "n_bins": N_BINS | AUTO,
    "cut_points": one_of(CutPoints),
    "regularization": Number(1e-12, 1e15, "It belongs to the sum over rows: n times that of a mean.") | AUTO,
    "intercept": FLAG | AUTO,
    "explain_share": EXPLAIN_SHARE,
}


def checked(known: Mapping[str, Requirement], **values: object) -> dict[str, Any]:
    """Return parameters as plain Python."""
    return {name: known[name].check(name, value) for name, value in values.items()}
