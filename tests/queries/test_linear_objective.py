"""Objectives of linear forms: values by hand, scikit-learn's optimum, the proved solver, tolerances, geometry."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from sklearn.linear_model import LogisticRegression

from harness.neighbors import neighbors, table_of
from tacit.errors import ParameterError, PrivacyError
from tacit.privacy.gauge import ProductOfBalls
from tacit.queries import Design, HuberLoss, LinearObjective, LinearProblem, LogisticLoss, Offset, public_margin
from tacit.queries.linear_rows import DenseRows, linear_rows
from tacit.queries.minimizer import Smooth, _Curvature, minimize, proved_steps
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import LinearEncoding, Table
from tacit.table.named_encoding import named_encoding, with_long_tails

LABEL = Label("y", [0, 1], private=False)
LOSSES = pytest.mark.parametrize("loss", [LogisticLoss(), HuberLoss(0.05), HuberLoss(1.0)], ids=["logistic", "h", "1"])


def problem_of(n_rows=300, numbers=3, seed=0, block_rows=65_536, label=LABEL, offset=None):
    generator = np.random.default_rng(seed)
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(numbers)], label=label)
    X = generator.uniform(-1, 1, (n_rows, numbers))
    y = (X.sum(axis=1) + generator.normal(0, 0.5, n_rows) > 0).astype(int)
    table = Table.from_frame(X, y, schema, block_rows=block_rows)
    design = Design(LinearEncoding(schema, schema.names))
    return LinearProblem(table, design, offset), X, y


def test_values_by_hand():
    schema = Schema([Numeric("x", -1, 1)], label=LABEL)
    table = table_of(((0.5, 1), (-1.0, 0)), schema)
    problem = LinearProblem(table, Design(LinearEncoding(schema, ("x",)), intercept=False))
    value, gradient = LinearObjective(problem, LogisticLoss(), 2.0).evaluate(np.asarray([1.0]))
    assert value == pytest.approx(np.log1p(np.exp(-0.5)) + np.log1p(np.exp(-1.0)) + 1)
    slopes = 1 / (1 + np.exp([0.5, 1.0]))
    assert gradient[0] == pytest.approx(-slopes[0] * 0.5 - slopes[1] * 1.0 + 2)
    curvature = LinearObjective(problem, LogisticLoss(), 2.0).hessian(np.asarray([1.0]))
    assert curvature[0, 0] == pytest.approx(slopes[0] * (1 - slopes[0]) / 4 + slopes[1] * (1 - slopes[1]) + 2)


@LOSSES
def test_slopes_and_curvatures_are_derivatives(loss):
    margins, step = np.linspace(-3, 3, 97) + 0.0037, 1e-6
    slope = -(loss.value(margins + step) - loss.value(margins - step)) / (2 * step)
    assert loss.slope(margins) == pytest.approx(slope, abs=1e-8)
    curvature = -(loss.slope(margins + step) - loss.slope(margins - step)) / (2 * step)
    assert loss.curvature(margins) == pytest.approx(curvature, abs=1e-6)
    assert (loss.slope(margins) >= 0).all() and (loss.slope(margins) <= 1).all()
    assert loss.curvature(margins).max() <= loss.curvature_bound
    if loss.logistic:
        assert loss.curvature(margins) == pytest.approx(loss.slope(margins) * (1 - loss.slope(margins)))


@LOSSES
def test_the_gradient_is_that_of_the_value(loss):
    problem, _, _ = problem_of(block_rows=70)
    objective, at, step = LinearObjective(problem, loss, 3.0), np.asarray([0.3, -0.2, 0.9, 0.1]), 1e-6
    differences = [
        (objective.evaluate(at + step * unit)[0] - objective.evaluate(at - step * unit)[0]) / (2 * step)
        for unit in np.eye(4)
    ]
    assert objective.evaluate(at)[1] == pytest.approx(differences, rel=1e-5, abs=1e-4)


def test_the_optimum_is_scikit_learns():
    problem, X, y = problem_of(1000)
    objective = LinearObjective(problem, LogisticLoss(), 0.5)
    theirs = LogisticRegression(C=2.0, fit_intercept=False, tol=1e-12, max_iter=10_000)
    features = np.column_stack([np.rint(X * 2**20) / 2**20, np.ones(1000)])
    theirs.fit(features, y)
    assert objective.minimizer(np.zeros(4)) == pytest.approx(theirs.coef_[0], abs=1e-6)


@LOSSES
def test_the_proved_method_arrives_alone(loss):
    problem, _, _ = problem_of(200)
    objective = LinearObjective(problem, loss, 5.0)
    shift = np.asarray([3.0, -40.0, 8.0, 1.0])

    def evaluate(w):
        value, gradient = objective.evaluate(w)
        return value + float(shift @ w), gradient + shift

    function = Smooth(evaluate, objective.hessian, 5.0, 5.0 + 200 * loss.curvature_bound * 4)
    alone = minimize(function, np.zeros(4), 1e-8, newton_steps=0)
    both = minimize(function, np.zeros(4), 1e-8)
    assert np.linalg.norm(evaluate(alone)[1]) <= 1e-8
    assert alone == pytest.approx(both, abs=1e-8)


def test_rough_second_derivatives_that_mislead_are_given_up(monkeypatch):
    problem, _, _ = problem_of(200)
    objective = LinearObjective(problem, LogisticLoss(), 5.0)

    def rough(w):
        return 1e6 * np.eye(4)  # steps far too short, for ever

    function = Smooth(objective.evaluate, objective.hessian, 5.0, 205.0, rough)
    monkeypatch.setattr("tacit.queries.minimizer._nesterov", None)
    assert np.linalg.norm(objective.evaluate(minimize(function, np.zeros(4), 1e-8))[1]) <= 1e-8


def test_newton_alone_arrives_at_narrow_corners(monkeypatch):
    problem, _, _ = problem_of(3000)
    objective = LinearObjective(problem, HuberLoss(0.001), 1e-3)
    monkeypatch.setattr("tacit.queries.minimizer._nesterov", None)
    found = objective.minimizer(np.zeros(4))
    assert np.linalg.norm(objective.evaluate(found)[1]) <= objective.tolerance


@pytest.mark.parametrize("led", [1e9, -1e9, np.nan])
def test_where_wider_corners_mislead_the_solver_starts_at_zero(monkeypatch, led):
    problem, _, _ = problem_of(200)
    objective, starts = LinearObjective(problem, HuberLoss(0.05), 5.0), []

    def recorded(function, start, tolerance):
        starts.append(start)
        return minimize(function, start, tolerance)

    monkeypatch.setattr("tacit.queries.linear_objective.approached", lambda function, start: np.full(4, led))
    monkeypatch.setattr("tacit.queries.linear_objective.minimize", recorded)
    found = objective.minimizer(np.zeros(4))
    assert np.array_equal(starts[0], np.zeros(4))
    assert np.linalg.norm(objective.evaluate(found)[1]) <= objective.tolerance


def test_too_few_steps_are_a_defect_and_tell_nothing(monkeypatch):
    problem, _, _ = problem_of(200)
    objective = LinearObjective(problem, LogisticLoss(), 5.0)
    function = Smooth(objective.evaluate, objective.hessian, 5.0, 205.0)
    monkeypatch.setattr("tacit.queries.minimizer.proved_steps", lambda *_: 2)
    with pytest.raises(PrivacyError, match="Nothing was released"):
        minimize(function, np.zeros(4), 1e-8, newton_steps=0)


def test_proved_steps_by_hand():
    function = Smooth(lambda w: (0.0, w), lambda w: np.eye(1), strong=1.0, smooth=100.0)
    assert proved_steps(function, 1.0, 1e-3) == int(np.ceil(10 * np.log(200 * 1e6))) + 1


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
    added = 2 * 2.0**-53 * 4_000 * 2**0.5 * (4_000 - 1)  # 2 u n R for each further addition
    assert single.tolerance - whole.tolerance == pytest.approx(added)


def test_blocks_do_not_matter():
    at = np.asarray([0.1, 0.2, 0.3, 0.4])
    whole, parts = (
        LinearObjective(problem_of(9000, block_rows=size)[0], LogisticLoss(), 1.0) for size in (65_536, 1000)
    )
    assert whole.evaluate(at)[1] == pytest.approx(parts.evaluate(at)[1], rel=1e-12)
    assert whole.hessian(at) == pytest.approx(parts.hessian(at), rel=1e-12)


@LOSSES
def test_second_derivatives_of_some_rows_point_the_way(loss):
    """Every sixth strip of rows sorted by label; the minimizer is as exact as ever, and needs few evaluations."""
    generator = np.random.default_rng(3)
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(3)], label=LABEL)
    X, y = generator.uniform(-1, 1, (200_000, 3)), np.repeat([0, 1], 100_000)
    X[:, 0] = np.abs(X[:, 0]) * np.where(y, 1, -1) * generator.choice([-1, 1], 200_000, p=[0.2, 0.8])
    problem = LinearProblem(
        Table.from_frame(X, y, schema, block_rows=30_000), Design(LinearEncoding(schema, schema.names))
    )
    objective = LinearObjective(problem, loss, 2.0)
    at = np.asarray([1.5, 0.1, 0.0, 0.0])
    whole, part = objective.hessian(at), objective.hessian(at, sampled=True)
    assert not (whole == part).all()
    assert np.abs(part / whole[0, 0] - whole / whole[0, 0]).max() < 0.1
    assert np.linalg.norm(objective.evaluate(objective.minimizer(np.zeros(4)))[1]) <= objective.tolerance / 2


def test_corrected_curvature_agrees_with_the_gradients_seen():
    generator = np.random.default_rng(1)
    root = generator.normal(size=(5, 5))
    truth = root @ root.T + np.eye(5)
    curvature = _Curvature(np.eye(5))
    assert curvature.fresh
    for move in generator.normal(size=(3, 5)):
        curvature.learn(move, truth @ move)
        assert curvature.direction(truth @ move) == pytest.approx(move)
    assert not curvature.fresh
    curvature.learn(np.ones(5), -np.ones(5))  # of rounding alone
    assert curvature.direction(truth @ move) == pytest.approx(move)


@LOSSES
def test_separable_rows_and_constant_columns_have_a_finite_optimum(loss):
    schema = Schema([Numeric("x", -1, 1, private=False), Numeric("same", -1, 1, private=False)], label=LABEL)
    X = np.column_stack([np.repeat([-1.0, 1.0], 500), np.full(1000, 0.7)])
    table = Table.from_frame(X, np.repeat([0, 1], 500), schema)
    offset = public_margin(table, LinearEncoding(schema, schema.names), loss)
    assert 0.5 < offset.weights[0] < 20
    assert abs(offset.weights[1]) < 1 and abs(offset.intercept) < 1
    assert offset.reach == pytest.approx(
        np.abs(
            [s * offset.weights[0] + t * offset.weights[1] + offset.intercept for s in (1, -1) for t in (1, -1)]
        ).max()
    )


def test_a_public_model_refuses_protected_cells():
    problem, _, _ = problem_of()
    with pytest.raises(PrivacyError, match="public"):
        public_margin(problem.table, problem.design.encoding, LogisticLoss())
    private_label, _, _ = problem_of(label=Label("y", [0, 1]))
    with pytest.raises(PrivacyError, match="public"):
        public_margin(private_label.table, LinearEncoding(private_label.table.schema, ()), LogisticLoss())


@given(pair=neighbors(), name=st.sampled_from(["binned", "one-hot", "ordinal"]), intercept=st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_row_lies_in_the_ball(pair, name, intercept):
    design = Design(named_encoding(pair.schema, pair.schema.names, name, 5), intercept)
    ball = ProductOfBalls(design.widths)

    rows = LinearProblem(pair.tables()[0], design).rows

    def check(block):
        for strip in rows.strips(block):
            features = np.asarray([added(rows, strip, one) for one in np.eye(block.n_rows)])
            assert max(ball.gauge(row) for row in features) <= 1
            assert max(sum(Fraction(float(x)) ** 2 for x in row) for row in features) <= design.squared_radius
            assert features.shape[1] == design.n_features == ball.dimension
        return np.zeros(1)

    pair.tables()[0].sum(check)


def added(rows, strip, factors):
    sums = rows.no_sums()
    strip.add(factors, sums)
    return rows.features(sums)


@given(pair=neighbors(), intercept=st.booleans(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_counting_is_the_matrix_product(pair, intercept, data):
    """One-hot sums by counting, against the same features written out."""
    encoding, table = named_encoding(pair.schema, pair.schema.names, "binned", 4), pair.tables()[0]
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))

    def check(rows, block):
        Z = block.features(encoding).astype(float)
        Z = np.column_stack([Z, np.ones(len(Z))]) if intercept else Z
        w, r = generator.normal(size=Z.shape[1]), generator.normal(size=len(Z))
        for strip in rows.strips(block):
            assert strip.times(rows.prepared(w)) == pytest.approx(Z @ w)
            assert added(rows, strip, r) == pytest.approx(r @ Z)
            assert strip.moments(np.abs(r)) == pytest.approx((Z * np.abs(r)[:, None]).T @ Z)
        return np.zeros(1)

    for rows in (linear_rows(table, encoding, intercept), DenseRows(encoding, intercept)):
        table.sum(partial(check, rows))


def test_long_tails_get_a_logarithmic_grid():
    columns = [
        Numeric("gain", 0, 1000, center=0),
        Numeric("age", 0, 90, center=40),
        Numeric("bare", 0, 10),
        Numeric("cut", 0, 10, center=0, cuts=[5]),
        Categorical("c", ["a", "b"]),
    ]
    scales = [getattr(c, "scale", None) for c in with_long_tails(Schema(columns, label=LABEL)).columns]
    assert scales == ["log", "linear", "linear", "linear", None]


def test_a_huber_width_is_checked():
    for width in (0.0, -1.0, 2.0, "wide"):
        with pytest.raises(ParameterError, match="huber"):
            HuberLoss(width)


def test_newton_does_not_go_in_circles_on_kinks():
    """All rows but two in one class: a step that halves the gradient may raise the value a thousandfold."""
    generator = np.random.default_rng(0)
    schema = Schema([Categorical(f"c{i}", list(range(4))) for i in range(6)], label=LABEL)
    X, y = generator.integers(0, 4, (3000, 6)), np.zeros(3000, int)
    y[:2] = 1
    design = Design(named_encoding(schema, schema.names, "binned"), intercept=False)
    objective = LinearObjective(LinearProblem(Table.from_frame(X, y, schema), design), HuberLoss(), 1.0)
    values = []

    def evaluate(w):
        values.append(objective.evaluate(w))
        return values[-1]

    minimize(Smooth(evaluate, objective.hessian, 1.0, 1.0 + 3000 * 10 * 6), np.zeros(design.n_features), 1e-8)
    assert len(values) < 150
