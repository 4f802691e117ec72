"""The commands on good input: what they write, to where, and that the output can be used again."""

from __future__ import annotations

import csv
import json
import random

import numpy as np
import pytest

from tacit import Label, Numeric, Schema, load_model


def test_version_and_help(run):
    import tacit

    assert run("--version").stdout == f"tacit {tacit.__version__}\n"
    for command in ("fit", "predict", "inspect", "schema", "demo", "data"):
        assert command in run().stdout
    assert "draft" in run("schema").stdout


def test_a_draft_goes_to_stdout_alone_and_is_a_schema(run, table):
    result = run("schema", "draft", table, "--label", "income")
    schema = Schema.from_toml(result.stdout)
    assert schema.guessed == ("age", "code", "since", "income")
    assert "one value in every row" in dict(schema.ignored)["remark"]
    assert schema.column("code").categories == ("01", "1", "2")
    assert "NOT PRIVATE" in result.stderr
    assert "'remark'" in result.stderr


def test_a_draft_in_a_file_says_no_more_than_notes(run, table, tmp_path):
    out = tmp_path / "drafted schema.toml"
    result = run("schema", "draft", table, "--label", "income", "--out", out)
    assert result.stdout == ""
    assert f"tacit schema review {table} '{out}' --html review.html" in result.stderr
    assert Schema.from_toml(out).label.name == "income"
    assert run("schema", "draft", table, "-l", "income", "-o", out, "--force", "--quiet").output == ""


def test_check_says_what_is_private_and_what_is_guessed(run, schema):
    said = run("schema", "check", schema).stdout
    assert "Ready" in said
    assert json.loads(run("schema", "check", schema, "--json").stdout) == {
        "ready": True,
        "guessed": [],
        "private_columns": ["age", "code"],
        "public_columns": ["since"],
        "label": "income",
        "label_private": True,
        "classes": ["high", "low"],
        "positive": None,
        "refused_by": {},
        "ignored": {},
        "weight": None,
        "identifier": None,
        "rows_of_person": 1,
        "label_missing": None,
        "open": [],
    }
    schema.write_text(schema.read_text().replace('name = "age"', 'name = "age"\nguessed = true'))
    assert "Not ready" in run("schema", "check", schema).stdout
    many = ", ".join(f'"{number}"' for number in range(101))
    wide = schema.with_name("wide.toml")
    wide.write_text(schema.read_text().replace('classes = ["high", "low"]', f"classes = [{many}]"))
    said = run("schema", "check", wide).stdout
    assert "Refused by brc: Expected at most 100 classes" in said.replace("\n", " ")
    assert "Refused by tree" not in said


def test_fit_writes_a_private_model_and_prints_nothing_of_the_rows(run, table, schema, tmp_path):
    out = tmp_path / "model.json"
    result = run(
        "fit",
        table,
        "-s",
        schema,
        "-e",
        0.5,
        "-o",
        out,
        "--learner",
        "brc",
        "--set",
        "rounds=7",
        "--set",
        "intercept=uniform",
    )
    model = load_model(out)
    assert (model.guarantee.status, model.guarantee.epsilon, model.learner) == ("private", 0.5, "brc")
    assert len(model.scorers[0].votes) == 7
    for word in ("accuracy", "balance", "200"):
        assert word not in result.output


def test_fit_says_its_certificate_as_json(run, table, schema, tmp_path):
    out = tmp_path / "model.json"
    result = run("fit", table, "-s", schema, "-e", 1, "--delta", 1e-6, "-o", out, "--json")
    said = json.loads(result.stdout)
    assert said["classes"] == ["high", "low"]
    assert said["privacy"]["status"] == "private"
    assert said["privacy"]["delta"] == pytest.approx(1e-6, rel=0.01)
    assert run("fit", table, "-s", schema, "-e", 1, "-o", out, "--force", "--quiet").stdout == ""


