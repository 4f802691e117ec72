"""A bound of released scores, so that no row that a schema admits has one that is not finite."""

from __future__ import annotations

import numpy as np

from tacit.errors import ModelFileError

LARGEST_SCORE = 1e300
"""Of any sum of sizes that enter a score: far above what a learner releases, and far enough below the largest float
that a difference of two such sums, or four times one, is finite as well."""


def check_bounded(*sizes: float) -> None:
    """Raise ModelFileError unless the absolute values add up to at most ``LARGEST_SCORE``."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(np.abs(np.asarray(sizes, dtype=np.float64)).sum())
    if not total <= LARGEST_SCORE:  # nor NaN
        raise ModelFileError(f"Expected scores within {LARGEST_SCORE:g}, got coefficients beyond. The file is damaged.")
