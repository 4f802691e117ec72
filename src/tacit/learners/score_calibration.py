"""Slope and offset of a score from noisy counts of its levels by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.learners.conditionals import onto_simplex

N_LEVELS = 16
USUAL_SLOPE, SLOPE_DEVIATION = 0.5, 0.35
"""What is assumed of the slope before counting: evidence that is counted once or several times over."""
OFFSET_DEVIATION = 0.3
_PRECISION = np.diag([SLOPE_DEVIATION**-2.0, OFFSET_DEVIATION**-2.0])
_STEPS = 50
_NEAR = 1e-3
"""Log-odds by which the last step may move any level: far below what the noise leaves of them."""


@dataclass(frozen=True)
class Line:
    """Log-odds of the second class = slope * score + intercept."""

    slope: float
    intercept: float


def level_edges(means: NDArray[np.float64], deviations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return even edges of levels around where both classes' scores are expected, shape (N_LEVELS - 1,)."""
    low, high = (means - 2 * deviations).min(), (means + 2 * deviations).max()
    width = max(high - low, 1e-6)
    return np.linspace(low, low + width, N_LEVELS + 1)[1:-1]


def calibrated(
    counts: NDArray[np.float64],
    edges: NDArray[np.float64],
    *,
    sizes: NDArray[np.float64],
    middle: float,
    variance: float,
) -> Line:
    """Return the line that a logistic regression on the levels finds, shrunk as far as the noise demands.

    Parameters
    ----------
    counts : array of shape (2, n_levels)
    edges : array of shape (n_levels - 1,)
    sizes : array of shape (2,)
        Rows of each class, as far as released.
    middle : float
        The score midway between both classes' expected scores.
    variance : float
        Of the noise on each count.

    Notes
    -----
    With curvature H of the log-likelihood, prior precision P and V the covariance of the gradient's noise, the
    most likely line under the prior, t, holds (H + P)(t - prior) = H (truth - prior) + noise of covariance V + H. What
    that says of the truth is combined with the prior: slope 1/2, the threshold where it would be
    without. Without noise the answer is t. Post-processing: costs nothing.
    """
    step = edges[1] - edges[0]
    places = np.append(edges - step / 2, edges[-1] + step / 2) - middle
    cleaned = onto_simplex(counts, np.maximum(sizes, 1e-3))
    # The prior line decides as the score does without calibration, so that counting little can spoil little.
    odds = np.log(cleaned[1].sum() / cleaned[0].sum())
    prior = USUAL_SLOPE * np.asarray([1.0, middle + odds])
    design = np.column_stack([places, np.ones_like(places)])
    found, curvature = _most_likely(design, cleaned, prior)
    if variance:
        chance = expit(design @ found)
        unsure = variance * (design.T * (chance**2 + (1 - chance) ** 2)) @ design + curvature
        strength = curvature @ np.linalg.solve(unsure, np.stack([curvature, curvature + _PRECISION]))
        found = prior + np.linalg.solve(strength[0] + _PRECISION, strength[1] @ (found - prior))
    slope = float(np.clip(found[0], 0.05, 2.0))
    return Line(slope, float(found[1] - slope * middle))


def _most_likely(
    design: NDArray[np.float64], counts: NDArray[np.float64], prior: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope and offset of the largest likelihood times prior, and the likelihood's curvature there.

    Newton's method on a concave function; steps that would not raise it are halved.
    """
    totals = counts.sum(axis=0)

    def height(line: NDArray[np.float64]) -> float:
        odds, away = design @ line, line - prior
        return float(counts[1] @ odds - totals @ np.logaddexp(0.0, odds) - away @ _PRECISION @ away / 2)

    found, reached = prior, height(prior)
    for _ in range(_STEPS):
        chance = expit(design @ found)
        curvature = (design.T * (totals * chance * (1 - chance))) @ design
        gradient = design.T @ (counts[1] - totals * chance) - _PRECISION @ (found - prior)
        move = np.linalg.solve(curvature + _PRECISION, gradient)
        if np.abs(design @ move).max() < _NEAR:
            break
        size = next((2.0**-halved for halved in range(30) if height(found + 2.0**-halved * move) >= reached), 0.0)
        found = found + size * move
        reached = height(found)
    return found, curvature
