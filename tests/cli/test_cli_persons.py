"""Identifiers on the command line: read from files as text, protected as persons, in no model."""

from __future__ import annotations

import json

import polars as pl
import pytest

from tacit.errors import TableError
from tacit.schema import Identifier, Label, Numeric, Schema
from tacit.table import Table
from tacit.table.files import read_with_labels

ENTRY = '[identifier]\nname = "person"\nrows = "mean"\n'
SCHEMA = Schema([Numeric("age", 0, 100)], label=Label("y", ["no", "yes"]), identifier=Identifier("person"))


@pytest.fixture
def people(table, schema):
    """The table with a person for each two rows, and a schema that says so."""
    frame = pl.read_csv(table, infer_schema=False)
    frame = frame.with_columns(pl.Series("person", [f"0{at // 2}" for at in range(frame.height)]))
    frame.write_csv(table)
    schema.write_text(schema.read_text().replace("[label]", f"{ENTRY}\n[label]", 1))
    return table, schema


def test_fit_protects_persons_and_predict_needs_none(run, people, tmp_path):
    table, schema = people
    model = tmp_path / "model.json"
    made = run("fit", table, "--schema", schema, "--epsilon", "1", "--learner", "tree", "--out", model, "--json")
    privacy = json.loads(made.stdout)["privacy"]
    assert (privacy["persons"]["identifier"], privacy["n_rows"]) == ("person", 100)
    assert "person" not in json.dumps(json.loads(model.read_text())["model"]["scorers"])
    said = run("fit", table, "--schema", schema, "--epsilon", "1", "--out", model, "--force").stdout
    assert "Protected: all rows of one 'person', which together count as one row;" in " ".join(said.split())
    checked = run("schema", "check", schema).stdout
    assert "person (identifier)" in checked and "each person has weight one" in checked
    shown = run("inspect", model).stdout
    assert "all rows of one 'person'" in " ".join(shown.split())
    pl.read_csv(table, infer_schema=False).drop("person").write_csv(table)
    assert run("predict", model, table).exit_code == 0
    again = run("fit", table, "--schema", schema, "--epsilon", "1", "--out", model, "--force", code=1)
    assert "a column named 'person'" in again.stderr


@pytest.mark.parametrize("form", ["replay", "model"])
def test_audits_are_about_persons(run, people, tmp_path, form):
    table, schema = people
    model, out = tmp_path / "model.json", tmp_path / "audit"
    if form == "model":
        run("fit", table, "--schema", schema, "--epsilon", "1", "--learner", "tree", "--out", model)
    learner = ("--learner", "naive-bayes", "--epsilon", 1, "--schema", schema, "--minutes", 0.01)
    said = run("audit", *((model,) if form == "model" else learner), "--out", out).stdout
    assert "Not refuted" in said and "epsilon 1, all rows of one person replaced" in said
    assert "all rows of one person replaced" in (out / "audit.html").read_text()
    assert "all rows of one person replaced" in (out / "junit.xml").read_text()


def test_compare_splits_by_person(run, people, tmp_path):
    table, schema = people
    options = ("--epsilons", "1", "--learners", "tree", "--repeats", "2", "--out", tmp_path / "out")
    assert run("compare", table, "--schema", schema, *options).exit_code == 0


def test_a_csv_file_s_identifiers_are_texts(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("person,age,y\n007,1,no\n7,2,yes\n 7 ,3,no\n9007199254740993,4,no\n9007199254740992,5,yes\n")
    frame, labels = read_with_labels(path, SCHEMA, "raise")
    assert frame.columns == ["age", "person"]
    assert Table.from_frame(frame, labels, SCHEMA).n_persons == 4


@pytest.mark.parametrize("cell", ["", " ", "NA", "null"])
def test_a_missing_identifier_is_one_error_that_shows_nothing(tmp_path, cell):
    path = tmp_path / "people.csv"
    path.write_text(f"person,age,y\nSECRET,1,no\n{cell},2,yes\n")
    frame, labels = read_with_labels(path, SCHEMA, "coerce")
    with pytest.raises(TableError, match="identifier 'person'") as caught:
        Table.from_frame(frame, labels, SCHEMA, on_invalid="coerce")
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(("kind", "persons"), [(pl.Int64, 2), (pl.UInt64, 2), (pl.String, 2), (pl.Categorical, 2)])
def test_parquet_keeps_whole_numbers(tmp_path, kind, persons):
    path = tmp_path / "people.parquet"
    values = pl.Series("person", [2**53, 2**53 + 1, 2**53])
    values = values.cast(pl.String).cast(kind) if kind in (pl.String, pl.Categorical) else values.cast(kind)
    pl.DataFrame({"person": values, "age": [1.0, 2.0, 3.0], "y": ["no", "yes", "no"]}).write_parquet(path)
    frame, labels = read_with_labels(path, SCHEMA, "raise")
    assert Table.from_frame(frame, labels, SCHEMA).n_persons == persons


def test_parquet_of_doubles_is_refused(tmp_path):
    path = tmp_path / "people.parquet"
    pl.DataFrame({"person": [1.0, 2.0], "age": [1.0, 2.0], "y": ["no", "yes"]}).write_parquet(path)
    frame, labels = read_with_labels(path, SCHEMA, "raise")
    with pytest.raises(TableError, match="floating-point"):
        Table.from_frame(frame, labels, SCHEMA)
