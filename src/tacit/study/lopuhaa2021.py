"""Settings and figures of Lopuhaä-Zwakenberg and others (2021), "Comparing Classifiers' Performance under DP".

What the paper reads off the rows before it trains (medians, codes, smallest and largest values) is read here too,
without noise: for studies on public tables, never for a private one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from math import ceil, sqrt
from typing import Any, Literal

import numpy as np
import polars as pl
from sklearn.model_selection import KFold

from tacit.datasets import Dataset
from tacit.errors import PrivacyWarning
from tacit.estimators import NaiveBayesClassifier, TreeClassifier
from tacit.schema import Numeric, Schema
from tacit.study.huber_svm import HuberSVM

LearnerName = Literal["naive-bayes", "svm", "tree"]
Accounting = Literal["corrected", "paper"]

EPSILONS = (1e-11, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
"""Section 4."""

NAMES = ("adult", "mushroom", "nursery", "spect", "house-votes-84", "skin-segmentation")

TABLE_2: dict[str, dict[str, tuple[float, ...]]] = {
    "accuracy": {
        "naive-bayes": (0.8208, 0.8472, 0.0834, 0.5337, 0.9135, 0.9239),
        "svm": (0.8288, 0.9990, 0.9747, 0.6995, 0.4139, 0.7914),
        "tree": (0.8450, 1.0000, 0.8248, 0.7388, 0.9538, 0.7926),
    },
    "average": {
        "naive-bayes": (0.6905, 0.7458, 0.1148, 0.6204, 0.7374, 0.7763),
        "svm": (0.8131, 0.8892, 0.8794, 0.5014, 0.2454, 0.7918),
        "tree": (0.7059, 0.6620, 0.5427, 0.5636, 0.5893, 0.7685),
    },
}
"""Accuracies without privacy, and averages over the privacy levels, in the order of ``NAMES``."""


def table2(
    data: Dataset,
    learners: Sequence[LearnerName] = ("naive-bayes", "svm", "tree"),
    *,
    repeats: int = 1,
    folds: int = 10,
) -> pl.DataFrame:
    """Return accuracies without privacy, one row a cross-validation: the first line of each part of table 2.

    Parameters
    ----------
    data : Dataset
    learners : sequence of {"naive-bayes", "svm", "tree"}
    repeats : int
        Cross-validations, each of other random folds.
    folds : int

    Examples
    --------
    >>> from tacit.datasets import load
    >>> table2(load("breast-cancer"), ("tree",), folds=2).columns
    ['data', 'learner', 'repeat', 'accuracy', 'published']
    """
    found = []
    for learner in learners:
        trained = _svm if learner == "svm" else _classifier(data, learner, None, {})
        for repeat in range(repeats):
            accuracy = _cross_validated(data, trained, repeat, folds)
            found.append((data.name, learner, repeat, accuracy, published(data.name, learner, "accuracy")))
    names = {
        "data": pl.String,
        "learner": pl.String,
        "repeat": pl.Int64,
        "accuracy": pl.Float64,
        "published": pl.Float64,
    }
    return pl.DataFrame(found, schema=names, orient="row")


def figure2(
    data: Dataset,
    learners: Sequence[Literal["naive-bayes", "tree"]] = ("naive-bayes", "tree"),
    *,
    epsilons: Sequence[float] = EPSILONS,
    accountings: Sequence[Accounting] = ("paper", "corrected"),
    repeats: int = 1,
    folds: int = 10,
) -> pl.DataFrame:
    """Return accuracies at privacy levels, everything private, one row a cross-validation.

    The mean over all ten levels at ``accountings=("paper",)`` stands beside the average of table 2. The paper
    repeats naive Bayes a hundred times and the tree ten times; once is the quick form.

    Parameters
    ----------
    data : Dataset
    learners : sequence of {"naive-bayes", "tree"}
    epsilons : sequence of float
    accountings : sequence of {"paper", "corrected"}
        The published cost, which is too low, or the one that holds.
    repeats, folds : int
    """
    found = []
    for learner, accounting, epsilon in _settings(learners, accountings, epsilons):
        for repeat in range(repeats):
            budget = {"epsilon": epsilon, "accounting": accounting, "random_state": repeat}
            accuracy = _cross_validated(data, _classifier(data, learner, accounting, budget), repeat, folds)
            found.append((data.name, learner, accounting, epsilon, repeat, accuracy))
    names = ["data", "learner", "accounting", "epsilon", "repeat", "accuracy"]
    return pl.DataFrame(found, schema=names, orient="row")


def published(name: str, learner: str, line: Literal["accuracy", "average"]) -> float | None:
    """Return what table 2 states, or None for another data set."""
    return TABLE_2[line][learner][NAMES.index(name)] if name in NAMES else None


def with_medians(data: Dataset) -> Schema:
    """Return the schema whose only question of each number is whether it is above the median of the rows."""
    columns = []
    for column in data.schema.columns:
        if isinstance(column, Numeric):
            middle = float(np.median(data.frame[column.name].cast(pl.Float64).to_numpy()))
            column = Numeric(column.name, min(column.lower, middle - 1), max(column.upper, middle + 1), cuts=(middle,))
        columns.append(column)
    return Schema(columns, label=data.schema.label)


def paper_depth(data: Dataset) -> int:
    """Return the square root of the number of attributes, rounded up: section 2.3.

    Attributes before they are made binary, as table 1 counts them: that gives the accuracies of table 2.
    """
    return ceil(sqrt(len(data.schema.columns)))


def random_codes(data: Dataset, seed: int) -> np.ndarray:
    """Return numbers as they are and a random integer for each category, all scaled to [0, 1]."""
    generator = np.random.default_rng(seed)
    parts = []
    for column in data.schema.columns:
        values = data.frame[column.name]
        if not isinstance(column, Numeric):
            places = np.unique(values.cast(pl.String).to_numpy(), return_inverse=True)[1]
            values = pl.Series(generator.permutation(places.max() + 1)[places])
        numbers = values.cast(pl.Float64).to_numpy()
        parts.append((numbers - numbers.min()) / max(np.ptp(numbers), 1e-12))
    return np.column_stack(parts)


Trained = Callable[[Dataset, np.ndarray, np.ndarray, int], np.ndarray]
"""Returns predictions for the test rows of a fold, given training rows, test rows and a seed."""


def _settings(
    learners: Sequence[Any], accountings: Sequence[Any], epsilons: Sequence[float]
) -> Iterator[tuple[Any, Any, float]]:
    return ((one, accounting, epsilon) for one in learners for accounting in accountings for epsilon in epsilons)


def _classifier(data: Dataset, learner: str, accounting: str | None, budget: dict[str, Any]) -> Trained:
    schema = with_medians(data) if learner == "tree" else data.schema
    schema = schema.all_private() if accounting else schema.with_private([], label=False)
    budget = budget or {"epsilon": 1.0}
    if learner == "tree":
        depth = paper_depth(data)
        model: Any = TreeClassifier(schema, growth="level", criterion="counts", max_depth=depth, **budget)
    else:
        # Equation 3 smooths nothing; what a fold has never seen must still have some probability.
        plain: dict[str, Any] = {} if accounting == "corrected" else {"smoothing": 1e-5, "calibration": 0.0}
        model = NaiveBayesClassifier(schema, numeric="gaussian", **plain, **budget)

    def predictions(data: Dataset, train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            model.set_params(random_state=seed if accounting else None)
            return model.fit(data.frame[train], data.target[train]).predict(data.frame[test])

    return predictions


def _svm(data: Dataset, train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    features, labels = random_codes(data, seed), data.target.to_numpy()
    return HuberSVM().fit(features[train], labels[train]).predict(features[test])


def _cross_validated(data: Dataset, trained: Trained, repeat: int, folds: int) -> float:
    labels = data.target.to_numpy()
    parts = KFold(folds, shuffle=True, random_state=repeat).split(labels)
    return float(
        np.mean([np.mean(trained(data, a, b, repeat * folds + at) == labels[b]) for at, (a, b) in enumerate(parts)])
    )
