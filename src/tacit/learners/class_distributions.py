"""Distribution of each column in each class, from exact or noisy sums; post-processing, at no privacy cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.learners.conditionals import conditional, positive_mean
from tacit.queries import ClassSums, Sums
from tacit.schema import Numeric

VARIANCE_FLOOR = 1e-6
"""Smallest variance of a column scaled to [-1, 1]: a deviation of a thousandth of its reach."""


@dataclass(frozen=True)
class KnownSums:
    """Answers to one query and the variance of the noise on each, zero for exact ones."""

    query: ClassSums
    sums: Sums
    variance: float


@dataclass(frozen=True)
class BinDistribution:
    """A binned column: probabilities, log ratios and their standard deviations, each of shape (n_bins, n_classes)."""

    probabilities: NDArray[np.float64]
    log_ratios: NDArray[np.float64]
    deviations: NDArray[np.float64]


@dataclass(frozen=True)
class NormalDistribution:
    """A numeric column: means and variances, each of shape (n_classes,)."""

    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    noise: float = 0.0
    """Standard deviation of the noise on the sums that both follow from, in rows."""


def class_sizes(known: Sequence[KnownSums], n_rows: float) -> NDArray[np.float64]:
    """Return the number of rows of each class, positive, of sum near n_rows.

    Every histogram adds up to the class counts, so all of them are averaged by their precision; the rest is
    divided evenly, as n_rows is public, or what rows weigh together was released or declared.
    """
    for each in known:
        if each.sums.classes is not None and each.variance == 0:
            return each.sums.classes
    [noisy] = [each for each in known if each.sums.classes is not None]
    assert noisy.sums.classes is not None
    estimates = [noisy.sums.classes, *(counts.sum(axis=1) for counts in noisy.sums.counts)]
    # A histogram's sum has the noise of all its bins, so its precision is one over their number.
    weights = np.asarray([1.0, *(1 / counts.shape[1] for counts in noisy.sums.counts)])
    if noisy.query.unlisted:
        estimates, weights = estimates[:1], weights[:1]
    sizes = np.average(estimates, axis=0, weights=weights)
    sizes = sizes + (n_rows - sizes.sum()) / len(sizes)
    return positive_mean(sizes, float(np.sqrt(noisy.variance / weights.sum())))


def class_distributions(
    known: KnownSums, sizes: NDArray[np.float64], smoothing: float
) -> Iterator[tuple[str, BinDistribution | NormalDistribution]]:
    """Yield every column of the sums with its distribution in each class."""
    query = known.query
    for ordered, alike in _columns_alike(known).items():
        widths = np.asarray([counts.shape[1] for counts in alike.values()])
        side_by_side = np.zeros((len(alike), len(sizes), widths.max()))
        # Columns of different widths are padded, to be smoothed in one pass.
        for row, counts in zip(side_by_side, alike.values(), strict=True):
            row[:, : counts.shape[1]] = counts
        distributions = conditional(
            side_by_side, sizes, variance=known.variance, smoothing=smoothing, ordered=ordered, widths=widths
        )
        for name, width, *distribution in zip(alike, widths.tolist(), *distributions, strict=True):
            yield name, BinDistribution(*(part[:width] for part in distribution))
    for position, name in enumerate(query.summed):
        first, second = known.sums.first[:, position], known.sums.second[:, position]
        means, variances = normal_distributions(
            first, second, sizes, offset=query.offset, variance=known.variance, floor=VARIANCE_FLOOR
        )
        yield name, NormalDistribution(means, variances, float(np.sqrt(known.variance)))


def _columns_alike(known: KnownSums) -> dict[bool, dict[str, NDArray[np.float64]]]:
    """Return the counts of each column, by whether its bins are ordered: such go together."""
    query, groups = known.query, defaultdict[bool, dict[str, NDArray[np.float64]]](dict)
    for name, counts in zip(query.counted, known.sums.counts, strict=True):
        groups[isinstance(query.bins.schema.column(name), Numeric)][name] = counts
    return groups


def normal_distributions(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    totals: NDArray[np.float64],
    *,
    offset: float,
    variance: float,
    floor: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means and variances of a column in each class, shapes (n_classes,).

    Variance = second / n_c + offset - mean^2. A class's mean is shrunk toward the common mean by the weight that is
    best if it lies one common deviation away from it, its second moment likewise. Post-processing: costs nothing.

    Parameters
    ----------
    first, second : array of shape (n_classes,)
        Sums of z and of z^2 - offset, z in [-1, 1].
    totals : array of shape (n_classes,)
    variance : float
        Of the noise on each sum; zero for exact sums.
    floor : float
        Smallest variance to answer; public.
    """
    total = max(totals.sum(), 1.0)
    sizes = np.maximum(totals, 1.0)
    mean = np.clip(first.sum() / total, -1, 1)
    moment = np.clip(second.sum() / total + offset, 0, 1)
    # Noise may push the sample variance below zero; it is known no better than the noise on the sum of squares.
    spread = np.clip(moment - mean**2, max(floor, np.sqrt(variance) / total), 1)
    means = mean + _weight(spread, sizes, variance) * (first / sizes - mean)
    # 2 spread^2, the variance of the square of a centered normal number, is the prior's for a class's moment.
    moments = moment + _weight(2 * spread**2, sizes, variance) * (second / sizes + offset - moment)
    means = np.clip(means, -1, 1)
    # Below a tenth of the common variance, what the noise leaves is not told from none.
    lowest = np.maximum(floor, np.minimum(spread / 10, np.sqrt(variance) / sizes))
    return means, np.clip(moments - means**2, lowest, 1)


def _weight(prior: float, sizes: NDArray[np.float64], variance: float) -> NDArray[np.float64]:
    signal = prior * sizes**2
    return np.asarray(signal / (signal + variance))
