"""Platt scaling from noisy counts of held-out rows by bin: a line for each class, from its log-odds to calibrated ones.

Of two classes it is the second's alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.measures.bin_means import bin_means, of_total, rows_of_bins, usual_width
from tacit.measures.calibration_step import calibration_steps
from tacit.rules.measures import WIDEST_LEVEL
from tacit.rules.priors import NARROW_INTERCEPT, NARROW_SLOPE, WIDE_SLOPE
from tacit.table.by_class import class_sums, other_sums

Floats = NDArray[np.float64]
Equations = Callable[[Floats], tuple[Floats, Floats]]

MIN_SLOPE, MAX_SLOPE = 0.05, 5.0
"""Above zero, so that rows keep their order, and below what would make every probability zero or one."""

PRIOR_SCALES = (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0)
"""What the prior's variance is multiplied by: the likeliest is taken, so that calibrated probabilities stay."""

_MAX_STEPS = 100
_MAX_MOVE = 1.0
"""Of a parameter in one step, so that steps from far away do not overshoot."""
_MAX_LAST_MOVE = 1e-4
"""Far below what the noise leaves of a slope or of log-odds."""


@dataclass(frozen=True)
class Line:
    """Log-odds of the second class = slope * score + intercept."""

    slope: float
    intercept: float


@dataclass(frozen=True, eq=False)
class _Levels:
    """Counts of rows by class and level with what a line's equations need; arrays of shape (n_classes, n_levels)."""

    own: Floats
    rows: Floats
    weighing: Floats
    """How many rows there are about, none below zero: levels weigh by it."""
    design: Floats
    """Derivatives of log-odds by all slopes and then all offsets, (n_classes, n_levels, 2 n_classes)."""
    variances: Floats

    def equations(self, line: Floats) -> tuple[Floats, Floats]:
        """Return the sum of weighed residuals times derivatives, (2 n_classes,), and its covariance.

        A residual is the number of rows of the class less what the line expects of the level's rows. Its mean is
        zero at the truth whatever the noise, and its weight is the slope of that mean over its variance, by which such
        equations say most (Godambe 1960). The same matrix is minus the mean of their derivative.
        """
        chance = expit(self.design @ line)
        steep = self.weighing * chance * (1 - chance)
        unsure = steep + self.variances[0] * chance**2 + self.variances[1] * (1 - chance) ** 2
        weight = steep / np.maximum(unsure, 1e-9)
        residuals = weight * (self.own - self.rows * chance)
        information = np.einsum("cl,clk,clm->km", weight * steep, self.design, self.design)
        return np.einsum("cl,clk->k", residuals, self.design), information


def platt_lines(counts: Floats, edges: Floats, total: float, variances: Floats) -> tuple[Line, ...]:
    """Return the likeliest lines, each as far from no change as the counts are sure that log-loss falls.

    Post-processing: costs nothing. Parameters are those of ``map_platt``.

    Examples
    --------
    >>> rest_and_own = np.asarray([[[0.0, 900.0, 0.0], [0.0, 100.0, 0.0]]])
    >>> [line] = platt_lines(rest_and_own, np.asarray([[-0.5, 0.5]]), 1e3, np.zeros(2))
    >>> round(line.intercept, 1)  # log 9 less
    -2.2
    >>> platt_lines(rest_and_own, np.asarray([[-20.0, 20.0]]), 1e3, np.zeros(2))  # nobody knows where these rows are
    (Line(slope=1.0, intercept=0.0),)
    """
    lines = map_platt(counts, edges, total, variances)
    slopes, intercepts = np.asarray([line.slope for line in lines]), np.asarray([line.intercept for line in lines])
    places, counts = bin_means(counts, edges, variances), of_total(counts, total, variances)
    shares = calibration_steps(counts, edges, places, slopes, intercepts, variances)
    unknown = usual_width(rows_of_bins(counts, places, total, variances), edges, places) > WIDEST_LEVEL
    shares = np.where(unknown, 0.0, shares)
    moved = zip(1 + shares * (slopes - 1), shares * intercepts + 0.0, strict=True)  # no minus zero
    return tuple(Line(float(slope), float(intercept)) for slope, intercept in moved)


