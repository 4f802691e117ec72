"""Rows of external learners in a study: scored by the same code as ours, or failed with one sentence."""

import pytest

from reproductions.external import EXTERNAL, external_predictions
from reproductions.external import predictions as room
from tacit.study.fit import area_under_curve, fit_task
from tacit.study.run import Store
from tacit.study.run.tables import Tables
from tacit.study.study import Study

REAL = [pytest.param(name, marks=pytest.mark.study) for name in EXTERNAL]


@pytest.fixture
def faked(monkeypatch, session, learner):
    """Let the name "fake" be an external learner."""
    monkeypatch.setattr(room, "find_external", lambda name: learner("sign", neighbors="add-remove", two_classes=True))
    monkeypatch.setattr(room, "session", lambda: session)


def test_a_external_learners_row_is_scored_here(faked, split, right):
    from tacit.study.fit import scored

    made = external_predictions("fake", split, epsilon=1.0, delta=0.0, seed=2**40, parameters={})
    row = scored(made, split)
    assert row["accuracy"] == ((right > 0) == split.test_labels).mean() > 0.9
    assert row["auc"] == area_under_curve(right, split.test_labels) == 1.0
    assert row["n_train"] == 120 and row["n_private_columns"] == 3


def test_an_external_learner_without_its_environment_is_a_failed_row(monkeypatch, tmp_path, shared):
    monkeypatch.setenv("TACIT_EXTERNAL", str(tmp_path))
    study = Study(["breast-cancer"], ["external:opacus-1.6.0-logistic", "naive-bayes"], [1.0], deltas=[1e-5], repeats=1)
    rows = {row["learner"]: row for row in study.run(workers=1).to_dicts()}
    failed = rows["external:opacus-1.6.0-logistic"]
    assert failed["status"] == "failed" and failed["error"] == "MissingExtra" and failed["kind"] == "external"
    assert (
        failed["message"].endswith("Run: python -m reproductions external install opacus")
        and failed["accuracy"] is None
    )
    assert rows["naive-bayes"]["status"] == "done"


def test_more_classes_than_an_external_learner_knows_are_a_failed_row(shared):
    study = Study(["nursery"], ["external:interpret-0.7.8-dp-ebm"], [1.0], deltas=[1e-5], repeats=1)
    [task] = study.tasks()
    from tacit.study.run.measures import compute

    outcome = compute(task, Tables())
    if outcome.result["error"] == "DatasetUnavailable":
        pytest.skip(outcome.result["message"])
    assert outcome.result["message"].startswith("Expected two classes for external:interpret-0.7.8-dp-ebm")


@pytest.mark.parametrize("name", REAL)
def test_real_external_learners_run_and_repeat_themselves(name, shared):
    """Needs the environments: `python -m reproductions external install`."""
    learner = EXTERNAL[name]
    if not learner.environment.installed():
        pytest.skip(f"Run: python -m reproductions external install {learner.environment.name}")
    from tacit.study.run.measures import compute

    budget = {"epsilon": 20.0, "delta": 1e-4} if learner.private else {}
    shuffled = {"kind": "shuffle", "test_share": 0.25, "repeat": 0}
    task = fit_task(data="breast-cancer", learner=f"external:{name}", split=shuffled, privacy="all-private", **budget)
    one, again = (compute(task, Tables()) for _ in range(2))
    assert one.status == "done", one.result
    assert (one.result["accuracy"], one.result["auc"]) == (again.result["accuracy"], again.result["auc"])
    if not name.startswith("diffprivlib"):  # whose noise is too much for so few rows
        assert one.result["accuracy"] > 0.8


@pytest.mark.study
def test_workers_give_the_rows_of_one(tmp_path):
    learner = EXTERNAL["scikit-learn-1.9.1-tree"]
    if not learner.environment.installed():
        pytest.skip("Run: python -m reproductions external install scikit-learn")
    study = Study(["breast-cancer"], [f"external:{learner.name}"], [1.0], repeats=4)
    two = study.run(Store(tmp_path / "two.sqlite"), workers=2)
    one = study.run(Store(tmp_path / "one.sqlite"), workers=1)
    assert two.select("key", "accuracy", "auc").equals(one.select("key", "accuracy", "auc"))
    assert set(two["status"]) == {"done"}
