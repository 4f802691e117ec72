"""A number to predict, on the command line."""

from __future__ import annotations

import json
from typing import get_args

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit.cli import fit_command
from tacit.cli.app import app
from tacit.convex import LossName
from tacit.schema import Categorical, Numeric, Schema, Target

EXPLAIN = ("advise", "--schema", "schema.toml", "--rows", 100, "--epsilon", 1, "--explain")
SCHEMA = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Target("y", -20, 20))


def test_losses_of_the_command_are_those_of_the_library():
    assert get_args(fit_command.Loss) == get_args(LossName)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("regression")
    generator = np.random.default_rng(0)
    x, c = generator.uniform(-1, 1, 2000), generator.integers(2, size=2000)
    y = 5 * x + 4 * c + generator.normal(size=2000)
    pl.DataFrame({"x": x, "c": np.asarray(["a", "b"])[c], "y": y}).write_csv(made / "rows.csv")
    (made / "schema.toml").write_text(SCHEMA.to_toml())
    result = run(
        "fit", made / "rows.csv", "--schema", made / "schema.toml", "--epsilon", 3, "--out", made / "model.json"
    )
    assert result.exit_code == 0, result.output
    assert "the target 'y'" in result.output
    return made


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


def test_predictions_and_what_columns_add(folder):
    out = folder / "out.csv"
    result = run("predict", folder / "model.json", folder / "rows.csv", "--explain", 1, "--out", out)
    assert result.exit_code == 0, result.output
    found, rows = pl.read_csv(out), pl.read_csv(folder / "rows.csv")
    assert np.sqrt(np.mean((found["y"].to_numpy() - rows["y"].to_numpy()) ** 2)) < 2
    assert set(found["y: reasons"].str.split(" ").list.first()) == {"x", "c"}


def test_inspect_verify_check_and_a_page(folder):
    said = run("inspect", folder / "model.json").output
    assert "predicts the number 'y', from -20 to 20." in said and "residuals were clipped at" in said
    assert "prediction of y" in said
    written = json.loads(run("inspect", folder / "model.json", "--json").output)
    assert written["scale"]["unit"] > 0 and "classes" not in written
    assert run("verify", folder / "model.json").output.startswith("Yes")
    assert run("inspect", folder / "model.json", "--page", folder / "page.html").exit_code == 0
    assert "added to the predicted y" in (folder / "page.html").read_text()
    assert run("inspect", folder / "model.json", "--html", folder / "card.html").exit_code == 0
    assert "Predicts y, a number from -20 to 20. 2,000 rows, epsilon 3" in (folder / "card.html").read_text()
    checked = run("schema", "check", folder / "schema.toml", "--table", folder / "rows.csv")
    assert checked.exit_code == 0 and "y (target)" in checked.output
    assert json.loads(run("schema", "check", folder / "schema.toml", "--json").output)["high"] == 20


def test_a_learner_is_audited(folder):
    result = run("audit", "--learner", "linear", "--schema", folder / "schema.toml", "--epsilon", 1, "--minutes", 0.02)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("linear: ") and "Refuted" not in result.output


def test_intervals_and_errors_of_rows_that_are_kept_back(folder):
    kept = folder / "kept.json"
    fitted = run("fit", folder / "rows.csv", "-s", folder / "schema.toml", "-e", 3, "--holdout", 0.25, "--out", kept)
    assert fitted.exit_code == 0, fitted.output
    assert "Root mean square error: " in fitted.output and "new.csv --interval 0.9" in fitted.output
    assert "Share of the rows within the intervals of 90 %" in run("inspect", kept).output.replace("\n ", "")
    assert json.loads(run("inspect", kept, "--json").output)["held_out"]["rmse"]["value"] < 3
    assert run("verify", kept).output.startswith("Yes")
    out = folder / "intervals.csv"
    result = run("predict", kept, folder / "rows.csv", "--interval", 0.8, "--out", out)
    assert result.exit_code == 0, result.output
    found, rows = pl.read_csv(out), pl.read_csv(folder / "rows.csv")
    assert found.columns == ["y", "y: low", "y: high"]
    assert ((found["y: low"] <= rows["y"]) & (rows["y"] <= found["y: high"])).mean() > 0.75
    assert (found["y: low"].min(), found["y: high"].max()) >= (-20, -20)
    hidden = run("predict", kept, folder / "rows.csv", "--interval", 0.9999, "--out", folder / "wide.csv")
    assert "the target's whole range: noise hides" in " ".join(hidden.output.split())
    wide = pl.read_csv(folder / "wide.csv")
    assert (wide["y: low"].unique().to_list(), wide["y: high"].unique().to_list()) == ([-20.0], [20.0])
    other = pl.read_csv(folder / "rows.csv").head(1500)
    other.write_csv(folder / "other.csv")
    asked = ("evaluate", kept, folder / "other.csv", "--epsilon", 1)
    assert "Root mean square error" in run(*asked).output
    document = json.loads(run(*asked, "--json").output)
    assert document["measures"]["coverage"]["value"] > 0.7 and document["privacy"]["epsilon"] == 1
    for each in ("kept.json", "intervals.csv", "wide.csv", "other.csv"):
        (folder / each).unlink()


