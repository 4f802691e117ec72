"""Lines from scores to log-odds: their prior, and one way to find them from noisy counts by level and class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

_LEAST_WIDTH, _STEEPEST = 1e-6, 6.0
"""Of a level, and by how much the logarithm of the density of rows may change from edge to edge."""
LEAST_SLOPE, LARGEST_SLOPE = 0.05, 5.0
"""Above zero, so that rows keep their order, and below what would make every probability zero or one."""

_MAX_NEWTON_STEPS = 50
"""A handful is usual."""
_MAX_LAST_MOVE = 1e-3
"""Log-odds by which the last step may move any bin: far below what the noise leaves of them."""


@dataclass(frozen=True)
class Line:
    """Log-odds of the second class = slope * score + intercept."""

    slope: float
    intercept: float


def places_in(edges: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return about the mean score of each level, by how densely rows lie in it and in the levels beside it.

    Between two edges the density is taken to rise or fall at an even pace of its logarithm. Beyond the first and the
    last edge it is as far as half of the next level is wide, farther where more rows are there.

    Parameters
    ----------
    edges : array of shape (n_levels - 1,)
        Never falling.
    rows : array of shape (n_levels,)
        Above zero.

    Examples
    --------
    >>> places_in(np.asarray([-1.0, 0.0, 2.0]), np.asarray([1.0, 1.0, 2.0, 2.0])).round(2).tolist()
    [-1.5, -0.5, 1.0, 3.0]
    >>> places_in(np.asarray([-1.0, 0.0, 2.0]), np.asarray([1.0, 4.0, 1.0, 0.1])).round(2).tolist()
    [-1.25, -0.53, 0.66, 2.5]
    >>> places_in(np.asarray([0.0]), np.asarray([5.0, 5.0])).tolist()
    [-0.5, 0.5]
    """
    widths = np.diff(edges) if len(edges) > 1 else np.ones(1)
    if len(edges) == 1:
        return np.asarray([edges[0] - 0.5, edges[0] + 0.5])
    # Rows of levels without a width are as dense as any.
    dense = np.log(rows / np.maximum(np.concatenate([widths[:1], widths, widths[-1:]]), _LEAST_WIDTH))
    steep = np.clip((dense[2:] - dense[:-2]) / 2, -_STEEPEST, _STEEPEST)
    gentle = np.where(np.abs(steep) < 1e-3, 1e-3, steep)
    inside = edges[:-1] + widths * (1 / -np.expm1(-gentle) - 1 / gentle)
    reach = np.clip(np.sqrt(rows[[0, -1]] / rows[[1, -2]]), 0.5, 2.0) * widths[[0, -1]] / 2
    return np.concatenate([[edges[0] - reach[0]], inside, [edges[-1] + reach[1]]])


def likely_line(
    design: NDArray[np.float64],
    counts: NDArray[np.float64],
    prior: NDArray[np.float64],
    precision: NDArray[np.float64],
    variance: float,
) -> NDArray[np.float64]:
    """Return the coefficients of the line that a logistic regression finds, shrunk as far as the noise demands.

    With curvature H of the log-likelihood, prior precision P and V the covariance of the gradient's noise, the
    most likely line under the prior, t, holds (H + P)(t - prior) = H (truth - prior) + noise of covariance V + H. What
    that says of the truth is combined with the prior. Without noise the answer is t. Post-processing: costs nothing.

    Parameters
    ----------
    design : array of shape (n_levels, 2)
        Each level's place, and one.
    counts : array of shape (2, n_levels)
        Of rows by class and level, none below zero.
    prior : array of shape (2,)
        The line before counting.
    precision : array of shape (2, 2)
    variance : float
        Of the noise that was on each count.

    Examples
    --------
    >>> places = np.asarray([[-1.0, 1.0], [1.0, 1.0]])
    >>> counts = np.asarray([[3000.0, 1000.0], [1000.0, 3000.0]])
    >>> likely_line(places, counts, np.zeros(2), np.eye(2) / 1e6, 0.0).round(3).tolist()  # log 3
    [1.099, 0.0]
    """
    found, curvature = _most_likely(design, counts, prior, precision)
    if not variance:
        return found
    chance = expit(design @ found)
    unsure = variance * (design.T * (chance**2 + (1 - chance) ** 2)) @ design + curvature
    strength = curvature @ np.linalg.solve(unsure, np.stack([curvature, curvature + precision]))
    return np.asarray(prior + np.linalg.solve(strength[0] + precision, strength[1] @ (found - prior)))


def onto_simplex(values: NDArray[np.float64], total: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the nearest non-negative values, shape (..., n), of these sums, shape (...).

    Values of minus infinity become zero.
    """
    ordered = np.sort(values, axis=-1)[..., ::-1]
    excess = (np.cumsum(ordered, axis=-1) - np.asarray(total)[..., None]) / np.arange(1, values.shape[-1] + 1)
    # The last that is above its excess; all before it are too.
    last = (ordered > excess).sum(axis=-1, keepdims=True) - 1
    return np.asarray(np.maximum(values - np.take_along_axis(excess, last, axis=-1), 0.0))


def _most_likely(
    design: NDArray[np.float64],
    counts: NDArray[np.float64],
    prior: NDArray[np.float64],
    precision: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope and offset of the largest likelihood times prior, and the likelihood's curvature there.

    Newton's method on a concave function; steps that would not raise it are halved.
    """
    totals = counts.sum(axis=0)

    def height(line: NDArray[np.float64]) -> float:
        odds, away = design @ line, line - prior
        return float(counts[1] @ odds - totals @ np.logaddexp(0.0, odds) - away @ precision @ away / 2)

    found, reached = prior, height(prior)
    for _ in range(_MAX_NEWTON_STEPS):
        chance = expit(design @ found)
        curvature = (design.T * (totals * chance * (1 - chance))) @ design
        gradient = design.T @ (counts[1] - totals * chance) - precision @ (found - prior)
        move = np.linalg.solve(curvature + precision, gradient)
        if np.abs(design @ move).max() < _MAX_LAST_MOVE:
            break
        size = next((2.0**-halved for halved in range(30) if height(found + 2.0**-halved * move) >= reached), 0.0)
        found = found + size * move
        reached = height(found)
    return found, curvature
