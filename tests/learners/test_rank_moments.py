"""What noisy means and squares of features on ranks say of their second moments: by hand, and of drawn laws."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Categorical, Label, LogisticClassifier, Numeric, Schema
from tacit.learners.linear.rank_moments import expected_means, expected_squares, independent_moments, rows_a_person
from tacit.table.ranked_encoding import RankedEncoding


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
    encoding = RankedEncoding(Schema(columns, label=Label("y", [0, 1])), ("x", "c", "z"), 0.5, bends=True)
    # Of uniform ranks 4 rows have the square 4 / 3; 3 and 2 rows have a category.
    squares = np.asarray([4 / 3, 0.1, 3.0, 2.0, 9.0, 0.2])
    assert [rows_a_person(encoding, squares, most) for most in (1, 3, 10)] == [1.0, 3.0, 5.0]
    assert rows_a_person(encoding, squares / 100, 10) == 1.0


def test_what_to_expect_of_a_mean_rank():
    released, squares = np.asarray([0.3, -0.9, 0.9]), np.asarray([0.25, 0.25, 1.0])
    # Half of what is as uncertain as it is wide; and never the root of the mean square.
    found = expected_means(released, 0.2, squares)
    assert found == pytest.approx([0.15, -0.45, 0.45])
    assert expected_means(released, 1e-9, squares) == pytest.approx([0.3, -0.4995, 0.9])
    assert abs(expected_means(released, 1e9, squares)).max() < 1e-9


def test_what_to_expect_of_a_square_is_never_below_zero():
    schema = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", [0, 1]))
    encoding = RankedEncoding(schema, ("x", "c"), 0.75)
    sure = expected_squares(encoding, np.asarray([0.2, 0.0, 1.0]), 1e-6)
    assert sure == pytest.approx([0.2, 0.0, 1.0], abs=1e-5)
    # Far below zero only the part above it of a normal variable is left.
    noisy = expected_squares(encoding, np.asarray([-0.5, -0.5, 0.9]), 0.5)
    trust = 1 / (1 + 0.25 / np.asarray([1 / 9, 1 / 4, 1 / 4]))
    guess = np.asarray([1 / 3, 1 / 2, 1 / 2])
    mean, scale = guess + trust * (np.asarray([-0.5, -0.5, 0.9]) - guess), guess * np.sqrt(1 - trust)
    draws = mean + scale * np.random.default_rng(0).normal(size=(400_000, 3))
    expected = [column[column > 0].mean() for column in draws.T]
    assert noisy == pytest.approx(expected, abs=2e-3) and noisy.min() > 0.1


def answers(n_columns):
    """Return the encoding of a number and columns of the same two categories, and one that lists them elsewhere."""
    columns = [Numeric("x", -1, 1), *(Categorical(f"c{at}", ["no", "yes"]) for at in range(n_columns))]
    columns.append(Categorical("other", ["yes", "no"]))
    schema = Schema(columns, label=Label("y", [0, 1]))
    return RankedEncoding(schema, schema.names, 0.75)


def test_columns_of_the_same_categories_are_expected_to_have_the_same_ones_rare():
    # One yes in ten in the mean of nine columns, whose own answers say nothing: noise of 9 is 3 in the mean.
    released = np.concatenate([[1 / 3], np.tile([0.9, 0.1], 9), [0.2, 0.8]])
    trust = 0.25 / (0.25 + 3.0**2)
    expected = [0.5 + trust * 0.4, 0.5 - trust * 0.4]
    found = expected_squares(answers(9), released, 9.0)
    own = 0.25 / (0.25 + 81)
    of_columns = found[1:19].reshape(9, 2)
    assert of_columns == pytest.approx(np.tile(of_columns[0], (9, 1)))
    # Being above zero makes both larger, by half as much as a normal variable is around zero.
    mean = np.asarray(expected) + own * (np.asarray([0.9, 0.1]) - expected)
    draws = mean + 0.5 * np.sqrt(1 - own) * np.random.default_rng(0).normal(size=(400_000, 2))
    assert of_columns[0] == pytest.approx([column[column > 0].mean() for column in draws.T], abs=3e-3)
    assert of_columns[0, 0] - of_columns[0, 1] > 0.005
    # The same words at other places are other categories, and one column alone says as much as it did.
    alone = expected_squares(answers(1), np.asarray([1 / 3, 0.9, 0.1, 0.2, 0.8]), 9.0)
    assert found[19:] == pytest.approx(alone[3:])


def test_many_noisy_shares_tell_their_mean():
    generator = np.random.default_rng(1)
    truth = np.tile([0.85, 0.15], 40)
    columns = [Categorical(f"c{at}", [f"no {at}", f"yes {at}"]) for at in range(40)]
    own = Schema(columns, label=Label("y", [0, 1]))
    same = Schema([Categorical(column.name, ["no", "yes"]) for column in columns], label=own.label)
    errors = {}
    for schema in (own, same):
        found = [
            expected_squares(RankedEncoding(schema, schema.names, 0.75), truth + generator.normal(size=80), 1.0)
            for _ in range(50)
        ]
        errors[schema] = np.abs(np.mean(found, axis=0) - truth).mean()
    assert errors[own] > 0.3 and errors[same] < 0.7 * errors[own]


def test_shares_that_are_sure_stay_as_they_are():
    released = np.concatenate([[0.3], [1.0, 0.0], [0.2, 0.8], [0.6, 0.4]])
    assert expected_squares(answers(2), released, 1e-6) == pytest.approx(released, abs=1e-5)


def test_like_columns_without_a_listed_category_are_no_trouble():
    # All cells are of categories that the schema does not list: counts are noise alone, and often below zero.
    schema = Schema([Categorical(name, ["no", "yes"]) for name in "abc"], label=Label("y", [0, 1]))
    encoding = RankedEncoding(schema, schema.names, 0.75)
    found = expected_squares(encoding, np.full(6, -0.1), 1e-3)
    assert found == pytest.approx(np.zeros(6), abs=1e-3)
    frame, labels = pl.DataFrame(dict.fromkeys("abc", ["perhaps"] * 60)), np.arange(60) % 2
    for private in ([], ["a"], ["a", "b", "c"]):
        for seed in range(6):
            model = LogisticClassifier(
                schema.with_private(private, label=True),
                epsilon=1.0,
                delta=1e-3,
                encoding="ranked",
                on_invalid="coerce",
                random_state=seed,
            ).fit(frame, labels)
            assert np.isfinite(model.predict_proba(frame)).all()
