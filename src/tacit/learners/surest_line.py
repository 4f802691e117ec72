"""A line from scores to log-odds by few noisy counts: the surest of several, as one alone may be far off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.models.class_lines import level_places, likeliest_lines, of_total
from tacit.models.score_line import LARGEST_SLOPE, LEAST_SLOPE, Line, likely_line, onto_simplex

Floats = NDArray[np.float64]

STEEPEST = 20.0
"""Of log-odds by the public link: scores of an SVM on rare classes are hardly apart, and say much."""

SLOPE_DEVIATION, OFFSET_DEVIATION = 1.0, 1.5
"""Of the prior of the line that a logistic regression finds, around the public link; wide, as that does not know how
frequent a class is."""

DOUBT = 0.5
"""Standard errors of its log-loss by noisy counts that are added to it: of lines whose losses are hardly known apart
the one nearer to a logistic regression's is taken (``benchmarks/paid_links.py``)."""


def surest_line(counts: Floats, edges: Floats, total: float, variance: float) -> Line:
    """Return of some lines the one whose log-loss, with half a standard error, is least by noisy counts.

    Noisy counts are right in the mean, and so is the log-loss of a line that is compared by them. The lines are the
    likeliest ones (``likeliest_lines``), steep and less so, whose equations leave out levels that noise hides and may
    have several roots where scores lie in clumps; that of a logistic regression on counts made to be none below zero,
    which has one, but is drawn by the noise of all levels; and the public link. Post-processing: costs nothing.

    Parameters
    ----------
    counts : array of shape (2, n_levels)
        Of the first class and of the second, by level.
    edges : array of shape (n_levels - 1,)
        Ascending, of log-odds by the public link.
    total : float
        Of all rows.
    variance : float
        Of the noise on each count.

    Examples
    --------
    >>> counts = np.asarray([[800.0, 0.0, 300.0], [200.0, 0.0, 700.0]])
    >>> line = surest_line(counts, np.asarray([-0.5, 0.5]), 2000.0, 0.0)  # -1.39 and 0.85 at -1.5 and 1.5
    >>> round(line.slope, 1), round(line.intercept, 1)
    (0.7, -0.3)
    """
    places, counted = level_places(counts[None], edges[None], variance)[0], of_total(counts[None], total)[0]
    concave = _logistic(counts, places, total, variance)
    found = [Line(1.0, 0.0), concave]
    for steepest in (STEEPEST, LARGEST_SLOPE):
        found += likeliest_lines(counts[None], edges[None], total, variance, largest_slope=steepest)
    return min(found, key=lambda line: _loss(line, concave, counted, places, variance))


def _logistic(counts: Floats, places: Floats, total: float, variance: float) -> Line:
    """Return the line of a logistic regression on counts of which none is below zero, shrunk as noise demands."""
    # With counts below zero the likelihood need not have a maximum.
    cleaned = onto_simplex(counts.ravel(), total).reshape(counts.shape)
    center = float(cleaned.sum(axis=0) @ places / total)
    design = np.column_stack([places - center, np.ones_like(places)])
    precision = np.diag([SLOPE_DEVIATION**-2.0, OFFSET_DEVIATION**-2.0])
    found = likely_line(design, cleaned, np.asarray([1.0, center]), precision, variance)
    slope = float(np.clip(found[0], LEAST_SLOPE, STEEPEST))
    return Line(slope, float(found[1]) - slope * center)


def _loss(line: Line, beside: Line, counts: Floats, places: Floats, variance: float) -> float:
    """Return by how much a line's log-loss exceeds another's, and half of the standard error of that."""
    # Of differences: what two lines say alike costs neither, and noise there decides nothing.
    more = _losses(line, places) - _losses(beside, places)
    unsure = np.maximum(counts, 0.0) + variance
    return float((counts * more).sum() + DOUBT * np.sqrt((unsure * more**2).sum()))


def _losses(line: Line, places: Floats) -> Floats:
    """Return the log-loss of a row of each class in each level, (2, n_levels)."""
    odds = line.slope * places + line.intercept
    sides: Sequence[Floats] = (np.logaddexp(0.0, odds), np.logaddexp(0.0, -odds))
    return np.stack(sides)
