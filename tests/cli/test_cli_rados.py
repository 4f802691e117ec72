"""`tacit rados make` and `fit`, as a command of their own."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from tacit.cli.failures import OneLineErrors
from tacit.cli.rados import rados_app

app = typer.Typer(cls=OneLineErrors)
app.add_typer(rados_app, name="rados")


@app.callback()
def start() -> None:
    """Keep the group."""


def rados(*arguments, code=0):
    result = CliRunner().invoke(app, ["rados", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_from_a_table_to_rados_to_a_model(table, schema, tmp_path):
    made, model = tmp_path / "r.parquet", tmp_path / "m.json"
    said = rados("make", table, "--schema", schema, "--epsilon", 2, "--count", 50, "--out", made)
    assert "CERTIFICATE OF DIFFERENTIAL PRIVACY" in said
    told = json.loads(rados("fit", made, "--out", model, "--rounds", 50, "--json"))
    assert told["status"] == "private"
    assert model.exists()


@pytest.mark.parametrize("protection", ["none", "marginal"])
def test_what_is_not_private_needs_a_word_twice(protection, table, schema, tmp_path):
    made, model = tmp_path / "r.parquet", tmp_path / "m.json"
    asked = ["make", table, "--schema", schema, "--protection", protection, "--count", 20, "--out", made]
    asked += ["--epsilon", 2, "--protected-column", "age"] if protection == "marginal" else []
    assert f"--allow {protection}" in rados(*asked, code=1)
    assert not made.exists()
    rados(*asked, "--allow", protection)
    assert f"--allow {protection}" in rados("fit", made, "--out", model, "--rounds", 5, code=1)
    assert not model.exists()
    rados("fit", made, "--out", model, "--rounds", 5, "--allow", protection)
    assert model.exists()


def test_what_is_refused(table, schema, tmp_path):
    out = tmp_path / "r.parquet"
    assert "protection='none'" in rados("make", table, "--schema", schema, "--out", out, code=1)
    seeded = rados("make", table, "--schema", schema, "--epsilon", 1, "--seed", 1, "--out", out, code=1)
    assert "--allow simulated" in seeded
    assert "rados of this package" in rados("fit", table, "--out", tmp_path / "m.json", code=1)
    assert "make" in rados()
