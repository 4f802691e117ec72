"""The weighted error: right values, a sensitivity that is safe and tight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.neighbors import Pair, all_pairs, neighbors, table_of
from harness.search import largest_movement
from tacit.boosting import CappedWeights
from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.queries import WeightedErrors, error_sensitivity
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table

LINE = Schema([Numeric("x", -1, 1)], label=Label("y", ["no", "yes"], private=False))
LABELED_LINE = LINE.all_private()


def errors_of(table: Table, coefficients: list[list[float]], intercepts: list[float], weighting: CappedWeights):
    encoding = LinearEncoding(table.schema, table.schema.names)
    return WeightedErrors(table, encoding, np.asarray(coefficients, float), np.asarray(intercepts, float), weighting)


def slow_errors(features, labels, coefficients, intercepts, alphas, weighting):
    """The algorithm as the paper writes it, a loop over rows, with coefficients rounded to the grid."""
    weights, found = np.ones(len(labels)), []
    for w, b, alpha in zip(coefficients, intercepts, alphas, strict=True):
        wrong = (features @ w + b > 0) != labels
        found.append((weights * wrong).sum() / weights.sum())
        factor = np.exp(np.rint(alpha / weighting.step) * weighting.step)
        for i in np.flatnonzero(wrong):
            if weighting.weights[0] * (1 - 1e-9) <= weights[i] * factor <= weighting.weights[-1] * (1 + 1e-9):
                weights[i] *= factor
    return found


def test_errors_by_hand():
    table = table_of(((-1.0, "no"), (-0.5, "yes"), (0.5, "yes"), (1.0, "yes")), LINE)
    weighting = CappedWeights(2.0, 2.0)
    errors = errors_of(table, [[1.0], [-1.0]], [0.0, 0.0], weighting)
    assert errors.statistic().unreleased_value == 0.25  # one of four rows lies on the wrong side
    errors.advance(weighting.after_mistake(weighting.step * 128))  # its weight becomes 4 ** (128/512) = sqrt(2)
    assert errors.statistic().unreleased_value == pytest.approx(3 / (3 + 2**0.5), abs=1e-12)


def test_a_weight_that_would_leave_the_caps_stays():
    table = table_of(((-1.0, "yes"), (1.0, "yes")), LINE)
    weighting = CappedWeights(2**0.5, 2**0.5)
    errors = errors_of(table, [[1.0], [1.0], [1.0]], [0.0] * 3, weighting)
    errors.advance(weighting.after_mistake(0.3))
    errors.advance(weighting.after_mistake(0.3))  # exp(0.6) is above sqrt(2): unchanged
    factor = np.exp(np.rint(0.3 / weighting.step) * weighting.step)
    assert errors.statistic().unreleased_value == pytest.approx(factor / (factor + 1), abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.sampled_from([1.0, 2**0.5, 3.0]), st.sampled_from([3, 7, 64]))
@settings(max_examples=40, deadline=None)
def test_counting_agrees_with_a_loop_over_rows(seed, rounds, cap, block_rows):
    generator = np.random.default_rng(seed)
    schema = Schema([Numeric("a", -1, 1), Numeric("b", -2, 2)], label=Label("y", ["no", "yes"]))
    rows = np.column_stack([generator.uniform(-1, 1, 40), generator.uniform(-2, 2, 40)])
    labels = generator.integers(0, 2, 40)
    table = Table.from_frame(rows, np.asarray(["no", "yes"])[labels], schema, block_rows=block_rows)
    weighting = CappedWeights(cap, 1.5 * cap)
    coefficients = generator.integers(-64, 65, (rounds, 2)) / 64
    intercepts = generator.integers(-64, 65, rounds) / 64
    alphas = generator.normal(0, 0.3, rounds) * generator.integers(0, 2, rounds)
    encoding = LinearEncoding(schema, schema.names)
    errors = WeightedErrors(table, encoding, coefficients, intercepts, weighting)
    features = rows / [1, 2]
    expected = slow_errors(np.rint(features * 2**20) / 2**20, labels == 1, coefficients, intercepts, alphas, weighting)
    for value, alpha in zip(expected, alphas, strict=True):
        assert errors.statistic().unreleased_value == pytest.approx(value, abs=1e-9)
        errors.advance(weighting.after_mistake(alpha))


@given(neighbors(), st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_no_neighbor_moves_it_further_than_stated(pair: Pair, seed: int):
    generator = np.random.default_rng(seed)
    encoding = LinearEncoding(pair.schema, pair.schema.names)
    coefficients = generator.uniform(-1, 1, (10, encoding.n_features))
    alphas = generator.normal(0, 0.5, 10)
    weighting = CappedWeights(2**0.5, 2**0.5)
    runs = [WeightedErrors(table, encoding, coefficients, np.zeros(10), weighting) for table in pair.tables()]
    for alpha in alphas:
        one, two = (run.statistic() for run in runs)
        assert abs(one.unreleased_value - two.unreleased_value) <= one.l1 == two.l1
        for run in runs:
            run.advance(weighting.after_mistake(alpha))


@pytest.mark.parametrize("schema", [LINE, LABELED_LINE], ids=["public label", "private label"])
@pytest.mark.parametrize("alphas", [[], [-0.3, 0.3], [0.34], [-0.34, 0.2, -0.1]])
def test_a_search_over_neighbors_comes_close_to_the_bound(schema, alphas):
    """Over all tables of three rows, and classifiers that separate the rows in every way, within 1 %."""
    weighting = CappedWeights(2**0.5, 2**0.5)
    places = [(1.0, 0.5), (-1.0, 0.5), (1.0, -0.5), (1.0, 0.0), (-1.0, 0.0), (1.0, 2.0)]
    worst = 0.0
    for seed in range(12):
        picks = np.random.default_rng(seed).integers(0, len(places), len(alphas) + 1)

        def query(table, picks=picks):
            errors = errors_of(table, [[places[p][0]] for p in picks], [places[p][1] for p in picks], weighting)
            for alpha in alphas:
                errors.advance(weighting.after_mistake(alpha))
            return errors.statistic()

        moved = largest_movement(query, all_pairs(schema, 3))
        assert moved["l1"] <= 1
        worst = max(worst, moved["l1"])
    assert worst > 0.99


def test_the_sensitivity_follows_the_released_coefficients():
    table = table_of(((-1.0, "no"), (1.0, "yes"), (0.5, "no")), LINE)
    weighting = CappedWeights(2**0.5, 2**0.5)
    errors = errors_of(table, [[1.0]] * 9, [0.0] * 9, weighting)
    assert errors.statistic().l1 == pytest.approx(1 / 3)  # the first round: all weights are 1
    errors.advance(weighting.after_mistake(0.0))
    assert errors.statistic().l1 == pytest.approx(1 / 3)
    errors.advance(weighting.after_mistake(0.2))
    assert errors.statistic().l1 == pytest.approx(np.exp(0.2) / (2 + np.exp(0.2)), rel=1e-3)
    errors.advance(weighting.after_mistake(-0.4))
    ratio = np.exp(0.4)  # reachable: 1, e^0.2, e^-0.2
    assert errors.statistic().l1 == pytest.approx(ratio / (2 + ratio), rel=1e-3)


def test_it_never_exceeds_the_published_bound():
    for n_rows in (1, 2, 10, 1000):
        assert error_sensitivity(2.0, n_rows) <= 2.0 / n_rows
    assert error_sensitivity(1.0, 50) == 1 / 50
    assert error_sensitivity(7.0, 1) == 1.0


def test_weights_lie_within_their_caps():
    for c1, c2 in ((2**0.5, 2**0.5), (1.0, 3.0), (4.0, 1.0), (1.0, 1.0), (1e3, 1e-0)):
        weighting = CappedWeights(c1, c2)
        assert weighting.weights.min() >= 1 / c1
        assert weighting.weights.max() <= c2
        assert weighting.weights[weighting.start] == 1.0
        assert len(weighting.weights) <= 514


@pytest.mark.parametrize("cap", [0.5, 0, -1, float("nan"), float("inf"), "2", True, None])
def test_caps_are_checked(cap):
    with pytest.raises(ParameterError, match="c1"):
        CappedWeights(cap, 2.0)


def test_one_number_moves_as_far_in_l2_as_in_l1():
    table = table_of(((-1.0, "no"), (0.5, "yes"), (1.0, "yes")), LINE)
    weighting = CappedWeights(2.0, 2.0)
    errors = errors_of(table, [[1.0], [-1.0]], [0.0, 0.0], weighting)
    for alpha in (0.25, 0.0):
        statistic = errors.statistic()
        assert statistic.l1 == statistic.l2 > error_sensitivity(errors._grid_counts.ratio, 3)  # rounding included
        errors.advance(weighting.after_mistake(alpha))
