"""Made-up rows as files: what the schema says a table has, read back as what was drawn, and marked in every row."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import polars as pl
import pytest

from tacit.datasets.catalog import load_schema, names
from tacit.errors import ParameterError, PrivacyError, SchemaError
from tacit.estimators import LogisticClassifier
from tacit.schema import Categorical, Feature, FileFormat, Identifier, Label, Numeric, Schema, SideTable, Target
from tacit.study.made_up import as_csv, made_up_rows, mark_of, write_sample
from tacit.table import read_labels, read_rows
from tacit.table.files import read_with_labels

LABEL = Label("y", ["no", "yes"])
WRITTEN = Schema(
    [
        Numeric("age", 17, 90, whole=True, missing=40),
        Numeric("pay", -5000, 5000, decimal=",", thousands=".", signs=["€"], missing="indicator"),
        Numeric("since", date(2000, 1, 1), date(2020, 12, 31), dates="%d.%m.%y"),
        Numeric("born", 1900, 2020, date_part="year", dates="%d.%m.%Y"),
        Numeric("hour", 0, 23, date_part="hour"),
        Categorical("work", ["a", "größer", "NA"], other=True, missing="a"),
        Categorical("code", buckets=8),
        Categorical("flag", [True, False]),
    ],
    label=LABEL,
    file=FileFormat(encoding="cp1252"),
)


def assert_same(first, second, schema):
    assert all(np.array_equal(first.columns[name], second.columns[name]) for name in schema.names)


def test_a_file_has_cells_as_the_schema_says_and_reads_as_what_was_drawn(tmp_path):
    rows = made_up_rows(WRITTEN, 400, seed=1)
    write_sample(rows, WRITTEN, tmp_path / "rows.csv", parquet=False)
    text = (tmp_path / "rows.csv").read_bytes().decode("cp1252")
    assert text.startswith("age,pay,since,born,hour,work,code,flag,y,made_up\n")
    again, labels = read_with_labels(tmp_path / "rows.csv", WRITTEN, "raise")
    assert_same(read_rows(rows, WRITTEN), read_rows(again, WRITTEN), WRITTEN)
    assert labels.equals(rows["y"])
    assert text.splitlines()[1].count('"') == 2  # 12,5 between quotes


@pytest.mark.parametrize("name", names())
def test_every_known_schema_has_made_up_files(name, tmp_path):
    schema = load_schema(name)
    rows = made_up_rows(schema, 60, seed=2)
    for parquet in (False, True):
        path = tmp_path / ("rows.parquet" if parquet else "rows.csv")
        write_sample(rows, schema, path, parquet=parquet)
        again, labels = read_with_labels(path, schema, "raise")
        assert_same(read_rows(rows, schema), read_rows(again, schema), schema)
        assert np.array_equal(read_labels(labels, schema.label), read_labels(rows[schema.label.name], schema.label))


def test_every_row_and_the_metadata_say_that_it_is_made_up(tmp_path):
    rows = made_up_rows(WRITTEN, 30)
    assert rows["made_up"].to_list() == [True] * 30
    write_sample(rows, WRITTEN, tmp_path / "rows.parquet", parquet=True)
    assert "no row is of a person" in pl.read_parquet_metadata(tmp_path / "rows.parquet")["tacit"]


def test_the_mark_is_no_column_of_the_schema():
    schema = Schema([Categorical("made_up", ["a"])], label=Label("made_up_", [0, 1]), ignored={"made_up__": "why"})
    assert mark_of(schema) == "made_up___"
    assert made_up_rows(schema, 3).columns == ["made_up", "made_up_", "made_up___"]


def test_cells_are_empty_where_the_schema_says_what_these_count_as():
    rows = made_up_rows(WRITTEN, 4000)
    empty = {name: count / 4000 for name, count in rows.null_count().row(0, named=True).items()}
    assert {name for name, share in empty.items() if share} == {"age", "pay", "work", "code"}
    assert all(share == pytest.approx(0.05, abs=0.015) for share in empty.values() if share)


def test_persons_have_one_to_three_rows():
    schema = Schema([Numeric("x", 0, 1)], label=LABEL, identifier=Identifier(["house", "person"], rows=2))
    rows = made_up_rows(schema, 900)
    assert rows.columns == ["house", "person", "x", "y", "made_up"]
    counted = rows["person"].value_counts()["count"]
    assert set(counted) == {1, 2, 3} and (rows["house"] == rows["person"]).all()
    assert 900 / 2.2 < len(counted) < 900 / 1.8


def test_a_seed_decides_every_cell():
    assert made_up_rows(WRITTEN, 50, seed=3).equals(made_up_rows(WRITTEN, 50, seed=3))
    assert not made_up_rows(WRITTEN, 50, seed=3).equals(made_up_rows(WRITTEN, 50, seed=4))


@pytest.fixture(scope="module")
def fitted():
    schema = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=LABEL)
    rows = made_up_rows(schema, 3000, seed=5)
    estimator = LogisticClassifier(schema, epsilon=3.0, delta=0.0)
    return estimator.fit(rows, rows["y"]).model_


def test_labels_are_drawn_from_the_models_probabilities(fitted):
    rows = made_up_rows(fitted.schema, 6000, seed=6, model=fitted)
    expected = fitted.predict_proba(rows)[:, 1]
    drawn = (rows["y"] == "yes").to_numpy()
    for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0)):
        within = (expected >= low) & (expected < high)
        assert drawn[within].mean() == pytest.approx(expected[within].mean(), abs=0.05)
    # By another model than the one that rows have without it.
    assert (drawn != (made_up_rows(fitted.schema, 6000, seed=6)["y"] == "yes").to_numpy()).any()


def test_a_model_of_other_columns_or_without_a_guarantee_is_refused(fitted):
    other = replace(fitted.schema, columns=(Numeric("x", -2, 1), Categorical("c", ["a", "b"])))
    with pytest.raises(ParameterError, match="got others: x"):
        made_up_rows(other, 5, model=fitted)
    public = replace(fitted.schema, columns=tuple(replace(each, private=False) for each in fitted.schema.columns))
    assert len(made_up_rows(public, 5, model=fitted)) == 5
    for status, reasons in (("simulated", ()), ("void", ("rows were seen",))):
        void = replace(fitted, guarantee=replace(fitted.guarantee, status=status, reasons=reasons))
        with pytest.raises(PrivacyError, match=status):
            made_up_rows(fitted.schema, 5, model=void)


def test_guesses_are_refused_and_open_bounds():
    with pytest.raises(PrivacyError, match="guessed entries: x"):
        made_up_rows(Schema([Numeric("x", 0, 1)], label=LABEL, guessed=["x"]), 5)
    with pytest.raises(SchemaError, match="open bounds"):
        made_up_rows(Schema([Numeric("x")], label=LABEL), 5)


def test_letters_that_the_encoding_lacks_are_one_error(tmp_path):
    schema = Schema([Categorical("c", ["łódź"])], label=LABEL, file=FileFormat(encoding="cp1252"))
    with pytest.raises(ParameterError, match="encoding cp1252"):
        write_sample(made_up_rows(schema, 5), schema, tmp_path / "rows.csv", parquet=False)
    assert "łódź" in as_csv(made_up_rows(schema, 5), schema)


def test_numbers_to_predict_are_whole_where_their_column_is():
    schema = Schema([Numeric("x", 0, 1)], label=Target("y", 0, 50, whole=True, decimal=","))
    rows = made_up_rows(schema, 200)
    assert rows["y"].dtype == pl.Int64 and rows["y"].is_between(0, 50).all()
    assert as_csv(rows, schema).splitlines()[1].split(",")[1] == str(rows["y"][0])


def test_side_tables_are_refused_as_no_rows_of_theirs_are_made_up():
    table = SideTable("visits", [], key="person")
    column = Numeric("visits", 0, 20, from_table=Feature("visits", "count"))
    schema = Schema([Numeric("x", 0, 1), column], label=LABEL, tables=[table])
    with pytest.raises(ParameterError, match="a schema of one table"):
        made_up_rows(schema, 5)
