"""Private classifiers as scikit-learn estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.estimators.auto import AutoClassifier
    from tacit.estimators.base import PrivateClassifier
    from tacit.estimators.boosted_trees import BoostedTreesClassifier
    from tacit.estimators.bounds_learning import learn_bounds
    from tacit.estimators.brc import BRCClassifier
    from tacit.estimators.cost_of_search import SearchCost, search_cost
    from tacit.estimators.evaluation import Evaluation, evaluate
    from tacit.estimators.lazybb import LazyBBClassifier
    from tacit.estimators.logistic import LogisticClassifier
    from tacit.estimators.naive_bayes import NaiveBayesClassifier
    from tacit.estimators.radoboost import RadoBoostClassifier
    from tacit.estimators.rados import learn_from_rados, make_rados
    from tacit.estimators.schema_learning import learn_schema
    from tacit.estimators.search import PaidSearch
    from tacit.estimators.svm import SVMClassifier
    from tacit.estimators.tally import Spent, forget_fits, spent
    from tacit.estimators.tree import TreeClassifier
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "auto": "AutoClassifier",
            "base": "PrivateClassifier",
            "boosted_trees": "BoostedTreesClassifier",
            "bounds_learning": "learn_bounds",
            "brc": "BRCClassifier",
            "evaluation": "Evaluation evaluate",
            "lazybb": "LazyBBClassifier",
            "logistic": "LogisticClassifier",
            "naive_bayes": "NaiveBayesClassifier",
            "radoboost": "RadoBoostClassifier",
            "rados": "learn_from_rados make_rados",
            "schema_learning": "learn_schema",
            "search": "PaidSearch",
            "cost_of_search": "SearchCost search_cost",
            "svm": "SVMClassifier",
            "tally": "Spent forget_fits spent",
            "tree": "TreeClassifier",
        },
    )

__all__ = [
    "AutoClassifier",
    "BRCClassifier",
    "BoostedTreesClassifier",
    "Evaluation",
    "LazyBBClassifier",
    "LogisticClassifier",
    "NaiveBayesClassifier",
    "PaidSearch",
    "PrivateClassifier",
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
    "search_cost",
    "spent",
]
