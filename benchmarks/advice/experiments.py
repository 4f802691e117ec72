"""The experiments of past studies: which are run, and one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

import numpy as np

from benchmarks.advice.public_tables import Privacy, PublicTable
from tacit.errors import TacitError
from tacit.study.learners import predictions, private_learners
from tacit.study.run.measures import measure
from tacit.study.run.task import Task
from tacit.study.splits import Split
from tacit.table import Table, read_labels, read_rows

ACCURACIES, BASELINE = "advice-accuracies", "advice-baseline"
"""Names of the two measures."""

MOST_TEST_ROWS = 4000
"""Enough for a standard error of the accuracy below 0.8 points."""
TRAINING_SHARE = 0.75

ROWS = (200, 1000, 5000, 20_000)
DELTA = 1e-5
EPSILONS = {
    "all-private": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    "public-label": (0.01, 0.1, 1.0, 10.0),
    "partly-private": (0.01, 0.1, 1.0, 10.0),
}
MANY_ROWS, EPSILONS_OF_MANY_ROWS = 50_000, (0.01, 0.1, 1.0)
MOST_ROWS_OF_OTHER_TARGETS, EPSILONS_OF_OTHER_TARGETS = 5000, (0.01, 0.1, 1.0, 10.0)
"""For tables with another column to predict: training one class against the rest is slow."""

MAJORITY = "baseline:majority"
CEILINGS = ("baseline:logistic", "baseline:hist-gradient-boosting", "baseline:random-forest")
"""The best of them is the ceiling of a table: each is poor on some."""


def past_tasks(tables: Sequence[PublicTable]) -> list[Task]:
    """Return the tasks of each table, privacy, number of rows and repeat, and of their baselines."""
    return [task for table in tables for rows in row_counts(table) for task in _of_sample(table, rows)]


def row_counts(table: PublicTable) -> tuple[int, ...]:
    """Return numbers of training rows: round ones up to half of those there are, and all.

    Examples
    --------
    >>> row_counts(PublicTable("adult")), row_counts(PublicTable("fertility"))
    ((200, 1000, 5000, 36632), (75,))
    """
    most = round(TRAINING_SHARE * table.n_rows)
    if table.target:
        most = min(most, MOST_ROWS_OF_OTHER_TARGETS)
    return (*(rows for rows in ROWS if rows <= most / 2), most)


def repeats(rows: int) -> int:
    """Return the number of repeats with other rows and noise: accuracies on few rows vary more."""
    return next((many for most, many in ((500, 4), (2000, 3), (MANY_ROWS, 2)) if rows <= most), 1)


def budgets(table: PublicTable, rows: int, privacy: Privacy) -> list[tuple[float, float]]:
    """Return pairs of epsilon and delta.

    Examples
    --------
    >>> budgets(PublicTable("adult"), 60_000, "all-private")[:2]
    [(0.01, 0.0), (0.01, 1e-05)]
    """
    epsilons = EPSILONS_OF_OTHER_TARGETS if table.target else EPSILONS[privacy]
    if rows > MANY_ROWS:
        epsilons = EPSILONS_OF_MANY_ROWS
    # A delta of 1/rows or more would allow publishing a row: budgets refuse it.
    deltas = (0.0, DELTA) if rows * DELTA < 1 else (0.0,)
    return [(epsilon, delta) for epsilon in epsilons for delta in deltas]


def _of_sample(table: PublicTable, rows: int) -> Iterator[Task]:
    for repeat in range(repeats(rows)):
        inputs: dict[str, Any] = {"data": table.data, "target": table.target, "rows": rows, "repeat": repeat}
        for learner in (MAJORITY, *CEILINGS):
            yield Task(BASELINE, inputs | {"learner": learner})
        for privacy in get_args(Privacy):
            pairs = [list(pair) for pair in budgets(table, rows, privacy)]
            tried = {"learners": sorted(private_learners()), "budgets": pairs, "privacy": privacy}
            yield Task(ACCURACIES, inputs | tried)


@measure(ACCURACIES)
def accuracies(task: Task, tables: Any = None) -> dict[str, Any]:
    """Return each learner's test accuracy at each budget of the task, on one sample of rows.

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


@measure(BASELINE)
def baseline(task: Task, tables: Any = None) -> dict[str, Any]:
    """Return the test accuracy of a non-private baseline on the rows of the tasks of `accuracies`.

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
