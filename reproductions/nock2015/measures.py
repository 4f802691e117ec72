"""What a task of the tables of Nock, Patrini and Friedman (2015) measures: one fold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from reproductions.nock2015.protected import most_balanced_binary, noisy_errors, windowed_error
from reproductions.nock2015.settings import Fold, edges_of, folds, outlier_features, table1_errors
from tacit.errors import ParameterError
from tacit.privacy.marginal import Window
from tacit.study.run import Task
from tacit.study.run.measures import measure
from tacit.study.run.tables import Tables

EMPTY = "the window is empty: too few rows for this epsilon"


@measure("nock2015-plain")
def plain_fold(task: Task, tables: Tables) -> dict[str, Any]:
    """Return test errors in percent by learner, of the inputs ``data``, ``fold``, ``rounds`` and ``protect``.

    With ``protect`` the most balanced column of two values is coded -1 and 1, so that DP-Feat has the same rows.
    """
    place = _protected(task.inputs["data"])[0] if task.inputs["protect"] else None
    return table1_errors(_fold(task.inputs, place), rounds=task.inputs["rounds"])


@measure("nock2015-outliers")
def outliers(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the number of features beyond 100 standard deviations in the whole table ``data``."""
    return {"features": outlier_features(_edges(task.inputs["data"])[0])}


@measure("nock2015-window")
def window_fold(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the test error in percent over rados of DP-Feat at ``epsilon``; null if there its window is empty."""
    place, column = _protected(task.inputs["data"])
    fold, epsilon = _fold(task.inputs, place), task.inputs["epsilon"]
    if _is_empty(len(fold.train), epsilon):
        return {"radoboost": None, "column": column, "reason": EMPTY}
    return {"radoboost": windowed_error(fold, place, epsilon, rounds=task.inputs["rounds"]), "column": column}


@measure("nock2015-noise")
def noisy_fold(task: Task, tables: Tables) -> Mapping[str, Any]:
    """Return test errors in percent with Gaussian noise of the deviation ``noise`` on training edges, by learner."""
    inputs = task.inputs
    errors = noisy_errors(_fold(inputs, None), inputs["noise"], supports=inputs["supports"], rounds=inputs["rounds"])
    return errors | _differences(errors, "adaboost") | _differences(errors, "radoboost")


def _differences(errors: Mapping[str, float], other: str) -> dict[str, float]:
    """Return points of error, rounded so that equal errors differ by nothing."""
    return {f"{name} - {other}": round(error - errors[other], 9) for name, error in errors.items()}


@lru_cache(maxsize=1)
def _edges(name: str) -> tuple[np.ndarray, np.ndarray]:
    return edges_of(name)


@lru_cache(maxsize=1)
def _protected(name: str) -> tuple[int, str]:
    return most_balanced_binary(name)


def _fold(inputs: Mapping[str, Any], binary: int | None) -> Fold:
    cut = folds(*_edges(inputs["data"]), inputs["folds"], 0, binary)
    return next(islice(cut, inputs["fold"], None))


def _is_empty(n_rows: int, epsilon: float) -> bool:
    try:
        Window(n_rows, epsilon)
    except ParameterError:
        return True
    return False
