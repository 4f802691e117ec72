"""`tacit advise`: what it says, to whom, and how it refuses."""

from __future__ import annotations

import json

import pytest

from tacit.estimators.auto import choose
from tacit.privacy import Budget
from tacit.schema import Schema
from tacit.study.advice import PastStudies

ASK = ("--rows", 3000, "--epsilon", 0.5)


def test_it_names_a_command_a_loss_and_the_nearest_experiments(run, schema):
    said = run("advise", "--schema", schema, *ASK).stdout
    assert f"tacit fit TABLE --schema {schema} --epsilon 0.5 --out MODEL" in said
    for delta in ("0", "1e-06"):  # another than that of so many rows is named
        asked = run("advise", "--schema", schema, *ASK, "--delta", delta).stdout
        assert f"--epsilon 0.5 --delta {delta} --out MODEL" in asked
    for words in (
        "Expected loss:",
        "in 4 of 5 cases",
        "public tables",
        "No row was read",
        "covered by the certificate",
    ):
        assert words in said
    assert "OUTSIDE" not in said


def test_a_delta_is_part_of_the_command(run, schema):
    assert (
        "--epsilon 0.5 --delta 1e-06 --out"
        in run("advise", "-s", schema, "-n", 3000, "-e", 0.5, "--delta", 1e-6).stdout
    )


@pytest.mark.parametrize(("epsilon", "delta"), [(0.001, 1e-5), (0.5, 0.0), (0.5, 1e-5), (5.0, 1e-5)])
def test_it_advises_what_a_fit_takes_by_itself(run, schema, epsilon, delta):
    choice = choose(Schema.from_toml(schema), Budget(epsilon, delta), 3000)
    ask = ("--rows", 3000, "--epsilon", epsilon, "--delta", delta)
    said = run("advise", "--schema", schema, *ask).stdout
    assert f"Take {choice.learner}, with its defaults" in said
    assert choice.why in " ".join(said.split())
    document = json.loads(run("advise", "--schema", schema, *ask, "--json").stdout)
    assert (document["advised"]["learner"], document["why"]) == (choice.learner, choice.why)


def test_other_measures_than_accuracy_have_intervals(run, schema):
    first = json.loads(run("advise", "--schema", schema, *ASK, "--json").stdout)["advised"]
    for measure in ("auc", "log_loss", "balanced_accuracy", "brier"):
        assert first[measure]["low"] <= first[measure]["loss"] <= first[measure]["high"]
    said = run("advise", "--schema", schema, *ASK).stdout
    assert "points of AUC" in said
    assert "nats of log-loss" in said and "points of balanced accuracy" in said
    assert "points of the Brier score" in said


def test_a_declared_rare_class_makes_auc_lead(run, schema):
    plain = run("advise", "--schema", schema, *ASK).stdout
    assert "AUC leads" not in plain and "accuracy lost" in plain
    text = schema.read_text().replace('classes = ["high", "low"]', 'classes = ["high", "low"]\nprevalence = [0.1, 0.9]')
    schema.write_text(text)
    said = run("advise", "--schema", schema, *ASK).stdout
    assert "AUC leads: by the declared prevalence, always predicting one class is right for 90 %" in said
    assert said.index("points of AUC against") < said.index("points of accuracy")
    assert said.count("AUC lost") == 2 and "accuracy lost" not in said
    losses = [line.split()[1] for line in said.split("AUC lost", 1)[1].splitlines()[1:9]]
    assert losses == sorted(losses, key=float)
    assert json.loads(run("advise", "--schema", schema, *ASK, "--json").stdout)["leading"] == "auc"


