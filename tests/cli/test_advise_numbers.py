"""`tacit advise` where the schema has a number to predict."""

from __future__ import annotations

import json

import pytest

from tacit.privacy import Budget
from tacit.schema import Categorical, Numeric, Schema, Target
from tacit.study.advice import PastStudies
from tacit.study.advice.query import usual_choice

SCHEMA = Schema(
    [*(Numeric(f"x{at}", 0, 1) for at in range(5)), Categorical("c", ["a", "b"])], label=Target("y", 0, 100)
)
ASK = ("--rows", 3000, "--epsilon", 0.5)


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "number.toml"
    path.write_text(SCHEMA.to_toml())
    return path


def words(text):
    return " ".join(text.split())


def test_it_says_what_r2_is_lost_and_what_that_means_in_errors(run, target, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = run("advise", "--schema", target, *ASK).stdout
    said = words(shown)
    assert f"tacit fit TABLE --schema {words(str(target))} --epsilon 0.5 --out MODEL" in said
    assert usual_choice(SCHEMA, Budget(0.5, 1e-5), 3000).why in said
    for part in (
        "of R2 against the best without privacy",
        "Expected RMSE: 0.",
        "of the mean's alone",
        "No row was read",
    ):
        assert part in said
    assert "public and synthetic tables" in said and "what R2 linear lost there" in said
    for part in ("accuracy", "AUC", "majority", "Prevalence", "points", "log-loss", "OUTSIDE", "…"):
        assert part not in shown


def test_as_json_it_says_the_same_for_programs(run, target):
    said = json.loads(run("advise", "--schema", target, *ASK, "--json").stdout)
    first = said["advised"]
    assert (said["leading"], said["query"]["meta_features"]["classes"]) == ("r2", 1)
    assert first["low"] <= first["loss"] <= first["high"]
    assert 0 <= first["rmse"]["low"] <= first["rmse"]["loss"] <= first["rmse"]["high"]
    assert (first["auc"], first["log_loss"]) == (None, None)
    assert {each["learner"] for each in said["forecasts"]} == {"linear", "boosted-trees"}
    assert {each["majority"] for each in said["nearest"]} == {0.0}
    assert (said["covered"], said["outside"]) == (True, [])


def test_accuracy_and_best_are_of_r2(run, target):
    given = ("--accuracy", 0.5, "--best", 0.8)
    said = words(run("advise", "--schema", target, *ASK, *given).stdout)
    needed = json.loads(run("advise", "--schema", target, *ASK, *given, "--json").stdout)["rows_needed"]
    assert f"An R2 of 0.50 at this budget takes about {needed['rows']:,} rows" in said
    unknown = words(run("advise", "--schema", target, *ASK, "--accuracy", 0.5).stdout)
    assert "other tables' numbers can be predicted; --best says" in unknown
    assert "R2" in run("advise", "--schema", target, *ASK, "--accuracy", 1.5, code=1).stderr


def test_past_studies_of_the_other_kind_are_refused(run, target, schema, tmp_path):
    paths = {}
    for kind in ("class", "number"):
        paths[kind] = tmp_path / f"{kind}.parquet"
        PastStudies.packaged(kind).write(paths[kind])
    assert run("advise", "--schema", target, *ASK, "--past", paths["number"]).stdout
    for path, kind in ((target, "class"), (schema, "number")):
        said = words(run("advise", "--schema", path, *ASK, "--past", paths[kind], code=1).stderr)
        assert "got past studies that predict" in said and "Leave them out, or make some with" in said


def test_what_was_not_tried_is_said(run, target):
    said = run("advise", "--schema", target, "--rows", 50_000_000, "--epsilon", 0.5).stdout
    assert "OUTSIDE WHAT WAS TRIED: rows = 50,000,000 is above" in said


def test_where_nothing_is_private_no_advice_is_needed(run, target):
    target.write_text(target.read_text().replace("private = true", "private = false"))
    assert "take any learner" in run("advise", "--schema", target, *ASK, code=1).stderr
