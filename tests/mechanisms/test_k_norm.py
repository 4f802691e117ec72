"""K-norm, spherical and masking noise: distributions, densities, shares, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from harness.noise import FACTORS, LAPLACE, scale_p_value
from tacit.errors import ParameterError, PrivacyError
from tacit.mechanisms import SecureNoise, SimulatedNoise
from tacit.mechanisms.exact_samplers import RELATIVE
from tacit.mechanisms.gaussian_objective import GaussianObjective, gaussian_failure
from tacit.mechanisms.k_norm import (
    DRAW_ROUNDING,
    KNorm,
    divided_log_density,
    divided_noise,
    divided_reach,
    divided_variance,
    gamma_reach,
    k_norm_log_density,
    k_norm_noise,
    k_norm_reach,
    normal_noise,
    parts_of,
    sphere_log_density,
    sphere_noise,
)
from tacit.mechanisms.mask import Mask, density_and_mask
from tacit.mechanisms.objective_perturbation import Euclidean, ObjectivePerturbation
from tacit.privacy import ZCDP, Accountant, Budget, PrivacyUnit, PureDP
from tacit.privacy.statistic import GaugeStatistic, ObjectiveStatistic, ProductOfBalls, RowGeometry

LEVEL = 1e-4
BALL = ProductOfBalls((1, 3))
UNIT = PrivacyUnit(("x",), label=False)


def draws(scale, size=4000, source=None):
    source = source or SimulatedNoise(1)
    return np.asarray([k_norm_noise(BALL, scale, source) for _ in range(size)])


def radius_p_value(sample, scale):
    """The gauge of b has density proportional to r^(d-1) exp(-r / scale): Gamma(d)."""
    gauges = [BALL.gauge(row) for row in sample]
    return stats.kstest(gauges, stats.gamma(BALL.dimension, scale=scale).cdf).pvalue


def test_the_gauge_is_the_largest_group_norm():
    assert BALL.gauge(np.asarray([-2.0, 1.0, 1.0, -1.0])) == 3
    assert BALL.gauge(np.asarray([-4.0, 1.0, 1.0, -1.0])) == 4
    assert BALL.log_volume == pytest.approx(np.log(2 * 8 / 6))
    with pytest.raises(ParameterError):
        ProductOfBalls((1, 0))


@pytest.mark.parametrize("source", [SimulatedNoise(1), SecureNoise()], ids=["simulated", "secure"])
def test_the_radius_has_its_distribution_and_no_other_scale(source):
    level = LEVEL if not source.is_private else 1e-9
    sample = draws(2.0, source=source)
    assert radius_p_value(sample, 2.0) > level
    for factor in (2 / 3, 3 / 2):
        assert radius_p_value(sample, 2.0 * factor) < 1e-12


def test_points_are_uniform_in_the_product():
    """Given the radius r of the sampler, the number is uniform and the group's norm has the distribution of u^(1/3)."""
    sample = draws(1.0)
    inside = sample / np.asarray([[BALL.gauge(row)] for row in sample])
    # On the boundary of the product: the number is at its end with probability 1/4, the group at its with 3/4.
    at_end = np.isclose(np.abs(inside[:, 0]), 1)
    assert stats.binomtest(int(at_end.sum()), len(sample), 1 / 4).pvalue > LEVEL
    number, group = np.abs(inside[~at_end, 0]), np.abs(inside[at_end, 1:]).sum(axis=1)
    assert stats.kstest(number, "uniform").pvalue > LEVEL
    assert stats.kstest(group**3, "uniform").pvalue > LEVEL
    assert stats.binomtest(int((sample > 0).sum()), sample.size, 1 / 2).pvalue > LEVEL
    shares = np.abs(inside[:, 1]) / np.abs(inside[:, 1:]).sum(axis=1)
    assert stats.kstest(shares, stats.beta(1, 2).cdf).pvalue > LEVEL


