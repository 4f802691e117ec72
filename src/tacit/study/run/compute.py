"""One task, computed; whatever goes wrong becomes a failed row that quotes no cell."""

from __future__ import annotations

import json
import warnings
from collections.abc import Generator, Sequence
from time import perf_counter

from tacit.errors import TacitError
from tacit.study.run.measures import find_measure
from tacit.study.run.store import Outcome
from tacit.study.run.tables import Tables, in_groups
from tacit.study.run.task import Task

Outcomes = Generator[tuple[Task, Outcome], None, None]


def compute(task: Task, tables: Tables) -> Outcome:
    """Return what comes of the task.

    Notes
    -----
    Privacy: a foreign exception's text may quote cells, so it is withheld; so are warnings.
    """
    start = perf_counter()
    try:
        measured = find_measure(task.measure)
        start = perf_counter()  # loading a measure is no part of a row
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = dict(measured(task, tables))
        json.dumps(result, allow_nan=False)
    except Exception as error:  # noqa: BLE001  whatever it is, it becomes a row
        return Outcome("failed", _described(error), perf_counter() - start)
    return Outcome("done", result, perf_counter() - start)


def outcomes_here(tasks: Sequence[Task]) -> Outcomes:
    """Yield each task with its outcome, computed in this process."""
    from threadpoolctl import threadpool_limits

    tables = Tables()
    with threadpool_limits(limits=1):  # as in workers: sums of floats may depend on the number of threads
        for group in in_groups(tasks):
            for task in group:
                yield task, compute(task, tables)


def _described(error: Exception) -> dict[str, str]:
    if isinstance(error, TacitError):
        text = str(error)
    elif isinstance(error, MemoryError):
        text = "Expected enough memory for this fit, got less. Use fewer workers or a larger machine."
    else:
        text = "The text of this error is withheld, as it may quote the table."
    return {"error": type(error).__name__, "message": text}
