"""Objectives of linear forms: values by hand, scikit-learn's optimum, tolerances, geometry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mpmath import mp
from sklearn.linear_model import LogisticRegression

from harness.linear_problems import LABEL, LOSSES, problem_of
from harness.neighbors import table_of
from tacit.convex import HuberLoss, LogisticLoss
from tacit.convex.minimizer import minimize, proved_steps
from tacit.errors import ParameterError, PrivacyError
from tacit.features import LinearEncoding
from tacit.features.feature_encoding import named_encoding
from tacit.queries import Design, LinearObjective, LinearProblem, Offset, solvable_regularization
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table


def test_values_by_hand():
    schema = Schema([Numeric("x", -1, 1)], label=LABEL)
    table = table_of(((0.5, 1), (-1.0, 0)), schema)
    problem = LinearProblem(table, Design(LinearEncoding(schema, ("x",)), intercept=False))
    gradient = LinearObjective(problem, LogisticLoss(), 2.0).gradient(np.asarray([1.0]))
    slopes = 1 / (1 + np.exp([0.5, 1.0]))
    assert gradient[0] == pytest.approx(-slopes[0] * 0.5 - slopes[1] * 1.0 + 2)
    curvature = LinearObjective(problem, LogisticLoss(), 2.0).hessian(np.asarray([1.0]))
    assert curvature[0, 0] == pytest.approx(slopes[0] * (1 - slopes[0]) / 4 + slopes[1] * (1 - slopes[1]) + 2)


@LOSSES
def test_the_gradient_is_that_of_the_value(loss):
    problem, X, y = problem_of(block_rows=70)
    Z, signs = np.column_stack([np.rint(X * 2**20) / 2**20, np.ones(300)]), 2 * y - 1

    def value(w):
        return loss.value(signs * (Z @ w)).sum() + 3 / 2 * w @ w

    objective, at, step = LinearObjective(problem, loss, 3.0), np.asarray([0.3, -0.2, 0.9, 0.1]), 1e-6
    differences = [(value(at + step * unit) - value(at - step * unit)) / (2 * step) for unit in np.eye(4)]
    assert objective.gradient(at) == pytest.approx(differences, rel=1e-5, abs=1e-4)


@LOSSES
def test_second_derivatives_are_those_of_the_gradient(loss):
    problem, _, _ = problem_of(block_rows=70)
    objective, at, step = LinearObjective(problem, loss, 3.0), np.asarray([0.3, -0.2, 0.9, 0.1]), 1e-7
    differences = [
        (objective.gradient(at + step * e) - objective.gradient(at - step * e)) / (2 * step) for e in np.eye(4)
    ]
    assert objective.hessian(at) == pytest.approx(np.asarray(differences), rel=1e-4, abs=1e-3)


def test_the_optimum_is_scikit_learns():
    problem, X, y = problem_of(1000)
    objective = LinearObjective(problem, LogisticLoss(), 0.5)
    theirs = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-12, max_iter=10_000)
    features = np.column_stack([np.rint(X * 2**20) / 2**20, np.ones(1000)])
    theirs.fit(features, y)
    assert objective.minimizer(np.zeros(4)) == pytest.approx(theirs.coef_[0], abs=1e-6)


@pytest.mark.parametrize("width", [0.05, 0.001])
@pytest.mark.parametrize("factored", [True, False])
def test_no_problem_at_the_least_regularization_needs_the_proved_method(monkeypatch, width, factored):
    """Narrow corners, next to no regularization, all rows but two in one class."""
    generator = np.random.default_rng(0)
    schema = Schema([Categorical(f"c{i}", list(range(4))) for i in range(6)], label=LABEL)
    X, y = generator.integers(0, 4, (3000, 6)), np.zeros(3000, int)
    y[:2] = 1
    design = Design(named_encoding(schema, schema.names, "binned"), intercept=False)
    monkeypatch.setattr("tacit.convex.minimizer._nesterov", None)
    monkeypatch.setattr("tacit.queries.linear_objective.MAX_FACTORED_FEATURES", 512 if factored else 0)
    for labels in (y, (X.sum(axis=1) + generator.normal(0, 1, 3000) > 9).astype(int)):
        problem = LinearProblem(Table.from_frame(X, labels, schema), design)
        loss = HuberLoss(width)
        objective = LinearObjective(problem, loss, solvable_regularization(3000, design, loss))
        found = objective.minimizer(np.zeros(24))
        assert np.linalg.norm(objective.gradient(found)) <= objective.tolerance * 2 / 3


@LOSSES
def test_a_fit_takes_few_passes(monkeypatch, loss):
    problem, _, _ = problem_of(20_000, numbers=5, block_rows=9_000)
    objective, passes = LinearObjective(problem, loss, 2.0), []
    gradient = LinearObjective.gradient
    monkeypatch.setattr(LinearObjective, "gradient", lambda self, w: passes.append(1) or gradient(self, w))
    objective.minimizer(np.zeros(6))
    assert len(passes) < 40


def test_a_regularization_without_end_is_refused():
    problem, _, _ = problem_of(3000)
    loss = HuberLoss(0.05)
    least = solvable_regularization(3000, problem.design, loss)
    assert least == pytest.approx(3000 * 10 * 4 / 1e7)
    LinearObjective(problem, loss, least)
    with pytest.raises(ParameterError, match=r"at least 0.012 for 3000 rows, got regularization=0.0119\. Raise it"):
        LinearObjective(problem, loss, 0.0119)


def test_a_minimizer_beyond_the_proved_distance_is_a_defect(monkeypatch):
    problem, _, _ = problem_of(200)
    objective = LinearObjective(problem, LogisticLoss(), 5.0)
    monkeypatch.setattr("tacit.queries.linear_objective.minimize", lambda function, start, tolerance: start + 4)
    with pytest.raises(PrivacyError, match="distance"):  # sqrt(200 / 5) is below 4 sqrt(4)
        objective.minimizer(np.zeros(4))
    assert objective.minimizer(np.asarray([10.0, 0, 0, 0])).tolist() == [4, 4, 4, 4]


@LOSSES
def test_no_minimizer_exceeds_the_proved_distance(loss):
    """One row per direction, on its wrong side for any weights: rows pull as far as they can."""
    schema = Schema([Categorical("c", list(range(5)))], label=LABEL)
    table = Table.from_frame(np.arange(5)[:, None].repeat(40, axis=0), np.ones(200, int), schema)
    design = Design(named_encoding(schema, schema.names, "binned"), intercept=False)
    closest = 0.0
    for regularization in (0.01, 1.0, 100.0):
        for size in (0.0, 3.0, 300.0):
            objective = LinearObjective(LinearProblem(table, design), loss, regularization)
            found = objective.minimizer(np.full(5, -size / 5**0.5))
            bound = size / regularization + (200 / regularization) ** 0.5
            assert np.linalg.norm(found) <= bound
            closest = max(closest, np.linalg.norm(found) / bound)
    assert closest > 0.9


@pytest.mark.parametrize("offset", [None, 30.0, -700.0])
@pytest.mark.parametrize("shift", [0.0, 500.0])
def test_the_true_gradient_is_within_the_tolerance(offset, shift):
    """In 50 digits, at what the minimizer returns."""
    problem, X, y = problem_of(60, numbers=2)
    if offset is not None:
        empty = LinearEncoding(problem.table.schema, ())
        problem = replace(problem, offset=Offset(empty, np.zeros(0), offset))
    objective = LinearObjective(problem, LogisticLoss(), 4.0, reach=max(shift, 1.0) * 2)
    b = np.asarray([shift, -shift, shift / 2])
    w = objective.minimizer(b)
    mp.dps = 50
    gradient = [4 * mp.mpf(float(one)) + mp.mpf(float(two)) for one, two in zip(w, b, strict=True)]
    for row, label in zip(np.rint(X * 2**20) / 2**20, y, strict=True):
        z = [mp.mpf(float(x)) for x in row] + [mp.mpf(1)]
        sign = 1 if label else -1
        margin = sign * (sum(a * mp.mpf(float(c)) for a, c in zip(z, w, strict=True)) + (offset or 0))
        slope = 1 / (1 + mp.exp(margin))
        gradient = [g - sign * slope * a for g, a in zip(gradient, z, strict=True)]
    norm = float(mp.sqrt(sum(g * g for g in gradient)))
    assert norm <= objective.tolerance < 1e-6


def test_rounding_is_counted_where_gradients_are_computed_and_where_they_are_proved(monkeypatch):
    """By hand: 1000 rows in one strip, four columns, a reach of 50; r is the bound of the proof."""
    problem, _, _ = problem_of(1000)
    objective, given = LinearObjective(problem, HuberLoss(0.05), 7.0, reach=50.0), []
    distance = 50 / 7 + (1000 / 7) ** 0.5
    margin = (4 + 2) * 2 * distance  # a number and a product for each column, and their sizes: R W
    rounding = 1000 * 2 * (10 * margin + 8 + 4096 + 1 + 4096 + 1) + 4 * 7 * distance + 516 * 50
    rounding *= 2.0**-53
    assert objective.tolerance == pytest.approx(3 * rounding)

    def steps(function, gradient_norm, tolerance):
        given.append(tolerance)
        return proved_steps(function, gradient_norm, tolerance)

    def without_lbfgs(function, start, tolerance):
        given.append(tolerance)
        return minimize(function, start, tolerance, evaluations=0)

    monkeypatch.setattr("tacit.convex.minimizer.proved_steps", steps)
    monkeypatch.setattr("tacit.queries.linear_objective.minimize", without_lbfgs)
    objective.minimizer(np.zeros(4))
    computed, exact = given
    # What the proved method reaches, and rounding: a computed gradient that small. That, and rounding: the tolerance.
    assert exact + rounding == pytest.approx(computed)
    assert computed + rounding == pytest.approx(objective.tolerance)


def test_the_tolerance_does_not_depend_on_rows():
    one, two = (LinearObjective(problem_of(seed=seed)[0], LogisticLoss(), 2.0) for seed in (0, 1))
    assert one.tolerance == two.tolerance
    assert one.statistic().query == two.statistic().query


def test_the_tolerance_counts_each_strip_of_each_block():
    frame, labels = np.zeros((4_000, 1)), ["a", "b"] * 2_000
    schema = Schema([Numeric("x", -1, 1)], label=Label("y", ["a", "b"]))
    design = Design(LinearEncoding(schema, ("x",)))
    whole, single = (
        LinearObjective(
            LinearProblem(Table.from_frame(frame, labels, schema, block_rows=size), design), LogisticLoss(), 2.0
        )
        for size in (4_000, 1)
    )
    added = 3 * 2.0**-53 * 4_000 * 2**0.5 * (4_000 - 1)  # 3 u n R for each further addition
    assert single.tolerance - whole.tolerance == pytest.approx(added)


def test_blocks_do_not_matter():
    at = np.asarray([0.1, 0.2, 0.3, 0.4])
    whole, parts = (
        LinearObjective(problem_of(9000, block_rows=size)[0], LogisticLoss(), 1.0) for size in (65_536, 1000)
    )
    assert whole.gradient(at) == pytest.approx(parts.gradient(at), rel=1e-12)
    assert whole.hessian(at) == pytest.approx(parts.hessian(at), rel=1e-12)


@LOSSES
def test_metrics_resemble_the_inverse_of_second_derivatives(loss):
    """Every sixth strip of rows sorted by label, for the first; a diagonal one resembles it on the diagonal."""
    generator = np.random.default_rng(3)
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(3)], label=LABEL)
    X, y = generator.uniform(-1, 1, (200_000, 3)), np.repeat([0, 1], 100_000)
    X[:, 0] = np.abs(X[:, 0]) * np.where(y, 1, -1) * generator.choice([-1, 1], 200_000, p=[0.2, 0.8])
    design = Design(LinearEncoding(schema, schema.names))
    problem = LinearProblem(Table.from_frame(X, y, schema, block_rows=30_000), design)
    objective = LinearObjective(problem, loss, 2.0)
    at, number = np.asarray([1.5, 0.1, 0.0, 0.0]), len(loss.broader)
    whole = objective.hessian(at)
    product = np.column_stack([objective.metric(at, number)(column) for column in whole])
    assert not (product == np.eye(4)).all() or number == 3
    assert product == pytest.approx(np.eye(4), abs=0.1)
    diagonal = 1 / replaced(objective, number, at)
    assert diagonal == pytest.approx(np.diag(whole), rel=0.1)
    assert np.linalg.norm(objective.gradient(objective.minimizer(np.zeros(4)))) <= objective.tolerance * 2 / 3


def replaced(objective, number, at):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tacit.queries.linear_objective.MAX_FACTORED_FEATURES", 0)
        return objective.metric(at, number)(np.ones(len(at)))