def test_densities_integrate_to_one():
    ball = ProductOfBalls((2,))
    grid = np.linspace(-12, 12, 301)
    for density in (
        lambda b: k_norm_log_density(ball, 0.7, b),
        lambda b: sphere_log_density(0.7, b),
    ):
        total = sum(np.exp(density(np.asarray([x, y]))) for x in grid for y in grid) * (grid[1] - grid[0]) ** 2
        assert total == pytest.approx(1, abs=5e-3)
    assert k_norm_log_density(ProductOfBalls((1,)), 2.0, np.asarray([3.0])) == pytest.approx(-1.5 - np.log(4))


def test_the_reach_is_practically_never_exceeded():
    assert max(np.linalg.norm(draws(1.0), axis=1)) < k_norm_reach(BALL, 1.0) / 5
    for shape in (1, 2, 5, 100, 10_000, 10**6):
        assert -400 < stats.gamma(shape).logsf(gamma_reach(shape)) < -190


UNLIKE = ProductOfBalls((1, 40, 1))
SHARES = np.cbrt([8 / 3, 2]) / np.cbrt([8 / 3, 2]).sum()
"""Two numbers: 2 * 3 * 4 * 2 / (2 * 3) a number, a third of it in a score. Forty categories: 2, as of a Laplace one."""


def divided_norm(vector):
    """By hand: shares of the larger number and of the categories' L1 norm."""
    return SHARES[0] * np.abs(vector[[0, 41]]).max() + SHARES[1] * np.abs(vector[1:41]).sum()


def test_parts_by_hand():
    numbers, categories = parts_of(UNLIKE)
    assert (numbers.ball.widths, categories.ball.widths) == ((1, 1), (40,))
    assert numbers.positions.tolist() == [0, 41]
    assert categories.positions.tolist() == [*range(1, 41)]
    assert [numbers.share, categories.share] == pytest.approx(SHARES, abs=2**-20)
    # Where widths are alike all share one gauge.
    assert [part.share for ball in (BALL, ProductOfBalls((8,) * 5)) for part in parts_of(ball)] == [1.0, 1.0]


