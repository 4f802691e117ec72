"""Every mechanism's density adds up to one, and its divergence is what its density says; wrong ones are noticed."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

import tacit.mechanisms
from harness.densities import shifted
from harness.neighbors import Pair
from harness.noise import largest_rho, permute_and_flip_probabilities
from tacit.audit.mutants import half_noise
from tacit.convex import HuberLoss, LogisticLoss
from tacit.features import LinearEncoding
from tacit.mechanisms import (
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    SimulatedNoise,
)
from tacit.mechanisms.gaussian import AnalyticGaussian, gaussian_delta
from tacit.mechanisms.gaussian_objective import GaussianObjective
from tacit.mechanisms.k_norm import KNorm
from tacit.mechanisms.objective_perturbation import Euclidean, Gauge, ObjectivePerturbation
from tacit.mechanisms.selection import JointSelection
from tacit.mechanisms.selection_probabilities import permute_and_flip_log_probabilities
from tacit.privacy import (
    ZCDP,
    ApproximateDP,
    NumericStatistic,
    PendingRelease,
    PrivacyUnit,
    PureDP,
    SelectionStatistic,
)
from tacit.privacy.statistic import GaugeStatistic, JointSelectionStatistic, ProductOfBalls
from tacit.queries import Design, LinearObjective, row_geometry
from tacit.schema import Label, Numeric, Schema

UNIT = PrivacyUnit(("age",), label=False)


def numbers(values, dtype):
    return NumericStatistic("numbers", UNIT, np.asarray(values, dtype), l1=1.0, l2=1.0)


def scores(values, range_=1.0):
    return SelectionStatistic("scores", UNIT, np.asarray(values, float), range=range_)


def joint(values):
    admitted = np.asarray([[True, True, True], [True, False, True]])
    return JointSelectionStatistic("choices", UNIT, np.asarray(values, float), range=1.0, admitted=admitted)


def broken(mechanism, statistic):
    return half_noise(PendingRelease(None, mechanism, statistic, SimulatedNoise(0))).mechanism


def test_every_mechanism_states_its_distribution():
    room = [
        importlib.import_module(each.name)
        for each in pkgutil.iter_modules(tacit.mechanisms.__path__, "tacit.mechanisms.")
    ]
    stating = {
        thing
        for module in room
        for _, thing in inspect.getmembers(module, inspect.isclass)
        if thing.__module__ == module.__name__ and hasattr(thing, "sample") and not inspect.isabstract(thing)
    }
    assert len(stating) >= 10
    for mechanism in stating:
        for name in ("log_density", "divergence", "worst_answer"):
            assert hasattr(mechanism, name), f"{mechanism.__name__} lacks {name}"


@pytest.mark.parametrize("mechanism", [Laplace(PureDP(0.7)), Gaussian(ZCDP(0.3)), Gaussian(ZCDP(0.004))])
def test_distributions_of_whole_numbers_add_up_to_one(mechanism):
    statistic = numbers([3], np.int64)
    for made, one in ((mechanism, 1.0), (broken(mechanism, statistic), 1.0)):
        total = sum(np.exp(made.log_density(statistic, np.asarray([k]))) for k in range(-400, 400))
        assert total == pytest.approx(one, abs=1e-12)


@pytest.mark.parametrize(
    "mechanism", [Laplace(PureDP(0.7)), Gaussian(ZCDP(0.3)), AnalyticGaussian(ApproximateDP(1.0, 1e-3))]
)
def test_densities_integrate_to_one(mechanism):
    statistic = numbers([0.5], np.float64)
    total, _ = quad(
        lambda x: np.exp(mechanism.log_density(statistic, np.asarray([x]))), -80, 80, points=[0.5], limit=200
    )
    assert total == pytest.approx(1, abs=1e-7)
    assert mechanism.log_density(statistic, np.zeros(2)) == -np.inf


def test_a_density_of_the_drawn_scale_has_the_drawn_mean():
    """A density of another scale than the sampler's is noticed by the mean of the log density, the entropy."""
    statistic, generator = numbers(np.zeros(1), np.float64), SimulatedNoise(0)
    mechanism = Laplace(PureDP(0.5))
    drawn = [mechanism.sample(statistic, generator) for _ in range(4000)]
    entropy = 1 + np.log(2 * 2.0)  # of a Laplace distribution of scale 2
    for made, right in ((mechanism, True), (broken(mechanism, statistic), False)):
        mean = -np.mean([made.log_density(statistic, answer) for answer in drawn])
        assert (abs(mean - entropy) < 0.08) == right  # 5 standard errors: the deviation of -log density is 1


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_permute_and_flip_has_the_distribution_of_its_orders(size):
    values = np.random.default_rng(size).normal(0, 2, size)
    assert np.exp(permute_and_flip_log_probabilities(values, 1.5)) == pytest.approx(
        permute_and_flip_probabilities(values, 1.5), abs=1e-12
    )


