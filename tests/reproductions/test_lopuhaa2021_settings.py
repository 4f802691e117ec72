"""The settings of Lopuhaä-Zwakenberg and others: medians, random codes, depth, the support vector machine."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from reproductions.lopuhaa2021.huber_svm import HuberSVM
from reproductions.lopuhaa2021.settings import (
    NAMES,
    TABLE_1,
    TABLE_2,
    in_random_order,
    paper_depth,
    published,
    recoded,
    with_medians,
)
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Rows, read_rows

SCHEMA = Schema(
    [Numeric("x", 0, 4), Categorical("c", ["b", "g", "r"], center="g", other=True)], label=Label("y", ["no", "yes"])
)


def rows() -> Rows:
    return Rows({"x": np.asarray([0.0, 1.0, 1.0, 4.0, 4.0]), "c": np.asarray([0, 1, 2, 3, 0], dtype=np.int32)}, 5)


def test_numbers_are_cut_at_the_median_of_the_rows_alone():
    column = with_medians(SCHEMA, rows()).column("x")
    assert column.cut_points == (1.0,)
    assert (column.lower, column.upper) == (0.0, 4.0)


def test_a_median_at_a_bound_moves_the_bound():
    column = with_medians(SCHEMA, Rows({"x": np.zeros(3), "c": np.zeros(3, dtype=np.int32)}, 3)).column("x")
    assert (column.cut_points, column.lower) == ((0.0,), -1.0)


def test_medians_keep_what_is_private():
    public = SCHEMA.with_private([], label=False)
    assert with_medians(public, rows()).private_columns == ()


def test_codes_are_a_random_order_of_the_same_categories():
    orders = {in_random_order(SCHEMA, seed).column("c").categories for seed in range(30)}
    assert len(orders) == 6
    assert in_random_order(SCHEMA, 3) == in_random_order(SCHEMA, 3)


def test_recoded_rows_are_those_that_the_other_schema_reads():
    frame = np.asarray([[0.0, "b"], [1.0, "g"], [1.0, "r"], [4.0, "else"], [4.0, "b"]], dtype=object)
    for seed in range(6):
        shuffled = in_random_order(SCHEMA, seed)
        found, expected = recoded(read_rows(frame, SCHEMA), SCHEMA, shuffled), read_rows(frame, shuffled)
        assert found.columns["c"].tolist() == expected.columns["c"].tolist()
        assert found.columns["x"].tolist() == expected.columns["x"].tolist()


def test_what_no_schema_lists_stays_none_of_the_categories():
    unseen = Rows({"x": np.zeros(1), "c": np.asarray([-1], dtype=np.int32)}, 1)
    assert recoded(unseen, SCHEMA, in_random_order(SCHEMA, 1)).columns["c"].tolist() == [-1]


def test_the_depth_is_that_of_attributes_before_they_are_made_binary():
    assert paper_depth(SCHEMA) == 2


def test_published_figures_by_name():
    assert published("nursery", "naive-bayes", "accuracy") == 0.0834
    assert published("skin-segmentation", "tree", "average") == 0.7685
    assert published("small", "tree", "accuracy") is None
    assert TABLE_1["house-votes-84"] == (16, 435)


@pytest.mark.parametrize("learner", ["naive-bayes", "svm", "tree"])
def test_table_2_agrees_with_itself(learner):
    """The last column is the mean of the others, a ratio that of two lines; but for one slip of theirs each."""
    for name, line in TABLE_2.items():
        slip = 0.0012 if (name, learner) == ("average", "naive-bayes") else 0.0
        assert np.mean(line[learner][: len(NAMES)]) == pytest.approx(line[learner][-1] + slip, abs=2e-4)
    accuracy, average, ratio = (TABLE_2[line][learner] for line in ("accuracy", "average", "ratio"))
    for at, name in enumerate(NAMES):
        if (learner, name) == ("naive-bayes", "skin-segmentation"):
            continue  # 0.8922 in print
        assert average[at] / accuracy[at] == pytest.approx(ratio[at], abs=2e-3)


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
