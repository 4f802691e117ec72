"""The figures of 2022: published numbers as counts of rows, the baseline as published, learners in stages."""

from __future__ import annotations

from math import ceil

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from reproductions.external import EXTERNAL
from reproductions.framework.catalog import find
from reproductions.framework.readings import is_second
from reproductions.shen2022.baselines import ScaledLogistic
from reproductions.shen2022.measures import _bucket, alphabetical_logistic, scaled_baseline, staged, toy
from reproductions.shen2022.series import DIFFPRIVLIB, Setting, curves, lines
from reproductions.shen2022.settings import PUBLISHED_REFERENCES, TOY_ROUNDS
from tacit.datasets import load
from tacit.errors import DatasetUnavailable
from tacit.models import LinearRule
from tacit.study.learners import predictions
from tacit.study.run import Task
from tacit.study.run.tables import Tables

BALANCED = {"adult": 23_374, "credit-default": 13_272, "sepsis-survival": 16_210, "bank-marketing": 10_578}
"""Twice the rows of the smaller class."""


def needs(name: str) -> None:
    try:
        load(name, downloads="never")
    except DatasetUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", BALANCED)
def test_the_published_accuracies_are_those_of_one_split(name):
    """A whole number of the rows of one test set, to the last digit printed: no mean of ten splits."""
    n_test = ceil(0.1 * BALANCED[name])
    for accuracy in PUBLISHED_REFERENCES[name].values():
        assert round(round(accuracy * n_test) / n_test, 4) == accuracy


def test_the_small_table_has_23_test_rows():
    assert [round(right / 23, 4) for right in (19, 14)] == [0.8261, 0.6087]
    needs("adult")
    labels = load("adult").target[:500]
    assert int((labels == ">50K").sum()) == 113


def test_the_baseline_finds_the_plane_where_noise_is_small():
    generator = np.random.default_rng(0)
    features = generator.uniform(-1, 1, (4000, 3))
    labels = (features @ [1.0, -2.0, 0.5] + 0.3 + generator.logistic(size=4000) / 4 > 0).astype(int)
    private = ScaledLogistic(1e6, seed=1).fit(features, labels)
    # Rows are divided by sqrt 4 = 2: the same plane has weights twice as large, which cost four times as much.
    plain = LogisticRegression(C=0.25, fit_intercept=False, tol=1e-8).fit(
        np.column_stack([features, np.ones(4000)]), labels
    )
    assert private.weights_ / 2 == pytest.approx(plain.coef_[0], rel=2e-3)
    assert np.mean(private.predict(features) == labels) > 0.85


def test_the_baseline_draws_noise_of_the_published_size():
    """With one row, lambda w is about -b, whose norm is Gamma(d + 1, 2 / epsilon'), of mean 2 (d + 1) / epsilon'."""
    sizes = []
    for seed in range(400):
        model = ScaledLogistic(0.1, seed=seed).fit(np.zeros((1, 3)), np.array([1]))
        sizes.append(np.linalg.norm(model.weights_) * model.regularization_)
    assert model.regularization_ == pytest.approx(0.25 / np.expm1(0.025))
    assert np.mean(sizes) == pytest.approx(2 * 4 / 0.05, rel=0.1)  # four deviations of the mean of 400


def test_the_toy_example_counts_each_round_once():
    told = toy(Task("shen2022-toy", {"epsilon": 100.0, "repeat": 0}), Tables())
    assert sum(told[f"count {bucket}"] for bucket in range(20)) == TOY_ROUNDS
    assert told["accuracy"] > 0.9
    assert (told["count 0"] == 0) == (told["weight 0"] is None)


@pytest.mark.parametrize(("threshold", "bucket"), [(-1.0005, 0), (-0.9, 1), (-0.0005, 9), (0.0005, 10), (1.0, 19)])
def test_a_threshold_falls_into_its_hundred_points(threshold, bucket):
    assert _bucket(LinearRule((-1.0,), threshold)) == bucket


def test_stages_end_where_the_fit_ends():
    needs("adult")
    split = {"kind": "shuffle", "test_share": 0.1, "repeat": 0, "first": 500, "balanced": True}
    inputs = {"data": "adult", "file": None, "privacy": "as-declared", "split": split, "seed": 0}
    task = Task("shen2022-staged", {**inputs, "learner": "brc", "epsilon": 1.0, "rounds": 5})
    tables = Tables()
    told = staged(task, tables)
    assert list(told) == [f"round {at}" for at in range(1, 6)]
    cut = tables.split(task)
    made = predictions("brc", cut, epsilon=1.0, delta=0.0, seed=task.seed, parameters={"rounds": 5, "calibration": 0})
    assert told["round 5"] == float(np.mean(made.codes == cut.test_labels))
    boosted = staged(
        Task("shen2022-staged", {**inputs, "learner": "random-adaboost", "epsilon": None, "rounds": 5}), tables
    )
    assert all(0 <= accuracy <= 1 for accuracy in boosted.values())


def test_baselines_of_a_split_are_measured_on_its_test_rows():
    needs("adult")
    split = {"kind": "shuffle", "test_share": 0.1, "repeat": 0, "first": 500, "balanced": True}
    inputs = {"data": "adult", "file": None, "privacy": "as-declared", "split": split, "seed": 0}
    tables = Tables()
    for accuracy in (
        scaled_baseline(Task("shen2022-baseline", {**inputs, "epsilon": 8.0}), tables)["accuracy"],
        alphabetical_logistic(Task("shen2022-alphabetical", {**inputs, "columns": "all"}), tables)["accuracy"],
    ):
        assert accuracy * 23 == pytest.approx(round(accuracy * 23))


def test_private_baselines_protect_everything_and_brc_what_the_figure_says():
    tasks = list(curves(Setting("adult", "as-declared", panel="balanced"), 0, (0.1,)))
    assert [task.inputs["privacy"] for task in tasks if task.measure == "fit"] == [
        "as-declared",
        "all-private",
        "as-declared",
    ]
    assert {task.labels["x"] for task in tasks} == {0.1}
    right = [task for task in tasks if not is_second(task.labels["series"])]
    assert all(task.inputs["split"]["balanced"] for task in right)
    level = list(lines(Setting("adult", "as-declared", balanced=False), 0))
    assert {task.labels["x"] for task in level} == {None}
    assert DIFFPRIVLIB.removeprefix("external:") in EXTERNAL


def test_figures_share_their_fits():
    [balanced], [beside] = find("shen2022-figure2a"), find("shen2022-figure4a")
    of_figure4a = {task.key for task in beside.tasks(True) if task.measure != "shen2022-comparator"}
    assert of_figure4a <= {task.key for task in balanced.tasks(True)}


def test_rough_values_are_called_so():
    [figure] = find("shen2022-figure2a")
    told = figure.compare(pl.DataFrame([{**task.labels, "status": "missing"} for task in figure.tasks(True)]))
    [row] = told.filter((pl.col("series") == "BRC") & pl.col("published").is_not_null()).iter_rows(named=True)
    assert (row["panel"], row["x"], row["published"]) == ("balanced", 0.16, 0.73)
    assert row["note"].startswith("published as a rough value")