def test_a_seed_repeats_and_must_be_allowed(run, table, schema, tmp_path):
    models = [tmp_path / "one.json", tmp_path / "two.json"]
    for out in models:
        run("fit", table, "-s", schema, "-e", 1, "--seed", 3, "--allow", "simulated", "-o", out)
    assert models[0].read_text() == models[1].read_text()
    assert load_model(models[0]).guarantee.status == "simulated"
    said = run("inspect", models[0]).stdout
    assert "NOT PRIVATE" in said and "HOW GOOD IT IS\nNot measured privately" in said
    refused = tmp_path / "refused.json"
    assert "--allow simulated" in run("fit", table, "-s", schema, "-e", 1, "--seed", 3, "-o", refused, code=1).stderr
    assert not refused.exists()


def test_a_void_model_must_be_allowed(run, table, schema, tmp_path):
    out = tmp_path / "model.json"
    schema.write_text(schema.read_text().replace("private = true", "private = true\nguessed = true"))
    arguments = ("fit", table, "-s", schema, "-e", 1, "-o", out)
    assert "guessed" in run(*arguments, code=1).stderr
    run(*arguments, "--allow", "void")
    assert load_model(out).guarantee.status == "void"


def test_guesses_are_named_and_refused(run, table, schema, tmp_path):
    out = tmp_path / "model.json"
    schema.write_text(schema.read_text().replace("private = true", "private = true\nguessed = true"))
    message = run("fit", table, "-s", schema, "-e", 1, "-o", out, code=1).stderr
    for name in ("'age'", "'code'", "'income'", "guessed = true"):
        assert name in message
    assert "'since'" not in message
    assert not out.exists()


def test_inspect_says_certificate_and_model(run, model):
    said = run("inspect", model).stdout
    assert "CERTIFICATE" in said
    assert "exp(1) = 2.72" in said
    assert "raises the score" not in said
    assert "No effect is distinguishable from the noise." in said
    assert "raises the score of" in run("inspect", model, "--all").stdout
    records = run("inspect", model, "--releases").stdout
    assert "RELEASES\n" in records and "sensitivity" in records and "RELEASES" not in said
    document = json.loads(run("inspect", model, "--json").stdout)
    assert document["privacy"]["epsilon"] == 1
    assert {each["column"] for each in document["says"][0]["directions"]} <= {"age", "code", "since"}


def test_inspect_draws_a_model(run, model, tmp_path):
    page = tmp_path / "model.html"
    assert "Wrote" in run("inspect", model, "--page", page).stderr
    content = page.read_text(encoding="utf-8")
    assert "CERTIFICATE OF DIFFERENTIAL PRIVACY" in content
    assert "u003eage" in content  # in bold above its curve
    assert "also an input" in run("inspect", model, "--page", model, "--force", code=1).stderr


@pytest.mark.parametrize(("pay", "slices"), [("rows", 3), ("epsilon", 2)])
def test_tuned_settings_are_paid_for(run, tmp_path, pay, slices):
    import polars as pl

    numbers = np.random.default_rng(0).uniform(0, 1, 3000)
    table, schema, out = tmp_path / "long.csv", tmp_path / "long.toml", tmp_path / "tuned.json"
    pl.DataFrame({"x": numbers, "y": np.where((numbers > 0.3) & (numbers < 0.6), "in", "out")}).write_csv(table)
    schema.write_text(Schema([Numeric("x", 0, 1)], label=Label("y", ["in", "out"])).to_toml())
    said = run("fit", table, "-s", schema, "-e", 8, "--learner", "tree", "--tune", "--pay", pay, "-o", out)
    assert "Chosen among " in said.output
    guarantee = load_model(out).guarantee
    assert (guarantee.status, guarantee.epsilon) == ("private", 8.0)
    numbered = {line.asked.rpartition("slice ")[2] for line in guarantee.releases}
    assert numbered == {f"{k} of {slices})" for k in range(1, slices + 1)}
    assert "Chosen among " in run("inspect", out).stdout


