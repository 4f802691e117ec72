import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tacit.errors import SchemaError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema

ROWS = {
    "age": [17, 64, 30, 30],
    "gain": [0.03, 0.05, None, 0.04],
    "sex": ["M", "F", "M", None],
    "vegan": [True, True, True, True],
    "born": [dt.date(2000, 1, 1)] * 4,
    "noted": [dt.datetime(2000, 1, 1, 12)] * 4,
    "iso": ["2000-01-01", "2000-01-02", "2000-01-02T10:00:00Z", None],
    "patient_id": [7, 1, 900, 40],
    "empty": [None] * 4,
    "income": ["low", "high", "low", "high"],
}
EXPECTED = [
    Numeric("age", 10, 100, whole=True, missing=55),
    Numeric("gain", 0.02, 0.05, missing="indicator"),
    Categorical("sex", ["F", "M", "missing"], other=True, missing="missing"),
    Categorical("vegan", [False, True], other=True),
]


def _frames():
    frame = pl.DataFrame(ROWS)
    yield frame
    yield frame.lazy()
    yield frame.to_arrow()
    yield frame.to_pandas()
    yield pd.DataFrame(ROWS)
    yield pd.DataFrame(ROWS).convert_dtypes()
    yield pd.DataFrame(ROWS).astype(object)
    yield frame.with_columns(pl.col("sex").cast(pl.Categorical), pl.col("gain").cast(pl.Decimal(10, 2)))


@pytest.mark.parametrize("frame", list(_frames()))
def test_every_frame_makes_the_same_schema(frame):
    schema = Schema.from_data(frame, "income")
    assert schema.inputs == tuple(EXPECTED)
    assert schema.label == Label("income", ["high", "low"])
    ignored = dict(schema.ignored)
    assert set(ignored) >= {"born", "noted", "iso", "empty"}
    assert ignored["born"].startswith(("moments", "dates"))
    assert "moments" in ignored["iso"]
    assert "identifier" in ignored["patient_id"]
    assert schema.guessed == ("age", "gain", "sex", "vegan", "income")
    assert schema.private_columns == schema.names


def test_labels_beside_the_frame_or_by_label_name():
    frame = pl.DataFrame(ROWS)
    by_name = Schema.from_data(frame, "income")
    assert Schema.from_data(frame, label_name="income") == by_name
    assert Schema.from_data(frame.drop("income"), frame["income"], label_name="income") == by_name
    assert Schema.from_data(frame.drop("income"), ROWS["income"], label_name="income") == by_name
    assert Schema.from_data(frame.drop("income"), np.array(ROWS["income"])).label.name == "label"


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, 0, 1], (0, 1)),
        ([1.0, 0.5, 1], (0.5, 1.0)),
        (np.array([2, 1, 2], dtype=np.int8), (1, 2)),
        (np.array([2.0, 1.0, 2.0], dtype=np.float32), (1.0, 2.0)),
        (np.array(["b", "a", "a"]), ("a", "b")),
        (np.array(["b", "a", "a"], dtype=object), ("a", "b")),
        ([True, True, True], (False, True)),
        (pd.Series(["b", "a", "a"], dtype="category"), ("a", "b")),
        (pd.Series([3, 1, 1], dtype="category"), (1, 3)),
        (pl.Series([3, 1, 1]), (1, 3)),
    ],
)
def test_classes_are_sorted_python_values(labels, classes):
    label = Schema.from_data(np.zeros((3, 1)), labels).label
    assert label.classes == classes
    assert [type(value) for value in label.classes] == [type(value) for value in classes]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([0.0, 1.0, float("inf")], "infinite"),
        ([0, 0, 0], "one class"),
        (["a", 1, 1], "mixed"),
        ([dt.date(2000, 1, 1)] * 3, "Make it text"),
        ([0, 1], "one label for each row"),
        ([[0], [1], [1]], "mixed"),
        (np.zeros((3, 1)), "a list of labels"),
        (pl.DataFrame({"y": [0, 1, 1]}), "a list of labels"),
        (3, "a list of labels"),
        ({0: 1, 1: 0, 2: 0}, "a list of labels"),
        (None, "labels with an array"),
        ("y", "labels with an array"),
    ],
)
def test_labels_that_are_refused(labels, said):
    with pytest.raises(SchemaError, match=said):
        Schema.from_data(np.zeros((3, 1)), labels)


def test_at_most_fifty_classes_are_guessed():
    array = np.arange(51.0).reshape(-1, 1)
    assert len(Schema.from_data(array[:50], range(50)).label.classes) == 50
    with pytest.raises(SchemaError, match="at most 50 classes"):
        Schema.from_data(array, range(51))


