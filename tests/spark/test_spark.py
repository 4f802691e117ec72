"""Scoring in a real local Spark (make spark): predictions of the package to the bit, by name and in every order."""

from __future__ import annotations

import sys
from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Categorical, Label, LogisticClassifier, NaiveBayesClassifier, Numeric, Schema, load_model
from tacit.cli.app import app
from tacit.errors import MissingExtra
from tacit.models import write_model

SCHEMA = Schema(
    [
        Numeric("age", 0, 100, whole=True, missing=40),
        Numeric("pay", 0, 5000, missing="indicator"),
        Numeric("since", "2000-01-01", "2020-12-31", missing="2010-01-01"),
        Numeric("hour", 0, 23, date_part="hour", missing=0),
        Categorical("sky", ["clear", "gray"], other=True, missing="clear"),
        Categorical("owns", [False, True], missing=False),
    ],
    label=Label("works", ["no", "yes"]),
)


@pytest.fixture
def rows():
    draw = np.random.default_rng(3)
    moments = [datetime(2010, 5, 1 + at % 28, at % 24, 30) for at in range(300)]
    frame = pl.DataFrame(
        {
            "id": np.arange(300),
            "sky": draw.choice(["clear", "gray", "雨"], 300),
            "pay": np.where(draw.random(300) < 0.1, np.nan, draw.uniform(0, 6000, 300)),
            "age": draw.integers(0, 110, 300),
            "since": [date(2001 + at % 19, 2, 3) for at in range(300)],
            "hour": moments,
            "owns": draw.random(300) < 0.5,
        }
    )
    empty = pl.Series(draw.random(300) < 0.1)
    return frame.with_columns(frame[name].set(empty, None) for name in ("sky", "age", "since", "hour", "owns"))


@pytest.fixture
def model(rows, tmp_path):
    path = tmp_path / "model.json"
    estimator = LogisticClassifier(SCHEMA, epsilon=3.0, delta=0.0, random_state=1)
    write_model(estimator.fit(rows, ["no", "yes"] * 150).model_, path, allow="simulated")
    return path


def test_without_pyspark_there_is_one_message(model, monkeypatch):
    import tacit.spark

    monkeypatch.setitem(sys.modules, "pyspark", None)
    for ask in (tacit.spark.predictor, tacit.spark.columns, tacit.spark.udf):
        with pytest.raises(MissingExtra, match=r"pip install 'tacit\[spark\]'"):
            ask(model)


@pytest.mark.parametrize(("enough", "sizes"), [(60, [80, 80, 80, 60]), (10**6, [300])])
def test_rows_of_several_batches_are_read_together(enough, sizes, rows, model, monkeypatch):
    import tacit.spark
    import tacit.table.files.frames

    monkeypatch.setattr(tacit.table.files.frames, "rows_together", lambda n_columns: enough)
    loaded, batches = load_model(model), [rows[at : at + 40].to_pandas() for at in range(0, 300, 40)]
    found = list(tacit.spark._together(loaded, iter(batches), "UTC"))
    assert [table.num_rows for _, table in found] == sizes
    assert [len(each) for several, _ in found for each in several] == [40] * 7 + [20]
    predicted = [tacit.spark._values(loaded, table, probabilities=True)[2] for _, table in found]
    assert np.array_equal(np.concatenate(predicted), loaded.predict_proba(rows)[:, 1])


def test_batches_of_other_types_are_read_apart(rows, model):
    import tacit.spark

    loaded = load_model(model)
    whole = rows.with_columns(pay=pl.col("pay").fill_nan(0).cast(pl.Int64))
    batches = [whole[:100].to_pandas(), rows[100:200].to_pandas(), rows[200:].to_pandas()]
    found = list(tacit.spark._together(loaded, iter(batches), "UTC"))
    assert [len(several) for several, _ in found] == [1, 2]
    assert not list(tacit.spark._together(loaded, iter(()), "UTC"))


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        settings = {
            "spark.ui.enabled": "false",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "37",
        }
        builder = sql.SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


@pytest.fixture
def stored(spark, rows, tmp_path):
    """Return the rows as Spark reads them from a file, three of its parts empty."""
    rows.write_parquet(tmp_path / "rows.parquet")
    return spark.read.parquet(str(tmp_path / "rows.parquet")).repartition(4, "owns")


