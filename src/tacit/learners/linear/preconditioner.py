"""Hessian approximation from noisy bin counts, and a smoothness prior from the schema."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.features import OneHotEncoding
from tacit.schema import Numeric

MAX_CURVATURE = 1 / 4
"""Of the logistic loss, at zero."""

_NODES = 33
"""Of a quadrature: more than enough for a smooth function of a normal number."""


def cleaned_counts(
    encoding: OneHotEncoding, noisy: NDArray[np.float64], deviation: float, n_rows: int
) -> NDArray[np.float64]:
    """Return noisy counts of bins, shrunk toward equal ones as far as their noise demands, and not below zero."""
    cleaned = np.empty(encoding.n_features)
    for start, stop in zip(encoding.starts[:-1], encoding.starts[1:], strict=True):
        even = n_rows / (stop - start)
        part = noisy[start:stop] - even
        spread = float(np.mean(part**2))
        # Empirical Bayes: the share of the observed variance between bins that the noise does not explain.
        kept = max(spread - deviation**2, 0.0) / spread if spread else 0.0
        cleaned[start:stop] = np.maximum(even + kept * part, 0.0)
    return cleaned


class Preconditioner:
    """The inverse of the Hessian there would be if columns were independent, plus a prior's precision.

    n h (f f' off the columns' own blocks, diag(f) on them) + pull P, f being the frequencies of the bins, h the largest
    curvature of the loss and P block-diagonal: each pair of bins of two columns is met with the product of their
    frequencies.

    Parameters
    ----------
    counts : array of shape (n_features,)
        Rows by bin, public.
    n_rows : float
        What all rows count together.
    level, smoothness : float
        Of the prior; see ``roughness``.
    """

    def __init__(
        self, encoding: OneHotEncoding, counts: NDArray[np.float64], n_rows: float, *, level: float, smoothness: float
    ):
        self._weight = n_rows * MAX_CURVATURE
        self._columns = [slice(*ends) for ends in pairwise(encoding.starts)]
        self._frequencies = counts.copy()
        for column in self._columns:
            self._frequencies[column] /= max(float(counts[column].sum()), 1e-9)
        self._priors = [
            roughness(isinstance(encoding.schema.column(name), Numeric), width, level=level, smoothness=smoothness)
            for name, width in zip(encoding.columns, encoding.widths, strict=True)
        ]

    def sure_blocks(self, off: float) -> list[NDArray[np.float64]]:
        """Return the Hessian's blocks if each bin had so many rows less than was counted."""
        return [self._block(np.maximum(own - off * MAX_CURVATURE / self._weight, 0.0)) for own in self.shares]

    def _block(self, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        within = np.outer(frequencies, frequencies) / max(float(frequencies.sum()), 1e-9)
        return self._weight * (np.diag(frequencies) - within)

    @property
    def shares(self) -> list[NDArray[np.float64]]:
        """Of the rows, by bin, for each column."""
        return [self._frequencies[column] for column in self._columns]

    @property
    def blocks(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """For each column the Hessian of what its bins add beyond their mean, and the prior's precision."""
        return [
            (self._weight * (np.diag(own) - np.outer(own, own)), prior)
            for own, prior in zip(self.shares, self._priors, strict=True)
        ]

    def curvature(self, weights: NDArray[np.float64]) -> float:
        """Return the mean curvature of the logistic loss at these coefficients, for normal scores; at most typical.

        Residuals are clipped at one half, where rows that are classified wrong have no curvature.
        """
        means = np.asarray([own @ weights[column] for column, own in zip(self._columns, self.shares, strict=True)])
        squares = float(self._frequencies @ weights**2)
        return min(mean_curvature(float(means.sum()), squares - float(means @ means)), MAX_CURVATURE)

    @property
    def usual(self) -> float:
        """Trace of the Hessian over that of the prior: the pull at which both weigh about the same."""
        return self._weight * float(self._frequencies.sum()) / sum(float(np.trace(prior)) for prior in self._priors)

    def inverse(self, pull: float) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """Return what multiplies vectors by the inverse."""
        # Blocks n h (diag(f) - f f') + pull P, and n h f f' over all columns, by Sherman and Morrison: a matrix of
        # all features by all features would not fit for ten thousand of them.
        inverses = []
        for own, prior in self.blocks:
            inverses.append(np.linalg.inv(own + pull * prior))

        def by_blocks(vector: NDArray[np.float64]) -> NDArray[np.float64]:
            parts = [block @ vector[column] for column, block in zip(self._columns, inverses, strict=True)]
            return np.concatenate(parts)

        shared = by_blocks(self._frequencies)
        whole = 1 + self._weight * float(self._frequencies @ shared)

        def apply(vector: NDArray[np.float64]) -> NDArray[np.float64]:
            own = by_blocks(vector)
            return own - shared * (self._weight * float(self._frequencies @ own) / whole)

        return apply


def mean_curvature(mean: float, variance: float) -> float:
    """Return the mean of p (1 - p) max(p, 1 - p), p being the chance at a normal score of this mean and variance.

    Examples
    --------
    >>> round(mean_curvature(0.0, 0.0), 6)
    0.125
    """
    places, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    chances = expit(mean + np.sqrt(max(variance, 0.0)) * places)
    return float(weights @ (chances * (1 - chances) * np.maximum(chances, 1 - chances)) / weights.sum())


def roughness(number: bool, width: int, *, level: float, smoothness: float) -> NDArray[np.float64]:
    """Return the precision of a prior in which neighboring bins of a number have similar coefficients.

    Shape (width, width): the identity for categories; for a number of k bins
    level I + smoothness k D'D, D taking differences of neighbors.
    """
    if not number:
        return np.eye(width)
    differences = np.diff(np.eye(width), axis=0)
    return np.asarray(level * np.eye(width) + smoothness * width * differences.T @ differences)
