"""The folds that every figure of Lopuhaä-Zwakenberg and others (2021) is made of, and their rows, one a fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

import polars as pl

import reproductions.lopuhaa2021.measures  # noqa: F401  registers "lopuhaa2021-fold"
from reproductions.framework.artefact import Paper
from reproductions.framework.comparison import lists_of
from reproductions.framework.readings import second
from reproductions.lopuhaa2021.second_readings import DEEPER, SECOND
from reproductions.lopuhaa2021.second_runs import READINGS
from reproductions.lopuhaa2021.settings import EPSILONS, FOLDS, NAMES, RUNS, LearnerName
from tacit.study.run import Task
from tacit.study.summary.accuracies import COLUMNS

PAPER = Paper(
    "lopuhaa2021",
    "M. Lopuhaä-Zwakenberg, M. Alishahi, J. Kivits, J. Klarenbeek, G.-J. van der Velde, N. Zannone: "
    "Comparing Classifiers' Performance under Differential Privacy. SECRYPT 2021.",
)

LEARNERS: dict[LearnerName, str] = {"naive-bayes": "naive Bayes", "svm": "SVM", "tree": "decision tree"}
COSTS = {"paper": "published cost", "corrected": "corrected cost"}
NO_PRIVACY = "no privacy"

SECOND_COST = "second"
"""In place of a cost: the published one, at the second reading of a learner's mechanism."""

SECOND_RUNS: dict[LearnerName, dict[str, int]] = {
    "naive-bayes": {"adult": 20, "skin-segmentation": 20},
    "svm": {"adult": 5, "mushroom": 30, "skin-segmentation": 1},
    "tree": {},
}
"""Cross-validations of a second reading with privacy, where they are fewer than the paper's."""

QUICK = "1 of 100 runs of ten folds (decision tree: 1 of 10)"
FULL = "100 runs of ten folds (decision tree: 10)"

CODINGS = (
    "Medians are read off the rows, as in the paper, and the SVM's categories are random integers; bounds come from "
    "the packaged schemas.",
    "The published cost is half of what counts take, and scales the noise of means and deviations by private counts: "
    "such a certificate is void. The corrected cost holds; its naive Bayes also smooths and calibrates.",
    "The tree's depth is the root of the number of attributes before they are made binary, rounded up: that gives "
    "nursery's accuracy. Their mushroom tree, at 1.0000, is deeper: from seven levels on ours has that too.",
    "The SVM, with privacy and without, has features in [-1, 1] and a constant one; the paper states neither, and its "
    "own numbers come out of one-hot columns without a constant. Five classes are one against the rest, and share the "
    "budget. Their noise is a one-sided exponential a coordinate; ours is of the K-norm ball, as their text has it.",
    "A second reading with privacy is one for each learner, the same for all tables but for what its data need: the "
    "SVM's one-sided exponential noise at half the published scale, its h = 0.5 (votes: 0.05, as printed), without a "
    "constant; naive Bayes at a quarter of the published noise, densities floored at 1e-5; the tree at epsilon / m for "
    "every count, not split over its levels. Rows with '?' are dropped, but for mushroom. Runs are fewer than 100 "
    "where a run is slow: SVM on adult 5, mushroom 30, skin 1; naive Bayes on adult, skin 20. Each is one fit.",
    "The level 1e-11 is run at 1e-9, the least epsilon that estimators take: both are noise alone.",
)
"""Differences of all figures."""


def fold_tasks(names: Sequence[str] = NAMES, *, quick: bool = False) -> list[Task]:
    """Return the folds of the named tables: each learner without privacy, at the published and the corrected cost."""
    return [task for name in names for task in _of_table(name, quick)]


def second_tasks() -> list[Task]:
    """Return ten folds of each second reading of a cell of table 2, without privacy; labeled with their learner."""
    return [_second_task(learner, data, fold) for learner, data in (*SECOND, *DEEPER) for fold in range(FOLDS)]


