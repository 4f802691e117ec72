"""Computes the tasks that are not in the store yet, and stores each as soon as it is finished."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import polars as pl

from tacit.study.run.compute import compute
from tacit.study.run.progress import OnProgress, Progress
from tacit.study.run.store import Store
from tacit.study.run.tables import Tables
from tacit.study.run.task import Task


def run(
    tasks: Sequence[Task],
    store: Store,
    *,
    workers: int | None = None,
    progress: OnProgress | None = None,
    retry_failed: bool = False,
) -> pl.DataFrame:
    """Return the rows of all tasks, after computing those that the store lacks.

    Parameters
    ----------
    tasks : sequence of Task
    store : Store
    workers : int, optional
        Processes; as many as there are cores if not given.
    progress : callable, optional
        Called with a `Progress` at the start and after each row.
    retry_failed : bool
        Whether tasks that failed before are computed again.
    """
    missing = store.missing(tasks, retry_failed=retry_failed)
    total, failed, start = len(set(tasks)), 0, perf_counter()
    say = progress or (lambda _: None)
    before = total - len(missing)
    say(Progress(before, total, failed, None))
    tables = Tables()
    for at, task in enumerate(missing, start=1):
        outcome = compute(task, tables)
        store.put(task, outcome)
        failed += outcome.status == "failed"
        left = (perf_counter() - start) / at * (len(missing) - at)
        say(Progress(before + at, total, failed, left))
    return store.rows(tasks)
