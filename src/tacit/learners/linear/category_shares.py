"""Category shares shrunk by what all columns' noisy counts say of how uneven shares are; each column's add up to one.

Noise may be many times as large as the share of a usual category. Counts taken one by one are then noise, and drawn
toward even shares they hide the one category that most rows have. Here shares are positive, add up to one, and are as
uneven as the counts of all columns together say.
"""

from __future__ import annotations

from collections import defaultdict
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, logsumexp, softmax

from tacit.features.ranked_encoding import RankedEncoding
from tacit.rules.priors import CHANCE_OF_UNLISTED
from tacit.schema import Categorical

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

CONCENTRATIONS = (2.0, 6.0, 20.0, 60.0, 200.0)
"""Of the Dirichlet distribution of a column's shares, all of its categories together: with 2 one or two have most rows,
with 200 all are about as frequent. Each counts as likely as it makes counts; a wider grid changes nothing."""

_COLUMNS_BEFORE = 1 / CHANCE_OF_UNLISTED
"""As how many columns that chance is as sure: as if one such column had been seen. Fewer would let one column's noise
make the rule for itself."""

_NODES = 96
"""Of the integral over a share."""

_REACH = 10.0
"""Deviations of the noise around what was counted within which a share is looked for, and by which sums are mended."""

_MAX_SHARE = 6.0
"""Up to which the distribution of a share is taken: only with the sum of a column no share is above one, and a
distribution that ends there has another mean (off by 0.2 for two categories of which one has nine rows of ten)."""

_STEPS = 16
_ROUNDS = 10
_TINY = 1e-9


def likely_shares(encoding: RankedEncoding, counted: Floats, deviation: float) -> tuple[Places, Floats]:
    """Return positions of categories among features but the constant, and the share of the rows to expect of each.

    Parameters
    ----------
    encoding : RankedEncoding
    counted : array of shape (n_features - 1,)
        Noisy counts over rows; of numbers they are not read.
    deviation : float
        Of their noise.

    Notes
    -----
    Shares of a column follow a Dirichlet distribution around even ones, or around the mean shares of columns that list
    the same categories, as answers to several questions. Those are gamma variables given their sum, and given a sum
    independent variables follow their distributions tilted by an exponential (Csiszar 1984), so that each share is
    expected under a distribution of its own. How likely that makes a column's counts is Daniels' saddlepoint (1954).
    """
    columns, alike = _columns(encoding)
    deviation = max(deviation, _TINY)
    marks = np.asarray([at[0] - 1 for at in encoding.marks.values()], dtype=np.intp)
    shares = _shares_of_marks(counted[marks], deviation)
    if not columns:
        return marks, shares
    places = np.concatenate(columns)
    sizes = np.asarray([len(each) for each in columns])
    around = np.zeros(len(counted))
    around[places] = np.repeat(1 / sizes, sizes)
    for each in alike:
        size = each.shape[1]
        even = np.full(size, 1 / size)
        around[each] = _expected(counted[each].mean(axis=0), deviation / sqrt(len(each)), even, np.asarray([size]))
    found = _expected(counted[places], deviation, around[places], sizes)
    return np.append(places, marks), np.append(found, shares)


def _shares_of_marks(counted: Floats, deviation: float) -> Floats:
    """Return the shares of the rows to expect in which numbers are missing: all are answers to the same question."""
    if not len(counted):
        return counted
    # What is counted and the rest of the rows tell as much as two counts would, each of twice the variance.
    pairs = np.column_stack([counted, 1 - counted])
    around = np.asarray([0.5, 0.5])
    if len(pairs) > 1:
        around = _expected(pairs.mean(axis=0), deviation * sqrt(2 / len(pairs)), around, np.asarray([2]))
    found = _expected(pairs.ravel(), deviation * sqrt(2), np.tile(around, len(pairs)), np.full(len(pairs), 2))
    return found[::2]


def _columns(encoding: RankedEncoding) -> tuple[list[Places], list[Places]]:
    """Return the positions of each column of categories, and (n_columns, n_categories) of those that list the same."""
    columns, found = [], defaultdict(list)
    for name, start, end in zip(encoding.columns, encoding.starts[:-1], encoding.starts[1:], strict=True):
        column = encoding.schema.column(name)
        if isinstance(column, Categorical) and not encoding.is_mark(column):
            columns.append(np.arange(start - 1, end - 1))
            found[column.words].append(columns[-1])
    return columns, [np.asarray(each) for each in found.values() if len(each) > 1]


def _expected(counted: Floats, deviation: float, around: Floats, sizes: NDArray[np.intp]) -> Floats:
    """Return the expected shares of columns of these sizes, one after another."""
    sums = np.add.reduceat(counted, np.append(0, np.cumsum(sizes)[:-1]))
    totals = _totals(sums, deviation * np.sqrt(sizes))
    distributions = [_tilted(counted, deviation, around, sizes, each, totals) for each in CONCENTRATIONS]
    chances, several = np.full((len(distributions), len(sizes)), 1 / len(distributions)), sizes > 1
    # One category alone has all rows under any distribution, and says nothing of others.
    chances[:, several] = _chances(np.asarray([likely[several] for _, likely in distributions]))
    return np.asarray(sum(np.repeat(own, sizes) * each for own, (each, _) in zip(chances, distributions, strict=True)))


