"""Whatever holds the rows, columns go by name wherever they have names, in fit and in every kind of prediction."""

from __future__ import annotations

import sys
import warnings
from collections import namedtuple

import dask.dataframe as dd
import duckdb
import narwhals as nw
import narwhals.stable.v1 as nw_v1
import narwhals.stable.v2 as nw_v2
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from tacit import Categorical, Label, NaiveBayesClassifier, Numeric, PrivacyWarning, Schema
from tacit.errors import TableError
from tacit.models import to_json

SCHEMA = Schema(
    [Numeric("age", 0, 100), Numeric("pay", 0, 100, missing=50), Categorical("sex", ["F", "M"])],
    label=Label("ill", ["no", "yes"]),
)
N_ROWS = 300
AGES = np.arange(N_ROWS) % 97
LABELS = np.where(AGES > 50, "yes", "no")
# Not in the schema's order, and by position of types that the schema would take, so that only names can be right.
COLUMNS = {"pay": (AGES * 7 + 3) % 101, "age": AGES, "sex": np.resize(["F", "M", "M"], N_ROWS)}
OPERATIONS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


class Stream:
    """Nothing but Arrow's C stream, as libraries without a data frame of their own hand columns over."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


class StreamAndArray(Stream):
    """A stream that NumPy opens as well, without names."""

    def __array__(self, dtype=None, copy=None):
        return self._table.to_pandas().to_numpy(dtype)


class Batch:
    def __init__(self, batch):
        self._batch = batch

    def __arrow_c_array__(self, requested_schema=None):
        return self._batch.__arrow_c_array__(requested_schema)


class OnlyDataframeProtocol:
    """What is neither Arrow's nor known to narwhals, but has names that NumPy would lose."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, **options):
        return self._frame.__dataframe__(**options)

    def __array__(self, dtype=None, copy=None):
        return self._frame.to_numpy(dtype)


def arrow():
    return pa.table(COLUMNS)


def pandas(**types):
    return pd.DataFrame(COLUMNS).astype(types)


def related():
    connection = duckdb.connect()
    connection.register("rows", arrow())
    return connection.sql("SELECT * FROM rows")


NAMED = {
    "pandas": pandas,
    "pandas, an extra column named 0": lambda: pandas().assign(zero=1).rename(columns={"zero": 0}),
    "pandas, an extra column named by a pair": lambda: pandas().assign(zero=1).rename(columns={"zero": ("a", 1)}),
    "pandas, nullable": lambda: pandas().convert_dtypes(),
    "pandas, of Arrow's types": lambda: pandas().convert_dtypes(dtype_backend="pyarrow"),
    "pandas, sparse": lambda: pandas(pay=pd.SparseDtype("int64"), age=pd.SparseDtype("int64")),
    "pandas, long doubles": lambda: pandas(pay=np.longdouble, age=np.longdouble),
    "pandas, categories": lambda: pandas(sex="category"),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars, lazy": lambda: pl.LazyFrame(COLUMNS),
    "polars, a series of structs": lambda: pl.DataFrame(COLUMNS).to_struct("rows"),
    "Arrow, table": arrow,
    "Arrow, batch": lambda: pa.record_batch(COLUMNS),
    "Arrow, reader": lambda: arrow().to_reader(max_chunksize=100),
    "Arrow, array of structs": lambda: pa.record_batch(COLUMNS).to_struct_array(),
    "Arrow, data set": lambda: ds.dataset(arrow()),
    "Arrow, scanner": lambda: ds.dataset(arrow()).scanner(),
    "DuckDB, relation": related,
    "DuckDB, reader": lambda: related().to_arrow_reader(100),
    "Dask": lambda: dd.from_pandas(pandas(), npartitions=3),
    "narwhals": lambda: nw.from_native(pandas()),
    "narwhals, version 1": lambda: nw_v1.from_native(pl.DataFrame(COLUMNS)),
    "narwhals, version 2": lambda: nw_v2.from_native(arrow()),
    "narwhals, lazy": lambda: nw.from_native(pl.LazyFrame(COLUMNS)),
    "narwhals, lazy version 1": lambda: nw_v1.from_native(pl.LazyFrame(COLUMNS)),
    "narwhals, lazy DuckDB": lambda: nw.from_native(related()),
    "a stream": lambda: Stream(arrow()),
    "a stream and an array": lambda: StreamAndArray(arrow()),
    "a batch of another library": lambda: Batch(pa.record_batch(COLUMNS)),
}
"""Read by name."""