FIT = ("fit", "rows.csv", "--schema", "schema.toml", "--epsilon", 1, "--out", "m.json")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("predict", "model.json", "rows.csv", "--coverage", 0.9), "no --coverage"),
        (("predict", "model.json", "rows.csv", "--probabilities"), "no --probabilities"),
        (("predict", "model.json", "rows.csv", "--interval", 0.9), "Fit with --holdout 0.2"),
        (("evaluate", "model.json", "rows.csv", "--epsilon", 1), "--other-people"),
        ((*FIT, "--holdout", 0.01), "too small"),
        ((*FIT, "--tune", "--pay", "epsilon", "--holdout", 0.2), "pay='rows' with a holdout"),
        ((*FIT, "--class-weight", "balanced"), "no --class-weight"),
        ((*FIT, "--learner", "tree"), "auto, boosted"),
        ((*EXPLAIN, "--holdout", 0.2, "--holdout-by", "x"), "no --holdout-by"),
        ((*EXPLAIN, "--holdout", 0.01), "the share of the rows in an interval"),
    ],
)  # fmt: skip
def test_what_is_of_classes_is_refused_with_one_error(folder, monkeypatch, arguments, said):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.output.count("Error:") == 1 and said in " ".join(result.output.split())
    assert sorted(folder.iterdir()) == before


def test_advice_explains_what_a_fit_will_release(folder):
    asked = ("advise", "--schema", folder / "schema.toml", "--rows", 2000, "--epsilon", 3, "--explain")
    said, model = json.loads(run(*asked, "--json").output), json.loads((folder / "model.json").read_text())["model"]
    counted = [(each["query"], each["count"]) for each in said["releases"]]
    assert counted[0] == ("rows by place of the target", 8)
    assert sum(count for _, count in counted) == len(model["guarantee"]["releases"])
    assert (said["learner"], said["why"]) == (model["learner"], model["why"])
    result = run(*asked, "--holdout", 0.2)
    assert result.exit_code == 0 and result.output.startswith("1,600 rows at epsilon 3")


@pytest.mark.parametrize(("values", "says"), [
    (range(7), "write [label] in place of [target]"),
    (range(3), "write [target] in place of [label]"),
    (range(2), "two numbers alone"),
    (["1", "b", "c"], "the label 'y'"),
])  # fmt: skip
def test_a_draft_tells_a_number_from_classes_and_says_what_to_write_else(tmp_path, values, says):
    label = [each for _ in range(20) for each in values]
    pl.DataFrame({"x": [each % 5 for each in range(len(label))], "y": label}, strict=False).write_csv(
        tmp_path / "rows.csv"
    )
    result = run("schema", "draft", tmp_path / "rows.csv", "--label", "y", "--out", tmp_path / "schema.toml")
    assert result.exit_code == 0, result.output
    assert says in " ".join(result.output.split())

    page = tmp_path / "review.html"
    assert run("schema", "review", tmp_path / "rows.csv", tmp_path / "schema.toml", "--html", page).exit_code == 0
    assert '"kind":"target"' in page.read_text(encoding="utf-8").replace(" ", "") or len(values) < 7


def test_a_guessed_target_is_decided_in_the_terminal(tmp_path):
    rows, schema = tmp_path / "rows.csv", tmp_path / "schema.toml"
    pl.DataFrame({"x": [each % 5 for each in range(60)], "y": [float(each) / 7 for each in range(60)]}).write_csv(rows)
    assert run("schema", "draft", rows, "--label", "y", "--out", schema).exit_code == 0
    typed = "".join(f"{answer}\n" for answer in ("c", "-5", "20", "drop", "a"))
    result = CliRunner().invoke(app, ["schema", "review", str(rows), str(schema)], input=typed)
    assert "numbers with fractions" in result.output and "Everything is decided" in result.output
    found = Schema.from_toml(schema)
    assert (found.target, found.guessed) == (Target("y", -5, 20, missing="drop"), ())


def test_quantiles_of_a_number_are_columns_of_their_own(folder):
    given = ("fit", folder / "rows.csv", "--schema", folder / "schema.toml", "--epsilon", 3)
    made = run(*given, "--quantile", 0.1, "--quantile", 0.9, "--out", folder / "quantiles.json")
    assert made.exit_code == 0, made.output
    said = run("inspect", folder / "quantiles.json").output
    assert "Predictions are the quantiles 0.1, 0.9" in said and "against the rest" not in said
    assert json.loads(run("inspect", folder / "quantiles.json", "--json").output)["quantiles"] == [0.1, 0.9]
    assert run("verify", folder / "quantiles.json").output.startswith("Yes")
    assert run("predict", folder / "quantiles.json", folder / "rows.csv", "--out", folder / "q.csv").exit_code == 0
    found = pl.read_csv(folder / "q.csv")
    assert found.columns == ["y", "y: quantile 0.1", "y: quantile 0.9"]
    assert (found["y: quantile 0.1"] <= found["y: quantile 0.9"]).all()
    made = run(*given, "--loss", "absolute", "--out", folder / "median.json")
    assert made.exit_code == 0, made.output
    assert "Predictions are medians" in run("inspect", folder / "median.json").output


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--loss", "quantile"), "Write --quantile 0.05 --quantile 0.5 --quantile 0.95."),
        (("--loss", "absolute", "--quantile", 0.5), "Expected no quantiles"),
        (("--quantile", 1.5), "between 0 and 1"),
        (("--set", "loss=absolute"), "--loss"),
    ],
)
def test_wrong_losses_are_one_error_and_no_file(folder, asked, said):
    out = folder / "none.json"
    given = ("fit", folder / "rows.csv", "--schema", folder / "schema.toml", "--epsilon", 3, "--out", out)
    result = run(*given, *asked)
    assert result.exit_code != 0 and said in " ".join(result.output.split()) and not out.exists()
