"""A task's key and seed follow from what is computed, and from nothing else."""

from __future__ import annotations

import pickle
from hashlib import sha256

import pytest

from tacit.errors import ParameterError
from tacit.study.run import Task


def test_order_and_labels_do_not_change_the_key_and_every_input_does():
    one = Task("fit", {"data": "adult", "epsilon": 1.0}, {"name": "BRC"})
    assert one == Task("fit", {"epsilon": 1.0, "data": "adult"}, {"name": "other"})
    others = [Task("fit", {"data": "adult", "epsilon": 2.0}), Task("other", dict(one.inputs)), Task("fit", {})]
    assert len({one.key, *(task.key for task in others)}) == 4
    assert len({one.seed, *(task.seed for task in others)}) == 4
    assert all(0 <= task.seed < 2**63 for task in [one, *others])


def test_a_key_is_the_same_in_every_process_and_version():
    assert Task("fit", {"epsilon": 1.0}).key == sha256(b'["fit",{"epsilon":1.0}]').hexdigest()[:32]


def test_tasks_travel_with_their_labels():
    task = Task("fit", {"parameters": {"rounds": 3}}, {"panel": "left"}).labeled(series="BRC")
    copy = pickle.loads(pickle.dumps(task))
    assert (copy, dict(copy.labels)) == (task, {"panel": "left", "series": "BRC"})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_only_plain_values_describe_a_task(value):
    with pytest.raises(ParameterError, match="plain JSON"):
        Task("fit", {"epsilon": value})


def test_nobody_changes_a_task():
    given = {"epsilon": 1.0}
    task = Task("fit", given)
    given["epsilon"] = 2.0
    assert task.inputs["epsilon"] == 1.0
    with pytest.raises(TypeError):
        task.inputs["epsilon"] = 2.0


def test_a_task_called_otherwise_shares_key_and_inputs_and_no_labels():
    one = Task("fit", {"data": "a", "epsilon": 1.0}, {"series": "x", "panel": "p"})
    other, bare = one.labeled(series=2.0, at=(1, 2)), one.unlabeled()
    assert one.key == other.key == bare.key == Task("fit", {"data": "a", "epsilon": 1.0}).key
    assert dict(other.labels) == {"series": 2.0, "panel": "p", "at": [1, 2]}
    assert dict(one.labels) == {"series": "x", "panel": "p"}
    assert dict(bare.labels) == {}
    assert other.inputs == one.inputs


def test_labels_of_no_json_are_refused():
    with pytest.raises(ParameterError, match="plain JSON"):
        Task("fit", {"data": "a"}).labeled(series=object())
