"""The comparators of figures 4a and 4b of Shen and others (2022) as tasks and as what they measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from reproductions.shen2022.pate import Noise, PublishedPATE, SplitPATE
from reproductions.shen2022.people import BoostingForPeople, Mode
from reproductions.shen2022.series import Setting, shared_inputs
from reproductions.shen2022.settings import EPSILONS
from tacit.features import LinearEncoding
from tacit.study.run import Task
from tacit.study.run.measures import measure
from tacit.study.run.tables import Tables
from tacit.study.splits import Split

PATE = {
    "all queries": "PATE on split features, as published (void)",
    "each query alone": "PATE on split features, noise for each query alone (void)",
    "corrected": "PATE on split features, corrected",
}
PEOPLE = {mode: f"Boosting for People, {mode}" for mode in get_args(Mode)}


@measure("shen2022-comparator")
def comparator(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the accuracy of a ``family`` ("pate" or "people") in one of its ``kind``s, at ``epsilon``."""
    given, split = task.inputs, tables.split(task)
    said = _FAMILIES[given["family"]](split, given["kind"], given["epsilon"], task.seed % 2**32)
    return {"accuracy": float(np.mean(said == split.test_labels))}


def comparators(setting: Setting, repeat: int, family: str) -> Iterator[Task]:
    """Yield the tasks of one repetition."""
    for kind, series in {"pate": PATE, "people": PEOPLE}[family].items():
        for epsilon in EPSILONS:
            inputs = shared_inputs(setting, repeat) | {"family": family, "kind": kind, "epsilon": epsilon}
            yield Task("shen2022-comparator", inputs, {"panel": setting.panel, "series": series, "x": epsilon})


def _pate(split: Split, kind: str, epsilon: float, seed: int) -> NDArray[Any]:
    if kind == "corrected":
        fitted = SplitPATE(split.schema, epsilon, random_state=seed).fit_rows(split.train, split.train_labels)
        return (fitted.decision(split.test) > 0).astype(int)
    schema = split.schema
    private, public = (_features(split, names) for names in (schema.private_columns, schema.public_columns))
    return PublishedPATE(epsilon, cast(Noise, kind), seed).predict(private, public, split.train_labels)


def _people(split: Split, kind: str, epsilon: float, seed: int) -> NDArray[Any]:
    train, test = _features(split, split.schema.private_columns)
    return BoostingForPeople(epsilon, cast(Mode, kind), seed=seed).fit(train, split.train_labels).predict(test)


def _features(split: Split, names: tuple[str, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    encoding = LinearEncoding(split.schema, names, "ordinal")
    return encoding.transform(split.train), encoding.transform(split.test)


_FAMILIES: dict[str, Callable[[Split, str, float, int], NDArray[Any]]] = {"pate": _pate, "people": _people}
