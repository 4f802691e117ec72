"""The mean operator without noise: coefficients by hand, and a threshold between both classes' scores."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import LogisticClassifier
from tacit.learners.linear.mean_operator import _threshold
from tacit.schema import Categorical, Label, Numeric, Schema

LABEL = Label("y", [0, 1])


def fitted(frame, y, columns):
    """Return coefficients with next to no noise."""
    schema = Schema(columns, label=LABEL)
    classifier = LogisticClassifier(
        schema, epsilon=1e6, method="mean-operator", encoding="binned", calibration=0, random_state=0
    )
    model = classifier.fit(frame, y)
    return np.asarray(model.model_.scorers[0].forms[0].weights), model


def test_a_sum_implies_rows_by_hand():
    # "a" has 30 rows of class 0, "b" 4 of class 0 and 6 of class 1: sums -15 and 1, of 2 * 15 and 40 / 2 rows at least.
    y = np.repeat([0, 1], [34, 6])
    frame = pl.DataFrame({"c": ["a"] * 30 + ["b"] * 10})
    weights, _ = fitted(frame, y, [Categorical("c", ["a", "b"])])
    assert weights[1] - weights[0] == pytest.approx(1 / 5 + 15 / 7.5, rel=1e-3)


def test_a_number_keeps_its_curvature_and_threshold():
    generator = np.random.default_rng(0)
    x, y = generator.uniform(-1, 1, 400), generator.integers(0, 2, 400)
    schema = Schema([Numeric("x", -1, 1)], label=LABEL)
    classifier = LogisticClassifier(
        schema, epsilon=1e6, method="mean-operator", encoding="ordinal", calibration=0, random_state=0
    )
    form = classifier.fit(pl.DataFrame({"x": x}), y).model_.scorers[0].forms[0]
    # Two features, of which the constant one is a column, too.
    assert form.weights[0] == pytest.approx((x * (y - 0.5)).sum() / (2 * 400 / 4 / 3), rel=1e-3)


def test_the_threshold_is_the_middle_by_hand():
    # Two alike columns of two bins; 60 rows of class 0 in the first, 40 of class 1 in the second: all rows are told.
    means, weights = np.asarray([-0.3, 0.2] * 2), np.asarray([-0.6, 0.8] * 2)
    mean, apart, balance = -0.72 + 0.64, 2 * 2 * (0.18 + 0.16), -0.2
    middle = mean * (1 + balance**2) - apart * balance
    found = _threshold(means, np.zeros(4), weights, [2, 2])
    assert found == pytest.approx((middle - np.arctanh(balance)) / 2)
    assert -1.2 < middle < 1.6  # between the scores of both kinds of rows


def test_noise_moves_no_threshold():
    means = np.asarray([-0.3, 0.2])
    assert _threshold(means, np.full(2, 0.3**2), means, [2]) == 0.0
    assert _threshold(np.zeros(2), np.zeros(2), np.zeros(2), [2]) == 0.0


def test_dense_bins_of_the_larger_class_do_not_outweigh_the_others():
    """Ten columns that say the same: 65 rows of class 0 in one bin of eight, 35 of class 1 in all of them."""
    generator = np.random.default_rng(1)
    n = 20_000
    y = (generator.random(n) < 0.35).astype(int)
    codes = np.where(
        y[:, None] == 1, generator.integers(0, 8, (n, 10)), generator.choice(8, (n, 10), p=[0.65] + [0.05] * 7)
    )
    frame = pl.DataFrame({f"c{at}": codes[:, at] for at in range(10)})
    _, model = fitted(frame, y, [Categorical(f"c{at}", list(range(8))) for at in range(10)])
    assert model.score(frame, y) > 0.8
