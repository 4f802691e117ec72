"""Running artefacts through the store: nothing twice, nothing lost, what is absent is said."""

from __future__ import annotations

import pytest

import reproductions.shen2022.measures  # noqa: F401  registers the toy
from reproductions.framework import Artefact, Axis, Paper
from reproductions.framework.comparison import averaged
from reproductions.framework.page import artefact_markdown, entry, published_numbers
from reproductions.framework.reproduction import comparison, missing_data, obstacle, reproduce, standing
from tacit import __version__
from tacit.errors import ParameterError
from tacit.study.run import Store, Task, measures


def artefact(**changes) -> Artefact:
    def tasks(quick):
        return [
            Task("shen2022-toy", {"epsilon": 100.0, "repeat": repeat, "split": {}}, {"series": "BRC", "x": 100.0})
            for repeat in range(1 if quick else 3)
        ]

    given = {
        "name": "toy2022-figure1",
        "title": "A toy",
        "paper": Paper("toy2022", "A toy paper. 2022."),
        "setting": "One fit.",
        "differences": ("None.",),
        "hours": 0.1,
        "quick": "one of three",
        "axis": Axis("epsilon", "accuracy", "curve"),
        "tasks": tasks,
        "compare": lambda rows: averaged(rows, published={("", "BRC", 100.0): 0.9}),
        "full": "three",
    }
    return Artefact(**(given | changes))


def test_a_longer_run_goes_on_from_a_shorter_one():
    store, seen = Store(":memory:"), []
    assert standing(artefact(), store).extent == "nothing"
    first = reproduce(artefact(), store, workers=1)
    assert standing(artefact(), store).extent == "quick"
    full = reproduce(artefact(), store, quick=False, workers=1, progress=lambda now: seen.append(now.done))
    assert seen == [1, 2, 3]  # the first is found in the store
    assert standing(artefact(), store).extent == "full"
    assert first["runs"].to_list() == [1]
    assert full["runs"].to_list() == [3]
    assert full["published"].to_list() == [0.9]


def test_after_an_interruption_what_is_done_is_shown():
    store, done = Store(":memory:"), []

    def stop(now):
        done.append(now.done)
        if now.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(artefact(), store, quick=False, workers=1, progress=stop)
    assert len(store) == 2
    told = comparison(artefact(), store, quick=False)
    assert told["runs"].to_list() == [2]
    assert told["note"].to_list() == ["1 of 3 are missing: not run"]
    assert standing(artefact(), store).in_words(artefact()) == "quick (one of three)"


def test_what_failed_before_is_tried_again(monkeypatch):
    def refuse(task, tables):
        raise ParameterError("Expected an external learner, got none.")

    store = Store(":memory:")
    with monkeypatch.context() as patched:
        patched.setitem(measures._REGISTERED._values, "shen2022-toy", refuse)
        told = reproduce(artefact(), store, workers=1)
    assert told["runs"].to_list() == [0]
    assert told["note"].to_list() == ["Expected an external learner, got none."]
    assert reproduce(artefact(), store, workers=1)["runs"].to_list() == [1]


def test_without_its_data_an_artefact_says_so_and_the_rest_goes_on(monkeypatch, tmp_path):
    monkeypatch.setenv("TACIT_DATA", str(tmp_path))
    monkeypatch.setattr("tacit.datasets.fetch.user_cache_dir", lambda _: str(tmp_path))
    plain = artefact().tasks(True)
    absent = Task("nock2015-outliers", {"data": "sonar"}, {"series": "outliers", "x": 1.0})
    partly = artefact(data=("sonar",), tasks=lambda quick: [*plain, absent])
    assert missing_data([partly]) == ("sonar",)
    monkeypatch.setattr("reproductions.framework.reproduction._is_here", lambda name, fetch: False)
    told = reproduce(partly, Store(":memory:"), workers=1)
    assert told["runs"].to_list() == [1, 0]
    assert told["note"].to_list() == ["", "not run: the data set sonar is not here"]


def test_an_external_learner_without_its_environment_is_left_out(monkeypatch, tmp_path):
    monkeypatch.setenv("TACIT_EXTERNAL", str(tmp_path))
    task = Task("fit", {"data": "adult", "learner": "external:diffprivlib-0.6.6-logistic"})
    assert (
        obstacle(task, ())
        == "not run: diffprivlib is not installed (python -m reproductions external install diffprivlib)"
    )
    assert obstacle(Task("fit", {"data": "adult", "learner": "brc"}), ()) is None


def test_the_page_says_which_was_run_and_what_is_published():
    store = Store(":memory:")
    reproduce(artefact(), store, workers=1)
    found = entry(artefact(), store)
    page = artefact_markdown(found, picture="toy.png")
    assert "# toy2022-figure1: A toy" in page
    assert "![A toy](toy.png)" in page
    assert "- Run: quick (one of three)." in page
    assert "(0.9)" in page
    assert "- None." in page


def test_the_page_of_all_numbers_leaves_out_what_is_not_published():
    from datetime import date

    store = Store(":memory:")
    silent = artefact(name="toy2022-figure2", compare=averaged)
    page = published_numbers([entry(one, store) for one in (artefact(), silent)], day=date(2026, 1, 2))
    assert "on 2026-01-02" in page
    assert "| toy2022-figure1 | A toy | nothing yet | none | 1 | 0 | 0 | 0 | 1 | 0 |" in page
    assert (
        "Of 1 published numbers, 0 are counted apart. Of the other 1, 0 are reached by the right reading, 0 by a"
        in page
    )
    assert "| toy2022-figure1 | 1 | see below |" in page
    assert "| toy2022-figure2 | A toy | nothing yet | none | none in its text |  |  |  |  | 0 |" in page
    assert page.count("- (0.9)") == 1
    assert page.count("The paper's text prints no number of it.") == 1
    reproduce(artefact(), store, workers=1)
    page = published_numbers([entry(artefact(), store)], day=date(2026, 1, 2))
    assert f"| toy2022-figure1 | A toy | quick (one of three) | {__version__} | 1 |" in page
