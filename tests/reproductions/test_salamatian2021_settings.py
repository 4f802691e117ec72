"""The study's figures: sparsity by hand, advantages and margins that agree with direct computation."""

from __future__ import annotations

import numpy as np
import pytest

from reproductions.salamatian2021.settings import (
    best_single_rule,
    boosting_curve,
    normalized_margins,
    rademacher_estimate,
    settings,
    sparsity,
    votes,
)
from tacit.estimators import LazyBBClassifier
from tacit.schema import Categorical, Label, Schema
from tacit.table import Table

SCHEMA = Schema([Categorical("a", ["u", "v"]), Categorical("b", ["p", "q", "r"])], label=Label("y", ["no", "yes"]))


def data(n_rows=400):
    generator = np.random.default_rng(0)
    a, b = generator.integers(0, 2, n_rows), generator.integers(0, 3, n_rows)
    X = np.column_stack([np.asarray(["u", "v"])[a], np.asarray(["p", "q", "r"])[b]])
    return X, np.where((a == 1) ^ (generator.random(n_rows) < 0.1), "yes", "no")


def test_figures_of_one_model():
    X, y = data()
    thesis = {"rounds": 3, "density": 0.5, "learning_rate": 0.3, "calibration": 0.0}
    model = LazyBBClassifier(SCHEMA, epsilon=100.0, **thesis, random_state=0).fit(X, y)
    found = sparsity(model.model_)
    assert found.features >= 1
    assert found.share == found.features / 4  # "a is u", and b is p, q or r
    assert sum(votes(model.model_).values()) == sum(int(line.split(" ")[0]) for line in found.votes)
    assert votes(model.model_)["a is u"] < 0
    table = Table.from_frame(X, y, SCHEMA)
    curve = boosting_curve(table, model.model_.scorers[0], density=0.5, learning_rate=0.3)
    words, accuracy = best_single_rule(table)
    assert words == "a is not u"
    assert curve[0] == pytest.approx(accuracy - 0.5)
    margins = normalized_margins(model.decision_function(X), (y == "yes").astype(int), 3)
    assert np.abs(margins).max() <= 1
    assert np.mean(margins > 0) == pytest.approx(model.score(X, y))
    bound = rademacher_estimate(table, margins, thresholds=[0.3, 0.9], draws=3)
    assert bound < model.score(X, y)


def test_settings_of_the_appendix():
    assert settings("mushroom", 1.0) == {"density": 0.25, "learning_rate": 0.3, "rounds": 29}
