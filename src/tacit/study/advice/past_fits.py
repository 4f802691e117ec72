"""The fits that advice rests on: learners, with simulated noise or without privacy, on rows of a public table."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.errors import TacitError
from tacit.study.advice.public_table import Privacy, PublicTable
from tacit.study.learners import predictions
from tacit.study.run.measures import measure
from tacit.study.run.split import Split
from tacit.study.run.task import Task
from tacit.table import Table, read_labels, read_rows

MOST_TEST_ROWS = 4000
TRAINING_SHARE = 0.75


@measure("advice-accuracies")
def accuracies(task: Task, tables: Any = None) -> dict[str, Any]:
    """Return the test accuracy of each learner at each of the task's budgets, on one sample of rows.

    All tasks of the same table and repeat share their test rows, and smaller samples are part of larger ones.

    Parameters
    ----------
    task : Task
        Its inputs: ``data`` and ``target`` (see `PublicTable`), ``privacy``, ``rows``, ``repeat``, ``learners``,
        and ``budgets``, pairs of epsilon and delta.
    tables
        Not used: packaged data sets are read where they are.

    Returns
    -------
    dict
        ``accuracies``: lists of epsilon, delta, learner, accuracy, the last None where the learner refused.
    """
    split = _split(task, task.inputs["privacy"])
    return {
        "accuracies": [
            [epsilon, delta, learner, _accuracy_if_any(learner, split, task, epsilon, delta)]
            for epsilon, delta in task.inputs["budgets"]
            for learner in task.inputs["learners"]
        ]
    }


@measure("advice-baseline")
def baseline(task: Task, tables: Any = None) -> dict[str, Any]:
    """Return the test accuracy of a learner without privacy on the rows of the tasks of `accuracies`.

    Its inputs are ``data``, ``target``, ``rows``, ``repeat`` and ``learner``.
    """
    return {"accuracy": _accuracy(task.inputs["learner"], _split(task, "all-private"), task, None, None)}


def _split(task: Task, privacy: Privacy) -> Split:
    table = PublicTable(task.inputs["data"], task.inputs["target"])
    schema = table.schema(privacy)
    frame, labels = table.rows()
    seed = Task("advice-split", {"table": table.name, "repeat": task.inputs["repeat"]}).seed
    order = np.random.default_rng(seed).permutation(frame.height)
    n_train = round(TRAINING_SHARE * frame.height)
    index = [np.sort(order[: task.inputs["rows"]]), np.sort(order[n_train:][:MOST_TEST_ROWS])]
    train, test = (read_rows(frame[part], schema, on_invalid="coerce") for part in index)
    codes = [read_labels(labels[part], schema.label) for part in index]
    return Split(schema, Table.from_rows(train, codes[0], schema), train, test, codes[0], codes[1], index[0], index[1])


def _accuracy_if_any(learner: str, split: Split, task: Task, epsilon: float, delta: float) -> float | None:
    try:
        return _accuracy(learner, split, task, epsilon, delta)
    except TacitError:
        return None


def _accuracy(learner: str, split: Split, task: Task, epsilon: float | None, delta: float | None) -> float:
    seed = Task("advice-noise", dict(task.inputs) | {"learner": learner, "budgets": [epsilon, delta]}).seed
    parameters = {} if epsilon is None else {"on_invalid": "coerce"}
    made = predictions(learner, split, epsilon=epsilon, delta=delta, seed=seed, parameters=parameters)
    return float(np.mean(made.codes == split.test_labels))
