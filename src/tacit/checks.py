"""Bounds of released numbers, which a file may say otherwise: whatever is computed from them stays finite."""

from __future__ import annotations

import numpy as np

from tacit.errors import ModelFileError

MAX_SCORE = 1e300
"""Of any sum of sizes that enter a score: far above what a learner releases, and far enough below the largest float
that a difference of two such sums, or four times one, is finite as well."""


def check_bounded(*sizes: float) -> None:
    """Raise ModelFileError unless the absolute values add up to at most ``MAX_SCORE``.

    Parameters
    ----------
    *sizes : float
        Of released numbers, in any unit; one that is no number is beyond, too.

    Examples
    --------
    >>> check_bounded(1.0, -2e299)
    >>> check_bounded(float("nan"))
    Traceback (most recent call last):
    tacit.errors.ModelFileError: Expected scores within 1e+300, got coefficients beyond. The file is damaged.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(np.abs(np.asarray(sizes, dtype=np.float64)).sum())
    if not total <= MAX_SCORE:  # nor NaN
        raise ModelFileError(f"Expected scores within {MAX_SCORE:g}, got coefficients beyond. The file is damaged.")
