"""What noisy means and squares of features on ranks say of their second moments: by hand, and of synthetic data."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from tacit import Categorical, Label, Numeric, Schema
from tacit.features.ranked_encoding import RankedEncoding
from tacit.learners.linear.rank_moments import expected_means, expected_squares, independent_moments, rows_a_person
from tacit.table.rows import Rows


def test_moments_of_independent_columns_by_hand():
    schema = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", [0, 1]))
    encoding = RankedEncoding(schema, ("x", "c"), 0.75)
    squares = np.asarray([0.5, 0.25, 0.75])
    # "a" is 3/4 in a quarter of the rows and -1/4 in the rest, "b" the other way round: means 0 and 1/2, squares 3/16
    # and 7/16, product -3/16 in all rows. With the constant of one half goes half of a mean.
    # A row's squares add up to 11/8 in the mean with the constant's, of which 0.75^2 is left.
    expected = [[0.25, 0.1, 0, 0.25], [0.1, 0.5, 0, 0.1], [0, 0, 3 / 16, -3 / 16], [0.25, 0.1, -3 / 16, 7 / 16]]
    found = independent_moments(encoding, np.asarray([0.2]), squares)
    assert found == pytest.approx(np.asarray(expected) * 0.75**2 * 8 / 11)


def test_how_many_rows_a_person_has_is_what_most_columns_say():
    columns = [Numeric("x", -1, 1), Categorical("c", ["a", "b"]), Numeric("z", -1, 1)]
    encoding = RankedEncoding(Schema(columns, label=Label("y", [0, 1])), ("x", "c", "z"), 0.5, quadratic=True)
    # Of uniform ranks 4 rows have the square 4 / 3; 3 and 2 rows have a category.
    squares = np.asarray([4 / 3, 0.1, 3.0, 2.0, 9.0, 0.2])
    assert [rows_a_person(encoding, squares, most) for most in (1, 3, 10)] == [1.0, 3.0, 5.0]
    assert rows_a_person(encoding, squares / 100, 10) == 1.0


def test_moments_of_numbers_with_empty_cells_are_those_of_rows():
    schema = Schema([Numeric(name, -1, 1, missing="indicator") for name in "xz"], label=Label("y", [0, 1]))
    whole = RankedEncoding(schema, schema.names, inf, quadratic=True)
    draw, n_rows = np.random.default_rng(0), 100_000
    empty = draw.random((2, n_rows)) < [[0.3], [0.1]]
    numbers = np.where(empty, 0.0, draw.uniform(-1, 1, (2, n_rows)))
    rows = Rows(dict(zip(schema.names, [numbers[0], 1 * empty[0], numbers[1], 1 * empty[1]], strict=True)), n_rows)
    features = whole.transform(rows)
    lengths = np.append(1.0, whole.lengths)
    squares = ((features / lengths) ** 2).mean(axis=0)[1:]
    encoding = replace(whole, radius=whole.longest)
    found = independent_moments(encoding, features.mean(axis=0)[whole.ranks], squares)
    assert found == pytest.approx(features.T @ features / n_rows, abs=5e-3)
    assert found[1, 3] == found[2, 3] == 0.0  # a row has a number or the mark
    assert whole.marks["x"].tolist() == [3, 1, 2]


def test_rows_without_a_number_count_as_rows_of_its_person():
    schema = Schema([Numeric("x", -1, 1, missing="indicator")], label=Label("y", [0, 1]))
    encoding = RankedEncoding(schema, schema.names, 0.5)
    # Three rows of uniform ranks and two without one.
    assert rows_a_person(encoding, np.asarray([1.0, 2.0]), 10) == pytest.approx(5.0)


def test_what_to_expect_of_a_mean_rank():
    released, squares = np.asarray([0.3, -0.9, 0.9]), np.asarray([0.25, 0.25, 1.0])
    # Half of what is as uncertain as it is wide; and never the root of the mean square.
    found = expected_means(released, 0.2, squares)
    assert found == pytest.approx([0.15, -0.45, 0.45])
    assert expected_means(released, 1e-9, squares) == pytest.approx([0.3, -0.4995, 0.9])
    assert abs(expected_means(released, 1e9, squares)).max() < 1e-9


def test_what_to_expect_of_a_square_is_never_below_zero():
    schema = Schema([Numeric(name, -1, 1) for name in "ab"], label=Label("y", [0, 1]))
    encoding = RankedEncoding(schema, ("a", "b"), 0.75)
    assert expected_squares(encoding, np.asarray([0.2, 1.0]), 1e-6) == pytest.approx([0.2, 1.0], abs=1e-5)
    # Far below zero only the part above it of a normal variable is left.
    released = np.asarray([-0.5, 0.9])
    noisy = expected_squares(encoding, released, 0.5)
    trust = 1 / (1 + 0.25 * 9)
    mean, scale = 1 / 3 + trust * (released - 1 / 3), np.sqrt(1 - trust) / 3
    draws = mean + scale * np.random.default_rng(0).normal(size=(400_000, 2))
    expected = [column[column > 0].mean() for column in draws.T]
    assert noisy == pytest.approx(expected, abs=2e-3) and noisy.min() > 0.1
