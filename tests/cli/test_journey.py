"""A rare class from fit to decisions: model, card, a private score with intervals, predictions, an explanation."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import polars as pl
import pytest
from sklearn.metrics import balanced_accuracy_score

from harness.messy_tables import HTML, PERSON, QUOTED, RIGHT_TO_LEFT, messy_table
from tacit.datasets import load
from tacit.errors import DatasetUnavailable
from tacit.models import read_model


def messy():
    made = messy_table(4_000, seed=3)
    return made.schema, made.frame.with_columns(made.labels), PERSON, {HTML, QUOTED, RIGHT_TO_LEFT}


def bank():
    try:
        found = load("bank-marketing", downloads="never")
    except DatasetUnavailable:
        pytest.skip("needs the data set bank-marketing in the cache")
    return found.schema, found.frame.with_columns(found.target).with_row_index("customer"), "customer", set()


class Text(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.said = set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.said += data


@pytest.mark.parametrize("made", [messy, pytest.param(bank, marks=pytest.mark.study)])
def test_a_rare_class_from_fit_to_decisions(run, tmp_path, made):
    schema, frame, identity, hostile = made()
    label, (common, rare) = schema.label.name, schema.label.classes
    table, rules, model, card = (tmp_path / name for name in ("t.parquet", "schema.toml", "model.json", "card.html"))
    frame.write_parquet(table)
    rules.write_text(schema.to_toml(), encoding="utf-8")
    weighed = ("--class-weight", "balanced", "--holdout", "0.1")
    said = run(
        "fit",
        table,
        "--schema",
        rules,
        "--epsilon",
        "2",
        "--delta",
        "1e-6",
        *weighed,
        "--on-invalid",
        "coerce",
        "--out",
        model,
        "--json",
    )
    privacy = json.loads(said.stdout)["privacy"]
    assert (privacy["status"], privacy["epsilon"]) == ("private", 2.0)

    shown = " ".join(run("inspect", model).stdout.split())
    assert f"a row of {common} counted 0." in shown and "HOW GOOD IT IS Measured on" in shown
    document = json.loads(run("inspect", model, "--json").stdout)
    score = document["held_out"]["balanced_accuracy"]
    assert score["low"] < score["value"] < score["high"]
    findings = [line for line in document["effects"] if line["verdict"] == "finding"]
    assert all(abs(line["effect"]) > 2 * line["deviation"] for line in findings)
    assert not any(line["column"] == "always one" for line in findings)

    assert run("inspect", model, "--html", card).exit_code == 0
    page = Text(card.read_text(encoding="utf-8"))
    assert not page.tags & {"script", "img", "iframe", "b"}
    assert all(name in page.said for name in hostile)
    assert "Probabilities are those of rows with these weights" in page.said

    decisions = tmp_path / "out.parquet"
    how = ("--probabilities", "--threshold", "0.5", "--id", identity, "--on-invalid", "coerce", "--out", decisions)
    assert run("predict", model, table, *how).exit_code == 0
    made_of = pl.read_parquet(decisions)
    assert made_of.columns == [identity, label, f"{label}={common}", f"{label}={rare}"]
    assert made_of[identity].equals(frame[identity], check_dtypes=False)
    likely = made_of[f"{label}={rare}"]
    assert ((likely >= 0.5) == (made_of[label] == rare)).all()
    # Of 10 % positives nothing is found without weights; in sample, of a private fit.
    assert balanced_accuracy_score(frame[label], made_of[label]) > 0.55
    rows = read_model(model).explain(frame.head(3).drop(label))
    assert rows["row"].n_unique() == 3 and rows["contribution"].is_finite().all()


def test_a_holdout_of_five_rows_says_that_it_is_too_small(run, tmp_path):
    schema, frame, _, _ = messy()
    table, rules = tmp_path / "few.parquet", tmp_path / "schema.toml"
    frame.unique(PERSON).head(50).write_parquet(table)
    rules.write_text(schema.to_toml(), encoding="utf-8")
    said = run(
        "fit",
        table,
        "--schema",
        rules,
        "--epsilon",
        "1",
        "--holdout",
        "0.1",
        "--on-invalid",
        "coerce",
        "--out",
        tmp_path / "m.json",
        code=1,
    )
    assert "to measure on at epsilon 1" in " ".join(said.stderr.split())
    assert not (tmp_path / "m.json").exists()
