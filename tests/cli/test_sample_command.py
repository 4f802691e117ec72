"""`tacit sample`: a file that `tacit fit` reads, labels by a model, and what is refused before anything is written."""

from __future__ import annotations

import polars as pl

from tacit.schema import Numeric, Schema, Target


def test_a_made_up_table_can_be_fitted_and_labeled_by_the_model(run, schema, tmp_path):
    rows, model, again = tmp_path / "rows.csv", tmp_path / "model.json", tmp_path / "again.parquet"
    said = run("sample", schema, "-n", 1000, "--out", rows).stderr
    assert "1,000 rows are made up from the schema alone" in said and "'made_up'" in said and "epsilon 0" in said
    assert pl.read_csv(rows)["made_up"].all()
    run("fit", rows, "--schema", schema, "--epsilon", 1, "--out", model)
    said = run("sample", schema, "-n", 50, "--model", model, "--out", again, "--seed", 3).stderr
    assert "the schema and the model" in said
    assert len(pl.read_parquet(again)) == 50
    run("predict", model, again)


def test_rows_go_to_stdout_without_out(run, schema):
    shown = run("sample", schema, "-n", 3, "--quiet")
    assert shown.stdout.splitlines()[0] == "age,code,since,income,made_up" and len(shown.stdout.splitlines()) == 4
    assert shown.stderr == ""
    assert run("sample", schema, "-n", 3).stdout == shown.stdout


def test_a_number_to_predict(run, tmp_path):
    schema, rows, model = tmp_path / "number.toml", tmp_path / "rows.csv", tmp_path / "model.json"
    schema.write_text(Schema([Numeric("x", 0, 1)], label=Target("y", 0, 50, whole=True)).to_toml())
    run("sample", schema, "-n", 500, "--out", rows)
    run("fit", rows, "--schema", schema, "--epsilon", 2, "--out", model)
    numbers = [int(line.split(",")[1]) for line in run("sample", schema, "-n", 20, "--model", model).stdout.split()[1:]]
    assert len(numbers) == 20 and all(0 <= number <= 50 for number in numbers)


def test_a_draft_is_refused_and_nothing_is_written(run, table, tmp_path):
    draft, rows = tmp_path / "draft.toml", tmp_path / "rows.csv"
    run("schema", "draft", table, "--label", "income", "--out", draft)
    said = run("sample", draft, "-n", 5, "--out", rows, code=1).stderr
    assert "without guesses" in said and not rows.exists()
