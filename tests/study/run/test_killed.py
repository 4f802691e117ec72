"""A study that is killed several times ends as one that never was."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from tacit.study.run import Store
from tacit.study.study import Study

SPEC = """
format = 1
datasets = ["breast-cancer"]
epsilons = [0.1, 1.0]
repeats = 16
learner = [{ learner = "naive-bayes" }, { learner = "tree" }, { learner = "baseline:one-rule" }]
"""

RUN = """
import sys
import time
from tacit.study.study import Study

def told(step):
    print(step.done, flush=True)
    time.sleep(0.02)  # however fast the machine: all deaths come before the end

study = Study.from_toml(sys.argv[1])
study.run(sys.argv[2], workers=int(sys.argv[3]), progress=told)
"""

TIMES = ["fit_seconds", "predict_seconds"]


def started(store, workers):
    command = [sys.executable, "-c", RUN, SPEC, str(store), str(workers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def test_three_sudden_deaths_lose_nothing_and_leave_nothing(tmp_path, cache):
    generator, store = random.Random(7), tmp_path / "rows"
    for at in range(3):
        with started(store, workers=1 + at % 2) as study:
            told = 0
            for _ in range(generator.randrange(6)):  # rows, or none: it may still be starting
                told = int(study.stdout.readline())
            time.sleep(generator.uniform(0, 0.1 if told else 1.5))
            study.kill()
            told = max([told, *map(int, study.stdout.read().split())])
        assert told == 0 or len(Store(store)) >= told
    before = len(Store(store))
    interrupted = Study.from_toml(SPEC).run(store, workers=1)
    assert list(cache.glob("study-*")) == []
    assert 0 < before < len(interrupted) == len(Store(store)) == 80
    whole = Study.from_toml(SPEC).run(workers=1)
    assert interrupted.drop(TIMES).equals(whole.drop(TIMES))
    await_end(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.audit)])
def test_told_to_stop_it_leaves_nothing(tmp_path, cache, number):
    with started(tmp_path / "rows", workers=2) as study:
        for _ in range(3):
            told = int(study.stdout.readline())
        assert len(list(cache.glob("study-*"))) == 1
        study.send_signal(number)
        told = max([told, *map(int, study.stdout.read().split())])
    assert study.returncode == -number
    assert list(cache.glob("study-*")) == []
    assert len(Store(tmp_path / "rows")) >= told
    await_end(tmp_path)


def await_end(folder):
    """Wait until no process names the folder in its environment: neither a study nor a worker."""
    deadline = time.monotonic() + 30
    while (left := processes_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


def processes_of(folder):
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")) if os.path.isdir("/proc") else ():
        try:
            with open(f"/proc/{process}/environ", "rb") as stream:
                found += [process] if str(folder).encode() in stream.read() and int(process) != os.getpid() else []
        except OSError:
            continue
    return found
