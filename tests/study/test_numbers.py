"""Studies of a number to predict: errors by hand, learners of their kind, reference lines, summaries by R2."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge

from tacit import LinearRegressor
from tacit.errors import ParameterError
from tacit.schema import Categorical, Identifier, Numeric, Schema, Target
from tacit.study.data import DataSpec
from tacit.study.fit import scored
from tacit.study.learners import (
    PredictedNumbers,
    baselines_of_numbers,
    check_predicts,
    predictions,
    private_learners,
    private_regressors,
)
from tacit.study.number_baselines import NUMBER_BASELINES
from tacit.study.refusals import refusals
from tacit.study.splits import Split, split_rows
from tacit.study.study import LearnerSpec, Study
from tacit.study.summary import accuracies, comparisons, leading_measure, ratios, shares_learned
from tacit.study.summary.leading import leading_reason
from tacit.table import Table, read_labels, read_rows

SCHEMA = Schema([Numeric("x", 0, 10), Categorical("c", ["a", "b"])], label=Target("y", 0, 100))
REFERENCES = ["baseline:mean", "baseline:ridge", "baseline:hist-gradient-boosting"]


def rows(n=800, seed=0):
    generator = np.random.default_rng(seed)
    x, c = generator.uniform(0, 10, n), generator.integers(2, size=n)
    y = np.clip(10 + 6 * x + 20 * c + generator.normal(0, 3, n), 0, 100)
    return pl.DataFrame({"x": x, "c": np.asarray(["a", "b"])[c], "y": y})


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    rows().write_csv(folder / "rows.csv")
    (folder / "schema.toml").write_text(SCHEMA.to_toml())
    return DataSpec(folder / "rows.csv", folder / "schema.toml")


@pytest.fixture(scope="module")
def frame(table):
    learners = ["auto", "linear", "boosted-trees", *REFERENCES]
    return Study([table], learners, [2.0], deltas=[1e-6], repeats=3).run(workers=1, ledger="none")


@pytest.fixture(scope="module")
def split():
    frame = rows()
    read, labels = read_rows(frame, SCHEMA), read_labels(frame["y"], SCHEMA.label)
    train, test = np.arange(600), np.arange(600, 800)
    made = Table.from_rows(read.take(train), labels[train], SCHEMA)
    return Split(SCHEMA, made, read.take(train), read.take(test), labels[train], labels[test], train, test)


def told(numbers, test, train):
    schema = SimpleNamespace(columns=("x",), private_columns=())
    parts = SimpleNamespace(
        test_labels=np.asarray(test), train_labels=np.asarray(train), train_index=train, test_index=test, schema=schema
    )
    return scored(PredictedNumbers(np.asarray(numbers, dtype=float), 0.0, 0.0), parts)


def test_errors_by_hand():
    found = told([1.0, 2.0, 7.0], [1.0, 4.0, 3.0], [2.0, 4.0])
    # Misses 0, -2 and 4; the training rows' mean of 3 misses by 2, 1 and 0.
    assert found["rmse"] == pytest.approx(np.sqrt(20 / 3))
    assert found["mae"] == 2.0
    assert found["r2"] == pytest.approx(1 - 20 / 5)
    assert "accuracy" not in found and found["n_test"] == 3


def test_r2_is_of_the_training_rows_mean_and_null_where_it_misses_nothing():
    assert told([3.0, 3.0], [1.0, 4.0], [2.0, 4.0])["r2"] == 0.0
    assert told([3.0, 5.0], [3.0, 3.0], [2.0, 4.0])["r2"] is None


def test_every_learner_is_scored_and_the_mean_has_an_r2_of_zero(frame):
    assert (frame["status"] == "done").all() and frame["accuracy"].null_count() == len(frame)
    assert frame.filter(pl.col("learner") == "baseline:mean")["r2"].to_list() == [0.0] * 3
    least = {"auto": 0.9, "linear": 0.9, "boosted-trees": 0.8, "baseline:ridge": 0.97}
    for name, value in least.items():
        assert frame.filter(pl.col("learner") == name)["r2"].min() > value, name


def test_a_row_is_what_the_estimator_predicts(split):
    made = predictions("linear", split, epsilon=2.0, delta=1e-6, seed=5, parameters={"cut_points": "grid"})
    alone = LinearRegressor(SCHEMA, epsilon=2.0, delta=1e-6, cut_points="grid", ledger="none", random_state=5)
    data = rows()
    said = alone.fit(data[:600], data["y"][:600]).predict(data[600:])
    assert np.array_equal(made.numbers, said)


def test_baselines_are_scikit_learns(split):
    given = {"epsilon": None, "delta": None, "seed": 3, "parameters": {}}
    mean = predictions("baseline:mean", split, **given).numbers
    assert mean.tolist() == [split.train_labels.mean()] * 200
    x, c = split.train.columns["x"], split.train.columns["c"]
    trees = HistGradientBoostingRegressor(categorical_features=[False, True], random_state=3)
    trees.fit(np.column_stack([x, c]), split.train_labels)
    tested = np.column_stack([split.test.columns["x"], split.test.columns["c"]])
    found = predictions("baseline:hist-gradient-boosting", split, **given).numbers
    assert np.allclose(found, trees.predict(tested))
    features = np.column_stack([x / 5 - 1, c == 0, c == 1])
    line = Ridge().fit(features, split.train_labels)
    expected = line.predict(np.column_stack([tested[:, 0] / 5 - 1, tested[:, 1] == 0, tested[:, 1] == 1]))
    assert np.allclose(predictions("baseline:ridge", split, **given).numbers, expected, atol=1e-3)


@pytest.mark.parametrize("learner", ["brc", "baseline:majority"])
def test_a_learner_of_classes_is_a_failed_row_that_says_which_there_are(table, learner):
    [found] = Study([table], [learner], [1.0], repeats=1).run(workers=1, ledger="none").to_dicts()
    assert found["status"] == "failed" and found["rmse"] is None
    assert found["message"].startswith("Expected a learner of a number to predict")
    assert "linear" in found["message"] or "baseline:ridge" in found["message"]


def test_a_learner_of_numbers_is_refused_for_classes():
    [found] = Study(["breast-cancer"], ["linear"], [1.0], repeats=1).run(workers=1).to_dicts()
    assert found["status"] == "failed" and found["message"].startswith("Expected a learner of classes")


def test_parameters_are_of_either_kind_and_others_are_refused():
    assert LearnerSpec("linear", {"cut_points": "grid"}).called == "linear"
    assert LearnerSpec("boosted-trees", {"n_trees": 5}).called == "boosted-trees"
    assert LearnerSpec("baseline:ridge", {"alpha": 2.0}).called == "baseline:ridge"
    for learner, wrong in (("linear", "n_trees"), ("baseline:mean", "alpha")):
        with pytest.raises(ParameterError, match=f"got '{wrong}'"):
            LearnerSpec(learner, {wrong: 1})
    with pytest.raises(ParameterError, match=r"brc.*linear.*baseline:mean"):
        LearnerSpec("lasso")


def test_what_is_offered():
    assert sorted(private_regressors()) == ["auto", "boosted-trees", "linear"]
    assert "linear" not in private_learners() and "brc" in private_learners()
    assert baselines_of_numbers() == tuple(f"baseline:{name}" for name in NUMBER_BASELINES)
    for name in (*private_regressors(), *baselines_of_numbers()):
        check_predicts(name, SCHEMA)
    assert refusals(SCHEMA) == {}


def test_summaries_are_of_r2(frame):
    means = accuracies(frame)
    by_name = {row["learner"]: row for row in means.iter_rows(named=True)}
    own = frame.filter(pl.col("learner") == "linear")
    for measure in ("rmse", "mae", "r2"):
        assert by_name["linear"][measure] == pytest.approx(own[measure].mean())
    assert by_name["linear"]["mean"] == pytest.approx(own["r2"].mean()) and by_name["linear"]["runs"] == 3
    assert by_name["linear"]["no_better"] is False and by_name["baseline:mean"]["no_better"] is True
    share = shares_learned(frame, "baseline:ridge").filter(pl.col("learner") == "linear")["ratio"].item()
    ridge = frame.filter(pl.col("learner") == "baseline:ridge")
    assert share == pytest.approx(own["r2"].mean() / ridge["r2"].mean())
    assert ratios(frame, "baseline:ridge")["pairs"].to_list() == [3, 3, 3]
    assert len(comparisons(frame)) == 3 and comparisons(frame)["pairs"].to_list() == [3, 3, 3]
    assert leading_measure(frame) == "rmse" and leading_reason(frame) == ""


def test_workers_compute_the_same_rows(table, frame):
    study = Study([table], ["linear", "baseline:mean"], [2.0], deltas=[1e-6], repeats=3)
    found = study.run(workers=2, ledger="none")
    assert found["status"].to_list() == ["done"] * 6
    both = frame.filter(pl.col("learner").is_in(["linear", "baseline:mean"]))
    assert sorted(found["rmse"]) == sorted(both["rmse"])


def test_persons_are_split_whole(tmp_path):
    schema = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("id", rows="mean"))
    rows(600).with_columns(id=pl.arange(600) // 3).write_csv(tmp_path / "rows.csv")
    (tmp_path / "schema.toml").write_text(schema.to_toml())
    spec = DataSpec(tmp_path / "rows.csv", tmp_path / "schema.toml")
    found = Study([spec], ["linear", "baseline:mean"], [2.0], deltas=[1e-6], repeats=2).run(workers=1, ledger="none")
    assert (found["status"] == "done").all() and (found["n_train"] % 3 == 0).all()


def test_numbers_have_no_classes_to_balance():
    with pytest.raises(ParameterError, match="a number to predict"):
        split_rows({"kind": "fold", "folds": 2, "fold": 0, "balanced": True}, np.arange(4.0), None, seed=0)


def test_numbers_equal_to_the_bound_and_missing_ones(tmp_path):
    data = rows(200).with_columns(y=pl.when(pl.arange(200) < 20).then(None).otherwise(5.0))
    data.write_csv(tmp_path / "rows.csv")
    schema = Schema(SCHEMA.columns, label=Target("y", 5, 100, missing="drop"))
    (tmp_path / "schema.toml").write_text(schema.to_toml())
    spec = DataSpec(tmp_path / "rows.csv", tmp_path / "schema.toml")
    found = Study([spec], ["auto", *REFERENCES], [1.0], deltas=[1e-6], repeats=1).run(workers=1, ledger="none")
    assert (found["status"] == "done").all() and found["r2"].null_count() == 4
    assert (found["n_train"] + found["n_test"]).unique().to_list() == [180]
