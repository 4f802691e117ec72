"""The minimizer: L-BFGS in front, and a method that arrives in a proved number of steps whatever happens before."""

from __future__ import annotations

import numpy as np
import pytest

from harness.linear_problems import LOSSES, problem_of
from tacit.convex import HuberLoss, LogisticLoss
from tacit.convex.minimizer import Smooth, _InverseHessian, minimize, proved_steps
from tacit.errors import PrivacyError
from tacit.queries import LinearObjective, solvable_regularization


def test_proved_steps_by_hand():
    function = Smooth(lambda w: w, None, strong=1.0, smooth=100.0)
    assert proved_steps(function, 1.0, 1e-3) == int(np.ceil(10 * np.log(200 * 1e6))) + 1


def test_the_proved_method_needs_about_as_many_steps_as_proved():
    """Quadratics of the worst conditioning: none takes more steps, some take a quarter."""
    taken = []
    for seed in range(20):
        curvatures = np.append([1.0, 1e4], 10.0 ** np.random.default_rng(seed).uniform(0, 4, 30))
        steps = []

        def gradient(w, curvatures=curvatures, steps=steps):
            steps.append(1)
            return curvatures * (w - 1)

        function = Smooth(gradient, None, 1.0, 1e4)
        first = float(np.linalg.norm(curvatures))
        minimize(function, np.zeros(32), 1e-6, evaluations=0)
        taken.append(len(steps) / proved_steps(function, first, 1e-6 / 2))
    assert 1 / 4 < max(taken) <= 1


def smooth(objective, shift, metric=None):
    n_rows, design = objective.problem.table.n_rows, objective.problem.design
    smoothness = objective.regularization + n_rows * objective.loss.curvature_bound * design.squared_radius
    return Smooth(
        lambda w: objective.gradient(w) + shift, metric or objective.metric, objective.regularization, smoothness
    )


@LOSSES
def test_the_proved_method_arrives_alone(loss):
    problem, _, _ = problem_of(200)
    function = smooth(LinearObjective(problem, loss, 5.0), np.asarray([3.0, -40.0, 8.0, 1.0]))
    alone = minimize(function, np.zeros(4), 1e-8, evaluations=0)
    both = minimize(function, np.zeros(4), 1e-8)
    assert np.linalg.norm(function.gradient(alone)) <= 1e-8
    assert alone == pytest.approx(both, abs=1e-8)


@LOSSES
@pytest.mark.parametrize("worth", [1e6, 1e-9], ids=["short", "long"])
def test_metrics_that_mislead_are_renewed_and_leave_the_answer(loss, worth):
    """The first two metrics make moves a million times too short, or far too long."""
    problem, _, _ = problem_of(3000)
    objective, made = LinearObjective(problem, loss, 5.0), []

    def metric(w, number):
        made.append(number)
        return objective.metric(w, number) if number > 1 else lambda gradient: gradient / worth

    found = minimize(smooth(objective, 0.0, metric), np.zeros(4), 1e-7)
    assert np.linalg.norm(objective.gradient(found)) <= 1e-7
    assert made == list(range(len(made)))


def test_the_proved_method_starts_where_the_solver_did_if_that_is_lost():
    problem, _, _ = problem_of(200)
    objective = LinearObjective(problem, LogisticLoss(), 5.0)
    found = minimize(smooth(objective, 0.0, lambda w, _: lambda g: np.full(4, np.nan)), np.zeros(4), 1e-8)
    assert np.linalg.norm(objective.gradient(found)) <= 1e-8


def test_too_few_steps_are_a_defect_and_tell_nothing(monkeypatch):
    problem, _, _ = problem_of(200)
    function = smooth(LinearObjective(problem, LogisticLoss(), 5.0), 0.0)
    monkeypatch.setattr("tacit.convex.minimizer.proved_steps", lambda *_: 2)
    with pytest.raises(PrivacyError, match="Nothing was released"):
        minimize(function, np.zeros(4), 1e-8, evaluations=0)


def test_the_proved_method_is_given_at_most_some_hundred_thousand_steps():
    problem, _, _ = problem_of(3000)
    loss = HuberLoss(0.05)
    objective = LinearObjective(problem, loss, solvable_regularization(3000, problem.design, loss), reach=1e6)
    function = smooth(objective, 0.0)
    largest = 3000 * 2 + 1e6  # n R and the perturbation
    assert proved_steps(function, largest, objective.tolerance / 3) < 250_000


def test_corrected_metrics_agree_with_the_gradients_seen():
    generator = np.random.default_rng(1)
    root = generator.normal(size=(5, 5))
    truth = root @ root.T + np.eye(5)
    metric = _InverseHessian(lambda gradient: gradient)
    for move in generator.normal(size=(3, 5)):
        metric.learn(move, truth @ move)
        assert metric(truth @ move) == pytest.approx(move)
    metric.learn(np.ones(5), -np.ones(5))  # of rounding alone
    assert metric(truth @ move) == pytest.approx(move)