@pytest.mark.parametrize("size", [300, 4000])
def test_permute_and_flip_is_stable_for_many_candidates(size):
    alike = permute_and_flip_log_probabilities(np.zeros(size), 1.0)
    assert alike == pytest.approx(np.full(size, -np.log(size)), abs=1e-10)
    spread = permute_and_flip_log_probabilities(np.linspace(0, 5000, size), 1.0)
    assert np.isfinite(spread).all() and np.exp(spread).sum() == pytest.approx(1, abs=1e-10)


SELECTIONS = [
    PermuteAndFlip(PureDP(0.7)),
    ExponentialMechanism(ZCDP(0.3)),
]


@pytest.mark.parametrize("mechanism", SELECTIONS)
def test_selections_add_up_to_one_and_stay_within_their_share(mechanism):
    one, other = scores([0.0, -3.0, -9.0]), scores([-0.5, -2.5, -9.0])
    distributions = [np.exp([mechanism.log_density(each, index) for index in range(3)]) for each in (one, other)]
    assert [distribution.sum() for distribution in distributions] == pytest.approx([1, 1], abs=1e-10)
    if isinstance(mechanism.share, ZCDP):
        expected, share = largest_rho(*distributions, np.geomspace(1.001, 2000, 400)), 0.3
        found = max(mechanism.divergence(one, other), mechanism.divergence(other, one))
        assert found == pytest.approx(expected, rel=1e-4)
    else:
        found, share = mechanism.divergence(one, other), 0.7
        assert found == pytest.approx(np.log(distributions[0] / distributions[1]).max(), abs=1e-9)
        assert mechanism.worst_answer(one, other) == np.log(distributions[0] / distributions[1]).argmax()
    assert found <= share
    assert broken(mechanism, one).divergence(other, one) > 1.8 * mechanism.divergence(other, one)


@pytest.mark.parametrize("share", [PureDP(0.7), ZCDP(0.3)])
def test_joint_selections_multiply_the_distributions_of_their_choices(share):
    one, other = joint([[0, -1, -2], [0, 5, -1]]), joint([[-0.2, -0.9, -2], [-0.1, 9, -0.8]])
    mechanism = JointSelection(share)
    answers = [np.asarray(each) for each in product(range(3), (0, 2))]
    distributions = [np.exp([mechanism.log_density(each, answer) for answer in answers]) for each in (one, other)]
    assert [distribution.sum() for distribution in distributions] == pytest.approx([1, 1], abs=1e-10)
    if isinstance(share, ZCDP):
        found = max(mechanism.divergence(one, other), mechanism.divergence(other, one))
        assert found == pytest.approx(largest_rho(*distributions, np.geomspace(1.001, 2000, 400)), rel=1e-4)
    else:
        ratios = np.log(distributions[0] / distributions[1])
        assert mechanism.divergence(one, other) == pytest.approx(ratios.max(), abs=1e-9)
        assert mechanism.worst_answer(one, other).tolist() == answers[ratios.argmax()].tolist()


def test_additive_divergences_by_hand():
    one, other = numbers([1, 4], np.int64), numbers([2, 2], np.int64)
    assert Laplace(PureDP(0.5)).divergence(one, other) == pytest.approx(1.5)
    assert Gaussian(ZCDP(0.5)).divergence(one, other) == pytest.approx(5 / 2)
    mechanism, far = AnalyticGaussian(ApproximateDP(1.0, 1e-3)), numbers([0.3], np.float64)
    epsilon = mechanism.divergence(numbers([1.3], np.float64), far)
    assert epsilon == pytest.approx(1.0, rel=1e-4)
    assert gaussian_delta(epsilon, mechanism.noise_scale(far)) == pytest.approx(1e-3, rel=1e-6)


