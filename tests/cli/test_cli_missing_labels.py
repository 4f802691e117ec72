"""Rows without a label on the command line: in drafts, checks, fits, accounts and comparisons."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import Label, Numeric, Schema

LABELS = ["f", "m", "NA", None] * 9
FRAME = pl.DataFrame({"age": [18 + 1.5 * at for at in range(len(LABELS))], "y": LABELS})
SCHEMA = Schema([Numeric("age", 0, 110)], label=Label("y", ["f", "m"], missing="drop", replace={"NA": ""}))


@pytest.fixture
def files(tmp_path):
    FRAME.write_csv(tmp_path / "t.csv")
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    return tmp_path / "t.csv", tmp_path / "s.toml"


def test_the_command_line_says_so(tmp_path, run):
    FRAME.write_csv(tmp_path / "t.csv")
    said = run("schema", "draft", tmp_path / "t.csv", "--label", "y", "--out", tmp_path / "s.toml")
    assert 'Left out rows without a label: missing = "drop" tells everybody which rows have one' in said.stderr
    assert "Fill them in" not in said.stderr
    schema = (tmp_path / "s.toml").read_text().replace("guessed = true", "")
    (tmp_path / "s.toml").write_text(schema)
    checked = " ".join(run("schema", "check", tmp_path / "s.toml").stdout.split())
    assert "f, m, missing left out" in checked
    assert "Rows without a label are left out: which rows have one is public" in checked
    assert '"label_missing": "drop"' in run("schema", "check", tmp_path / "s.toml", "--json").stdout
    given = ("--schema", tmp_path / "s.toml", "--epsilon", 1, "--learner", "naive-bayes", "--out", tmp_path / "m.json")
    fitted = " ".join(run("fit", tmp_path / "t.csv", *given).stdout.split())
    assert "Public: whether there is one, as rows without are left out." in fitted
    shown = " ".join(run("inspect", tmp_path / "m.json").stdout.split())
    assert "18 with a label; this number is public" in shown


def test_an_account_that_does_not_say_so_refuses_and_names_the_one_to_open(run, files, tmp_path):
    table, schema = files
    book = tmp_path / "a.ledger"
    run("ledger", "new", book, "--epsilon", 3, "--name", "rows", "--rows", "--public", "town")
    asked = ("fit", table, "--schema", schema, "--epsilon", 1, "--learner", "tree", "--out", tmp_path / "m.json")
    said = run(*asked, "--ledger", f"{book}#rows", code=1).stderr
    assert "got label 'y' with missing = 'drop'" in said and "--labeled y" in said
    for at, options in enumerate((("--labeled", "y"), ("--schema", schema), ("--public", "y"))):
        options = options if "--schema" in options else ("--rows", *options)
        opened = " ".join(run("ledger", "new", book, "--epsilon", 3, "--name", at, *options).stdout.split())
        assert ("which rows have 'y' is public" in opened) == (at < 2)
        run(*asked, "--ledger", f"{book}#{at}", "--force")
    assert "Nothing contradicts" in run("ledger", "verify", book, tmp_path / "m.json").stdout
