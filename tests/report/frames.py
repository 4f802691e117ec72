"""Rows of a study that never ran, with the columns that a study has."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl

EPSILONS = (0.01, 0.04, 0.1, 0.4, 1.0, 3.0, 10.0)

PRIVATE = {
    "BRC": ("brc", 0.80, 0.05),
    "LazyBB, one-rules": ("lazybb", 0.855, 0.03),
    "LazyBB, trees": ("lazybb", 0.858, 0.2),
    "Naive Bayes": ("naive-bayes", 0.832, 0.02),
    "Tree": ("tree", 0.84, 0.12),
    "Logistic, K-norm": ("logistic", 0.848, 0.06),
    "Logistic, mean operator": ("logistic", 0.81, 0.01),
    "SVM": ("svm", 0.835, 0.5),
    "Rados": ("rados", 0.79, 0.3),
}
PEERS = {
    "diffprivlib logistic": ("external:diffprivlib-logistic", 0.845, 2.5),
    "DP-EBM": ("external:dp-ebm", 0.862, 0.25),
}
REFERENCES = {
    "majority": 0.7593,
    "one-rule": 0.805,
    "logistic, public columns": 0.832,
    "logistic": 0.8521,
    "hist-gradient-boosting": 0.873,
}


def study_frame(
    data=("adult",),
    privacy=("as-declared",),
    learners=None,
    epsilons=EPSILONS,
    repeats=10,
    references=REFERENCES,
    seed=0,
    failing=(),
):
    """Return rows of learners whose accuracy rises from chance to a ceiling as epsilon grows."""
    generator = np.random.default_rng(seed)
    learners = PRIVATE | PEERS if learners is None else learners
    rows = []
    for table in data:
        for case in privacy:
            for repeat in range(repeats):
                lift = generator.normal(0, 0.003)
                shared = {"data": table, "privacy": case, "repeat": repeat, "fold": None, "n_train": 30000}
                shared |= {"n_test": 15060, "n_columns": 14, "n_private_columns": 8 if case == "as-declared" else 14}
                for name, ceiling in references.items():
                    learner = "baseline:" + name.replace(", ", "-")
                    found = _fitted(generator, ceiling + lift, 0.0, 0.4)
                    rows.append(shared | _setting(name, learner, "baseline", None) | found)
                for name, (learner, ceiling, half) in learners.items():
                    for epsilon in epsilons:
                        mean = 0.62 + (ceiling - 0.62) * math.sqrt(epsilon / (epsilon + half)) + lift
                        found = _fitted(generator, mean, 0.012 / math.sqrt(1 + 20 * epsilon), 0.2 + len(name) / 5)
                        if (name, epsilon, repeat) in failing:
                            found = _failed()
                        kind = "external" if learner.startswith("external:") else "private"
                        rows.append(shared | _setting(name, learner, kind, epsilon) | found)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.with_columns(key=pl.int_range(pl.len()).cast(pl.String), seed=pl.int_range(pl.len()))


def _setting(name, learner, kind, epsilon):
    delta = None if epsilon is None else (1e-6 if "SVM" in name else 0.0)
    return {
        "name": name,
        "learner": learner,
        "kind": kind,
        "epsilon": epsilon,
        "delta": delta,
        "parameters": json.dumps({"name": name}),
    }


def _fitted(generator, mean, spread, seconds):
    accuracy = min(1.0, mean + generator.normal(0, 1) * spread)
    return {
        "status": "done",
        "error": None,
        "message": None,
        "accuracy": accuracy,
        "auc": min(1.0, accuracy + 0.05),
        "balanced_accuracy": accuracy - 0.1,
        "log_loss": 1 - accuracy,
        "brier": (1 - accuracy) / 2,
        "majority": 0.7593,
        "calibration": json.dumps([[100 + at, at / 10 + 0.05, (at / 10 + 0.05) ** (1 / accuracy)] for at in range(10)]),
        "fit_seconds": seconds * math.exp(generator.normal(0, 0.2)),
        "predict_seconds": 0.01,
    }


def _failed():
    measured = ("accuracy", "auc", "balanced_accuracy", "log_loss", "brier", "majority", "calibration")
    empty = dict.fromkeys((*measured, "fit_seconds", "predict_seconds"))
    return empty | {"status": "failed", "error": "ParameterError", "message": "Expected epsilon of at least 0.02."}
