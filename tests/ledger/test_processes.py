"""Several processes on one file, and killed ones: never over the limit, never less charged than released."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.ledger import UNIT, Account, Ledger
from tacit.ledger.lines import faults
from tacit.privacy import Budget

RESERVING = """
import sys
from tacit.errors import AccountExceeded
from tacit.ledger import AccountUnit, Ledger
from tacit.privacy import Budget
path, count = sys.argv[1], int(sys.argv[2])
admitted = 0
for _ in range(count):
    try:
        Ledger(path).reserve(Budget(2.0**-10), AccountUnit())
        admitted += 1
    except AccountExceeded:
        pass
print(admitted)
"""


def run_side_by_side(path: Path, processes: int, each: int) -> list[int]:
    command = [sys.executable, "-c", RESERVING, str(path), str(each)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    return [int(one.communicate()[0]) for one in started]


@pytest.mark.parametrize(
    ("processes", "each"), [(3, 20), pytest.param(8, 500, marks=pytest.mark.audit)], ids=["short", "long"]
)
def test_no_reservation_is_lost_and_none_is_above_the_limit(tmp_path, processes, each):
    asked = processes * each
    ledger = Ledger(tmp_path / "x.ledger")
    ledger.open(Account.of("people", Budget((asked - asked // 4) * 2.0**-10)))  # three quarters are admitted
    admitted = sum(run_side_by_side(ledger.path, processes, each))
    assert admitted == asked - asked // 4
    assert ledger.balance().left == 0
    lines = ledger.lines()
    assert len(lines) == 2 + admitted
    assert list(faults(lines)) == []


KILLED = """
import os, signal, sys
import numpy as np
import warnings
from tacit import Label, Numeric, Schema, TreeClassifier
from tacit.ledger import Ledger
from tacit.privacy import observing

warnings.simplefilter("ignore")
path, kills = sys.argv[1], int(sys.argv[2])
schema = Schema([Numeric("a", -1, 1)], label=Label("y", [0, 1]))
X = np.linspace(-1, 1, 60)[:, None]
Y = (X[:, 0] > 0).astype(int)
model = TreeClassifier(schema, epsilon=0.5, max_splits=1, ledger=path)
WATCHED = tuple(f"{os.sep}tacit{os.sep}{room}{os.sep}" for room in ("ledger", "estimators", "privacy", "mechanisms"))

def fit(pipe, kill_at):
    # Every statement of the watched rooms is one tick; the process dies at one of them.
    ticks = 0
    def tick(frame, event, argument):
        nonlocal ticks
        if not any(room in frame.f_code.co_filename for room in WATCHED):
            return None
        if event == "line":
            ticks += 1
            if ticks == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return tick
    with observing(lambda release: os.write(pipe, b"%r\\n" % release.line.loss)):
        sys.settrace(tick)
        try:
            model.fit(X, Y)
        finally:
            sys.settrace(None)
    return ticks

fit(os.open(os.devnull, os.O_WRONLY), 0)
total = fit(os.open(os.devnull, os.O_WRONLY), 0)  # without what runs once in a process
for number in range(kills):
    kill_at = 1 + number * total // kills
    before = Ledger(path).balance().spent
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        fit(writer, kill_at)
        os._exit(3)
    os.close(writer)
    released = sum(map(float, os.fdopen(reader).read().split()))
    status = os.waitpid(child, 0)[1]
    charged = (Ledger(path).balance().spent - before) / 2**40
    print(kill_at, os.waitstatus_to_exitcode(status), charged, released)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
@pytest.mark.parametrize("kills", [12, pytest.param(200, marks=pytest.mark.audit)])
def test_a_fit_that_is_killed_at_any_statement_has_charged_what_it_released(tmp_path, kills):
    ledger = Ledger(tmp_path / "x.ledger")
    ledger.open(Account.of("people", Budget(1000.0)))
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(ledger.path), str(kills)], capture_output=True, text=True, check=True
    )
    fits = [tuple(map(float, line.split())) for line in ended.stdout.splitlines()]
    assert len(fits) == kills
    assert {code for _, code, _, _ in fits} <= {-9.0, 3.0}
    assert all(released <= charged for _, _, charged, released in fits)
    assert {charged for _, _, charged, _ in fits} == {0.0, 0.5}  # killed before the charge, and after it
    assert any(released > 0 for _, code, _, released in fits if code == -9)  # and between releases
    assert list(faults(ledger.lines())) == []
    assert ledger.balance().spent == sum(charged for _, _, charged, _ in fits) * UNIT + UNIT
