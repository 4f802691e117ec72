"""Noise of coefficients and effects: as the formulas of their distributions, by simulation of the same steps."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.learners.linear.coefficients import averaged_noise
from tacit.learners.linear.preconditioner import mean_curvature
from tacit.mechanisms.k_norm import k_norm_noise, k_norm_variances
from tacit.privacy.statistic import ProductOfBalls


class Draws:
    """Exponential and uniform numbers of NumPy, as a source of noise gives them."""

    def __init__(self, seed):
        self._generator = np.random.default_rng(seed)

    def exponential(self, size):
        return self._generator.exponential(size=size)

    def uniform(self, size):
        return self._generator.random(size)


def test_variances_of_k_norm_noise_are_those_of_its_draws():
    widths, draws = (1, 3, 6), Draws(1)
    sample = np.asarray([k_norm_noise(ProductOfBalls(widths), 2.0, draws) for _ in range(20_000)])
    assert (sample**2).mean(axis=0) / (4 * k_norm_variances(widths)) == pytest.approx(np.ones(10), abs=0.08)


@pytest.mark.parametrize("steps", [7, 16])
def test_averaged_noise_is_that_of_the_steps_themselves(steps):
    """Steps on a quadratic objective, with noise of variance one in every gradient."""
    curvature = np.asarray([[3.0, -1.0], [-1.0, 1.0]])
    inverse = np.linalg.inv(curvature + np.diag([0.5, 2.0]))
    generator = np.random.default_rng(0)
    ends = []
    for _ in range(8_000):
        w, visited = np.zeros(2), []
        for _ in range(steps):
            w = w - 0.8 * inverse @ (curvature @ w + generator.normal(size=2))
            visited.append(w)
        ends.append(np.mean(visited[steps // 2 :], axis=0))
    assert np.cov(np.asarray(ends).T) == pytest.approx(
        averaged_noise(curvature, inverse, steps, 0.8), rel=0.06, abs=0.01
    )


def test_mean_curvature_is_that_of_drawn_scores():
    scores = np.random.default_rng(0).normal(-1.0, 1.5, 200_000)
    chances = 1 / (1 + np.exp(-scores))
    expected = (chances * (1 - chances) * np.maximum(chances, 1 - chances)).mean()
    assert mean_curvature(-1.0, 2.25) == pytest.approx(expected, rel=0.01)