@given(st.lists(st.sampled_from([1, 1, 2, 3, 7, 16, 42, 300]), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None)
def test_every_row_is_within_the_divided_norm(widths, seed):
    ball, generator = ProductOfBalls(tuple(widths)), np.random.default_rng(seed)
    parts = parts_of(ball)
    assert sorted(np.concatenate([part.positions for part in parts])) == [*range(ball.dimension)]
    assert sum(Fraction(part.share) for part in parts) <= 1
    assert sum(part.share for part in parts) > 1 - len(parts) / 2**20
    columns = [generator.dirichlet(np.full(width, 0.2)) * generator.choice([-1, 1], width) for width in widths]
    row = np.concatenate(columns)
    norm = sum(Fraction(part.share) * Fraction(part.ball.gauge(row[part.positions])) for part in parts)
    assert norm <= 1 + Fraction(1, 2**40)  # of rounding in this row


def test_divided_noise_has_the_distribution_of_its_norm():
    source = SimulatedNoise(3)
    sample = np.asarray([divided_noise(UNLIKE, 2.0, source) for _ in range(4000)])
    norms = np.asarray([divided_norm(row) for row in sample])
    assert stats.kstest(norms, stats.gamma(42, scale=2.0).cdf).pvalue > LEVEL
    for factor in (0.9, 1.1):
        assert stats.kstest(norms * factor, stats.gamma(42, scale=2.0).cdf).pvalue < 1e-12
    # A number's coordinate: of a Gamma(3) radius and a uniform place, 12 / 3; a category's is a Laplace one.
    assert sample[:, 0].var() == pytest.approx(4.0 * (2 / SHARES[0]) ** 2, rel=0.15)
    assert sample[:, 5].var() == pytest.approx(2.0 * (2 / SHARES[1]) ** 2, rel=0.15)
    assert divided_variance(UNLIKE, 2.0) == pytest.approx(4.0 * (2 / SHARES[0]) ** 2, rel=1e-4)
    assert max(np.linalg.norm(sample, axis=1)) < divided_reach(UNLIKE, 2.0) / 2


def test_divided_densities_by_hand():
    point, zero = np.linspace(-3, 2, 42), np.zeros(42)
    found = divided_log_density(UNLIKE, 2.0, point) - divided_log_density(UNLIKE, 2.0, zero)
    assert found == pytest.approx(-divided_norm(point) / 2.0, rel=1e-5)
    # Of one number and seven categories, each with noise of its own: two densities that integrate to one.
    small, draw = ProductOfBalls((1, 7)), np.asarray([0.3, *[0.2] * 7])
    scales = [1.5 / part.share for part in parts_of(small)]
    by_hand = stats.laplace(scale=scales[0]).logpdf(0.3) + stats.laplace(scale=scales[1]).logpdf(draw[1:]).sum()
    assert divided_log_density(small, 1.5, draw) == pytest.approx(by_hand)


class Rounded:
    """The same draws each time: as exact ones, in longdouble, or off by as much as exact samplers may be."""

    def __init__(self, seed, error):
        self._generator, self._off, self._error = np.random.default_rng(seed), np.random.default_rng(seed + 1), error

    def exponential(self, size):
        return self._moved(self._generator.exponential(size=size) * 10.0 ** self._generator.integers(-12, 2, size))

    def uniform(self, size):
        return self._moved(self._generator.uniform(size=size) * 2.0 ** self._generator.integers(-40, 1, size))

    def _moved(self, values):
        moved = values.astype(np.longdouble) * (1 + self._error * self._off.choice([-1, 1], values.shape))
        return moved if self._error == 0 else moved.astype(np.float64)


DISTRIBUTIONS = {
    "K-norm": lambda ball, source: k_norm_noise(ball, 0.7, source),
    "divided": lambda ball, source: divided_noise(ball, 0.7, source),
    "sphere": lambda ball, source: sphere_noise(ball.dimension, 0.7, source),
    "normal": lambda ball, source: normal_noise(ball.dimension, source),
}


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 2.0**-60, reason="needs numbers longer than float64")
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("widths", [(1,), (1, 3, 1), (30, 1, 200)])
def test_draws_couple_with_ideal_ones_whatever_is_drawn(monkeypatch, distribution, widths):
    """Numbers of all sizes, from 1e-12, all off by as much as the samplers promise, and their float64 arithmetic."""
    monkeypatch.setattr("tacit.mechanisms.k_norm.fsum", lambda values: values.sum())
    ball, worst = ProductOfBalls(widths), 0.0
    for seed in range(60):
        ideal, drawn = (DISTRIBUTIONS[distribution](ball, Rounded(seed, error)) for error in (0, RELATIVE))
        worst = max(worst, float(np.linalg.norm(drawn - ideal) / np.linalg.norm(ideal)))
    assert RELATIVE / 8 < worst < DRAW_ROUNDING / 2


def test_the_sphere_has_its_radius_and_no_direction():
    source = SimulatedNoise(2)
    sample = np.asarray([sphere_noise(3, 2.0, source) for _ in range(4000)])
    radii = np.linalg.norm(sample, axis=1)
    assert stats.kstest(radii, stats.gamma(3, scale=2.0).cdf).pvalue > LEVEL
    assert stats.kstest(radii, stats.gamma(3, scale=3.0).cdf).pvalue < 1e-12
    for axis in range(3):  # Archimedes: a coordinate of a uniform direction in space is uniform
        assert stats.kstest(sample[:, axis] / radii, stats.uniform(-1, 2).cdf).pvalue > LEVEL


@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 1 / 3, 1.0, 17.3, 1e6])
def test_density_and_mask_share_epsilon(epsilon):
    density, mask = density_and_mask(epsilon)
    assert Fraction(density) + Fraction(mask) <= Fraction(epsilon)
    assert mask == pytest.approx(epsilon / 100, rel=1e-9)


def test_the_masks_steps_bound_the_movement_of_rounded_vectors():
    mask = Mask(5, 0.3, 0.1)
    assert mask.step <= 0.3 / np.sqrt(5) < 2 * mask.step
    generator = np.random.default_rng(0)
    worst = 0.0
    for _ in range(2000):
        ideal = generator.normal(0, 1, 5)
        away = np.sign(generator.normal(size=5)) / np.sqrt(5) * 0.3
        one, two = (np.rint((ideal + sign * away) / mask.step) for sign in (1, -1))
        worst = max(worst, np.abs(one - two).sum())
    assert 0.7 * mask.steps < worst <= mask.steps
    assert mask.scale >= mask.steps * mask.step / 0.1


