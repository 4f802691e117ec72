"""Fits in another process: what comes back, what goes wrong, what is left behind."""

import gc
import os
import sys
import time
from pathlib import Path

import pytest

from reproductions.external import ExternalFailed, external_predictions, predictions, process
from reproductions.external.session import Session
from reproductions.external.trial import made_up, made_up_numbers
from tacit.errors import ParameterError


def test_predictions_and_scores_come_back(fit, right):
    answer, codes, scores = fit("sign")
    assert codes.tolist() == (right > 0).astype(int).tolist()
    assert scores.tolist() == right.tolist()
    assert answer["fit_seconds"] >= 0 and answer["predict_seconds"] >= 0


def test_numbers_come_back_in_the_targets_unit(session, learner):
    split = made_up_numbers()
    answer, numbers = session.fit_number(learner("copying"), split, {"timeout": 60.0}, {})
    assert numbers.tolist() == split.train_labels.tolist() and len(set(numbers)) > 11
    assert answer["fit_seconds"] >= 0 and not answer["scored"]


def test_numbers_that_are_none_are_refused(session, learner):
    with pytest.raises(ExternalFailed, match="a finite number"):
        session.fit_number(learner("unbounded", of_numbers=True), made_up_numbers(), {"timeout": 60.0}, {})


def test_a_study_gets_numbers(session, learner, monkeypatch):
    monkeypatch.setattr(predictions, "find_external", lambda name: learner(name, of_numbers=True))
    monkeypatch.setattr(predictions, "session", lambda: session)
    split = made_up_numbers()
    made = external_predictions("copying", split, epsilon=None, delta=None, seed=0, parameters={})
    assert made.numbers.tolist() == split.train_labels.tolist()


@pytest.mark.parametrize(
    ("name", "has"), [("diffprivlib-0.6.6-linear", "a number"), ("diffprivlib-0.6.6-tree", "classes")]
)
def test_a_schema_of_the_other_kind_is_refused_before_anything_starts(name, has):
    split = made_up() if has == "a number" else made_up_numbers()
    with pytest.raises(ParameterError, match=f"Expected a schema with {has}"):
        external_predictions(name, split, epsilon=1.0, delta=None, seed=0, parameters={})


def test_what_a_library_prints_does_not_come_through(fit, right):
    answer, codes, _ = fit("chatty")
    assert answer["fit_seconds"] < 7 and codes.sum() == (right > 0).sum()


def test_of_an_error_only_the_type_is_told(fit):
    with pytest.raises(ExternalFailed) as caught:
        fit("refusing")
    assert "ValueError" in str(caught.value) and "cell" not in str(caught.value)


def test_a_type_whose_name_was_made_of_a_cell_is_not_told(fit):
    with pytest.raises(ExternalFailed, match="got its error;") as caught:
        fit("naming")
    assert "Cell" not in str(caught.value)


@pytest.mark.parametrize("line", ["cell 3", "[1]", "{}", "[" * 100_000])
def test_what_is_no_answer_ends_the_library(tmp_path, monkeypatch, line):
    script = tmp_path / "serve.py"
    script.write_text(f"print({line!r}, flush=True)\nimport time; time.sleep(60)\n")
    monkeypatch.setattr(process, "SERVE", script)
    asked = process.PeerProcess("fake", Path(sys.executable), tmp_path, tmp_path, idle_seconds=60.0)
    with pytest.raises(ExternalFailed, match="something else") as caught:
        asked.version(timeout=60.0)
    assert "cell" not in str(caught.value)
    assert not asked.usable


def test_after_an_error_the_library_goes_on(fit):
    with pytest.raises(ExternalFailed):
        fit("refusing")
    assert len(fit("sign")[1])


def test_a_fit_that_takes_too_long_is_ended(fit):
    started = time.monotonic()
    with pytest.raises(ExternalFailed, match="within 3 seconds"):
        fit("slow", timeout=3.0)
    assert time.monotonic() - started < 45  # a busy machine starts the library slowly; the fit would take 90 s
    assert len(fit("sign")[1])  # a new process is there for the next


def test_a_library_that_ends_is_a_failure_and_is_started_again(fit):
    with pytest.raises(ExternalFailed, match="got its end"):
        fit("dying")
    assert len(fit("sign")[1])


@pytest.mark.parametrize("model", ["short", "unknown", "endless"])
def test_what_no_fit_gives_is_refused(fit, model):
    with pytest.raises(ExternalFailed, match="a class and a finite score"):
        fit(model)


def test_fits_share_one_process_and_the_arrays_of_their_split(fit, shared):
    assert fit("counting")[2][0] == 1.0
    written = {file: file.stat().st_mtime_ns for file in shared.rglob("*.npy")}
    assert fit("counting")[2][0] == 2.0
    assert {file: file.stat().st_mtime_ns for file in shared.rglob("*.npy")} == written and len(written) == 3


def test_a_library_sees_no_test_label_no_variable_and_no_other_folder(fit, split, tmp_path, monkeypatch):
    monkeypatch.setenv("TACIT_SECRET", "1")
    fit("reporting", report=str(tmp_path / "seen.txt"))
    mode, *seen = (tmp_path / "seen.txt").read_text().split("\n")
    assert mode == "700"
    assert "TACIT_SECRET" not in seen and "OMP_NUM_THREADS" in seen
    shapes = sorted(line for line in seen if line.startswith("("))
    assert shapes == ["(120, 3)", "(120, 3)", "(120,)"]  # training rows and their labels, test rows
    assert len(split.test_labels) == 120


def test_arrays_go_with_their_split(fit, shared):
    split = made_up()
    fit("sign", on=split)
    assert len(list(shared.rglob("*.npy"))) == 3
    del split
    gc.collect()
    assert list(shared.rglob("*.npy")) == []


def test_another_split_has_arrays_of_its_own(fit, shared):
    first = fit("sign")[1]
    other = made_up()
    other.test.columns["size"][:] = 10.0
    assert fit("sign", on=other)[1].all() and not first.all()
    assert len(list(shared.rglob("*.npy"))) == 3


def test_nothing_is_left_at_the_end(fit, session, shared):
    fit("sign")
    process = session._processes["fake"]._process
    session.close()
    assert process.poll() is not None
    assert [path for path in shared.rglob("*") if path.name.startswith("study-")] == []


def test_one_class_in_training_has_no_scores(fit, split):
    split.train_labels[:] = 0
    assert fit("sign")[2] is None


def test_another_version_is_refused(session, split, learner):
    with pytest.raises(ExternalFailed, match=r"Expected fake 2\.0, got another version"):
        session.fit(learner("sign", version="2.0"), split, {"timeout": 60.0}, {})


def test_an_idle_library_leaves_and_another_one_comes(fit, shared):
    session = Session(idle_seconds=1.0)
    assert fit("counting", by=session)[2][0] == 1.0
    assert session._processes["fake"]._process.wait(timeout=30) == 0
    assert fit("counting", by=session)[2][0] == 1.0
    session.close()


def test_the_process_has_a_group_of_its_own(fit, session):
    fit("sign")
    pid = session._processes["fake"]._process.pid
    assert os.getpgid(pid) == pid != os.getpgid(0)
