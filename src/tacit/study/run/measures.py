"""Measures by name, and the computation of a task: an error becomes a failed row that quotes no cell."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from importlib import import_module
from time import perf_counter
from typing import Any, TypeVar

from tacit.errors import ParameterError, TacitError, lacks_memory
from tacit.study.registry import Registry
from tacit.study.run.store import Outcome
from tacit.study.run.tables import Tables, in_groups
from tacit.study.run.task import Task

Measure = Callable[[Task, Tables], Mapping[str, Any]]
"""Returns plain JSON values by name: the results of one row."""

MeasureT = TypeVar("MeasureT", bound=Measure)

# Modules of this package that define measures; imported when a name is looked up, as they import learners.
_HERE = ("tacit.study.fit",)

_REGISTERED: Registry[Measure] = Registry("measure")


def measure(name: str) -> Callable[[MeasureT], MeasureT]:
    """Register the decorated function as a measure, for tasks of this name.

    The function is defined in a module that can be imported: worker processes import it.

    Examples
    --------
    >>> @measure("constant")
    ... def constant(task: Task, tables: Tables) -> dict[str, int]:
    ...     return {"value": 1}
    """

    def register(function: MeasureT) -> MeasureT:
        _REGISTERED.add(name, function, module=function.__module__)
        return function

    return register


def find_measure(name: str) -> Measure:
    """Return the measure of this name."""
    if name not in _REGISTERED:
        for module in _HERE:
            import_module(module)
    if name not in _REGISTERED:
        listed = ", ".join(_REGISTERED)
        raise ParameterError(
            f"Expected a measure, got measure={name!r}. Import the module that registers it, or choose one of {listed}."
        )
    return _REGISTERED[name]


def measure_modules() -> tuple[str, ...]:
    """Return the modules that registered measures."""
    return _REGISTERED.modules


Outcomes = Generator[tuple[Task, Outcome], None, None]


def compute(task: Task, tables: Tables) -> Outcome:
    """Run the task's measure and return the outcome.

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


def outcomes_here(tasks: Sequence[Task], tables: Tables | None = None) -> Outcomes:
    """Yield each task with its outcome, computed in this process."""
    from threadpoolctl import threadpool_limits

    tables = tables or Tables()
    with threadpool_limits(limits=1):  # as in workers: sums of floats may depend on the number of threads
        for group in in_groups(tasks):
            for task in group:
                yield task, compute(task, tables)


def _described(error: Exception) -> dict[str, str]:
    if isinstance(error, TacitError):
        text = str(error)
    elif lacks_memory(error):
        text = "Expected enough memory for this fit, got less. Use fewer workers or a larger machine."
    else:
        text = "The text of this error is not shown, as it may quote the table."
    return {"error": type(error).__name__, "message": text}
