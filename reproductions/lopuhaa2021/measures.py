"""What a task of Lopuhaä-Zwakenberg and others (2021) measures: one fold, for one learner, at all privacy levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproductions.lopuhaa2021.huber_svm import HuberSVM
from reproductions.lopuhaa2021.settings import (
    MEAN_REGULARIZATION,
    SMALLEST,
    in_random_order,
    paper_depth,
    recoded,
    with_medians,
)
from tacit.estimators import NaiveBayesClassifier, PrivateClassifier, SVMClassifier, TreeClassifier
from tacit.features import LinearEncoding
from tacit.privacy.loss import MIN_EPSILON
from tacit.schema import Schema
from tacit.study.learners import estimator_predictions
from tacit.study.run import Task
from tacit.study.run.measures import measure
from tacit.study.run.tables import Tables
from tacit.study.splits import Split
from tacit.table import Rows, Table

_published = import_module("reproductions.lopuhaa2021.published")

LEARNERS: dict[str, dict[str, type[PrivateClassifier]]] = {
    "paper": {
        "naive-bayes": _published.PublishedNaiveBayesClassifier,
        "svm": _published.PublishedSVMClassifier,
        "tree": _published.PublishedTreeClassifier,
    },
    "corrected": {"naive-bayes": NaiveBayesClassifier, "svm": SVMClassifier, "tree": TreeClassifier},
}
"""Estimators by how their cost is counted."""

Codes = NDArray[np.integer]


@measure("lopuhaa2021-fold")
def fold(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the accuracy at each of ``epsilons``, or the one without privacy where ``accounting`` is null.

    Of the inputs ``learner`` ("naive-bayes", "svm" or "tree"), ``accounting`` and those of a split. The learner's
    randomness is the task's; random codes are of the cross-validation.
    """
    given = task.inputs
    split = as_asked(tables, task)
    budgets = [None] if given["accounting"] is None else given["epsilons"]
    said = (_predicted(given, split, epsilon, task.seed + at) for at, epsilon in enumerate(budgets))
    accuracies = [float(np.mean(codes == split.test_labels)) for codes in said]
    return {"accuracies": accuracies, "n_train": len(split.train_labels), "n_test": len(split.test_labels)}


@measure("lopuhaa2021-sizes")
def sizes(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the numbers of attributes and rows of the table ``data``."""
    whole = tables.whole(task)
    return {"attributes": len(whole.schema.columns), "rows": whole.rows.n_rows}


def as_asked(tables: Tables, task: Task) -> Split:
    """Return the task's split with the learner's binary attributes or random codes."""
    split, learner = tables.split(task), task.inputs["learner"]
    if learner == "tree":
        return _with_schema(split, with_medians(split.schema, tables.whole(task).rows))
    if learner == "svm":
        return _with_codes(split, in_random_order(split.schema, task.inputs["repeat"]))
    return split


def _with_schema(split: Split, schema: Schema) -> Split:
    return replace(split, schema=schema, table=Table.from_rows(split.train, split.train_labels, schema))


def _with_codes(split: Split, schema: Schema) -> Split:
    train, test = (recoded(rows, split.schema, schema) for rows in (split.train, split.test))
    table = Table.from_rows(train, split.train_labels, schema)
    return replace(split, schema=schema, table=table, train=train, test=test)


def _predicted(given: Mapping[str, Any], split: Split, epsilon: float | None, seed: int) -> Codes:
    if epsilon is not None:
        return _private(given, split, epsilon, seed)
    if given["learner"] == "svm":
        model = HuberSVM(regularization=MEAN_REGULARIZATION).fit(_features(split, split.train), split.train_labels)
        return model.predict(_features(split, split.test))
    nothing = _with_schema(split, split.schema.with_private([], label=False))
    return _private(given, nothing, 1.0, seed)


def _private(given: Mapping[str, Any], split: Split, epsilon: float, seed: int) -> Codes:
    kind = LEARNERS[given["accounting"] or "corrected"][given["learner"]]
    budget: dict[str, Any] = {
        "epsilon": max(epsilon, MIN_EPSILON),
        "random_state": seed,
        "on_invalid": split.on_invalid,
    }
    return estimator_predictions(kind(split.schema, **budget, **_parameters(given, split)), split).codes


def _parameters(given: Mapping[str, Any], split: Split) -> dict[str, Any]:
    if given["learner"] == "tree":
        depth = given.get("depth") or paper_depth(split.schema)
        return {"growth": "level", "criterion": "counts", "max_depth": depth}
    if given["learner"] == "svm":
        rows = len(split.train_labels)
        # The paper's machine has the whole budget.
        return {"encoding": "ordinal", "regularization": rows * MEAN_REGULARIZATION, "calibration": 0.0}
    # Equation 3 smooths nothing; what a fold has never seen must still have some probability.
    as_written = {} if given["accounting"] == "corrected" else {"smoothing": SMALLEST, "calibration": 0.0}
    return {"numeric": "gaussian", **as_written}


def _features(split: Split, rows: Rows) -> NDArray[np.float64]:
    """Return the private machine's features: codes and numbers in [-1, 1], and a constant."""
    encoded = LinearEncoding(split.schema, split.schema.names, "ordinal").transform(rows)
    return np.column_stack([encoded, np.ones(rows.n_rows)])
