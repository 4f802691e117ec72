"""A small private table with its schema, and a way to run the command line."""

from __future__ import annotations

import random

import pytest
from typer.testing import CliRunner

from tacit.cli.app import app
from tacit.estimators import forget_fits

SCHEMA = """\
format = 1

[label]
name = "income"
classes = ["high", "low"]
private = true

[[column]]
name = "age"
kind = "numeric"
low = 0
high = 100
private = true

[[column]]
name = "code"
kind = "categorical"
categories = ["01", "1", "2"]
private = true

[[column]]
name = "since"
kind = "numeric"
low = 2000-01-01
high = 2020-12-31
private = false
"""


def row(generator: random.Random) -> str:
    age = generator.randrange(0, 100)
    income = "high" if age > 50 else "low"
    return f"{age},{generator.choice(['01', '1', '2'])},20{generator.randrange(10, 20)}-05-17,{income},whatever"


@pytest.fixture
def table(tmp_path):
    generator = random.Random(5)
    path = tmp_path / "people.csv"
    path.write_text("age,code,since,income,remark\n" + "".join(row(generator) + "\n" for _ in range(200)))
    return path


@pytest.fixture
def schema(tmp_path):
    path = tmp_path / "schema.toml"
    path.write_text(SCHEMA)
    return path


@pytest.fixture(autouse=True)
def _without_a_ledger(monkeypatch):
    """Comparisons of private rows ask for a ledger; these rows are nobody's."""
    monkeypatch.setenv("TACIT_LEDGER", "none")


@pytest.fixture
def run():
    forget_fits()  # a command is a process of its own: another test's fits are none of its

    def invoke(*arguments, code=0):
        result = CliRunner().invoke(app, [str(each) for each in arguments])
        assert result.exit_code == code, result.output
        if code:
            assert len(result.stderr.strip().splitlines()) == 1, result.stderr
        assert "Traceback" not in result.output
        return result

    return invoke


@pytest.fixture
def model(table, schema, tmp_path, run):
    path = tmp_path / "model.json"
    run("fit", table, "--schema", schema, "--epsilon", 1, "--learner", "brc", "--out", path)
    return path
