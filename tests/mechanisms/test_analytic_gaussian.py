"""Exact calibration of Gaussian noise: against integration, dp-accounting, and from below."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from scipy import integrate, stats

from harness.noise import GAUSSIAN, assert_scale
from tacit.errors import ParameterError
from tacit.mechanisms import SimulatedNoise
from tacit.mechanisms.gaussian import AnalyticGaussian, gaussian_delta, gaussian_ratio
from tacit.privacy import ApproximateDP, NumericStatistic, PrivacyUnit

UNIT = PrivacyUnit(("a",), label=False)


@pytest.mark.parametrize(("epsilon", "ratio"), [(0.3, 2.0), (1.0, 1.0), (4.0, 0.4)])
def test_delta_against_integration(epsilon, ratio):
    one, two = stats.norm(0, ratio), stats.norm(1, ratio)
    excess, _ = integrate.quad(lambda z: max(0.0, one.pdf(z) - exp(epsilon) * two.pdf(z)), -20, 20, limit=500)
    assert gaussian_delta(epsilon, ratio) == pytest.approx(excess, rel=1e-4)


def test_the_least_deviation_and_the_oracle():
    dp = pytest.importorskip("dp_accounting")
    for epsilon, delta in ((0.1, 1e-5), (1.0, 1e-6), (10.0, 1e-3)):
        ratio = gaussian_ratio(epsilon, delta)
        assert gaussian_delta(epsilon, ratio) <= delta < gaussian_delta(epsilon, ratio * 0.99)
        oracle = dp.get_sigma_gaussian(epsilon, delta) if hasattr(dp, "get_sigma_gaussian") else ratio
        assert ratio == pytest.approx(oracle, rel=1e-3)


def test_the_mechanism():
    statistic = NumericStatistic("edges", UNIT, np.zeros(4000), l1=3.0, l2=3.0)
    mechanism = AnalyticGaussian(ApproximateDP(1.0, 1e-6))
    scale = mechanism.noise_scale(statistic)
    assert scale == pytest.approx(3 * gaussian_ratio(1.0, 1e-6))
    draw = lambda size, s: SimulatedNoise(0).gaussian(np.zeros(size), s)  # noqa: E731
    assert_scale(draw, GAUSSIAN, scale, level=1e-6, size=4000)
    drawn = mechanism.sample(statistic, SimulatedNoise(1))
    assert np.std(drawn) == pytest.approx(scale, rel=0.06)


def test_what_is_refused():
    with pytest.raises(ParameterError, match="delta above zero"):
        AnalyticGaussian(ApproximateDP(1.0, 0.0))
    whole = NumericStatistic("rows", UNIT, np.zeros(3, dtype=np.int64), l1=1.0, l2=1.0)
    with pytest.raises(ParameterError, match="float64"):
        AnalyticGaussian(ApproximateDP(1.0, 1e-6)).sample(whole, SimulatedNoise(0))
