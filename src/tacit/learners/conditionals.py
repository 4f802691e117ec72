"""Conditional distributions from noisy counts, shrunk toward the marginal as far as the noise demands."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from tacit.learners.deviations import posterior

_LEAST_NOISE = 1e-9
"""Of a single class nothing is left beyond its share, and no noise; the model needs some."""


def conditional(
    counts: NDArray[np.float64],
    totals: NDArray[np.float64],
    *,
    variance: float,
    smoothing: float,
    ordered: bool,
    widths: NDArray[np.intp] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return p(bin | class), and log p(bin | class) / p(bin) up to a constant a bin, both (..., n_bins, n_classes).

    Parameters
    ----------
    counts : array of shape (..., n_classes, n_bins)
        Of one column, or of several.
    totals : array of shape (n_classes,)
        Rows of each class, as far as released.
    variance : float
        Of the noise on each count; zero for exact counts.
    smoothing : float
        Rows added to every count, as in scikit-learn.
    ordered : bool
        Whether neighboring bins are alike.
    widths : array of shape (...,), optional
        How many bins each column has, where these are fewer; what the others hold is left out, and they get zeros.

    Notes
    -----
    Noise is taken out by the posterior mean of a linear Gaussian model: a count is n_c q_b (1 + d_cb) plus noise of
    the known variance, where q is the marginal and d is as in ``posterior``. 1 + d is at least
    zero: the mean of the truncated posterior is taken, so nothing is impossible that noise may have hidden.
    Without noise this is Laplace smoothing. Post-processing: costs nothing.
    """
    bins = _Bins(counts.shape[-1] if widths is None else widths, counts, ordered=ordered)
    counts = np.where(bins.inside[..., None, :], counts, 0.0)
    if variance > 0:
        missing = ((totals - counts.sum(axis=-1)) / bins.widths[..., None])[..., None]
        counts = np.where(bins.inside[..., None, :], counts + missing, 0.0)
        ratios, marginal = _denoised(counts, totals, variance, smoothing, bins)
    else:
        smoothed = np.where(bins.inside[..., None, :], counts + smoothing, 0.0)
        rates = smoothed / smoothed.sum(axis=-1, keepdims=True)
        marginal = smoothed.sum(axis=-2) / smoothed.sum(axis=(-1, -2))[..., None]
        ratios = rates / np.where(bins.inside, marginal, 1.0)[..., None, :]
    probabilities = ratios * marginal[..., None, :]
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    logarithms = np.log(np.where(bins.inside[..., None, :], ratios, 1.0))
    return np.swapaxes(probabilities, -1, -2), np.swapaxes(logarithms, -1, -2)


@final
class _Bins:
    """Which places of an array of counts are bins, and whether neighbors are alike.

    Attributes
    ----------
    widths : array of shape (...,)
    inside : array of bool, shape (..., n_bins)
    chained : array of shape (...,), or None
        The widths, where neighbors are alike.
    """

    def __init__(self, widths: int | NDArray[np.intp], counts: NDArray[np.float64], *, ordered: bool) -> None:
        self.widths = np.broadcast_to(np.asarray(widths, dtype=np.intp), counts.shape[:-2])
        self.inside = np.arange(counts.shape[-1]) < self.widths[..., None]
        self.chained = self.widths if ordered else None


def positive_mean(mean: NDArray[np.float64], deviation: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the mean of a normal law given that it is above zero; the mean itself where the deviation is zero."""
    spread = np.maximum(deviation, 1e-300)
    ratio = np.clip(mean / spread, -30.0, 1e3)
    hazard = np.exp(-(ratio**2) / 2 - log_ndtr(ratio)) / np.sqrt(2 * np.pi)
    return np.asarray(np.where(mean / spread > 1e3, mean, spread * (ratio + hazard)))


def onto_simplex(values: NDArray[np.float64], total: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the nearest non-negative values, shape (..., n), of these sums, shape (...).

    Values of minus infinity become zero.
    """
    ordered = np.sort(values, axis=-1)[..., ::-1]
    excess = (np.cumsum(ordered, axis=-1) - np.asarray(total)[..., None]) / np.arange(1, values.shape[-1] + 1)
    # The last that is above its excess; all before it are too.
    last = (ordered > excess).sum(axis=-1, keepdims=True) - 1
    return np.asarray(np.maximum(values - np.take_along_axis(excess, last, axis=-1), 0.0))


def _denoised(
    counts: NDArray[np.float64], totals: NDArray[np.float64], variance: float, smoothing: float, bins: _Bins
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return 1 + d, shape (..., n_classes, n_bins), and the marginal, shape (..., n_bins)."""
    n_classes = counts.shape[-2]
    inside = bins.inside[..., None, :]
    marginal = _marginal(counts.sum(axis=-2), n_classes * variance, bins)
    marginal = np.where(bins.inside, marginal + n_classes * smoothing, 0.0)
    marginal /= marginal.sum(axis=-1, keepdims=True)
    smoothed = np.where(inside, counts + smoothing, 0.0)
    sizes = totals + smoothing * bins.widths[..., None]
    shares = sizes / sizes.sum(axis=-1, keepdims=True)
    # What a class has beyond its share of each bin: taking the share off cancels part of the noise.
    beyond = smoothed - shares[..., None] * smoothed.sum(axis=-2, keepdims=True)
    noises = variance * np.maximum(1 - 2 * shares + n_classes * shares**2, _LEAST_NOISE)
    mean, deviation = posterior(beyond, sizes, marginal, noises, bins.chained)
    ratios = positive_mean(1 + mean, deviation)
    return ratios / (ratios @ marginal[..., None]), marginal


def _marginal(counts: NDArray[np.float64], variance: float, bins: _Bins) -> NDArray[np.float64]:
    """Return non-negative counts of the same sums, near the noisy ones; smooth where bins are ordered."""
    totals = np.maximum(counts.sum(axis=-1), 1.0)
    if bins.chained is not None:
        even = bins.inside / bins.widths[..., None]
        away = counts - totals[..., None] * even
        mean, _ = posterior(
            away[..., None, :], totals[..., None], even, np.full((*totals.shape, 1), variance), bins.chained
        )
        counts = totals[..., None] * even * (1 + mean[..., 0, :])
    return onto_simplex(np.where(bins.inside, counts, -np.inf), totals)
