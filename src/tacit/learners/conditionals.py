"""Conditional distributions from noisy counts, shrunk toward the marginal as far as the noise demands."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dsyev
from scipy.special import log_ndtr

SPREADS = np.asarray([0.05, 0.1, 0.2, 0.4, 0.8, 1.6]) ** 2
"""Prior variances of p(bin | class) / p(bin) - 1; the data's evidence weighs them."""

REACHES = (1 / 32, 1 / 8, 1 / 2)
"""Over which share of an ordered column's bins a deviation may persist."""


def conditional(
    counts: NDArray[np.float64], totals: NDArray[np.float64], *, variance: float, smoothing: float, ordered: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return p(bin | class), and log p(bin | class) / p(bin) up to a constant a bin, both (..., n_bins, n_classes).

    Parameters
    ----------
    counts : array of shape (..., n_classes, n_bins)
        Of one column, or of several of as many bins.
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
        counts = counts + ((totals - counts.sum(axis=-1)) / counts.shape[-1])[..., None]
        ratios, marginal = _denoised(counts, totals, variance, smoothing, ordered)
    else:
        smoothed = counts + smoothing
        rates = smoothed / smoothed.sum(axis=-1, keepdims=True)
        marginal = smoothed.sum(axis=-2) / smoothed.sum(axis=(-1, -2))[..., None]
        ratios = rates / marginal[..., None, :]
    probabilities = ratios * marginal[..., None, :]
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    return np.swapaxes(probabilities, -1, -2), np.swapaxes(np.log(ratios), -1, -2)


def positive_mean(mean: NDArray[np.float64], deviation: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the mean of a normal law given that it is above zero; the mean itself where the deviation is zero."""
    spread = np.maximum(deviation, 1e-300)
    ratio = np.clip(mean / spread, -30.0, 1e3)
    hazard = np.exp(-(ratio**2) / 2 - log_ndtr(ratio)) / np.sqrt(2 * np.pi)
    return np.asarray(np.where(mean / spread > 1e3, mean, spread * (ratio + hazard)))


def _denoised(
    counts: NDArray[np.float64], totals: NDArray[np.float64], variance: float, smoothing: float, ordered: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return 1 + d, shape (..., n_classes, n_bins), and the marginal, shape (..., n_bins)."""
    n_classes, n_bins = counts.shape[-2:]
    reaches = REACHES if ordered else ()
    marginal = _marginal(counts.sum(axis=-2), n_classes * variance, reaches)
    marginal = marginal + n_classes * smoothing
    marginal /= marginal.sum(axis=-1, keepdims=True)
    smoothed = counts + smoothing
    sizes = totals + smoothing * n_bins
    shares = sizes / sizes.sum()
    # What a class has beyond its share of each bin: taking the share off cancels part of the noise.
    beyond = smoothed - shares[:, None] * smoothed.sum(axis=-2, keepdims=True)
    noises = variance * (1 - 2 * shares + n_classes * shares**2)
    mean, deviation = posterior(beyond, sizes, marginal, noises, reaches)
    ratios = positive_mean(1 + mean, deviation)
    return ratios / (ratios @ marginal[..., None]), marginal


def posterior(
    deviations: NDArray[np.float64],
    sizes: NDArray[np.float64],
    weights: NDArray[np.float64],
    noises: NDArray[np.float64],
    reaches: tuple[float, ...],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and deviation of d given sizes_c weights_b d_cb + noise of variance noises_c.

    Neighboring bins are alike over the reaches given; without any, each bin is for itself. Deviations and what is
    returned are (..., n_classes, n_bins), sizes and noises (..., n_classes), weights (..., n_bins).
    """
    found = [_given(deviations, sizes, weights, noises, reach) for reach in reaches or (0.0,)]
    evidences, means, variances = zip(*found, strict=True)
    # The deviations of all classes add up to zero, so one of them tells nothing new.
    n_classes = sizes.shape[-1]
    evidence = np.concatenate(evidences, axis=-1) * max(n_classes - 1, 1) / n_classes
    shares = np.exp(evidence - evidence.max(axis=-1, keepdims=True))
    shares = (shares / shares.sum(axis=-1, keepdims=True))[..., None, None]
    all_means = np.concatenate(means, axis=-3)
    mean = (shares * all_means).sum(axis=-3, keepdims=True)
    variance = (shares * (np.concatenate(variances, axis=-3) + (all_means - mean) ** 2)).sum(axis=-3)
    return np.asarray(mean[..., 0, :, :]), np.sqrt(variance)


def _given(
    deviations: NDArray[np.float64],
    sizes: NDArray[np.float64],
    weights: NDArray[np.float64],
    noises: NDArray[np.float64],
    reach: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return evidence, mean and variance for each spread, at one reach: the last two (..., spreads, classes, bins)."""
    signal = (SPREADS[:, None] * sizes[..., None, :])[..., None]
    if reach:
        # All classes share the eigenvectors: their covariances differ by a factor.
        values, vectors = _spectra(weights, reach)
        projected = deviations @ vectors
        carried = (_likeness(weights.shape[-1], reach) * weights[..., None, :]) @ vectors
    else:
        values, projected, carried = weights**2, deviations, weights
    values = np.maximum(values, 0.0)[..., None, None, :]
    total = signal * sizes[..., None, :, None] * values + noises[..., None, :, None]
    projected = projected[..., None, :, :]
    evidence = -(np.log(total) + projected**2 / total).sum(axis=(-1, -2)) / 2
    gain = signal / total
    if reach:
        carried = np.swapaxes(carried, -1, -2)[..., None, :, :]
        mean, reduction = (gain * projected) @ carried, (gain * signal) @ carried**2
    else:
        carried = carried[..., None, None, :]
        mean, reduction = gain * projected * carried, gain * signal * carried**2
    return evidence, mean, np.maximum(SPREADS[:, None, None] - reduction, 0.0)


def _spectra(weights: NDArray[np.float64], reach: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return eigenvalues (..., n_bins) and vectors (..., n_bins, n_bins) of a likeness under weights."""
    found = [_spectrum(tuple(row), reach) for row in weights.reshape(-1, weights.shape[-1]).tolist()]
    values, vectors = (np.stack(parts) for parts in zip(*found, strict=True))
    return values.reshape(weights.shape), vectors.reshape(*weights.shape, -1)


@lru_cache(maxsize=128)
def _spectrum(weights: tuple[float, ...], reach: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return one spectrum; kept, as even weights come with every fit."""
    column = np.asarray(weights)
    # The plain driver: on matrices this small the others lose milliseconds to threads on a busy machine.
    values, vectors, failed = dsyev(column[:, None] * _likeness(len(column), reach) * column)
    if failed:
        raise ArithmeticError("Expected eigenvalues of a symmetric matrix to converge, got none. Report this.")
    return values, vectors


def _marginal(counts: NDArray[np.float64], variance: float, reaches: tuple[float, ...]) -> NDArray[np.float64]:
    """Return non-negative counts of the same sums, near the noisy ones; smooth where bins are ordered."""
    totals, n_bins = np.maximum(counts.sum(axis=-1), 1.0), counts.shape[-1]
    if reaches:
        even = np.full(n_bins, 1 / n_bins)
        away, noises = counts - totals[..., None] * even, np.asarray([variance])
        mean, _ = posterior(away[..., None, :], totals[..., None], even, noises, reaches)
        counts = totals[..., None] * even * (1 + mean[..., 0, :])
    return onto_simplex(counts, totals)


def onto_simplex(values: NDArray[np.float64], total: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the nearest non-negative values, shape (..., n), of these sums, shape (...)."""
    ordered = np.sort(values, axis=-1)[..., ::-1]
    excess = (np.cumsum(ordered, axis=-1) - np.asarray(total)[..., None]) / np.arange(1, values.shape[-1] + 1)
    # The last that is above its excess; all before it are too.
    last = (ordered > excess).sum(axis=-1, keepdims=True) - 1
    return np.asarray(np.maximum(values - np.take_along_axis(excess, last, axis=-1), 0.0))


@lru_cache(maxsize=64)
def _likeness(n_bins: int, reach: float) -> NDArray[np.float64]:
    places = np.arange(n_bins) / n_bins
    return np.asarray(np.exp(-np.abs(places[:, None] - places) / reach))
