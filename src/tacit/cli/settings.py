"""A learner's own parameters from the text of the command line."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from tacit.errors import ParameterError
from tacit.estimators.base import PrivateFit
from tacit.estimators.class_weights import CLASS_WEIGHT, ClassWeight, class_weights
from tacit.estimators.paid_fit import PaidFit
from tacit.schema import Schema

if TYPE_CHECKING:
    from tacit.estimators import PrivateClassifier, PrivateRegressor

_SET_ELSEWHERE = {
    "schema": "--schema",
    "epsilon": "--epsilon",
    "delta": "--delta",
    "on_invalid": "--on-invalid",
    "holdout": "--holdout",
    "holdout_by": "--holdout-by",
    "ledger": "--ledger",
    "loss": "--loss",
    "monotone": "--monotone",
    "quantiles": "--quantile",
    "random_state": "--seed",
}
_FITS = {
    "auto": "AutoFit",
    "boosted-trees": "BoostedTreesFit",
    "brc": "BRCFit",
    "lazybb": "LazyBBFit",
    "logistic": "LogisticFit",
    "naive-bayes": "NaiveBayesFit",
    "radoboost": "RadoBoostFit",
    "svm": "SVMFit",
    "tree": "TreeFit",
}
"""What trains each learner."""


_REGRESSION_FITS = {
    "auto": "AutoRegressionFit",
    "boosted-trees": "BoostedTreesRegressionFit",
    "linear": "LinearRegressionFit",
}
"""The same where a number is predicted."""


def regression_fit(name: str) -> type[PaidFit]:
    """Return the fit of the learner of numbers of this name; a wrong one is refused with a list of the names."""
    if name not in _REGRESSION_FITS:
        raise ParameterError(
            f"Expected a learner that predicts a number, as the schema has a target, got learner={name!r}. Choose one "
            f"of {', '.join(_REGRESSION_FITS)}."
        )
    found: type[PaidFit] = getattr(import_module("tacit.estimators.regression"), _REGRESSION_FITS[name])
    return found


def check_for_number(name: str, **of_classes: bool) -> None:
    """Refuse options that are of classes alone, where they are given and a number is predicted.

    Examples
    --------
    >>> check_for_number("price", holdout_by=False)
    """
    for option in (each for each, given in of_classes.items() if given):
        raise ParameterError(
            f"Expected no --{option.replace('_', '-')} for the number {name!r} to predict, got one. Leave it out: it "
            "is of classes."
        )


def regressor_class(name: str) -> type[PrivateRegressor]:
    """Return the learner of numbers of this name as an estimator; a wrong one is refused as above."""
    called = regression_fit(name).__name__.replace("RegressionFit", "Regressor")
    found: type[PrivateRegressor] = getattr(import_module("tacit.estimators.regressors"), called)
    return found


def learner_class(name: str) -> type[PrivateClassifier]:
    """Return the learner of this name as an estimator; a wrong one is refused with a list of the names."""
    from tacit.study.learners import private_learners

    offered = private_learners()
    if name in offered:
        return offered[name]
    known = ", ".join(sorted(offered))
    raise ParameterError(f"Expected a learner, got learner={name!r}. Choose one of {known}.")


def learner_fit(name: str) -> type[PrivateFit]:
    """Return the fit of the learner of this name, without scikit-learn; a wrong name is refused as above."""
    if name not in _FITS:
        return learner_class(name)
    # By its module: so a fit imports its own learner, and not all of them.
    found: type[PrivateFit] = getattr(import_module(f"tacit.estimators.{name.replace('-', '_')}"), _FITS[name])
    return found


def read_settings(cls: type[PaidFit], assignments: Iterable[str]) -> dict[str, Any]:
    """Return the learner's own parameters from `name=value` texts, typed as its signature says.

    Examples
    --------
    >>> read_settings(learner_class("brc"), ["rounds=9", "intercept=uniform"])
    {'rounds': 9, 'intercept': 'uniform'}
    """
    settings: dict[str, Any] = {}
    hints = get_type_hints(cls)  # of the class: each field in the module that declares it
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip().replace("-", "_")  # options of a command are written with dashes
        if not equals:
            raise ParameterError(f"Expected name=value after --set, got {assignment!r}. Write for example rounds=9.")
        if name in settings:
            raise ParameterError(f"Expected each parameter once after --set, got {name!r} twice. Drop one.")
        _check_name(cls, name)
        settings[name] = _typed(name, text.strip(), hints.get(name, Any))
    return settings


def read_class_weight(texts: Sequence[str], schema: Schema) -> ClassWeight | None:
    """Return class weights from "balanced", or from `class=number` texts with the classes that the schema lists.

    Examples
    --------
    >>> from tacit import Label, Numeric
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("ill", [False, True]))
    >>> read_class_weight(["true=10"], schema), read_class_weight(["balanced"], schema)
    ({True: 10.0}, 'balanced')
    """
    if list(texts) == ["balanced"]:
        return "balanced"
    weights: dict[Any, float] = {}
    for text in texts:
        # A class may have the sign in its name, a number has none.
        name, equals, number = text.rpartition("=")
        each = next((each for each in schema.classes if _spelled(each) == _spelled(name)), name)
        if not equals or each in weights:
            raise ParameterError(
                f"Expected --class-weight balanced, or CLASS=NUMBER once for a class, got {text!r}. Write for example "
                "yes=10."
            )
        weights[each] = _typed(f"the weight of {name}", number.strip(), float)
    checked: ClassWeight | None = CLASS_WEIGHT.check("class_weight", weights or None)
    if checked:
        class_weights(checked, schema)
    return checked


def read_monotone(cls: type[PaidFit], texts: Sequence[str]) -> dict[str, int]:
    """Return signs by column from `column=+1` texts; a learner whose scores cannot be made monotone is refused.

    Examples
    --------
    >>> read_monotone(learner_class("logistic"), ["age=+1", "income=-1"])
    {'age': 1, 'income': -1}
    """
    if not hasattr(cls, "monotone"):
        takes = [name for name in _FITS if hasattr(learner_fit(name), "monotone")]
        raise ParameterError(
            f"Expected a learner whose scores can be made monotone, got {cls._learner} with --monotone. Choose one of "
            f"{', '.join(takes)}."
        )
    signs: dict[str, int] = {}
    for text in texts:
        name, _, sign = text.rpartition("=")
        if sign.strip() not in ("+1", "1", "-1") or not name or name in signs:
            raise ParameterError(
                f"Expected --monotone COLUMN=+1 or COLUMN=-1, once for a column, got {text!r}. Write for example "
                "age=+1."
            )
        signs[name] = int(sign)
    return signs


def _spelled(value: object) -> str:
    """Return a class as people write it; truth values as TOML or as Python has them."""
    text = str(value).strip()
    return text.lower() if text.lower() in ("true", "false") else text


def _check_name(cls: type[PaidFit], name: str) -> None:
    own = [each for each in inspect.signature(cls).parameters if each not in _SET_ELSEWHERE]
    if name in own:
        return
    if name in _SET_ELSEWHERE:
        remedy = f"It has an option of its own: {_SET_ELSEWHERE[name]}."
    else:
        near = get_close_matches(name, own, n=1)
        remedy = f"Did you mean {near[0]!r}?" if near else f"It has {', '.join(own) or 'none'}."
    raise ParameterError(f"Expected a parameter of the learner {cls._learner} after --set, got {name!r}. {remedy}")


def _typed(name: str, text: str, hint: Any) -> Any:
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if NoneType in options and text.lower() == "none":
        return None
    words = [word for option in options for word in _in_words(option)]
    if not words:
        raise ParameterError(f"Expected {name} to be set in Python only, got it after --set. Use the Python interface.")
    try:
        return TypeAdapter(hint).validate_strings(text)
    except ValidationError:
        pass  # its text is for programmers
    raise ParameterError(f"Expected {name} to be {' or '.join(words)}, got {name}={text}. Write one of these.")


def _in_words(option: Any) -> list[str]:
    if get_origin(option) is Literal:
        return [repr(value) for value in get_args(option)]
    if get_origin(option) is Mapping:
        return ["weights by class (--class-weight CLASS=NUMBER of tacit fit)"]
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return [words[option]] if option in words else []
