"""Platt scaling from noisy sums over the rows: residuals, curvatures and the mean log-odds, as moments of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import expit

from tacit.measures.platt import Line, likeliest
from tacit.rules.priors import NARROW_INTERCEPT, NARROW_SLOPE, WIDE_INTERCEPT, WIDE_SLOPE
from tacit.rules.shared import SURE_DEVIATIONS

FARTHEST = 4.0
"""Log-odds beyond which a row is no further from even: its probability is 0.98, and its curvature next to nothing."""

BEYOND = 1.25 * FARTHEST
"""Log-odds of rows that are taken to lie beyond ``FARTHEST``."""

MAX_CURVATURE_OF_MANY = 0.125
"""Of one row, where there are more than two classes."""


@dataclass(frozen=True)
class LinePrior:
    """Standard deviations of a line around no change."""

    log_slope: float
    intercept: float
    near: bool
    """Whether all rows are taken to be within ``FARTHEST`` of even: scores that are no log-odds are scaled so."""


LOG_ODDS = LinePrior(NARROW_SLOPE, NARROW_INTERCEPT, near=False)
NO_LOG_ODDS = LinePrior(WIDE_SLOPE, WIDE_INTERCEPT, near=True)


def platt_of_sums(
    sums: NDArray[np.float64],
    deviations: NDArray[np.float64],
    n_rows: float,
    prior: LinePrior = LOG_ODDS,
    *,
    rows_known: bool = True,
) -> tuple[Line, float]:
    """Return the most likely line from log-odds to calibrated ones under a normal prior around no change.

    A line predicts the sums of residuals, as the other sums tell how the log-odds are distributed. What is left of the
    released residuals is normal: the release's noise, and that of drawn labels. Post-processing of released sums.

    Parameters
    ----------
    sums, deviations : arrays of shape (6,) or, of more than two classes, (2,)
        ``queries.platt_sums`` in rows, and the standard deviations of their noise.
    n_rows : float
        What the rows weigh together, as far as that is public.
    prior : LinePrior
        Of two classes.
    rows_known : bool
        Whether that is their weight; else it is an upper bound.

    Returns
    -------
    line : Line
    share : float
        Of the second of two classes, by that line.

    Examples
    --------
    >>> line, _ = platt_of_sums(np.asarray([-500.0, -250.0, 2000.0, 0.0, 125.0, 0.0]), np.zeros(6), 10_000)
    >>> round(line.slope, 2), round(line.intercept, 2)
    (0.48, -0.29)
    """
    if len(sums) == 2:
        return Line(_slope_of_many(float(sums[0]), float(sums[1]), float(deviations[0]), n_rows), 0.0), 0.5
    kinds, misfit_of_all = _kinds_of_all(sums[2:], deviations[2:], n_rows)
    # Of four squares that two numbers fit two are left: 2 in the mean, with a deviation of 2.
    refuted = not prior.near and misfit_of_all > 2 + 2 * SURE_DEVIATIONS
    odds, rows = kinds if rows_known and not refuted else _kinds(sums[2:], deviations[2:], n_rows, rows_known)
    design = np.stack([np.ones_like(odds), np.clip(odds / FARTHEST, -1.0, 1.0)])
    before, weight = _chances(odds)
    weighed = rows * weight
    curvature = weighed * before * (1 - before)
    # Labels vary by their curvature, times the mean weight of a row: about one half.
    variance = (design * curvature / 2) @ design.T + np.diag(deviations[:2] ** 2 + 1e-9)
    precision = np.linalg.inv(variance)

    def equations(line: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        steep = np.exp(line[1]) * odds
        chance = expit(steep + line[0])
        told = (design * weighed * chance * (1 - chance)) @ np.column_stack([np.ones_like(odds), steep])
        return told.T @ precision @ (sums[:2] - design @ (weighed * (chance - before))), told.T @ precision @ told

    covariance = np.diag([prior.intercept**2, prior.log_slope**2])
    intercept, slope = likeliest(equations, np.zeros(2), covariance).tolist()
    # Neither class is said to be rarer than what the first sum's noise can tell from none.
    least = min(float(deviations[0]) / n_rows, 0.5)
    share = float(rows @ expit(np.exp(slope) * odds + intercept)) / rows.sum()
    return Line(float(np.exp(slope)), intercept), float(np.clip(share, least, 1 - least))


def _chances(odds: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return probabilities of the second class, and what such rows weigh in ``platt_sums``."""
    second = expit(odds)
    return second, 1 / (2 * np.maximum(second, 1 - second))


