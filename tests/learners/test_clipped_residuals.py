"""At how many deviations residuals of a number are clipped: less noise, more of the mean lost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from tacit.learners.linear.clipped_residuals import NEAREST, _lost, best_clip, noise_of_predictions, share_within
from tacit.privacy import Budget
from tacit.privacy.conversions import zcdp_rho


@pytest.mark.parametrize("clip", [0.1, 0.5, 0.79, 0.81, 1.5, 3.0])
def test_what_is_lost_of_an_exponential_mean_is_where_clipped_residuals_are_zero(clip):
    shares = (np.arange(200_000) + 0.5) / 200_000
    numbers = -np.log1p(-shares)
    found = brentq(lambda place: np.clip(numbers - place, -clip, clip).mean(), 0.0, 1.0)
    assert _lost(clip) == pytest.approx(1 - found, abs=1e-4)


def test_more_noise_brings_the_clip_nearer_and_none_leaves_it_at_two_deviations():
    found = [round(best_clip(noise), 3) for noise in (0.0, 0.001, 0.01, 0.03, 0.1, 1.0, 100.0)]
    assert found == sorted(found, reverse=True)
    assert found[0] == 2.0 and found[-1] == NEAREST


def test_the_best_clip_is_the_least_of_noise_and_loss():
    for noise in (0.005, 0.02, 0.08):
        grid = np.linspace(NEAREST, 2.0, 2_000)
        errors = [noise * (at / share_within(at)) ** 2 + _lost(at * np.log(3) / 1.3489795) ** 2 for at in grid]
        assert best_clip(noise) == pytest.approx(grid[int(np.argmin(errors))], abs=2e-3)


def test_noise_falls_with_rows_squared_and_grows_with_columns():
    budget = Budget(1.0, 1e-6)
    one = noise_of_predictions(1_000, 10, budget, 16)
    assert one == pytest.approx(2 * 10**2 / zcdp_rho(1.0, 1e-6) / 1_000**2)
    assert noise_of_predictions(10_000, 10, budget, 16) == pytest.approx(one / 100)
    assert noise_of_predictions(1_000, 20, budget, 16) == pytest.approx(4 * one)
    # Pure: eight vectors of K-norm noise, each of 11 / (epsilon / 8)^2 a number, of whose mean an eighth is left.
    assert noise_of_predictions(1_000, 10, Budget(1.0), 8) == pytest.approx(4 * 11 * 8 * (10 / 1_000) ** 2)
