"""Largest step toward the calibrated line whose gain in log-loss is above one standard error, from noisy counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from tacit.measures.score_cells import REACH

Floats = NDArray[np.float64]

_SHARES = np.arange(9) / 8
"""Of the way to a line."""
_INSIDE = np.arange(9) / 8
"""Places in a level, its ends included, as shares of its width."""


def calibration_steps(
    counts: Floats, edges: Floats, places: Floats, slopes: Floats, intercepts: Floats, variances: Floats
) -> Floats:
    """Return of each class's line the largest share of the way from no change that surely lowers the log-loss.

    What a level's rows save follows from their counts and from where in it their scores are. Three things make it
    unsure: the noise of counts, which rows were drawn, and that scores may all be at the place of the level where least
    is saved. Sure is what is more than one standard error of these, which are taken to be independent.
    Post-processing: costs nothing.

    Parameters
    ----------
    counts : array of shape (n_classes, 2, n_levels)
        Of rows of other classes and of its own; of two classes those of the second alone, shape (1, 2, n_levels).
    edges : array of shape (n_classes, n_levels - 1)
        Ascending.
    places : array of shape (n_classes, n_levels)
        Where scores are taken to be.
    slopes, intercepts : array of shape (n_classes,)
        Of lines from log-odds to calibrated ones.
    variances : array of shape (2,)
        Of the noise on each count of rows of other classes, and of its own.

    Notes
    -----
    Of many classes a row's new probabilities q are divided by their sum, which adds log(sum of q) to its loss: at most
    the sum of q less one, which is that of p, the old ones. So each class's line saves log(q / p) for its own rows less
    q - p for all rows, and lines together save no less than the sum of that.

    Examples
    --------
    >>> counts = np.asarray([[[10.0, 300.0, 10.0], [10.0, 800.0, 40.0]]])  # rows in the middle have log-odds 1
    >>> narrow, wide = np.asarray([[-0.5, 0.5]]), np.asarray([[-5.0, 5.0]])
    >>> places, slope, one_higher = np.asarray([[-1.0, 0.0, 1.0]]), np.ones(1), np.ones(1)
    >>> noise = np.asarray([25.0, 25.0])
    >>> calibration_steps(counts, narrow, places, slope, one_higher, noise)
    array([1.])
    >>> calibration_steps(counts, wide, places * 10, slope, one_higher, noise)
    array([0.])
    """
    at = _inside(edges, places, counts.sum(axis=1), float(np.sqrt(variances.sum())))
    moved = at + _SHARES[:, None, None, None] * ((slopes - 1)[:, None, None] * at + intercepts[:, None, None])
    own, rest = log_expit(moved) - log_expit(at), log_expit(-moved) - log_expit(-at)
    if len(counts) > 1:
        more = expit(moved) - expit(at)
        own, rest = own - more, -more
    saved = counts[:, 1, :, None] * own + counts[:, 0, :, None] * rest
    unknown = saved[..., 0] - saved.min(axis=-1)
    # The variance of a count: of the rows that are drawn and of its noise.
    unsure = np.maximum(counts, 0.0) + variances[:, None]
    squares = unsure[:, 1] * own[..., 0] ** 2 + unsure[:, 0] * rest[..., 0] ** 2 + unknown**2
    sure = saved[..., 0].sum(axis=-1) > np.sqrt(squares.sum(axis=-1))
    return np.asarray((_SHARES[:, None] * sure).max(axis=0))


def _inside(edges: Floats, places: Floats, rows: Floats, deviation: float) -> Floats:
    """Return where in each level scores may be, (n_classes, n_levels, 10): first its place, then from end to end.

    How far out scores go is not known. The first and the last level are taken to be as wide as all others together, or
    as they must be for their rows to lie no more densely than those of the level beside, less a deviation of the noise,
    and twice as wide as to their place at least; but no score is beyond the grid of log-odds.
    """
    inner = np.diff(edges, axis=1) if edges.shape[1] > 1 else np.zeros_like(edges)
    beside = np.maximum(rows[:, [1, -2]] - deviation, 1.0)
    reach = np.maximum(inner.sum(axis=1, keepdims=True), inner[:, [0, -1]] * rows[:, [0, -1]] / beside)
    reach = np.maximum(reach, 2 * np.abs(places[:, [0, -1]] - edges[:, [0, -1]]))
    first, last = edges[:, [0]] - reach[:, [0]], edges[:, [-1]] + reach[:, [1]]
    ends = np.clip(np.concatenate([first, edges, last], axis=1), -REACH, REACH)
    within = ends[:, :-1, None] + np.diff(ends, axis=1)[..., None] * _INSIDE
    return np.concatenate([places[..., None], within], axis=-1)
