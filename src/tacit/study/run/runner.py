"""Computes the tasks that are not in the store yet, and stores each as soon as it is finished."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import polars as pl

from tacit.errors import ParameterError
from tacit.study.run.measures import Outcomes, outcomes_here
from tacit.study.run.progress import OnProgress, Progress, Remaining
from tacit.study.run.shared_folder import remove_left_overs, shared_folder
from tacit.study.run.store import Store
from tacit.study.run.task import Task

_STOPPING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class _StopRun(BaseException):
    """A signal that ends the process has come."""

    def __init__(self, number: int):
        self.number = number


@contextmanager
def stopping_cleanly() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind the stack before they end the process, as interrupts from the keyboard do.

    Only in the main thread (elsewhere Python admits no handlers), and only for signals without a handler.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in _STOPPING if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _stop)
    try:
        yield
    except _StopRun as stopped:
        signal.signal(stopped.number, signal.SIG_DFL)
        os.kill(os.getpid(), stopped.number)  # so that the parent sees the signal and no exit code of ours
        raise
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _stop(number: int, frame: Any) -> None:
    raise _StopRun(number)


def run(
    tasks: Sequence[Task],
    store: Store,
    *,
    workers: int | None = None,
    progress: OnProgress | None = None,
    retry_failed: bool = False,
) -> pl.DataFrame:
    """Return the rows of all tasks, after computing those that the store lacks.

    Whatever ends the process, the rows that were finished are in the store, and the same call goes on from there.

    Parameters
    ----------
    tasks : sequence of Task
    store : Store
    workers : int, optional
        Processes, each on one thread; as many as there are cores if not given. With 1 everything is computed in
        this process. The rows are the same for any number.
    progress : callable, optional
        Called with a `Progress` at the start and after each row.
    retry_failed : bool
        Whether tasks that failed before are computed again; those that failed as their workers died always are.

    Raises
    ------
    ParameterError
        If the number of workers is none.

    Notes
    -----
    Privacy: while workers run, the tables lie in a folder of the user's cache that only the user can enter; it is
    removed at the end, and after a sudden death at the next start of a study or a command. A task that fails becomes
    a row with the type of the error and a message of our own, never another library's.
    """
    remove_left_overs()  # also of a study that had workers, where this one has none
    missing = store.missing(tasks, retry_failed=retry_failed)
    workers = _checked(workers, len(missing))
    here = store.finished(tasks)
    remaining = Remaining(missing, {task: took for task, (status, took) in here.items() if status == "done"}, workers)
    total = len(set(tasks))
    again = set(missing)
    failed = sum(status == "failed" and task not in again for task, (status, _) in here.items())
    say = progress or (lambda _: None)
    with stopping_cleanly(), store.held_open(), closing(_outcomes(missing, workers)) as finished:
        say(Progress(total - len(missing), total, failed, remaining.seconds()))
        for done, (task, outcome) in enumerate(finished, start=total - len(missing) + 1):
            store.put(task, outcome)
            failed += outcome.status == "failed"
            remaining.finished(task, outcome.seconds)
            say(Progress(done, total, failed, remaining.seconds()))
    return store.rows(tasks)


def _checked(workers: int | None, n_tasks: int) -> int:
    from joblib import cpu_count

    if workers is None:
        workers = cpu_count()
    if workers < 1:
        raise ParameterError(f"Expected at least 1 worker, got workers={workers}. Leave it out for one a core.")
    return min(workers, max(n_tasks, 1))


def _outcomes(tasks: Sequence[Task], workers: int) -> Outcomes:
    if workers > 1:
        from tacit.study.run.pool import most_workers, outcomes

        if most_workers(workers) > 1:
            return outcomes(tasks, most_workers(workers))
    return _outcomes_here(tasks)


def _outcomes_here(tasks: Sequence[Task]) -> Outcomes:
    """Yield outcomes of this process, which keeps rows on disk where there are too many for its memory."""
    from tacit.study.run.shared_tables import SharedTables, any_large

    if not any_large(tasks):
        yield from outcomes_here(tasks)
        return
    with shared_folder() as folder:
        tables = SharedTables(folder)
        tables.share(tasks)
        yield from outcomes_here(tasks, tables)
