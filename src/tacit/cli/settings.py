"""A learner's own parameters from the text of the command line."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from tacit.errors import ParameterError
from tacit.estimators import PrivateClassifier
from tacit.study.learners import private_learners

_SET_ELSEWHERE = {
    "schema": "--schema",
    "epsilon": "--epsilon",
    "delta": "--delta",
    "on_invalid": "--on-invalid",
    "holdout": "--holdout",
    "ledger": "--ledger",
    "random_state": "--seed",
}


def learner_class(name: str) -> type[PrivateClassifier]:
    """Return the learner of this name; a wrong one is refused with a list of the names."""
    known = private_learners()
    if name in known:
        return known[name]
    raise ParameterError(f"Expected a learner, got learner={name!r}. Choose one of {', '.join(sorted(known))}.")


def read_settings(cls: type[PrivateClassifier], assignments: Iterable[str]) -> dict[str, Any]:
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


def _check_name(cls: type[PrivateClassifier], name: str) -> None:
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
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return [words[option]] if option in words else []
