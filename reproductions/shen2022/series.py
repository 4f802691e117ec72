"""The curves and lines of figures 2 to 4 of Shen and others (2022), as tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import reproductions.shen2022.measures  # noqa: F401  registers "shen2022-baseline" and others
from reproductions.framework.readings import second
from tacit.study.fit import fit_task
from tacit.study.run import Task

TEST_SHARE = 0.1
ROUNDS = 25
"""Section 5.1."""

BRC = "BRC"
PUBLISHED_LOGISTIC = "private logistic regression, as published"
EXTERNAL = "private logistic regression, diffprivlib"
DIFFPRIVLIB = "external:diffprivlib-0.6.6-logistic"
K_NORM = "private logistic regression, K-norm (ours)"
ALL_COLUMNS = "no privacy, all columns"
PUBLIC_COLUMNS = "no privacy, public columns"
ALPHABETICAL = "no privacy, all columns, alphabetical codes"
ALPHABETICAL_PUBLIC = "no privacy, public columns, alphabetical codes"
LARGER_CLASS = "the larger class"

FIRST_ROWS = "first rows of the file"
"""Of each class, in place of a random subset; with credit's row number as one more private column. Without privacy,
categories have alphabetical codes too."""

CODED = ("adult", "bank-marketing")
"""Tables whose categories have another order in the schema than in the alphabet."""


@dataclass(frozen=True)
class Setting:
    """One panel: a table, how it is cut, and what is protected.

    Attributes
    ----------
    data : str
    privacy : {"as-declared", "all-private"}
    balanced : bool
    first : int, optional
        Only the first rows of the table.
    panel : str
    """

    data: str
    privacy: str
    balanced: bool = True
    first: int | None = None
    panel: str = ""

    @property
    def has_second_reading(self) -> bool:
        """Whether rows are deleted, so that the first of the file may be kept."""
        return self.balanced and self.first is None

    def split(self, repeat: int) -> dict[str, Any]:
        """Return the split of a repetition."""
        split: dict[str, Any] = {"kind": "shuffle", "test_share": TEST_SHARE, "repeat": repeat}
        if self.first is not None:
            split["first"] = self.first
        if self.balanced:
            split["balanced"] = True
        return split


def curves(setting: Setting, repeat: int, epsilons: Sequence[float]) -> Iterator[Task]:
    """Yield the private learners' tasks of one repetition; the private baselines protect every column."""
    for epsilon in epsilons:
        yield brc(setting, repeat, epsilon)
    for epsilon in epsilons:
        yield private_baseline(setting, repeat, epsilon)
    for epsilon in epsilons:
        yield _fit(setting, repeat, EXTERNAL, DIFFPRIVLIB, epsilon, {"encoding": "ordinal"}, privacy="all-private")
    for epsilon in epsilons:
        yield _fit(setting, repeat, K_NORM, "logistic", epsilon)
    if setting.has_second_reading:
        for epsilon in epsilons:
            yield _first_rows(setting, repeat, BRC, "brc", epsilon, {"rounds": ROUNDS})
        for epsilon in epsilons:
            yield _first_rows_baseline(setting, repeat, epsilon)


def intercepts(setting: Setting, repeat: int, epsilons: Sequence[float]) -> Iterator[Task]:
    """Yield BRC's tasks for each way to find the intercept of a random classifier."""
    for intercept in ("zero", "uniform", "selected"):
        for epsilon in epsilons:
            parameters = {"rounds": ROUNDS, "intercept": intercept}
            yield _fit(setting, repeat, f"BRC, intercept {intercept}", "brc", epsilon, parameters)


def brc(setting: Setting, repeat: int, epsilon: float) -> Task:
    """Return the task of BRC with the paper's 25 rounds."""
    return _fit(setting, repeat, BRC, "brc", epsilon, {"rounds": ROUNDS})


def private_baseline(setting: Setting, repeat: int, epsilon: float) -> Task:
    """Return the task of Chaudhuri's objective perturbation as published."""
    labels = {"panel": setting.panel, "series": PUBLISHED_LOGISTIC, "x": epsilon}
    return Task("shen2022-baseline", shared_inputs(setting, repeat) | {"epsilon": epsilon}, labels)


def lines(setting: Setting, repeat: int) -> Iterator[Task]:
    """Yield the tasks without privacy of one repetition; they have no x: horizontal lines."""
    ordinal = {"encoding": "ordinal"}
    for series, learner in ((ALL_COLUMNS, "baseline:logistic"), (PUBLIC_COLUMNS, "baseline:logistic-public")):
        yield _fit(setting, repeat, series, learner, None, ordinal, privacy="as-declared")
    if setting.has_second_reading:
        for series, learner in ((ALL_COLUMNS, "baseline:logistic"), (PUBLIC_COLUMNS, "baseline:logistic-public")):
            yield _first_rows(setting, repeat, series, learner, None, ordinal, privacy="as-declared")
    coded = setting.balanced and setting.data in CODED
    for series, columns in ((ALPHABETICAL, "all"), (ALPHABETICAL_PUBLIC, "public")) if coded else ():
        yield Task(
            "shen2022-alphabetical",
            shared_inputs(setting, repeat) | {"columns": columns},
            {"panel": setting.panel, "series": series, "x": None},
        )
    if not setting.balanced:
        yield _fit(setting, repeat, LARGER_CLASS, "baseline:majority", None, privacy="as-declared")


def _first_rows(
    setting: Setting,
    repeat: int,
    series: str,
    learner: str,
    epsilon: float | None,
    parameters: Mapping[str, Any],
    privacy: str | None = None,
) -> Task:
    """Return a fit of the second reading."""
    inputs = _of_first_rows(setting, repeat) | {
        "privacy": privacy or setting.privacy,
        "learner": learner,
        "parameters": dict(parameters),
        "epsilon": epsilon,
        "delta": None if epsilon is None else 0.0,
        "alphabetical": epsilon is None and setting.data in CODED,
    }
    labels = {"panel": setting.panel, "series": second(series, FIRST_ROWS), "x": epsilon}
    return Task("shen2022-first-rows", inputs, labels)


def _first_rows_baseline(setting: Setting, repeat: int, epsilon: float) -> Task:
    labels = {"panel": setting.panel, "series": second(PUBLISHED_LOGISTIC, FIRST_ROWS), "x": epsilon}
    inputs = _of_first_rows(setting, repeat) | {"epsilon": epsilon, "kept": "first"}
    return Task("shen2022-baseline", inputs, labels)


def _of_first_rows(setting: Setting, repeat: int) -> dict[str, Any]:
    split = {"kind": "shuffle", "test_share": TEST_SHARE, "repeat": repeat}  # balanced by the measure
    return shared_inputs(setting, repeat) | {"split": split}


def shared_inputs(setting: Setting, repeat: int) -> dict[str, Any]:
    """Return the inputs that say which rows a repetition reads."""
    return {"data": setting.data, "file": None, "privacy": "as-declared", "split": setting.split(repeat), "seed": 0}


def _fit(
    setting: Setting,
    repeat: int,
    series: str,
    learner: str,
    epsilon: float | None,
    parameters: Mapping[str, Any] | None = None,
    privacy: str | None = None,
) -> Task:
    return fit_task(
        data=setting.data,
        learner=learner,
        split=setting.split(repeat),
        epsilon=epsilon,
        delta=None if epsilon is None else 0.0,
        parameters=parameters,
        privacy=privacy or setting.privacy,
        repeat=repeat,
        panel=setting.panel,
        series=series,
        x=epsilon,
    )
