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


def linear(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return linear regression by noisy coefficients of the squared loss; bounds are the schema's."""
    from diffprivlib.models import LinearRegression

    low, high = public["target"]
    return LinearRegression(
        epsilon=settings["epsilon"], bounds_X=_bounds(public), bounds_y=(low, high), random_state=settings["seed"]
    ), None


class CenteredLinear:
    """Linear regression whose features and target lie in [-1, 1] by the declared bounds.

    The intercept is a feature: so no mean is released, and each square has its sensitivity.

    Parameters
    ----------
    settings, public : mapping
    """

    def __init__(self, settings: Mapping[str, Any], public: Mapping[str, Any]):
        from diffprivlib.models import LinearRegression

        low, high = _bounds(public)
        self._middle, self._half = (high + low) / 2, np.maximum((high - low) / 2, np.finfo(float).tiny)
        self._bounds = public["target"]
        ends = -np.ones(len(low) + 1), np.ones(len(low) + 1)
        self._model = LinearRegression(
            epsilon=settings["epsilon"],
            bounds_X=ends,
            bounds_y=(-1, 1),
            fit_intercept=False,
            random_state=settings["seed"],
        )

    def fit(self, rows: Any, labels: Any) -> CenteredLinear:
        """Train on the scaled rows."""
        low, high = self._bounds
        self._model.fit(self._scaled(rows), (2 * labels - high - low) / (high - low))
        return self

    def predict(self, rows: Any) -> Any:
        """Return the number of each row, in the target's unit."""
        low, high = self._bounds
        return (high + low) / 2 + (high - low) / 2 * self._model.predict(self._scaled(rows))

    def _scaled(self, rows: Any) -> Any:
        return np.column_stack([(rows - self._middle) / self._half, np.ones(len(rows))])


def linear_centered(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return linear regression centered by the declared bounds; nothing is imported while the time runs."""
    return CenteredLinear(settings, public), None


MODELS = {
    "logistic": logistic,
    "naive-bayes": naive_bayes,
    "tree": tree,
    "forest": forest,
    "linear": linear,
    "linear-centered": linear_centered,
}


def log_odds(model: Any, rows: Any) -> Any:
    """Return the logarithm of the odds, which does not round to 1 where a probability does."""
    likely = model.predict_log_proba(rows)
    return likely[:, 1] - likely[:, 0]


def probability(model: Any, rows: Any) -> Any:
    """Return the probability of the second class."""
    return model.predict_proba(rows)[:, 1]


def _bounds(public: Mapping[str, Any]) -> tuple[Any, Any]:
    return np.asarray(public["low"]), np.asarray(public["high"])
