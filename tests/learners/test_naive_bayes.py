"""Naive Bayes: without noise it is scikit-learn's, with noise it bends as the noise demands."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from tacit.errors import ParameterError
from tacit.learners import NaiveBayes
from tacit.learners.class_distributions import class_sizes, normal_distributions
from tacit.learners.conditionals import conditional, onto_simplex, positive_mean
from tacit.mechanisms import SimulatedNoise, announce
from tacit.models import Model
from tacit.privacy import Accountant, Budget
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table

CLASSES = ["a", "b", "c"]
SCHEMA = Schema(
    [Numeric("x", -2, 3), Numeric("w", 0, 1), Categorical("u", ["p", "q", "r"]), Categorical("v", ["s", "t"])],
    label=Label("y", CLASSES, private=False),
).with_private([], label=False)


def sample(n_rows=600, n_classes=3, seed=0):
    generator = np.random.default_rng(seed)
    y = generator.integers(0, n_classes, n_rows)
    frame = pl.DataFrame(
        {
            "x": np.clip(generator.normal(y * 0.7 - 0.5, 0.4), -2, 3),
            "w": np.clip(generator.normal(0.5 - 0.1 * y, 0.1), 0, 1),
            "u": np.asarray(["p", "q", "r"])[(generator.random(n_rows) * (y + 1)).astype(int) % 3],
            "v": np.where(generator.random(n_rows) < 0.2 + 0.2 * y, "s", "t"),
        }
    )
    return frame, np.asarray(CLASSES)[y]


def fit(schema, frame, labels, epsilon=1.0, delta=0.0, seed=0, **settings):
    table = Table.from_frame(frame, labels, schema)
    learner = NaiveBayes(schema, **settings)
    accountant = Accountant(Budget(epsilon, delta), table.unit, SimulatedNoise(seed), n_rows=table.n_rows)
    plan = learner.plan(table.unit)
    scorer = learner.train(table, announce(accountant, plan), np.random.default_rng(0))
    return Model("naive-bayes", schema, (scorer,), accountant.guarantee())


def only(schema, names):
    return Schema([schema.column(name) for name in names], label=schema.label)


def test_with_nothing_private_it_is_gaussian_nb():
    frame, labels = sample()
    numbers = frame.select("x", "w")
    ours = fit(only(SCHEMA, ["x", "w"]), numbers, labels, numeric="gaussian").predict_proba(numbers)
    theirs = GaussianNB(var_smoothing=0.0).fit(numbers.to_numpy(), labels).predict_proba(numbers.to_numpy())
    assert ours == pytest.approx(theirs, abs=2e-4)  # features lie on a grid of 2**-20, so variances differ by 1e-6


@pytest.mark.parametrize("smoothing", [1.0, 0.25])
def test_with_nothing_private_it_is_categorical_nb(smoothing):
    frame, labels = sample()
    schema, words = only(SCHEMA, ["u", "v"]), frame.select("u", "v")
    ours = fit(schema, words, labels, smoothing=smoothing).predict_proba(words)
    codes = np.column_stack([words["u"].replace_strict({"p": 0, "q": 1, "r": 2}), words["v"] == "t"]).astype(int)
    theirs = CategoricalNB(alpha=smoothing).fit(codes, labels).predict_proba(codes)
    assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("numeric", ["binned", "gaussian"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_at_a_huge_epsilon_the_private_one_agrees_with_the_other(numeric, delta, n_classes):
    frame, labels = sample(n_classes=n_classes)
    schema = Schema(SCHEMA.columns, label=Label("y", CLASSES[:n_classes], private=False))
    exact = fit(schema, frame, labels, numeric=numeric)
    private = fit(schema.all_private(), frame, labels, epsilon=1e6, delta=delta, numeric=numeric)
    partial = fit(schema.with_private(["x", "u"], label=False), frame, labels, epsilon=1e6, numeric=numeric)
    assert private.predict_proba(frame) == pytest.approx(exact.predict_proba(frame), abs=1e-3)
    assert partial.predict_proba(frame) == pytest.approx(exact.predict_proba(frame), abs=1e-3)


def test_public_columns_of_a_public_label_are_free():
    frame, labels = sample(n_classes=2)
    schema = Schema(SCHEMA.columns, label=Label("y", CLASSES[:2], private=False)).with_private(["u"], label=False)
    exact = fit(schema.with_private([], label=False), frame, labels).scorers[0].tables
    partial = fit(schema, frame, labels, epsilon=0.01).scorers[0].tables
    assert [one == two for one, two in zip(exact, partial, strict=True)] == [True, True, False, True]


def test_a_private_label_makes_all_columns_pay():
    frame, labels = sample(n_classes=2)
    schema = Schema(SCHEMA.columns, label=Label("y", CLASSES[:2])).with_private([], label=True)
    guarantee = fit(schema, frame, labels).guarantee
    [line] = guarantee.releases
    assert line.sensitivity == 2 * (1 + 4)
    assert line.noise_scale == pytest.approx(10)


def test_noise_that_hides_a_column_leaves_no_evidence():
    counts = np.asarray([[60.0, 40.0], [40.0, 60.0]])
    _, ratios, _ = conditional(counts, np.asarray([100.0, 100.0]), variance=1e8, smoothing=1.0, ordered=False)
    assert np.abs(ratios[:, 1] - ratios[:, 0]).max() < 0.1
    _, exact, _ = conditional(counts, np.asarray([100.0, 100.0]), variance=0.0, smoothing=1.0, ordered=False)
    assert exact[0, 0] - exact[0, 1] == pytest.approx(np.log(61 / 41))


@pytest.mark.parametrize("ordered", [True, False])
def test_a_little_noise_changes_little(ordered):
    counts = np.asarray([[600.0, 400.0, 0.0], [400.0, 100.0, 500.0]])
    totals = counts.sum(axis=1)
    exact = conditional(counts, totals, variance=0.0, smoothing=1.0, ordered=ordered)
    noisy = conditional(counts, totals, variance=1e-8, smoothing=1.0, ordered=ordered)
    assert noisy[0] == pytest.approx(exact[0], abs=1e-6)
    assert noisy[1] == pytest.approx(exact[1], abs=1e-4)


def test_shrinking_beats_taking_noisy_counts_at_their_word():
    """On synthetic columns, where the truth is known: squared error of the log ratio."""
    generator = np.random.default_rng(1)
    ours = plain = 0.0
    for _ in range(40):
        truth = generator.dirichlet(np.full(12, 2.0), 2)
        counts = 5000 * truth + generator.laplace(0, 150, (2, 12))
        _, ratios, _ = conditional(counts, np.full(2, 5000.0), variance=2 * 150**2, smoothing=1.0, ordered=False)
        floored = np.log(np.maximum(counts, 1.0))
        target = np.log(truth[1] / truth[0])
        weights = truth.sum(axis=0) / 2
        ours += float(weights @ (ratios[:, 1] - ratios[:, 0] - target) ** 2)
        plain += float(weights @ (floored[1] - floored[0] - target) ** 2)
    assert ours < 0.8 * plain


def test_positive_mean_is_that_of_a_truncated_normal():
    for mean, deviation in ((0.0, 1.0), (1.0, 0.5), (-2.0, 1.0)):
        points = np.linspace(0, 20, 400_001)
        density = norm.pdf(points, mean, deviation)
        expected = (points * density).sum() / density.sum()
        assert positive_mean(np.asarray(mean), deviation) == pytest.approx(expected, abs=1e-4)
    assert positive_mean(np.asarray([3.0, 0.0, -2.0, 1e12]), 0.0).tolist() == [3.0, 0.0, 0.0, 1e12]


def test_the_nearest_point_of_a_simplex():
    assert onto_simplex(np.asarray([3.0, 1.0, -1.0]), 3.0).tolist() == [2.5, 0.5, 0.0]
    assert onto_simplex(np.asarray([-5.0, -5.0]), 2.0).tolist() == [1.0, 1.0]


def test_normal_distributions_by_hand():
    z = [np.asarray([-0.5, 0.5, 0.6]), np.asarray([0.1, 0.3])]
    first = np.asarray([each.sum() for each in z])
    second = np.asarray([(each**2 - 0.875).sum() for each in z])
    means, variances = normal_distributions(
        first, second, np.asarray([3.0, 2.0]), offset=0.875, variance=0.0, floor=1e-6
    )
    assert means == pytest.approx([each.mean() for each in z])
    assert variances == pytest.approx([each.var() for each in z])
    means, variances = normal_distributions(
        first, second, np.asarray([3.0, 2.0]), offset=0.875, variance=1e9, floor=1e-6
    )
    assert means == pytest.approx(np.repeat(np.concatenate(z).mean(), 2), abs=1e-4)
    assert variances[0] == pytest.approx(variances[1], abs=1e-4)


def test_class_sizes_use_every_histogram():
    frame, labels = sample(n_classes=2)
    schema = Schema(SCHEMA.columns, label=Label("y", CLASSES[:2])).all_private()
    learner = NaiveBayes(schema)
    query = learner.query(Table.from_frame(frame, labels, schema).unit, 7 / 8)
    from tacit.learners.class_distributions import KnownSums

    sums = query.read(query.statistic(Table.from_frame(frame, labels, schema)).unreleased_value)
    truth = np.asarray([(labels == name).sum() for name in CLASSES[:2]])
    assert class_sizes([KnownSums(query, sums, 1e-12)], 600) == pytest.approx(truth)


@pytest.mark.parametrize(
    "wrong",
    [{"numeric": "median"}, {"smoothing": 0.0}, {"smoothing": np.inf}],
)
def test_settings_are_checked(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        NaiveBayes(SCHEMA, **wrong)
