"""With answers that have nothing to do with the rows, nothing that leaves may depend on a protected cell.

Whatever differs between two such fits got around the accountant: an exact value, a dtype, a name, a count.
"""

from __future__ import annotations

import pickle
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

import tacit.estimators.base as base
from tacit import BRCClassifier, Categorical, Label, Numeric, Schema
from tacit.estimators import (
    BoostedTreesClassifier,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    RadoBoostClassifier,
    SVMClassifier,
    TreeClassifier,
    tally,
)
from tacit.mechanisms import CellSelection
from tacit.models import to_json

GENERATOR = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "a": GENERATOR.uniform(-1, 1, 120),
        "b": GENERATOR.uniform(-1, 1, 120),
        "c": GENERATOR.choice(["x", "y", "z"], 120),
        "d": GENERATOR.uniform(-1, 1, 120),
    }
)
LABELS = GENERATOR.choice(["p", "q", "r"], 120).astype(object)
SCHEMA = Schema(
    [Numeric("a", -1, 1), Numeric("b", -1, 1), Categorical("c", ["x", "y", "z"]), Numeric("d", -1, 1)],
    label=Label("l", ["p", "q", "r"]),
)
ROW = 7


class Unmoved:
    """Answers from a seed, whatever is asked of it; poses as secure noise."""

    is_private, description, sampler = True, "scripted", "scripted"

    def __init__(self):
        self._generator = np.random.default_rng(5)

    def laplace(self, values, scale):
        if values.dtype.kind == "f":
            return self._generator.uniform(0, 1, values.shape)
        return self._generator.integers(0, 40, values.shape)

    gaussian = laplace

    def permute_and_flip(self, scores, scale):
        return int(self._generator.integers(len(scores)))

    exponential_mechanism = permute_and_flip

    def integers(self, stops):
        return self._generator.integers(0, stops)

    def uniform(self, size):
        return self._generator.uniform(0.01, 0.99, size)

    def exponential(self, size):
        return self._generator.uniform(0.01, 4.0, size)


@pytest.fixture(autouse=True)
def _scripted(monkeypatch):
    monkeypatch.setattr(base, "randomness", lambda *_, **__: (Unmoved(), np.random.default_rng(7)))
    monkeypatch.setattr(tally, "uuid4", lambda: UUID(int=7))  # what tells a fit from others is drawn, too
    # Which cells there are is public; which runs they come in is not, so that a script can only name cells.
    monkeypatch.setattr(CellSelection, "sample", lambda _, asked, noise: _within(asked.intervals, noise))


def _within(intervals, noise):
    return intervals[:, 0] + noise.integers(np.diff(intervals)[:, 0])


def replaced(columns, label):
    """The table with one person's protected cells replaced by what no schema admits."""
    frame, labels = FRAME.copy(), LABELS.copy()
    for name in columns:
        frame[name] = frame[name].astype(object)
        frame.loc[ROW, name] = {"a": np.nan, "b": "text", "c": "unlisted", "d": 1e9}[name]
    if label:
        labels[ROW] = None
    return frame, labels


def whatever_leaves(classifier, frame, labels):
    model = classifier.fit(frame, labels)
    return to_json(model.model_), str(model.privacy_), pickle.dumps(model), repr(model), sorted(vars(model))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(
    ("columns", "label"),
    [([], True), (["a"], False), (["c"], True), (["c", "d"], False), (list("abcd"), False), (list("abcd"), True)],
)
@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (BRCClassifier, {"rounds": 4}),
        (BRCClassifier, {"rounds": 4, "intercept": "selected", "encoding": "one-hot"}),
        (LazyBBClassifier, {"rounds": 5}),
        (NaiveBayesClassifier, {}),
        (BoostedTreesClassifier, {"n_trees": 6, "depth": 3}),
        (BoostedTreesClassifier, {"n_trees": 4, "structure": "additive"}),
        (TreeClassifier, {}),
        (LogisticClassifier, {}),
        (LogisticClassifier, {"method": "mean-operator"}),
        (LogisticClassifier, {"encoding": "ranked", "cut_points": "private"}),
        (SVMClassifier, {}),
        (RadoBoostClassifier, {"count": 40, "rounds": 20}),
    ],
    ids=[
        "brc",
        "brc selected",
        "lazybb",
        "naive bayes",
        "boosted",
        "additive",
        "tree",
        "logistic",
        "mean operator",
        "pure ranks",
        "svm",
        "radoboost",
    ],
)
def test_nothing_but_answers_depends_on_protected_cells(make, settings, columns, label, delta):
    schema = SCHEMA.with_private(columns, label=label)
    tables = (FRAME, LABELS), replaced(columns, label)
    one, other = (
        whatever_leaves(make(schema, epsilon=2.0, delta=delta, on_invalid="coerce", **settings), *table)
        for table in tables
    )
    assert one == other


def test_an_exact_answer_would_be_noticed(monkeypatch):
    """The same comparison without scripted answers."""
    schema, noiseless = SCHEMA.all_private(), Unmoved()
    noiseless.laplace = lambda values, scale: values
    monkeypatch.setattr(base, "randomness", lambda *_, **__: (noiseless, np.random.default_rng(7)))
    tables = (FRAME, LABELS), replaced("abcd", True)
    one, other = (whatever_leaves(BRCClassifier(schema, epsilon=2.0, on_invalid="coerce"), *each) for each in tables)
    assert one[0] != other[0]