def test_the_mask_adds_its_noise_on_its_grid():
    mask = Mask(400, 1e-6, 0.01)
    released = mask.apply(np.full(400, 0.25), SimulatedNoise(0))
    steps = (released - 0.25) / mask.step
    assert np.allclose(steps, np.rint(steps))
    assert np.abs(released - 0.25).mean() == pytest.approx(mask.scale, rel=0.2)
    with pytest.raises(PrivacyError):
        mask.apply(np.full(400, 1e30), SimulatedNoise(0))


def objective(rows, regularization, seen):
    def minimizer(b):
        seen.append(b)
        return -b / regularization

    return ObjectiveStatistic(
        "minimizer",
        UNIT,
        np.zeros(4),
        rows=rows,
        regularization=regularization,
        tolerance=1e-9,
        minimizer=minimizer,
        derivatives=lambda w: (regularization * w, regularization * np.eye(4)),
    )


ROWS = RowGeometry(BALL, squared_radius=2.0, curvature=0.25, self_bounded=True)


def test_too_little_regularization_is_refused_before_anything_is_drawn():
    for mechanism in (
        ObjectivePerturbation(PureDP(1.0)),
        ObjectivePerturbation(PureDP(1.0), Euclidean()),
        GaussianObjective(1.0, 1e-6),
    ):
        seen = []
        least = mechanism.least_regularization(ROWS)
        with pytest.raises(PrivacyError, match="regularization"):
            mechanism.sample(objective(ROWS, least * 0.999, seen), SimulatedNoise(0))
        assert not seen
        mechanism.sample(objective(ROWS, least, seen), SimulatedNoise(0))
        assert len(seen) == 1


def gaussian_deviation(epsilon, delta):
    """The sigma at which H(2R / sigma) + 2 H(R / sigma) = delta, R^2 = 2, H written out."""

    def failure(shift):
        return stats.norm.cdf(shift / 2 - epsilon / shift) - np.exp(epsilon) * stats.norm.cdf(
            -shift / 2 - epsilon / shift
        )

    return optimize.brentq(lambda s: failure(2 * 2**0.5 / s) + 2 * failure(2**0.5 / s) - delta, 0.1, 100)


JACOBIAN = np.log1p(0.25 * 2 / 100)  # ln(1 + c R^2 / lambda) at lambda = 100
HUBER = replace(ROWS, self_bounded=False)
PERTURBED = {
    "K-norm": (ObjectivePerturbation(PureDP(1.0)), ROWS, BALL.gauge, stats.gamma(4, scale=2 / 0.99)),
    "K-norm, Huber": (
        ObjectivePerturbation(PureDP(1.0)), HUBER, BALL.gauge, stats.gamma(4, scale=2 / (0.99 - JACOBIAN))
    ),
    "sphere": (
        ObjectivePerturbation(PureDP(1.0), Euclidean()), ROWS, np.linalg.norm,
        stats.gamma(4, scale=2 * 2**0.5 / (0.99 - JACOBIAN)),
    ),
    "Gaussian": (
        GaussianObjective(1.0, 1e-3), ROWS, np.linalg.norm,
        stats.chi(4, scale=gaussian_deviation(0.99 - JACOBIAN, 1e-3)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("mechanism", "rows", "size", "distribution"), PERTURBED.values(), ids=PERTURBED)
def test_what_leaves_was_perturbed_by_noise_of_the_size_by_hand(mechanism, rows, size, distribution):
    """Without rows the minimizer is -b / lambda, and the mask does not show."""
    source, seen = SimulatedNoise(5), []
    released = [-100.0 * mechanism.sample(objective(rows, 100.0, seen), source) for _ in range(2000)]
    for draws in (released, seen):
        sizes = np.asarray([size(draw) for draw in draws])
        assert stats.kstest(sizes, distribution.cdf).pvalue > LEVEL
        for factor in (1 / 2, 2 / 3, 3 / 2):
            assert stats.kstest(sizes * factor, distribution.cdf).pvalue < 1e-12


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-3), (0.2, 0.3)])
def test_the_deviation_of_gaussian_noise_by_hand(epsilon, delta):
    """Where delta is large, the two single rows' parts of it weigh as well."""
    by_hand = gaussian_deviation(0.99 * epsilon - JACOBIAN, delta)
    assert GaussianObjective(epsilon, delta).deviation(ROWS, 100.0) == pytest.approx(by_hand, rel=1e-6)
    assert GaussianObjective(epsilon, delta).deviation(ROWS, 100.0) >= by_hand


