"""Worker processes: each finished row comes back at once, and a worker that dies takes only its own row with it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from pathlib import Path

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.externals.loky import get_reusable_executor

from tacit.errors import ParameterError
from tacit.study.run.claims import claimed, write_tasks
from tacit.study.run.shared_folder import shared_folder
from tacit.study.run.shared_tables import SharedTables
from tacit.study.run.store import Outcome
from tacit.study.run.task import Task
from tacit.study.run.worker import next_row

Outcomes = Generator[tuple[Task, Outcome], None, None]

DIED = Outcome(
    "failed",
    {
        "error": "WorkerDied",
        "message": "The process that computed this row ended twice, probably for lack of memory. Use fewer workers.",
    },
    0.0,
)
_POLARS_THREADS = "POLARS_MAX_THREADS"
_MOST_FALSE_STARTS = 3


def outcomes(tasks: Sequence[Task], workers: int) -> Outcomes:
    """Yield each task with its outcome, as they are finished.

    Rows that were being computed when a worker died are computed again, one at a time; one that takes its worker with
    it once more has failed.

    Raises
    ------
    ParameterError
        If workers die before they begin.
    """
    with shared_folder() as shared, _one_thread_each(), _gone_afterwards():
        SharedTables(shared).share(tasks)
        yield from _Rounds(shared, workers).outcomes(tasks)


class _Rounds:
    """Rounds of work in one shared folder; a round ends when there is nothing left, or a worker dies."""

    def __init__(self, shared: Path, workers: int):
        self._shared, self._workers = shared, workers
        self._rounds = self._false_starts = 0

    def outcomes(self, tasks: Sequence[Task]) -> Outcomes:
        left = dict.fromkeys(tasks)
        while left:
            begun: list[Task] = []
            with closing(self._round(list(left), self._workers, begun)) as finished:
                for task, outcome in finished:
                    del left[task]
                    yield task, outcome
            for task in begun:
                yield task, self._alone(task)
                del left[task]

    def _alone(self, task: Task) -> Outcome:
        for _, outcome in self._round([task], 2, []):
            return outcome
        return DIED

    def _round(self, tasks: list[Task], workers: int, begun: list[Task]) -> Outcomes:
        """Yield outcomes; if a worker dies, put the tasks that were begun and not yielded into ``begun`` and return."""
        place = self._shared / f"round-{self._rounds}"
        self._rounds += 1
        write_tasks(place, tasks)
        open_ = dict(enumerate(tasks))
        try:
            with closing(self._rows(place, len(tasks), workers)) as rows:
                for found in rows:
                    if found is not None:
                        at, outcome = found
                        yield open_.pop(at), outcome
        except BrokenProcessPool:
            begun += [open_[at] for at in claimed(place) if at in open_]
            self._check_progress(bool(begun) or len(open_) < len(tasks))

    def _rows(self, place: Path, n_tasks: int, workers: int) -> Generator[tuple[int, Outcome] | None, None, None]:
        pool = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1, max_nbytes=None)
        job = delayed(next_row)(self._shared, place, os.getpid())
        rows: Generator[tuple[int, Outcome] | None, None, None] = pool(job for _ in range(n_tasks))
        return rows

    def _check_progress(self, any_: bool) -> None:
        self._false_starts = 0 if any_ else self._false_starts + 1
        if self._false_starts == _MOST_FALSE_STARTS:
            raise ParameterError("Expected worker processes to start, got none that did. Pass workers=1.")


def most_workers(wanted: int) -> int:
    """Return how many processes may be started from here: one only, that is none, within some other pools."""
    with parallel_config(backend="loky"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return min(wanted, int(effective_n_jobs(wanted)))


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let workers compute on one thread each: together they have as many as there are workers."""
    before = os.environ.get(_POLARS_THREADS)
    os.environ[_POLARS_THREADS] = "1"
    try:
        with parallel_config(backend="loky", inner_max_num_threads=1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.environ.pop(_POLARS_THREADS)
        if before is not None:
            os.environ[_POLARS_THREADS] = before


@contextmanager
def _gone_afterwards() -> Iterator[None]:
    """End the workers at the end: idle ones would keep private rows in memory."""
    try:
        yield
    except BaseException:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)
        raise
    get_reusable_executor().shutdown(wait=True)
