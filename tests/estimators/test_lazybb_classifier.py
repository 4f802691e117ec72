"""LazyBB with the face of scikit-learn: options, certificates, files, more than two classes."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import ModelFileError, ParameterError
from tacit.estimators import LazyBBClassifier
from tacit.models import read_model, to_json
from tacit.models.file import from_json
from tacit.schema import Categorical, Label, Numeric, Schema

SCHEMA = Schema(
    [Numeric("gain", 0, 100), Categorical("status", ["single", "married"])], label=Label("rich", ["no", "yes"])
)


def data(n_rows=1500, seed=0):
    generator = np.random.default_rng(seed)
    frame = np.empty((n_rows, 2), dtype=object)
    frame[:, 0] = generator.uniform(0, 100, n_rows)
    frame[:, 1] = np.asarray(["single", "married"])[generator.integers(0, 2, n_rows)]
    labels = np.where((frame[:, 0].astype(float) > 75) | (frame[:, 1] == "married"), "yes", "no")
    return frame, labels


def test_secure_fit_saves_a_model_that_predicts_the_same(tmp_path):
    X, y = data()
    model = LazyBBClassifier(SCHEMA, epsilon=2.0, rounds=5, calibration=0.0).fit(X, y)
    assert model.privacy_.status == "private"
    assert len([line for line in model.privacy_.releases if "medians" not in line.query]) == 5
    assert model.model_.scorers[0].cuts
    model.save(tmp_path / "model.json")
    again = read_model(tmp_path / "model.json")
    assert (again.decision_function(X) == model.decision_function(X)).all()
    assert any("status is" in line for line in again.scorers[0].words(SCHEMA))
    assert len(list(model.staged_predict(X))) == 5


@pytest.mark.parametrize(
    "options",
    [
        {"weak_learner": "tree", "max_splits": 2},
        {"literals": "both"},
        {"cut_points": "private"},
        {"delta": 1e-6},
        {"literals": "bins"},
        {"public_start": False},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_learn_and_round_trip(options):
    X, y = data()
    model = LazyBBClassifier(SCHEMA, epsilon=8.0, rounds=9, random_state=0, **options).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.privacy_.status == "simulated"
    again = from_json(to_json(model.model_, allow="simulated"))
    assert (again.decision_function(X) == model.decision_function(X)).all()


def test_three_classes_share_the_budget():
    X, _ = data()
    schema = Schema(SCHEMA.columns, label=Label("level", ["a", "b", "c"]))
    gain = X[:, 0].astype(float)
    y = np.where(gain < 33, "a", np.where(gain < 66, "b", "c"))
    settings = {"rounds": 9, "literals": "both", "cut_points": "grid", "calibration": 0.05}
    model = LazyBBClassifier(schema, epsilon=12.0, **settings, random_state=0).fit(X, y)
    assert len(model.privacy_.releases) == 30
    assert sum(line.loss for line in model.privacy_.releases) <= 12.0 * (1 + 1e-12)
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize(
    ("options", "rounds"),
    [
        # s = 1500 * 60 / ln(2 * 32 + 2) = 21481; s^0.6 / 8 = 49.7 splits
        ({"epsilon": 60.0, "max_splits": 3}, 17),
        ({"epsilon": 60.0, "max_splits": 12}, 5),
        # rho = 1.5393 makes as much noise for 21 selections as an epsilon of sqrt(8 * 1.5393 * 21) = 16.1, not of 10:
        # s = 1500 * 16.1 / ln 66 = 5757, and s^0.6 / 24 = 7.5; 10 alone would give 3580^0.6 / 24 = 5.7
        ({"epsilon": 10.0, "delta": 1e-6, "max_splits": 3}, 7),
    ],
)
def test_rounds_of_trees_follow_from_what_all_their_splits_cost(options, rounds):
    X, y = data()
    model = LazyBBClassifier(SCHEMA, weak_learner="tree", random_state=0, **options).fit(X, y)
    assert len(model.model_.scorers[0].votes) == rounds


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"weak_learner": "stump"}, "weak_learner"),
        ({"cut_points": "guessed"}, "cut_points"),
        ({"literals": "words"}, "literals"),
        ({"rounds": "many"}, "rounds"),
        ({"rounds": 0}, "rounds"),
        ({"density": 0}, "density"),
        ({"density": 1.01}, "density"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"weak_learner": "tree", "max_splits": 1000}, "max_splits"),
    ],
)
def test_bad_options_are_refused_before_anything_is_spent(options, named):
    X, y = data(50)
    with pytest.raises(ParameterError, match=named):
        LazyBBClassifier(SCHEMA, epsilon=1.0, random_state=0, **options).fit(X, y)


def test_damaged_files_are_refused():
    X, y = data(200)
    model = LazyBBClassifier(SCHEMA, epsilon=5.0, rounds=3, random_state=0).fit(X, y).model_
    import dataclasses

    from tacit.features.literals import Literal
    from tacit.models import LiteralRule

    for literal in (Literal("gain", 0, 99), Literal("gain", 3, 1), Literal("absent", 0, 0), Literal("gain", 0, 31)):
        scorer = dataclasses.replace(model.scorers[0], votes=(LiteralRule(literal),))
        with pytest.raises(ModelFileError):
            scorer.check(SCHEMA)


def test_counts_that_would_not_fit_in_memory_are_refused():
    schema = Schema([Categorical("zip", buckets=60_000)], label=Label("y", [0, 1]))
    rows = ([["a"], ["b"]] * 20, [0, 1] * 20)
    with pytest.raises(ParameterError, match="counts of rows by round"):
        LazyBBClassifier(schema, epsilon=1.0, rounds=560).fit(*rows)
    LazyBBClassifier(schema, epsilon=1.0, rounds=2).fit(*rows)
