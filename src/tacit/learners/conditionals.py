"""Conditional distributions from noisy counts: posterior means of a linear Gaussian model."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

PRIOR_VARIANCES = np.geomspace(0.05, 1.6, 6) ** 2
"""Prior variances of p(bin | class) / p(bin) - 1; the data's evidence weighs them, and ends twice as near change
nothing."""

CORRELATION_LENGTHS = np.geomspace(1 / 32, 1 / 2, 3)
"""Over which share of an ordered column's bins a deviation may persist."""

COUNTS_TOGETHER = 2**11
"""Counts of columns, classes and bins that are smoothed at once: their eighteen models stay in the second cache."""

Array = NDArray[np.float64]


def posterior(
    counts: Array, sizes: Array, weights: Array, noises: Array, widths: NDArray[np.intp] | None = None
) -> tuple[Array, Array]:
    """Return mean and deviation of d, given counts of sizes_c weights_b d_cb + noise of variance noises_c.

    d has mean 0 and covariance s^2 C. C is the identity or, for ordered bins, exp(-|i - j| / (width * reach)), a Markov
    chain, so that Kalman's filter, run both ways, takes time linear in the bins. s and
    the reach are averaged over small grids by their evidence.

    Parameters
    ----------
    counts : array of shape (..., n_classes, n_bins)
    sizes, noises : arrays of shape (..., n_classes)
        The noises above zero.
    weights : array of shape (..., n_bins)
        Zero where a column has no bin.
    widths : array of shape (...,), optional
        Numbers of bins of columns whose neighboring bins are alike; without it, each bin is for itself.

    Returns
    -------
    tuple of two arrays of shape (..., n_classes, n_bins)
    """
    step = COUNTS_TOGETHER // (counts.shape[-2] * counts.shape[-1]) + 1
    if widths is not None and widths.ndim == 1 and len(widths) > step:
        parts = [slice(start, start + step) for start in range(0, len(widths), step)]
        found = [posterior(counts[at], sizes[at], weights[at], noises[at], widths[at]) for at in parts]
        return np.concatenate([mean for mean, _ in found]), np.concatenate([deviation for _, deviation in found])
    if widths is None:
        evidence, means, variances = _apart(counts, sizes, weights, noises)
    else:
        evidence, means, variances = _chained(counts, sizes, weights, noises, widths)
    # The deviations of all classes add up to zero, so one of them tells nothing new.
    n_classes = sizes.shape[-1]
    evidence *= max(n_classes - 1, 1) / n_classes
    # The largest evidence is taken off first: exp of a log likelihood of many rows would underflow.
    shares = np.exp(evidence - evidence.max(axis=-1, keepdims=True))
    shares = (shares / shares.sum(axis=-1, keepdims=True))[..., None, None]
    mean = (shares * means).sum(axis=-3, keepdims=True)
    means -= mean
    # Variance of the mixture: mean of the variances plus variance of the means; in place, as the arrays are large.
    means *= means
    variances += means
    variances *= shares
    return np.asarray(mean[..., 0, :, :]), np.sqrt(variances.sum(axis=-3))


def _apart(counts: Array, sizes: Array, weights: Array, noises: Array) -> tuple[Array, Array, Array]:
    """Return evidence (..., spreads), and mean and variance (..., spreads, classes, bins), of bins for themselves."""
    spreads, seen = PRIOR_VARIANCES[:, None, None], (sizes[..., None] * weights[..., None, :])[..., None, :, :]
    gain = spreads * seen
    total = gain * seen + noises[..., None, :, None]
    counts = counts[..., None, :, :]
    evidence = -(np.log(total) + counts**2 / total).sum(axis=(-1, -2)) / 2
    gain /= total
    return evidence, gain * counts, spreads * (noises[..., None, :, None] / total)


