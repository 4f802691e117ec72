"""How long rows of ranks are kept: by hand, and what it does to a straight line."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest

from tacit import LinearRegressor
from tacit.features.ranked_encoding import RankedEncoding
from tacit.learners.linear.row_lengths import bend, best_length, longest_over_usual
from tacit.rules.priors import CONSTANT, QUADRATIC, RADIUS
from tacit.schema import Categorical, Label, Numeric, Schema, Target


def encoding(numbers, words=0, *, quadratic=False):
    columns = [Numeric(f"x{at}", 0, 1) for at in range(numbers)]
    columns += [Categorical(f"c{at}", ["a", "b"]) for at in range(words)]
    schema = Schema(columns, label=Label("y", [0, 1]))
    return RankedEncoding(schema, schema.names, inf, quadratic)


def test_rows_that_are_not_cut_bend_nothing_and_are_as_long_as_their_mean_square():
    one = encoding(1)
    assert bend(one, 1.0) == pytest.approx(0.0, abs=1e-12)
    # A rank's mean square is a third.
    assert longest_over_usual(one, 1.0) == pytest.approx((CONSTANT**2 + 1) / (CONSTANT**2 + 1 / 3), rel=0.02)


def test_one_number_cut_to_one_length_by_hand():
    one, ranks = encoding(1), np.linspace(-1, 1, 100_001)
    cut = ranks / np.sqrt(CONSTANT**2 + ranks**2)
    assert bend(one, RADIUS) == pytest.approx(1 - np.corrcoef(ranks, cut)[0, 1] ** 2, abs=1e-3)
    assert longest_over_usual(one, RADIUS) == pytest.approx(1.0)


@pytest.mark.parametrize("quadratic", [False, True])
def test_more_columns_bend_less_and_less_noise_lets_rows_be_longer(quadratic):
    bends = [bend(encoding(count, quadratic=quadratic), RADIUS) for count in (1, 2, 4, 8)]
    assert bends == sorted(bends, reverse=True)
    lengths = [best_length(encoding(1, quadratic=quadratic), noise) for noise in (10.0, 0.1, 1e-3, 1e-9)]
    assert lengths == sorted(lengths)
    assert (lengths[0], lengths[-1]) == (RADIUS, 1.0)


def test_categories_are_of_one_length_anyway():
    assert best_length(encoding(0, words=2), 1e-9) == RADIUS


def test_the_quadratic_term_counts():
    longest = sqrt(CONSTANT**2 + 1 + QUADRATIC**2)
    assert encoding(1, quadratic=True).longest == pytest.approx(longest)
    assert longest_over_usual(encoding(1, quadratic=True), 1.0) > longest_over_usual(encoding(1), 1.0)


def test_a_straight_line_of_one_column_keeps_its_slope():
    generator = np.random.default_rng(0)
    x = generator.uniform(0, 100, 10_000)
    y = 20 + 0.5 * x + generator.normal(0, 5, len(x))
    schema = Schema([Numeric("x", 0, 100)], label=Target("y", 0, 100))
    model = LinearRegressor(schema, epsilon=1.0, delta=1e-6, random_state=0).fit(x[:, None], y)
    low, high = model.predict(np.asarray([[25.0], [75.0]]))
    assert (high - low) / 50 == pytest.approx(0.5, abs=0.01)
