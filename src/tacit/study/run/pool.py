"""Worker processes: each finished row comes back at once, and a worker that dies is replaced and takes no row with it.

Each worker is a pool of one process, of joblib's loky. `joblib.Parallel` has one pool, which ends as a whole when one
of its processes is killed, with all rows that are being computed. Processes start from nothing and are never forked:
a child forked after polars was used hangs in polars.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs, parallel_config
from joblib.externals.loky import ProcessPoolExecutor
from threadpoolctl import threadpool_limits

from tacit.study.learners import source_modules
from tacit.study.run.measures import Outcomes, compute, find_measure, measure_modules, outcomes_here
from tacit.study.run.shared_folder import shared_folder
from tacit.study.run.shared_tables import SharedTables
from tacit.study.run.store import DIED, Outcome
from tacit.study.run.tables import in_groups
from tacit.study.run.task import Task

MAX_DEATHS = 3
"""Workers that a row may take with it: one among others, which may have used up the memory, and two on its own."""
MAX_FALSE_STARTS = 5
"""Workers in a row that may die without having begun a row, before this process goes on alone."""
MAX_SECONDS_TO_HAND_OVER = 5.0
"""Far above what a pool needs on a busy machine, so that nothing waits for a pool that hangs."""
_ONE_THREAD = {"POLARS_MAX_THREADS": "1"} | dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS"), "1"
)
"""Together workers have as many threads as there are workers; some libraries read this only when they are loaded."""


def most_workers(wanted: int) -> int:
    """Return how many processes may be started from here: one only, that is none, within some other pools."""
    with parallel_config(backend="loky"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return min(wanted, int(effective_n_jobs(wanted)))


def outcomes(tasks: Sequence[Task], workers: int) -> Outcomes:
    """Yield each task with its outcome, as they are finished.

    A row whose worker died is computed again when all others are finished, by one worker that has the machine for
    itself; one that takes three workers with it has failed. Workers that die before they begin a row are not the
    rows' fault: after some in a row, this process computes what is left.
    """
    left = dict.fromkeys(tasks)
    deaths: Counter[Task] = Counter()
    with shared_folder() as shared:
        tables = SharedTables(shared)
        tables.share(tasks)
        try:
            while left:
                together = [task for task in left if task not in deaths]
                with closing(_round(together or [next(iter(left))], workers, shared, deaths)) as finished:
                    for task, outcome in finished:
                        del left[task]
                        yield task, outcome
                for task in [task for task in left if deaths[task] >= MAX_DEATHS]:
                    del left[task]
                    yield task, DIED
        except _NoWorkers:
            yield from outcomes_here(list(left), tables)


class _NoWorkers(Exception):
    """No process can be kept alive until it begins a row."""


def _round(tasks: Sequence[Task], workers: int, shared: Path, deaths: Counter[Task]) -> Outcomes:
    """Yield outcomes; rows whose worker died are counted in ``deaths``, and not yielded."""
    waiting, false_starts = Waiting(tasks), 0
    crew = [_Worker(shared, {task.measure for task in tasks}) for _ in range(min(workers, len(tasks)))]
    try:
        busy: dict[Future[Outcome | None], tuple[_Worker, Task | None]] = {each.begin(): (each, None) for each in crew}
        while busy:
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                worker, task = busy.pop(future)
                outcome, died = _result(future)
                if died:
                    deaths.update([task] if task else [])
                    false_starts += task is None
                    if false_starts >= MAX_FALSE_STARTS:
                        raise _NoWorkers
                    if waiting:
                        busy[worker.begin()] = worker, None
                    continue
                following = waiting.take(worker)
                if following:  # before the row is handed on: the worker need not wait for that
                    busy[worker.give(following)] = worker, following
                else:
                    worker.end()  # an idle one would keep private rows in memory
                if task and outcome:
                    false_starts = 0
                    yield task, outcome
    finally:
        for worker in crew:  # those that have finished are gone by now
            worker.end(kill=True)


def _result(future: Future[Outcome | None]) -> tuple[Outcome | None, bool]:
    """Return the outcome, and whether the process died, or there was no room for one."""
    try:
        return future.result(), False
    except (BrokenProcessPool, OSError):
        return None, True


class Waiting:
    """Queue of tasks, grouped by split: a worker stays with one split, which it has read already."""

    def __init__(self, tasks: Sequence[Task]):
        self._groups = in_groups(tasks)
        self._group_of: dict[Hashable, int] = {}

    def __bool__(self) -> bool:
        return any(self._groups)

    def take(self, worker: Hashable) -> Task | None:
        """Return a task of the worker's split; else of one that no worker has, else of that with most left."""
        at = self._group_of.get(worker)
        if at is None or not self._groups[at]:
            with_tasks = [at for at, group in enumerate(self._groups) if group]
            if not with_tasks:
                return None
            free = [at for at in with_tasks if at not in self._group_of.values()]
            at = free[0] if free else max(with_tasks, key=lambda at: len(self._groups[at]))
            self._group_of[worker] = at
        return self._groups[at].pop(0)


