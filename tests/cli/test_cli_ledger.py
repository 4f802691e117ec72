"""`tacit ledger`, and what other commands charge: in words, as JSON, and with an exit code."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing

import pytest

from tacit.ledger import UNIT, Ledger


@pytest.fixture
def book(tmp_path, run, schema):
    path = tmp_path / "hospital.ledger"
    run("ledger", "new", path, "--epsilon", 3, "--name", "admissions 2026", "--schema", schema)
    return path


@pytest.fixture
def fitted(run, table, schema, book, tmp_path):
    def fit(name="model.json", *options, epsilon=0.5, code=0):
        asked = ("--schema", schema, "--epsilon", epsilon, "--learner", "tree", "--ledger", book, *options)
        return run("fit", table, *asked, "--out", tmp_path / name, code=code)

    return fit


def test_new_says_what_is_fixed(run, tmp_path, schema):
    said = run("ledger", "new", tmp_path / "a.ledger", "--epsilon", 3, "--delta", 1e-6, "--schema", schema).stdout
    assert "a: epsilon 3, delta 1e-06, as rho 0.185" in said
    assert "protects one row; public: 'since'" in said
    assert "left 0.185" in said
    assert f"Next: tacit fit TABLE --schema {schema} --epsilon E --ledger {tmp_path / 'a.ledger'} --out" in said
    said = run("ledger", "new", tmp_path / "a.ledger", "--epsilon", 1, "--name", "b", "--identifier", "person").stdout
    assert "b: epsilon 1, opened" in said
    assert f"--schema SCHEMA --epsilon E --ledger '{tmp_path / 'a.ledger'}#b' --out MODEL" in " ".join(said.split())
    assert "protects all rows of one 'person'; public: nothing" in said
    named = ("--identifier", "number", "--identifier", "household")
    said = run("ledger", "new", tmp_path / "a.ledger", "--epsilon", 1, "--name", "c", *named).stdout
    assert "all rows of one person, as 'household' and 'number' together name them" in " ".join(said.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--epsilon", "-1"), "Expected a number from 1e-09"), (("--epsilon", "nan"), "Expected a number from 1e-09"),
        (("--epsilon", "5e-324"), "Expected a number"), (("--epsilon", "1e300"), "Expected a number"),
        (("--epsilon", "1", "--name", "a#b"), "without '#'"), (("--epsilon", "1", "--delta", "2"), "got delta=2"),
        ((), "got neither --schema, --identifier nor --rows"), (("--public", "since"), "got neither --schema"),
        (("--rows", "--identifier", "person"), "Expected --rows or --identifier, got both"),
        (("--rows", "--schema", "no.toml"), "Expected --schema, or --rows"),
    ],
)  # fmt: skip
def test_new_refuses_what_is_no_account(run, tmp_path, options, said):
    whose = () if {"--rows", "--schema", "--public"} & {*options} or not options else ("--rows",)
    asked = options if "--epsilon" in options else ("--epsilon", 1, *options)
    assert said in run("ledger", "new", tmp_path / "a.ledger", *asked, *whose, code=1).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_fit_is_charged_planned_shown_and_verified(run, book, fitted, tmp_path):
    said = fitted().stdout
    assert "Charged to account 'admissions 2026', charge 1 of the ledger: spent epsilon 0.5 of 3; left 2.5." in said
    planned = run("ledger", "plan", book, "--epsilon", 0.5, "--fits", 4).stdout
    assert "asked epsilon 2 (4 fits of epsilon 0.5); spent 0.5; left 2.5" in planned
    assert "would leave 0.5: room for 1 more such fits" in planned
    refused = run("ledger", "plan", book, "--epsilon", 0.5, "--fits", 6, "--json", code=1)
    assert json.loads(refused.stdout) == {
        "account": "admissions 2026", "currency": "epsilon", "asked": 3.0, "spent": 0.5, "left": 2.5,
        "would_leave": -0.5, "admitted": 5, "fits": False,
    }  # fmt: skip
    shown = run("ledger", "show", book, "--html", tmp_path / "spent.html").stdout
    assert "charged: tree" in shown
    page = (tmp_path / "spent.html").read_text()
    assert "Spent of hospital.ledger" in page
    assert '"y":[0.0,0.16666666666666666]' in page
    assert "Nothing contradicts itself" in run("ledger", "verify", book, tmp_path / "model.json").stdout
    inspected = run("inspect", tmp_path / "model.json").stdout
    assert "Charged: account 'admissions 2026' of ledger" in inspected


@pytest.fixture
def run(run):
    """Commands whose exit code 1 is a finding leave nothing on stderr."""
    from typer.testing import CliRunner

    from tacit.cli.app import app

    def invoke(*arguments, code=0):
        if code and arguments[:2] in (("ledger", "plan"), ("ledger", "verify")):
            result = CliRunner().invoke(app, [str(each) for each in arguments])
            assert result.exit_code == code, result.output
            return result
        return run(*arguments, code=code)

    return invoke


def test_a_refusal_is_one_line_and_spends_nothing(fitted, book, tmp_path):
    said = fitted(epsilon=5, code=1).stderr
    assert "got asked epsilon 5, spent 0, left 3. A fit of epsilon 3 would fit." in said
    assert not (tmp_path / "model.json").exists()
    assert "random_state=None with a ledger" in fitted("m.json", "--seed", 1, "--allow", "simulated", code=1).stderr
    assert Ledger(book).balance().spent == 0


def test_a_header_without_the_columns_is_refused_before_rows(fitted, book, table):
    table.write_text("age,code,income\n3,01,low\n")
    assert "Expected a column named 'since'" in fitted(code=1).stderr
    assert [line.kind for line in Ledger(book).lines()][2:] == ["reserve", "give-back"]
    table.write_text("age,code,since,income\n3,99,2001-01-01,low\n")
    fitted(code=1)
    assert Ledger(book).balance().spent == UNIT // 2


def test_the_environment_names_the_ledger(run, table, schema, book, tmp_path, monkeypatch):
    monkeypatch.setenv("TACIT_LEDGER", f"{book}#admissions 2026")
    asked = (
        "fit",
        table,
        "--schema",
        schema,
        "--epsilon",
        0.5,
        "--learner",
        "tree",
        "--out",
        tmp_path / "m.json",
        "--force",
    )
    assert "Charged to account" in run(*asked).stdout
    run(*asked, "--ledger", "none")
    assert Ledger(book).balance().spent == UNIT // 2


def test_what_verify_finds_is_said_with_exit_code_1(run, book, fitted, tmp_path):
    fitted()
    fitted("later.json")
    with closing(sqlite3.connect(book)) as connection, connection:
        connection.execute("DELETE FROM lines WHERE number > 3")
        connection.execute("UPDATE head SET number = 3, hash = (SELECT hash FROM lines WHERE number = 3)")
    models = tmp_path / "model.json", tmp_path / "later.json"
    assert "later.json: the ledger lacks charge 2" in run("ledger", "verify", book, *models, code=1).stdout
    found = json.loads(run("ledger", "verify", f"{book}#other", "--json", code=1).stdout)["found"]
    assert found == ["The ledger contradicts itself: it has no account 'other'."]
    assert "Expected" in run("ledger", "verify", models[0], code=1).stderr


def test_backup_and_restore(run, book, fitted, tmp_path):
    fitted()
    run("ledger", "backup", book, tmp_path / "copy")
    fitted("later.json")
    models = tmp_path / "model.json", tmp_path / "later.json"
    said = run("ledger", "restore", tmp_path / "copy", tmp_path / "again.ledger", *models, code=1).stderr
    assert "lacks some. later.json: the ledger lacks charge 2" in said
    unsure = run("ledger", "restore", tmp_path / "copy", tmp_path / "again.ledger")
    assert "without models, whether charges after the backup are missing cannot be seen" in unsure.stderr
    assert "restored from a copy" in run("ledger", "show", tmp_path / "again.ledger").stdout


def test_export_as_csv_and_json(run, book, fitted, tmp_path):
    fitted()
    lines = list(csv.DictReader(io.StringIO(run("ledger", "export", book).stdout)))
    assert [(each["kind"], each["amount"]) for each in lines] == [
        ("account", "0.0"),
        ("reserve", "0.5"),
        ("commit", "0.0"),
    ]
    run("ledger", "export", book, "--format", "json", "--out", tmp_path / "lines.json")
    document = json.loads((tmp_path / "lines.json").read_text())
    assert document["accounts"][0]["left"] == 2.5
    assert document["accounts"][0]["unit"]["public"] == ["since"]
    assert len(document["lines"]) == 3
    run("ledger", "new", book, "--epsilon", 1, "--name", "=1+1", "--rows", "--quiet")
    assert ",'=1+1," in run("ledger", "export", f"{book}#=1+1").stdout


def test_rados_are_charged(run, table, schema, book, tmp_path):
    asked = ("rados", "make", table, "--schema", schema, "--ledger", book, "--out", tmp_path / "r.parquet", "--force")
    run(*asked, "--epsilon", 0.5, "--count", 20)
    assert [line.detail for line in Ledger(book).lines() if line.kind == "reserve"] == ["rados"]
    assert "Nothing contradicts itself" in run("ledger", "verify", book, tmp_path / "r.parquet").stdout
    assert "promises nothing" in run(*asked, "--protection", "none", "--allow", "none", code=1).stderr
    assert Ledger(book).balance().spent == UNIT // 2


def test_comparisons_of_private_rows_ask_for_the_ledger_that_notes_them(
    run, table, schema, book, tmp_path, monkeypatch
):
    monkeypatch.delenv("TACIT_LEDGER")
    asked = ("compare", table, "--schema", schema, "--epsilons", "1", "--learners", "tree", "--repeats", "1")
    asked += ("--workers", "1", "--out", tmp_path / "study")
    assert "Expected --ledger with private rows" in run(*asked, code=1).stderr
    assert not (tmp_path / "study").exists()
    run(*asked, "--ledger", book)
    assert [line.kind for line in Ledger(book).lines()] == ["ledger", "account", "uncovered"]
    assert Ledger(book).balance().spent == 0
    assert "not covered by any charge: study" in run("ledger", "show", book).stdout
    run(*asked, "--ledger", "none")


# What becomes of a charge


STAYS = "Charge 1 of account 'admissions 2026' stays: epsilon 0.5 is spent."


def test_a_refused_cell_says_that_the_charge_stays_and_what_finds_it_before(fitted, table, schema):
    table.write_text("age,code,since,income\n3,01,2001-01-01,low\n3,99,2001-01-01,low\n")
    said = fitted(code=1).stderr
    assert "one that is not listed" in said and STAYS in said
    assert f"`tacit schema check {schema} --table {table}` finds such cells before anything is charged." in said
    table.write_text("age,code,income\n3,01,low\n")
    said = fitted(code=1).stderr
    assert said.endswith("Nothing was charged.\n") and "schema check" not in said


def test_rados_of_a_refused_cell_say_the_same(run, table, schema, book, tmp_path):
    table.write_text("age,code,since,income\n3,01,2001-01-01,low\n3,99,2001-01-01,low\n")
    asked = ("--schema", schema, "--ledger", book, "--out", tmp_path / "r.parquet", "--epsilon", 0.5, "--count", 20)
    said = run("rados", "make", table, *asked, code=1).stderr
    assert STAYS in said and "tacit schema check" in said


@pytest.mark.parametrize("command", ["fit", "rados"])
def test_a_result_that_cannot_be_written_was_paid_for(run, table, schema, book, tmp_path, monkeypatch, command):
    from tacit import saving

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saving, "_settle", full)
    asked = ("--schema", schema, "--ledger", book, "--out", tmp_path / "out", "--epsilon", 0.5)
    names = {"fit": ("fit", table, "--learner", "tree"), "rados": ("rados", "make", table, "--count", 20)}
    said = run(*names[command], *asked, code=1).stderr
    assert f"Expected room on the disk to write '{tmp_path / 'out'}'" in said and STAYS in said


def test_an_error_of_others_says_that_the_charge_stays_and_nothing_else(fitted, monkeypatch):
    from tacit.estimators.base import PrivateFit

    def stopped(*_):
        error = ZeroDivisionError("cell 47")
        error.add_note("cell 48")
        raise error

    monkeypatch.setattr(PrivateFit, "fit_table", stopped)
    said = fitted(code=1).stderr
    assert "ZeroDivisionError" in said and STAYS in said and "cell 4" not in said
