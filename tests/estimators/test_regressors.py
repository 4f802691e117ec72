"""Regressors: what they predict, in which unit, of what cells, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV

from tacit import (
    AutoRegressor,
    BoostedTreesRegressor,
    Categorical,
    Identifier,
    Label,
    LinearRegressor,
    LogisticClassifier,
    Numeric,
    RegressionModel,
    Schema,
    Target,
    load_model,
    search_cost,
)
from tacit.errors import AccountExceeded, ModelFileError, ParameterError, SchemaError, TableError
from tacit.ledger import Account, Ledger
from tacit.models.file import from_json
from tacit.models.writing import to_json
from tacit.privacy import Budget
from tacit.verify import recomputed, written_of

COLUMNS = [Numeric("x", -1, 1), Numeric("z", -1, 1), Categorical("c", ["a", "b"])]
SCHEMA = Schema(COLUMNS, label=Target("y", -20, 20))
EACH = pytest.mark.parametrize("cls", [LinearRegressor, BoostedTreesRegressor])


def drawn(n=3000, seed=0):
    generator = np.random.default_rng(seed)
    x, z, c = generator.uniform(-1, 1, n), generator.uniform(-1, 1, n), generator.integers(2, size=n)
    frame = pl.DataFrame({"x": x, "z": z, "c": np.asarray(["a", "b"])[c]})
    return frame, 4 * x - 2 * z + 3 * c + generator.normal(size=n)


def moved_by(target, shift):
    return Schema(COLUMNS, label=Target("y", target.low + shift, target.high + shift))


@EACH
@pytest.mark.parametrize("shift", [100.0, -1e6])
def test_predictions_follow_numbers_and_bounds(cls, shift):
    frame, y = drawn()
    y = np.round(y * 64) / 64  # so that adding is exact
    here = cls(SCHEMA, epsilon=1.0, random_state=3).fit(frame, y)
    there = cls(moved_by(SCHEMA.target, shift), epsilon=1.0, random_state=3).fit(frame, y + shift)
    assert there.predict(frame) - shift == pytest.approx(here.predict(frame), abs=1e-4)


@EACH
def test_without_noise_the_function_is_found(cls):
    frame, y = drawn(20_000)
    model = cls(SCHEMA, epsilon=1e4, random_state=0).fit(frame, y)
    asked = pl.DataFrame({"x": [-0.8, 0.8, 0.8], "z": [0.8, 0.8, -0.8], "c": ["a", "a", "b"]})
    # Ranks' rows are all brought to one length, which bends straight lines a little.
    assert model.predict(asked) == pytest.approx([-4.8, 1.6, 7.8], abs=1.0)
    assert model.score(*drawn(seed=1)) > 0.85


@EACH
@pytest.mark.parametrize("tail", ["even", "long", "mostly zero"])
def test_at_little_noise_the_mean_prediction_is_the_mean(cls, tail):
    frame, y = drawn(8_000)
    y = {"even": y, "long": np.exp(0.4 * y), "mostly zero": np.maximum(y - 4, 0)}[tail]
    schema = Schema(COLUMNS, label=Target("y", -4 * float(y.max()), 4 * float(y.max())))
    predicted = cls(schema, epsilon=1e4, random_state=0).fit(frame, y).predict(frame)
    assert abs(predicted.mean() - y.mean()) < 0.01 * y.std()


def test_noise_follows_the_numbers_and_not_the_bounds():
    frame, y = drawn()
    narrow = LinearRegressor(SCHEMA, epsilon=1.0, random_state=1).fit(frame, y)
    wide = LinearRegressor(Schema(COLUMNS, label=Target("y", -1e6, 1e6, center=0)), epsilon=1.0, random_state=1).fit(
        frame, y
    )
    errors = [np.sqrt(np.mean((each.predict(frame) - y) ** 2)) for each in (narrow, wide)]
    assert errors[1] < 1.15 * errors[0] < 1.15 * 2


def test_predictions_stay_within_the_bounds():
    frame, y = drawn()
    model = LinearRegressor(Schema(COLUMNS, label=Target("y", -1, 1)), epsilon=3.0, random_state=0).fit(frame, y)
    assert (np.abs(model.predict(frame)) <= 1).all()
    # Numbers beyond count as the bound.
    clipped = LinearRegressor(Schema(COLUMNS, label=Target("y", -1, 1)), epsilon=3.0, random_state=0)
    assert (clipped.fit(frame, np.clip(y, -1, 1)).predict(frame) == model.predict(frame)).all()


@EACH
@pytest.mark.parametrize("columns", [["x", "z", "c"], ["x"], []])
@pytest.mark.parametrize("target", [True, False])
def test_every_case_is_fitted_and_certified(cls, columns, target):
    frame, y = drawn()
    schema = SCHEMA.with_private(columns, label=target)
    model = cls(schema, epsilon=1.0, random_state=0).fit(frame, y)
    assert np.sqrt(np.mean((model.predict(frame) - y) ** 2)) < 0.7 * y.std()
    assert model.privacy_.status == ("simulated" if columns or target else "public")
    assert (model.privacy_.columns, model.privacy_.label) == (tuple(columns), target)


@EACH
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_what_is_certified_is_recomputed_from_the_file(cls, delta):
    frame, y = drawn(1_000)
    model = cls(SCHEMA, epsilon=1.0, delta=delta).fit(frame, y).model_
    text = to_json(model)
    written = written_of(text.encode())
    found = recomputed(written.certificate, written.model)
    assert (found.faults, found.unknown) == ((), ())
    back = from_json(text)
    assert isinstance(back, RegressionModel)
    assert to_json(back) == text
    assert (back.predict(frame) == model.predict(frame)).all()


@EACH
def test_a_scale_without_a_release_is_refused(cls):
    frame, y = drawn(1_000)
    model = cls(SCHEMA, epsilon=1.0, delta=1e-6).fit(frame, y).model_
    written = written_of(to_json(model).encode())
    queries = "rows by place of the target", "cells that halve intervals"
    left = [each for each in model.guarantee.releases if (each.basis or {}).get("query") not in queries]
    assert len(left) < len(model.guarantee.releases)
    found = recomputed(replace(model.guarantee, releases=tuple(left)), written.model)
    assert any("rows by place of the target" in each for each in found.faults)


def test_what_columns_add_is_in_the_unit_of_the_target():
    frame, y = drawn()
    model = LinearRegressor(SCHEMA, epsilon=30.0, random_state=0).fit(frame, y)
    added = model.explain(frame)
    sums = added.group_by("row", maintain_order=True).agg(pl.col("contribution").sum())["contribution"].to_numpy()
    assert sums == pytest.approx(model.predict(frame), abs=1e-9)
    cells = {
        row["cell"]: row["effect"] for row in model.explain().filter(pl.col("column") == "c").iter_rows(named=True)
    }
    assert cells["b"] - cells["a"] == pytest.approx(3.0, abs=0.5)
    assert set(added["class"]) == {"y"}
    # 4 x is 4 / sqrt 3 over rows, z half of it, and c 3 / 2.
    assert model.feature_importances_ == pytest.approx([4 / 3**0.5, 2 / 3**0.5, 1.5], rel=0.25)


@EACH
def test_onnx_predicts_the_same(cls):
    runtime = pytest.importorskip("onnxruntime")
    frame, y = drawn(500)
    model = cls(SCHEMA, epsilon=3.0, random_state=0).fit(frame, y)
    session = runtime.InferenceSession(model.to_onnx().SerializeToString())
    given = {name: frame[name].to_numpy().reshape(-1, 1) for name in frame.columns}
    given["c"] = given["c"].astype(object)
    [predicted] = session.run(["prediction"], given)
    assert predicted[:, 0] == pytest.approx(model.predict(frame), abs=1e-9)


@EACH
def test_memory_and_disk_make_the_same_model(cls, tmp_path):
    frame, y = drawn(500)
    frame.with_columns(y=pl.Series(y)).write_parquet(tmp_path / "rows.parquet")
    here = cls(SCHEMA, epsilon=1.0, random_state=0).fit(tmp_path / "rows.parquet", storage="memory")
    disk = cls(SCHEMA, epsilon=1.0, random_state=0).fit(tmp_path / "rows.parquet", storage="disk")
    assert to_json(here.model_, allow="simulated") == to_json(disk.model_, allow="simulated")


@pytest.mark.parametrize("rows", ["mean", 3])
def test_persons_with_several_rows(rows):
    frame, y = drawn()
    persons = pl.Series("id", [str(at // 3) for at in range(len(frame))])
    schema = Schema(COLUMNS, label=SCHEMA.label, identifier=Identifier("id", rows=rows))
    model = AutoRegressor(schema, epsilon=5.0, random_state=0).fit(frame.with_columns(persons), y)
    assert model.privacy_.persons is not None
    assert np.sqrt(np.mean((model.predict(frame) - y) ** 2)) < 0.8 * y.std()


def test_a_ledger_pays_for_it(tmp_path):
    frame, y = drawn(500)
    Ledger(tmp_path / "ledger.db").open(Account.of("people", Budget(1.2, 1e-5)))
    place = f"{tmp_path / 'ledger.db'}#people"
    model = LinearRegressor(SCHEMA, epsilon=1.0, ledger=place).fit(frame, y).model_
    assert model.guarantee.charge is not None
    with pytest.raises(AccountExceeded):
        LinearRegressor(SCHEMA, epsilon=1.0, ledger=place).fit(frame, y)


def test_auto_takes_trees_where_rows_are_enough():
    frame, y = drawn()
    few, many = (AutoRegressor(SCHEMA, epsilon=e, random_state=0).fit(frame, y).model_ for e in (0.1, 3.0))
    assert (few.learner, many.learner) == ("linear", "boosted-trees")
    assert "below 500" in few.why and "at least 500" in many.why


def test_rows_without_a_number():
    frame, y = drawn(500)
    holes = pl.Series("y", y).set(pl.Series([at % 5 == 0 for at in range(len(y))]), None)
    with pytest.raises(TableError, match="missing = 'drop'"):
        LinearRegressor(SCHEMA, epsilon=1.0, random_state=0).fit(frame, holes)
    dropping = Schema(COLUMNS, label=Target("y", -20, 20, missing="drop"))
    model = LinearRegressor(dropping, epsilon=1.0, random_state=0).fit(frame, holes)
    assert model.privacy_.n_rows == 400
    assert model.privacy_.labeled_public
    kept = np.arange(len(y)) % 5 != 0
    same = LinearRegressor(dropping, epsilon=1.0, random_state=0).fit(frame.filter(kept), y[kept])
    assert (same.predict(frame) == model.predict(frame)).all()


BAD = {
    "text": ["one"] * 50,
    "infinite": [float("inf")] * 50,
    "not a number": [float("nan")] * 50,
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_number_is_refused(kind):
    with pytest.raises(TableError, match=r"target 'y'|numbers"):
        LinearRegressor(SCHEMA, epsilon=1.0, random_state=0).fit(drawn(50)[0], BAD[kind])


@EACH
@pytest.mark.parametrize("numbers", [[3.0], [-20.0], [20.0], [-20.0, 20.0]])
@pytest.mark.parametrize("bounds", [(-20, 20), (-1e150, 1e150)])
def test_few_rows_and_numbers_all_the_same(cls, numbers, bounds):
    schema = Schema(COLUMNS, label=Target("y", *bounds))
    frame, _ = drawn(10)
    model = cls(schema, epsilon=1.0, random_state=0).fit(frame, np.resize(numbers, 10))
    predicted = model.predict(frame)
    assert np.isfinite(predicted).all()
    assert (np.abs(predicted) <= bounds[1]).all()


def test_schemas_and_learners_that_do_not_go_together():
    frame, y = drawn(50)
    with pytest.raises(ParameterError, match="take a classifier"):
        LinearRegressor(Schema(COLUMNS, label=Label("y", [0, 1])), epsilon=1.0).fit(frame, y)
    with pytest.raises(SchemaError, match="Take a regressor"):
        LogisticClassifier(SCHEMA, epsilon=1.0).fit(frame, y)
    with pytest.raises(SchemaError, match="no cuts"):
        Target("y", 0, 1, cuts=[0.5])
    with pytest.raises(SchemaError, match="low below high"):
        Target("y", 1, 1)
    with pytest.raises(SchemaError, match="numbers as low and high"):
        Target("y", "2000-01-01", "2001-01-01")
    with pytest.raises(SchemaError, match="'drop'"):
        Target("y", 0, 1, missing="keep")
    with pytest.raises(SchemaError, match="to be Numeric or Categorical"):
        Schema([Target("x", 0, 1)], label=Label("y", [0, 1]))


def test_a_target_is_written_and_read_as_toml():
    schema = Schema(COLUMNS, label=Target("y", 0, 9, whole=True, missing="drop", decimal=",", private=False))
    text = schema.to_toml()
    assert "[target]" in text and "[label]" not in text
    assert Schema.from_toml(text) == schema
    with pytest.raises(SchemaError, match="both"):
        Schema.from_toml(text + '\n[label]\nname = "l"\nclasses = [0, 1]\n')
    with pytest.raises(SchemaError, match="'cuts'"):
        Schema.from_toml(text.replace("whole = true", "cuts = [1]"))


def test_a_file_with_another_scale_is_refused(tmp_path):
    frame, y = drawn(500)
    path = tmp_path / "model.json"
    LinearRegressor(SCHEMA, epsilon=1.0).fit(frame, y).save(path)
    assert isinstance(load_model(path), RegressionModel)
    model = load_model(path)
    for scale in ({"start": 21.0}, {"unit": 0.0}, {"clip": -1.0}):
        with pytest.raises(ModelFileError, match="damaged"):
            type(model)(**{**vars(model), "scale": type(model.scale)(**{**vars(model.scale), **scale})})


def test_a_search_of_scikit_learn_says_what_it_would_spend():
    grid = GridSearchCV(LinearRegressor(SCHEMA, epsilon=1.0), {"epsilon": [1.0, 2.0]}, cv=5)
    # Five fits of each candidate, and the one that is kept, at most the larger: 5 + 10 + 2.
    assert search_cost(grid).epsilon == pytest.approx(17.0)