def _chances(evidence: Floats) -> Floats:
    """Return how likely each distribution is of each column, shape (n_distributions, n_columns).

    From logarithms of how likely it makes counts, of the same shape.
    What all columns say of how usual a distribution is counts for each of them: weights of a mixture, by
    expectation-maximization.
    """
    usual = np.full(len(evidence), 1 / len(evidence))
    for _ in range(_ROUNDS):
        chances = softmax(evidence + np.log(usual)[:, None], axis=0)
        usual = (chances.sum(axis=1) + 1 / len(usual)) / (chances.shape[1] + 1)
    return np.asarray(chances)


def _totals(sums: Floats, deviations: Floats) -> Floats:
    """Return the share of the rows that have a listed category, of columns whose counts add up to this with noise.

    All rows have one, or any part of them, which is as usual as all columns together say.
    """
    low, high = (np.clip(sums + each * deviations, 0.0, 1.0) for each in (-_REACH, _REACH))
    width = np.maximum(high - low, _TINY)
    parts = low[:, None] + width[:, None] * (np.arange(_NODES) + 0.5) / _NODES
    likely = -(((sums[:, None] - parts) / deviations[:, None]) ** 2) / 2
    of_part, of_all = logsumexp(likely, axis=1) + np.log(width / _NODES), -(((sums - 1) / deviations) ** 2) / 2
    expected = (softmax(likely, axis=1) * parts).sum(axis=1)
    chance = CHANCE_OF_UNLISTED
    for _ in range(_ROUNDS):
        missing = expit(of_part - of_all + log(chance / (1 - chance)))
        chance = (float(missing.sum()) + _COLUMNS_BEFORE * CHANCE_OF_UNLISTED) / (len(sums) + _COLUMNS_BEFORE)
    return np.asarray(np.maximum(1 - missing * (1 - expected), _TINY))


def _tilted(
    counted: Floats, deviation: float, around: Floats, sizes: NDArray[np.intp], concentration: float, totals: Floats
) -> tuple[Floats, Floats]:
    """Return the expected shares, and the logarithm of how likely the counts of each column are."""
    starts, shapes = np.append(0, np.cumsum(sizes)[:-1]), concentration * np.maximum(around, _TINY)
    nodes, logs = _gamma_distributions(counted, deviation, shapes)

    def moments(tilts: Floats) -> tuple[Floats, Floats, Floats]:
        tilted = logs + np.repeat(tilts, sizes)[:, None] * nodes
        most = tilted.max(axis=1, keepdims=True)
        chances = np.exp(tilted - most)
        norm = chances.sum(axis=1)
        mean = (chances * nodes).sum(axis=1) / norm
        return mean, (chances * nodes**2).sum(axis=1) / norm - mean**2, most[:, 0] + np.log(norm)

    # Without any count the tilt is minus the concentration, and next to sharp counts it shifts them by deviations.
    low, high = np.full(len(sizes), -concentration - _REACH / deviation), np.full(len(sizes), _REACH / deviation)
    tilts = np.clip(np.zeros(len(sizes)), low, high)
    means, variances, norms = moments(tilts)
    # Newton's steps, within bounds that each narrows.
    for _ in range(_STEPS):
        more = np.add.reduceat(means, starts) - totals
        low, high = np.where(more > 0, low, tilts), np.where(more > 0, tilts, high)
        steps = tilts - more / np.maximum(np.add.reduceat(variances, starts), _TINY**2)
        tilts = np.where((steps > low) & (steps < high), steps, (low + high) / 2)
        means, variances, norms = moments(tilts)
    # Of independent variables, how likely their sum is this: that of a normal one of their tilted variances.
    spread = np.maximum(np.add.reduceat(variances, starts), _TINY**2)
    likely = (
        np.add.reduceat(norms - gammaln(shapes), starts) + gammaln(concentration) - tilts * totals - np.log(spread) / 2
    )
    # What Newton's steps left is less than any noise, and shares are exactly as many as rows.
    means = np.maximum(means, _TINY)
    return means * np.repeat(totals / np.add.reduceat(means, starts), sizes), likely


def _gamma_distributions(counted: Floats, deviation: float, shapes: Floats) -> tuple[Floats, Floats]:
    """Return nodes, shape (n_shares, n_nodes), and logarithms of a share's density times that of its count there.

    The distribution is a gamma variable's but for the exponential, which is part of the tilt.
    """
    low = np.clip(counted - _REACH * deviation, 0.0, 1 - _REACH * _TINY)
    width = np.maximum(np.minimum(np.maximum(counted, 0.0) + _REACH * deviation, _MAX_SHARE) - low, _TINY)
    # Closer together near zero, where rare categories are.
    edges = low[:, None] + width[:, None] * (np.arange(_NODES + 1) / _NODES) ** 3
    nodes = low[:, None] + width[:, None] * ((np.arange(_NODES) + 0.5) / _NODES) ** 3
    shapes = shapes[:, None]
    # Below a shape of one the distribution has no bound at zero: what is between two edges is integrated exactly.
    few = np.minimum(shapes, 1.0)
    exact = np.log(np.maximum(np.diff(edges**few), np.finfo(float).tiny) / few)
    smooth = (shapes - 1) * np.log(nodes) + np.log(np.maximum(np.diff(edges), np.finfo(float).tiny))
    return nodes, np.where(shapes < 1, exact, smooth) - ((counted[:, None] - nodes) / deviation) ** 2 / 2
