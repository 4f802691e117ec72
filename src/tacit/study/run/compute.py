"""One task, computed; whatever goes wrong becomes a failed row that quotes no cell."""

from __future__ import annotations

import json
import warnings
from time import perf_counter

from tacit.errors import TacitError
from tacit.study.run.measures import measure
from tacit.study.run.store import Outcome
from tacit.study.run.tables import Tables
from tacit.study.run.task import Task


def compute(task: Task, tables: Tables) -> Outcome:
    """Return what comes of the task.

    Notes
    -----
    Privacy: a foreign exception's text may quote cells, so it is withheld; so are warnings.
    """
    start = perf_counter()
    try:
        measured = measure(task.measure)
        start = perf_counter()  # loading a measure is no part of a row
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = dict(measured(task, tables))
        json.dumps(result, allow_nan=False)
    except Exception as error:  # noqa: BLE001  whatever it is, it becomes a row
        return Outcome("failed", _described(error), perf_counter() - start)
    return Outcome("done", result, perf_counter() - start)


def _described(error: Exception) -> dict[str, str]:
    if isinstance(error, TacitError):
        text = str(error)
    elif isinstance(error, MemoryError):
        text = "Expected enough memory for this fit, got less. Use fewer workers or a larger machine."
    else:
        text = "The text of this error is withheld, as it may quote the table."
    return {"error": type(error).__name__, "message": text}
