"""Open bounds: an entry may be written, kept and reviewed without them, and nothing is spent on it."""

from __future__ import annotations

import numpy as np
import pytest

from tacit import Categorical, Label, NaiveBayesClassifier, Numeric, Schema
from tacit.errors import SchemaError
from tacit.ledger import UNIT, Account, Ledger
from tacit.privacy import Budget
from tacit.schema import Kinds
from tacit.schema.decisions import accepted, left_out, with_entry
from tacit.schema.drafted import entries_of, n_undecided

OPEN = [Numeric("age"), Numeric("since", dates="%Y-%m-%d"), Numeric("n", whole=True, missing="indicator", decimal=",")]
SCHEMA = Schema([*OPEN, Categorical("sex", ["f", "m"])], label=Label("y", ["no", "yes"]))


def test_a_file_keeps_them_open():
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA
    assert "low" not in SCHEMA.to_toml()
    assert SCHEMA.open == ("age", "since", "n")
    assert [column.is_date for column in OPEN] == [False, True, False]
    assert dict(Kinds.of_schema(SCHEMA).columns) == {
        "age": "number", "since": "date", "n": "number", "sex": "category", "y": "category"
    }  # fmt: skip


@pytest.mark.parametrize(
    "more", [{"low": 3}, {"high": 3}, {"center": 3}, {"missing": 3}, {"cuts": [3]}, {"low": "2020-01-01"}]
)
def test_what_needs_bounds_is_refused_without(more):
    with pytest.raises(SchemaError, match="Expected low and high"):
        Numeric("age", **more)


@pytest.mark.parametrize("part", ["lower", "upper", "middle"])
def test_what_reads_a_bound_names_the_column_and_what_to_do(part):
    with pytest.raises(SchemaError, match=r"low and high of 'age', got open bounds.*tacit schema learn"):
        getattr(OPEN[0], part)


def test_a_fit_refuses_them_before_anything_is_spent(tmp_path):
    ledger = Ledger(tmp_path / "l.sqlite")
    ledger.open(Account.of("people", Budget(1.0)))
    schema = Schema([OPEN[0]], label=SCHEMA.label)
    for where in (tmp_path / "l.sqlite", None):
        with pytest.raises(SchemaError, match="of 'age', got open bounds"):
            NaiveBayesClassifier(schema, epsilon=0.5, ledger=where).fit(np.ones((9, 1)), ["no", "yes", "no"] * 3)
    assert ledger.balance().left == UNIT


def test_a_review_asks_for_them_and_takes_no_acceptance_for_an_answer():
    assert [entry.name for entry in entries_of(SCHEMA) if entry.guessed] == ["age", "since", "n"]
    assert n_undecided(SCHEMA) == 3
    with pytest.raises(SchemaError, match="of 'age', 'n', got open bounds"):
        accepted(SCHEMA, ["age", "sex", "n"])
    decided = with_entry(left_out(SCHEMA, ["since", "n"]), Numeric("age", 0, 110))
    assert (decided.open, n_undecided(decided)) == ((), 0)


def test_a_check_lists_them(tmp_path):
    from typer.testing import CliRunner

    from tacit.cli.app import app

    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    said = CliRunner().invoke(app, ["schema", "check", str(tmp_path / "s.toml")])
    assert said.exit_code == 0
    assert "Expected low and high of 'age', 'since', 'n', got open bounds" in said.stdout
    assert "Ready" not in said.stdout


def test_they_are_shown_as_they_are_written():
    column = Numeric("age", whole=True, missing="indicator")
    assert repr(column) == "Numeric('age', whole=True, missing='indicator')"
    assert eval(repr(column), {"Numeric": Numeric}) == column
