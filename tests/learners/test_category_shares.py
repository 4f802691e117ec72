"""What noisy counts of categories say of their shares: by hand, and of drawn distributions."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from scipy.special import logsumexp, softmax
from scipy.stats import beta

from tacit import Categorical, Label, LogisticClassifier, Numeric, Schema
from tacit.features.ranked_encoding import RankedEncoding
from tacit.learners.linear import category_shares
from tacit.learners.linear.category_shares import likely_shares


def encoding_of(*columns):
    schema = Schema(columns, label=Label("y", [0, 1]))
    return RankedEncoding(schema, schema.names, 0.75)


def column(size, at=0):
    """Return a column of so many categories that no other lists."""
    return Categorical(f"c{at}", [f"{at}: {each}" for each in range(size)])


def only(concentration):
    return patch.object(category_shares, "CONCENTRATIONS", (concentration,))


def test_shares_that_are_sure_stay_as_they_are():
    encoding = encoding_of(Numeric("x", -1, 1), column(2, 1), Numeric("z", -1, 1), column(3, 2), column(1, 3))
    counted = np.asarray([0.3, 1.0, 0.0, 0.4, 0.7, 0.1, 0.2, 1.0])
    for deviation in (0.0, 1e-6):
        places, shares = likely_shares(encoding, counted, deviation)
        assert places.tolist() == [1, 2, 4, 5, 6, 7]  # numbers are left out
        assert shares == pytest.approx(counted[places], abs=1e-5)


def test_empty_cells_are_counted_against_all_rows():
    encoding = encoding_of(
        Numeric("x", -1, 1, missing="indicator"), column(2), Numeric("z", -1, 1, missing="indicator")
    )
    counted = np.asarray([0.3, 0.2, 0.6, 0.4, 0.25, 0.0])
    places, shares = likely_shares(encoding, counted, 1e-6)
    assert dict(zip(places.tolist(), shares.round(4).tolist(), strict=True)) == {1: 0.2, 2: 0.6, 3: 0.4, 5: 0.0}
    # As sure as one count of this noise is: under an even distribution the mean of a normal variable within 0 and 1.
    alone = encoding_of(Numeric("x", -1, 1, missing="indicator"))
    with only(2.0):
        _, [share] = likely_shares(alone, np.asarray([0.3, 0.1]), 0.2)
    grid = (np.arange(4000) + 0.5) / 4000
    distribution = np.exp(-(((grid - 0.1) / 0.2) ** 2) / 2)
    assert share == pytest.approx(distribution @ grid / distribution.sum(), abs=0.02)


def test_what_a_sum_lacks_is_missing_in_all_counts_alike():
    # Under even distributions, all shares of two or three as likely, nothing but the noise and the sum counts.
    with only(2.0):
        _, shares = likely_shares(encoding_of(column(2)), np.asarray([0.57, 0.47]), 0.02)
    assert shares == pytest.approx([0.55, 0.45], abs=1e-4)
    with only(3.0):
        _, shares = likely_shares(encoding_of(column(3)), np.asarray([0.36, 0.36, 0.36]), 0.02)
    assert shares == pytest.approx([1 / 3] * 3, abs=1e-5)


def test_shares_are_positive_and_add_up_to_one():
    generator = np.random.default_rng(0)
    encoding = encoding_of(*(column(size, at) for at, size in enumerate((2, 41, 1, 5))))
    for deviation in 10.0 ** np.arange(-9, 10):
        counted = np.repeat([1 / 2, 1 / 41, 1.0, 1 / 5], (2, 41, 1, 5)) + deviation * generator.normal(size=49)
        _, shares = likely_shares(encoding, counted, deviation)
        assert shares.min() > 0
        assert np.add.reduceat(shares, [0, 2, 43, 44]) == pytest.approx(np.ones(4), abs=0.05)
    # Noise alone says nothing.
    assert shares == pytest.approx(np.repeat([1 / 2, 1 / 41, 1.0, 1 / 5], (2, 41, 1, 5)), rel=0.03)


def test_one_category_that_most_rows_have_is_found_beneath_noise():
    # As natives of one country among 41. Noise of 0.06 is more than two times an even share.
    generator, truth = np.random.default_rng(1), np.asarray([0.9, *[0.1 / 40] * 40])
    found = [
        likely_shares(encoding_of(column(41)), truth + 0.06 * generator.normal(size=41), 0.06)[1] for _ in range(40)
    ]
    assert np.mean([each[0] for each in found]) == pytest.approx(0.9, abs=0.08)
    # A count for itself is off by 0.06, the others' by as much.
    assert np.abs(np.asarray(found) - truth).mean() < 0.006


def test_even_shares_stay_even_where_counts_of_all_columns_are():
    generator, columns = np.random.default_rng(2), [column(4, at) for at in range(8)]
    found = [likely_shares(encoding_of(*columns), 0.25 + 0.1 * generator.normal(size=32), 0.1)[1] for _ in range(30)]
    assert np.sqrt(np.square(np.asarray(found) - 0.25).mean()) < 0.05  # half of the noise
    # With one concentration that makes few categories frequent, noise would pass for them.
    with only(1.0):
        alone = [
            likely_shares(encoding_of(*columns), 0.25 + 0.1 * generator.normal(size=32), 0.1)[1] for _ in range(30)
        ]
    assert np.square(np.asarray(alone) - 0.25).mean() > 3 * np.square(np.asarray(found) - 0.25).mean()


@pytest.mark.parametrize("concentration", [2.0, 6.0, 60.0])
def test_expected_shares_are_what_shares_are_in_the_mean(concentration):
    generator, size = np.random.default_rng(3), 6
    truth = generator.dirichlet(np.full(size, concentration / size), 1_000)
    counted = truth + 0.1 * generator.normal(size=truth.shape)
    with only(concentration):
        encoding = encoding_of(*(column(size, at) for at in range(1_000)))
        found = likely_shares(encoding, counted.ravel(), 0.1)[1].reshape(truth.shape)
    # The regression of shares on what was expected of them has a slope of about one.
    slope = ((truth - 1 / size) * (found - 1 / size)).sum() / np.square(found - 1 / size).sum()
    assert slope == pytest.approx(1.0, abs=0.06)
    # And they are nearer than the best line through counts, which knows the variances.
    variance = truth.var()
    line = 1 / size + variance / (variance + 0.01) * (counted - 1 / size)
    assert np.square(found - truth).mean() < (1.0 if concentration < 60 else 1.02) * np.square(line - truth).mean()


def test_how_uneven_shares_are_is_learned_from_all_columns():
    generator = np.random.default_rng(6)
    own = 0.25 + 0.1 * generator.normal(size=(20, 4))
    alone = [likely_shares(encoding_of(column(4)), each, 0.1)[1] for each in own]
    # Beside forty columns of even shares; and beside forty of one category, which say nothing of it.
    others = 0.25 + 0.1 * generator.normal(size=160)
    even, ones = (encoding_of(column(4), *(column(size, at) for at in range(1, 41))) for size in (4, 1))
    beside_even = [likely_shares(even, np.append(each, others), 0.1)[1][:4] for each in own]
    errors = [np.square(np.asarray(each) - 0.25).mean() for each in (alone, beside_even)]
    assert errors[1] < 0.85 * errors[0]
    with patch.object(category_shares, "_totals", lambda sums, deviations: np.ones(len(sums))):
        for each in own:
            expected = likely_shares(encoding_of(column(4)), each, 0.1)[1]
            assert likely_shares(ones, np.append(each, np.ones(40)), 0.1)[1][:4] == pytest.approx(expected, abs=1e-9)


def answers(n_columns):
    """Return the encoding of a number and columns of the same two categories, and one that lists them elsewhere."""
    same = [Categorical(f"c{at}", ["no", "yes"]) for at in range(n_columns)]
    return encoding_of(Numeric("x", -1, 1), *same, Categorical("other", ["yes", "no"]))


def test_columns_of_the_same_categories_are_expected_to_have_the_same_ones_rare():
    # One yes in ten in the mean of 36 columns, of which each says little.
    generator = np.random.default_rng(4)
    counted = np.concatenate([[1 / 3], np.tile([0.9, 0.1], 36) + 0.5 * generator.normal(size=72), [0.4, 0.6]])
    _, found = likely_shares(answers(36), counted, 0.5)
    of_columns = found[:72].reshape(36, 2)
    assert of_columns[:, 0].mean() > 0.75 and of_columns[:, 0].min() > 0.45
    # The same words at other places are other categories: one column alone, of which its own counts say little.
    assert abs(found[72] - 0.5) < 0.1


def test_many_noisy_shares_tell_their_mean():
    generator = np.random.default_rng(1)
    truth = np.tile([0.85, 0.15], 40)
    own = encoding_of(*(column(2, at) for at in range(40)))
    same = encoding_of(*(Categorical(f"c{at}", ["no", "yes"]) for at in range(40)))
    errors = {}
    for encoding in (own, same):
        found = [likely_shares(encoding, truth + generator.normal(size=80), 1.0)[1] for _ in range(50)]
        errors[encoding] = np.abs(np.mean(found, axis=0) - truth).mean()
    assert errors[own] > 0.2 and errors[same] < 0.7 * errors[own]


def test_rows_without_a_listed_category_are_believed_where_counts_are_sure():
    _, shares = likely_shares(encoding_of(column(3)), np.asarray([0.2, 0.1, 0.0]), 0.01)
    assert shares.sum() == pytest.approx(0.3, abs=1e-6) and shares[:2] == pytest.approx([0.2, 0.1], abs=0.02)
    # Of noise a sum may be as small.
    assert likely_shares(encoding_of(column(3)), np.asarray([0.2, 0.1, 0.0]), 0.5)[1].sum() > 0.9
    # What one column alone leaves open others say: three of ten rows have a listed one in each of eight.
    generator, truth = np.random.default_rng(5), np.tile([0.15, 0.1, 0.05], 8)
    many = encoding_of(*(column(3, at) for at in range(8)))
    counted = truth + 0.1 * generator.normal(size=24)
    _, shares = likely_shares(many, counted, 0.1)
    assert shares.reshape(8, 3).sum(axis=1).max() < 0.75 and abs(shares.sum() / 8 - 0.3) < 0.15


@pytest.mark.parametrize("deviation", [0.05, 0.2, 1.0, 5.0])
def test_two_shares_are_those_of_a_beta_distribution(deviation):
    # Of two categories one share says all, and its distribution is integrated at once.
    share = (np.arange(20_000) + 0.5) / 20_000
    for counted, mean in (((0.95, 0.05), 0.5), ((1.1, -0.1), 0.5), ((0.9, 0.1), 0.9), ((0.6, 0.5), 0.3)):
        evidence = {}
        for concentration in (2.0, 6.0, 20.0):
            distribution = beta.logpdf(share, concentration * mean, concentration * (1 - mean))
            distribution = distribution - ((counted[0] - share) ** 2 + (counted[1] - 1 + share) ** 2) / 2 / deviation**2
            expected = (softmax(distribution) * share).sum()
            found, likely = category_shares._tilted(
                np.asarray(counted), deviation, np.asarray([mean, 1 - mean]), np.asarray([2]), concentration, np.ones(1)
            )
            assert found[0] == pytest.approx(expected, abs=0.02)
            evidence[concentration] = logsumexp(distribution) - likely[0]
        # How likely counts are is known but for a constant.
        assert np.ptp([*evidence.values()]) < 0.2


def test_like_columns_without_a_listed_category_are_no_trouble():
    # All cells are of categories that the schema does not list: counts are noise alone, and often below zero.
    schema = Schema([Categorical(name, ["no", "yes"]) for name in "abc"], label=Label("y", [0, 1]))
    _, found = likely_shares(RankedEncoding(schema, schema.names, 0.75), np.full(6, -0.1), 1e-3)
    assert found == pytest.approx(np.zeros(6), abs=1e-3) and found.min() > 0
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
