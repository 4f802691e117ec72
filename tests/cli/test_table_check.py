"""`tacit schema check --table`: what a fit would refuse, told column by column before anything is paid."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tacit.cli.app import app

GOOD = "age,code,since,income\n3,01,2001-01-01,low\n40,1,2002-01-01,high\n"


@pytest.fixture
def checked(table, schema):
    def check(content, *options, code=0):
        table.write_text(content)
        result = CliRunner().invoke(app, ["schema", "check", str(schema), "--table", str(table), *options])
        assert result.exit_code == code, result.output
        return result

    return check


def test_a_table_that_fits(checked):
    found = checked(GOOD)
    assert "Every row of the table fits the schema." in found.stdout
    assert "IS NOT PRIVATE" in found.stderr
    assert json.loads(checked(GOOD, "--json").stdout)["table_faults"] == []


SECRETS = "sekrit", "98765", "1066-01-01"


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("age,code,since,income\n3,sekrit,2001-01-01,low\n", ["code"]),
        ("age,code,since,income\n3,01,sekrit,low\n", ["since"]),
        ("age,code,since,income\n3,01,2001-01-01,sekrit\n", ["income"]),
        ("age,code,since,income\nsekrit,,sekrit,98765\n3,98765,2001-01-01,low\n", ["age", "code", "since", "income"]),
        ("age,code,income\n3,01,low\n", ["since"]),
        ("code,income\n01,low\n98765,low\n", ["age", "code", "since"]),
    ],
    ids=["a category", "a date", "a label", "all", "no such column", "no columns and a category"],
)
def test_each_column_is_told_and_no_cell(checked, run, schema, table, tmp_path, content, columns):
    found = checked(content, code=1)
    faults = json.loads(checked(content, "--json", code=1).stdout)["table_faults"]
    assert [
        name for name in ("age", "code", "since", "income") if any(repr(name) in each for each in faults)
    ] == columns
    assert len(faults) == len(columns)
    assert all(each in found.stdout for each in faults)
    assert not any(secret in found.output for secret in SECRETS)
    assert all(each.startswith("Expected ") and "on_invalid" not in each for each in faults)
    # A fit refuses it as well, with the first of them.
    refused = run("fit", table, "-s", schema, "-e", 1, "--learner", "tree", "-o", tmp_path / "m.json", code=1).stderr
    assert any(each in refused for each in faults)


@pytest.mark.parametrize("content", ["age,code,since,income\n", ""])
def test_no_row_is_a_fault(checked, content):
    assert json.loads(checked(content, "--json", code=1).stdout)["table_faults"]
