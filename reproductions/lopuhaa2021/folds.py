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
from reproductions.lopuhaa2021.second_readings import DEEPER, SECOND
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
    "budget. Their noise is a one-sided exponential a coordinate; ours follows the ball's law, as their text does.",
    "The level 1e-11 is run at 1e-9, the least epsilon that estimators take: both are noise alone.",
)
"""Differences of all figures."""


def fold_tasks(names: Sequence[str] = NAMES, *, quick: bool = False) -> list[Task]:
    """Return the folds of the named tables: each learner without privacy, at the published and the corrected cost."""
    return [task for name in names for task in _of_table(name, quick)]


def second_tasks() -> list[Task]:
    """Return ten folds of each second reading of a cell of table 2, without privacy; labeled with their learner."""
    return [_second_task(learner, data, fold) for learner, data in (*SECOND, *DEEPER) for fold in range(FOLDS)]


def named(learner: LearnerName, cost: str | None) -> str:
    """Return what a series is called: "SVM, corrected cost"."""
    return f"{LEARNERS[learner]}, {NO_PRIVACY if cost is None else COSTS[cost]}"


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
    levels: tuple[float | None, ...] = (None,) if row["accounting"] is None else EPSILONS
    accuracies: list[Any] = lists_of(row, "accuracies") or [None] * len(levels)
    shared = {name: row.get(name) for name in (*COLUMNS, "accounting", "reason")} | {
        "kind": "baseline" if row["accounting"] is None else "private",
        "name": named(row["learner"], row["accounting"]),
        "parameters": "{}",
        "delta": None if row["accounting"] is None else 0.0,
    }
    for epsilon, accuracy in zip(levels, accuracies, strict=True):
        yield shared | {"epsilon": epsilon, "accuracy": accuracy}