def map_platt(counts: Floats, edges: Floats, total: float, variances: Floats) -> tuple[Line, ...]:
    """Return the lines that calibrate by noisy counts of log-odds, under the prior that these are right as they are.

    Slopes of the classes are alike, as a model that is too sure is so of all; how far lines are from the prior is taken
    from the counts as well (empirical Bayes). Post-processing: costs nothing.

    Parameters
    ----------
    counts : array of shape (n_classes, 2, n_levels)
        Of rows of other classes and of its own by level of each class's log-odds, with noise; of two classes those of
        the second alone, shape (1, 2, n_levels).
    edges : array of shape (n_classes, n_levels - 1)
        Ascending.
    total : float
        Of all rows.
    variances : array of shape (2,)
        Of the noise on each count of rows of other classes, and of its own.

    Examples
    --------
    >>> rest_and_own = np.asarray([[900.0, 700.0, 500.0], [100.0, 300.0, 500.0]]) * 1e6
    >>> lines = map_platt(np.stack([rest_and_own] * 3), np.asarray([[-0.5, 0.5]] * 3), 3e9, np.zeros(2))
    >>> round(lines[0].slope, 2), round(lines[0].intercept, 2)  # log 9 and log 7 / 3 less, at -1 and 0
    (1.05, -0.99)
    """
    n_classes = len(counts)
    places, counts = bin_means(counts, edges, variances), of_total(counts, total, variances)
    weighing = rows_of_bins(counts, places, total, variances)
    centers = (weighing * places).sum(axis=1) / total
    design = np.zeros((*places.shape, 2 * n_classes))
    each = np.arange(n_classes)
    design[each, :, each] = places - centers[:, None]
    design[each, :, n_classes + each] = 1.0
    levels = _Levels(counts[:, 1], counts.sum(axis=1), weighing, design, variances)
    prior = np.concatenate([np.ones(n_classes), centers])
    found = likeliest(levels.equations, prior, _prior_covariance(levels, prior))
    slopes = np.clip(found[:n_classes], MIN_SLOPE, MAX_SLOPE)
    offsets = found[n_classes:] - slopes * centers
    return tuple(Line(float(slope), float(offset)) for slope, offset in zip(slopes, offsets, strict=True))


def onto_lines(likely: Floats, slopes: Floats, intercepts: Floats) -> Floats:
    """Return probabilities, (n_rows, n_classes), whose log-odds against the rest are moved onto lines and sum to one.

    Examples
    --------
    >>> onto_lines(np.asarray([[0.8, 0.1, 0.1]]), np.full(3, 0.5), np.zeros(3)).round(2).tolist()  # 2, 1/3, 1/3
    [[0.57, 0.21, 0.21]]
    """
    with np.errstate(divide="ignore"):
        # Of a class that is nearly sure the rest is known better than one less its probability.
        odds = np.log(likely) - np.log(other_sums(likely))
    moved = np.asarray(expit(slopes * odds + intercepts))
    # Of two classes the lines are one, and the sum is one but for rounding, which must not move the order of rows.
    return moved if len(slopes) == 2 else moved / class_sums(moved, axis=1)


def _prior_covariance(levels: _Levels, prior: Floats) -> Floats:
    """Return the covariance of the prior whose scale makes the equations at the prior likeliest."""
    n_classes = len(prior) // 2
    covariance = np.zeros((len(prior), len(prior)))
    own = NARROW_SLOPE**2 * np.eye(n_classes)
    covariance[:n_classes, :n_classes] = WIDE_SLOPE**2 + own
    covariance[n_classes:, n_classes:] = NARROW_INTERCEPT**2 * np.eye(n_classes)
    score, information = levels.equations(prior)
    # At a scale s the equations have the covariance A + s A C A, A being the information. It has no inverse where rows
    # say nothing: of a class that has none, or of a slope where all scores are alike. With C = F F' its determinant is
    # that of A times that of 1 + s F' A F, and of its inverse s decides -s F (1 + s F' A F)^-1 F' alone (Woodbury).
    factor = np.linalg.cholesky(covariance)
    strengths, directions = np.linalg.eigh(factor.T @ information @ factor)
    strengths, said = np.maximum(strengths, 0.0), (score @ factor @ directions) ** 2

    def surprise(scale: float) -> float:
        return float((np.log1p(scale * strengths) - scale * said / (1 + scale * strengths)).sum())

    return covariance * min(PRIOR_SCALES, key=surprise)


def likeliest(equations: Equations, prior: Floats, covariance: Floats) -> Floats:
    """Return the parameters at which equations and a normal prior agree, by Fisher's scoring.

    Parameters
    ----------
    equations : callable
        Of the parameters: the gradient of the log-likelihood, and its information matrix.
    prior, covariance : arrays of shape (n_parameters,) and (n_parameters, n_parameters)
        Mean and covariance of the prior.
    """
    precision, found, last, pace = np.linalg.inv(covariance), prior, np.zeros(len(prior)), 1.0
    for _ in range(_MAX_STEPS):
        score, information = equations(found)
        move = np.linalg.solve(information + precision, score - precision @ (found - prior))
        largest = np.abs(move).max()
        # Where curvature grows along a step, steps go back and forth around the answer: half as far at each turn.
        pace /= 2 if move @ last < 0 else 1
        last = move * min(pace, _MAX_MOVE / max(largest, 1e-12))
        found = found + last
        if largest < _MAX_LAST_MOVE:
            break
    return found
