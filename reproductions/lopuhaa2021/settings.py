"""Settings of Lopuhaä-Zwakenberg and others (2021), "Comparing Classifiers' Performance under Differential Privacy".

What the paper reads off the rows before it trains (medians, codes) is read here too, without noise: for studies on
public tables, never for a private one.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, sqrt
from typing import Literal

import numpy as np

from tacit.schema import Categorical, Numeric, Schema
from tacit.table import Rows

LearnerName = Literal["naive-bayes", "svm", "tree"]

EPSILONS = (1e-11, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
"""Section 4."""

NAMES = ("adult", "mushroom", "nursery", "spect", "house-votes-84", "skin-segmentation")

FOLDS = 10
RUNS: dict[LearnerName, int] = {"naive-bayes": 100, "svm": 100, "tree": 10}
"""Cross-validations at each privacy level: section 4."""

SMALLEST = 1e-5
"""In place of a probability of nothing: the paper's floor of noisy counts."""

MEAN_REGULARIZATION = 10**-2.5
"""The support vector machine's Lambda, on the mean loss."""

TABLE_1: dict[str, tuple[int, int]] = {
    "adult": (14, 48_842),
    "mushroom": (22, 8_000),
    "nursery": (8, 12_960),
    "house-votes-84": (16, 435),
    "spect": (22, 267),
    "skin-segmentation": (3, 245_057),
}
"""Attributes and rows."""

TABLE_2: dict[str, dict[LearnerName, tuple[float, ...]]] = {
    "accuracy": {
        "naive-bayes": (0.8208, 0.8472, 0.0834, 0.5337, 0.9135, 0.9239, 0.6871),
        "svm": (0.8288, 0.9990, 0.9747, 0.6995, 0.4139, 0.7914, 0.7846),
        "tree": (0.8450, 1.0000, 0.8248, 0.7388, 0.9538, 0.7926, 0.8592),
    },
    "average": {
        "naive-bayes": (0.6905, 0.7458, 0.1148, 0.6204, 0.7374, 0.7763, 0.6130),
        "svm": (0.8131, 0.8892, 0.8794, 0.5014, 0.2454, 0.7918, 0.6867),
        "tree": (0.7059, 0.6620, 0.5427, 0.5636, 0.5893, 0.7685, 0.6387),
    },
    "ratio": {
        "naive-bayes": (0.8412, 0.8803, 1.3772, 1.1624, 0.8073, 0.8922, 0.9934),
        "svm": (0.9811, 0.8901, 0.9022, 0.7167, 0.5929, 1.0001, 0.8473),
        "tree": (0.8354, 0.6620, 0.6580, 0.7628, 0.6179, 0.9696, 0.7510),
    },
}
"""Accuracies without privacy, averages over the privacy levels, their ratios: by ``NAMES``, then the mean over them."""


def published(name: str, learner: LearnerName, line: Literal["accuracy", "average", "ratio"]) -> float | None:
    """Return what table 2 states, or None for another data set.

    Examples
    --------
    >>> published("nursery", "naive-bayes", "accuracy")
    0.0834
    """
    return TABLE_2[line][learner][NAMES.index(name)] if name in NAMES else None


def paper_depth(schema: Schema) -> int:
    """Return the square root of the number of attributes, rounded up: section 2.3.

    Attributes before they are made binary, as table 1 counts them: that gives nursery's accuracy in table 2.
    """
    return ceil(sqrt(len(schema.columns)))


def with_medians(schema: Schema, rows: Rows) -> Schema:
    """Return the schema whose only question of each number is whether it is above the median of the rows."""
    columns = []
    for column in schema.columns:
        if isinstance(column, Numeric):
            middle = float(np.median(rows.columns[column.name]))
            low, high = min(column.lower, middle - 1), max(column.upper, middle + 1)
            column = Numeric(column.name, low, high, cuts=(middle,), private=column.private)
        columns.append(column)
    return replace(schema, columns=tuple(columns))


def in_random_order(schema: Schema, seed: int) -> Schema:
    """Return the schema with each column's categories in random order, so that their codes are random integers."""
    generator = np.random.default_rng(seed)
    columns = []
    for column in schema.columns:
        if isinstance(column, Categorical):
            order = generator.permutation(len(column.categories))
            listed = tuple(column.categories[at] for at in order)
            column = replace(column, categories=listed, center=None)
        columns.append(column)
    return replace(schema, columns=tuple(columns))


def recoded(rows: Rows, read_by: Schema, schema: Schema) -> Rows:
    """Return rows that one schema has read as another would, whose categories are in another order."""
    columns = {}
    for column in read_by.columns:
        values = rows.columns[column.name]
        if isinstance(column, Categorical):
            now = schema.column(column.name)
            assert isinstance(now, Categorical)
            places = {category: at for at, category in enumerate(now.categories)}
            beyond = [len(column.categories), -1]  # another category, and none: numpy reads -1 from the end
            values = np.asarray([*(places[one] for one in column.categories), *beyond], dtype=np.int32)[values]
        columns[column.name] = values
    return Rows(columns, rows.n_rows)