def mean_excess_by_quadrature(epsilon, shift):
    """E max(Z - epsilon, 0) of a normal loss Z of mean shift^2 / 2 and deviation shift."""
    start = epsilon / shift - shift / 2
    return integrate.quad(
        lambda t: (shift**2 / 2 + shift * t - epsilon) * stats.norm.pdf(t), start, start + 40, epsabs=0
    )[0]


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-3), (0.2, 0.3), (10.0, 1e-9)])
def test_the_deviation_for_several_rows_of_a_person_by_hand(epsilon, delta):
    """The mean excess of the loss in place of its delta, and the trace in place of the logarithm."""
    left = 0.99 * epsilon - 0.25 * 2 / 100

    def excess(sigma):
        return sum(k * mean_excess_by_quadrature(left, m * 2**0.5 / sigma) for k, m in ((1, 2), (2, 1))) - delta

    by_hand = optimize.brentq(excess, 0.3, 100, rtol=1e-12)
    several = replace(ROWS, several=True)
    mechanism = GaussianObjective(epsilon, delta)
    assert mechanism.deviation(several, 100.0) == pytest.approx(by_hand, rel=1e-6)
    assert mechanism.deviation(ROWS, 100.0) < by_hand <= mechanism.deviation(several, 100.0)
    assert mechanism.least_regularization(several) == pytest.approx(4 * 0.25 * 2 / (0.99 * epsilon))


def test_a_mean_of_losses_may_fail_more_often_than_each_of_them():
    """Why the mean excess: 1 - exp(x - Z) is not convex, so that no row's delta bounds that of a mean of rows."""
    losses, x = np.asarray([-1.0, 3.0]), 0.0
    failures = np.maximum(-np.expm1(x - losses), 0)
    assert -np.expm1(x - losses.mean()) > failures.mean()
    assert -np.expm1(x - losses.mean()) <= np.maximum(losses - x, 0).mean()


class OnlyTheMask:
    """A draw without chance, but for the grid noise."""

    is_private, description, sampler = False, "", ""

    def __init__(self):
        self._noise = SimulatedNoise(6)

    def uniform(self, size):
        return np.full(size, 0.25)

    def exponential(self, size):
        return np.full(size, 1.5)

    def laplace(self, values, scale):
        return self._noise.laplace(values, scale)


MASKED = {
    "K-norm": (KNorm(PureDP(2.0)), 2.0),
    "K-norm objective": (ObjectivePerturbation(PureDP(2.0)), 2.0),
    "sphere": (ObjectivePerturbation(PureDP(2.0), Euclidean()), 2.0),
    "Gaussian objective": (GaussianObjective(2.0, 1e-3), 2.0),
}


@pytest.mark.parametrize(("mechanism", "epsilon"), MASKED.values(), ids=MASKED)
def test_a_hundredth_of_epsilon_is_spent_on_the_mask(mechanism, epsilon):
    """The grid's step is error / sqrt(4) = 2^-20: 2 sqrt(4) error = 8 steps, one for the floor, four for the grid."""
    error = 2.0**-19
    if isinstance(mechanism, KNorm):
        statistic = GaugeStatistic("sum", UNIT, np.zeros(4), ball=BALL, sensitivity=1.0, error=error)
    else:
        statistic = replace(objective(ROWS, 128.0, []), tolerance=128 * error)
    assert mechanism.masking(statistic).mask.epsilon == pytest.approx(epsilon / 100)
    source = OnlyTheMask()
    released = np.asarray([mechanism.sample(statistic, source) for _ in range(1001)])
    steps = (released - np.median(released, axis=0)) / 2.0**-20
    assert np.allclose(steps, np.rint(steps), atol=1e-3)
    scale = 13 / (epsilon / 100)
    assert scale_p_value(steps, LAPLACE, scale) > LEVEL
    for factor in (1 / 2, *FACTORS):
        assert scale_p_value(steps * factor, LAPLACE, scale) < LEVEL


