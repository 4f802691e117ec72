"""What a fitted object shows: its public attributes, and what it predicts of chosen rows, as named numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.audit.samplers import Outputs

_METHODS = ("decision_function", "predict_log_proba", "predict_proba", "predict")
"""In this order: the first that an estimator has says what the others do."""

_DEEP = 6
_MAX_NUMBERS = 400
"""Numbers of one output that are looked at."""


def fitted_numbers(fitted: Any, probes: Any, classes: Sequence[Any]) -> dict[str, float]:
    """Return what a fitted object shows.

    Parameters
    ----------
    fitted : object
        An estimator; or whatever else was released, whose numbers are all that is looked at.
    probes : rows
        That it predicts.
    classes : sequence
        Labels, by whose position a predicted label is counted.

    Returns
    -------
    dict of str to float
    """
    numbers: dict[str, float] = {}
    found = [method for method in _METHODS if hasattr(fitted, method)]
    for method in found[:1]:
        _collect(method, _coded(getattr(fitted, method)(probes), classes), numbers, _DEEP)
    if found:
        for name, value in vars(fitted).items():
            if name.endswith("_") and not name.startswith("_"):
                _collect(name, value, numbers, _DEEP)
    else:
        _collect("output", fitted, numbers, _DEEP)
    return numbers


def collected(name: str, value: Any) -> dict[str, float]:
    """Return all numbers of a value, by where they are in it."""
    numbers: dict[str, float] = {}
    _collect(name, value, numbers, _DEEP)
    return numbers


def as_outputs(runs: Sequence[Mapping[str, float]]) -> Outputs:
    """Return named numbers of several runs as columns; NaN where a run lacks one."""
    names = sorted({name for run in runs for name in run})
    return {name: np.asarray([run.get(name, np.nan) for run in runs], dtype=np.float64) for name in names} or {
        "nothing": np.zeros(len(runs))
    }


def _coded(predicted: Any, classes: Sequence[Any]) -> NDArray[Any]:
    values = np.asarray(predicted)
    if values.dtype.kind in "fc":
        return values
    positions = {each: at for at, each in enumerate(classes)}
    return np.asarray([positions.get(each, -1) for each in values.ravel().tolist()], dtype=np.float64)


def _collect(name: str, value: Any, into: dict[str, float], deep: int) -> None:
    """Add all numbers of a value; texts, private attributes and what lies deep are left out."""
    if len(into) >= _MAX_NUMBERS or deep == 0:
        return
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        into.update((f"{name}[{at}]", float(each)) for at, each in enumerate(value.ravel()[: _MAX_NUMBERS - len(into)]))
    elif isinstance(value, Real):
        into[name] = float(value)
    else:
        for part, each in _parts(value):
            _collect(f"{name}.{part}", each, into, deep - 1)


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return [(key, each) for key, each in value.items() if isinstance(key, str | int | float)]
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype.kind == "O"):
        return enumerate(value[:_MAX_NUMBERS])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(each.name, getattr(value, each.name)) for each in dataclasses.fields(value)]
    if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        return [(key, each) for key, each in vars(value).items() if not key.startswith("_")]
    return ()
