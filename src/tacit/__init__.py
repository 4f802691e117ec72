"""Differentially private classifiers that may be published, with a certificate of what they protect.

Declare which columns of a table are private and how much privacy to spend; get a classifier and its guarantee.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.errors import PrivacyWarning, TacitError
from tacit.version import __version__ as __version__

if TYPE_CHECKING:
    from tacit.estimators import (
        AutoClassifier,
        BoostedTreesClassifier,
        BRCClassifier,
        LazyBBClassifier,
        LogisticClassifier,
        NaiveBayesClassifier,
        PaidSearch,
        RadoBoostClassifier,
        SVMClassifier,
        TreeClassifier,
        evaluate,
        learn_bounds,
        learn_schema,
        make_rados,
        search_cost,
    )
    from tacit.models import Model
    from tacit.models import read_model as load_model
    from tacit.privacy import Guarantee, ProgressEvent, progress
    from tacit.schema import Categorical, FileFormat, Identifier, Kinds, Label, Numeric, Schema

__all__ = [
    "AutoClassifier",
    "BRCClassifier",
    "BoostedTreesClassifier",
    "Categorical",
    "FileFormat",
    "Guarantee",
    "Identifier",
    "Kinds",
    "Label",
    "LazyBBClassifier",
    "LogisticClassifier",
    "Model",
    "NaiveBayesClassifier",
    "Numeric",
    "PaidSearch",
    "PrivacyWarning",
    "ProgressEvent",
    "RadoBoostClassifier",
    "SVMClassifier",
    "Schema",
    "TacitError",
    "TreeClassifier",
    "evaluate",
    "learn_bounds",
    "learn_schema",
    "load_model",
    "make_rados",
    "progress",
    "search_cost",
]

_ROOMS = {
    "Model": "models",
    "load_model": "models",
    "Guarantee": "privacy",
    "ProgressEvent": "privacy",
    "progress": "privacy",
    "Categorical": "schema",
    "FileFormat": "schema",
    "Identifier": "schema",
    "Kinds": "schema",
    "Label": "schema",
    "Numeric": "schema",
    "Schema": "schema",
}
"""Where a name is found; all others are estimators'."""


if not TYPE_CHECKING:  # a checker that saw it would take any name for a public one

    def __getattr__(name: str) -> Any:
        """Load a public name's room when it is first used: a schema needs no learner, nor what learners import."""
        if name not in __all__:
            raise AttributeError(f"module 'tacit' has no attribute {name!r}")
        room = import_module(f"tacit.{_ROOMS.get(name, 'estimators')}")
        value = getattr(room, "read_model" if name == "load_model" else name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
