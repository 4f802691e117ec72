"""Which settings were tried: public tables, samples of their rows, budgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from tacit.study.advice.past_fits import TRAINING_SHARE
from tacit.study.advice.public_table import Privacy, PublicTable
from tacit.study.learners import private_learners
from tacit.study.run.task import Task

ACCURACIES, BASELINE = "advice-accuracies", "advice-baseline"
"""Names of the measures: see `tacit.study.advice.past_fits`."""

ROWS = (200, 1000, 5000, 20_000)
DELTA = 1e-5
EPSILONS = {
    "all-private": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    "public-label": (0.01, 0.1, 1.0, 10.0),
    "partly-private": (0.01, 0.1, 1.0, 10.0),
}
MANY_ROWS, EPSILONS_OF_MANY_ROWS = 50_000, (0.01, 0.1, 1.0)
MOST_ROWS_OF_OTHER_TARGETS, EPSILONS_OF_OTHER_TARGETS = 5000, (0.01, 0.1, 1.0, 10.0)
"""For tables with another column to predict: training is one class against the rest, and slow."""

MAJORITY = "baseline:majority"
CEILINGS = ("baseline:logistic", "baseline:hist-gradient-boosting", "baseline:random-forest")
"""The best of them is what can be reached without privacy: each fails on some table."""


def past_tasks(tables: Sequence[PublicTable]) -> list[Task]:
    """Return a task for each table, privacy, number of rows and repeat, and the baselines that go with them."""
    return [task for table in tables for rows in row_counts(table) for task in _of_sample(table, rows)]


def row_counts(table: PublicTable) -> tuple[int, ...]:
    """Return how many rows to train on: round numbers, up to half of those there are, and all.

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
    """Return how often to repeat with other rows and other noise: results on few rows scatter more."""
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
