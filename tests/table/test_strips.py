"""Predictions of some rows at a time are those of all rows at once, whatever holds the rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.errors import TableError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_rows, read_strips, rows
from tacit.table.containers import GivenColumn

SCHEMA = Schema(
    [Numeric("age", 0, 90, missing=40), Numeric("pay", -4, 4), Categorical("code", [0, 1, 2], other=True)],
    label=Label("ill", ["no", "yes", "perhaps"]),
)
N_ROWS = 100


def cells():
    generator = np.random.default_rng(0)
    age = generator.uniform(-5, 99, N_ROWS).round()
    age[::9] = np.nan
    return {"age": age, "pay": generator.normal(0, 3, N_ROWS), "code": generator.integers(0, 5, N_ROWS)}


FRAMES = {
    "polars": pl.DataFrame,
    "chunks": lambda columns: pl.concat([pl.DataFrame(columns)[at : at + 30] for at in (0, 30, 60, 90)], rechunk=False),
    "lazy": lambda columns: pl.LazyFrame(columns),
    "pandas": lambda columns: pytest.importorskip("pandas").DataFrame(columns),
    "Arrow": lambda columns: pytest.importorskip("pyarrow").table(columns),
    "array": lambda columns: np.column_stack(list(columns.values())),
    "lists": lambda columns: np.column_stack(list(columns.values())).tolist(),
}


@pytest.mark.parametrize("name", FRAMES)
def test_strips_are_the_rows(name, monkeypatch):
    monkeypatch.setattr(rows, "_STRIP", 7)
    frame = FRAMES[name](cells())
    strips, whole = list(read_strips(frame, SCHEMA)), read_rows(frame, SCHEMA)
    sizes = [len(strip) for strip in strips]
    assert (max(sizes), sum(sizes), len(sizes)) == (
        7 if name != "chunks" else 6,
        N_ROWS,
        15 if name != "chunks" else 17,
    )
    for column in SCHEMA.names:
        assert np.concatenate([strip.columns[column] for strip in strips]).tolist() == whole.columns[column].tolist()


@pytest.mark.parametrize("learner", [tacit.LogisticClassifier, tacit.NaiveBayesClassifier, tacit.BRCClassifier])
def test_predictions_of_strips_are_those_of_rows(learner, monkeypatch):
    frame, labels = pl.DataFrame(cells()), np.resize(["no", "yes", "perhaps"], N_ROWS)
    model = learner(SCHEMA, epsilon=5.0, random_state=0).fit(frame, labels).model_
    whole = model.read(frame)
    monkeypatch.setattr(rows, "_STRIP", 7)
    assert np.array_equal(model.decision_function(frame), model.decision_function(whole))
    assert np.array_equal(model.predict_proba(frame), model.predict_proba(whole))
    assert model.predict(frame).tolist() == model.predict(whole).tolist()


def test_a_cell_that_is_refused_is_refused_in_any_strip(monkeypatch):
    monkeypatch.setattr(rows, "_STRIP", 7)
    columns = cells()
    columns["pay"][-1] = np.inf
    with pytest.raises(TableError, match="finite number in every row of column 'pay'"):
        list(read_strips(pl.DataFrame(columns), SCHEMA))
    assert len(list(read_strips(pl.DataFrame(columns), SCHEMA, on_invalid="coerce"))) == 15
    assert [len(strip) for strip in read_strips(pl.DataFrame(columns)[:0], SCHEMA)] == [0]


@pytest.mark.parametrize("name", FRAMES)
def test_a_strip_refuses_cells_that_nobody_asks_for(name):
    columns = cells()
    columns["pay"][3] = np.inf
    with pytest.raises(TableError, match="finite number in every row of column 'pay'"):
        for strip in read_strips(FRAMES[name](columns), SCHEMA):
            strip.once("age")


@pytest.mark.parametrize("name", ["pandas", "array", "polars"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_frame_is_left_as_it_is_and_its_rows_may_be_kept(name, kind, monkeypatch):
    monkeypatch.setattr(rows, "_STRIP", 7)
    columns = {key: np.asarray(cells()[key], dtype=kind) * 3 for key in ("pay", "code")}
    schema = Schema([Numeric(key, 0, 1) for key in columns], label=SCHEMA.label)
    frame, whole = FRAMES[name](columns), read_rows(FRAMES[name](columns), schema)
    strips = list(read_strips(frame, schema))
    assert np.array_equal(np.asarray(frame), np.column_stack(list(columns.values())))
    for key in columns:
        assert np.array_equal(np.concatenate([strip.once(key) for strip in strips]), whole.columns[key])
        assert whole.columns[key].max() == 1.0


def test_an_array_that_is_a_frame_s_own_is_not_written_to(monkeypatch):
    frame, own = pytest.importorskip("pandas").DataFrame({"pay": np.zeros(3)}), np.asarray([-9.0, 0.0, 9.0])
    schema = Schema([Numeric("pay", -1, 1)], label=SCHEMA.label)
    array = GivenColumn.array  # before version 3, pandas hands out arrays that may be changed
    monkeypatch.setattr(GivenColumn, "array", lambda self: array(self) if self.is_opened else own)
    assert next(read_strips(frame, schema)).once("pay").tolist() == [-1, 0, 1]
    assert own.tolist() == [-9, 0, 9]
