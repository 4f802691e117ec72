"""The demo: honest figures, files that can be used, and a picture."""

from __future__ import annotations

import sys

import polars as pl
import pytest

from tacit import load_model, report
from tacit.cli import demo_study


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(demo_study, "EPSILONS", (0.5, 1.0))
    monkeypatch.setattr(demo_study, "REPETITIONS", 2)


def test_the_demo_writes_a_private_model_and_commands_that_work(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("demo", "--out", "a demo")
    folder = tmp_path / "a demo"
    assert sorted(path.name for path in folder.iterdir()) == [
        "accuracy.html",
        "model.json",
        "new.csv",
        "schema.toml",
        "train.csv",
    ]
    guarantee = load_model(folder / "model.json").guarantee
    assert (guarantee.status, guarantee.epsilon, guarantee.n_rows) == ("private", demo_study.CHOSEN, 400)
    page = (folder / "accuracy.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "private: everything" in page
    assert "simulated" in result.stdout
    commands = [line.split("tacit ", 1)[1] for line in result.stdout.splitlines() if line.startswith("  tacit ")]
    assert len(commands) == 4
    import shlex

    for command in commands:
        run(*shlex.split(command))
    run("demo", "--out", "a demo", "--quiet")


def test_the_picture_shows_the_means_and_needs_no_extra(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    drawn = []
    monkeypatch.setattr(report, "write_picture", lambda figure, path, **_: drawn.append(figure))
    run("demo", "--out", tmp_path / "demo")
    settings = demo_study.measured(lambda _: None).filter(pl.col("name") == demo_study.SOME)
    (shown,) = (e for e in drawn[0]["data"] if e["meta"] == demo_study.SOME and e["mode"] == "lines+markers")
    assert (shown["x"], shown["y"]) == ([0.5, 1.0], pytest.approx(settings["mean"].to_list()))


def test_the_demo_refuses_a_folder_it_cannot_make(run, tmp_path):
    (tmp_path / "file").write_text("")
    run("demo", "--out", tmp_path / "none" / "demo", code=1)
    run("demo", "--out", tmp_path / "file", code=1)
    assert (tmp_path / "file").read_text() == ""


def test_train_and_test_rows_are_apart_and_all_there():
    cut = demo_study.parts()
    together = cut.train.vstack(cut.test)
    assert (cut.train.height, cut.test.height) == (400, 169)
    assert together.unique().height == 569


def test_figures_are_repeatable():
    steps = []
    first = demo_study.measured(steps.append)
    assert first.drop("fit_seconds", "predict_seconds").equals(
        demo_study.measured(lambda _: None).drop("fit_seconds", "predict_seconds")
    )
    assert steps[-1].done == steps[-1].total == 2 * 2 * 2 + 3 * 2
    assert first["failed"].sum() == 0
    means = dict(first.select("name", "mean").iter_rows())
    assert means[demo_study.OPEN] > means[demo_study.PUBLIC] > means[demo_study.MAJORITY] > 0.5
