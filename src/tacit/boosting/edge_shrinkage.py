"""Mean edges as they are to be expected after noise of a known law: posterior means under a Laplace prior.

Both functions read released numbers and public ones alone, and cost nothing.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, log_ndtr

from tacit.boosting.rado_risk import Floats

_RADII = 400
_TINY = 1e-300


def box_posterior(released: Floats, prior: Floats, noise: float, *, flat: Floats | None = None) -> Floats:
    """Return the posterior means of numbers in [-1, 1] from their values with K-norm noise over a box.

    Noise of density exp(-max |b| / s) is uniform in a box of half-width r whose density is exp(-r/s) r^d: given r,
    every number is known to lie within r of what was released, and nothing else is known of it. So the numbers are
    independent given r, and one integral over r remains. As r is common to all of them, a few large numbers show how
    far the others can be from what was released.

    Parameters
    ----------
    released : array of shape (d,)
    prior : array of shape (d,)
        Scales of the Laplace priors, which are cut to [-1, 1].
    noise : float
        The scale s.
    flat : array, optional
        Further released numbers of the same draw, of which nothing is known beforehand but that they lie in [-1, 1].

    Examples
    --------
    >>> box_posterior(np.array([0.9, 0.05]), np.full(2, 0.1), 0.01).round(2).tolist()
    [0.9, 0.05]
    >>> box_posterior(np.array([0.9, 0.05]), np.full(2, 0.1), 10.0).round(3).tolist()
    [0.002, 0.0]
    """
    others = np.zeros(0) if flat is None else flat
    farthest = float(np.abs([*released, *others]).max())
    least = max(0.0, farthest - 1)  # a smaller box reaches nothing that is possible
    width = farthest + 1 - least  # from least + width on a box says nothing
    span = np.log(1000 * max(width / noise, 1.0))
    beyond = width * np.exp(-span * (np.arange(_RADII) + 0.5) / _RADII)
    radii = least + beyond
    low, high = (np.clip(released + side * radii[:, None], -1, 1) for side in (-1, 1))
    masses = np.maximum(_below(high, prior) - _below(low, prior), _TINY)
    overlaps = np.minimum(others + radii[:, None], 1) - np.maximum(others - radii[:, None], -1)
    known = np.log(masses).sum(axis=1) + np.log(np.maximum(overlaps, _TINY)).sum(axis=1)
    inside = known - radii / noise + np.log(beyond * span / _RADII)
    whole = np.log(_below(np.ones(len(prior)), prior) - _below(-np.ones(len(prior)), prior)).sum()
    outside = whole + len(others) * np.log(2) - (least + width) / noise + np.log(noise)
    top = max(float(inside.max()), float(outside))
    weights = np.exp(inside - top)
    means = (_mean_below(high, prior) - _mean_below(low, prior)) / masses
    return np.asarray(weights @ means / (weights.sum() + np.exp(outside - top)))


def normal_posterior(released: Floats, prior: Floats, deviations: Floats) -> Floats:
    """Return the posterior means of numbers from their values with independent normal noise.

    On either side of zero the posterior is a normal law, moved by deviation^2 / prior toward zero and cut there.

    Parameters
    ----------
    released, prior, deviations : arrays of shape (d,)
        Values, scales of the Laplace priors, deviations of the noise, above zero.

    Examples
    --------
    >>> normal_posterior(np.array([0.9, 0.05]), np.full(2, 0.1), np.full(2, 0.05)).round(3).tolist()
    [0.875, 0.035]
    """
    pull = deviations**2 / prior
    above, below = (released - pull) / deviations, (-released - pull) / deviations
    balance = _log_mass(above) - _log_mass(below)
    share = 1 / (1 + np.exp(-np.clip(balance, -700, 700)))
    return np.asarray(deviations * (share * _cut_mean(above) - (1 - share) * _cut_mean(below)))


def _log_mass(mean: Floats) -> Floats:
    """Return log(exp(mean^2 / 2) P(a normal number is below mean)), without cancellation far below zero."""
    low = np.minimum(mean, 0)
    return np.asarray(np.where(mean > 0, mean**2 / 2 + log_ndtr(mean), np.log(erfcx(-low / np.sqrt(2)) / 2)))


def _cut_mean(mean: Floats) -> Floats:
    """Return the mean of a normal law of deviation one, cut to above zero."""
    # Above 30 deviations nothing is cut; far below zero erfcx keeps what the difference leaves.
    return np.asarray(mean + np.sqrt(2 / np.pi) / erfcx(-np.minimum(mean, 30.0) / np.sqrt(2)))


def _below(values: Floats, scale: Floats) -> Floats:
    """Return the probability of a Laplace law below each value."""
    tail = np.exp(-np.abs(values) / scale) / 2
    return np.asarray(np.where(values < 0, tail, 1 - tail))


def _mean_below(values: Floats, scale: Floats) -> Floats:
    """Return the integral of u times a Laplace law's density up to each value."""
    return np.asarray(-np.exp(-np.abs(values) / scale) / 2 * (np.abs(values) + scale))
