"""Private classifiers and regressors as scikit-learn estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.estimators.bounds_learning import learn_bounds
    from tacit.estimators.classifiers import (
        AutoClassifier,
        BoostedTreesClassifier,
        BRCClassifier,
        LazyBBClassifier,
        LogisticClassifier,
        NaiveBayesClassifier,
        PrivateClassifier,
        RadoBoostClassifier,
        SVMClassifier,
        TreeClassifier,
    )
    from tacit.estimators.cost_of_search import SearchCost, search_cost
    from tacit.estimators.evaluation import Evaluation, evaluate
    from tacit.estimators.merging import merge
    from tacit.estimators.rados import learn_from_rados, make_rados
    from tacit.estimators.regressors import (
        AutoRegressor,
        BoostedTreesRegressor,
        LinearRegressor,
        PrivateRegressor,
    )
    from tacit.estimators.schema_learning import learn_schema
    from tacit.estimators.search import PaidRegressionSearch, PaidSearch
    from tacit.estimators.tally import Spent, forget_fits, spent
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "bounds_learning": "learn_bounds",
            "classifiers": "AutoClassifier BRCClassifier BoostedTreesClassifier LazyBBClassifier LogisticClassifier "
            "NaiveBayesClassifier PrivateClassifier RadoBoostClassifier SVMClassifier TreeClassifier",
            "evaluation": "Evaluation evaluate",
            "merging": "merge",
            "rados": "learn_from_rados make_rados",
            "regressors": "AutoRegressor BoostedTreesRegressor LinearRegressor PrivateRegressor",
            "schema_learning": "learn_schema",
            "search": "PaidRegressionSearch PaidSearch",
            "cost_of_search": "SearchCost search_cost",
            "tally": "Spent forget_fits spent",
        },
    )

__all__ = [
    "AutoClassifier",
    "AutoRegressor",
    "BRCClassifier",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "Evaluation",
    "LazyBBClassifier",
    "LinearRegressor",
    "LogisticClassifier",
    "NaiveBayesClassifier",
    "PaidRegressionSearch",
    "PaidSearch",
    "PrivateClassifier",
    "PrivateRegressor",
    "RadoBoostClassifier",
    "SVMClassifier",
    "SearchCost",
    "Spent",
    "TreeClassifier",
    "evaluate",
    "forget_fits",
    "learn_bounds",
    "learn_from_rados",
    "learn_schema",
    "make_rados",
    "merge",
    "search_cost",
    "spent",
]