class _Worker:
    """One process, and the next one where it has died."""

    def __init__(self, shared: Path, measures: set[str]):
        self._shared, self._measures = shared, measures
        self._pool: Any = None
        self._latest: Future[Outcome | None] | None = None

    def begin(self) -> Future[Outcome | None]:
        """Start a process; the future is done when it can take rows."""
        self.end()
        registering = (*measure_modules(), *source_modules())
        return self._submit(_begin, self._shared, registering, sorted(self._measures), os.getpid())

    def give(self, task: Task) -> Future[Outcome | None]:
        """Hand a task to the process."""
        return self._submit(_compute, task)

    def end(self, *, kill: bool = False) -> None:
        """End the process, if there is one; if it is not killed, it may tidy up after itself."""
        if self._pool is not None:
            if kill:
                self._wait_until_handed_over()
            self._pool.shutdown(wait=True, kill_workers=kill)
            self._pool, self._latest = None, None

    def _wait_until_handed_over(self) -> None:
        """Wait until the pool has passed on what it was given last, which takes it some milliseconds.

        A pool that is killed before forgets the task and then looks for it: its thread ends with a trace on stderr.
        """
        until = time.monotonic() + MAX_SECONDS_TO_HAND_OVER
        while self._latest and not (self._latest.running() or self._latest.done()) and time.monotonic() < until:
            time.sleep(0.001)

    def _submit(self, function: Callable[..., Outcome | None], *given: Any) -> Future[Outcome | None]:
        failed: Future[Outcome | None] = Future()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if self._pool is None:
                    # Without a timeout: an idle worker is ended by us, and a busy one may take hours.
                    self._pool = ProcessPoolExecutor(max_workers=1, env=_ONE_THREAD)
                self._latest = self._pool.submit(function, *given)
                return self._latest
        except (BrokenProcessPool, OSError) as error:
            failed.set_exception(error)
        return failed


_tables: list[SharedTables] = []  # what a worker keeps from one task to the next


def _begin(shared: Path, registering: Sequence[str], measures: Sequence[str], parent: int) -> None:
    """Leave interrupts to the parent, do not outlive it, and load what the tasks need."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    for module in registering:
        with suppress(Exception):  # the task will say what is wrong
            import_module(module)
    for name in measures:
        with suppress(Exception):
            find_measure(name)
    threadpool_limits(limits=1)
    _tables[:] = [SharedTables(shared)]
    gc.freeze()  # the pool collects garbage often, and what was loaded is none


def _compute(task: Task) -> Outcome:
    return compute(task, _tables[0])


def _end_with(parent: int) -> None:
    # Polled, as not every system tells a child; half a second costs nothing, and rows stay no longer in memory.
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
