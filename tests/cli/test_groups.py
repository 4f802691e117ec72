"""Groups on the command line: a fit, what is shown of it, an evaluation, a plan, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Categorical, Label, Numeric, Schema
from tacit.cli.app import app

SCHEMA = Schema(
    [Numeric("age", 0, 100), Categorical("sex", ["f", "m"])], label=Label("works", ["no", "yes"])
)  # fmt: skip


def run(*arguments, fails=False):
    found = CliRunner().invoke(app, [str(each) for each in arguments])
    assert (found.exit_code != 0) == fails, found.output
    return found.output if not fails else f"{found.output} {found.exception}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path, draw = tmp_path_factory.mktemp("groups"), np.random.default_rng(0)
    for name, size in (("people", 20_000), ("new", 6_000)):
        age, sex = draw.uniform(0, 100, size), draw.choice(["f", "m"], size)
        works = np.where(age + 20 * draw.normal(size=size) > 60, "no", "yes")
        pl.DataFrame({"age": age, "sex": sex, "works": works}).write_csv(path / f"{name}.csv")
    (path / "s.toml").write_text(SCHEMA.to_toml())
    fit = ["fit", path / "people.csv", "--schema", path / "s.toml", "--epsilon", 1, "--holdout", 0.2]
    said = run(*fit, "--holdout-by", "sex", "--out", path / "model.json")
    assert "--by sex" in said
    run(*fit, "--out", path / "plain.json")
    return path


def test_inspect_shows_each_group_and_json_has_all(folder):
    said = run("inspect", folder / "model.json", "--by", "sex")
    assert "BY SEX" in said and "Selection rate of 'yes':" in said and "HOW GOOD IT IS" in said
    found = json.loads(run("inspect", folder / "model.json", "--json"))["groups"]
    assert found["groups"] == ["f", "m"] and len(found["differences"]) == 7 and found["hidden"] == []
    assert json.loads(run("inspect", folder / "plain.json", "--json"))["groups"] is None
    run("inspect", folder / "model.json", "--html", folder / "card.html")
    assert "By sex" in (folder / "card.html").read_text()


def test_evaluate_is_by_group(folder):
    given = ["evaluate", folder / "plain.json", folder / "new.csv", "--epsilon", 1, "--by", "sex"]
    assert "BY SEX" in run(*given)
    found = json.loads(run(*given, "--json"))
    assert {row["group"] for row in found["groups"]["measures"]} == {"f", "m"}
    assert found["privacy"]["releases"][-1]["basis"]["by"] == ["sex"]


def test_verify_recomputes_the_sensitivity(folder):
    assert run("verify", folder / "model.json").startswith("Yes: epsilon 1")


def test_advise_says_what_will_be_known_without_a_row(folder):
    given = ["advise", "--schema", folder / "s.toml", "--rows", 20_000, "--epsilon", 1, "--explain", "--holdout", 0.2]
    said = " ".join(run(*given, "--holdout-by", "sex").split())
    assert "1% of the rows" in said and "20% of the rows: ±" in said and "16,000 rows at" in said
    found = json.loads(run(*given, "--holdout-by", "sex", "--json"))["groups"]
    assert found["n_rows"] == 4_000 and found["whole"] > found["ungrouped"]
    assert "without --holdout" not in run(*given)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["inspect", "plain.json", "--by", "sex"], "counted by none"),
        (["inspect", "model.json", "--by", "age"], "counted by 'sex'"),
        (["evaluate", "plain.json", "new.csv", "--epsilon", 1, "--by", "age"], "to group by"),
        (["advise", "--schema", "s.toml", "--rows", 9, "--epsilon", 1, "--holdout-by", "sex"], "--holdout"),
        (
            ["fit", "people.csv", "--schema", "s.toml", "--epsilon", 1, "--holdout-by", "sex", "--out", "x.json"],
            "holdout",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused(folder, arguments, said):
    given = [folder / each if str(each).endswith((".json", ".csv", ".toml")) else each for each in arguments]
    assert said in run(*given, fails=True)
    assert not (folder / "x.json").exists()