def test_the_k_norm_density_integrates_to_one_and_its_divergence_is_the_gauge():
    ball = ProductOfBalls((1, 1))
    one, other = (GaugeStatistic("sums", UNIT, np.asarray(v), ball, 1.0, 1e-9) for v in ([0.0, 0.0], [1.0, -0.5]))
    mechanism = KNorm(PureDP(1.0))
    grid = np.linspace(-25, 25, 201)
    total = sum(np.exp(mechanism.log_density(one, np.asarray([x, y]))) for x in grid for y in grid) * 0.25**2
    assert total == pytest.approx(1, abs=1e-2)
    assert mechanism.divergence(one, other) == pytest.approx(0.99)
    ratio = mechanism.log_density(one, mechanism.worst_answer(one, other)) - mechanism.log_density(other, np.zeros(2))
    assert ratio == pytest.approx(0.99)


def objectives(loss, mechanism, offset, factor=1.0, columns=1):
    schema = Schema([Numeric(f"x{at}", -1, 1) for at in range(columns)], label=Label("y", ["no", "yes"], private=False))
    pair = Pair(schema, ((*[1.0] * columns, "yes"),), ((*[-1.0] * columns, "yes"),))
    design = Design(LinearEncoding(schema, schema.names), intercept=False)
    least = factor * mechanism.least_regularization(row_geometry(design, loss))
    return [LinearObjective(shifted(table, design, offset), loss, least).statistic() for table in pair.tables()]


OBJECTIVES = [
    ObjectivePerturbation(PureDP(1.0), Gauge()),
    ObjectivePerturbation(PureDP(1.0), Euclidean()),
    GaussianObjective(1.0, 1e-2),
]


@pytest.mark.parametrize("loss", [LogisticLoss(), HuberLoss(0.5)], ids=["logistic", "Huber"])
@pytest.mark.parametrize("mechanism", OBJECTIVES)
def test_densities_of_minimizers_integrate_to_one(mechanism, loss):
    statistic, _ = objectives(loss, mechanism, 0.0)
    reach = 30 * mechanism.noise_scale(statistic) / statistic.regularization
    points = np.linspace(-reach, reach, 1001)
    total = sum(np.exp(mechanism.log_density(statistic, np.asarray([w]))) for w in points) * (points[1] - points[0])
    assert total == pytest.approx(1, abs=1e-2)  # the Huber loss has corners; the Hessian left out would be off by more


@pytest.mark.parametrize("offset", [0.0, -40.0])
def test_the_gaussian_objective_has_the_epsilon_of_its_quadrature(offset):
    mechanism = GaussianObjective(1.0, 1e-2)
    one, other = objectives(LogisticLoss(), mechanism, offset)
    reach = 9 * mechanism.noise_scale(one) / one.regularization
    points = np.linspace(-reach, reach, 801)
    mine, its = (np.asarray([mechanism.log_density(each, np.asarray([w])) for w in points]) for each in (one, other))
    found = mechanism.divergence(one, other)
    above = np.maximum(np.exp(mine) - np.exp(found + its), 0).sum() * (points[1] - points[0])
    # Where hardly anything is lost, outputs are spread around another loss than the one that decides.
    assert above == pytest.approx(1e-2, rel=0.1 if offset else 0.3)
    assert found <= 1
    if offset:
        assert broken(mechanism, one).divergence(one, other) > 1


@pytest.mark.parametrize("columns", [12])
def test_the_gaussian_objective_has_the_epsilon_of_a_gaussian_mechanism_where_slopes_are_one(columns):
    mechanism = GaussianObjective(1.0, 1e-3)
    one, other = objectives(LogisticLoss(), mechanism, -40.0, factor=20.0, columns=columns)
    slopes = [each.derivatives(np.zeros(columns))[0] for each in (one, other)]
    shift = np.linalg.norm(slopes[0] - slopes[1]) / mechanism.noise_scale(one)

    def failure(epsilon):
        return norm.cdf(shift / 2 - epsilon / shift) - np.exp(epsilon) * norm.cdf(-shift / 2 - epsilon / shift)

    exact = brentq(lambda epsilon: failure(epsilon) - 1e-3, 0, 2)
    assert 0.9 < exact < 1
    # 128 outputs alone are off by more in many dimensions.
    assert mechanism.divergence(one, other) == pytest.approx(exact, rel=0.01)
