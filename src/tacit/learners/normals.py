"""Means and variances by class from noisy sums, shrunk toward those of all classes as far as the noise demands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def normal_laws(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    totals: NDArray[np.float64],
    *,
    offset: float,
    variance: float,
    floor: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means and variances of a column in each class, shapes (n_classes,).

    Parameters
    ----------
    first, second : array of shape (n_classes,)
        Sums of z and of z^2 - offset, z in [-1, 1].
    totals : array of shape (n_classes,)
    offset : float
    variance : float
        Of the noise on each sum; zero for exact sums.
    floor : float
        Smallest variance to answer; public.

    Notes
    -----
    Variance = second / n_c + offset - mean^2. A class's mean is shrunk toward the common mean by the weight that is
    best if it lies one common deviation away from it, its second moment likewise. Post-processing: costs nothing.
    """
    total = max(totals.sum(), 1.0)
    sizes = np.maximum(totals, 1.0)
    mean = np.clip(first.sum() / total, -1, 1)
    moment = np.clip(second.sum() / total + offset, 0, 1)
    spread = np.clip(moment - mean**2, max(floor, np.sqrt(variance) / total), 1)
    means = mean + _weight(spread, sizes, variance) * (first / sizes - mean)
    moments = moment + _weight(2 * spread**2, sizes, variance) * (second / sizes + offset - moment)
    means = np.clip(means, -1, 1)
    # Below a tenth of the common variance, what the noise leaves is not told from none.
    lowest = np.maximum(floor, np.minimum(spread / 10, np.sqrt(variance) / sizes))
    return means, np.clip(moments - means**2, lowest, 1)


def _weight(prior: float, sizes: NDArray[np.float64], variance: float) -> NDArray[np.float64]:
    signal = prior * sizes**2
    return np.asarray(signal / (signal + variance))