def _chained(
    counts: Array, sizes: Array, weights: Array, noises: Array, widths: NDArray[np.intp]
) -> tuple[Array, Array, Array]:
    """Return evidence up to a constant (..., models), mean and variance (..., models, classes, bins), of bins alike.

    A model is a reach and a spread. All columns, models and classes are chains that are filtered at once.
    """
    n_bins, n_models = counts.shape[-1], len(CORRELATION_LENGTHS) * len(PRIOR_VARIANCES)
    shape = (*counts.shape[:-2], n_models, counts.shape[-2])

    def in_rows(values: Array) -> Array:
        """Return bins first, all else in one row."""
        return np.broadcast_to(np.moveaxis(values[..., None, :, :], -1, 0), (n_bins, *shape)).reshape(n_bins, -1)

    # Scaled to noise of variance 1, so that one recursion serves all classes and columns.
    seen = sizes[..., None] * weights[..., None, :] / np.sqrt(noises[..., None])
    observed = counts / np.sqrt(noises[..., None])
    spread = np.broadcast_to(np.tile(PRIOR_VARIANCES, len(CORRELATION_LENGTHS))[:, None], shape).ravel()
    steps = np.repeat(np.asarray(widths)[..., None] * CORRELATION_LENGTHS, len(PRIOR_VARIANCES), axis=-1)[..., None]
    carry = np.broadcast_to(np.exp(-1 / steps), shape).ravel()
    found = _smoothed(in_rows(observed), in_rows(seen), spread, carry)
    evidence, mean, variance = (np.moveaxis(each.reshape(-1, *shape), 0, -1) for each in found)
    return evidence[..., 0].sum(axis=-1), np.ascontiguousarray(mean), np.ascontiguousarray(variance)


def _smoothed(observed: Array, seen: Array, spread: Array, carry: Array) -> tuple[Array, Array, Array]:
    """Return the evidence of each chain, (1, n_chains), and means and variances of its states, (n_bins, n_chains).

    observed = seen * state + noise of variance 1; a state is carry times the one before plus what keeps its variance at
    the spread. Such a chain is the same read backward: so both directions are filtered at once, and what is known from
    a bin and those before it is joined to what is known from those behind, less the prior, which both hold.
    """
    n_bins, n_chains = observed.shape
    means, variances, expected, unsure = np.empty((4, n_bins, 2 * n_chains))
    information = np.empty((2, n_bins, 2 * n_chains))
    for part, values in zip(information, (seen**2, seen * observed), strict=True):
        part[:, :n_chains], part[:, n_chains:] = values, values[::-1]
    carry, spread = np.tile(carry, 2), np.tile(spread, 2)
    squared, fresh = carry**2, (1 - carry**2) * spread
    mean, variance = np.zeros(2 * n_chains), spread
    total = np.empty(2 * n_chains)
    for at, (precision, evidence) in enumerate(zip(*information, strict=True)):
        before, prior = expected[at], unsure[at]
        # Kalman's filter: predict, then update; in place, over all chains at once.
        np.multiply(carry, mean, out=before)
        np.multiply(squared, variance, out=prior)
        prior += fresh
        mean, variance = means[at], variances[at]
        np.multiply(precision, prior, out=total)
        np.add(total, 1.0, out=total)
        np.divide(prior, total, out=variance)
        np.multiply(prior, evidence, out=mean)
        mean += before
        mean /= total
    ahead, behind = np.s_[:, :n_chains], np.s_[::-1, n_chains:]
    # Two-filter smoother: precisions of both directions add up, and the prior is counted once only.
    certain = 1 / variances[ahead] + 1 / unsure[behind] - 1 / spread[:n_chains]
    joined = (means[ahead] / variances[ahead] + expected[behind] / unsure[behind]) / certain
    totals = 1 + information[0][ahead] * unsure[ahead]
    missed = (observed - seen * expected[ahead]) ** 2 / totals
    return -(np.log(totals) + missed).sum(axis=0, keepdims=True) / 2, joined, 1 / certain


_MIN_NOISE = 1e-9
"""Of a single class nothing is left beyond its share, and no noise; the model needs some."""


