"""Noise has the scale it claims: the right one passes, 2/3 and 3/2 of it do not."""

import numpy as np
import pytest
from scipy import stats

from harness.noise import DISCRETE_GAUSSIAN, DISCRETE_LAPLACE, GAUSSIAN, LAPLACE, assert_scale, frequency_p_value
from tacit.mechanisms import SecureNoise, SimulatedNoise

SEEDED_LEVEL = 1e-6
FALSE_ALARM = 1e-9
"""For noise without a seed: one false alarm in 10^9 runs of a test."""
SIZE = 6_000
SOURCES = [
    pytest.param(lambda: SimulatedNoise(11), SEEDED_LEVEL, id="simulated"),
    pytest.param(SecureNoise, FALSE_ALARM, id="secure"),
]
CASES = [
    ("laplace", np.float64, LAPLACE, 0.01),
    ("laplace", np.float64, LAPLACE, 40.0),
    ("gaussian", np.float64, GAUSSIAN, 3.0),
    ("laplace", np.int64, DISCRETE_LAPLACE, 1.0),
    ("laplace", np.int64, DISCRETE_LAPLACE, 30.0),
    ("gaussian", np.int64, DISCRETE_GAUSSIAN, 1.0),
    ("gaussian", np.int64, DISCRETE_GAUSSIAN, 30.0),
]


@pytest.mark.parametrize(("make", "level"), SOURCES)
@pytest.mark.parametrize(("method", "dtype", "distribution", "scale"), CASES)
def test_scale(make, level, method, dtype, distribution, scale):
    noise = make()
    values = np.full(SIZE, 7, dtype=dtype)

    def draw(size, at):
        noisy = getattr(noise, method)(values[:size], at)
        assert noisy.dtype == dtype
        return noisy - 7

    assert_scale(draw, distribution, scale, level=level, size=SIZE)


@pytest.mark.parametrize(("make", "level"), SOURCES)
@pytest.mark.parametrize(("method", "distribution"), [("laplace", stats.laplace), ("gaussian", stats.norm)])
def test_shape_of_continuous_distributions(make, level, method, distribution):
    draws = getattr(make(), method)(np.zeros(SIZE), 2.0)
    assert stats.kstest(draws, distribution(scale=2.0).cdf).pvalue > level
    assert stats.kstest(draws, distribution(scale=4.0 / 3).cdf).pvalue < level


@pytest.mark.parametrize(("make", "level"), SOURCES)
@pytest.mark.parametrize("method", ["laplace", "gaussian"])
def test_shape_of_discrete_distributions(make, level, method):
    points = np.arange(-40, 41)
    weights = np.exp(-np.abs(points) / 1.5) if method == "laplace" else np.exp(-(points**2) / (2 * 1.5**2))
    draws = np.clip(getattr(make(), method)(np.zeros(SIZE, dtype=np.int64), 1.5), -40, 40)
    observed = np.bincount(draws + 40, minlength=81)
    assert frequency_p_value(observed, weights / weights.sum()) > level
    assert frequency_p_value(observed, np.roll(weights, 1) / weights.sum()) < level


def test_the_simulated_gaussian_on_integers_beyond_its_table():
    draws = SimulatedNoise(3).gaussian(np.zeros(SIZE, dtype=np.int64), 500.0)
    assert draws.dtype == np.int64
    assert abs(draws.std() / 500.0 - 1) < 5 / np.sqrt(2 * SIZE)
