"""Measures and learners that register themselves: found by name, in worker processes too, and never twice."""

from __future__ import annotations

import polars as pl
import pytest

from study.run import registered
from tacit.errors import ParameterError
from tacit.study.learners import learner_kind, register_learners, spends_budget
from tacit.study.registry import Registry
from tacit.study.run import Store, Task, run
from tacit.study.run.measures import measure
from tacit.study.study import Study


@pytest.mark.parametrize("workers", [1, 2])
def test_a_registered_measure_is_computed_wherever_tasks_are(workers):
    rows = run([Task("double", {"number": number}) for number in range(5)], Store(":memory:"), workers=workers)
    assert rows["status"].to_list() == ["done"] * 5, rows["message"].to_list()
    assert rows["doubled"].to_list() == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("workers", [1, 2])
def test_registered_learners_are_learners_of_a_study(workers):
    rows = Study(["breast-cancer"], ["constant:0", "constant:1"], [1.0], repeats=2).run(workers=workers)
    assert rows["kind"].unique().to_list() == ["constant"]
    assert rows["epsilon"].null_count() == 4
    both = rows.group_by("repeat").agg(pl.col("accuracy").sum())
    assert both["accuracy"].to_list() == pytest.approx([1.0, 1.0])


def test_names_are_checked_by_their_source():
    assert (learner_kind("constant:1"), spends_budget("constant:1")) == ("constant", False)
    with pytest.raises(ParameterError, match="constant:0 or constant:1"):
        Study(["breast-cancer"], ["constant:2"], [1.0])
    with pytest.raises(ParameterError, match="Import the module that registers 'elsewhere'"):
        Study(["breast-cancer"], ["elsewhere:tree"], [1.0])


def test_a_name_is_registered_by_one_module():
    registry: Registry[int] = Registry("number")
    registry.add("one", 1, module="here")
    registry.add("one", 1, module="here")
    with pytest.raises(ParameterError, match="each number once, got 'one' from here and there"):
        registry.add("one", 1, module="there")
    with pytest.raises(ParameterError, match="each measure once"):
        measure("double")(lambda task, tables: {})
    with pytest.raises(ParameterError, match="prefix"):
        register_learners("baseline", registered.Constants())
