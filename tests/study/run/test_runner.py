"""Whatever the number of workers and whatever happens to them, the rows are the same, and each is there once."""

from __future__ import annotations

import os
import random
import signal
import threading
import warnings
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from tacit.errors import ParameterError
from tacit.study.run import Store, Task, measures, pool, run
from tacit.study.run.pool import Waiting
from tacit.study.run.progress import Remaining
from tacit.study.run.tables import Tables

TIMES = ["seconds", "fit_seconds", "predict_seconds"]


def bare(rows):
    return rows.drop(TIMES, strict=False)


IDLE = set()
"""Processes of joblib's own pool, which tests of other files leave idle for minutes."""


@pytest.fixture(autouse=True)
def _without_pools_of_other_tests():
    IDLE.clear()
    IDLE.update(workers_of_this_process())


def workers_of_this_process():
    """Processes that compute rows; where the system lists none, none."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")) if os.path.isdir("/proc") else ():
        with suppress(OSError):
            parent = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1]
            command = Path(f"/proc/{process}/cmdline").read_text()
            if int(parent) == os.getpid() and "popen_loky" in command and int(process) not in IDLE:
                found.append(int(process))
    return found


@pytest.fixture
def tasks(small):
    learners = ("naive-bayes", "tree", "baseline:logistic", "baseline:one-rule")
    return [small(0.5, learner, repeat) for repeat in range(3) for learner in learners]


def test_any_number_of_workers_gives_the_same_rows_and_so_does_one_task_alone(tasks, cache):
    rows = run(tasks, Store(":memory:"), workers=1)
    assert rows["status"].to_list() == ["done"] * len(tasks)
    seen = []
    assert bare(
        run(tasks, Store(":memory:"), workers=3, progress=lambda _: seen.append(len(workers_of_this_process())))
    ).equals(bare(rows))
    assert max(seen) == 3 or not os.path.isdir("/proc")
    assert workers_of_this_process() == []  # idle ones would keep rows in memory
    for at in (5, 10):
        assert bare(run([tasks[at]], Store(":memory:"), workers=1)).to_dicts() == [bare(rows).to_dicts()[at]]
    assert list(cache.glob("study-*")) == []


def test_what_is_stored_is_not_computed_again(tasks):
    store, seen = Store(":memory:"), []
    run(tasks[:4], store, workers=1)
    first = store.rows(tasks)
    rows = run(tasks, store, workers=1, progress=seen.append)
    assert rows[:4].equals(first)
    assert [step.done for step in seen] == list(range(4, len(tasks) + 1))
    assert {step.total for step in seen} == {len(tasks)}
    assert seen[0].seconds_left > 0
    assert seen[-1].seconds_left == 0
    assert run(tasks, store, workers=1).equals(rows)


def test_warnings_are_kept_back_as_they_may_quote_cells(monkeypatch, recwarn):
    def warning(task, tables):
        warnings.warn("cell 0.123", RuntimeWarning, stacklevel=1)
        return {"accuracy": 1.0}

    monkeypatch.setattr(measures, "find_measure", lambda name: warning)
    warnings.simplefilter("always")
    assert measures.compute(Task("any", {}), Tables()).status == "done"
    assert not recwarn.list


def test_a_failure_is_a_row_and_the_rest_goes_on(small):
    wrong = small(parameters={"n_bins": 1})  # refused by the table, in our words
    foreign = small(learner="baseline:logistic", parameters={"C": "SECRET"})  # refused by scikit-learn, in its own
    good, seen = small(), []
    store = Store(":memory:")
    rows = run([wrong, foreign, good], store, workers=1, progress=seen.append)
    assert rows["status"].to_list() == ["failed", "failed", "done"]
    assert rows["error"].to_list() == ["ParameterError", "InvalidParameterError", None]
    assert rows["message"][0].startswith("Expected a whole number from 2 to 255, got n_bins=1.")
    assert "is not shown" in rows["message"][1]
    assert "SECRET" not in rows["message"][1]
    assert seen[-1].failed == 2
    again = []
    run([wrong, foreign, good], store, workers=1, progress=again.append)
    assert [(step.done, step.failed) for step in again] == [(3, 2)]
    run([wrong, foreign, good], store, workers=1, progress=again.append, retry_failed=True)
    assert [(step.done, step.failed) for step in again[1:]] == [(1, 0), (2, 1), (3, 2)]


def test_unknown_measures_and_numbers_of_workers(small):
    [row] = run([Task("no such", {})], Store(":memory:"), workers=1).to_dicts()
    assert row["message"].startswith("Expected a measure, got measure='no such'.")
    with pytest.raises(ParameterError, match="at least 1 worker"):
        run([small()], Store(":memory:"), workers=0)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_stops_and_keeps_what_is_finished(tasks, tmp_path, cache, workers):
    store = Store(tmp_path / "rows")

    def interrupt(step):
        if step.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tasks, store, workers=workers, progress=interrupt)
    assert len(store) == 3
    assert list(cache.glob("study-*")) == []
    assert len(run(tasks, store, workers=1)) == len(tasks)


def dying_for(learner, times, folder):
    """Return what a worker does with a task: fits of one learner end it, so many times, as a lack of memory would."""

    def compute_or_die(task):
        from tacit.study.run import pool

        if task.inputs["learner"] == learner and len(os.listdir(folder)) < times:
            open(f"{folder}/{os.getpid()}", "w").close()
            os.kill(os.getpid(), 9)
        return pool._compute(task)

    compute_or_die.__module__ = "__main__"  # so that it is sent whole: workers do not know the tests
    return compute_or_die


@pytest.mark.parametrize("times", [2, 3])
def test_a_row_that_takes_three_workers_with_it_has_failed_and_the_next_run_tries_again(
    small, cache, tmp_path, monkeypatch, times
):
    tasks = [small(0.1), small(0.1, "tree"), small(0.2), small(0.3)]
    died = tmp_path / "died"
    died.mkdir()
    store, seen = Store(tmp_path / "rows"), []
    monkeypatch.setattr(pool, "_compute", dying_for("tree", times, died))
    rows = run(tasks, store, workers=2, progress=seen.append)
    assert len(os.listdir(died)) == times
    assert rows["key"].to_list() == [task.key for task in tasks]
    assert rows["status"].to_list() == ["done", "done" if times < 3 else "failed", "done", "done"]
    assert (seen[-1].done, seen[-1].failed) == (4, int(times == 3))
    assert list(cache.glob("study-*")) == []
    if times == 3:
        assert rows["error"][1] == "WorkerDied"
        assert "memory" in rows["message"][1]
        again = run(tasks, store, workers=2, progress=seen.append)
        assert again["status"].to_list() == ["done"] * 4
        assert (seen[-1].done, seen[-1].failed) == (4, 0)


class Killer(threading.Thread):
    """Kills one worker of this process every so many seconds, first the first that it sees."""

    def __init__(self, seconds):
        super().__init__(daemon=True)
        self.seconds, self.killed, self.stopped = seconds, 0, threading.Event()

    def run(self):
        generator = random.Random(5)
        while not self.stopped.is_set():
            if workers := workers_of_this_process():
                with suppress(ProcessLookupError):
                    os.kill(generator.choice(workers), signal.SIGKILL)
                    self.killed += 1
                self.stopped.wait(self.seconds)
            self.stopped.wait(0.002)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.join()


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="finds processes in /proc")
@pytest.mark.parametrize("seconds", [0.7, 0.0])
def test_whoever_kills_workers_all_the_time_the_study_ends_and_all_rows_are_done(tasks, tmp_path, cache, seconds):
    """On a slow machine no worker lives until it begins a row, nor on any if they are killed at once."""
    store = Store(tmp_path / "rows")
    with Killer(seconds) as killer:
        rows = run(tasks, store, workers=2)
    assert killer.killed >= (1 if seconds else pool.MAX_FALSE_STARTS)
    assert rows["status"].to_list() == ["done"] * len(tasks)
    assert workers_of_this_process() == []
    assert list(cache.glob("study-*")) == []
    assert bare(rows).equals(bare(run(tasks, Store(":memory:"), workers=1)))


def test_workers_are_started_from_nothing_after_polars_was_used(small):
    """A forked child would wait for ever for the threads of polars, which it does not have."""
    frame = pl.DataFrame({"a": list(range(100_000))})
    assert frame.lazy().group_by(pl.col("a") % 7).agg(pl.len()).collect().height == 7
    rows = run([small(0.1), small(0.2, "tree")], Store(":memory:"), workers=2)
    assert rows["status"].to_list() == ["done", "done"]


def test_a_worker_stays_with_a_split_and_helps_out_at_the_end(small):
    sizes = {0: 5, 1: 2}  # fits of each split
    tasks = [small(0.1 + n, repeat=repeat) for repeat, size in sizes.items() for n in range(size)]
    waiting = Waiting(tasks)
    order = [waiting.take(each) for each in ("one", "two", "one", "one", "two", "two", "one", "two")]
    assert [found and found.inputs["repeat"] for found in order] == [0, 1, 0, 0, 1, 0, 0, None]
    assert len(set(filter(None, order))) == 7
    assert not waiting


def test_time_left_follows_from_tasks_of_the_same_kind(small):
    quick, slow = [small(e, "tree") for e in (0.1, 0.2, 0.3)], [small(e, "brc") for e in (0.1, 0.2)]
    left = Remaining([*quick[1:], slow[1]], {quick[0]: 1.0, slow[0]: 10.0}, workers=2)
    assert left.seconds() == (2 * 1.0 + 10.0) / 2
    left.finished(slow[1], 10.0)
    assert left.seconds() == 2 * 1.0 / 2
    assert Remaining(quick, {}, workers=2).seconds() is None
    unknown = Remaining([small(0.1, "lazybb")], {quick[0]: 1.0, slow[0]: 3.0}, workers=8)
    assert unknown.seconds() == 2.0  # the mean of all, on the one worker that has something to do