def test_every_learner_fits_and_speaks(run, table, schema, tmp_path):
    from tacit.study.learners import private_learners

    for name in private_learners():
        out = tmp_path / f"{name}.json"
        run("fit", table, "-s", schema, "-e", 2, "--learner", name, "-o", out)
        said = run("inspect", out).stdout
        assert (", because rows x epsilon per" if name == "auto" else f"Learner: {name}.") in " ".join(said.split())
        assert max(map(len, said.splitlines())) <= 80
        run("predict", out, table)


def test_predictions_are_the_models_in_order(run, model, table, tmp_path):
    import polars as pl

    from tacit.table.files import read_features

    opened = load_model(model)
    expected = opened.predict(read_features(table, opened.schema, "raise")).tolist()
    said = run("predict", model, table).stdout
    assert [row["income"] for row in csv.DictReader(said.splitlines())] == expected
    out = tmp_path / "out.csv"
    assert run("predict", model, table, "--out", out).stdout == ""
    assert pl.read_csv(out)["income"].to_list() == expected


def test_predictions_beside_an_identifier_with_probabilities(run, table, schema, tmp_path):
    import polars as pl

    fitted, out = tmp_path / "logistic.json", tmp_path / "out.parquet"
    run("fit", table, "-s", schema, "-e", 5, "--learner", "logistic", "-o", fitted)
    run("predict", fitted, table, "--id", "remark", "--probabilities", "--threshold", "0.4", "--out", out)
    found = pl.read_parquet(out)
    assert found.columns == ["remark", "income", "income=high", "income=low"]
    assert found["remark"].unique().to_list() == ["whatever"]
    assert (found["income=high"] + found["income=low"]).round(12).unique().to_list() == [1.0]
    assert ((found["income=low"] >= 0.4) == (found["income"] == "low")).all()
    texts = run("predict", fitted, table, "--id", "code").stdout.splitlines()
    assert texts[0] == "code,income"
    assert [line.split(",")[0] for line in texts[1:]] == pl.read_csv(table, infer_schema=False)["code"].to_list()


def test_predictions_are_explained(run, model, table, tmp_path):
    import polars as pl

    from tacit.table.files import read_features

    said = list(csv.DictReader(run("predict", model, table, "--explain", 2).stdout.splitlines()))
    lines = [json.loads(each) for each in run("predict", model, table, "--explain", 2, "--json").stdout.splitlines()]
    out = tmp_path / "out.parquet"
    assert "as private as the rows" in run("predict", model, table, "--explain", 2, "-o", out).stderr
    assert pl.read_parquet(out)["income: reasons"].to_list() == [each["income: reasons"] for each in lines]
    opened = load_model(model)
    added = opened.explain(read_features(table, opened.schema, "raise")).filter(pl.col("row") == 0)
    wanted = added.drop_nulls("column").sort(pl.col("contribution").abs(), descending=True)["column"].head(2).to_list()
    assert [each["column"] for each in lines[0]["income: reasons"]] == wanted
    assert [each.split()[0] for each in said[0]["income: reasons"].split("; ")] == wanted
    assert [each["income"] for each in lines] == [each["income"] for each in said]
    assert "--json" in run("predict", model, table, "--json", "-o", tmp_path / "new.parquet", code=1).stderr
    assert not (tmp_path / "new.parquet").exists()


def test_an_unseen_category_is_predicted_where_it_is_asked_for(run, model, table, tmp_path):
    odd = tmp_path / "odd.csv"
    odd.write_text(table.read_text() + "30,new,2015-05-17,low,whatever\n")
    assert "to be among the schema's categories" in run("predict", model, odd, code=1).stderr
    assert run("predict", model, odd, "--on-invalid", "coerce").stdout.count("\n") == 202


