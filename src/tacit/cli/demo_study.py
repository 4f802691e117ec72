"""What the demo measures: a study of one table, with some and with all of its columns private."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import polars as pl

from tacit.datasets import load
from tacit.errors import PrivacyWarning
from tacit.estimators import BRCClassifier
from tacit.models import Model
from tacit.schema import Schema
from tacit.study.fit import fit_results
from tacit.study.run import Store, run
from tacit.study.run.progress import OnProgress
from tacit.study.splits import split_rows
from tacit.study.study import LearnerSpec, Study
from tacit.study.summary import accuracies

EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
REPETITIONS = 20  # fits of some milliseconds each: the demo takes seconds
CHOSEN = 1.0
"""Epsilon of the model that is saved."""

SOME, EVERYTHING = "private: some columns", "private: everything"
OPEN, PUBLIC, MAJORITY = "no privacy: all columns", "no privacy: public columns", "majority class"

_DATA = "breast-cancer"
_TEST_SHARE = 169 / 569  # as many rows as leave 400 for training
_ORDINAL = {"encoding": "ordinal"}


def measured(progress: OnProgress) -> pl.DataFrame:
    """Return the accuracies of private learners, their noise simulated, and of baselines, as `accuracies` has them."""
    baselines = (
        LearnerSpec("baseline:logistic", _ORDINAL, OPEN),
        LearnerSpec("baseline:logistic-public", _ORDINAL, PUBLIC),
        LearnerSpec("baseline:majority", name=MAJORITY),
    )
    cases = ((SOME, "as-declared", baselines), (EVERYTHING, "all-private", ()))
    studies = [
        Study(
            [_DATA],
            [LearnerSpec("brc", name=name), *beside],
            EPSILONS,
            repeats=REPETITIONS,
            test_share=_TEST_SHARE,
            privacy=[privacy],
        )
        for name, privacy, beside in cases
    ]
    tasks = [task for study in studies for task in study.tasks()]
    return accuracies(fit_results(run(tasks, Store(":memory:"), workers=1, progress=progress)))


@dataclass(frozen=True)
class Parts:
    """Training and test rows of the first of the study's splits."""

    schema: Schema
    train: pl.DataFrame
    train_labels: pl.Series
    test: pl.DataFrame


def parts() -> Parts:
    """Return the demo's table, split."""
    data = load(_DATA)
    split = {"kind": "shuffle", "test_share": _TEST_SHARE, "repeat": 0}
    train, test = split_rows(split, data.target.to_numpy(), None, seed=0)
    return Parts(data.schema, data.frame[train], data.target[train], data.frame[test])


def private_model(cut: Parts) -> Model:
    """Return one model with secure noise, which may be published."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # that fits of one process add up; the demo says so itself
        return BRCClassifier(cut.schema, epsilon=CHOSEN, ledger="none").fit(cut.train, cut.train_labels).model_
