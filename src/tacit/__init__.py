"""Differentially private models of tables that may be published, with a certificate of what they protect.

Declare which columns of a table are private and how much privacy to spend; get a classifier or a regressor, and its
guarantee.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.errors import PrivacyWarning, TacitError
from tacit.on_demand import on_demand
from tacit.version import __version__ as __version__

if TYPE_CHECKING:
    from tacit.estimators import (
        AutoClassifier,
        AutoRegressor,
        BoostedTreesClassifier,
        BoostedTreesRegressor,
        BRCClassifier,
        LazyBBClassifier,
        LinearRegressor,
        LogisticClassifier,
        NaiveBayesClassifier,
        PaidRegressionSearch,
        PaidSearch,
        RadoBoostClassifier,
        SVMClassifier,
        TreeClassifier,
        evaluate,
        learn_bounds,
        learn_schema,
        make_rados,
        merge,
        search_cost,
    )
    from tacit.models import Model, RegressionModel
    from tacit.models import read_model as load_model
    from tacit.privacy import Guarantee, ProgressEvent, progress
    from tacit.schema import (
        Categorical,
        Feature,
        FileFormat,
        Identifier,
        Kinds,
        Label,
        Numeric,
        Schema,
        SideTable,
        Target,
        Weight,
    )
    from tacit.table import joined
else:  # a checker that saw it would take any name for a public one
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "estimators": "AutoClassifier AutoRegressor BoostedTreesClassifier BoostedTreesRegressor BRCClassifier "
            "LazyBBClassifier LinearRegressor LogisticClassifier "
            "NaiveBayesClassifier PaidRegressionSearch PaidSearch RadoBoostClassifier SVMClassifier TreeClassifier "
            "evaluate learn_bounds learn_schema make_rados merge search_cost",
            "models": "Model RegressionModel load_model=read_model",
            "privacy": "Guarantee ProgressEvent progress",
            "schema": "Categorical Feature FileFormat Identifier Kinds Label Numeric Schema SideTable Target Weight",
            "table": "joined",
        },
    )

__all__ = [
    "AutoClassifier",
    "AutoRegressor",
    "BRCClassifier",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "Categorical",
    "Feature",
    "FileFormat",
    "Guarantee",
    "Identifier",
    "Kinds",
    "Label",
    "LazyBBClassifier",
    "LinearRegressor",
    "LogisticClassifier",
    "Model",
    "NaiveBayesClassifier",
    "Numeric",
    "PaidRegressionSearch",
    "PaidSearch",
    "PrivacyWarning",
    "ProgressEvent",
    "RadoBoostClassifier",
    "RegressionModel",
    "SVMClassifier",
    "Schema",
    "SideTable",
    "TacitError",
    "Target",
    "TreeClassifier",
    "Weight",
    "evaluate",
    "joined",
    "learn_bounds",
    "learn_schema",
    "load_model",
    "make_rados",
    "merge",
    "progress",
    "search_cost",
]
