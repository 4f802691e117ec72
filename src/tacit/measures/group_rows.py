"""Noisy counts as weights: not negative, with the same sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def not_negative(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest counts that are not negative and add up to the same, shape (n_cells,).

    All zero where the sum is not above zero. The nearest ones are the counts less one number, where that is above zero
    (Held, Wolfe and Crowder 1974).

    Parameters
    ----------
    counts : array of shape (n_cells,)
        With noise.

    Examples
    --------
    >>> not_negative(np.asarray([6.0, 3.0, -1.0])).tolist()
    [5.5, 2.5, 0.0]
    """
    total = counts.sum()
    if total <= 0:
        return np.zeros_like(counts)
    descending = np.sort(counts)[::-1]
    shifts = (np.cumsum(descending) - total) / np.arange(1, len(counts) + 1)
    # The last one that leaves what it counts above zero.
    return np.asarray(np.maximum(counts - shifts[np.flatnonzero(descending > shifts)[-1]], 0.0))