def conditional(
    counts: NDArray[np.float64],
    totals: NDArray[np.float64],
    *,
    variance: float,
    smoothing: float,
    ordered: bool,
    widths: NDArray[np.intp] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return p(bin | class), log p(bin | class) / p(bin) up to a constant a bin, and deviations of the latter.

    All of shape (..., n_bins, n_classes). A deviation is that of the posterior below, which is at least that of the
    noise in its mean; zero without noise.

    Noise is taken out by the posterior mean of a linear Gaussian model: a count is n_c q_b (1 + d_cb) plus noise of
    the known variance, where q is the marginal and d is as in ``posterior``. 1 + d is at least
    zero: the mean of the truncated posterior is taken, so nothing is impossible that noise may have hidden.
    Without noise this is Laplace smoothing. Post-processing: costs nothing.

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
    """
    bins = _Bins(counts.shape[-1] if widths is None else widths, counts, ordered=ordered)
    counts = np.where(bins.inside[..., None, :], counts, 0.0)
    if variance > 0:
        # Counts are brought to the class size first, evenly: their sum is known far better than each of them.
        missing = ((totals - counts.sum(axis=-1)) / bins.widths[..., None])[..., None]
        counts = np.where(bins.inside[..., None, :], counts + missing, 0.0)
        ratios, marginal, deviations = _denoised(counts, totals, variance, smoothing, bins)
    else:
        smoothed = np.where(bins.inside[..., None, :], counts + smoothing, 0.0)
        rates = smoothed / smoothed.sum(axis=-1, keepdims=True)
        marginal = smoothed.sum(axis=-2) / smoothed.sum(axis=(-1, -2))[..., None]
        ratios = rates / np.where(bins.inside, marginal, 1.0)[..., None, :]
        deviations = np.zeros_like(ratios)
    probabilities = ratios * marginal[..., None, :]
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    logarithms = np.log(np.where(bins.inside[..., None, :], ratios, 1.0))
    deviations = np.where(bins.inside[..., None, :], deviations, 0.0)
    return np.swapaxes(probabilities, -1, -2), np.swapaxes(logarithms, -1, -2), np.swapaxes(deviations, -1, -2)


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
    """Return the mean of a normal variable given that it is above zero; where the deviation is zero the mean, or zero.

    Examples
    --------
    >>> positive_mean(np.asarray([0.0, -10.0]), 1.0).round(3).tolist(), positive_mean(np.asarray([3.0, -1.0]), 0.0)
    ([0.798, 0.098], array([3., 0.]))
    """
    exact = np.equal(deviation, 0)
    spread = np.where(exact, 1.0, deviation)
    # Far below zero ratio and hazard cancel, and the mean is near zero anyway; above 1000 nothing is cut.
    ratio = np.clip(mean / spread, -30.0, 1e3)
    hazard = np.exp(-(ratio**2) / 2 - log_ndtr(ratio)) / np.sqrt(2 * np.pi)
    return np.asarray(np.where(exact | (ratio == 1e3), np.maximum(mean, 0.0), spread * (ratio + hazard)))


def _denoised(
    counts: NDArray[np.float64], totals: NDArray[np.float64], variance: float, smoothing: float, bins: _Bins
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return 1 + d, (..., n_classes, n_bins), the marginal, (..., n_bins), and deviations of log(1 + d), as 1 + d."""
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
    noises = variance * np.maximum(1 - 2 * shares + n_classes * shares**2, _MIN_NOISE)
    mean, deviation = posterior(beyond, sizes, marginal, noises, bins.chained)
    ratios = positive_mean(1 + mean, deviation)
    return ratios / (ratios @ marginal[..., None]), marginal, deviation / np.maximum(ratios, 1e-9)


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


def onto_simplex(values: NDArray[np.float64], total: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return the nearest non-negative values, shape (..., n), of these sums, shape (...).

    Values of minus infinity become zero.
    """
    ordered = np.sort(values, axis=-1)[..., ::-1]
    excess = (np.cumsum(ordered, axis=-1) - np.asarray(total)[..., None]) / np.arange(1, values.shape[-1] + 1)
    # The last that is above its excess; all before it are too.
    last = (ordered > excess).sum(axis=-1, keepdims=True) - 1
    return np.asarray(np.maximum(values - np.take_along_axis(excess, last, axis=-1), 0.0))
