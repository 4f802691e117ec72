"""What can be measured, by name; each measure is loaded where it is first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from tacit.errors import ParameterError
from tacit.study.run.tables import Tables
from tacit.study.run.task import Task

Measure = Callable[[Task, Tables], Mapping[str, Any]]
"""Returns plain JSON values by name: the results of one row."""

MEASURES = {
    "fit": "tacit.study.fit:fit",
}
"""Module and function of each measure."""


def measure(name: str) -> Measure:
    """Return the measure of this name.

    Raises
    ------
    ParameterError
        If there is none.

    Examples
    --------
    >>> measure("fit").__name__
    'fit'
    """
    if name not in MEASURES:
        raise ParameterError(f"Expected a measure, got measure={name!r}. Choose one of {', '.join(MEASURES)}.")
    module, function = MEASURES[name].split(":")
    found: Measure = getattr(import_module(module), function)
    return found
