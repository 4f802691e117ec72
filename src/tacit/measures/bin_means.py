"""Mean score within each bin, estimated from noisy counts of the bins, and about how many rows each holds."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.measures.score_cells import REACH
from tacit.rules.shared import SURE_DEVIATIONS

Floats = NDArray[np.float64]

_MIN_WIDTH, _STEEPEST = 1e-6, 6.0
"""Of a level, and by how much the logarithm of the density of rows may change from edge to edge."""


def means_in_bins(edges: Floats, rows: Floats) -> Floats:
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
    >>> means_in_bins(np.asarray([-1.0, 0.0, 2.0]), np.asarray([1.0, 1.0, 2.0, 2.0])).round(2).tolist()
    [-1.5, -0.5, 1.0, 3.0]
    >>> means_in_bins(np.asarray([-1.0, 0.0, 2.0]), np.asarray([1.0, 4.0, 1.0, 0.1])).round(2).tolist()
    [-1.25, -0.53, 0.66, 2.5]
    >>> means_in_bins(np.asarray([0.0]), np.asarray([5.0, 5.0])).tolist()
    [-0.5, 0.5]
    """
    widths = np.diff(edges) if len(edges) > 1 else np.ones(1)
    if len(edges) == 1:
        return np.asarray([edges[0] - 0.5, edges[0] + 0.5])
    # Rows of levels without a width are as dense as any.
    dense = np.log(rows / np.maximum(np.concatenate([widths[:1], widths, widths[-1:]]), _MIN_WIDTH))
    steep = np.clip((dense[2:] - dense[:-2]) / 2, -_STEEPEST, _STEEPEST)
    gentle = np.where(np.abs(steep) < 1e-3, 1e-3, steep)
    inside = edges[:-1] + widths * (1 / -np.expm1(-gentle) - 1 / gentle)
    reach = np.clip(np.sqrt(rows[[0, -1]] / rows[[1, -2]]), 0.5, 2.0) * widths[[0, -1]] / 2
    return np.concatenate([[edges[0] - reach[0]], inside, [edges[-1] + reach[1]]])


def bin_means(counts: Floats, edges: Floats, variances: Floats) -> Floats:
    """Return about the mean log-odds of each level, none farther out than halfway to the end of the grid."""
    # Of fewer rows than their noise is worth a level may have none.
    rows = np.maximum(counts.sum(axis=1), max(2 * sqrt(variances.sum()), 1e-9))
    places = np.stack([means_in_bins(*each) for each in zip(edges, rows, strict=True)])
    return np.asarray(np.clip(places, (edges[:, [0]] - REACH) / 2, (edges[:, [-1]] + REACH) / 2))


def of_total(counts: Floats, total: float, variances: Floats) -> Floats:
    """Return the counts of each class so moved that they have the total, as far each as its noise's variance goes."""
    moved = (total - counts.sum(axis=(1, 2), keepdims=True)) / counts.shape[2]
    return np.asarray(counts + moved * _parts(variances)[:, None])


def _parts(variances: Floats) -> Floats:
    """Return each variance's part of both, (2,); halves where there is no noise."""
    whole = variances.sum()
    return variances / whole if whole else np.full(2, 0.5)


def rows_of_bins(counts: Floats, places: Floats, total: float, variances: Floats) -> Floats:
    """Return about how many rows each level has, in all the total, where noise leaves any.

    By the combination of both counts whose noise goes with that of no residual, so that levels do not weigh more where
    noise has moved their residual.
    """
    chance, (of_rest, of_own) = expit(places), _parts(variances)
    unit = of_rest * chance**2 + of_own * (1 - chance) ** 2
    rows = (of_rest * counts[:, 1] * chance + of_own * counts[:, 0] * (1 - chance)) / unit
    padded = np.pad(rows, ((0, 0), (1, 1)), mode="edge")
    smooth = (padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]) / 4 if variances.any() else rows
    # Squares of the three weights add up to 3 / 8.
    variance = variances.sum() * of_rest * of_own / unit
    left = np.maximum(smooth - SURE_DEVIATIONS * np.sqrt(variance * 3 / 8), 0.0)
    whole = left.sum(axis=1, keepdims=True)
    return np.asarray(np.where(whole > 0, left * total / np.where(whole > 0, whole, 1.0), total / places.shape[1]))


def usual_width(rows: Floats, edges: Floats, places: Floats) -> Floats:
    """Return how wide a row's level is, the median over rows, by class; outer ones reach twice as far as theirs."""
    ends = 2 * np.abs(places[:, [0, -1]] - edges[:, [0, -1]])
    widths = np.concatenate([ends[:, :1], np.diff(edges, axis=1), ends[:, 1:]], axis=1)
    order = np.argsort(widths, axis=1)
    below = np.take_along_axis(rows, order, axis=1).cumsum(axis=1)
    middle = (below < 0.5 * below[:, -1:]).sum(axis=1, keepdims=True)
    return np.asarray(np.take_along_axis(widths, np.take_along_axis(order, middle, axis=1), axis=1)[:, 0])
