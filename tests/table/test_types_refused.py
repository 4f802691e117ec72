"""What can be no category and no class by its type is an error, also where `other` takes what is not listed."""

from __future__ import annotations

import enum
import io
import uuid
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.multiclass import OneVsRestClassifier

from tacit import Categorical, Label, NaiveBayesClassifier, Numeric, Schema
from tacit.errors import TableError
from tacit.table import read_labels, read_rows

WORDS = Categorical("c", ["low", "high"], other=True)
SPELLED = Categorical("c", ["low", "7"], other=True)
PREFIXES = Categorical("c", ["I", "J"], match="prefix", other=True)
WHOLE = Categorical("c", [1, 2], other=True)
OTHER = 2  # the code after both categories, in each of them


def read(column, table, on_invalid="raise"):
    schema = Schema([column], label=Label("y", ["no", "yes"]))
    return read_rows(table, schema, on_invalid=on_invalid).columns["c"].tolist()


def in_a_column(cell):
    cells = np.empty(2, dtype=object)
    cells[:] = [None, cell]
    return pd.DataFrame({"c": pd.Series(cells, dtype=object)})


FOREIGN = [
    b"low", bytearray(b"low"), ["low"], ("low",), {"low"}, {"low": 1}, np.asarray(["low"]), 1j, Fraction(1, 2),
    object(), date(2000, 1, 1), datetime(2000, 1, 1, tzinfo=UTC), np.datetime64("2000-01-01"), pd.Timestamp("2000"),
    time(3), timedelta(1), np.timedelta64(1, "D"), pd.Period("2000"), pd.Interval(0, 1), uuid.uuid4(),
    enum.Enum("E", "low").low,
]  # fmt: skip


@pytest.mark.parametrize("cell", FOREIGN, ids=lambda cell: type(cell).__name__)
@pytest.mark.parametrize("column", [WORDS, SPELLED, PREFIXES, WHOLE], ids=["words", "spelled", "prefixes", "numbers"])
def test_a_cell_of_a_type_that_no_category_has_is_refused_and_coerced_to_other(cell, column):
    for table in (in_a_column(cell), [[None], [cell]]):
        with pytest.raises(TypeError, match="another type") as refused:
            read(column, table)
        assert isinstance(refused.value, TableError)
        assert read(column, table, "coerce") == [OTHER, OTHER]


def test_what_is_not_listed_but_of_a_possible_type_is_other():
    unlisted = ["w", "8", "2000-01-01", None, float("nan"), pd.NA]
    for column in (WORDS, SPELLED, PREFIXES):
        assert read(column, [[cell] for cell in unlisted]) == [OTHER] * len(unlisted)
    assert read(WHOLE, [[cell] for cell in [*unlisted, 3, 0.5, False, Decimal(9)]]) == [OTHER] * 10
    assert read(SPELLED, [[8], [7.5], [True], [7]]) == [OTHER, OTHER, OTHER, 1]


NUMBERS = {
    "integers": lambda: pd.DataFrame({"c": [1, 2]}),
    "doubles": lambda: pd.DataFrame({"c": [1.0, np.nan]}),
    "floats": lambda: pl.DataFrame({"c": pl.Series([1.0, None], dtype=pl.Float32)}),
    "truth values": lambda: pl.DataFrame({"c": [True, False]}),
    "nullable": lambda: pd.DataFrame({"c": pd.array([1, None], dtype="Int8")}),
    "sparse": lambda: pd.DataFrame({"c": pd.arrays.SparseArray([0.0, 1.0])}),
    "decimals": lambda: pa.table({"c": [Decimal(1), Decimal(2)]}),
    "categories that are numbers": lambda: pd.DataFrame({"c": pd.Categorical([1, 2])}),
    "a dictionary of numbers": lambda: pa.table({"c": pa.array([1, 2]).dictionary_encode()}),
    "an array": lambda: np.asarray([[1.0], [2.0]]),
    "lists": lambda: [[1], [2.5]],
    "objects": lambda: np.asarray([[1], [2.5]], dtype=object),
    "Python's decimals": lambda: [[Decimal(1)], [None]],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_refused_where_no_listed_text_spells_one(name):
    with pytest.raises(TypeError, match="Expected text in column 'c'"):
        read(WORDS, NUMBERS[name]())
    assert read(WORDS, NUMBERS[name](), "coerce") == [OTHER, OTHER]
    spelled = Categorical("c", ["low", "0"], other=True)  # any of these types could hold it
    assert set(read(spelled, NUMBERS[name]())) <= {1, OTHER}


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"c": [np.nan]}),
        pd.DataFrame({"c": pd.array([None], dtype="Int64")}),
        pl.DataFrame({"c": [None]}),
        pa.table({"c": [None]}),
        pd.DataFrame({"c": pd.array([None], dtype=pd.ArrowDtype(pa.null()))}),
    ],
)
def test_a_row_without_a_value_is_missing_whatever_type_its_column_has(table):
    assert read(WORDS, table) == [OTHER]
    assert read(Categorical("c", ["low", "high"], missing="high"), table) == [1]


@pytest.mark.parametrize(
    ("listed", "column"),
    [
        ([0.5, 1.5], pl.Series([1, 2])),
        ([5, 6], pl.Series([True, False])),
        ([0.1, 0.2], pl.Series([0.1, 0.2], dtype=pl.Float32)),
        ([-1, 300], pl.Series([1, 2], dtype=pl.UInt8)),
        (["a", "b"], pl.Series(["x", "y"], dtype=pl.Enum(["x", "y"]))),
        ([1, 2], pl.Series(["x", "y"], dtype=pl.Enum(["x", "y"]))),
    ],
)
def test_a_column_whose_type_has_none_of_those_listed_is_refused(listed, column):
    with pytest.raises(TypeError, match="a type that has none of them"):
        read(Categorical("c", listed, other=True), pl.DataFrame({"c": column}))
    assert read(
        Categorical("c", listed, other=True), pl.DataFrame({"c": [None, None]}, schema={"c": column.dtype})
    ) == [2, 2]


