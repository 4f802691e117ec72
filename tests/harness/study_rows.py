"""Rows as a study returns them, one a fit."""

from __future__ import annotations

import polars as pl

from tacit.study.summary.accuracies import COLUMNS


def fit(name="BRC", accuracy=0.5, *, repeat=0, epsilon=1.0, **more):
    """One finished private fit."""
    row = dict.fromkeys(COLUMNS) | {
        "data": "toy", "privacy": "as-declared", "kind": "private", "learner": name.lower(), "name": name,
        "parameters": "{}", "epsilon": epsilon, "delta": None if epsilon is None else 0.0, "repeat": repeat,
        "status": "done", "accuracy": accuracy, "n_train": 75, "n_test": 25, "n_columns": 3, "n_private_columns": 2,
    }  # fmt: skip
    return row | more


def baseline(accuracy=0.5, *, name="Logistic", **more):
    learner = f"baseline:{name.lower()}"
    return fit(name, accuracy, epsilon=None, kind="baseline", **({"learner": learner} | more))


def failed(name="BRC", **more):
    return fit(name, None, status="failed", message="Expected more rows.", **more)


def frame(*rows):
    return pl.DataFrame(rows, schema=dict(COLUMNS))
