"""What may be handed over: frames of every make, arrays, odd columns."""

from __future__ import annotations

import pickle
import warnings
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tacit
from tacit import (
    BRCClassifier,
    Categorical,
    Label,
    NaiveBayesClassifier,
    Numeric,
    PrivacyWarning,
    Schema,
    TreeClassifier,
)
from tacit.errors import TableError
from tacit.table import read_rows

SCHEMA = Schema(
    [
        Numeric("age", 0, 100),
        Categorical("sex", ["F", "M"], private=False),
        Numeric("born", "1950-01-01", "2020-01-01"),
    ],
    label=Label("ill", ["no", "yes"]),
)
AGES = np.linspace(1, 99, 60)
DATA = {"age": AGES, "sex": ["F", "M"] * 30, "born": [date(1960 + i % 50, 1, 2) for i in range(60)]}
LABELS = np.where(AGES > 50, "yes", "no")


def fitted(frame, labels=LABELS):
    return BRCClassifier(SCHEMA, epsilon=5.0, random_state=1).fit(frame, labels)


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        pa.table,
        lambda d: pd.DataFrame(d).astype({"sex": "category"}),
        lambda d: pd.DataFrame(d).convert_dtypes(),
        lambda d: pd.DataFrame(d).astype({"born": "datetime64[ns]"}),
        lambda d: pl.DataFrame(d).with_columns(pl.col("born").cast(pl.String), pl.col("age").cast(pl.Float32)),
        lambda d: pl.DataFrame(d).with_columns(pl.col("sex").cast(pl.Categorical)),
    ],
    ids=["pandas", "polars", "lazy", "arrow", "categories", "nullable", "datetime", "ISO text", "polars categories"],
)  # fmt: skip
def test_every_make_of_frame_gives_the_same_model(make):
    reference = fitted(pl.DataFrame(DATA))
    model = fitted(make(DATA))
    assert [vote.rule for vote in model.model_.scorers[0].votes] == [
        vote.rule for vote in reference.model_.scorers[0].votes
    ]
    assert (model.predict(make(DATA)) == reference.predict(pl.DataFrame(DATA))).all()


def test_columns_go_by_name_and_further_ones_are_ignored():
    frame = pd.DataFrame(DATA)
    model = fitted(frame)
    shuffled = frame[["born", "age", "sex"]].assign(ill=LABELS, note="x")
    assert (model.predict(shuffled) == model.predict(frame)).all()
    wide = fitted(shuffled)
    assert wide.n_features_in_ == 3
    assert list(wide.feature_names_in_) == ["age", "sex", "born"]
    assert b"note" not in pickle.dumps(wide)
    assert (wide.predict(frame) == model.predict(frame)).all()


def test_a_missing_column_and_a_double_one_raise():
    frame = pd.DataFrame(DATA)
    model = fitted(frame)
    for broken in (frame.drop(columns="sex"), frame.rename(columns={"sex": "Sex"})):
        with pytest.raises(TableError, match="'sex'"):
            model.predict(broken)
        with pytest.raises(TableError, match="'sex'"):
            fitted(broken)
    twice = pd.concat([frame, frame[["age"]]], axis=1)
    with pytest.raises(TableError, match="different names"):
        fitted(twice)


def test_arrays_go_by_position_with_a_warning():
    schema = Schema([Numeric("a", 0, 1), Numeric("b", 0, 1)], label=Label("y", [0, 1]))
    X = np.random.default_rng(0).random((50, 2))
    y = (X[:, 0] > 0.5).astype(int)
    with pytest.warns(PrivacyWarning, match="position"):
        model = BRCClassifier(schema, epsilon=1.0).fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(TableError, match="Expected 2 columns"):
        BRCClassifier(schema, epsilon=1.0).fit(np.zeros((50, 3)), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X.copy())  # predicting the very rows of the fit has a warning of its own


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"age": [None, *AGES[1:]]}, "age.*NaN or infinity"),
        ({"age": [np.inf, *AGES[1:]]}, "age.*NaN or infinity"),
        ({"age": [str(a) for a in AGES]}, "Expected numbers in column 'age'"),
        ({"sex": ["X"] * 60}, "sex.*categories"),
        ({"sex": [0, 1] * 30}, "sex.*of their type"),
        ({"sex": [None, *["F"] * 59]}, "sex.*missing"),
        ({"born": ["yesterday"] * 60}, "Expected dates in column 'born'"),
        ({"born": [4000] * 60}, "Expected dates in column 'born'"),
        ({"born": [4000.5] * 60}, "Expected dates in column 'born'"),
        ({"born": [timedelta(4000)] * 60}, "Expected dates in column 'born'"),
        ({"age": [date(2000, 1, 1)] * 60}, "Expected numbers in column 'age'"),
    ],
)
def test_values_that_the_schema_does_not_admit_raise(change, message):
    with pytest.raises(TableError, match=message):
        fitted(pl.DataFrame({**DATA, **change}, strict=False))


def test_numbers_out_of_bounds_are_clipped():
    outside = pl.DataFrame({**DATA, "age": np.where(AGES > 90, 1e6, AGES)})
    clipped = pl.DataFrame({**DATA, "age": np.where(AGES > 90, 100.0, AGES)})
    assert fitted(outside).model_ == fitted(clipped).model_


