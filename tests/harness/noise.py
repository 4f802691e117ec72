"""Statistical tests of noise: is its scale the claimed one, are selections as frequent as they should be?

All tests are two-sided, so that too much noise is caught as well as too little, and each takes its level by name.
``check_scale_test`` holds a scale test to that with numbers that do not come from any sampler or distribution in this
file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import log, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats

FACTORS = (2 / 3, 3 / 2)
"""Of the claimed scale: noise that must be caught."""


@dataclass(frozen=True)
class Distribution:
    """Moments of |x| at a scale, closed form or summed, for a test of the scale."""

    name: str
    mean: Callable[[float], float]
    mean_of_squares: Callable[[float], float]


def scale_p_value(draws: NDArray, distribution: Distribution, scale: float) -> float:
    """Two-sided p-value of the mean absolute draw under the distribution at the claimed scale (normal limit)."""
    mean = distribution.mean(scale)
    spread = sqrt((distribution.mean_of_squares(scale) - mean**2) / draws.size)
    return float(2 * stats.norm.sf(abs(np.mean(np.abs(draws)) - mean) / spread))


ScaleTest = Callable[[NDArray, Distribution, float], float]


def assert_scale(
    draw: Callable[[int, float], NDArray],
    distribution: Distribution,
    scale: float,
    *,
    level: float,
    size: int,
    test: ScaleTest = scale_p_value,
) -> None:
    """Assert that noise drawn at the scale passes for it, and noise at 2/3 and 3/2 of the scale does not."""
    assert test(draw(size, scale), distribution, scale) > level, f"{distribution.name}: the right scale is rejected"
    for factor in FACTORS:
        assert test(draw(size, scale * factor), distribution, scale) < level, (
            f"{distribution.name}: {factor:.3g} of it passes"
        )


def check_scale_test(test: ScaleTest) -> None:
    """Assert that a scale test accepts perfect Laplace draws and rejects them stretched either way.

    The draws are quantiles written out from the density exp(-|x|)/2, so a test that multiplies both its draws and
    its claim by the same factor, or divides the scale out, has nothing to lean on.
    """
    tails = (np.arange(2000) + 0.5) / 2000
    perfect = np.concatenate([-np.log(tails), np.log(tails)])
    assert test(3.0 * perfect, LAPLACE, 3.0) > 0.5
    for factor in (*FACTORS, 0.9, 1 / 0.9):
        assert test(3.0 * factor * perfect, LAPLACE, 3.0) < 1e-4, f"blind to {factor:.3g} of the scale"


def frequency_p_value(observed: Sequence[int] | NDArray, probabilities: Sequence[float] | NDArray) -> float:
    """p-value of Pearson's chi-square test; cells that expect fewer than 10 are put together."""
    observed, expected = np.asarray(observed), np.asarray(probabilities) * np.sum(observed)
    assert abs(np.sum(probabilities) - 1) < 1e-9
    rare = expected < 10
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    return float(stats.chi2.sf(np.sum((observed - expected) ** 2 / expected), len(observed) - 1))


def exponential_mechanism_probabilities(scores: NDArray, scale: float) -> NDArray:
    """Probabilities proportional to exp(score / scale)."""
    weights = np.exp((scores - np.max(scores)) / scale)
    return weights / weights.sum()


def permute_and_flip_probabilities(scores: NDArray, scale: float) -> NDArray:
    """Go through all orders: each candidate in turn is taken with probability exp((score - best) / scale)."""
    heads = np.exp((scores - np.max(scores)) / scale)
    distribution = np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        reached = 1.0
        for candidate in order:
            distribution[candidate] += reached * heads[candidate] / len(orders)
            reached *= 1 - heads[candidate]
    return distribution


def _discrete(density: Callable[[NDArray, float], NDArray], power: int) -> Callable[[float], float]:
    def moment(scale: float) -> float:
        points = np.arange(-int(60 * scale) - 60, int(60 * scale) + 61)
        weights = density(points, scale)
        return float(np.sum(np.abs(points) ** power * weights) / weights.sum())

    return moment


def _two_sided(points: NDArray, scale: float) -> NDArray:
    return np.exp(-np.abs(points) / scale)


def _bell(points: NDArray, deviation: float) -> NDArray:
    return np.exp(-(points**2) / (2 * deviation**2))


LAPLACE = Distribution("Laplace", lambda s: s, lambda s: 2 * s * s)
GAUSSIAN = Distribution("Gaussian", lambda s: s * sqrt(2 / pi), lambda s: s * s)
DISCRETE_LAPLACE = Distribution("discrete Laplace", _discrete(_two_sided, 1), _discrete(_two_sided, 2))
DISCRETE_GAUSSIAN = Distribution("discrete Gaussian", _discrete(_bell, 1), _discrete(_bell, 2))


def renyi_divergence(one: NDArray, other: NDArray, order: float) -> float:
    """Divergence of the given order above 1 of one distribution from another, both without zeros."""
    logs = order * np.log(one) + (1 - order) * np.log(other)
    top = logs.max()
    return float((top + log(np.sum(np.exp(logs - top)))) / (order - 1))


def largest_rho(one: NDArray, other: NDArray, orders: Sequence[float] | NDArray) -> float:
    """Largest divergence divided by its order, both ways round: a lower bound on rho."""
    return max(renyi_divergence(p, q, order) / order for p, q in ((one, other), (other, one)) for order in orders)
