"""Shares of the rows in each class, as a model file keeps them where they are public or were released."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError

_OFF = 1e-6
"""From a sum of one: rounding of many classes."""


def check_shares(shares: Sequence[float] | None, n_classes: int) -> None:
    """Raise ModelFileError unless there is a share above zero for each class, of sum one, or there are none."""
    if shares is None:
        return
    if len(shares) != n_classes or not all(0 < each <= 1 for each in shares) or abs(sum(shares) - 1) > _OFF:
        raise ModelFileError("Expected a share of the rows for each class, of sum 1, got others. The file is damaged.")


def as_shares(sizes: NDArray[np.float64]) -> tuple[float, ...]:
    """Return counts of the classes' rows as shares of sum one; a class without rows may still occur, and has one.

    Examples
    --------
    >>> as_shares(np.asarray([0.0, 4.0]))
    (0.2, 0.8)
    """
    counted = np.maximum(sizes, 1.0)
    return tuple((counted / counted.sum()).tolist())
