"""A target whose bounds were learned from rows: by kinds, by open bounds, and what fits under it cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import (
    Identifier,
    Kinds,
    LinearRegressor,
    NaiveBayesClassifier,
    Numeric,
    Schema,
    Target,
    learn_bounds,
    learn_schema,
)
from tacit.cli.app import app
from tacit.errors import ParameterError, SchemaError
from tacit.models.released_schema import schema_guarantee
from tacit.verify.standalone import verify as program

EXACT = {"epsilon": 40.0, "random_state": 0}
"""So much that bounds are where rows are."""
AT = np.arange(3_000)
ROWS = pl.DataFrame({"age": 18 + AT % 72, "cost": 130.0 + AT % 800, "who": AT // 2})
KINDS = Kinds({"age": "number", "cost": "number", "who": "ignored"})
OPEN = Schema([Numeric("age", 0, 120)], label=Target("cost", whole=True), ignored={"who": "a name"})


def test_kinds_with_a_number_as_the_label_give_a_target_with_bounds_and_center():
    schema = learn_schema(ROWS, KINDS, label="cost", delta=1e-6, **EXACT)
    assert schema.target is not None
    assert 100 <= schema.target.lower <= 130
    assert 929 <= schema.target.upper <= 1_000
    assert schema.target.center == pytest.approx(505, abs=10)  # 375 numbers of four rows each are below
    assert schema.target.missing is None
    assert schema.learned.entries == ("age", "cost")
    assert Schema.from_toml(schema.to_toml()) == schema


def test_open_bounds_of_a_target_are_learned_as_those_of_a_column():
    schema = learn_bounds(ROWS, OPEN, **EXACT)
    twin = learn_bounds(ROWS, Schema([Numeric("cost", whole=True)], label=Target("age", 0, 120)), **EXACT)
    assert (schema.target.low, schema.target.high, schema.target.center) == (
        twin.column("cost").low,
        twin.column("cost").high,
        twin.column("cost").center,
    )
    assert isinstance(schema.target.low, int)
    assert schema.learned.entries == ("cost",)
    assert schema.open == ()
    assert schema.column("age") == OPEN.column("age")


def test_rows_without_a_number_stretch_no_bounds_and_get_none():
    rows = ROWS.with_columns(cost=pl.when(pl.col("age") < 40).then(-99).otherwise(pl.col("cost")))
    missing = replace(OPEN, label=Target("cost", missing="drop", missing_codes=[-99]))
    target = learn_bounds(rows, missing, **EXACT).target
    assert target.lower >= 100
    assert target.missing == "drop"
    persons = replace(missing, ignored=(), identifier=Identifier("who"))
    assert learn_bounds(rows, persons, **EXACT).target.lower >= 100
    named = replace(missing, ignored=(), identifier=Identifier("cost_"))
    assert learn_bounds(rows.rename({"who": "cost_"}), named, **EXACT).target.lower >= 100


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_fits_add_what_the_bounds_cost_and_both_programs_accept_them(tmp_path, delta):
    schema = learn_bounds(ROWS, OPEN, epsilon=0.5)
    if schema.open:
        pytest.fail("counts of 3,000 rows show bounds at epsilon 0.5")
    model = LinearRegressor(schema, epsilon=1.0, delta=delta).fit(ROWS, ROWS["cost"])
    assert model.privacy_.epsilon == pytest.approx(1.5)
    assert model.privacy_.learned is not None
    assert schema_guarantee(schema).epsilon == pytest.approx(0.5)
    model.save(tmp_path / "model.json")
    assert CliRunner().invoke(app, ["verify", str(tmp_path / "model.json")]).exit_code == 0
    assert program.main([str(tmp_path / "model.json")]) == 0


def test_nothing_is_fitted_while_bounds_are_open_and_too_little_budget_says_so():
    with pytest.raises(SchemaError, match="low and high of 'cost'"):
        LinearRegressor(OPEN, epsilon=1.0).fit(ROWS, ROWS["cost"])
    assert learn_bounds(ROWS[:60], OPEN, epsilon=0.01).open == ("cost",)
    with pytest.raises(SchemaError, match="Raise epsilon"):
        learn_schema(ROWS[:100], KINDS, label="cost", epsilon=0.01, delta=1e-6)


def test_the_command_line_learns_a_target(tmp_path):
    rows, kinds, out = tmp_path / "rows.csv", tmp_path / "kinds.toml", tmp_path / "schema.toml"
    ROWS.write_csv(rows)
    kinds.write_text(KINDS.to_toml(), encoding="utf-8")
    given = ["--kinds", kinds, "--label", "cost", "--epsilon", 20, "--delta", 1e-6, "--out", out]
    result = CliRunner().invoke(app, ["schema", "learn", *map(str, [rows, *given])])
    assert result.exit_code == 0, result.output
    assert "the target 'cost'" in result.output
    assert Schema.from_toml(out).target is not None
    ROWS.write_parquet(tmp_path / "rows.parquet")
    given = ["--label", "cost", "--epsilon", 20, "--delta", 1e-6, "--out", tmp_path / "other.toml"]
    result = CliRunner().invoke(app, ["schema", "learn", *map(str, [tmp_path / "rows.parquet", *given])])
    assert result.exit_code == 1
    assert "number is a number to predict" in " ".join(result.output.split())
    assert not (tmp_path / "other.toml").exists()


@pytest.mark.parametrize("label", ["cost", "sex"])
def test_no_confidence_is_promised_where_held_out_rows_made_the_schema(label):
    """Their bounds follow from the held-out rows: coverage on average is proved, not that of a single fit."""
    rows = ROWS.with_columns(sex=pl.Series(["f", "m"] * 1_500))
    kinds = Kinds({"age": "number", "cost": "number", "sex": "category", "who": "ignored"})
    schema = learn_schema(rows, kinds, label=label, delta=1e-6, **EXACT)
    fit = (LinearRegressor if label == "cost" else NaiveBayesClassifier)(schema, epsilon=4.0, holdout=0.3)
    model = fit.fit(rows.drop(label), rows[label]).model_
    ask = model.predict_interval if label == "cost" else model.predict_set
    assert len(ask(rows, 0.9)) == 3_000
    with pytest.raises(ParameterError, match="learned from rows, got confidence="):
        ask(rows, 0.9, confidence=0.95)
