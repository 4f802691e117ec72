"""A line for each class, from its log-odds to those that come true, by noisy counts of held-out rows.

Of two classes it is the second's alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.models.levels import REACH
from tacit.models.score_line import LARGEST_SLOPE, LEAST_SLOPE, Line, places_in
from tacit.models.sure_savings import sure_shares
from tacit.rules.measures import INTERCEPT_DEVIATION, OWN_SLOPE_DEVIATION, SLOPE_DEVIATION, WIDEST_LEVEL
from tacit.rules.shared import SURE_DEVIATIONS
from tacit.table.by_class import class_sums, other_sums

Floats = NDArray[np.float64]

PRIOR_SCALES = (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0)
"""What the prior's variance is multiplied by: the likeliest is taken, so that probabilities which come true stay."""

_MAX_STEPS = 30
_LARGEST_MOVE = 1.0
"""Of a parameter in one step, so that steps from far away do not overshoot."""
_MAX_LAST_MOVE = 1e-4
"""Far below what the noise leaves of a slope or of log-odds."""


@dataclass(frozen=True, eq=False)
class _Levels:
    """Counts of rows by class and level with what a line's equations need; arrays of shape (n_classes, n_levels)."""

    own: Floats
    rows: Floats
    weighing: Floats
    """How many rows there are about, none below zero: levels weigh by it."""
    design: Floats
    """Derivatives of log-odds by all slopes and then all offsets, (n_classes, n_levels, 2 n_classes)."""
    variance: float

    def equations(self, line: Floats) -> tuple[Floats, Floats]:
        """Return the sum of weighed residuals times derivatives, (2 n_classes,), and its covariance.

        A residual is the number of rows of the class less what the line expects of the level's rows. Its mean is
        zero at the truth whatever the noise, and its weight is the slope of that mean over its variance, by which such
        equations say most (Godambe 1960). The same matrix is minus the mean of their derivative.
        """
        chance = expit(self.design @ line)
        steep = self.weighing * chance * (1 - chance)
        unsure = steep + self.variance * (chance**2 + (1 - chance) ** 2)
        weight = steep / np.maximum(unsure, 1e-9)
        residuals = weight * (self.own - self.rows * chance)
        information = np.einsum("cl,clk,clm->km", weight * steep, self.design, self.design)
        return np.einsum("cl,clk->k", residuals, self.design), information


def lines_of_classes(counts: Floats, edges: Floats, total: float, variance: float) -> tuple[Line, ...]:
    """Return the likeliest lines, each as far from no change as the counts are sure that log-loss falls.

    Post-processing: costs nothing. Parameters are those of ``likeliest_lines``.

    Examples
    --------
    >>> rest_and_own = np.asarray([[[0.0, 900.0, 0.0], [0.0, 100.0, 0.0]]])
    >>> [line] = lines_of_classes(rest_and_own, np.asarray([[-0.5, 0.5]]), 1e3, 0.0)
    >>> round(line.intercept, 1)  # log 9 less
    -2.2
    >>> lines_of_classes(rest_and_own, np.asarray([[-20.0, 20.0]]), 1e3, 0.0)  # nobody knows where these rows are
    (Line(slope=1.0, intercept=0.0),)
    """
    lines = likeliest_lines(counts, edges, total, variance)
    slopes, intercepts = np.asarray([line.slope for line in lines]), np.asarray([line.intercept for line in lines])
    places, counts = level_places(counts, edges, variance), of_total(counts, total)
    shares = sure_shares(counts, edges, places, slopes, intercepts, variance)
    unknown = _usual_width(_weighing(counts, places, total, variance), edges, places) > WIDEST_LEVEL
    shares = np.where(unknown, 0.0, shares)
    moved = zip(1 + shares * (slopes - 1), shares * intercepts + 0.0, strict=True)  # no minus zero
    return tuple(Line(float(slope), float(intercept)) for slope, intercept in moved)