IN_ORDER = [COLUMNS[name] for name in SCHEMA.names]
BY_POSITION = {
    "lists": lambda: [list(row) for row in zip(*IN_ORDER, strict=True)],
    "tuples": lambda: tuple(zip(*IN_ORDER, strict=True)),
    "array of objects": lambda: np.column_stack([column.astype(object) for column in IN_ORDER]),
    "array of text": lambda: np.column_stack([column.astype(str) for column in IN_ORDER]),
    "pandas, numbered": lambda: pd.DataFrame(dict(enumerate(IN_ORDER))),
    "Dask, numbered": lambda: dd.from_pandas(pd.DataFrame(dict(enumerate(IN_ORDER))), npartitions=2),
}
"""Without names, in the schema's order."""

REFUSED = {
    "two levels of names": lambda: pd.DataFrame({("rows", name): cells for name, cells in COLUMNS.items()}),
    "a name that is a number among others": lambda: pandas().rename(columns={"age": 0}),
    "numbers out of order": lambda: pd.DataFrame(dict(enumerate(IN_ORDER)))[[1, 0, 2]],
    "numbers from 1": lambda: pd.DataFrame({1: IN_ORDER[0], 2: IN_ORDER[1], 3: IN_ORDER[2]}),
    "years": lambda: pd.DataFrame({2019: IN_ORDER[0], 2020: IN_ORDER[1], 2021: IN_ORDER[2]}),
    "truth values": lambda: pd.DataFrame({False: IN_ORDER[0], True: IN_ORDER[1], 2: IN_ORDER[2]}),
    "bytes": lambda: pandas().rename(columns=str.encode),
    "other names": lambda: pandas().rename(columns=str.upper),
    "dates": lambda: pandas().set_axis(pd.date_range("2020", periods=3), axis="columns"),
    "structured array": lambda: pandas(sex="category").to_records(index=False),
    "two dimensions of structures": lambda: np.zeros((N_ROWS, 3), dtype=[("age", float)]),
    "named tuples": lambda: list(pandas().itertuples(index=False)),
    "named tuples of one's own": lambda: [namedtuple("Row", COLUMNS)(*row) for row in zip(*IN_ORDER, strict=True)],
    "dictionaries": lambda: pandas().to_dict("records"),
    "a dictionary": lambda: COLUMNS,
    "the dataframe protocol": lambda: OnlyDataframeProtocol(pandas()),
    "a series": lambda: pandas()["age"],
    "Arrow's array": lambda: pa.array(AGES),
    "a name twice": lambda: pd.concat([pandas(), pandas()[["age"]]], axis="columns"),
    "a name twice in a stream": lambda: Stream(pa.Table.from_arrays([pa.array(AGES)] * 2, names=["age", "age"])),
}
"""With names that are not the schema's, or that nothing reads."""


def fitted(X, y=LABELS):
    return NaiveBayesClassifier(SCHEMA, epsilon=5.0, random_state=0).fit(X, y)


def bytes_of(estimator):
    return to_json(estimator.model_, allow="simulated")


@pytest.fixture(scope="module")
def reference():
    with pytest.warns(PrivacyWarning):
        estimator = fitted(pandas())
    assert estimator.score(pandas(), LABELS) > 0.9  # with age and pay exchanged, a half
    return estimator


@pytest.mark.parametrize("name", [*NAMED, *BY_POSITION])
def test_every_container_gives_the_same_model_and_the_same_predictions(name, reference):
    make = (NAMED | BY_POSITION)[name]
    estimator = fitted(make())
    assert bytes_of(estimator) == bytes_of(reference)
    assert hasattr(estimator, "feature_names_in_") == (name in NAMED)
    if name in NAMED:
        assert estimator.feature_names_in_.tolist() == ["age", "pay", "sex"]
    for operation in OPERATIONS:
        right = getattr(reference, operation)(pl.DataFrame(COLUMNS))
        for served in (estimator, estimator.model_):
            assert np.array_equal(getattr(served, operation)(make()), right)


