"""The exact loss of diffprivlib's logistic regression on two neighbors, from the density of its one coefficient.

Objective perturbation (Chaudhuri, Monteleoni and Sarwate 2011) releases the w at which the gradient of the losses, the
regularizer lambda w^2 / 2 and b w vanishes: b = -lambda w - gradient(w), so the density of w is the noise's at that b
times lambda + curvature(w). Source: ``mechanisms/vector.py`` and
``models/logistic_regression.py`` of diffprivlib 0.6.6.
"""

from __future__ import annotations

from math import expm1, log1p

import numpy as np
from scipy.special import expit

Rows = list[tuple[float, int]]


def largest_loss(first: Rows, second: Rows, norm: float, *, epsilon: float = 1.0, C: float = 1.0) -> float:
    """Return the largest log ratio of the two densities found on a grid of coefficients; no intercept.

    Examples
    --------
    >>> base = [(0.0, 0), (0.0, 1)]
    >>> round(largest_loss([*base, (0.0, 1)], [*base, (10.0, 1)], 10.0), 2)
    1.24
    """
    fine = np.geomspace(1e-8, 50, 4001) / max(norm, 1)
    grid = np.concatenate([-fine[::-1], [0.0], fine])
    ratio = _log_density(grid, first, norm, epsilon, C) - _log_density(grid, second, norm, epsilon, C)
    return float(np.abs(ratio).max())


def noise(norm: float, epsilon: float, C: float) -> tuple[float, float]:
    """Return the scale of the noise's radius and lambda, as diffprivlib computes them."""
    regularization, left = 1 / C, epsilon - 2 * log1p(0.25 * norm * C)
    if left <= 0:
        regularization, left = 0.25 * norm / expm1(epsilon / 4), epsilon / 2
    return 2 * norm / left, regularization


def _log_density(w: np.ndarray, rows: Rows, norm: float, epsilon: float, C: float) -> np.ndarray:
    scale, regularization = noise(norm, epsilon, C)
    cells, labels = (np.asarray(each, dtype=float)[:, None] for each in zip(*rows, strict=True))
    shares = expit(cells * w)
    gradient = (cells * (shares - labels)).sum(axis=0)
    curvature = (cells**2 * shares * (1 - shares)).sum(axis=0)
    # In one dimension the direction is a sign and the radius exponential: Laplace noise.
    return -np.abs(regularization * w + gradient) / scale + np.log(regularization + curvature)
