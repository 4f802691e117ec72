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
OFFSET_DEVIATION = 1.0
_STEPS = 50


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
    The noise moves the estimate by H^-1 g, H the curvature of the log-likelihood and g the noise's part of its
    gradient, so the estimate has precision H (V + H)^-1 H, V the covariance of g. It is combined with a prior: slope
    1/2, offset the log-odds of the classes at the middle. Post-processing: costs nothing.
    """
    step = edges[1] - edges[0]
    places = np.append(edges - step / 2, edges[-1] + step / 2) - middle
    cleaned = np.stack([onto_simplex(row, size) for row, size in zip(counts, np.maximum(sizes, 1e-3), strict=True)])
    prior = np.asarray([USUAL_SLOPE, np.log(cleaned[1].sum() / cleaned[0].sum())])
    design = np.column_stack([places, np.ones_like(places)])
    precision = np.diag([SLOPE_DEVIATION**-2.0, OFFSET_DEVIATION**-2.0])
    found = prior
    for _ in range(_STEPS):
        chance = expit(design @ found)
        gradient = design.T @ (cleaned[1] - cleaned.sum(axis=0) * chance)
        curvature = (design.T * (cleaned.sum(axis=0) * chance * (1 - chance))) @ design
        unsure = variance * (design.T * (chance**2 + (1 - chance) ** 2)) @ design
        strength = curvature @ np.linalg.pinv(unsure + curvature)
        move = np.linalg.solve(strength @ curvature + precision, strength @ gradient - precision @ (found - prior))
        found = found + np.clip(move, -1.0, 1.0)
        if np.abs(move).max() < 1e-7:
            break
    slope = float(np.clip(found[0], 0.05, 2.0))
    return Line(slope, float(found[1] - slope * middle))
