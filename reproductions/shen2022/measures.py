"""What a task of the figures of Shen and others (2022) measures, beside plain fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reproductions.shen2022.alphabetical import alphabetical
from reproductions.shen2022.baselines import RandomAdaBoost, ScaledLogistic, TrainedAdaBoost
from reproductions.shen2022.file_order import first_rows
from reproductions.shen2022.settings import TOY_ROWS, toy_example
from tacit.boosting import draw_centered
from tacit.errors import ParameterError
from tacit.estimators import BRCClassifier
from tacit.features import LinearEncoding
from tacit.models import LinearRule, VoteModel
from tacit.study.run import Task
from tacit.study.run.measures import measure
from tacit.study.run.tables import Tables
from tacit.study.splits import Split
from tacit.table import read_rows

BUCKETS = 20
"""Of the toy example's 2,000 points, a hundred points each."""


@measure("shen2022-toy")
def toy(task: Task, tables: Tables) -> dict[str, Any]:
    """Return accuracy on the toy example at ``epsilon``, and for each bucket of points how many classifiers it got.

    ``count k`` is the number of classifiers that cut in bucket k, ``weight k`` the mean weight of these.
    """
    model, accuracy = toy_example(task.inputs["epsilon"], task.seed)
    [scorer] = model.scorers
    assert isinstance(scorer, VoteModel)
    weights = np.asarray([vote.coefficient for vote in scorer.votes])
    buckets = np.asarray([_bucket(vote.rule) for vote in scorer.votes])
    found: dict[str, Any] = {"accuracy": accuracy}
    for bucket in range(BUCKETS):
        inside = weights[buckets == bucket]
        found[f"count {bucket}"] = len(inside)
        found[f"weight {bucket}"] = float(inside.mean()) if len(inside) else None
    return found


@measure("shen2022-baseline")
def scaled_baseline(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the accuracy of Chaudhuri's objective perturbation as published, at ``epsilon``, on all columns.

    With ``kept`` among the inputs, on the first rows of the file.
    """
    split = first_rows(task, tables) if "kept" in task.inputs else tables.split(task)
    features = LinearEncoding(split.schema, split.schema.names)
    model = ScaledLogistic(task.inputs["epsilon"], seed=task.seed)
    model.fit(features.transform(split.train), split.train_labels)
    return {"accuracy": float(np.mean(model.predict(features.transform(split.test)) == split.test_labels))}


@measure("shen2022-alphabetical")
def alphabetical_logistic(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the accuracy of logistic regression without privacy on codes in alphabetical order, not the schema's."""
    split, schema = tables.split(task), alphabetical(tables.schema(task))
    from sklearn.linear_model import LogisticRegression

    frame = tables.dataset(task).frame
    names = schema.public_columns if task.inputs["columns"] == "public" else schema.names
    encoding = LinearEncoding(schema, names)
    train, test = (encoding.transform(read_rows(frame[at], schema)) for at in (split.train_index, split.test_index))
    model = LogisticRegression(max_iter=5000).fit(train, split.train_labels)
    return {"accuracy": float(model.score(test, split.test_labels))}


@measure("shen2022-staged")
def staged(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the accuracy after each round, ``round 1`` and so on, of the ``learner``: "brc", or an AdaBoost."""
    split, given = tables.split(task), task.inputs
    learners: dict[str, Callable[[], np.ndarray]] = {
        "brc": lambda: _staged_brc(split, given["epsilon"], given["rounds"], task.seed),
        "random-adaboost": lambda: _staged_adaboost(split, RandomAdaBoost(given["rounds"], draw_centered, task.seed)),
        "trained-adaboost": lambda: _staged_adaboost(split, TrainedAdaBoost(given["rounds"])),
    }
    if given["learner"] not in learners:
        listed = ", ".join(map(repr, learners))
        raise ParameterError(f"Expected one of {listed}, got learner={given['learner']!r}. Choose one.")
    accuracies = np.mean(learners[given["learner"]]() == split.test_labels, axis=1)
    return {f"round {at}": float(accuracy) for at, accuracy in enumerate(accuracies, start=1)}


def _staged_brc(split: Split, epsilon: float, rounds: int, seed: int) -> np.ndarray:
    # The paper's rounds have the whole budget.
    learner = BRCClassifier(split.schema, epsilon=epsilon, rounds=rounds, calibration=0.0, random_state=seed)
    model = learner.fit_table(split.table).model_
    return np.stack([np.searchsorted(split.classes, stage) for stage in model.staged_predict(split.test)])


def _staged_adaboost(split: Split, boost: RandomAdaBoost | TrainedAdaBoost) -> np.ndarray:
    encoding = LinearEncoding(split.schema, split.schema.names)
    return boost.fit(encoding.transform(split.train), split.train_labels).staged_predict(encoding.transform(split.test))


def _bucket(rule: Any) -> int:
    """Return the bucket of the point from which on a threshold says "+"."""
    assert isinstance(rule, LinearRule)
    point = (rule.intercept + 1) / 2 * (TOY_ROWS - 1) + 0.5
    return min(int(point * BUCKETS / TOY_ROWS), BUCKETS - 1)
