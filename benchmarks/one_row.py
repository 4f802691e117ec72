"""How long one row waits for its prediction, over a scikit-learn pipeline, as ratios of medians of interleaved runs.

    python benchmarks/one_row.py [--repeats 5]

A frame of one row, 12 numbers and 8 categories of 10, as pandas has it, and its class probabilities: by logistic
regression on bins (linear), by boosted trees that start from ranks (trees), as ``auto`` takes them for so many rows,
and by a pipeline of a ColumnTransformer (scaled numbers, one-hot categories) and logistic regression without privacy.
Each run predicts many single rows, one after the other.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tacit import BoostedTreesClassifier, LogisticClassifier
from tacit.schema import Categorical, Label, Numeric, Schema

N_ROWS, NEW_ROWS = 30_000, 100
WORDS = [f"v{code}" for code in range(10)]
NUMBERS, CATEGORIES = [f"n{i}" for i in range(12)], [f"c{i}" for i in range(8)]
TARGETS = {"linear": 0.35, "trees": 0.6}


def table() -> tuple[pd.DataFrame, Any]:
    """Return rows and their classes."""
    generator = np.random.default_rng(0)
    columns: dict[str, Any] = {name: generator.uniform(0, 100, N_ROWS).round(2) for name in NUMBERS}
    columns |= {name: generator.choice(WORDS, N_ROWS) for name in CATEGORIES}
    lean = sum((columns[name] - 50) / 30 for name in NUMBERS[:4]) + 2.0 * (columns["c0"] == "v1")
    return pd.DataFrame(columns), np.where(lean + generator.logistic(size=N_ROWS) > 0, "yes", "no")


def fitted() -> tuple[dict[str, Callable[[Any], Any]], pd.DataFrame]:
    """Return what predicts, by name, and rows to predict."""
    frame, labels = table()
    columns = [*(Numeric(name, 0, 100) for name in NUMBERS), *(Categorical(name, WORDS) for name in CATEGORIES)]
    schema = Schema(columns, label=Label("y", ["no", "yes"]))
    simulated = {"epsilon": 1.0, "delta": 1e-8, "random_state": 0}
    linear = LogisticClassifier(schema, encoding="binned", **simulated).fit(frame, labels)
    trees = BoostedTreesClassifier(schema, **simulated).fit(frame, labels)
    pipeline = make_pipeline(
        ColumnTransformer([("numbers", StandardScaler(), NUMBERS), ("categories", OneHotEncoder(), CATEGORIES)]),
        LogisticRegression(max_iter=1000),
    ).fit(frame, labels)
    predictors = {
        "linear": linear.model_.predict_proba,
        "trees": trees.model_.predict_proba,
        "linear, estimator": linear.predict_proba,
        "trees, estimator": trees.predict_proba,
        "pipeline": pipeline.predict_proba,
    }
    return predictors, frame.head(NEW_ROWS)


def seconds(predict: Callable[[Any], Any], rows: list[pd.DataFrame]) -> float:
    """Return what a row takes in the mean."""
    start = time.perf_counter()
    for row in rows:
        predict(row)
    return (time.perf_counter() - start) / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    predictors, frame = fitted()
    rows = [frame.iloc[at : at + 1] for at in range(len(frame))]
    taken: dict[str, list[float]] = {name: [] for name in predictors}
    for _ in range(repeats + 1):
        for name, predict in predictors.items():
            taken[name].append(seconds(predict, rows))
    medians = {name: median(each[1:]) for name, each in taken.items()}  # the first fills caches
    for name, each in medians.items():
        target = TARGETS.get(name)
        wanted = "" if target is None else f"   target {target}"
        print(f"{name:18s} {each * 1e3:6.2f} ms, over the pipeline {each / medians['pipeline']:5.2f}{wanted}")


if __name__ == "__main__":
    main()