def test_an_array_keeps_all_its_columns_in_order():
    array = np.column_stack([np.arange(100), np.arange(100) % 2, np.full(100, 7), np.full(100, -0.5)])
    schema = Schema.from_data(array, array[:, 1])
    assert schema.columns == (
        Numeric("x0", 0, 100, whole=True),
        Numeric("x1", 0, 1, whole=True),
        Numeric("x2", 5, 10, whole=True),
        Numeric("x3", -1, -0.2),
    )
    assert Schema.from_data(array.astype(np.int64), array[:, 1]).names == ("x0", "x1", "x2", "x3")
    assert schema.ignored == ()


def test_arrays_of_other_types():
    array = np.array([[1, "a", True, None], [2.5, "b", False, np.nan]], dtype=object)
    assert Schema.from_data(array, [0, 1]).columns == (
        Numeric("x0", 1, 4),
        Categorical("x1", ["a", "b"], other=True),
        Categorical("x2", [False, True], other=True),
        Numeric("x3", 0, 1, missing=0.5),
    )
    assert Schema.from_data(np.array([["b"], ["a"]]), [0, 1]).columns == (Categorical("x0", ["a", "b"], other=True),)
    assert Schema.from_data(np.array([[True], [True]]), [0, 1]).columns == (
        Categorical("x0", [False, True], other=True),
    )


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros(3), "two dimensions"),
        (np.zeros((3, 1, 1)), "two dimensions"),
        (np.zeros((3, 0)), "a column to guess from"),
        (np.full((3, 1), np.inf), "'x0', got an infinite"),
        (np.full((3, 1), 1j), "'x0'"),
        (np.array([["a"], [1], [2]], dtype=object), "'x0'"),
        (np.full((3, 1), np.datetime64("2020-01-01")), "'x0': dates"),
    ],
)
def test_arrays_that_are_refused(array, said):
    with pytest.raises(SchemaError, match=said):
        Schema.from_data(array, [0, 1, 1])


def test_texts_of_an_array_are_never_dropped_silently():
    array = np.array([[f"t{k}"] for k in range(51)])
    with pytest.raises(SchemaError, match="'x0': looks like an identifier"):
        Schema.from_data(array, np.arange(51) % 2)


def _column(values, name="c"):
    rows = range(len(values))
    frame = pl.DataFrame({name: values, "rest": [k % 7 / 2 for k in rows], "y": [k % 2 for k in rows]})
    schema = Schema.from_data(frame, "y")
    if schema.identifier:
        return schema.identifier
    return schema.column(name) if name in schema.names else dict(schema.ignored)[name]


def test_text_of_more_than_fifty_values_is_not_listed():
    assert _column([f"t{k}" for k in range(51)] * 60) == Categorical("c", buckets=256)
    assert len(_column([f"t{k}" for k in range(50)] * 2).categories) == 50


@pytest.mark.parametrize(
    ("name", "values", "asked"),
    [
        ("who", [f"t{k}" for k in range(51)] * 2, True), ("who", [f"t{k}" for k in range(50)] * 2, False),
        ("patient_nbr", list(range(10)) * 2, True), ("patient_nbr", list(range(9)) * 2, False),
        ("patient_nbr", list(range(10)) * 51, True), ("encounter_nbr", list(range(10)) * 51, False),
        ("number_of_visits", list(range(10)) * 2, False), ("memberId", [f"m{k}" for k in range(12)] * 3, True),
        ("patient_nbr", [*range(99), 0], True), ("product_id", list(range(10)) * 2, False),
    ],
)  # fmt: skip
def test_values_that_come_back_as_those_of_persons_do_are_left_out_and_asked_about(name, values, asked):
    found = _column(values, name=name)
    named = name != "who"
    assert (found == Identifier(name) if named else "come back in several rows" in str(found)) == asked


def test_text_that_tells_rows_apart_is_left_out():
    assert "identifier" in _column([f"t{k}" for k in range(10)])
    assert "e-mails" in _column(["a", "b"], name="eMail")
    assert _column(["a", "b"]) == Categorical("c", ["a", "b"], other=True)


@pytest.mark.parametrize("name", ["id", "ID", "customer_id", "customerId", "PatientID", "uuid", "ssn", "row index"])
def test_whole_numbers_named_like_identifiers_are_left_out_when_distinct(name):
    assert "identifier" in _column([4, 900, 17], name=name)
    assert isinstance(_column([4, 900, 900], name=name), Numeric)
    assert isinstance(_column([4.5, 900.0, 17.0], name=name), Numeric)


@pytest.mark.parametrize("name", ["paid", "width", "acidity", "idle", "n"])
def test_names_that_only_contain_such_letters_are_kept(name):
    assert isinstance(_column([4, 900, 17], name=name), Numeric)


