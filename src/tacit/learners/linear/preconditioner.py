"""What released counts of bins say about the curvature of a linear problem, and the schema about its answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.schema import Numeric
from tacit.table import OneHotEncoding

TYPICAL = 0.2
"""Curvature of the logistic loss at typical margins; 1/4 at zero."""


def cleaned_counts(
    encoding: OneHotEncoding, noisy: NDArray[np.float64], deviation: float, n_rows: int
) -> NDArray[np.float64]:
    """Return noisy counts of bins, shrunk toward equal ones as far as their noise demands, and not below zero."""
    cleaned = np.empty(encoding.n_features)
    for start, stop in zip(encoding.starts[:-1], encoding.starts[1:], strict=True):
        even = n_rows / (stop - start)
        part = noisy[start:stop] - even
        spread = float(np.mean(part**2))
        kept = max(spread - deviation**2, 0.0) / spread if spread else 0.0
        cleaned[start:stop] = np.maximum(even + kept * part, 0.0)
    return cleaned


def curvature(encoding: OneHotEncoding, counts: NDArray[np.float64], n_rows: int) -> NDArray[np.float64]:
    """Return the Hessian there would be if columns were independent, shape (n_features, n_features).

    n h (f f' off the columns' own blocks, diag(f) on them), f being the frequencies of the bins and h the typical
    curvature of the loss: each pair of bins of two columns is met with the product of their frequencies.
    """
    frequencies = counts.copy()
    for start, stop in zip(encoding.starts[:-1], encoding.starts[1:], strict=True):
        frequencies[start:stop] /= max(float(counts[start:stop].sum()), 1e-9)
    hessian = np.outer(frequencies, frequencies)
    for start, stop in zip(encoding.starts[:-1], encoding.starts[1:], strict=True):
        hessian[start:stop, start:stop] = np.diag(frequencies[start:stop])
    return n_rows * TYPICAL * hessian


def roughness(encoding: OneHotEncoding, *, level: float, smoothness: float) -> NDArray[np.float64]:
    """Return the precision of a prior in which neighboring bins of a number have similar coefficients.

    Shape (n_features, n_features): the identity for categories; for a number of k bins
    level I + smoothness k D'D, D taking differences of neighbors.
    """
    prior = np.eye(encoding.n_features)
    for position, name in enumerate(encoding.columns):
        start, stop = encoding.starts[position], encoding.starts[position + 1]
        if isinstance(encoding.schema.column(name), Numeric):
            differences = np.diff(np.eye(stop - start), axis=0)
            rough = smoothness * (stop - start) * differences.T @ differences
            prior[start:stop, start:stop] = level * np.eye(stop - start) + rough
    return prior
