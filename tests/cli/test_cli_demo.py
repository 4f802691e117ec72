"""The demo: honest figures, files that can be used, and a picture."""

from __future__ import annotations

import shlex
import sys
from functools import cache

import polars as pl
import pytest

from tacit import load_model, report
from tacit.cli import demo_study
from tacit.datasets.catalog import digest, records


@cache
def measured() -> tuple[pl.DataFrame, list]:
    """One small epsilon, where the learner is fast; the demo's own code."""
    steps = []
    return demo_study.measured(steps.append), steps


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setenv("TACIT_DATA", "/nowhere")
    monkeypatch.setattr(demo_study, "EPSILONS", (0.01,))
    monkeypatch.setattr(demo_study, "CHOSEN", 0.01)


@pytest.fixture
def known(monkeypatch):
    """Figures that were measured before, so that each command takes a second."""
    settings, _ = measured()
    monkeypatch.setattr(demo_study, "measured", lambda progress: settings)


def test_the_demo_writes_a_private_model_and_commands_that_work(run, tmp_path, monkeypatch, known):
    monkeypatch.chdir(tmp_path)
    result = run("demo", "--out", "a demo")
    folder = tmp_path / "a demo"
    assert sorted(path.name for path in folder.iterdir()) == [
        "accuracy.html",
        "card.html",
        "model.json",
        "new.csv",
        "schema.toml",
        "train.csv",
    ]
    model = load_model(folder / "model.json")
    guarantee = model.guarantee
    assert (guarantee.status, guarantee.epsilon, guarantee.n_rows) == ("private", demo_study.CHOSEN, 32_561)
    assert "rows x epsilon per column" in model.why  # the rule of the automatic choice
    page = (folder / "accuracy.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "private: everything" in page and demo_study.OTHERS in page
    assert "<script" not in (folder / "card.html").read_text()
    assert "simulated" in result.stdout
    assert "doi 10.24432/C5XW20, CC BY 4.0" in result.stdout
    commands = [line.split("tacit ", 1)[1] for line in result.stdout.splitlines() if line.startswith("  tacit ")]
    assert len(commands) == 4
    for command in commands[:3]:  # the last one trains at epsilon 1
        run(*shlex.split(command))
    assert "--epsilon 1 " in commands[3]


def test_the_picture_shows_the_means_and_needs_no_extra(run, tmp_path, monkeypatch, known):
    monkeypatch.setitem(sys.modules, "plotly", None)
    drawn = []
    monkeypatch.setattr(report, "write_picture", lambda figure, path, **_: drawn.append(figure))
    run("demo", "--out", tmp_path / "demo", "--quiet")
    curves = {e["meta"]: (e["x"], e["y"]) for e in drawn[0]["data"] if e["mode"] == "lines+markers"}
    settings = measured()[0].filter(pl.col("epsilon").is_not_null())
    assert curves == {
        **{row["name"]: ([0.01], pytest.approx([row["mean"]])) for row in settings.iter_rows(named=True)},
        demo_study.OTHERS: ([0.01], [0.779]),
    }


def test_the_demo_refuses_a_folder_it_cannot_make(run, tmp_path):
    (tmp_path / "file").write_text("")
    run("demo", "--out", tmp_path / "none" / "demo", code=1)
    run("demo", "--out", tmp_path / "file", code=1)
    assert (tmp_path / "file").read_text() == ""


def test_the_table_of_the_package_is_the_known_one_and_says_whose_it_is():
    cut = demo_study.parts()
    assert (cut.train.height, cut.test.height) == (32_561, 16_281)
    record = records()["adult"]
    where, read = record.found("never", None)
    assert where.endswith("tables/adult.parquet")
    assert digest(read()) == record.digest
    said = pl.read_parquet_metadata(where)
    assert "10.24432/C5XW20" in said["source"]
    assert "CC BY 4.0" in said["licence"]


def test_the_figures_are_those_of_the_learners():
    settings, steps = measured()
    assert steps[-1].done == steps[-1].total == 2 + 3
    assert settings["failed"].sum() == 0
    means = dict(settings.select("name", "mean").iter_rows())
    assert means[demo_study.OPEN] > means[demo_study.PUBLIC] > means[demo_study.MAJORITY]
    assert means[demo_study.MAJORITY] == pytest.approx(12_435 / 16_281)
    assert set(settings["learner"]) >= {"auto"}


def test_stored_figures_are_drawn_where_they_were_measured(monkeypatch):
    settings, _ = measured()
    assert demo_study.with_others(settings).filter(pl.col("name") == demo_study.OTHERS)["epsilon"].to_list() == [0.01]
    monkeypatch.setattr(demo_study, "EPSILONS", (0.1, 0.2, 1.0))
    others = demo_study.with_others(settings).filter(pl.col("name") == demo_study.OTHERS)
    assert others["epsilon"].to_list() == [0.1, 1.0]
    assert others["mean"].to_list() == [0.836, 0.852]
