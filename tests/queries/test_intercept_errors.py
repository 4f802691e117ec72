"""Accuracies of a grid of intercepts: right values, a range that is safe and attained."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.neighbors import Pair, all_pairs, neighbors
from harness.search import largest_movement
from tacit.boosting import CappedWeights
from tacit.features import LinearEncoding
from tacit.privacy import PrivacyUnit
from tacit.privacy.unit import Persons
from tacit.queries import InterceptErrors, error_sensitivity
from tacit.schema import Label, Numeric, Schema
from tacit.sensitivities.linear import accuracy_range
from tacit.table import Table

LINE = Schema([Numeric("x", -1, 1)], label=Label("y", ["no", "yes"]))
PUBLIC_LABEL = PrivacyUnit(("x",), label=False)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_counting_agrees_with_a_loop_over_rows(seed):
    generator = np.random.default_rng(seed)
    schema = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", ["no", "yes"]))
    features = generator.integers(-32, 33, (30, 2)) / 32
    labels = generator.integers(0, 2, 30)
    table = Table.from_frame(features, np.asarray(["no", "yes"])[labels], schema, block_rows=11)
    weighting = CappedWeights(2.0, 2.0)
    coefficients = generator.integers(-8, 9, (4, 2)) / 8
    grids = np.sort(generator.integers(-64, 65, (4, 5)) / 64, axis=1)
    errors = InterceptErrors(table, LinearEncoding(schema, schema.names), coefficients, grids, weighting)
    weights = np.ones(30)
    for direction, grid, alpha in zip(coefficients, grids, generator.normal(0, 0.3, 4), strict=True):
        wrong = np.asarray([(features @ direction + b > 0) != (labels == 1) for b in grid])
        expected = (wrong * weights).sum(axis=1) / weights.sum()
        assert errors.accuracies().unreleased_value == pytest.approx(1 - expected, abs=1e-9)
        chosen = int(generator.integers(5))
        assert errors.statistic(chosen).unreleased_value == pytest.approx(expected[chosen], abs=1e-9)
        moved = weights * np.exp(np.rint(alpha / weighting.step) * weighting.step)
        inside = (moved >= 0.5 - 1e-9) & (moved <= 2 + 1e-9)
        weights = np.where(wrong[chosen] & inside, moved, weights)
        errors.advance(chosen, weighting.after_mistake(alpha))


@given(neighbors(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_no_neighbor_moves_them_further_than_stated(pair: Pair, seed: int):
    generator = np.random.default_rng(seed)
    encoding = LinearEncoding(pair.schema, pair.schema.names)
    coefficients = generator.uniform(-1, 1, (4, encoding.n_features))
    grids = np.sort(generator.uniform(-1, 1, (4, 6)), axis=1)
    weighting = CappedWeights(2**0.5, 2**0.5)
    runs = [InterceptErrors(table, encoding, coefficients, grids, weighting) for table in pair.tables()]
    for alpha in generator.normal(0, 0.5, 4):
        one, two = (run.accuracies() for run in runs)
        change = one.unreleased_value - two.unreleased_value
        assert change.max() - change.min() <= one.range == two.range
        chosen = int(generator.integers(6))
        one, two = (run.statistic(chosen) for run in runs)
        assert abs(one.unreleased_value - two.unreleased_value) <= one.l1
        for run in runs:
            run.advance(chosen, weighting.after_mistake(alpha))


@pytest.mark.parametrize(("private", "least"), [(True, 2 / 3), (False, 1 / 3)])
def test_the_range_is_attained(private, least):
    schema = LINE.with_private(["x"], label=private)

    def query(table: Table):
        grid = np.asarray([[-0.5, 0.5]])
        return InterceptErrors(
            table, LinearEncoding(schema, ("x",)), np.ones((1, 1)), grid, CappedWeights(2.0, 2.0)
        ).accuracies()

    assert 0.999 < largest_movement(query, all_pairs(schema, 3, points=3))["range"] <= 1
    [pair] = islice(all_pairs(schema, 3, points=3), 1)
    assert query(pair.tables()[0]).range == pytest.approx(least, abs=1e-9)


def weighed(contributions, weights):
    return sum(one * weight for one, weight in zip(contributions, weights, strict=True)) / sum(weights)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0, 4.0])
@pytest.mark.parametrize("n_rows", [3, 4, 5])
def test_the_range_with_a_public_label_is_the_largest_over_all_weights_and_rows(ratio, n_rows):
    """A row of the first class contributes 0 or 1 to the difference of accuracies, one of the second 0 or -1."""
    extremes, largest = (1.0, ratio), 0.0
    for others in product((-1, 0, 1), repeat=n_rows - 1):
        for weights in product(extremes, repeat=n_rows - 1):
            for sign, (before, one), (after, other) in product(
                (1, -1), product((0, 1), extremes), product((0, 1), extremes)
            ):
                first = weighed((*others, sign * before), (*weights, one))
                second = weighed((*others, sign * after), (*weights, other))
                largest = max(largest, abs(first - second))
    assert largest == pytest.approx(accuracy_range(ratio, n_rows, PUBLIC_LABEL))


def test_persons_and_few_rows_have_no_discount():
    twice = 2 * error_sensitivity(4.0, 9)
    assert accuracy_range(4.0, 9, replace(PUBLIC_LABEL, label=True)) == twice > accuracy_range(4.0, 9, PUBLIC_LABEL)
    assert accuracy_range(4.0, 9, replace(PUBLIC_LABEL, persons=Persons("person", 1, same_rows=True))) == twice
    assert accuracy_range(4.0, 2, PUBLIC_LABEL) == 2 * error_sensitivity(4.0, 2)
