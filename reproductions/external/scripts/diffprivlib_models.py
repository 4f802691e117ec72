"""Models of diffprivlib, made from settings and from what the schema says."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version as version_of
from typing import Any

import numpy as np

Made = tuple[Any, Any]
"""A model, and the function of it and of rows that scores the second class."""


def version() -> str:
    """Return the version that is installed."""
    return version_of("diffprivlib")


def logistic(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return objective perturbation; the norm of a row is bounded by the schema."""
    from diffprivlib.models import LogisticRegression

    model = LogisticRegression(
        epsilon=settings["epsilon"],
        data_norm=public["norm"],
        C=settings["C"],
        max_iter=settings["max_iter"],
        random_state=settings["seed"],
    )
    return model, type(model).decision_function


def naive_bayes(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return Gaussian naive Bayes; bounds are the schema's."""
    from diffprivlib.models import GaussianNB

    return GaussianNB(epsilon=settings["epsilon"], bounds=_bounds(public), random_state=settings["seed"]), log_odds


def tree(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return a tree of random splits with private leaf labels; bounds and classes are the schema's."""
    from diffprivlib.models import DecisionTreeClassifier

    model = DecisionTreeClassifier(
        max_depth=settings["max_depth"],
        epsilon=settings["epsilon"],
        bounds=_bounds(public),
        classes=list(range(public["n_classes"])),
        random_state=settings["seed"],
    )
    return model, probability


def forest(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return such trees, each trained on rows of its own."""
    from diffprivlib.models import RandomForestClassifier

    model = RandomForestClassifier(
        n_estimators=settings["n_estimators"],
        max_depth=settings["max_depth"],
        epsilon=settings["epsilon"],
        bounds=_bounds(public),
        classes=list(range(public["n_classes"])),
        random_state=settings["seed"],
    )
    return model, probability


MODELS = {"logistic": logistic, "naive-bayes": naive_bayes, "tree": tree, "forest": forest}


def log_odds(model: Any, rows: Any) -> Any:
    """Return the logarithm of the odds, which does not round to 1 where a probability does."""
    likely = model.predict_log_proba(rows)
    return likely[:, 1] - likely[:, 0]


def probability(model: Any, rows: Any) -> Any:
    """Return the probability of the second class."""
    return model.predict_proba(rows)[:, 1]


def _bounds(public: Mapping[str, Any]) -> tuple[Any, Any]:
    return np.asarray(public["low"]), np.asarray(public["high"])