def test_empty_tables_and_single_rows():
    frame = pl.DataFrame(DATA)
    with pytest.raises(TableError, match="at least one row"):
        fitted(frame[:0], LABELS[:0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted(frame, LABELS[:-1])
    model = fitted(frame[:1], LABELS[:1])  # the label is private: one class is no error
    assert model.predict(frame).shape == (60,)


def test_labels_outside_the_schema_raise():
    for labels in (np.where(LABELS == "no", "maybe", LABELS), (LABELS == "yes").astype(int)):
        with pytest.raises(TableError, match="'ill'"):
            fitted(pl.DataFrame(DATA), labels)


@pytest.mark.parametrize("make", [list, np.asarray, pd.Series, pl.Series, lambda y: pa.array(list(y))])
def test_labels_of_every_make(make):
    assert fitted(pl.DataFrame(DATA), make(LABELS)).model_ == fitted(pl.DataFrame(DATA)).model_


def test_classes_are_sorted_whatever_the_schema_says():
    schema = Schema(SCHEMA.columns, label=Label("ill", ["yes", "no"]))
    model = BRCClassifier(schema, epsilon=5.0, random_state=1).fit(pl.DataFrame(DATA), LABELS)
    assert list(model.classes_) == ["no", "yes"]
    scores = model.decision_function(pl.DataFrame(DATA))
    assert (model.predict(pl.DataFrame(DATA)) == np.where(scores > 0, "yes", "no")).all()


@pytest.mark.parametrize("values", [np.zeros((60, 1), "M8[s]"), np.zeros((60, 1), "m8[s]"), np.zeros((60, 1), "O")])
def test_arrays_of_times_are_no_numbers(values):
    schema = Schema([Numeric("age", 0, 100)], label=SCHEMA.label)
    values = values if values.dtype.kind != "O" else np.full((60, 1), timedelta(1), dtype=object)
    with pytest.raises(TableError, match="Expected numbers in column 'age'"):
        BRCClassifier(schema, epsilon=1.0).fit(values, LABELS)


def test_plain_numbers_among_dates_are_missing_dates():
    """NumPy would count them as microseconds since 1970."""
    schema = Schema([Numeric("born", "1950-01-01", "2020-01-01", missing="1950-01-02")], label=SCHEMA.label)
    rows = [date(2000, 1, 1), 5, np.int64(5), 5.5, True, timedelta(9), None, "2000-01-01"]
    frame = pd.DataFrame({"born": pd.Series(rows, dtype=object)})
    with pytest.raises(TableError, match="Expected dates"):
        read_rows(frame, schema)
    days = read_rows(frame, schema, on_invalid="coerce").columns["born"]
    assert days.tolist() == [10957.0, *[-7304.0] * 6, 10957.0]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["F", None, "M"], dtype="string"),
        pd.Series(["F", pd.NA, "M"], dtype=object),
        pd.Series(["F", float("nan"), "M"], dtype=object),
        pd.Series(["F", pd.NaT, "M"], dtype=object),
        pd.Series(["F", Decimal("nan"), "M"], dtype=object),
        pd.Series(["F", None, "M"], dtype="category"),
        pl.Series(["F", None, "M"]),
    ],
)
def test_every_mark_of_a_missing_category_is_understood(column):
    schema = Schema([Categorical("sex", ["F", "M"], missing="M")], label=SCHEMA.label)
    frame = (pl if isinstance(column, pl.Series) else pd).DataFrame({"sex": column})
    assert read_rows(frame, schema).columns["sex"].tolist() == [0, 1, 1]


def test_whole_numbers_with_nulls_are_categories():
    schema = Schema([Categorical("flag", [0, 1], missing=1)], label=SCHEMA.label)
    for flags in (pd.Series([0, None, 1], dtype="Int64"), pd.Series([0, np.nan, 1]), pd.Series([-0.0, None, 1])):
        assert read_rows(pd.DataFrame({"flag": flags}), schema).columns["flag"].tolist() == [0, 1, 1]


def test_an_inferred_schema_admits_a_column_called_label():
    frame = pd.DataFrame({"label": AGES, "label_": AGES})
    assert BRCClassifier("infer", epsilon=1.0).fit(frame, LABELS).model_.schema.label.name == "label__"


def test_set_output_of_a_pipeline_hands_names_on():
    schema = Schema([Numeric("a", -5, 5)], label=Label("y", [0, 1]))
    X = pd.DataFrame({"a": np.linspace(-1, 1, 200)})
    pipeline = make_pipeline(StandardScaler(), NaiveBayesClassifier(schema, epsilon=1.0, random_state=1))
    pipeline.set_output(transform="pandas").fit(X, (X["a"] > 0).astype(int))
    assert pipeline[-1].feature_names_in_.tolist() == ["a"]
    assert pipeline.predict(X.iloc[[0, -1]]).tolist() == [0, 1]


def test_groups_keep_rows_together_and_reach_no_fit():
    draw = np.random.default_rng(0)
    X, groups = pd.DataFrame({"a": draw.uniform(-1, 1, 120)}), np.repeat(np.arange(12), 10)
    estimator = TreeClassifier(Schema([Numeric("a", -1, 1)], label=Label("y", [0, 1])), epsilon=50.0, random_state=0)
    found = cross_validate(estimator, X, (X["a"] > 0).astype(int), groups=groups, cv=GroupKFold(3), return_indices=True)
    assert found["test_score"].min() > 0.8
    for one, other in zip(found["indices"]["train"], found["indices"]["test"], strict=True):
        assert not set(groups[one]) & set(groups[other])


def test_public_names_are_listed_once():
    listed = [name for name in dir(tacit) if not name.startswith("_")]
    assert sorted(listed) == sorted(set(tacit.__all__) - {"__version__"}) and len(set(listed)) == len(listed)
