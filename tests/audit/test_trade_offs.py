"""Rates of one event under two neighbors: hand-computed bounds on epsilon, and coverage by enumeration."""

from __future__ import annotations

from math import exp, inf, log

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from tacit.audit.trade_offs import (
    ApproximateTradeOff,
    ConcentratedTradeOff,
    GaussianTradeOff,
    least_rho,
    rate_bounds,
)
from tacit.mechanisms.gaussian import gaussian_delta
from tacit.privacy.conversions import zcdp_epsilon


def test_pure_epsilon_is_the_larger_of_both_directions():
    test = ApproximateTradeOff()
    assert test.epsilon(0.6, 0.2) == pytest.approx(log(3))
    assert test.epsilon(0.8, 0.4) == pytest.approx(log(0.6 / 0.2))
    assert test.epsilon(0.2, 0.6) == 0
    assert test.epsilon(0.3, 0.0) == inf


def test_delta_is_taken_off_before_the_ratio():
    assert ApproximateTradeOff(0.1).epsilon(0.6, 0.2) == pytest.approx(log(0.5 / 0.2))
    assert ApproximateTradeOff(0.1).epsilon(0.1, 0.0) == 0


def test_the_order_one_divergence_is_that_of_kullback_and_leibler():
    p, q = 0.55, 0.45
    kl = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
    assert kl <= least_rho(p, q) * (1 + 1e-4)
    assert least_rho(q, p) == 0


@pytest.mark.parametrize("mu", [0.1, 1.0, 2.0])
def test_no_event_of_gaussian_noise_exceeds_its_rho_and_tails_attain_it(mu):
    rhos = [least_rho(ndtr(mu - t), ndtr(-t)) for t in np.linspace(-2, 8, 60)]
    assert max(rhos) <= mu**2 / 2 * (1 + 1e-9)
    assert max(rhos) > 0.8 * mu**2 / 2
    claimed = zcdp_epsilon(mu**2 / 2, 1e-5)
    found = [ConcentratedTradeOff(1e-5).epsilon(ndtr(mu - t), ndtr(-t)) for t in np.linspace(-1, 3, 9)]
    assert 0.7 * claimed < max(found) <= claimed


@pytest.mark.parametrize("t", [-1.0, 0.0, 0.7, 3.0])
def test_gaussian_noise_is_found_exactly_by_every_event(t):
    mu, delta = 0.8, 1e-3
    epsilon = GaussianTradeOff(delta).epsilon(ndtr(mu - t), ndtr(-t))
    assert gaussian_delta(epsilon, 1 / mu) == pytest.approx(delta, rel=1e-6)


def test_a_small_mu_needs_no_epsilon():
    assert GaussianTradeOff(0.5).epsilon(0.51, 0.5) < 1e-9
    assert GaussianTradeOff(0.5).epsilon(0.5, 0.51) == 0


@pytest.mark.parametrize("n", [1, 7, 30])
def test_bounds_are_wrong_no_more_often_than_they_may_be_and_nearly_as_often(n):
    hits, error = np.arange(n + 1), 0.05
    low, high = rate_bounds(hits, n, error)
    wrong_low = [binom.pmf(hits[low > p], n, p).sum() for p in np.linspace(0.001, 0.999, 997)]
    wrong_high = [binom.pmf(hits[high < p], n, p).sum() for p in np.linspace(0.001, 0.999, 997)]
    assert 0.8 * error < max(wrong_low) <= error + 1e-12
    assert max(wrong_high) == pytest.approx(max(wrong_low))


def test_bounds_by_hand():
    low, high = rate_bounds(np.asarray([0, 3]), 3, 0.05)
    assert low.tolist() == [0, pytest.approx(0.05 ** (1 / 3))]
    assert high.tolist() == [pytest.approx(1 - 0.05 ** (1 / 3)), 1]


def test_randomized_response_attains_its_epsilon():
    p = 1 / (1 + exp(-1.3))
    assert ApproximateTradeOff().epsilon(p, 1 - p) == pytest.approx(1.3)
