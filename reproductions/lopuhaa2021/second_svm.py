"""Algorithm 2 of Lopuhaä-Zwakenberg and others (2021) with half of its noise: a second reading, not private."""

from __future__ import annotations

from collections.abc import Callable
from math import expm1, log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from reproductions.lopuhaa2021.huber_svm import HuberSVM
from reproductions.lopuhaa2021.second_readings import MISTYPED_H, mistyped_objective
from reproductions.lopuhaa2021.settings import MEAN_REGULARIZATION

Array = NDArray[np.float64]
Minimizer = Callable[[Array, Array, float, Array, Array], Array]
"""Weights of features, signs, Lambda, noise and a start."""

NOISE = 0.5
"""Of the published scale, 2 / epsilon'': what the averages need."""

MAX_STEPS = 40
TOLERANCE = 1e-7


def weights_by_level(
    features: Array,
    signs: Array,
    epsilons: tuple[float, ...],
    minimizer: Minimizer,
    h: float,
    noise: np.random.Generator,
) -> list[Array]:
    """Return the weights without noise, then those at each level; one-sided exponential noise a coordinate."""
    n, width = features.shape
    plain = minimizer(features, signs, MEAN_REGULARIZATION, np.zeros(width), np.ones(width))
    found = [plain]
    for epsilon in epsilons:
        left, regularization = published_split(epsilon, n, h)
        drawn = np.asarray(noise.exponential(2 * NOISE / left, width))
        found.append(minimizer(features, signs, regularization, drawn, plain))
    return found


def published_split(epsilon: float, n: int, h: float) -> tuple[float, float]:
    """Return epsilon'' and Lambda' of Algorithm 2.

    Examples
    --------
    >>> published_split(1.0, 10**9, 0.5)[1] == MEAN_REGULARIZATION
    True
    >>> published_split(1e-3, 10, 0.5)[0]
    0.0005
    """
    curved = 1 / (n * h * MEAN_REGULARIZATION)
    left = epsilon - log(1 + curved + curved**2 / 4)
    if left > 0:
        return left, MEAN_REGULARIZATION
    return epsilon / 2, 1 / (2 * n * h * expm1(epsilon / 4))


def huber(h: float) -> Minimizer:
    """Return what minimizes the loss as printed, by Newton's method from the given start."""

    def minimized(features: Array, signs: Array, regularization: float, noise: Array, start: Array) -> Array:
        machine, n, weights = HuberSVM(h, regularization), len(signs), start
        for _ in range(MAX_STEPS):
            slope = machine.objective(weights, features, signs)[1] + noise / n
            if np.abs(slope).max() < TOLERANCE * max(1.0, noise.max() / n):
                break
            corner = features[np.abs(1 - signs * (features @ weights)) < h]
            curvature = corner.T @ corner / (2 * h * n) + regularization * np.eye(len(weights))
            step = np.asarray(-np.linalg.solve(curvature, slope), dtype=np.float64)
            size = _line_search(machine, weights, step, (features, signs, noise / n), float(slope @ step))
            if not size:
                break
            weights = weights + size * step
        return weights

    return minimized


def _line_search(
    machine: HuberSVM, weights: Array, step: Array, data: tuple[Array, Array, Array], slope: float
) -> float:
    """Return how much of Newton's step goes down enough; 0 where none does."""
    features, signs, noise = data

    def value(at: Array) -> float:
        return machine.objective(at, features, signs)[0] + float(noise @ at)

    before, size = value(weights), 1.0
    while size > 1e-6:
        if value(weights + size * step) <= before + 1e-4 * size * slope:
            return size
        size /= 2
    return 0.0


def mistyped(features: Array, signs: Array, regularization: float, noise: Array, start: Array) -> Array:
    """Return what BFGS makes of the mistyped loss from weights of one; equal rows are taken together."""
    rows, counts = np.unique(np.column_stack([features, signs]), axis=0, return_counts=True)
    shares, n = counts / len(signs), len(signs)

    def objective(weights: Array) -> tuple[float, Array]:
        value, slope = mistyped_objective(weights, rows[:, :-1], rows[:, -1], regularization, shares)
        return value + float(noise @ weights) / n, slope + noise / n

    return np.asarray(minimize(objective, np.ones(len(start)), method="BFGS", jac=True).x)


MISTYPED: tuple[Minimizer, float] = (mistyped, MISTYPED_H)
