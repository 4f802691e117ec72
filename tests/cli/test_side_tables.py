"""`tacit features`, and side tables of `fit`, `predict` and `evaluate` on the command line."""

from __future__ import annotations

import json

import polars as pl
import pytest

SIDE = """\
[[column]]
name = "visits"
kind = "numeric"
low = 0
high = 20
whole = true
from = {table = "visits", take = "count"}
private = true

[[column]]
name = "last cost"
kind = "numeric"
low = 0
high = 100
missing = 0
from = {table = "visits", take = "latest", of = "cost"}
private = true

[[table]]
name = "visits"
file = "visits.csv"
key = "person"
date = "day"
as_of = "since"

[[table.column]]
name = "cost"
kind = "numeric"
low = 0
high = 100

[[table.column]]
name = "day"
kind = "numeric"
low = 2000-01-01
high = 2020-12-31
"""


@pytest.fixture
def hospital(table, schema, tmp_path):
    schema.write_text(f"{schema.read_text()}\n{SIDE}")
    rows = pl.read_csv(table, infer_schema=False).with_row_index("person")
    rows.write_csv(table)
    days = [f"20{9 + at % 11:02}-01-0{1 + at % 9}" for at in range(600)]
    visits = {"person": [at % 210 for at in range(600)], "cost": [at % 97 for at in range(600)], "day": days}
    pl.DataFrame(visits).write_csv(tmp_path / "visits.csv")
    return table, schema, tmp_path / "visits.csv"


def test_made_up_persons_show_what_features_are(hospital, run):
    table, schema, _ = hospital
    said = run("features", table, "--schema", schema, "--check")
    assert "five rows" in said.stdout
    assert "made up" in said.stderr
    told = json.loads(run("features", table, "--schema", schema, "--check", "--json").stdout)
    assert [row["visits"] for row in told["features"]] == [0, 1, 4]  # one of five is a day too late
    assert [row["person"] for row in told["features"]] == ["nobody", "one row", "five rows"]


def test_a_table_with_features_is_written(hospital, run, tmp_path):
    table, schema, visits = hospital
    out = tmp_path / "whole.parquet"
    assert "IS NOT PRIVATE" in run("features", table, "--schema", schema, "--out", out).stderr
    found = pl.read_parquet(out)
    assert found.columns == ["age", "code", "since", "visits", "last cost", "income"]
    rows = pl.read_csv(visits, try_parse_dates=True)
    since = pl.read_csv(table, try_parse_dates=True)["since"]
    counts = [rows.filter((pl.col("person") == at) & (pl.col("day") < day)).height for at, day in enumerate(since)]
    assert found["visits"].to_list() == counts
    run("features", table, "--schema", schema, "--out", out, code=1)  # there already


def test_fit_and_predict_read_side_tables(hospital, run, tmp_path):
    table, schema, visits = hospital
    model, elsewhere = tmp_path / "m.json", tmp_path / "elsewhere.csv"
    given = ("--schema", schema, "--epsilon", 1, "--learner", "naive-bayes", "--delta", 0)
    run("fit", table, *given, "--out", model)
    visits.rename(elsewhere)
    said = run("fit", table, *given, "--out", tmp_path / "n.json", code=1).stderr
    assert "visits.csv" in said
    run("fit", table, *given, "--table", f"visits={elsewhere}", "--out", tmp_path / "n.json")
    assert "Expected side table 'visits'" in run("predict", model, table, code=1).stderr
    said = run("predict", model, table, "--table", f"visits={elsewhere}", "--id", "person", "--probabilities").stdout
    assert len(said.splitlines()) == 201
    assert "visits.csv" not in model.read_text()
    assert run("verify", model).stdout
    given = ("--epsilon", 10, "--table", f"visits={elsewhere}", "--other-people")
    assert "side table" in " ".join(run("evaluate", model, table, *given).stdout.split())


@pytest.mark.parametrize("given", ["visits", "=x", "visits="])
def test_a_side_table_has_a_name_and_a_path(given, hospital, run, tmp_path):
    table, schema, _ = hospital
    said = run("fit", table, "--schema", schema, "--epsilon", 1, "--table", given, "--out", tmp_path / "m", code=1)
    assert "Expected --table NAME=PATH" in said.stderr


def test_check_or_out_is_asked_for_of_side_tables(hospital, table, schema, run, tmp_path):
    assert "Expected --check or --out" in run("features", table, "--schema", schema, code=1).stderr
    plain = tmp_path / "plain.toml"
    plain.write_text(schema.read_text().partition('[[column]]\nname = "visits"')[0])
    assert "Expected a schema with side tables" in run("features", table, "-s", plain, "--check", code=1).stderr


def test_the_check_of_a_schema_reads_side_tables(hospital, run):
    table, schema, visits = hospital
    assert "fits the schema" in run("schema", "check", schema, "--table", table).stdout
    visits.write_text("person,cost,day\n1,much,2019-01-01\n")
    assert "column 'cost'" in run("schema", "check", schema, "--table", table, code=1).stdout
