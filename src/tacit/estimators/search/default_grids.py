"""Small public grids, by learner, for a search that is given none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.errors import ParameterError
from tacit.estimators.auto import AutoClassifier
from tacit.estimators.base import PrivateClassifier
from tacit.estimators.boosted_trees import BoostedTreesClassifier
from tacit.estimators.logistic import LogisticClassifier
from tacit.estimators.naive_bayes import NaiveBayesClassifier
from tacit.estimators.tree import TreeClassifier

GRIDS: dict[str, Mapping[str, list[Any]]] = {
    "boosted-trees": {"structure": ["mixed", "additive"], "learning_rate": [0.15, "auto"], "depth": ["auto", 3]},
    "logistic": {"encoding": ["auto", "binned"], "cut_points": ["auto", "grid"]},
    "tree": {"max_splits": ["auto", 2, 5, 12], "criterion": ["error", "gini"]},
    "naive-bayes": {"n_bins": [8, 32], "numeric": ["binned", "gaussian"]},
    "lazybb": {"rounds": ["auto", 10, 40]},
    "brc": {"rounds": ["auto", 5, 30]},
    "svm": {"n_bins": ["auto", 4, 16]},
    "radoboost": {"rule": ["boosted", "linear"]},
}
"""By name of the learner; the automatic choice has no settings of its own."""


def default_grid(estimator: PrivateClassifier) -> list[Mapping[str, Any]]:
    """Return the grid of an estimator's learner."""
    name = estimator._learner
    if name == "auto":
        return [{}]
    if name not in GRIDS:
        raise ParameterError(f"Expected a grid, as {type(estimator).__name__} has no default one. Pass a dictionary.")
    return [GRIDS[name]]


def other_learners(estimators: list[PrivateClassifier]) -> list[PrivateClassifier]:
    """Return the learners that compete with the automatic choice where it is the only candidate."""
    if len(estimators) > 1 or not isinstance(estimators[0], AutoClassifier):
        return []
    others = (LogisticClassifier, BoostedTreesClassifier, TreeClassifier, NaiveBayesClassifier)
    return [made(estimators[0].schema, on_invalid=estimators[0].on_invalid) for made in others]
