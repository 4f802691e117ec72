"""What a worker process does: claim a task, compute it, hand the row back."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tacit.study.run.claims import Claims
from tacit.study.run.compute import compute
from tacit.study.run.measures import measure
from tacit.study.run.shared_tables import SharedTables
from tacit.study.run.store import Outcome


@dataclass(frozen=True)
class _Work:
    """What this process keeps from one task to the next."""

    round_: Path
    claims: Claims
    tables: SharedTables


_work: list[_Work] = []


def next_row(shared: Path, round_: Path, parent: int) -> tuple[int, Outcome] | None:
    """Return the position and the outcome of one more task of the round, or None if there is none left.

    Parameters
    ----------
    shared : Path
        Where the tables lie.
    round_ : Path
        Where the tasks lie.
    parent : int
        The process that asked; when it is gone, so is this one.
    """
    work = _begun(shared, round_, parent)
    found = work.claims.claim()
    if found is None:
        return None
    at, task = found
    return at, compute(task, work.tables)


def _begun(shared: Path, round_: Path, parent: int) -> _Work:
    first = not _work
    if first:
        _prepare(parent)
    if not _work or _work[0].round_ != round_:
        _work[:] = [_Work(round_, Claims(round_), SharedTables(shared))]
    if first:
        _load(_work[0].claims.measures)
    return _work[0]


def _load(measures: Iterable[str]) -> None:
    """Load what the tasks need, and let the garbage collector, which the pool calls often, pass over it."""
    for name in measures:
        with suppress(Exception):  # the task will say what is wrong
            measure(name)
    gc.freeze()


def _prepare(parent: int) -> None:
    """Leave interrupts to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