@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_could_be_another_are_refused_by_name(name, reference):
    make = REFUSED[name]
    for act in (fitted, reference.predict, reference.model_.predict, reference.model_.predict_proba):
        with pytest.raises(TableError, match=r"^Expected"):
            act(make())


@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_dask_is_read_without_narwhals(reference, monkeypatch):
    """Which announces that it leaves Dask to a package of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrapped = nw.from_native(NAMED["Dask"](), pass_through=True)
    seen = []

    def without_dask(open_native):
        def opened(given, *args, **kwargs):
            if type(given).__module__.startswith("dask"):
                seen.append(given)
            return open_native(given, *args, **kwargs)

        return opened

    for module in (nw, nw_v2):
        monkeypatch.setattr(module, "from_native", without_dask(module.from_native))
    labels = dd.from_pandas(pd.DataFrame({"ill": LABELS}), npartitions=2)
    rows = NAMED["Dask"]().assign(ill=labels["ill"])
    for X, y in [(wrapped, LABELS), (NAMED["Dask"](), labels), (NAMED["Dask"](), labels["ill"]), (rows, None)]:
        estimator = fitted(X, y)
        assert bytes_of(estimator) == bytes_of(reference)
        assert (estimator.model_.predict(X) == reference.predict(pandas())).all()
    drafted = [Schema.from_data(rows, "ill"), Schema.from_data(NAMED["Dask"](), labels["ill"], label_name="ill")]
    assert drafted == [Schema.from_data(pandas().assign(ill=LABELS), "ill")] * 2
    assert not seen


@pytest.mark.parametrize("name", [name for name in NAMED if "lazy" in name or name.startswith(("DuckDB", "Dask"))])
def test_a_query_with_the_label_among_its_columns_is_read_by_name(name, reference, monkeypatch):
    monkeypatch.setitem(COLUMNS, "ill", LABELS)
    assert bytes_of(fitted(NAMED[name](), None)) == bytes_of(reference)


@pytest.mark.parametrize("name", ["Arrow, batch", "Arrow, reader", "Arrow, data set", "a stream"])
def test_so_is_a_stream(name, reference, monkeypatch):
    monkeypatch.setitem(COLUMNS, "ill", LABELS)
    assert bytes_of(fitted(NAMED[name](), None)) == bytes_of(reference)


def test_a_stream_is_opened_once(reference):
    class Once(Stream):
        opened = 0

        def __arrow_c_stream__(self, requested_schema=None):
            self.opened += 1
            return super().__arrow_c_stream__(requested_schema)

    stream = Once(arrow())
    assert reference.predict(stream).shape == (N_ROWS,) and stream.opened == 1
    fitted(stream)
    assert stream.opened == 2


def test_without_pyarrow_a_stream_is_refused_with_a_remedy(reference, monkeypatch):
    stream = Stream(pl.DataFrame(COLUMNS))
    assert reference.predict(stream).shape == (N_ROWS,)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(TableError, match=r"polars\.DataFrame"):
        reference.predict(stream)


@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_labels_of_every_container():
    model = bytes_of(fitted(pandas()))
    labels, named = pd.Series(LABELS, name="ill"), {"ill": LABELS}
    as_arrays = [
        pl.Series(LABELS),
        pa.array(LABELS),
        pa.chunked_array([LABELS]),
        nw.from_native(labels, series_only=True),
    ]
    as_arrays += [nw_v1.from_native(labels, series_only=True), dd.from_pandas(labels, npartitions=2)]
    as_frames = [pl.LazyFrame(named), pa.record_batch(named), Stream(pa.table(named)), pa.table(named).to_reader()]
    for y in as_arrays + as_frames:
        assert bytes_of(fitted(pandas(), y)) == model
    with pytest.raises(TableError, match="a column of labels"):
        fitted(pandas(), Stream(arrow()))