def test_rows_kept_back_are_shown_and_other_rows_evaluated(run, schema, tmp_path):
    generator = random.Random(6)
    cells = [f"{generator.randrange(100)},01,2011-05-17,{generator.choice(['high', 'low'])},x" for _ in range(3000)]
    table, out, scores = tmp_path / "many.csv", tmp_path / "m.json", tmp_path / "scores.json"
    table.write_text("\n".join(["age,code,since,income,remark", *cells]))
    fitted = run("fit", table, "-s", schema, "-e", 3, "--learner", "naive-bayes", "--holdout", 0.2, "-o", out).stdout
    assert "600 rows kept back" in fitted and "HOW GOOD IT IS\nMeasured on" in run("inspect", out).stdout
    assert "new.csv --probabilities --calibrated" in fitted
    measured = json.loads(run("inspect", out, "--json").stdout)["held_out"]
    assert measured["accuracy"]["low"] <= measured["accuracy"]["value"] <= measured["accuracy"]["high"]
    refused = run("evaluate", out, table, "--epsilon", 2, "--out", scores, code=1).stderr
    assert "got as many as it was fitted to" in refused and "--other-people" in refused and not scores.exists()
    said = run("evaluate", out, table, "--epsilon", 2, "--out", scores, "--other-people").stdout
    assert "3,000 rows taken to be other people than the model's" in said and "Privacy budget: epsilon 2" in said
    assert json.loads(scores.read_text())["measures"]["auc"]["high"] <= 1
    assert "too small" in run("evaluate", out, table, "--epsilon", 0.001, code=1).stderr
    assert (
        "too small"
        in run("fit", table, "-s", schema, "-e", 0.01, "--holdout", 0.1, "-o", out, "--force", code=1).stderr
    )


def test_refused_options_of_predict(run, model, table):
    assert "--id" in run("predict", model, table, "--id", "income", code=1).stderr
    assert "a column named 'nothing'" in run("predict", model, table, "--id", "nothing", code=1).stderr
    assert "--threshold most" in run("predict", model, table, "--threshold", "most", code=1).stderr


def test_parquet_predicts_as_csv_does(run, model, table, tmp_path):
    import polars as pl

    parquet = tmp_path / "people.parquet"
    frame = pl.read_csv(table, schema_overrides={"code": pl.String}, try_parse_dates=True)
    frame.write_parquet(parquet)
    assert run("predict", model, parquet).stdout == run("predict", model, table).stdout


def test_data_lists_and_writes(run, tmp_path):
    listed = {each["name"]: each for each in json.loads(run("data", "--json").stdout)}
    assert listed["breast-cancer"]["found"] is True
    assert "ships with scikit-learn" in run("data").stdout
    assert "label: diagnosis (benign, malignant)" in run("data", "breast-cancer").stdout
    out, schema = tmp_path / "cancer.csv", tmp_path / "cancer.toml"
    run("data", "breast-cancer", "--out", out, "--schema-out", schema)
    assert len(out.read_text().splitlines()) == 570
    model = tmp_path / "m.json"
    run("fit", out, "-s", schema, "-e", 1, "-o", model, "--learner", "brc", "--set", "rounds=3")
    assert run("predict", model, out).stdout.count("\n") == 570


def test_data_tells_what_is_not_there(run, tmp_path, monkeypatch):
    from tacit.datasets import fetch

    monkeypatch.setenv("TACIT_DATA", str(tmp_path / "nothing"))
    monkeypatch.setattr(fetch, "cache_folder", lambda: tmp_path / "cache")
    listed = {each["name"]: each["found"] for each in json.loads(run("data", "--json").stdout)}
    assert listed["mushroom"] is False
    assert listed["adult"] is True  # in the package
    assert listed["breast-cancer"] is True
    assert "'adlt'" in run("data", "adlt", "--out", tmp_path / "x.csv", code=1).stderr
    assert "no official split" in run("data", "breast-cancer", "--part", "test", "-o", tmp_path / "x", code=1).stderr
    assert "name of a data set" in run("data", "--out", tmp_path / "x.csv", code=1).stderr
    assert list(tmp_path.iterdir()) == []
