"""How steep draws show a stated log ratio to be: what is refuted, how often by chance, how soon at half the noise."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from tacit.audit.steepness import Steepness, information


def draws(noise, count, generator):
    """Log ratios of Laplace noise that is stated with a scale of one, on values two apart, and the coins."""
    sides = generator.random(count) < 0.5
    answers = 2 * sides + generator.laplace(0, noise, count)
    return np.abs(answers) - np.abs(answers - 2), sides


def test_one_is_refuted_exactly_if_the_bets_against_it_win_enough():
    generator, refuted = np.random.default_rng(1), 0
    for _ in range(60):
        ratios, sides = draws(0.6, 60, generator)
        seen = Steepness(0.1)
        seen.see(ratios, sides)
        signed = np.where(sides, ratios, -ratios)
        bets = [
            exp(sum(log((1 + exp(-one)) / (1 + exp(-(1.05**at) * one))) for one in signed)) for at in (2, 5, 9, 15, 29)
        ]
        assert (seen.bound >= 1) == (np.mean(bets) >= 1 / 0.1)
        refuted += seen.bound >= 1
    assert 5 < refuted < 55  # both happen


def test_what_is_stated_is_hardly_ever_refuted_however_often_one_looks():
    generator, refuted = np.random.default_rng(2), 0
    for _ in range(300):
        seen = Steepness(0.2)
        for _ in range(20):
            seen.see(*draws(1.0, 25, generator))
        refuted += seen.bound > 1
    # At most one in five; five standard deviations above would be 95.
    assert 0 < refuted < 60


@pytest.mark.parametrize(("noise", "least", "most"), [(0.5, 1.4, 2.0), (1.0, 0.7, 1.0), (2.0, 0.3, 0.5)])
def test_bounds_come_close_to_the_steepness(noise, least, most):
    seen = Steepness(0.01)
    seen.see(*draws(noise, 3000, np.random.default_rng(3)))
    assert least < seen.bound <= most


def test_half_the_noise_takes_few_draws():
    generator = np.random.default_rng(4)
    counts = []
    for _ in range(20):
        seen = Steepness(0.01)
        while seen.bound <= 1:
            seen.see(*draws(0.5, 10, generator))
        counts.append(seen.draws)
    assert np.mean(counts) < 200


def test_information_is_zero_without_a_ratio_and_finite_where_it_is_large():
    assert information(np.zeros(4)) == 0
    assert 0 <= information(np.asarray([1e6, -1e6])) < 1e-9
    assert information(np.asarray([0.03])) == pytest.approx(0.03**2 / 8, rel=0.01)
