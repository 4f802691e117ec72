"""Every artefact of every paper keeps the contract, and is found by its name."""

from __future__ import annotations

import polars as pl
import pytest

from reproductions.framework import COMPARISON
from reproductions.framework.catalog import artefacts, find, names
from reproductions.framework.reproduction import comparison
from tacit.datasets import names as data_names
from tacit.errors import ParameterError
from tacit.study.run import Store
from tacit.study.run.measures import find_measure


@pytest.fixture(params=names())
def artefact(request):
    [found] = find(request.param)
    return found


FEWER_IN_A_FIT = {"salamatian2021-figure5.4"}
"""Whose quick form measures fewer numbers of rounds in one fit, which is another task then."""


def test_the_quick_form_is_part_of_the_full_one(artefact):
    quick, full = ({task.key for task in artefact.tasks(quick)} for quick in (True, False))
    assert 0 < len(quick) <= len(full)
    assert (quick <= full) == (artefact.name not in FEWER_IN_A_FIT)


def test_every_task_is_plain_and_known(artefact):
    for task in artefact.tasks(True):
        assert callable(find_measure(task.measure))
        assert set(task.labels) >= {"series", "x"} or task.measure.startswith(("lopuhaa2021", "salamatian2021"))
        if data := task.inputs.get("data"):
            assert data in artefact.data
    assert set(artefact.data) <= set(data_names())


def test_before_anything_is_run_the_published_numbers_stand_alone(artefact):
    told = comparison(artefact, Store(":memory:"))
    assert told.columns == list(COMPARISON)
    assert told["ours"].null_count() == told.height
    assert told["runs"].sum() == 0
    assert told.schema["published"] == pl.Float64


def test_what_an_artefact_says_of_itself(artefact):
    assert artefact.name.startswith(f"{artefact.paper.key}-")
    assert 0 < artefact.hours < 100
    for text in (artefact.setting, artefact.quick, artefact.full, artefact.title, *artefact.differences):
        assert text.strip() == text
    assert artefact.differences
    for sentence in artefact.differences:
        assert sentence.endswith(".")


def test_names_of_figures_and_papers_stand_for_their_parts():
    assert [one.name for one in find("shen2022-figure2")] == [f"shen2022-figure2{letter}" for letter in "abcd"]
    assert [one.name for one in find(" Shen2022-Figure 2B ")] == ["shen2022-figure2b"]
    assert {one.paper.key for one in find("nock2015")} == {"nock2015"}
    assert find("all") == artefacts()


@pytest.mark.parametrize(
    ("name", "near"), [("shen2022-figure2e", "shen2022-figure2"), ("nok2015", "nock2015"), ("figure", "shen2022")]
)
def test_a_wrong_name_lists_near_ones(name, near):
    with pytest.raises(ParameterError, match=f"Did you mean .*{near}"):
        find(name)
