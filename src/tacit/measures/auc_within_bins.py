"""Within-bin correction of a binned AUC: what the order of rows inside a score's bins adds, from neighboring bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.rules.measures import SURE_BESIDE

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Hidden:
    """How much of an area is inside levels, whose rows were counted as ties.

    Parameters
    ----------
    losses, gains : array of shape (...,)
        Likely ones, of levels whose ratio of classes falls and rises; they are seldom more than twice as large.
    end_losses, end_gains : array of shape (...,)
        The same of the first and the last level, of which twice as much is as likely.
    unknown : array of shape (...,)
        The most, on both sides, of levels beside which there are too few rows to tell.
    """

    losses: Numbers
    gains: Numbers
    end_losses: Numbers
    end_gains: Numbers
    unknown: Numbers


def hidden_in_levels(low: Numbers, high: Numbers, deviation: float) -> Hidden:
    """Return what the order inside levels adds to the area that counts their rows as ties.

    The ratio of the classes' densities is the slope of the ROC curve. Where it goes from that of the levels before to
    that of the levels after at an even pace, a level with a share b of the first class's rows adds b^2 / 24 times the
    difference, and at most three times as much. Of a first or last level the slope is known on one side: it is
    taken to go on as it goes there.

    Parameters
    ----------
    low, high : array of shape (..., n_levels)
        Noisy counts of both classes, ascending in the score.
    deviation : float
        Of the noise on each count.

    Examples
    --------
    >>> even = np.full(4, 100.0)  # density 1 and 2 x on four quarters: the area is 2/3, and 0.65625 with ties
    >>> found = hidden_in_levels(even, np.asarray([25.0, 75.0, 125.0, 175.0]), 0.0)
    >>> print(found.gains.round(4), found.end_gains.round(4), found.unknown)
    0.0052 0.0048 0.0
    """
    low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    shares = low / np.maximum(low.sum(axis=-1, keepdims=True), 1.0)
    others = high / np.maximum(high.sum(axis=-1, keepdims=True), 1.0)
    enough = SURE_BESIDE * np.sqrt(2.0) * deviation
    counted = np.stack([shares, others, low + high])
    before, known_before = _ratios_before(counted, enough)
    after, known_after = _ratios_before(counted[..., ::-1], enough)
    after, known_after = after[..., ::-1], known_after[..., ::-1]
    weights, ratio = shares * others, others / np.maximum(shares, _TINY)
    inner = shares**2 * (after - before) / 24
    first, last = weights * _at_an_end(ratio, after), weights * _at_an_end(before, ratio)
    inside = np.where(known_before & known_after, np.clip(inner, -weights / 4, weights / 4), 0.0)
    at_ends = np.select([known_before & known_after, known_after, known_before], [0.0, first, last], 0.0)
    unknown = np.where(known_before | known_after, 0.0, weights / 2)

    def added(levels: Numbers, sign: int) -> Numbers:
        return np.asarray(np.maximum(sign * levels, 0.0).sum(axis=-1))

    return Hidden(
        added(inside, -1), added(inside, 1), added(at_ends, -1), added(at_ends, 1), np.asarray(unknown.sum(axis=-1))
    )


_TINY = 1e-12
"""Above zero: a level without rows weighs nothing."""


def _at_an_end(below: Numbers, above: Numbers) -> Numbers:
    """Return how far from one half the share of pairs in order is likely to be, of ratios that are ascending or not."""
    ratio = np.minimum(below, above) / np.maximum(np.maximum(below, above), _TINY)
    # A twelfth of what a slope rises by that rises as evenly as before, and half of the most where it rises steeply.
    half = (1 - ratio) / (4 + 8 * ratio)
    return np.where(above >= below, half, -half)


def _ratios_before(counted: Numbers, enough: float) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the ratio of both classes among the nearest levels before each one that have enough rows, if any have.

    Counted are, by level, shares of both classes and rows, shape (3, ..., n_levels).
    """
    ratios, known = np.ones_like(counted[0]), np.zeros(counted.shape[1:], dtype=bool)
    for at in range(1, counted.shape[-1]):
        first, second, rows = np.cumsum(counted[..., :at][..., ::-1], axis=-1)
        told = (rows > 0) & (rows >= enough * np.sqrt(np.arange(1, at + 1)))
        nearest = np.argmax(told, axis=-1)[..., None]
        below, above = (np.take_along_axis(each, nearest, axis=-1)[..., 0] for each in (first, second))
        ratios[..., at] = above / np.maximum(below, _TINY)
        known[..., at] = told.any(axis=-1)
    return ratios, known
