"""Similarity of past experiments, and their kernel weights."""

from __future__ import annotations

import numpy as np
import pytest

from study.advice.hand_made import asked, past_studies
from tacit.study.advice.similarity import TRAITS, kernel_weights, squared_distances, weight_by_source


def distance(**changes) -> float:
    return float(squared_distances(asked(), asked(**changes))[0, 0])


def test_the_same_is_at_distance_zero():
    assert distance() == pytest.approx(0, abs=1e-9)


def test_units_are_at_distance_one():
    assert distance(epsilon=10**0.35) == pytest.approx(1)
    assert distance(width=round(100 * 10**0.7)) == pytest.approx(1, rel=1e-3)
    assert distance(categorical_columns=0) == pytest.approx(1)
    assert distance(public_label=True) == pytest.approx((1 / 0.7) ** 2)


def test_strength_is_rows_times_epsilon_over_columns_and_classes():
    strength = {"rows": 1000, "epsilon": 1.0}
    assert distance(**strength | {"rows": 10_000, "epsilon": 0.1}) == pytest.approx((1 / 0.8) ** 2)
    apart = distance(classes=4, epsilon=4.0)  # one against the rest divides the budget
    assert apart == pytest.approx((1 / 0.7) ** 2)


def test_a_delta_is_another_world():
    assert distance(delta=1e-5) > 1e5


def test_a_source_counts_by_its_nearest_setting():
    squares = np.array([[0.0, 2.0, 1.0]])
    weights = kernel_weights(squares, np.array(["a", "a", "b"]))[0]
    near, far = 1.0, np.exp(-0.5)
    own = np.array([1.0, np.exp(-1.0)]) / (1 + np.exp(-1.0)) * near
    assert weights == pytest.approx([*own / (near + far), far / (near + far)])


def test_the_nearest_counts_even_where_everything_is_far():
    weights = kernel_weights(np.array([[1e5, 2e5, np.inf]]), np.array(["a", "b", "c"]))[0]
    assert weights == pytest.approx([1, 0, 0])


def test_sources_are_listed_by_weight():
    assert weight_by_source(np.array([0.1, 0.6, 0.3]), np.array(["a", "b", "a"])) == pytest.approx({"b": 0.6, "a": 0.4})
    assert list(weight_by_source(np.array([0.1, 0.6, 0.3]), np.array(["a", "b", "a"]))) == ["b", "a"]


def test_traits_are_finite_for_everything_that_ships(packaged):
    assert all(np.isfinite(packaged.frame.select(trait.expression).to_numpy()).all() for trait in TRAITS)
    assert past_studies({}).learners == ("good", "poor")
