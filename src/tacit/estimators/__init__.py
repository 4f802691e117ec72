"""Private classifiers as scikit-learn estimators."""

from tacit.estimators.auto import AutoClassifier
from tacit.estimators.base import PrivateClassifier
from tacit.estimators.boosted_trees import BoostedTreesClassifier
from tacit.estimators.bounds_learning import learn_bounds
from tacit.estimators.brc import BRCClassifier
from tacit.estimators.evaluation import Evaluation, evaluate
from tacit.estimators.lazybb import LazyBBClassifier
from tacit.estimators.logistic import LogisticClassifier
from tacit.estimators.naive_bayes import NaiveBayesClassifier
from tacit.estimators.radoboost import RadoBoostClassifier
from tacit.estimators.rados import learn_from_rados, make_rados
from tacit.estimators.schema_learning import learn_schema
from tacit.estimators.search import PaidSearch
from tacit.estimators.search_cost import SearchCost, search_cost
from tacit.estimators.svm import SVMClassifier
from tacit.estimators.tally import Spent, forget_fits, spent
from tacit.estimators.tree import TreeClassifier

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