def test_a_column_whose_type_may_have_one_of_those_listed_is_read():
    frame = pl.DataFrame({"c": pl.Series(["x", "x"], dtype=pl.Enum(["x", "low"]))})
    assert read(WORDS, frame) == [OTHER, OTHER]
    assert read(WORDS, pd.DataFrame({"c": pd.Categorical(["x", "y"])})) == [OTHER, OTHER]  # its levels are what occurs
    assert read(WHOLE, pl.DataFrame({"c": ["x", "2"]})) == [OTHER, 1]
    assert read(Categorical("c", [0.5, 1.0], other=True), pl.DataFrame({"c": [1, 2]})) == [1, OTHER]


def test_numbers_of_a_file_are_refused_too(tmp_path):
    path = tmp_path / "table.parquet"
    pl.DataFrame({"c": [1, 2] * 10, "y": ["no", "yes"] * 10}).write_parquet(path)
    for column, refused in ((WORDS, True), (SPELLED, False)):
        estimator = NaiveBayesClassifier(Schema([column], label=Label("y", ["no", "yes"])), epsilon=1.0, random_state=0)
        if refused:
            with pytest.raises(TypeError, match="Expected text in column 'c'"):
                estimator.fit(path)
        else:
            estimator.fit(path)
    assert pd.read_csv(io.StringIO("c\n1\n")).dtypes["c"] == np.int64  # of text a reader makes numbers, as of codes


LABEL = Label("y", ["no", "yes"])
NUMBERED = {
    "an array": np.asarray([0, 1]),
    "doubles": np.asarray([0.0, 1.0]),
    "truth values": np.asarray([False, True]),
    "pandas": pd.Series([0, 1]),
    "categories": pd.Series(pd.Categorical([0, 1])),
    "polars": pl.Series([0, 1]),
    "Arrow": pa.array([0, 1]),
    "a dictionary": pa.array([0, 1]).dictionary_encode(),
    "decimals": pl.Series([Decimal(0), Decimal(1)]),
}


@pytest.mark.parametrize("name", NUMBERED)
@pytest.mark.parametrize("on_invalid", ["raise", "coerce"])
def test_labels_of_a_type_that_no_class_has_are_refused_where_cells_are_coerced(name, on_invalid):
    with pytest.raises(TypeError, match=r"Label\(classes=\[0, 1\]\)") as refused:
        read_labels(NUMBERED[name], LABEL, on_invalid=on_invalid)
    assert isinstance(refused.value, TableError) and "coerce" not in str(refused.value)
    assert read_labels(NUMBERED[name], Label("y", [0, 1])).tolist() == [0, 1]
    assert read_labels(NUMBERED[name], Label("y", ["0", "1"])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("labels", "classes", "said"),
    [
        ([0.5, 1.25], [0, 1], "this is a classifier"),
        ([0.5, 1.25], ["low", "high"], "this is a classifier"),
        ([17, 42], [0, 1], "this is a classifier"),
        ([0, 1], ["no", "yes"], "VotingClassifier"),
        (["no", "maybe"], ["no", "yes"], "complete the classes"),
        ([None, "no"], ["no", "yes"], "a row without one"),
        ([b"no", "no"], ["no", "yes"], "another type"),
    ],
)
def test_what_is_wrong_with_a_label_and_what_to_do(labels, classes, said):
    with pytest.raises(TableError, match=said) as refused:
        read_labels(labels, Label("y", classes))
    assert "coerce" not in str(refused.value)
    # Of a list each label has its own type, so that one of another type decides about its own row alone.
    assert len(read_labels(labels, Label("y", classes), on_invalid="coerce")) == len(labels)


SCHEMA = Schema([Numeric("age", 0, 100)], label=LABEL)
X = np.arange(60)[:, None] % 100.0
Y = np.where(X[:, 0] > 30, "yes", "no")


@pytest.mark.parametrize(
    "wrap",
    [
        lambda learner: VotingClassifier([("one", learner)]),
        lambda learner: StackingClassifier([("one", learner)], final_estimator=LogisticRegression(), cv=2),
        lambda learner: BaggingClassifier(learner, n_estimators=2),
        OneVsRestClassifier,
        lambda learner: CalibratedClassifierCV(learner, method="temperature", cv=2),
    ],
    ids=["voting", "stacking", "bagging", "one against the rest", "temperature"],
)
@pytest.mark.parametrize("on_invalid", ["raise", "coerce"])
def test_tools_that_number_the_classes_are_told_what_to_declare(wrap, on_invalid):
    learner = NaiveBayesClassifier(SCHEMA, epsilon=50.0, on_invalid=on_invalid, random_state=0)
    with pytest.raises(TypeError, match=r"declare|Label\(classes=\[0, 1\]\)"):
        wrap(learner).fit(X, Y)
    numbered = Schema(SCHEMA.columns, label=Label("y", classes=[0, 1]))
    found = wrap(learner.set_params(schema=numbered)).fit(X, Y)  # the remedy works, and the names come back
    assert set(found.predict(X)) <= {"no", "yes"}


def test_so_is_cross_val_predict():
    learner = NaiveBayesClassifier(SCHEMA, epsilon=50.0, random_state=0)
    with pytest.raises(TypeError, match="cross_val_predict"):
        cross_val_predict(learner, X, Y, cv=2, method="predict_proba")
