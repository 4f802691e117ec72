"""Accuracies of a grid of intercepts: right values, a range that is safe and attained."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.neighbors import Pair, all_pairs, neighbors
from harness.search import largest_movement
from tacit.boosting import CappedWeights
from tacit.queries import InterceptErrors
from tacit.schema import Label, Numeric, Schema
from tacit.table import LinearEncoding, Table

LINE = Schema([Numeric("x", -1, 1)], label=Label("y", ["no", "yes"]))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_counting_agrees_with_a_loop_over_rows(seed):
    generator = np.random.default_rng(seed)
    schema = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", ["no", "yes"]))
    features = generator.integers(-32, 33, (30, 2)) / 32
    labels = generator.integers(0, 2, 30)
    table = Table.from_frame(features, np.asarray(["no", "yes"])[labels], schema, block_rows=11)
    law = CappedWeights(2.0, 2.0)
    coefficients = generator.integers(-8, 9, (4, 2)) / 8
    grids = np.sort(generator.integers(-64, 65, (4, 5)) / 64, axis=1)
    errors = InterceptErrors(table, LinearEncoding(schema, schema.names), coefficients, grids, law)
    weights = np.ones(30)
    for direction, grid, alpha in zip(coefficients, grids, generator.normal(0, 0.3, 4), strict=True):
        wrong = np.asarray([(features @ direction + b > 0) != (labels == 1) for b in grid])
        expected = (wrong * weights).sum(axis=1) / weights.sum()
        assert errors.accuracies().unreleased_value == pytest.approx(1 - expected, abs=1e-9)
        chosen = int(generator.integers(5))
        assert errors.statistic(chosen).unreleased_value == pytest.approx(expected[chosen], abs=1e-9)
        moved = weights * np.exp(np.rint(alpha / law.step) * law.step)
        inside = (moved >= 0.5 - 1e-9) & (moved <= 2 + 1e-9)
        weights = np.where(wrong[chosen] & inside, moved, weights)
        errors.advance(chosen, law.after_mistake(alpha))


@given(neighbors(), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_no_neighbor_moves_them_further_than_stated(pair: Pair, seed: int):
    generator = np.random.default_rng(seed)
    encoding = LinearEncoding(pair.schema, pair.schema.names)
    coefficients = generator.uniform(-1, 1, (4, encoding.n_features))
    grids = np.sort(generator.uniform(-1, 1, (4, 6)), axis=1)
    law = CappedWeights(2**0.5, 2**0.5)
    runs = [InterceptErrors(table, encoding, coefficients, grids, law) for table in pair.tables()]
    for alpha in generator.normal(0, 0.5, 4):
        one, two = (run.accuracies() for run in runs)
        change = one.unreleased_value - two.unreleased_value
        assert change.max() - change.min() <= one.range == two.range
        chosen = int(generator.integers(6))
        one, two = (run.statistic(chosen) for run in runs)
        assert abs(one.unreleased_value - two.unreleased_value) <= one.l1
        for run in runs:
            run.advance(chosen, law.after_mistake(alpha))


def test_the_range_is_attained_where_the_label_is_private():
    def query(table: Table):
        grid = np.asarray([[-0.5, 0.5]])
        return InterceptErrors(
            table, LinearEncoding(LINE, ("x",)), np.ones((1, 1)), grid, CappedWeights(2.0, 2.0)
        ).accuracies()

    assert 0.999 < largest_movement(query, all_pairs(LINE, 3, points=3))["range"] <= 1