def collected(frame):
    return pl.DataFrame([row.asDict() for row in frame.collect()]).sort("id")


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_predictions_are_those_of_the_package_to_the_bit(stored, rows, model):
    import tacit.spark

    options = {"probabilities": True, "keep": {"id": "bigint"}}
    found = stored.mapInPandas(tacit.spark.predictor(model, **options), tacit.spark.columns(model, **options))
    assert found.columns == ["id", "works", "works=no", "works=yes"]
    got, loaded = collected(found), load_model(model)
    assert got["works"].to_list() == loaded.predict(rows).tolist()
    assert np.array_equal(got.select("works=no", "works=yes").to_numpy(), loaded.predict_proba(rows))


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_columns_count_by_name_and_not_by_place(stored, rows, model):
    from pyspark.sql.functions import struct

    import tacit.spark

    wanted = load_model(model).predict(rows).tolist()
    turned = stored.select(*reversed(stored.columns))
    keep = {"id": "bigint"}
    mapped = turned.mapInPandas(tacit.spark.predictor(model, keep=keep), tacit.spark.columns(model, keep=keep))
    assert collected(mapped)["works"].to_list() == wanted
    selected = turned.select("id", tacit.spark.udf(model)(struct("*")).alias("works"))
    assert collected(selected)["works"].to_list() == wanted


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_a_frame_without_rows_has_no_predictions(stored, model):
    import tacit.spark

    none = stored.where("id < 0").mapInPandas(tacit.spark.predictor(model), tacit.spark.columns(model))
    assert none.columns == ["works"] and none.collect() == []


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_a_frame_is_fitted_as_a_stream_as_from_a_folder(stored, rows, tmp_path):
    import pyarrow

    people = stored.selectExpr("*", "if(id % 2 = 0, 'no', 'yes') as works")
    people.write.parquet(str(tmp_path / "people"))
    sources = (pyarrow.RecordBatchReader.from_stream(people), tmp_path / "people")
    fits = [NaiveBayesClassifier(SCHEMA, epsilon=3.0, random_state=1).fit(source).model_ for source in sources]
    assert np.array_equal(fits[0].predict_proba(rows), fits[1].predict_proba(rows))


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_blanks_that_pad_a_char_count_for_nothing(spark, stored, rows, model, tmp_path):
    folder = str(tmp_path / "padded")
    padded = stored.selectExpr("id", "rpad(sky, 9, ' ') as sky", "pay", "age", "since", "hour", "owns")
    padded.write.parquet(folder)
    assert (pl.read_parquet(f"{folder}/*.parquet")["sky"].drop_nulls().str.len_chars() == 9).all()
    read = pl.read_parquet(f"{folder}/*.parquet").sort("id")
    assert load_model(model).predict(read).tolist() == load_model(model).predict(rows).tolist()


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_identifiers_that_spark_may_round_beside_null_are_refused(spark, tmp_path):
    """Of Spark 4.3.0 a frame of numbers alone has doubles there, under either setting: at times, or always."""
    import tacit.spark

    model = tmp_path / "numbers.json"
    schema = Schema([Numeric("age", 0, 100)], label=Label("works", ["no", "yes"]))
    fitted = LogisticClassifier(schema, epsilon=3.0, delta=0.0, random_state=1)
    write_model(fitted.fit([[age] for age in range(100)], ["no", "yes"] * 50).model_, model, allow="simulated")

    def changed(first, kind, null=5):
        """Return which identifiers differ before and after, or the error that says so."""
        person = f"cast(if(id = {null}, null, id + {first}) as {kind}) as person"
        people, keep = spark.range(30, numPartitions=2).selectExpr("id as age", person), {"person": kind}
        scored = people.mapInPandas(tacit.spark.predictor(model, keep=keep), tacit.spark.columns(model, keep=keep))
        try:
            return {row.person for row in scored.collect()} ^ {row.person for row in people.collect()}
        except Exception as error:
            return str(error)

    setting = "spark.sql.execution.pythonUDF.pandas.preferIntExtensionDtype"
    try:
        for extension in ("false", "true"):
            spark.conf.set(setting, extension)
            assert "Expected no null among numbers of 2**53 and more in 'person'" in changed(2**53, "bigint")
            assert changed(2**53, "string") == changed(2**52, "bigint") == changed(2**53, "bigint", -1) == set()
    finally:
        spark.conf.unset(setting)


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_long_codes_beside_null_are_refused_as_others_may_come_of_them(spark, tmp_path):
    import tacit.spark

    model, codes = tmp_path / "codes.json", [2**53 + each for each in range(8)]
    schema = Schema([Categorical("code", codes)], label=Label("works", ["no", "yes"]))
    fitted = LogisticClassifier(schema, epsilon=50.0, delta=0.0, random_state=1, on_invalid="coerce")
    write_model(fitted.fit([[each] for each in codes * 50], ["no", "yes"] * 200).model_, model, allow="simulated")

    def scored(code):
        people = spark.range(8, numPartitions=1).selectExpr(f"{code} as code")
        found = people.mapInPandas(tacit.spark.predictor(model), tacit.spark.columns(model))
        return [row.works for row in found.collect()]

    assert scored(f"id + {2**53}") == ["no", "yes"] * 4
    assert scored(f"cast(if(id = 7, null, id + {2**53}) as string)")[:7] == (["no", "yes"] * 4)[:7]
    with pytest.raises(Exception, match="and more in 'code', got some"):
        scored(f"if(id = 7, null, id + {2**53})")


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_moments_outside_of_utc_are_refused(stored, spark, model):
    import tacit.spark

    spark.conf.set("spark.sql.session.timeZone", "Europe/Vienna")
    try:
        with pytest.raises(Exception, match=r"timeZone to be UTC"):
            stored.mapInPandas(tacit.spark.predictor(model), tacit.spark.columns(model)).collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["INT96", "TIMESTAMP_MICROS"])
def test_folders_that_spark_writes_are_read_as_they_are(kind, stored, spark, rows, model, tmp_path):
    """Its moments of 96 bits, and a column whose values are names of folders."""
    spark.conf.set("spark.sql.parquet.outputTimestampType", kind)
    folder = tmp_path / "written"
    stored.where("owns is not null").write.partitionBy("owns").parquet(str(folder))
    out = tmp_path / "predictions.csv"
    command = ["predict", str(model), str(folder), "--id", "id", "--out", str(out)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    got = pl.read_csv(out).sort("id")
    kept = rows.filter(pl.col("owns").is_not_null())
    assert got["id"].to_list() == kept["id"].to_list()
    assert got["works"].to_list() == load_model(model).predict(kept).tolist()
