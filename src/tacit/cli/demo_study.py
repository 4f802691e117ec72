"""What the demo measures: a study of one table, with some and with all of its columns private."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tacit.datasets import load
from tacit.datasets.catalog import load_schema
from tacit.errors import ModelFileError, PrivacyWarning
from tacit.estimators import AutoClassifier
from tacit.models import Model, read_model
from tacit.schema import Schema
from tacit.study.fit import fit_results
from tacit.study.run import Store, run
from tacit.study.run.progress import OnProgress
from tacit.study.splits import split_rows
from tacit.study.study import LearnerSpec, Study
from tacit.study.summary import accuracies

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1.0)
DELTA = 1e-5
REPETITIONS = 1
"""A training for each point: test rows are 16,281, and the demo is to take less than a minute."""

CHOSEN = 1.0
"""Epsilon of the model that is saved."""

SOME, EVERYTHING = "private: some columns", "private: everything"
OPEN, PUBLIC, MAJORITY = "no privacy: all columns", "no privacy: public columns", "majority class"
OTHERS = "best of three other libraries"

STORED = (
    (0.01, 0.779, 0.013, "Opacus"),
    (0.05, 0.834, 0.002, "Opacus"),
    (0.1, 0.836, 0.001, "Opacus"),
    (0.5, 0.847, 0.002, "DP-EBM"),
    (1.0, 0.852, 0.001, "DP-EBM"),
)
"""Epsilon, mean accuracy and standard deviation over five trainings on the same split, and which library it was: the
best of the settings that were tried of diffprivlib 0.6.6, of DP-EBM (interpret 0.7.8) and of logistic regression by
Opacus 1.6.0, at delta 1e-5, everything private. Chosen on the test rows, in their favor."""

_NAME = "adult"


def measured(progress: OnProgress) -> pl.DataFrame:
    """Return the accuracies of private learners, their noise simulated, and of baselines, as `accuracies` has them."""
    baselines = (
        LearnerSpec("baseline:logistic", {}, OPEN),
        LearnerSpec("baseline:logistic-public", {}, PUBLIC),
        LearnerSpec("baseline:majority", name=MAJORITY),
    )
    cases = ((SOME, "as-declared", baselines), (EVERYTHING, "all-private", ()))
    studies = [
        Study(
            [_NAME],
            [LearnerSpec("auto", name=name), *beside],
            EPSILONS,
            [DELTA],
            repeats=REPETITIONS,
            privacy=[privacy],
            split="official",
        )
        for name, privacy, beside in cases
    ]
    tasks = [task for study in studies for task in study.tasks()]
    return accuracies(fit_results(run(tasks, Store(":memory:"), workers=1, progress=progress)))


def with_others(settings: pl.DataFrame) -> pl.DataFrame:
    """Return the accuracies with what was stored of other libraries, at the epsilons that were measured."""
    known: dict[str, object] = {"data": _NAME, "privacy": "all-private", "name": OTHERS, "delta": DELTA}
    known |= {"runs": 5, "failed": 0}
    rows = [
        dict.fromkeys(settings.columns)
        | known
        | {"epsilon": epsilon, "mean": mean, "deviation": spread, "least": mean - spread, "most": mean + spread}
        for epsilon, mean, spread, _ in STORED
        if epsilon in EPSILONS
    ]
    return pl.concat([settings, pl.DataFrame(rows, schema=settings.schema)])


@dataclass(frozen=True)
class Parts:
    """Training and test rows, as the table's authors divided it."""

    schema: Schema
    train: pl.DataFrame
    train_labels: pl.Series
    test: pl.DataFrame


def parts() -> Parts:
    """Return the demo's table, split."""
    data = load(_NAME)
    train, test = split_rows({"kind": "official"}, data.target.to_numpy(), data.split, seed=0)
    return Parts(data.schema, data.frame[train], data.target[train], data.frame[test])


def is_own_model(path: Path) -> bool:
    """Return whether an earlier demo wrote this model, which another may replace: its table is public."""
    try:
        model = read_model(path)
    except ModelFileError:
        return False
    spent = model.guarantee.epsilon, model.guarantee.delta
    return model.schema == load_schema(_NAME) and spent == (CHOSEN, DELTA) and model.guarantee.charge is None


def private_model(cut: Parts) -> Model:
    """Return one model with secure noise, which may be published."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # that fits of one process add up; the demo says so itself
        chosen = AutoClassifier(cut.schema, epsilon=CHOSEN, delta=DELTA, ledger="none")
        return chosen.fit(cut.train, cut.train_labels).model_
