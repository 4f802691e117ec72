"""Gauge of a product of L1 balls: the norm whose unit ball holds every row's features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError


@dataclass(frozen=True)
class ProductOfBalls:
    """A product of L1 balls of radius one, and the norm (gauge) of which it is the unit ball.

    A number in [-1, 1] and a one-hot group of m categories both lie in an L1 ball, of dimension 1 and m.
    """

    widths: tuple[int, ...]
    """Dimension of each ball, in the order of the coordinates."""

    def __post_init__(self) -> None:
        if not self.widths or min(self.widths) < 1:
            raise ParameterError(f"Expected balls of at least one dimension, got widths={self.widths!r}.")

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return sum(self.widths)

    def gauge(self, vector: NDArray[np.float64]) -> float:
        """Return the least factor by which the product must be stretched to hold the vector."""
        # One sum a ball, over its consecutive coordinates.
        return float(np.add.reduceat(np.abs(vector), self._starts).max())

    @property
    def log_volume(self) -> float:
        """Logarithm of the volume: 2^m / m! for each ball."""
        return sum(width * log(2) - lgamma(width + 1) for width in self.widths)

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        return np.concatenate([[0], np.cumsum(self.widths)[:-1]]).astype(np.intp)
