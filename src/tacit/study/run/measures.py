"""What can be measured, by name. Measures register themselves where they are defined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

from tacit.errors import ParameterError
from tacit.study.registry import Registry
from tacit.study.run.tables import Tables
from tacit.study.run.task import Task

Measure = Callable[[Task, Tables], Mapping[str, Any]]
"""Returns plain JSON values by name: the results of one row."""

MeasureT = TypeVar("MeasureT", bound=Measure)

_HERE = ("tacit.study.fit",)
"""Modules of this package that define measures; imported when a name is looked up, as they import learners."""

_REGISTERED: Registry[Measure] = Registry("measure")


def measure(name: str) -> Callable[[MeasureT], MeasureT]:
    """Register the decorated function as a measure, for tasks of this name.

    The function stands in a module that can be imported: worker processes import it.

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
    """Return the measure of this name.

    Raises
    ------
    ParameterError
        If none is registered.

    Examples
    --------
    >>> find_measure("fit").__name__
    'fit'
    """
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
