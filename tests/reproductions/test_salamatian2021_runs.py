"""Runs of the study on a small table in place of a data set."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reproductions.salamatian2021 import runs
from tacit.datasets.catalog import Dataset
from tacit.schema import Categorical, Label, Numeric, Schema

SCHEMA = Schema(
    [Categorical("a", ["u", "v"]), Numeric("LIMIT_BAL", 0, 1000, private=False)],
    label=Label("y", ["no", "yes"], private=False),
)

N_ROWS = 4000


@pytest.fixture(autouse=True)
def small(monkeypatch):
    generator = np.random.default_rng(0)
    a, money = (
        generator.integers(0, 2, N_ROWS),
        np.where(generator.random(N_ROWS) < 0.8, 0.0, generator.uniform(5, 1000, N_ROWS)),
    )
    frame = pl.DataFrame({"a": np.asarray(["u", "v"])[a], "LIMIT_BAL": money})
    target = pl.Series("y", np.where((a == 1) ^ (generator.random(N_ROWS) < 0.05), "yes", "no"))
    data = Dataset("mushroom", frame, target, SCHEMA)
    monkeypatch.setattr(runs, "load", lambda name: data)
    return data


def test_accuracies_are_by_folds_and_repeatable():
    found = runs.accuracies("mushroom", 100.0, repeats=4, rounds=3)
    assert found.shape == (4,)
    assert found.mean() == pytest.approx(0.95, abs=0.03)
    assert (found == runs.accuracies("mushroom", 100.0, repeats=4, rounds=3)).all()


def test_official_splits_are_kept(small, monkeypatch):
    split = np.asarray(["train"] * 3000 + ["test"] * 1000)
    monkeypatch.setattr(runs, "load", lambda name: Dataset("adult", small.frame, small.target, SCHEMA, split))
    for train, test in runs._splits(runs.load("adult"), 2):
        assert (len(train), test[0]) == (3000, 3000)


def test_tables_have_a_row_for_each_epsilon():
    assert runs.default_accuracies(["mushroom"], [1.0]).columns == ["name", "epsilon", "tables B", "auto", "auto, tree"]
    cuts = runs.cut_point_accuracies(["mushroom"], [1.0, 3.0], repeats=2)
    assert cuts.shape == (2, 6)
    assert cuts.select("even", "log", "private").to_numpy().min() > 0.8


def test_money_is_cut_by_logarithm():
    assert [runs.with_scales(SCHEMA, large=scale).column("LIMIT_BAL").scale for scale in ("linear", "log")] == [
        "linear",
        "log",
    ]
    cut = Schema([Numeric("far", 0, 5000, cuts=[10])], label=SCHEMA.label)
    assert runs.with_scales(cut, large="log").column("far").cut_points is None
