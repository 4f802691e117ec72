"""Discrete Laplace noise that masks floating-point error (approximate-minima perturbation)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, frexp, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.mechanisms.calibration import finite
from tacit.mechanisms.noise import check_claim
from tacit.privacy import NoiseSource
from tacit.privacy.rounding import slightly_up, up

MASK_SHARE = Fraction(1, 100)
"""Of the release's epsilon."""


def density_and_mask(epsilon: float) -> tuple[float, float]:
    """Return 99 % of epsilon for the continuous draw and what is left for the mask; the sum is exact or below."""
    # A little below 99 %, so that the float is below it and the rest stays positive in fractions.
    density = float(Fraction(epsilon) * (1 - MASK_SHARE)) * (1 - 2.0**-50)
    rest = Fraction(epsilon) - Fraction(density)
    mask = float(rest)
    return density, mask if Fraction(mask) <= rest else float(np.nextafter(mask, 0.0))


@dataclass(frozen=True)
class Mask:
    """Discrete Laplace noise on a grid, for vectors that are within an L2 distance of ideal ones.

    Privacy: epsilon-DP given the ideal vector, at which two neighbors' approximations are at most 2 error apart.
    Proof: ``proofs/mechanisms/k_norm.md``, section 4.
    """

    dimension: int
    error: float
    """Bounds that distance."""
    epsilon: float

    @property
    def step(self) -> float:
        """Step of the grid: the largest power of two at most error / sqrt(dimension)."""
        # A power of two, so that scaling to the grid and back is exact.
        _, exponent = frexp(self.error / sqrt(self.dimension))
        return float(2.0 ** (exponent - 1))

    @property
    def steps(self) -> int:
        """L1 sensitivity in steps: sqrt(dimension) * 2 error, and one step a coordinate for rounding."""
        return floor(slightly_up(2 * sqrt(self.dimension) * self.error / self.step)) + 1 + self.dimension

    @property
    def scale(self) -> float:
        """Scale of the noise, in units of the vector."""
        return self._scale_in_steps * self.step

    def apply(self, vector: NDArray[np.float64], noise: NoiseSource) -> NDArray[np.float64]:
        """Return the vector on the grid with noise."""
        if vector.shape != (self.dimension,) or not np.abs(vector).max() < 2.0**52 * self.step:
            raise PrivacyError("Expected a vector within the grid's reach. Use smaller features or a larger epsilon.")
        # Whole steps, so that the discrete distribution applies: its exactness does not rest on floating point.
        check_claim(noise, "laplace", float(self.steps), self._scale_in_steps, self.epsilon)
        steps = np.rint(vector / self.step).astype(np.int64)
        return np.asarray(noise.laplace(steps, self._scale_in_steps) * self.step, dtype=np.float64)

    @property
    def _scale_in_steps(self) -> float:
        return finite(up(Fraction(self.steps) / Fraction(self.epsilon)))


def masked_sampler(mask: Mask | None) -> str:
    """Return the words for the record of a release."""
    if mask is None:
        return "exact draw, floating-point rounding not masked"
    return f"exact draw, floating-point rounding masked by exact grid noise of scale {mask.scale:.3g}"
