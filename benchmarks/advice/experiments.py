"""The experiments of past studies: which are run, and one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, recall_score, roc_auc_score

from benchmarks.advice.drawn_tables import DRAWN, DrawnTable
from benchmarks.advice.public_tables import KnownTable, Privacy, PublicTable
from tacit.errors import TacitError
from tacit.schema import Schema
from tacit.study.advice.past_studies import LEAST_R2, MAX_LOG_LOSS, PREFIXES
from tacit.study.baselines import BASELINES
from tacit.study.learners import private_learners, private_regressors
from tacit.study.number_baselines import NUMBER_BASELINES
from tacit.study.run.measures import measure
from tacit.study.run.task import Task
from tacit.study.splits import Split
from tacit.table import Table, read_labels, read_rows

SCORES, BASELINE = "advice-scores", "advice-baseline"
"""Names of the two measures."""

MAX_TEST_ROWS = 4000
"""Enough for a standard error of the accuracy below 0.8 points."""
TRAINING_SHARE = 0.75

ROWS, ROWS_OF_NUMBERS = (200, 1000, 5000, 20_000), (500, 2000, 8000)
MAX_ROWS_OF_NUMBERS = 30_000
DELTA = 1e-5
EPSILONS = {
    "all-private": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    "public-label": (0.01, 0.1, 1.0, 10.0),
    "partly-private": (0.01, 0.1, 1.0, 10.0),
}
EPSILONS_OF_NUMBERS = {
    "all-private": (0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    "public-label": (0.1, 1.0, 10.0),
    "partly-private": (0.1, 1.0, 10.0),
}
FEW_ROWS = 500
MANY_ROWS, EPSILONS_OF_MANY_ROWS = 50_000, (0.01, 0.1, 1.0)
MAX_ROWS_OF_OTHER_TARGETS, EPSILONS_OF_OTHER_TARGETS = 5000, (0.01, 0.1, 1.0, 10.0)
"""For tables with another column to predict: training one class against the rest is slow."""

MAJORITY = "baseline:majority"
CEILINGS = ("baseline:logistic", "baseline:hist-gradient-boosting", "baseline:random-forest")
"""The best of them is the ceiling of a table: each is poor on some."""

NAMES = ("accuracy", "auc", "log_loss", "balanced_accuracy", "brier")
Scores = tuple[float | None, ...]


@dataclass(frozen=True)
class Kind:
    """What experiments with classes to predict have in common, or those with numbers."""

    constant: str
    """The baseline that reads no column."""
    ceilings: tuple[str, ...]
    prefixes: Mapping[str, str]
    """In past studies, before learners' names, by the name of each measure."""
    refused: Scores
    """Of a learner that refuses a task: the worst there is, by each measure."""


CLASSES = Kind(MAJORITY, CEILINGS, dict(zip(NAMES, PREFIXES.values(), strict=True)), (0.0, 0.0, MAX_LOG_LOSS, 0.0, 1.0))
NUMBERS = Kind("baseline:mean", ("baseline:ridge", "baseline:hist-gradient-boosting"), {"r2": ""}, (LEAST_R2,))


def kind_of(schema: Schema) -> Kind:
    """Return the kind of experiments with a table."""
    return NUMBERS if schema.target else CLASSES


def table_of(data: str, target: str | None) -> KnownTable:
    """Return the table that a task names."""
    return DrawnTable(data) if data.startswith(DRAWN) else PublicTable(data, target)


def past_tasks(tables: Sequence[KnownTable]) -> list[Task]:
    """Return the tasks of each table, privacy, number of rows and repeat, and of their baselines."""
    return [task for table in tables for rows in row_counts(table) for task in _of_sample(table, rows)]


