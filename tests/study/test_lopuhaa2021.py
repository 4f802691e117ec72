"""The settings of Lopuhaä-Zwakenberg and others: small tables here, table 2 and figure 2 under the marker ``study``."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import check_grad

from tacit.datasets import Dataset, load
from tacit.errors import DatasetUnavailable
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.huber_svm import HuberSVM
from tacit.study.lopuhaa2021 import figure2, paper_depth, published, random_codes, table2, with_medians


def small(n_rows=200, seed=0) -> Dataset:
    """Return a table whose class follows from the category, all but one time in ten."""
    generator = np.random.default_rng(seed)
    place = generator.integers(0, 3, n_rows)
    flip = generator.random(n_rows) < 0.1
    frame = pl.DataFrame({"x": generator.uniform(0, 10, n_rows), "c": np.asarray(["r", "g", "b"])[place]})
    schema = Schema([Numeric("x", 0, 4), Categorical("c", ["b", "g", "r"])], label=Label("y", ["no", "yes"]))
    return Dataset("small", frame, pl.Series("y", np.where((place == 0) ^ flip, "yes", "no")), schema, None)


def stored(name: str) -> Dataset:
    try:
        return load(name, downloads="never")
    except DatasetUnavailable as error:
        pytest.skip(str(error))


def test_numbers_are_cut_at_the_median_of_the_rows_alone():
    data = small()
    column = with_medians(data).column("x")
    assert column.cut_points == (pytest.approx(float(np.median(data.frame["x"]))),)
    assert column.low <= 0
    assert column.high >= column.cut_points[0]


def test_codes_are_even_steps_in_random_order_from_zero_to_one():
    codes = random_codes(small(), 0)
    assert np.unique(codes[:, 1]).tolist() == [0.0, 0.5, 1.0]
    assert (codes.min(), codes.max()) == (0.0, 1.0)
    orders = {tuple(random_codes(small(), seed)[:5, 1]) for seed in range(20)}
    assert len(orders) > 1


def test_the_depth_is_that_of_attributes_before_they_are_made_binary():
    assert paper_depth(small()) == 2


def test_published_figures_by_name():
    assert published("nursery", "naive-bayes", "accuracy") == 0.0834
    assert published("skin-segmentation", "tree", "average") == 0.7685
    assert published("small", "tree", "accuracy") is None


def test_table2_learns_what_is_there():
    rows = table2(small(), folds=4, repeats=2)
    assert rows.columns == ["data", "learner", "repeat", "accuracy", "published"]
    assert rows["learner"].to_list() == ["naive-bayes"] * 2 + ["svm"] * 2 + ["tree"] * 2
    assert rows.filter(pl.col("learner") != "svm")["accuracy"].min() > 0.8


def test_figure2_has_a_row_for_each_setting_and_repeats_itself():
    settings = {"epsilons": (1e-11, 50.0), "folds": 3}
    rows = figure2(small(), **settings)
    assert rows.columns == ["data", "learner", "accounting", "epsilon", "repeat", "accuracy"]
    assert len(rows) == 2 * 2 * 2
    assert rows["accuracy"].is_between(0, 1).all()
    assert rows.filter((pl.col("learner") == "tree") & (pl.col("epsilon") == 50))["accuracy"].min() > 0.8
    assert rows.equals(figure2(small(), **settings))


def test_the_gradient_of_the_huber_loss():
    generator = np.random.default_rng(0)
    features, signs = generator.normal(size=(50, 3)), generator.choice([-1.0, 1.0], 50)
    svm = HuberSVM(h=0.5)
    gap = check_grad(
        lambda w: svm.objective(w, features, signs)[0],
        lambda w: svm.objective(w, features, signs)[1],
        generator.normal(size=3),
    )
    assert gap < 1e-5
    # Margins 2, 1 and 0 at w = 1: no loss, h/4, and 1.
    value, _ = HuberSVM(0.05, 0.0).objective(np.ones(1), np.asarray([[2.0], [1.0], [0.0]]), np.ones(3))
    assert value == pytest.approx((0.0125 + 1) / 3)


def test_the_support_vector_machine_separates():
    features = np.asarray([[1.0, 0.1], [0.9, 0.2], [0.1, 1.0], [0.2, 0.9]])
    for labels in (np.asarray([0, 0, 1, 1]), np.asarray([2, 2, 5, 5])):
        assert (HuberSVM().fit(features, labels).predict(features) == labels).all()


@pytest.mark.study
@pytest.mark.parametrize(
    ("name", "learner"),
    [
        *[(name, "tree") for name in ("adult", "mushroom", "nursery", "spect", "house-votes-84")],
        *[(name, "naive-bayes") for name in ("adult", "house-votes-84", "skin-segmentation")],
    ],
)
def test_table_2_within_two_points(name, learner):
    rows = table2(stored(name), (learner,), repeats=1)
    assert rows["accuracy"].mean() == pytest.approx(published(name, learner, "accuracy"), abs=0.02)


@pytest.mark.study
def test_the_published_tree_is_worse_than_the_corrected_one():
    rows = figure2(stored("nursery"), ("tree",), epsilons=(0.5, 0.75, 1.0), repeats=3)
    means = dict(rows.group_by("accounting").agg(pl.col("accuracy").mean()).iter_rows())
    assert means["corrected"] > means["paper"]
