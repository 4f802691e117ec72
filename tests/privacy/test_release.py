"""Every release can be recorded, and nothing but the release."""

from __future__ import annotations

import threading
from dataclasses import fields

import numpy as np
import pytest

from tacit import LogisticClassifier, TreeClassifier
from tacit.mechanisms import Laplace, SimulatedNoise
from tacit.privacy import Accountant, Budget, NumericStatistic, ObservedRelease, PrivacyUnit, observing
from tacit.schema import Categorical, Label, Numeric, Schema

UNIT = PrivacyUnit(("age",), label=False)
SENTINEL = 987654321.25


def release(value=SENTINEL):
    door = Accountant(Budget(1.0), UNIT, SimulatedNoise(0), n_rows=1000)
    [share] = door.split(1)
    value = np.full(3, value)
    return door, door.release(Laplace(share), NumericStatistic("ages", UNIT, value, l1=1e6, l2=1e6))


def test_an_observer_sees_line_and_answer_and_nothing_else():
    seen = []
    with observing(seen.append):
        door, answer = release()
    [one] = seen
    assert one.line == door.releases[0]
    assert (one.answer == answer).all()
    assert [field.name for field in fields(ObservedRelease)] == ["line", "answer"]
    assert "987654" not in repr(one.line)


def test_an_observer_cannot_change_the_answer():
    def spoil(one):
        one.answer[:] = 0

    with observing(spoil):
        _, answer = release()
    assert (answer != 0).all()


def test_observers_see_their_own_context_only():
    seen, outer = [], []
    with observing(outer.append):
        with observing(seen.append):
            release()
            other = threading.Thread(target=release)
            other.start()
            other.join()
        release()
    release()
    assert (len(seen), len(outer)) == (1, 2)


def test_an_observer_is_gone_after_an_error():
    seen = []
    with pytest.raises(ValueError, match="mine"), observing(seen.append):
        raise ValueError("mine")
    release()
    assert seen == []


@pytest.mark.parametrize("learner", [LogisticClassifier, TreeClassifier])
def test_what_was_observed_is_what_the_certificate_lists(learner):
    schema = Schema([Numeric("age", 0, 90), Categorical("c", ["u", "v"])], label=Label("y", ["a", "b"]))
    rows = np.asarray([[at % 90, "uv"[at % 2]] for at in range(200)], dtype=object)
    seen = []
    with pytest.warns(), observing(seen.append):
        model = learner(schema, epsilon=1.0, random_state=0).fit(rows, ["ab"[at % 2] for at in range(200)])
    assert tuple(one.line for one in seen) == model.privacy_.releases
