"""--delta of fits, plans and advice: left to the rule, said in words, and pure where the schema or the account is."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest

from tacit.cli.delta_option import delta_line
from tacit.datasets.catalog import load_schema
from tacit.ledger import Ledger
from tacit.schema import Numeric, Schema, Target

ROWS_TEXT = "one over the number of rows"


@pytest.fixture
def fitted(run, table, schema, tmp_path):
    def fit(*options, code=0):
        given = ("--schema", schema, "--epsilon", 1, "--out", tmp_path / "m.json", "--force", *options)
        return run("fit", table, *given, code=code)

    return fit


def delta_of(fitted, *options):
    return json.loads(fitted("--json", *options).stdout)["privacy"]["delta"]


def test_the_automatic_choice_has_one_and_says_which(fitted):
    assert delta_of(fitted) == 1e-5
    assert "Delta 1e-05 is" in fitted().stdout and f"times smaller than {ROWS_TEXT}" in " ".join(
        fitted().stdout.split()
    )


def test_past_studies_say_what_pure_epsilon_would_lose():
    spent = SimpleNamespace(epsilon=1.0, delta=1e-6)
    fitted_to = SimpleNamespace(of_fit=spent, counted="rows", n_rows=30_000)
    said = delta_line(fitted_to, load_schema("adult"))
    assert said.startswith("Delta 1e-06 is 33.3 times smaller than one over the number of rows, by a rule.")
    assert 0.5 < float(re.search(r"--delta 0 was about (\S+) percentage points lower", said)[1]) < 5
    few = SimpleNamespace(
        of_fit=SimpleNamespace(epsilon=1.0, delta=1e-5), counted="rows", n_rows=50
    )  # like none of them
    assert "past studies" not in delta_line(few, load_schema("adult"))


def test_of_a_number_they_say_it_of_r2():
    spent = SimpleNamespace(epsilon=1.0, delta=1e-6)
    fitted_to = SimpleNamespace(of_fit=spent, counted="rows", n_rows=30_000)
    schema = Schema([Numeric(f"x{at}", 0, 1) for at in range(10)], label=Target("y", 0, 9))
    said = delta_line(fitted_to, schema)
    assert 0.02 < float(re.search(r"R2 with --delta 0 was about (0\.\d\d) lower", said)[1]) < 0.5
    fitted_to.n_rows = 30
    assert "past studies" not in delta_line(fitted_to, schema)


def test_others_are_pure_unless_they_are_asked(fitted):
    assert [delta_of(fitted, "--learner", "tree", *more) for more in ((), ("--delta", "auto"))] == [0, 1e-5]
    assert [delta_of(fitted, "--delta", delta) for delta in ("0", "1e-7")] == [0, 1e-7]
    assert "Delta" not in fitted("--delta", "1e-7").stdout


@pytest.mark.parametrize("delta", ["x", "nan", "1", "-1", "1e-200"])
def test_what_is_none_is_refused(fitted, delta):
    assert "delta" in fitted(f"--delta={delta}", code=1).stderr


def test_a_schema_and_an_account_keep_fits_pure(fitted, run, schema, tmp_path):
    book = tmp_path / "a.ledger"
    run("ledger", "new", book, "--epsilon", 9, "--schema", schema)
    said = " ".join(fitted("--ledger", book).stdout.split())
    assert "delta 0)" in said and "pure epsilon" in said
    assert Ledger(book).balance().account.currency == "epsilon"
    schema.write_text(schema.read_text().replace("[label]", "[privacy]\ndelta = 0\n\n[label]", 1))
    assert delta_of(fitted) == 0


def test_a_plan_and_advice_have_that_of_the_rows(run, schema, tmp_path):
    book = tmp_path / "a.ledger"
    run("ledger", "new", book, "--epsilon", 3, "--delta", 1e-6, "--schema", schema)
    pure, by_rows, named = (
        json.loads(run("ledger", "plan", book, "--epsilon", 0.5, "--json", *more).stdout)["asked"]
        for more in ((), ("--rows", 200_000), ("--delta", "1e-7"))
    )
    assert by_rows == named < pure
    assert "--rows" in run("ledger", "plan", book, "--epsilon", 0.5, "--delta", "auto", code=1).stderr
    asked = ("advise", "--schema", schema, "--rows", 200_000, "--epsilon", 1, "--json")
    deltas = [json.loads(run(*asked, *more).stdout)["query"]["delta"] for more in ((), ("--delta", 0))]
    assert deltas == [1e-7, 0]