def test_least_regularizations_by_hand():
    density = 0.99
    assert ObjectivePerturbation(PureDP(1.0)).least_regularization(ROWS) == pytest.approx(2 * 2 / density)
    sphere = ObjectivePerturbation(PureDP(1.0), Euclidean())
    assert sphere.least_regularization(ROWS) == pytest.approx(0.25 * 2 / np.expm1(density / 2))
    assert sphere.density_epsilon(ROWS, 100.0) == pytest.approx(density - JACOBIAN, rel=1e-9)
    huber = replace(ROWS, self_bounded=False, curvature=10.0)
    for mechanism in (ObjectivePerturbation(PureDP(1.0)), ObjectivePerturbation(PureDP(1.0), Euclidean())):
        least = mechanism.least_regularization(huber)
        assert least == pytest.approx(20 / np.expm1(density / 2))
        assert mechanism.density_epsilon(huber, least) == pytest.approx(density / 2)
    assert ObjectivePerturbation(PureDP(1e6)).least_regularization(huber) > 0


def test_the_record_names_the_sampler_and_its_mask():
    accountant = Accountant(Budget(1.0), UNIT, SimulatedNoise(0), n_rows=10)
    [share] = accountant.split(1)
    statistic = objective(ROWS, 100.0, [])
    mechanism = ObjectivePerturbation(share).masking(statistic)
    accountant.release(mechanism, statistic)
    [line] = accountant.releases
    assert line.sampler.startswith("exact draw, floating-point rounding masked by exact grid noise of scale ")
    assert line.sensitivity_kind == "gauge" and line.sensitivity == 2 and line.loss == 1.0
    assert line.noise_scale == pytest.approx(2 / 0.99)


def test_k_norm_of_a_sum():
    statistic = GaugeStatistic("sum", UNIT, np.asarray([5.0, 1.0, 2.0, 3.0]), ball=BALL, sensitivity=1.0, error=1e-9)
    mechanism = KNorm(PureDP(2.0)).masking(statistic)
    assert mechanism.noise_scale(statistic) == pytest.approx(1 / 1.98)
    source = SimulatedNoise(3)
    sample = np.asarray([mechanism.sample(statistic, source) for _ in range(2000)]) - statistic.unreleased_value
    assert radius_p_value(sample, 1 / 1.98) > LEVEL
    assert radius_p_value(sample, 1.5 / 1.98) < 1e-12
    with pytest.raises(ParameterError):
        KNorm(ZCDP(0.1))


@pytest.mark.parametrize("epsilon", [2.0, 1e-6])
def test_the_mask_of_a_sum_covers_the_rounding_of_its_noise(epsilon):
    """2^-44 of a norm that this noise practically never exceeds: (k + 20 sqrt k + 190) s sqrt(balls), k = 5."""
    statistic = GaugeStatistic("sum", UNIT, np.asarray([5.0, 1.0, 2.0, 3.0]), ball=BALL, sensitivity=1.0, error=1e-12)
    reach = (5 + 20 * 5**0.5 + 190) * (1 / (0.99 * epsilon)) * 2**0.5
    mask = KNorm(PureDP(epsilon)).masking(statistic).mask
    assert mask.error == pytest.approx(1e-12 + 2.0**-44 * reach, rel=1e-9, abs=0)
    source = SimulatedNoise(8)
    assert all(np.isfinite(KNorm(PureDP(epsilon)).sample(statistic, source)).all() for _ in range(200))


def test_a_gaussian_needs_a_delta_and_its_failure_is_the_known_one():
    with pytest.raises(ParameterError, match="delta"):
        GaussianObjective(1.0, 0.0)
    assert gaussian_failure(0.0, 1.0) == pytest.approx(2 * stats.norm.cdf(0.5) - 1)
    by_hand = stats.norm.cdf(0.5 - 1) - np.exp(1) * stats.norm.cdf(-0.5 - 1)
    assert gaussian_failure(1.0, 1.0) == pytest.approx(by_hand)
