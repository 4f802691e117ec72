"""`tacit compare` of a number to predict: errors in the target's unit, reference lines, the page."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit.cli.app import app
from tacit.schema import Categorical, Numeric, Schema, Target

SCHEMA = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Target("y", -20, 20))


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("numbers")
    generator = np.random.default_rng(0)
    x, c = generator.uniform(-1, 1, 1000), generator.integers(2, size=1000)
    y = 5 * x + 4 * c + generator.normal(size=1000)
    pl.DataFrame({"x": x, "c": np.asarray(["a", "b"])[c], "y": y}).write_csv(made / "rows.csv")
    (made / "schema.toml").write_text(SCHEMA.to_toml())
    return made


@pytest.fixture(scope="module")
def compared(folder):
    out = folder / "study"
    options = ("--epsilons", "0.01,3", "--repeats", 2, "--delta", 1e-6, "--ledger", "none", "--workers", 1)
    result = run("compare", folder / "rows.csv", "--schema", folder / "schema.toml", "--out", out, *options)
    assert result.exit_code == 0, result.output
    return out, result.output


def test_regressors_are_compared_in_the_targets_unit(compared):
    out, said = compared
    frame = pl.read_parquet(out / "results.parquet")
    assert set(frame["name"]) == {
        "auto", "boosted-trees", "linear", "gradient boosting, no privacy", "ridge, no privacy", "the mean alone"
    }  # fmt: skip
    assert (frame["status"] == "done").all()
    assert "RMSE, in the target's unit, mean ± standard deviation over 2 splits" in said
    own = frame.filter(pl.col("learner") == "linear", pl.col("epsilon") == 3.0)
    cells = next(line for line in said.splitlines() if line.startswith("│ linear")).split("│")
    assert cells[3].strip() == f"{own['rmse'].mean():.3f} ± {own['rmse'].std():.3f}"
    of_mean = frame.filter(pl.col("learner") == "baseline:mean")
    mean = next(line for line in said.splitlines() if line.startswith("the mean alone"))
    assert mean.split()[-1] == "0.000" and float(mean.split()[-2]) == pytest.approx(of_mean["mae"].mean(), abs=1e-3)
    assert "accuracy" not in said.lower().replace("accuracy and privacy", "")


def test_the_page_of_regressors_leads_with_their_error(compared):
    page = (compared[0] / "report.html").read_text()
    assert '"leading":"rmse"' in page.replace(": ", ":") and "root mean square error" in page
    assert "y, private, a number from -20 to 20" in page


def test_nothing_better_than_the_mean_is_said(folder):
    options = ("--epsilons", "0.001", "--repeats", 2, "--ledger", "none", "--workers", 1, "--learners", "linear")
    where = ("--schema", folder / "schema.toml", "--out", folder / "useless")
    said = run("compare", folder / "rows.csv", *where, *options).output
    assert "No higher R2 than the mean alone: linear at epsilon 0.001." in said


@pytest.mark.parametrize("learner", ["brc", "baseline:logistic"])
def test_a_learner_of_classes_is_not_compared(folder, learner):
    where = ("--schema", folder / "schema.toml", "--out", folder / "refused")
    options = ("--epsilons", "1", "--ledger", "none", "--learners", learner)
    result = run("compare", folder / "rows.csv", *where, *options)
    assert result.exit_code == 1 and "Expected a learner of a number to predict" in result.output
    assert not (folder / "refused").exists()


def test_made_up_numbers_are_compared(folder):
    where = ("--schema", folder / "schema.toml", "--out", folder / "simulated")
    result = run("compare", "--simulate", 300, *where, "--epsilons", "1", "--repeats", 1, "--workers", 1, "--json")
    assert result.exit_code == 0, result.output
    assert [each["measure"] for each in json.loads(result.output)["leading"]] == ["rmse"]
