"""Learners of a study: the private ones as they are, and baselines that learn what they should."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tacit.datasets import load
from tacit.errors import ParameterError, TableError
from tacit.estimators import NaiveBayesClassifier
from tacit.models import Model
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.data import DataSpec
from tacit.study.fit import area_under_curve, fit, fit_task, scored
from tacit.study.learners import baseline_learners, predictions, private_learners
from tacit.study.run import Store, run
from tacit.study.run.tables import Tables
from tacit.study.splits import Split
from tacit.table import Rows, Table, read_rows

SPLIT = {"kind": "shuffle", "test_share": 0.25, "repeat": 0}


def split_of(schema, frame, labels):
    """The same rows for training and for testing."""
    rows = Rows({name: np.asarray(values) for name, values in frame.items()}, len(labels))
    index = np.arange(len(labels))
    labels = np.asarray(labels, dtype=np.uint8)
    return Split(schema, Table.from_rows(rows, labels, schema), rows, rows, labels, labels, index, index)


@pytest.fixture
def corners():
    """Twelve rows: y is 1 above 50 in the number, but for one; the category is noise."""
    schema = Schema([Numeric("x", 0, 100, cuts=[50]), Categorical("c", ["a", "b"])], label=Label("y", ["n", "y"]))
    numbers = [10.0, 20, 30, 40, 45, 48, 60, 70, 80, 90, 95, 30]
    labels = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    return split_of(schema, {"x": numbers, "c": np.array([0, 1] * 6, dtype=np.int32)}, labels)


def codes(learner, split, **parameters):
    return predictions(learner, split, epsilon=None, delta=None, seed=3, parameters=parameters).codes.tolist()


def test_baselines_by_hand(corners):
    assert codes("baseline:majority", corners) == [0] * 12  # six to six: the first class
    right = [0] * 6 + [1] * 5 + [0]
    assert codes("baseline:one-rule", corners) == right
    assert codes("baseline:logistic", corners, encoding="binned", C=100.0) == right


def test_a_rule_may_deny(corners):
    flipped = split_of(corners.schema, corners.train.columns, 1 - corners.train_labels)
    assert codes("baseline:one-rule", flipped) == [1] * 6 + [0] * 5 + [1]


@pytest.mark.parametrize("learner", baseline_learners())
def test_baselines_reach_what_they_should(learner):
    task = fit_task(data="breast-cancer", learner=learner, split=SPLIT, seed=1)
    [found] = run([task], Store(":memory:"), workers=1).to_dicts()
    least = {"majority": 0.55, "one-rule": 0.8, "logistic-public": 0.7}.get(learner.partition(":")[2], 0.93)
    assert found["accuracy"] >= least
    assert found["auc"] >= (0.5 if learner.endswith("majority") else least - 0.05)


def test_baselines_of_several_classes(corners):
    schema = Schema(corners.schema.columns, label=Label("y", ["a", "b", "c"]))
    labels = [0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2]
    split = split_of(schema, corners.train.columns, labels)
    for learner in ("majority", "logistic", "random-forest"):
        found = predictions(f"baseline:{learner}", split, epsilon=None, delta=None, seed=3, parameters={})
        assert set(found.codes) <= {0, 2}
        assert found.scores is None
    with pytest.raises(ParameterError, match="two classes"):
        codes("baseline:one-rule", split)


def test_baselines_have_probabilities_but_for_a_rule(corners):
    base = predictions("baseline:majority", corners, epsilon=None, delta=None, seed=3, parameters={})
    assert base.likely.tolist() == [[0.5, 0.5]] * 12
    uneven = split_of(corners.schema, corners.train.columns, [0] * 9 + [1] * 3)
    base = predictions("baseline:majority", uneven, epsilon=None, delta=None, seed=3, parameters={})
    assert base.likely.tolist() == [[0.75, 0.25]] * 12
    found = scored(base, uneven)
    assert found["log_loss"] == pytest.approx(-(0.75 * np.log(0.75) + 0.25 * np.log(0.25)))
    assert found["brier"] == pytest.approx(0.75 * 0.25)
    assert json.loads(found["calibration"])[2] == [12, 0.25, 0.25]
    for name in ("logistic", "hist-gradient-boosting", "random-forest"):
        made = predictions(f"baseline:{name}", corners, epsilon=None, delta=None, seed=3, parameters={})
        assert made.likely.sum(axis=1) == pytest.approx(np.ones(12))
        assert made.scores == pytest.approx(made.likely[:, 1] - made.likely[:, 0])
        assert scored(made, corners)["calibration"] is not None
    rule = predictions("baseline:one-rule", corners, epsilon=None, delta=None, seed=3, parameters={})
    assert rule.likely is None and scored(rule, corners)["log_loss"] is None


def test_probabilities_of_a_class_without_training_rows_are_zero(corners):
    schema = Schema(corners.schema.columns, label=Label("y", ["a", "b", "c"]))
    split = split_of(schema, corners.train.columns, [0] * 6 + [2] * 6)
    for learner in ("majority", "logistic"):
        made = predictions(f"baseline:{learner}", split, epsilon=None, delta=None, seed=3, parameters={})
        assert made.likely.shape == (12, 3) and not made.likely[:, 1].any()
        assert scored(made, split)["log_loss"] > 0


def test_a_learner_of_public_columns_needs_one(corners):
    with pytest.raises(ParameterError, match="public columns"):
        codes("baseline:logistic-public", corners)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", sorted(private_learners()))
def test_private_learners_do_what_they_do_alone(learner):
    data, tables = load("breast-cancer"), Tables()
    task = fit_task(data="breast-cancer", learner=learner, epsilon=1.0, delta=0.0, split=SPLIT, privacy="all-private")
    split = tables.split(task)
    found = predictions(learner, split, epsilon=1.0, delta=0.0, seed=task.seed, parameters={})
    alone = private_learners()[learner](data.schema.all_private(), epsilon=1.0, delta=0.0, random_state=task.seed)
    alone.fit(data.frame[split.train_index], data.target[split.train_index])
    frame, labels = data.frame[split.test_index], data.target[split.test_index].to_numpy()
    assert (found.scores == alone.decision_function(frame)).all()
    assert (split.classes[found.codes] == alone.predict(frame)).all()
    assert fit(task, tables)["accuracy"] == np.mean(alone.predict(frame) == labels)
    again = private_learners()[learner](data.schema.all_private(), epsilon=1.0, delta=0.0, random_state=task.seed)
    again.fit_table(split.table)
    assert again.model_ == alone.model_
    assert again.n_features_in_ == alone.n_features_in_
    assert (again.feature_names_in_ == alone.feature_names_in_).all()


@pytest.mark.filterwarnings("ignore")
def test_private_learners_know_how_the_rows_were_read(tmp_path):
    """A third of the categories is not listed: naive Bayes gives these a place of their own, if it is told of them."""
    (tmp_path / "t.csv").write_text("c,y\n" + "a,n\nb,y\nzz,n\n" * 30)
    schema = Schema([Categorical("c", ["a", "b"])], label=Label("y", ["n", "y"]))
    (tmp_path / "s.toml").write_text(schema.to_toml())
    file = DataSpec(tmp_path / "t.csv", tmp_path / "s.toml", on_invalid="coerce").inputs()
    task = fit_task(data="t", file=file, learner="naive-bayes", epsilon=1.0, delta=0.0, split=SPLIT)
    split = Tables().split(task)
    made = predictions("naive-bayes", split, epsilon=1.0, delta=0.0, seed=3, parameters={}).scores
    alone = {
        on_invalid: NaiveBayesClassifier(split.schema, epsilon=1.0, random_state=3, on_invalid=on_invalid)
        .fit_table(split.table)
        .model_.decision_function(split.test)
        for on_invalid in ("raise", "coerce")
    }
    assert made.tolist() == alone["coerce"].tolist() != alone["raise"].tolist()


def test_a_table_or_rows_of_another_schema_are_refused(corners):
    bayes = private_learners()["naive-bayes"]
    with pytest.raises(ParameterError, match="estimator's schema"):
        bayes(corners.schema.with_private(["x"]), epsilon=1.0).fit_table(corners.table)
    with pytest.raises(ParameterError, match="epsilon"):
        bayes(corners.schema).fit_table(corners.table)
    model: Model = bayes(corners.schema, epsilon=1.0, random_state=1).fit_table(corners.table).model_
    other = Schema([Numeric("z", 0, 1)], label=corners.schema.label)
    with pytest.raises(TableError, match="model's columns"):
        model.predict(read_rows(np.zeros((2, 1)), other))
    assert (model.decide(model.decision_function(corners.test)) == model.predict(corners.test)).all()


def test_area_under_the_curve_by_hand():
    scores = np.array([3.0, 1, 2, 2, 0])
    assert area_under_curve(scores, np.array([1, 0, 1, 0, 0])) == pytest.approx((3 + 2 + 0.5) / 6, abs=1e-15)
    assert area_under_curve(-scores, np.array([1, 0, 1, 0, 0])) == pytest.approx(0.5 / 6, abs=1e-15)
    assert area_under_curve(np.where(scores > 2, np.inf, scores), np.array([1, 0, 1, 0, 0])) == area_under_curve(
        scores, np.array([1, 0, 1, 0, 0])
    )
    assert area_under_curve(scores, np.zeros(5, dtype=int)) is None
