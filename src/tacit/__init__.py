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
        BoostedTreesClassifier,
        BRCClassifier,
        LazyBBClassifier,
        LogisticClassifier,
        NaiveBayesClassifier,
        RadoBoostClassifier,
        SVMClassifier,
        TreeClassifier,
        make_rados,
        search_cost,
    )
    from tacit.models import Model
    from tacit.models import read_model as load_model
    from tacit.privacy import Guarantee
    from tacit.schema import Categorical, Label, Numeric, Schema

__all__ = [
    "BRCClassifier",
    "BoostedTreesClassifier",
    "Categorical",
    "Guarantee",
    "Label",
    "LazyBBClassifier",
    "LogisticClassifier",
    "Model",
    "NaiveBayesClassifier",
    "Numeric",
    "PrivacyWarning",
    "RadoBoostClassifier",
    "SVMClassifier",
    "Schema",
    "TacitError",
    "TreeClassifier",
    "load_model",
    "make_rados",
    "search_cost",
]

_HOMES = {
    "BoostedTreesClassifier": ("tacit.estimators", "BoostedTreesClassifier"),
    "BRCClassifier": ("tacit.estimators", "BRCClassifier"),
    "LazyBBClassifier": ("tacit.estimators", "LazyBBClassifier"),
    "LogisticClassifier": ("tacit.estimators", "LogisticClassifier"),
    "RadoBoostClassifier": ("tacit.estimators", "RadoBoostClassifier"),
    "SVMClassifier": ("tacit.estimators", "SVMClassifier"),
    "make_rados": ("tacit.estimators", "make_rados"),
    "NaiveBayesClassifier": ("tacit.estimators", "NaiveBayesClassifier"),
    "TreeClassifier": ("tacit.estimators", "TreeClassifier"),
    "search_cost": ("tacit.estimators", "search_cost"),
    "Model": ("tacit.models", "Model"),
    "load_model": ("tacit.models", "read_model"),
    "Guarantee": ("tacit.privacy", "Guarantee"),
    "Categorical": ("tacit.schema", "Categorical"),
    "Label": ("tacit.schema", "Label"),
    "Numeric": ("tacit.schema", "Numeric"),
    "Schema": ("tacit.schema", "Schema"),
}


def __getattr__(name: str) -> Any:
    """Load a public name's module when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
