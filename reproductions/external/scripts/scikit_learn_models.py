"""Models of scikit-learn, without privacy, made from settings and from what the schema says."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version as version_of
from typing import Any

Made = tuple[Any, Any]
"""A model, and the function of it and of rows that scores the second class."""


def version() -> str:
    """Return the version that is installed."""
    return version_of("scikit-learn")


def logistic(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return logistic regression."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=settings["C"], max_iter=settings["max_iter"]), LogisticRegression.decision_function


def naive_bayes(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return Gaussian naive Bayes."""
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB(), log_odds


def tree(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return a decision tree."""
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=settings["max_depth"], random_state=settings["seed"]), probability


def forest(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return a random forest."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(settings["n_estimators"], random_state=settings["seed"]), probability


def boosting(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return gradient boosting on histograms, categories as such where they are few enough."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=settings["max_iter"],
        learning_rate=settings["learning_rate"],
        categorical_features=[0 < each < 255 for each in public["categories"]],
        random_state=settings["seed"],
    )
    return model, HistGradientBoostingClassifier.decision_function


def ridge(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return ridge regression."""
    from sklearn.linear_model import Ridge

    return Ridge(alpha=settings["alpha"]), None


def boosting_regressor(settings: Mapping[str, Any], public: Mapping[str, Any]) -> Made:
    """Return gradient boosting on histograms of a number to predict, categories as such where they are few enough."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        max_iter=settings["max_iter"],
        learning_rate=settings["learning_rate"],
        categorical_features=[0 < each < 255 for each in public["categories"]],
        random_state=settings["seed"],
    )
    return model, None


MODELS = {
    "logistic": logistic,
    "naive-bayes": naive_bayes,
    "tree": tree,
    "forest": forest,
    "boosting": boosting,
    "ridge": ridge,
    "boosting-regressor": boosting_regressor,
}


def log_odds(model: Any, rows: Any) -> Any:
    """Return the logarithm of the odds, which does not round to 1 where a probability does."""
    likely = model.predict_log_proba(rows)
    return likely[:, 1] - likely[:, 0]


def probability(model: Any, rows: Any) -> Any:
    """Return the probability of the second class."""
    return model.predict_proba(rows)[:, 1]
