"""Fits models of another library many times: runs in that library's environment, with NumPy and nothing of ours.

    python -s -B serve_runs.py

Requests come as lines of JSON on the standard input: a model's name, its settings, a table, rows to predict, how often,
and where the outputs go as one file of arrays. The answer is a line of JSON.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np


def naive_bayes(settings: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Return Gaussian naive Bayes of diffprivlib, and the public attributes that are its output."""
    from diffprivlib.models import GaussianNB

    return GaussianNB(**_bounded(settings)), ("class_count_", "theta_", "var_")


def logistic(settings: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Return logistic regression of diffprivlib."""
    from diffprivlib.models import LogisticRegression

    return LogisticRegression(**settings), ("coef_", "intercept_")


def tree(settings: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Return a tree of diffprivlib, whose output is what it predicts."""
    from diffprivlib.models import DecisionTreeClassifier

    return DecisionTreeClassifier(**_bounded(settings)), ()


def forest(settings: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Return a forest of diffprivlib; each of its trees is public."""
    from diffprivlib.models import RandomForestClassifier

    return RandomForestClassifier(**_bounded(settings)), ()


def dp_ebm(settings: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Return the private boosting machine of InterpretML, and the attributes named in the settings."""
    from interpret.privacy import DPExplainableBoostingClassifier

    given = dict(settings)
    shown = tuple(given.pop("shown"))
    if given.get("privacy_bounds"):
        given["privacy_bounds"] = np.asarray(given["privacy_bounds"])
    return DPExplainableBoostingClassifier(n_jobs=1, **given), shown


MODELS: dict[str, Callable[[Mapping[str, Any]], tuple[Any, tuple[str, ...]]]] = {
    "naive-bayes": naive_bayes,
    "logistic": logistic,
    "tree": tree,
    "forest": forest,
    "dp-ebm": dp_ebm,
}
PACKAGES = {"naive-bayes": "diffprivlib", "logistic": "diffprivlib", "tree": "diffprivlib", "forest": "diffprivlib"}


def _bounded(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with bounds as a tuple, which JSON has none of."""
    return {**settings, "bounds": tuple(settings["bounds"])}


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Fit as often as asked, and write the outputs as columns."""
    rows, labels, probes = (np.asarray(request[name]) for name in ("rows", "labels", "probes"))
    runs = []
    for _ in range(request["count"]):
        model, shown = MODELS[request["model"]](request["settings"])
        try:
            runs.append(numbers(model.fit(rows, labels), shown, probes))
        except Exception as error:  # noqa: BLE001  a fit that fails is an output as well
            runs.append({f"raised {type(error).__name__}": 1.0})
    names = sorted({name for run in runs for name in run})
    columns = {f"v{at}": np.asarray([run.get(name, np.nan) for run in runs]) for at, name in enumerate(names)}
    np.savez(request["out"], names=np.asarray(names, dtype=np.str_), **columns)  # type: ignore[arg-type]
    return {"version": version(PACKAGES.get(request["model"], "interpret-core"))}


def numbers(model: Any, shown: tuple[str, ...], probes: Any) -> dict[str, float]:
    """Return the public attributes asked for; of trees, what each of them predicts."""
    found: dict[str, float] = {}
    for name in shown:
        for at, each in enumerate(flat(getattr(model, name))):
            found[f"{name}[{at}]"] = float(each)
    if not shown:
        for at, each in enumerate(getattr(model, "estimators_", [model])):
            for row, share in enumerate(each.predict_proba(probes)[:, -1].tolist()):
                found[f"tree {at}, row {row}"] = share
    return found


def flat(value: Any) -> list[float]:
    """Return all numbers of nested lists, dictionaries and arrays."""
    if isinstance(value, dict):
        return [number for each in value.values() for number in flat(each)]
    if isinstance(value, list | tuple):
        return [number for each in value for number in flat(each)]
    array = np.asarray(value)
    return array.ravel().tolist() if array.dtype.kind in "fiu" else []


def main() -> None:
    """Answer requests until there are no more; whatever the library prints goes nowhere."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
