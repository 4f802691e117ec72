"""Conditional distributions from noisy counts, shrunk toward the marginal as far as the noise demands."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import log_ndtr

SPREADS = np.asarray([0.05, 0.1, 0.2, 0.4, 0.8, 1.6]) ** 2
"""Prior variances of p(bin | class) / p(bin) - 1; the data's evidence weighs them."""

REACHES = (1 / 32, 1 / 8, 1 / 2)
"""Over which share of an ordered column's bins a deviation may persist."""


def conditional(
    counts: NDArray[np.float64], totals: NDArray[np.float64], *, variance: float, smoothing: float, ordered: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return p(bin | class), and log p(bin | class) / p(bin) up to a constant a bin, both (n_bins, n_classes).

    Parameters
    ----------
    counts : array of shape (n_classes, n_bins)
    totals : array of shape (n_classes,)
        Rows of each class, as far as released.
    variance : float
        Of the noise on each count; zero for exact counts.
    smoothing : float
        Rows added to every count, as in scikit-learn.
    ordered : bool
        Whether neighboring bins are alike.

    Notes
    -----
    Noise is taken out by the posterior mean of a linear Gaussian model: a count is n_c q_b (1 + d_cb) plus noise of
    the known variance, where q is the marginal and d has mean 0 and covariance s^2 C. C is the identity, or
    exp(-|i - j| / r) for ordered bins; s and r are averaged over small grids by their evidence. 1 + d is at least
    zero: the mean of the truncated posterior is taken, so nothing is impossible that noise may have hidden.
    Without noise this is Laplace smoothing. Post-processing: costs nothing.
    """
    if variance > 0:
        counts = counts + ((totals - counts.sum(axis=1)) / counts.shape[1])[:, None]
        ratios, marginal = _denoised(counts, totals, variance, smoothing, ordered)
    else:
        smoothed = counts + smoothing
        rates = smoothed / smoothed.sum(axis=1, keepdims=True)
        marginal = smoothed.sum(axis=0) / smoothed.sum()
        ratios = rates / marginal
    probabilities = ratios * marginal
    return (probabilities / probabilities.sum(axis=1, keepdims=True)).T, np.log(ratios).T


def positive_mean(mean: NDArray[np.float64], deviation: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the mean of a normal law given that it is above zero; the mean itself where the deviation is zero."""
    spread = np.maximum(deviation, 1e-300)
    ratio = np.clip(mean / spread, -30.0, 1e3)
    hazard = np.exp(-(ratio**2) / 2 - log_ndtr(ratio)) / np.sqrt(2 * np.pi)
    return np.asarray(np.where(mean / spread > 1e3, mean, spread * (ratio + hazard)))


def _denoised(
    counts: NDArray[np.float64], totals: NDArray[np.float64], variance: float, smoothing: float, ordered: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return 1 + d, shape (n_classes, n_bins), and the marginal."""
    n_classes, n_bins = counts.shape
    reaches = REACHES if ordered else ()
    marginal = _marginal(counts.sum(axis=0), n_classes * variance, reaches)
    marginal = marginal + n_classes * smoothing
    marginal /= marginal.sum()
    smoothed = counts + smoothing
    sizes = totals + smoothing * n_bins
    shares = sizes / sizes.sum()
    # What a class has beyond its share of each bin: taking the share off cancels part of the noise.
    beyond = smoothed - shares[:, None] * smoothed.sum(axis=0)
    noises = variance * (1 - 2 * shares + n_classes * shares**2)
    mean, deviation = posterior(beyond, sizes, marginal, noises, reaches)
    ratios = positive_mean(1 + mean, deviation)
    return ratios / (ratios @ marginal)[:, None], marginal


def posterior(
    deviations: NDArray[np.float64],
    sizes: NDArray[np.float64],
    weights: NDArray[np.float64],
    noises: NDArray[np.float64],
    reaches: tuple[float, ...],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and deviation of d given sizes_c weights_b d_cb + noise of variance noises_c, (n_classes, n_bins).

    Neighboring bins are alike over the reaches given; without any, each bin is for itself.
    """
    found = [_given(deviations, sizes, weights, noises, reach) for reach in reaches or (0.0,)]
    evidences, all_means, all_variances = (np.concatenate(parts) for parts in zip(*found, strict=True))
    # The deviations of all classes add up to zero, so one of them tells nothing new.
    evidence = evidences * max(len(sizes) - 1, 1) / len(sizes)
    shares = np.exp(evidence - evidence.max())
    shares = (shares / shares.sum())[:, None, None]
    mean = (shares * all_means).sum(axis=0)
    return np.asarray(mean), np.sqrt((shares * (all_variances + (all_means - mean) ** 2)).sum(axis=0))


def _given(
    deviations: NDArray[np.float64],
    sizes: NDArray[np.float64],
    weights: NDArray[np.float64],
    noises: NDArray[np.float64],
    reach: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return evidence, mean and variance for each spread, at one reach: (n_spreads, n_classes, n_bins) the last two."""
    signal = SPREADS[:, None] * sizes
    if reach:
        # All classes share the eigenvectors: their covariances differ by a factor.
        values, vectors = _spectrum(tuple(weights.tolist()), reach)
        projected, carried = deviations @ vectors, (_likeness(len(weights), reach) * weights) @ vectors
    else:
        values, projected, carried = weights**2, deviations, weights
    total = (signal * sizes)[:, :, None] * np.maximum(values, 0.0) + noises[:, None]
    evidence = -(np.log(total) + projected**2 / total).sum(axis=(1, 2)) / 2
    gain = signal[:, :, None] / total
    if reach:
        mean, reduction = (gain * projected) @ carried.T, (gain * signal[:, :, None]) @ (carried**2).T
    else:
        mean, reduction = gain * projected * carried, gain * signal[:, :, None] * carried**2
    return evidence, mean, np.maximum(SPREADS[:, None, None] - reduction, 0.0)


@lru_cache(maxsize=128)
def _spectrum(weights: tuple[float, ...], reach: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return eigenvalues and vectors of a likeness under weights; kept, as even weights come with every fit."""
    column = np.asarray(weights)
    # The plain driver: on matrices this small the others lose milliseconds to threads on a busy machine.
    values, vectors = eigh(column[:, None] * _likeness(len(column), reach) * column, driver="ev", check_finite=False)
    return values, vectors


def _marginal(counts: NDArray[np.float64], variance: float, reaches: tuple[float, ...]) -> NDArray[np.float64]:
    """Return non-negative counts of the same sum, near the noisy ones; smooth where bins are ordered."""
    total, n_bins = max(counts.sum(), 1.0), len(counts)
    if reaches:
        even = np.full(n_bins, 1 / n_bins)
        away, noises = counts[None, :] - total * even, np.asarray([variance])
        mean, _ = posterior(away, np.asarray([total]), even, noises, reaches)
        counts = total * even * (1 + mean[0])
    return onto_simplex(counts, total)


def onto_simplex(values: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return the nearest non-negative values of this sum."""
    ordered = np.sort(values)[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, len(values) + 1)
    last = np.flatnonzero(ordered > excess)[-1]
    return np.asarray(np.maximum(values - excess[last], 0.0))


@lru_cache(maxsize=64)
def _likeness(n_bins: int, reach: float) -> NDArray[np.float64]:
    places = np.arange(n_bins) / n_bins
    return np.asarray(np.exp(-np.abs(places[:, None] - places) / reach))