def row_counts(table: KnownTable) -> tuple[int, ...]:
    """Return numbers of training rows: round ones up to half of those there are, and all.

    Examples
    --------
    >>> row_counts(PublicTable("adult")), row_counts(PublicTable("fertility"))
    ((200, 1000, 5000, 36632), (75,))
    """
    most = round(TRAINING_SHARE * table.n_rows)
    if table.known.target:
        most = min(most, MAX_ROWS_OF_NUMBERS)
        return (*(rows for rows in ROWS_OF_NUMBERS if rows <= most / 2), most)
    if table.target:
        most = min(most, MAX_ROWS_OF_OTHER_TARGETS)
    return (*(rows for rows in ROWS if rows <= most / 2), most)


def repeats(rows: int) -> int:
    """Return the number of repeats with other rows and noise: accuracies on few rows vary more."""
    return 2 if rows <= FEW_ROWS else 1


def budgets(table: KnownTable, rows: int, privacy: Privacy) -> list[tuple[float, float]]:
    """Return pairs of epsilon and delta.

    Examples
    --------
    >>> budgets(PublicTable("adult"), 60_000, "all-private")[:2]
    [(0.01, 0.0), (0.01, 1e-05)]
    """
    epsilons = EPSILONS_OF_OTHER_TARGETS if table.target else EPSILONS[privacy]
    if table.known.target:
        epsilons = EPSILONS_OF_NUMBERS[privacy]
    if rows > MANY_ROWS:
        epsilons = EPSILONS_OF_MANY_ROWS
    # A delta of 1/rows or more would allow publishing a row: budgets refuse it.
    deltas = (0.0, DELTA) if rows * DELTA < 1 else (0.0,)
    return [(epsilon, delta) for epsilon in epsilons for delta in deltas]


def tried_learners(schema: Schema) -> list[str]:
    """Return the private learners; ``auto`` is always one of the others, and needs no fits of its own."""
    return sorted(set(_learners(schema)) - {"auto"})


def _learners(schema: Schema) -> Mapping[str, Any]:
    return private_regressors() if schema.target else private_learners()


def _of_sample(table: KnownTable, rows: int) -> Iterator[Task]:
    kind, learners = kind_of(table.known), tried_learners(table.known)
    for repeat in range(repeats(rows)):
        inputs: dict[str, Any] = {"data": table.data, "target": table.target, "rows": rows, "repeat": repeat}
        for learner in (kind.constant, *kind.ceilings):
            yield Task(BASELINE, inputs | {"learner": learner})
        for privacy in get_args(Privacy):
            pairs = [list(pair) for pair in budgets(table, rows, privacy)]
            tried = {"learners": learners, "budgets": pairs, "privacy": privacy}
            yield Task(SCORES, inputs | tried)


@measure(SCORES)
def scores(task: Task, tables: Any = None) -> dict[str, Any]:
    """Return each learner's scores on test rows at each budget of the task, on one sample of rows.

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
        ``scores``: lists of epsilon, delta, learner, accuracy, area under the ROC curve (of more than two classes the
        mean over pairs), logarithmic loss (None where probabilities are by a public link), balanced accuracy, and
        Brier score; where a number is predicted of epsilon, delta, learner and R2.
    """
    split = _split(task, task.inputs["privacy"])
    return {
        "scores": [
            [epsilon, delta, learner, *_scores_if_any(learner, split, task, epsilon, delta)]
            for epsilon, delta in task.inputs["budgets"]
            for learner in task.inputs["learners"]
        ]
    }


@measure(BASELINE)
def baseline(task: Task, tables: Any = None) -> dict[str, Any]:
    """Return the test scores of a non-private baseline on the rows of the tasks of `scores`.

    Its inputs are ``data``, ``target``, ``rows``, ``repeat`` and ``learner``.
    """
    name, split = task.inputs["learner"].partition(":")[2], _split(task, "all-private")
    seed = Task("advice-noise", dict(task.inputs)).seed
    if split.schema.target:
        return {"r2": _r2(split, NUMBER_BASELINES[name](split, seed)(split.test))}
    found = BASELINES[name](split, seed).scores(split.test)
    if task.inputs["learner"] == MAJORITY:
        shares = np.bincount(split.train_labels, minlength=len(split.classes)) / len(split.train_labels)
        likely = np.broadcast_to(shares, (len(split.test_labels), len(shares)))
    else:
        likely = np.column_stack([1 - found, 1 + found]) / 2 if found.ndim == 1 else found
    return dict(zip(NAMES, _measured(split, found, likely), strict=True))


