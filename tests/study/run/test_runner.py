"""Whatever the number of workers and whatever happens to them, the rows are the same, and each is there once."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

from tacit.errors import ParameterError
from tacit.study.run import Store, Task, compute, run
from tacit.study.run.claims import Claims, claimed, write_tasks
from tacit.study.run.progress import Remaining
from tacit.study.run.tables import Tables

TIMES = ["seconds", "fit_seconds", "predict_seconds"]


def bare(rows):
    return rows.drop(TIMES, strict=False)


def workers_of_this_process():
    """Processes that computed rows; where the system lists none, none."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")) if os.path.isdir("/proc") else ():
        with suppress(OSError):
            parent = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1]
            command = Path(f"/proc/{process}/cmdline").read_text()
            if int(parent) == os.getpid() and "popen_loky" in command:
                found.append(command)
    return found


@pytest.fixture
def tasks(small):
    learners = ("naive-bayes", "tree", "reference:logistic", "reference:one-rule")
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

    monkeypatch.setattr(compute, "measure", lambda name: warning)
    warnings.simplefilter("always")
    assert compute.compute(Task("any", {}), Tables()).status == "done"
    assert not recwarn.list


def test_a_failure_is_a_row_and_the_rest_goes_on(small):
    wrong = small(parameters={"parts": 1})  # refused by the table, in our words
    foreign = small(learner="reference:logistic", parameters={"C": "SECRET"})  # refused by scikit-learn, in its own
    good, seen = small(), []
    store = Store(":memory:")
    rows = run([wrong, foreign, good], store, workers=1, progress=seen.append)
    assert rows["status"].to_list() == ["failed", "failed", "done"]
    assert rows["error"].to_list() == ["ParameterError", "InvalidParameterError", None]
    assert rows["message"][0].startswith("Expected 2 to 255 parts, got parts=1.")
    assert "withheld" in rows["message"][1]
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


class Killer(threading.Thread):
    """Kills each worker that has claimed a task of one learner, so many times."""

    def __init__(self, cache, learner, times):
        super().__init__(daemon=True)
        self.cache, self.learner, self.times = cache, learner, times
        self.killed = set()

    def run(self):
        while len(self.killed) < self.times:
            for claim in set(self.cache.glob("study-*/round-*/claims/*")) - self.killed:
                documents = json.loads((claim.parents[1] / "tasks.json").read_text())
                worker = claim.read_text()
                if documents[int(claim.name)]["inputs"]["learner"] == self.learner and worker:
                    self.killed.add(claim)
                    os.kill(int(worker), signal.SIGKILL)
            time.sleep(0.002)


@pytest.mark.parametrize("times", [1, 2])
def test_a_worker_that_dies_costs_at_most_its_own_row(small, cache, times):
    slow = small(learner="reference:random-forest", parameters={"n_estimators": 600})
    tasks = [small(0.1), slow, small(0.2), small(0.3)]
    killer = Killer(cache, "reference:random-forest", times)
    killer.start()
    rows = run(tasks, Store(":memory:"), workers=2)
    killer.join(30)
    assert len(killer.killed) == times
    assert rows["key"].to_list() == [task.key for task in tasks]
    assert rows["status"].to_list() == ["done", "done" if times == 1 else "failed", "done", "done"]
    if times == 2:
        assert rows["error"][1] == "WorkerDied"
        assert "memory" in rows["message"][1]
    assert list(cache.glob("study-*")) == []


def test_a_worker_stays_with_a_split_and_helps_out_at_the_end(tmp_path, small):
    sizes = {0: 5, 1: 2}  # fits of each split
    tasks = [small(0.1 + n, repeat=repeat) for repeat, size in sizes.items() for n in range(size)]
    write_tasks(tmp_path, tasks)
    one, two = Claims(tmp_path), Claims(tmp_path)
    order = [each.claim() for each in (one, two, one, one, two, two, one, two)]
    assert [found and found[1].inputs["repeat"] for found in order] == [0, 1, 0, 0, 1, 0, 0, None]
    assert len({found[0] for found in order if found}) == 7
    assert claimed(tmp_path) == list(range(7))


def test_time_left_follows_from_tasks_of_the_same_kind(small):
    quick, slow = [small(e, "tree") for e in (0.1, 0.2, 0.3)], [small(e, "brc") for e in (0.1, 0.2)]
    left = Remaining([*quick[1:], slow[1]], {quick[0]: 1.0, slow[0]: 10.0}, workers=2)
    assert left.seconds() == (2 * 1.0 + 10.0) / 2
    left.finished(slow[1], 10.0)
    assert left.seconds() == 2 * 1.0 / 2
    assert Remaining(quick, {}, workers=2).seconds() is None
    unknown = Remaining([small(0.1, "lazybb")], {quick[0]: 1.0, slow[0]: 3.0}, workers=8)
    assert unknown.seconds() == 2.0  # the mean of all, on the one worker that has something to do