def second_runs(names: Sequence[str] = NAMES, *, quick: bool = False) -> list[Task]:
    """Return the cross-validations of each learner's second reading with privacy on the named tables; one each."""
    runs = {(learner, name): SECOND_RUNS[learner].get(name, RUNS[learner]) for learner in LEARNERS for name in names}
    return [
        Task(
            "lopuhaa2021-second-run",
            {"data": name, "file": None, "learner": learner, "folds": FOLDS, "repeat": repeat},
            {"accounting": SECOND_COST},
        )
        for repeat in range(1 if quick else max(runs.values()))
        for (learner, name), many in runs.items()
        if repeat < many
    ]


def named(learner: LearnerName, cost: str | None) -> str:
    """Return what a series is called: "SVM, corrected cost"."""
    if cost == SECOND_COST:
        return second(named(learner, "paper"), READINGS[learner])
    return f"{LEARNERS[learner]}, {NO_PRIVACY if cost is None else COSTS[cost]}"


def second_plain(learner: LearnerName) -> str:
    """Return what the second reading's runs without noise are called."""
    return second(named(learner, None), READINGS[learner])


def fits_of(rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each fit of these folds, with the columns of a study's rows, ``accounting`` and ``reason``."""
    types: dict[str, type[pl.DataType]] = {**COLUMNS, "accounting": pl.String, "reason": pl.String}
    found = [fit for row in rows.iter_rows(named=True) for fit in _fits(row)]
    columns = {name: [fit.get(name) for fit in found] for name in types}
    return pl.DataFrame(columns, schema_overrides=types)


@cache
def _of_table(name: str, quick: bool) -> tuple[Task, ...]:
    """Return one table's folds, made once: several figures share them."""
    costs: tuple[str | None, ...] = (None, *COSTS)
    return tuple(
        _task(name, learner, cost, repeat, fold)
        for learner in LEARNERS
        for repeat, fold, cost in product(range(1 if quick else RUNS[learner]), range(FOLDS), costs)
    )


def _task(name: str, learner: LearnerName, cost: str | None, repeat: int, fold: int) -> Task:
    inputs = {
        "data": name,
        "privacy": "all-private",
        "learner": learner,
        "accounting": cost,
        "epsilons": [] if cost is None else EPSILONS,
        "split": {"kind": "fold", "folds": FOLDS, "fold": fold, "repeat": repeat},
        "repeat": repeat,
        "fold": fold,
        "seed": 0,
    }
    return Task("lopuhaa2021-fold", inputs)


def _second_task(learner: str, data: str, fold: int) -> Task:
    inputs: dict[str, Any] = {
        "data": data,
        "file": None,
        "privacy": "all-private",
        "learner": learner,
        "accounting": None,
        "epsilons": [],
        "depth": DEEPER.get((learner, data)),
        "split": {"kind": "fold", "folds": FOLDS, "fold": fold, "repeat": 0},
        "repeat": 0,
        "fold": fold,
        "seed": 0,
    }
    return Task("lopuhaa2021-second-reading", inputs, {"second": learner})


def _fits(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    cost = row["accounting"]
    levels: tuple[float | None, ...] = () if cost is None else EPSILONS
    if cost in (None, SECOND_COST):
        levels = (None, *levels)
    accuracies: list[Any] = lists_of(row, "accuracies") or [None] * len(levels)
    shared = {name: row.get(name) for name in (*COLUMNS, "accounting", "reason")} | {"parameters": "{}"}
    for epsilon, accuracy in zip(levels, accuracies, strict=True):
        plain = epsilon is None
        yield shared | {
            "kind": "baseline" if plain else "private",
            "name": second_plain(row["learner"]) if plain and cost else named(row["learner"], cost),
            "delta": None if plain else 0.0,
            "epsilon": epsilon,
            "accuracy": accuracy,
        }