def _kinds(
    sums: NDArray[np.float64], deviations: NDArray[np.float64], n_rows: float, rows_known: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log-odds of five groups of rows, and the weight of each, from noisy curvatures and the sum of places.

    Three groups are the nodes of a Gauss-Hermite quadrature: the curvature is taken to be normally distributed over
    places, with the mean and the deviation that its sums tell. A parabola in place of that would be far off where a
    class is rare. All other rows have next to no curvature: they are beyond either end, and the mean place tells how
    many beyond which.
    """
    own = max(float(sums[0]), deviations[0], 1e-9)
    mean = float(np.clip(sums[1] / own, -1.0, 1.0))
    # Of less than its noise, all that is known is that it is no more.
    square = max(float(sums[2]) / own - mean**2, deviations[2] / own, 1e-9)
    nodes, weights = hermegauss(3)
    places = np.clip(mean + sqrt(square) * nodes, -1.0, 1.0)
    second, weight = _chances(FARTHEST * places)
    rows = own * weights / weights.sum() / (weight * second * (1 - second))
    rows *= min(1.0, n_rows / rows.sum())
    beyond = max(n_rows - rows.sum(), 0.0) if rows_known else 0.0
    side = float(np.clip((sums[3] - rows @ places) / max(beyond, 1e-9), -1.0, 1.0))
    ends = np.asarray([-BEYOND, BEYOND])
    return np.append(FARTHEST * places, ends), np.append(rows, beyond * (1 + np.sign(ends) * side) / 2)


def _kinds_of_all(
    sums: NDArray[np.float64], deviations: NDArray[np.float64], n_rows: float
) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64]], float]:
    """Return three groups of rows, all places being normal, and how badly four sums fit that, in squared deviations.

    Mean and deviation of the places are fitted to the sums by least squares. ``_kinds`` alone would not do: where noise
    lowers the curvature's sum, it takes rows to be beyond the ends that are not.
    """
    nodes, weights = hermegauss(3)
    rows = n_rows * weights / weights.sum()

    def kinds(distribution: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.clip(distribution[0] + np.exp(distribution[1]) * nodes, -1.0, 1.0))

    def misfit(distribution: NDArray[np.float64]) -> NDArray[np.float64]:
        places = kinds(distribution)
        second, weight = _chances(FARTHEST * places)
        curvatures = weight * second * (1 - second)
        told = np.asarray([rows @ (curvatures * places**power) for power in range(3)] + [rows @ places])
        return (told - sums) / np.maximum(deviations, 1e-3)

    start = np.asarray([np.clip(sums[3] / n_rows, -1.0, 1.0), np.log(0.1)])
    found = least_squares(misfit, start, bounds=([-1.0, np.log(1e-3)], [1.0, 0.0]))
    return (FARTHEST * kinds(found.x), rows), 2 * float(found.cost)


def _slope_of_many(higher: float, variance: float, deviation: float, n_rows: float) -> float:
    """Return the slope of log-weights of more than two classes: one Newton step, shrunk."""
    own = min(max(variance, deviation, 1e-9), n_rows * MAX_CURVATURE_OF_MANY)
    sure = own**2 / (own / 2 + deviation**2)
    step = sure * higher / own / (sure + (FARTHEST * NARROW_SLOPE) ** -2)
    return float(np.exp(step / FARTHEST))
