"""The demo: honest figures, files that can be used, and a picture."""

from __future__ import annotations

import sys

import pytest

from tacit import load_model
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
    curve = demo_study.Curve("some", (0.5, 1.0), ((0.6, 0.8), (0.7, 0.8)))
    assert curve.means == pytest.approx((0.7, 0.75))
    figure = demo_study.picture([curve], [demo_study.Reference("none", 0.9)])
    (shown,) = (each for each in figure["data"] if each["meta"] == "some" and each["mode"] == "lines+markers")
    assert (shown["x"], shown["y"]) == ([0.5, 1.0], pytest.approx([0.7, 0.75]))
    run("demo", "--out", tmp_path / "demo")
    assert (tmp_path / "demo" / "accuracy.html").exists()


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
    cut = demo_study.parts()
    ticks = []
    first = demo_study.curves(cut, lambda: ticks.append(1))
    assert first == demo_study.curves(cut, lambda: None)
    assert len(ticks) == 2 * 2 * 2
    open_, public, constant = (each.accuracy for each in demo_study.references(cut))
    assert open_ > public > constant > 0.5
