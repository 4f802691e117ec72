"""What every parameter of every estimator may be: one table, checked before a row is read."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, get_args

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from tacit.boosting.brc import ROUNDS as BRC_ROUNDS
from tacit.boosting.brc import Intercept
from tacit.boosting.capped_weights import CAP
from tacit.boosting.lazybb import ROUNDS as LAZYBB_ROUNDS
from tacit.boosting.rado_learner import ChosenBy, Rule
from tacit.boosting.rado_makers import COUNT, SUPPORT, Protection
from tacit.boosting.radoboost import KAPPA, WeakLearnerName
from tacit.boosting.radoboost import ROUNDS as RADO_ROUNDS
from tacit.boosting.smooth_weights import DENSITY, LEARNING_RATE
from tacit.learners.naive_bayes import CALIBRATION, SMOOTHING, NumericLaw
from tacit.learners.top_down import SPLITS as WEAK_SPLITS
from tacit.learners.tree import DEPTH, SPLITS, Growth, LeafDetail, LevelBudget, TreeCriterion
from tacit.privacy.budget import DELTA, EPSILON
from tacit.privacy.requirement import AUTO, NONE, SEED, Choice, Flag, Kind, Number, Requirement
from tacit.schema import Schema
from tacit.table import OnInvalid
from tacit.table.bin_encoding import PARTS
from tacit.table.feature_encoding import EncodingName
from tacit.table.linear_encoding import CLIP, CategoricalEncoding
from tacit.table.literals import NumericLiterals


def _one_of(texts: Any) -> Choice:
    """Return the choice that a type of literal texts names."""
    return Choice(get_args(texts))


def _is_public_learner(value: object) -> bool:
    """Tell whether this is a classifier of scikit-learn's whose fit takes weights, or passes on what it is given."""
    if not isinstance(value, BaseEstimator) or not is_classifier(value):
        return False
    accepted = signature(value.fit).parameters.values()
    return any(each.name == "sample_weight" or each.kind is each.VAR_KEYWORD for each in accepted)


def _is_column_names(value: object) -> bool:
    listed = isinstance(value, tuple | list) and len(value) > 0 and all(isinstance(name, str) for name in value)
    return listed or (isinstance(value, str) and value != "")


_COMMON: dict[str, Requirement] = {
    "schema": Kind(
        "a tacit.Schema or 'infer'",
        lambda value: isinstance(value, Schema) or (isinstance(value, str) and value == "infer"),
        "Read a file with Schema.from_toml.",
    ),
    "epsilon": EPSILON,
    "delta": DELTA,
    "on_invalid": _one_of(OnInvalid),
    "random_state": NONE
    | SEED
    | Kind(
        "a Generator or RandomState of NumPy's",
        lambda value: isinstance(value, np.random.Generator | np.random.RandomState),
        "Give None for noise that may be published.",
    ),
}

_LINEAR_METHODS = ("auto", "k-norm", "objective-perturbation", "gaussian-objective")

_LINEAR: dict[str, Requirement] = {
    "encoding": _one_of(EncodingName),
    "parts": PARTS | AUTO,
    "regularization": Number(1e-12, 1e15, "It belongs to the sum over rows: n times that of a mean.") | AUTO,
    "intercept": Flag() | AUTO,
}

_OWN: dict[str, dict[str, Requirement]] = {
    "brc": {
        "rounds": BRC_ROUNDS | AUTO,
        "c1": CAP,
        "c2": CAP,
        "intercept": _one_of(Intercept),
        "encoding": _one_of(CategoricalEncoding),
        "public_learner": NONE
        | Kind(
            "a scikit-learn classifier whose fit takes sample_weight",
            _is_public_learner,
            "Pass an instance of one, such as LogisticRegression().",
        ),
        "draw_classifiers": NONE
        | Kind("a function", lambda value: callable(value) and not isinstance(value, type), "Leave it out."),
    },
    "lazybb": {
        "rounds": LAZYBB_ROUNDS | AUTO,
        "learning_rate": LEARNING_RATE | AUTO,
        "density": DENSITY | AUTO,
        "weak_learner": Choice(("one-rule", "tree")),
        "max_splits": WEAK_SPLITS,
        "literals": _one_of(NumericLiterals),
        "cut_points": Choice(("schema", "private")),
        "public_start": Flag(),
    },
    "logistic": {**_LINEAR, "method": Choice((*_LINEAR_METHODS, "noisy-gradient", "mean-operator"))},
    "svm": {**_LINEAR, "method": Choice(_LINEAR_METHODS), "huber": Number(1e-3, 1, "The paper takes 0.05.")},
    "naive-bayes": {
        "numeric": _one_of(NumericLaw),
        "parts": PARTS,
        "smoothing": SMOOTHING,
        "calibration": CALIBRATION,
    },
    "tree": {
        "growth": _one_of(Growth),
        "criterion": _one_of(TreeCriterion),
        "max_depth": DEPTH | AUTO,
        "max_splits": SPLITS | AUTO,
        "level_budget": _one_of(LevelBudget),
        "leaf_detail": AUTO | _one_of(LeafDetail),
    },
    "radoboost": {
        "epsilon": EPSILON | NONE,
        "protection": _one_of(Protection) | NONE,
        "protected_column": Kind("the name of a column, or names", _is_column_names, "Name columns of the schema.")
        | NONE,
        "count": COUNT,
        "rounds": RADO_ROUNDS,
        "weak_learner": _one_of(WeakLearnerName),
        "kappa": KAPPA,
        "iterate": _one_of(ChosenBy),
        "rule": _one_of(Rule),
        "support": SUPPORT | NONE,
        "intercept": Choice(("centered", "constant", "none")),
        "encoding": _one_of(CategoricalEncoding),
        "clip": CLIP | NONE,
    },
}


def checked(learner: str, **values: object) -> dict[str, Any]:
    """Return parameters of the named learner as plain Python.

    Raises
    ------
    ParameterError
        With the first that is out of its bounds.
    """
    known = requirements(learner)
    return {name: known[name].check(name, value) for name, value in values.items()}


def requirements(learner: str) -> Mapping[str, Requirement]:
    """Return what each parameter of the named learner's estimator may be."""
    return _COMMON | _OWN.get(learner, {})