def test_many_distinct_whole_numbers_that_fill_a_range_are_left_out():
    numbers = np.random.default_rng(0).permutation(2000)[:1500].tolist()
    assert "identifier" in _column(numbers)
    assert "identifier" in _column([7 * k for k in numbers])  # of 80 pairs expected, none is equal
    assert isinstance(_column([300 * k for k in numbers]), Numeric)
    assert isinstance(_column(numbers + numbers[:200]), Numeric)
    assert isinstance(_column([3 * k for k in range(25)]), Numeric)


def test_categories_of_a_frame_and_missing_booleans():
    assert _column([True, None, False]) == Categorical("c", [False, True], other=True, missing="missing")
    frame = pd.DataFrame({"c": pd.Series([3, 1, 3], dtype="category")})
    assert Schema.from_data(frame, [0, 1, 1]).columns == (Categorical("c", [1, 3], other=True),)
    assert _column(["missing", "a", "a", None]).categories == ("a", "missing")


def test_other_types_are_left_out():
    assert "type" in _column([[1], [2], [1]])
    assert "type" in _column([b"a", b"b", b"a"])
    assert "moments" in _column([dt.timedelta(1)] * 3)
    assert "moments" in _column([dt.time(1)] * 3)
    mixed = pd.DataFrame({"c": ["a", 1, 2], "d": [Decimal("1.5"), None, Decimal(3)]})
    assert Schema.from_data(mixed, [0, 1, 1]).inputs == (Numeric("d", 1, 4, missing="indicator"),)


def test_missing_numbers_are_a_category_of_their_own_by_name_and_the_midpoint_by_position():
    assert _column([1.0, None, 90.0]) == Numeric("c", 1, 100, whole=True, missing="indicator")
    assert _column([1.0, float("nan"), 90.0]).missing == "indicator"
    assert _column([1, None, 90]).missing == "indicator"
    array = np.array([[1.0], [np.nan], [90.0]])
    assert Schema.from_data(array, [0, 1, 1]).columns == (Numeric("x0", 1, 100, whole=True, missing=50.5),)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pl.DataFrame({"a": [1.0, float("inf")], "y": [0, 1]}), "'a', got an infinite"),
        (pl.DataFrame({"a": ["x", "y"], "b": [1, 2]}), "got name='y'"),
        (pl.DataFrame({"y": [0, 1]}), "a column to guess from"),
        (pl.DataFrame({"a": [None, None], "y": [0, 1]}), "a column to guess from"),
        (pl.DataFrame({"a": [], "y": []}), "a column to guess from"),
        (pd.DataFrame([[1, 2, 0], [3, 4, 1]], columns=["a", "a", "y"]), "different names"),
        (pd.DataFrame([[1, 0], [3, 1]], columns=[0, "y"]), "name of a column"),
        (pl.DataFrame({"": [1, 2], "y": [0, 1]}), "name of a column"),
        (pl.Series([1, 2]), "a data frame"),
        ([[1, 0], [2, 1]], "a data frame"),
        (None, "a data frame"),
    ],
)
def test_frames_that_are_refused(data, said):
    with pytest.raises(SchemaError, match=said) as caught:
        Schema.from_data(data, "y")
    assert caught.value.__context__ is None


def test_a_label_under_the_name_of_a_column_is_refused():
    with pytest.raises(SchemaError, match="another label_name"):
        Schema.from_data(pl.DataFrame({"label": [1, 2]}), [0, 1])
    with pytest.raises(SchemaError, match="name of the label"):
        Schema.from_data(np.zeros((2, 1)), [0, 1], label_name="")


def test_left_out_columns_and_refusals_never_repeat_a_cell():
    frame = pl.DataFrame({"free": [f"sentinel {k}" for k in range(60)], "n": [0.5, 731.0] * 30, "y": [0, 1] * 30})
    schema = Schema.from_data(frame, "y")
    assert "sentinel" not in schema.to_toml() + repr(schema)
    assert "731" not in schema.to_toml()
    for labels in (["sentinel"] * 60, [f"sentinel {k}" for k in range(60)], ["sentinel", 1] * 30, ["sentinel"]):
        with pytest.raises(SchemaError) as caught:
            Schema.from_data(frame.drop("y"), labels)
        assert "sentinel" not in str(caught.value)


def test_pa_dictionary_and_nulls():
    table = pa.table({"c": pa.array(["b", None, "a"]).dictionary_encode(), "y": [0, 1, 1]})
    listed = Categorical("c", ["b", "a", "missing"], other=True, missing="missing")
    assert Schema.from_data(table, "y").columns == (listed,)


def test_names_of_people_are_never_listed_however_few_or_repeated():
    frame = pl.DataFrame({"Name": ["Ann", "Ann", "Bo"], "last_name": ["A", "B", "B"], "plan": ["x", "y", "x"]})
    schema = Schema.from_data(frame, ["no", "yes", "no"])
    assert schema.names == ("plan",)
    assert {name for name, _ in schema.ignored} == {"Name", "last_name"}
    assert "Ann" not in schema.to_toml()
