"""Noisy gradient descent: what it learns, how it steps, and the cases at the edges."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit.errors import ParameterError
from tacit.estimators import LogisticClassifier
from tacit.features import LinearEncoding, OneHotEncoding
from tacit.learners.linear.noisy_gradient import NoisyGradient
from tacit.learners.linear.preconditioner import MAX_CURVATURE, Preconditioner, cleaned_counts, roughness
from tacit.mechanisms import announce, noise_source
from tacit.privacy import Accountant, Budget, PrivacyUnit
from tacit.queries import Design, LinearProblem
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table

SCHEMA = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b", "d"])], label=Label("y", [0, 1]))
DELTA = 1e-6


def rows(n_rows, seed=0):
    generator = np.random.default_rng(seed)
    x, c = generator.uniform(-1, 1, n_rows), generator.integers(0, 3, n_rows)
    score = 3 * x + np.asarray([-1.0, 0.0, 1.0])[c]
    y = (generator.random(n_rows) < 1 / (1 + np.exp(-score))).astype(int)
    return pl.DataFrame({"x": x, "c": np.asarray(["a", "b", "d"])[c]}), y, score


def test_it_learns_nearly_what_there_is_to_learn():
    frame, y, score = rows(20_000)
    model = LogisticClassifier(SCHEMA, epsilon=1.0, delta=DELTA, method="noisy-gradient", random_state=0).fit(frame, y)
    best = np.mean((score > 0) == y)
    assert model.score(frame, y) > best - 0.01
    assert model.privacy_.composition == "zcdp"
    distributions = ["exponential mechanism over cells"] * 3 + ["discrete Gaussian"] * 18
    assert [line.mechanism for line in model.privacy_.releases] == distributions
    assert np.corrcoef(model.decision_function(frame), score)[0, 1] > 0.97


def test_it_is_the_default_where_delta_is_above_zero():
    frame, y, _ = rows(500)
    same = [
        LogisticClassifier(SCHEMA, epsilon=1.0, delta=DELTA, method=method, random_state=3).fit(frame, y)
        for method in ("auto", "noisy-gradient")
    ]
    assert (same[0].decision_function(frame) == same[1].decision_function(frame)).all()


@pytest.mark.parametrize("label", [True, False], ids=["private label", "public label"])
@pytest.mark.parametrize("columns", [[], ["c"], ["x", "c"]], ids=["no private column", "one", "all"])
def test_every_case_of_protection_trains(columns, label):
    frame, y, score = rows(4_000)
    schema = SCHEMA.with_private(columns, label=label)
    model = LogisticClassifier(schema, epsilon=1.0, delta=DELTA, random_state=0).fit(frame, y)
    assert model.score(frame, y) > np.mean((score > 0) == y) - 0.03
    releases = [line.query for line in model.privacy_.releases]
    # Counts of public columns need no release; gradients and calibration do where the label or a column is protected.
    gradients = [query for query in releases if not query.startswith("medians")]
    assert len(gradients) == (0 if not (columns or label) else 16 + bool(columns) + 1)
    assert ("medians of x" in releases) == ("x" in columns)


def test_a_private_block_of_one_column_beside_public_ones_improves_on_them():
    frame, y, _ = rows(4_000)
    partial = LogisticClassifier(SCHEMA.with_private(["x"], label=False), epsilon=0.5, delta=DELTA, random_state=0)
    public = LogisticClassifier(
        Schema([SCHEMA.columns[1]], label=SCHEMA.label).with_private([], label=False), epsilon=1.0, delta=DELTA
    )
    assert partial.fit(frame, y).score(frame, y) > public.fit(frame, y).score(frame, y) + 0.05


def weights_of(schema, frame, y, epsilon=1.0, **settings):
    table = Table.from_frame(frame, y, schema)
    design = Design(OneHotEncoding(schema, schema.names, 8), intercept=False)
    learner = NoisyGradient(**settings)
    accountant = Accountant(Budget(epsilon, DELTA), table.unit, noise_source(0), n_rows=table.n_rows)
    releases = announce(accountant, learner.plan(design, table.unit))
    return learner.coefficients(LinearProblem(table, design), releases).weights


def test_with_hardly_any_noise_it_finds_the_minimizer_of_the_clipped_loss():
    """At the minimizer the summed clipped residuals of every bin are zero."""
    frame, y, _ = rows(20_000)
    w = weights_of(SCHEMA, frame, y, epsilon=1e5, steps=300)
    encoding = OneHotEncoding(SCHEMA, SCHEMA.names, 8)
    table = Table.from_frame(frame, y, SCHEMA.with_private([], label=False))
    features = table.public_features(encoding).astype(float)
    residuals = np.clip(1 / (1 + np.exp(-features @ w)) - y, -0.5, 0.5)
    assert np.abs(features.T @ residuals).max() < 1.0  # of 20,000 rows


def test_columns_that_repeat_each_other_do_not_make_it_diverge():
    frame, y, score = rows(20_000)
    copies = [Numeric(f"x{i}", -1, 1) for i in range(12)]
    schema = Schema([*copies, SCHEMA.columns[1]], label=SCHEMA.label)
    wide = frame.with_columns(pl.col("x").alias(f"x{i}") for i in range(12))
    for epsilon in (1.0, 100.0):
        w = weights_of(schema, wide, y, epsilon)
        table = Table.from_frame(wide, y, schema.with_private([], label=False))
        margins = table.public_features(OneHotEncoding(schema, schema.names, 8)) @ w
        assert np.mean((margins > 0) == y) > np.mean((score > 0) == y) - 0.03


def test_constant_and_empty_bins_and_single_classes_stay_finite():
    frame = pl.DataFrame({"x": np.zeros(300), "c": ["a"] * 300})
    w = weights_of(SCHEMA, frame, np.ones(300, dtype=int), epsilon=50.0)
    assert np.isfinite(w).all()
    assert w[4] + w[8] > 0 or w[3] + w[8] > 0


def test_more_than_two_classes_share_the_budget():
    frame, _, score = rows(3000)
    schema = Schema(SCHEMA.columns, label=Label("y", ["l", "m", "h"]))
    y = np.asarray(["l", "m", "h"])[np.digitize(score, [-1, 1])]
    settings = {"epsilon": 2.0, "delta": DELTA, "encoding": "binned", "random_state": 0}
    model = LogisticClassifier(schema, **settings).fit(frame, y)
    assert len(model.privacy_.releases) == 3 * (3 + 18)
    assert model.score(frame, y) > 0.6


def test_the_plan_weighs_counts_and_gradients():
    learner, unit = NoisyGradient(), PrivacyUnit(("x", "c"), label=True)
    counts, gradients = learner.plan(Design(OneHotEncoding(SCHEMA, ("x", "c"), 4), False), unit)
    assert (counts.weight, gradients.count * gradients.weight) == pytest.approx((0.05, 0.95))
    assert (counts.l2, gradients.l2) == pytest.approx((2.0, 2**0.5))
    assert learner.plan(Design(OneHotEncoding(SCHEMA, ("x",), 4), False), PrivacyUnit((), label=False)) == []


def test_bad_settings_are_refused():
    for bad in ({"steps": 0}, {"counting": 0.0}, {"counting": 1.0}):
        with pytest.raises(ParameterError, match="Expected"):
            NoisyGradient(**bad)
    with pytest.raises(ParameterError, match="binned"):
        NoisyGradient().plan(Design(LinearEncoding(SCHEMA, ("x",))), PrivacyUnit(("x",), label=True))


def test_the_preconditioner_by_hand():
    encoding = OneHotEncoding(SCHEMA, ("x", "c"), 2)
    prior = roughness(True, 2, level=0.5, smoothness=0.25)
    assert prior.tolist() == [[1.0, -0.5], [-0.5, 1.0]]
    assert (roughness(False, 3, level=0.5, smoothness=0.25) == np.eye(3)).all()
    preconditioner = Preconditioner(encoding, np.asarray([75.0, 25, 100, 0, 0]), 100, level=0.5, smoothness=0.25)
    f = np.asarray([0.75, 0.25, 1, 0, 0])
    hessian = np.outer(f, f)
    hessian[:2, :2], hessian[2:, 2:] = np.diag(f[:2]), np.diag(f[2:])
    assert preconditioner.usual == pytest.approx(100 * MAX_CURVATURE * 2 / 5)
    for pull in (1e-6, 0.3, 1e6):
        regularized = 100 * MAX_CURVATURE * hessian
        regularized[:2, :2] += pull * prior
        regularized[2:, 2:] += pull * np.eye(3)
        inverse = np.column_stack([preconditioner.inverse(pull)(unit) for unit in np.eye(5)])
        assert inverse @ regularized == pytest.approx(np.eye(5), abs=1e-6)
    noisy = np.asarray([60.0, 40, 90, 20, -10])
    assert cleaned_counts(encoding, noisy, 0.0, 100) == pytest.approx([60, 40, 90, 20, 0])
    assert cleaned_counts(encoding, noisy, 1e3, 100) == pytest.approx([50, 50, 100 / 3, 100 / 3, 100 / 3])
