"""Events of progress count what is public, and are told to nobody where a number is secret."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.mechanisms import Laplace, SimulatedNoise
from tacit.privacy import Accountant, Budget, NumericStatistic, PrivacyUnit, ProgressEvent, observing, progress
from tacit.privacy.progress_events import ROWS_TOGETHER, RowsRead
from tacit.privacy.random_runs import RandomRuns
from tacit.privacy.release import unobserved
from tacit.table.table import BLOCK_ROWS

UNIT = PrivacyUnit(("age",), label=False)


def accountant():
    return Accountant(Budget(1.0), UNIT, SimulatedNoise(0), n_rows=1000)


def spend(door, count=2, unit=UNIT):
    for share in door.split(count):
        door.release(Laplace(share), NumericStatistic("rows", unit, np.asarray(17), l1=1.0, l2=1.0))


def told(work):
    events = []
    with progress(events.append):
        work()
    return [(each.releases, each.of_releases) for each in events]


def test_releases_are_counted_up_to_those_announced():
    assert told(lambda: spend(accountant())) == [(0, 2), (1, 2), (2, 2), (2, 2)]
    assert told(lambda: (spend(accountant(), 1), spend(accountant(), 1)))[-1] == (2, 2)


def test_an_event_holds_numbers_and_no_answer():
    assert [field.name for field in fields(ProgressEvent)] == ["rows", "of_rows", "releases", "of_releases", "finished"]
    events = []
    with progress(events.append):
        spend(accountant())
    assert {type(value) for each in events for value in vars(each).values()} == {int, bool, type(None)}
    assert [each.finished for each in events] == [False, False, False, True]


def test_slices_add_up():
    door, units = accountant(), UNIT.divided(2)

    def both():
        for part, unit in zip(door.in_parallel(units, n_rows=[400, 600]), units, strict=True):
            spend(part, 1, unit)

    assert told(both) == [(0, 1), (1, 1), (1, 2), (2, 2), (2, 2)]


def in_a_run():
    """Spend within a run, whose releases no caller has hidden."""
    run = accountant().in_runs(RandomRuns(9))()
    (unit,) = UNIT.divided(1)
    spend(run.in_parallel([unit], n_rows=[1000])[0], 1, unit)


def test_runs_of_a_secret_number_are_told_to_nobody():
    seen = []
    with observing(seen.append):
        assert told(in_a_run) == [(0, 0)]
    assert seen == []

    def hidden():
        with unobserved():
            spend(accountant())

    assert told(hidden) == [(0, 0)]


def test_what_a_callback_raises_ends_the_work_and_the_charge_stays():
    door = accountant()

    def stop(event):
        if event.releases:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), progress(stop):
        spend(door)
    assert len(door.releases) == 1 and door.remaining == 0.5


def test_a_failed_body_is_not_finished_and_each_follower_is_told_of_its_own():
    outer, inner = [], []
    with progress(outer.append):
        spend(accountant(), 1)
        with pytest.raises(ValueError, match="own"), progress(inner.append):
            spend(accountant(), 1)
            raise ValueError("own")
    spend(accountant())
    assert (inner[-1].of_releases, inner[-1].finished) == (1, False)
    assert (outer[-1].of_releases, outer[-1].finished) == (2, True)


def read(pieces, n_rows=None, **public):
    events = []
    with progress(events.append):
        rows = RowsRead(n_rows, **public)
        for piece in pieces:
            rows.add(piece)
        rows.end()
    return [(each.rows, each.of_rows) for each in events]


@given(st.lists(st.integers(0, 3 * ROWS_TOGETHER), max_size=6))
def test_rows_are_told_in_the_same_steps_however_a_file_is_cut(pieces):
    total = sum(pieces)
    steps = [(at, None) for at in range(0, total + 1, ROWS_TOGETHER)]
    assert read(pieces) == [*steps, (total, total), (total, total)]
    assert [rows for rows, _ in read(pieces, total)] == [rows for rows, _ in read(pieces)]


def test_totals_are_those_of_all_sources_and_private_numbers_of_rows_are_not_told():
    assert BLOCK_ROWS == ROWS_TOGETHER
    assert read([ROWS_TOGETHER], ROWS_TOGETHER)[0] == (0, ROWS_TOGETHER)
    events = []
    with progress(events.append):
        for n_rows in (5, None, 7):
            rows = RowsRead(n_rows)
            rows.add(n_rows or 6)
            rows.end()
    assert [(each.rows, each.of_rows) for each in events[:-1]] == [
        (0, 5),
        (5, 5),
        (5, None),
        (11, 11),
        (11, 18),
        (18, 18),
    ]
    assert read([3 * ROWS_TOGETHER], are_public=False) == [(0, None)]