def test_nothing_is_cut_at_80_columns(run, schema, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert "…" not in run("advise", "--schema", schema, *ASK).stdout


def test_it_says_how_many_rows_an_accuracy_needs(run, schema):
    said = run("advise", "--schema", schema, *ASK, "--accuracy", 0.8, "--best", 0.9).stdout
    needed = json.loads(run("advise", "--schema", schema, *ASK, "--accuracy", 0.8, "--best", 0.9, "--json").stdout)
    assert f"An accuracy of 80.0% at this budget takes about {needed['rows_needed']['rows']:,} rows" in said
    assert "--best says" not in said
    assert "--best says" in run("advise", "--schema", schema, *ASK, "--accuracy", 0.8).stdout
    assert "--accuracy" in run("advise", "--schema", schema, *ASK, "--best", 0.8, code=1).stderr
    assert json.loads(run("advise", "--schema", schema, *ASK, "--json").stdout)["rows_needed"] is None


def test_as_json_it_says_the_same_for_programs(run, schema):
    said = json.loads(run("advise", "--schema", schema, *ASK, "--json").stdout)
    first = said["forecasts"][0]
    assert first["low"] <= first["loss"] <= first["high"]
    assert [each["loss"] for each in said["forecasts"]] == sorted(each["loss"] for each in said["forecasts"])
    assert said["query"]["meta_features"]["protected_columns"] == 3
    assert (said["covered"], said["outside"], said["guessed"]) == (True, [], [])
    assert {each["epsilon"] for each in said["budgets"]} > {0.01, 0.5, 10.0}
    assert {each["delta"] for each in said["budgets"]} == {0.0, 1e-5}
    assert said["nearest"][0]["weight"] >= said["nearest"][1]["weight"]


def test_what_was_not_tried_is_said(run, schema):
    said = run("advise", "--schema", schema, "--rows", 50_000_000, "--epsilon", 0.5).stdout
    assert "OUTSIDE WHAT WAS TRIED: rows = 50,000,000 is above" in said
    assert "not tried" in said
    document = json.loads(run("advise", "--schema", schema, "--rows", 50_000_000, "--epsilon", 0.5, "--json").stdout)
    assert document["outside"][0]["quantity"] == "rows"
    assert document["covered"] is False


def test_guesses_are_a_warning(run, schema):
    schema.write_text(schema.read_text().replace('name = "age"', 'name = "age"\nguessed = true'))
    result = run("advise", "--schema", schema, *ASK)
    assert "'age'" in result.stderr
    assert "guessed = true" in result.stderr
    assert "Take" in result.stdout
    assert json.loads(run("advise", "--schema", schema, *ASK, "--json").stdout)["guessed"] == ["age"]
    assert run("advise", "--schema", schema, *ASK, "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"--rows": 0}, "rows"),
        ({"--rows": -1}, "rows"),
        ({"--epsilon": 0}, "epsilon"),
        ({"--epsilon": -2}, "epsilon"),
        ({"--epsilon": "inf"}, "epsilon"),
        ({"--epsilon": 1e9}, "epsilon"),
        ({"--delta": 0.01}, "delta"),
        ({"--accuracy": 1.5}, "accuracy"),
        ({"--accuracy": 0.9, "--best": 0.8}, "without privacy"),
        ({"--schema": "nowhere.toml"}, "nowhere.toml"),
        ({"--past": "nowhere.parquet"}, "nowhere.parquet"),
    ],
)
def test_bad_input_is_one_sentence(run, schema, changes, words):
    given = {"--schema": schema, "--rows": 300, "--epsilon": 0.5} | changes
    assert words in run("advise", *(part for pair in given.items() for part in pair), code=1).stderr


def test_what_is_missing_is_asked_for(run, schema):
    assert "--rows" in run("advise", "--schema", schema, code=1).stderr
    run("advise", "--schema", schema, "--rows", "many", "--epsilon", 1, code=2)


def test_where_nothing_is_private_no_advice_is_needed(run, schema):
    schema.write_text(schema.read_text().replace("private = true", "private = false"))
    assert "take any learner" in run("advise", "--schema", schema, *ASK, code=1).stderr


def test_other_past_studies_can_be_used(run, schema, tmp_path):
    past = PastStudies.packaged()
    path = tmp_path / "past.parquet"
    PastStudies(past.frame.drop(past.learners[1:])).write(path)
    said = json.loads(run("advise", "--schema", schema, *ASK, "--past", path, "--json").stdout)
    assert [each["learner"] for each in said["forecasts"]] == [past.learners[0]]
    named = run("advise", "--schema", schema, *ASK, "--delta", 0, "--past", path).stdout
    assert f"--learner {past.learners[0]} --epsilon 0.5 --out" in named


def test_it_explains_what_a_fit_will_release(run, schema):
    from tacit.cli.recipe_output import RULES
    from tacit.rules import all_rules

    assert set(RULES.values()) <= {row.name for row in all_rules()}
    said = run("advise", "--schema", schema, *ASK, "--explain").stdout
    assert "It will release, in this order:" in said and "No row was read" in said
    document = json.loads(run("advise", "--schema", schema, *ASK, "--explain", "--json").stdout)
    assert document["learner"] == choose(Schema.from_toml(schema), Budget(0.5, 1e-6), 3000).learner
    assert sum(each["share"] for each in document["releases"]) == pytest.approx(1.0)
    assert all(each["query"] in " ".join(said.split()) for each in document["releases"] if len(each["query"]) < 20)
