"""Noise of spherical density exp(-|b|_2 / scale): Chaudhuri and Monteleoni (2008)."""

from __future__ import annotations

from math import lgamma, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tacit.privacy import NoiseSource


def sphere_noise(dimension: int, scale: float, noise: NoiseSource) -> NDArray[np.float64]:
    """Return b: a Gamma(d, scale) radius in a uniform direction.

    Notes
    -----
    Privacy: a floating-point sampler, to be masked. Proof: ``proofs/mechanisms/objective_perturbation.md``.

    Examples
    --------
    >>> from tacit.mechanisms import SimulatedNoise
    >>> sphere_noise(3, 1.0, SimulatedNoise(0)).shape
    (3,)
    """
    radius = -scale * float(np.log(noise.uniform(dimension)).sum())
    direction = normal_noise(dimension, noise)
    return np.asarray(radius * direction / np.linalg.norm(direction))


def normal_noise(dimension: int, noise: NoiseSource) -> NDArray[np.float64]:
    """Return independent standard normal numbers."""
    return np.asarray(ndtri(noise.uniform(dimension)), dtype=np.float64)


def sphere_log_density(scale: float, draw: NDArray[np.float64]) -> float:
    """Return the logarithm of the density; its integral is the sphere's area times Gamma(d) scale^d."""
    dimension = len(draw)
    area = log(2) + dimension / 2 * log(pi) - lgamma(dimension / 2)
    return -float(np.linalg.norm(draw)) / scale - area - lgamma(dimension) - dimension * log(scale)


def sphere_reach(dimension: int, scale: float) -> float:
    """Return an L2 norm that the noise exceeds with probability below exp(-190): Chernoff's bound on Gamma(d)."""
    return 8 * (dimension + 40) * scale


def normal_reach(dimension: int, deviation: float) -> float:
    """Return an L2 norm that normal noise exceeds with probability below exp(-190)."""
    return deviation * (sqrt(dimension) + 20)