def _split(task: Task, privacy: Privacy) -> Split:
    table = table_of(task.inputs["data"], task.inputs["target"])
    schema = table.schema(privacy)
    frame, labels = table.rows()
    seed = Task("advice-split", {"table": table.name, "repeat": task.inputs["repeat"]}).seed
    order = np.random.default_rng(seed).permutation(frame.height)
    n_train = round(TRAINING_SHARE * frame.height)
    index = [np.sort(order[: task.inputs["rows"]]), np.sort(order[n_train:][:MAX_TEST_ROWS])]
    train, test = (read_rows(frame[part], schema, on_invalid="coerce") for part in index)
    codes = [read_labels(labels[part], schema.label) for part in index]
    return Split(schema, Table.from_rows(train, codes[0], schema), train, test, codes[0], codes[1], index[0], index[1])


def _scores_if_any(learner: str, split: Split, task: Task, epsilon: float, delta: float) -> Scores:
    seed = Task("advice-noise", dict(task.inputs) | {"learner": learner, "budgets": [epsilon, delta]}).seed
    made = _learners(split.schema)[learner]
    given = {"epsilon": epsilon, "delta": delta, "random_state": seed, "on_invalid": "coerce"}
    try:
        model = made(split.schema, **given).fit_table(split.table).model_
    except TacitError:
        found = kind_of(split.schema).refused
    else:
        if split.schema.target:
            return (_r2(split, model.predict(split.test)),)
        found = _measured(split, model.decision_function(split.test), model.predict_proba(split.test))
    if split.schema.target:
        return found
    accuracy, auc, loss, *others = found
    return accuracy, auc, loss if made._has_likelihood else None, *others


def _r2(split: Split, numbers: NDArray[np.float64]) -> float:
    """Return by how much of its own the squared error is below that of the training rows' mean."""
    squares = [np.mean((each - split.test_labels) ** 2) for each in (numbers, split.train_labels.mean())]
    return max(LEAST_R2, float(1 - squares[0] / squares[1]))


def _measured(split: Split, found: NDArray[np.float64], likely: NDArray[np.float64]) -> Scores:
    """Return the measures of ``NAMES``, as far as they are defined."""
    two = found.ndim == 1
    codes = (found > 0).astype(int) if two else found.argmax(axis=1)  # a score of 0 goes to the first class
    truth = split.test_labels
    auc = _area(truth, np.column_stack([-found, found]) if two else likely)
    # One sure mistake would outweigh all else: random forests are sure of many.
    clipped = np.clip(likely, np.exp(-MAX_LOG_LOSS), 1.0)
    clipped = clipped / clipped.sum(axis=1, keepdims=True)
    loss = float(log_loss(truth, clipped, labels=range(len(split.classes))))
    # Of the classes that test rows have.
    balanced = float(recall_score(truth, codes, labels=np.unique(truth), average="macro"))
    brier = float(((likely - np.eye(len(split.classes))[truth]) ** 2).sum(axis=1).mean() / 2)
    return float(np.mean(codes == truth)), auc, loss, balanced, brier


def _area(truth: NDArray[np.integer], likely: NDArray[np.float64]) -> float | None:
    """Return the area under the ROC curve: the mean over pairs of classes that test rows have (Hand and Till 2001)."""
    present = np.unique(truth)
    if len(present) < 2:
        return None
    if len(present) == 2:
        return float(roc_auc_score(truth == present[1], likely[:, present[1]]))
    own = likely[:, present] + 1e-12  # some baselines are sure that a row is of none of them
    return float(
        roc_auc_score(np.searchsorted(present, truth), own / own.sum(axis=1, keepdims=True), multi_class="ovo")
    )
