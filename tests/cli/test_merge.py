"""`tacit merge`: one file of several, which is inspected, verified and predicts; or one error, and nothing written."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Label, LinearRegressor, NaiveBayesClassifier, Numeric, Schema, Target
from tacit.cli.app import app
from tacit.models.document import canonical, digest
from tacit.verify import program

SCHEMA = Schema([Numeric("age", 0, 90, cuts=[30, 60])], label=Label("ill", ["no", "yes"]))


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture
def sites(tmp_path):
    paths = []
    for at, epsilon in enumerate((0.25, 0.5)):
        ages = np.random.default_rng(at).uniform(0, 90, (300 + at, 1))
        fitted = NaiveBayesClassifier(SCHEMA, epsilon=epsilon).fit(ages, np.where(ages[:, 0] > 60, "yes", "no"))
        paths.append(tmp_path / f"site{at}.json")
        fitted.save(paths[-1])
    return paths


@pytest.fixture
def merged(sites, tmp_path):
    out = tmp_path / "all.json"
    result = run("merge", *sites, "--out", out)
    assert result.exit_code == 0, result.output
    assert "2 models; private: epsilon 0.5, delta 0" in " ".join(result.stdout.split())
    return out


def alone(tmp_path, path):
    (tmp_path / "verify.py").write_text(program(), encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "verify.py", path], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_the_file_is_inspected_verified_and_predicts(merged, tmp_path):
    said = " ".join(run("inspect", merged, "--all").stdout.split())
    assert "That is the most of its 2 parts" in said and "Rows: 601" in said
    # 300 rows of epsilon 0.25 count 300 / (1 + 8 / 18.75), 301 of epsilon 0.5 301 / (1 + 8 / 75.25).
    assert "naive-bayes, weight 0.436" in said and "naive-bayes, weight 0.564" in said
    assert "RELEASES OF" in run("inspect", merged, "--releases").stdout
    assert len(json.loads(run("inspect", merged, "--json").stdout)["privacy"]["parts"]) == 2
    found = run("verify", merged)
    assert found.exit_code == 0 and found.stdout.startswith("Yes: epsilon 0.5, delta 0 follows from")
    assert len(json.loads(run("verify", merged, "--json").stdout)["parts"]) == 2
    assert alone(tmp_path, merged)[0] == 0
    pl.DataFrame({"age": [1.0, 89.0]}).write_csv(tmp_path / "new.csv")
    found = run("predict", merged, tmp_path / "new.csv", "--probabilities")
    assert found.exit_code == 0 and len(found.stdout.splitlines()) == 3


@pytest.mark.parametrize(("options", "epsilon"), [(["--may-overlap"], 0.75), ([], 0.5)])
def test_people_at_several_sites_cost_the_sum(sites, tmp_path, options, epsilon):
    result = run("merge", *sites, "--out", tmp_path / "all.json", *options, "--json")
    assert json.loads(result.stdout)["privacy"]["epsilon"] == epsilon


CHANGES = {
    "a smaller claim": lambda body: body["guarantee"].update(epsilon=0.4),
    "a part's smaller claim": lambda body: body["guarantee"]["parts"][0]["certificate"].update(epsilon=0.01),
    "another part": lambda body: body["parts"][0].update(learner="tree"),
    "a part that learned more": lambda body: body["parts"][0]["scorers"][0].update(slope=2.0),
    "a part left out": lambda body: body["parts"].pop(),
    "more rows": lambda body: body["guarantee"].update(n_rows=10**6),
    "no column protected": lambda body: body["guarantee"].update(columns=[]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_both_programs_refuse_what_was_altered_and_sealed_again(merged, tmp_path, what):
    document = json.loads(merged.read_text())
    CHANGES[what](document["model"])
    document["digest"] = digest(canonical(document["model"]))
    merged.write_text(json.dumps(document))
    assert run("verify", merged).exit_code != 0
    code, said = alone(tmp_path, merged)
    assert code in (1, 2) and "Yes" not in said


def test_a_part_made_anew_with_its_digest_needs_its_releases(merged, tmp_path):
    document = json.loads(merged.read_text())
    body = document["model"]
    line = body["guarantee"]["parts"][0]
    certificate = line["certificate"]
    certificate["releases"], certificate["limits"][0]["released"] = [], 0
    line["digest"] = digest(canonical(body["parts"][0] | {"guarantee": certificate}))
    pairs = sorted(zip(body["guarantee"]["parts"], body["parts"], strict=True), key=lambda each: each[0]["digest"])
    body["guarantee"]["parts"], body["parts"] = map(list, zip(*pairs, strict=True))
    document["digest"] = digest(canonical(body))
    merged.write_text(json.dumps(document))
    found = run("verify", merged)
    assert found.exit_code == 1 and "counts and sums by class" in found.stdout


def test_bad_input_is_one_error_and_writes_nothing(sites, tmp_path):
    out = tmp_path / "all.json"
    copy = tmp_path / "copy.json"
    copy.write_bytes(sites[0].read_bytes())
    (tmp_path / "broken.json").write_text("{")
    for arguments, due in (
        ([sites[0]], "two models or more"),
        ([sites[0], copy], "copy.json"),
        ([*sites, tmp_path / "broken.json"], "broken.json"),
        ([*sites, tmp_path / "none.json"], "none.json"),
        ([*sites, "--may-overlap", "--same-people"], "got both"),
        ([*sites, "--same-people"], "different numbers"),
    ):
        result = run("merge", *arguments, "--out", out)
        assert result.exit_code != 0 and not out.exists()
        assert due in " ".join(result.stderr.split()), arguments
    assert run("merge", *sites, "--out", sites[0], "--force").exit_code != 0


def test_pages_evidence_and_audits_are_of_merged_models_too(merged, tmp_path):
    for arguments, due in (
        (["inspect", merged, "--html", tmp_path / "card.html"], "Effects distinguishable from the noise"),
        (["inspect", merged, "--page", tmp_path / "page.html"], "each less its mean in its own part"),
        (["evidence", merged, "--for", "card", "--out", tmp_path / "folder"], "card.md"),
        (["audit", merged], "epsilon 0.5, exact, from"),
    ):
        result = run(*arguments)
        said = " ".join(result.output.split())
        assert result.exit_code == 0 and due in said, (arguments, said)
    assert json.loads(run("inspect", merged, "--json").stdout)["effects"]
    assert {"card.html", "page.html", "folder"} < {path.name for path in tmp_path.iterdir()}


def test_measures_by_group_are_of_one_fit(merged):
    result = run("inspect", merged, "--by", "age")
    assert result.exit_code != 0 and "merged" in result.stderr


def test_a_merged_model_is_measured_on_other_people(merged, tmp_path):
    ages = np.random.default_rng(9).uniform(0, 90, 2000)
    frame = pl.DataFrame({"age": ages, "ill": np.where(ages > 60, "yes", "no")})
    frame.write_csv(tmp_path / "others.csv")
    result = run("evaluate", merged, tmp_path / "others.csv", "--epsilon", "1", "--other-people")
    assert result.exit_code == 0 and "ccuracy" in result.stdout, result.output


def test_models_of_a_number_are_averaged(tmp_path):
    schema, paths = Schema(SCHEMA.columns, label=Target("cost", 0, 90)), []
    for at in range(2):
        ages = np.random.default_rng(at).uniform(0, 90, (400, 1))
        paths.append(tmp_path / f"site{at}.json")
        LinearRegressor(schema, epsilon=0.5).fit(ages, ages[:, 0]).save(paths[-1])
    assert run("merge", *paths, "--out", tmp_path / "all.json").exit_code == 0
    said = run("inspect", tmp_path / "all.json", "--all")
    assert said.exit_code == 0 and "averages the predictions of its parts" in " ".join(said.stdout.split())
    assert json.loads(run("inspect", tmp_path / "all.json", "--json").stdout)["scale"]["unit"] == 1.0
    assert run("verify", tmp_path / "all.json").exit_code == 0
    pl.DataFrame({"age": [45.0]}).write_csv(tmp_path / "new.csv")
    assert run("predict", tmp_path / "all.json", tmp_path / "new.csv", "--explain", "1").exit_code == 0