def likeliest_lines(
    counts: Floats, edges: Floats, total: float, variance: float, *, largest_slope: float = LARGEST_SLOPE
) -> tuple[Line, ...]:
    """Return the lines that come true by noisy counts of log-odds, under the prior that these are right as they are.

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
    variance : float
        Of the noise on each count.
    largest_slope : float
        Above one; of log-odds that are no more than the scores' order, a large one may be true.

    Examples
    --------
    >>> rest_and_own = np.asarray([[900.0, 700.0, 500.0], [100.0, 300.0, 500.0]]) * 1e6
    >>> lines = likeliest_lines(np.stack([rest_and_own] * 3), np.asarray([[-0.5, 0.5]] * 3), 3e9, 0.0)
    >>> round(lines[0].slope, 2), round(lines[0].intercept, 2)  # log 9 and log 7 / 3 less, at -1 and 0
    (1.05, -0.99)
    """
    n_classes = len(counts)
    places, counts = level_places(counts, edges, variance), of_total(counts, total)
    weighing = _weighing(counts, places, total, variance)
    centers = (weighing * places).sum(axis=1) / total
    design = np.zeros((*places.shape, 2 * n_classes))
    each = np.arange(n_classes)
    design[each, :, each] = places - centers[:, None]
    design[each, :, n_classes + each] = 1.0
    levels = _Levels(counts[:, 1], counts.sum(axis=1), weighing, design, variance)
    prior = np.concatenate([np.ones(n_classes), centers])
    found = _likeliest(levels, prior, _prior_covariance(levels, prior))
    slopes = np.clip(found[:n_classes], LEAST_SLOPE, largest_slope)
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


def level_places(counts: Floats, edges: Floats, variance: float) -> Floats:
    """Return about the mean log-odds of each level, none farther out than halfway to the end of the grid."""
    # Of fewer rows than their noise is worth a level may have none.
    rows = np.maximum(counts.sum(axis=1), max(2 * sqrt(2 * variance), 1e-9))
    places = np.stack([places_in(*each) for each in zip(edges, rows, strict=True)])
    return np.asarray(np.clip(places, (edges[:, [0]] - REACH) / 2, (edges[:, [-1]] + REACH) / 2))


def of_total(counts: Floats, total: float) -> Floats:
    """Return the counts of each class with the same added to each, so that they have the total."""
    return np.asarray(counts + (total - counts.sum(axis=(1, 2), keepdims=True)) / (2 * counts.shape[2]))


def _weighing(counts: Floats, places: Floats, total: float, variance: float) -> Floats:
    """Return about how many rows each level has, in all the total, where noise leaves any.

    By the combination of both counts whose noise goes with that of no residual, so that levels do not weigh more where
    noise has moved their residual.
    """
    chance = expit(places)
    unit = chance**2 + (1 - chance) ** 2
    rows = (counts[:, 1] * chance + counts[:, 0] * (1 - chance)) / unit
    padded = np.pad(rows, ((0, 0), (1, 1)), mode="edge")
    smooth = (padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]) / 4 if variance else rows
    # Squares of the three weights add up to 3 / 8.
    left = np.maximum(smooth - SURE_DEVIATIONS * np.sqrt(variance * 3 / 8 / unit), 0.0)
    whole = left.sum(axis=1, keepdims=True)
    return np.asarray(np.where(whole > 0, left * total / np.where(whole > 0, whole, 1.0), total / places.shape[1]))


def _usual_width(rows: Floats, edges: Floats, places: Floats) -> Floats:
    """Return how wide a row's level is, the median over rows, by class; outer ones reach twice as far as theirs."""
    ends = 2 * np.abs(places[:, [0, -1]] - edges[:, [0, -1]])
    widths = np.concatenate([ends[:, :1], np.diff(edges, axis=1), ends[:, 1:]], axis=1)
    order = np.argsort(widths, axis=1)
    below = np.take_along_axis(rows, order, axis=1).cumsum(axis=1)
    middle = (below < 0.5 * below[:, -1:]).sum(axis=1, keepdims=True)
    return np.asarray(np.take_along_axis(widths, np.take_along_axis(order, middle, axis=1), axis=1)[:, 0])


def _prior_covariance(levels: _Levels, prior: Floats) -> Floats:
    """Return the covariance of the prior whose scale makes the equations at the prior likeliest."""
    n_classes = len(prior) // 2
    covariance = np.zeros((len(prior), len(prior)))
    own = OWN_SLOPE_DEVIATION**2 * np.eye(n_classes)
    covariance[:n_classes, :n_classes] = SLOPE_DEVIATION**2 + own
    covariance[n_classes:, n_classes:] = INTERCEPT_DEVIATION**2 * np.eye(n_classes)
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


def _likeliest(levels: _Levels, prior: Floats, covariance: Floats) -> Floats:
    """Return the parameters whose equations and prior agree, by Fisher's scoring."""
    precision, found = np.linalg.inv(covariance), prior
    for _ in range(_MAX_STEPS):
        score, information = levels.equations(found)
        move = np.linalg.solve(information + precision, score - precision @ (found - prior))
        largest = np.abs(move).max()
        found = found + move * min(1.0, _LARGEST_MOVE / max(largest, 1e-12))
        if largest < _MAX_LAST_MOVE:
            break
    return found
