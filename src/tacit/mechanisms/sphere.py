"""Noise of spherical density exp(-|b|_2 / scale): Chaudhuri and Monteleoni (2008)."""

from __future__ import annotations

from math import fsum, lgamma, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.k_norm import gamma_reach
from tacit.privacy import NoiseSource


def sphere_noise(dimension: int, scale: float, noise: NoiseSource) -> NDArray[np.float64]:
    """Return b: a Gamma(d, scale) radius in a uniform direction.

    Notes
    -----
    Privacy: an exact draw rounded to floats, to be masked. Proof: ``proofs/mechanisms/objective_perturbation.md``.

    Examples
    --------
    >>> from tacit.mechanisms import SimulatedNoise
    >>> sphere_noise(3, 1.0, SimulatedNoise(0)).shape
    (3,)
    """
    radius = scale * fsum(noise.exponential(dimension))
    direction = normal_noise(dimension, noise)
    return np.asarray(radius * direction / np.linalg.norm(direction))


def normal_noise(dimension: int, noise: NoiseSource) -> NDArray[np.float64]:
    """Return independent standard normal numbers, as a vector off by at most 2^-46 of its norm.

    Box and Muller (1958): pairs of a length sqrt(2 E) and an angle, uniform in a quadrant that signs choose. Sines come
    first, as the last cosine is left out of an odd number: a small sine is as exact as a large one. An inverse
    distribution function would lose digits in the tails.
    """
    pairs = (dimension + 1) // 2
    lengths, angles = np.sqrt(2 * noise.exponential(pairs)), pi / 2 * noise.uniform(pairs)
    sizes = np.concatenate([lengths * np.sin(angles), lengths * np.cos(angles)])[:dimension]
    return np.where(noise.uniform(dimension) < 0.5, -sizes, sizes)


def sphere_log_density(scale: float, draw: NDArray[np.float64]) -> float:
    """Return the logarithm of the density; its integral is the sphere's area times Gamma(d) scale^d."""
    dimension = len(draw)
    area = log(2) + dimension / 2 * log(pi) - lgamma(dimension / 2)
    return -float(np.linalg.norm(draw)) / scale - area - lgamma(dimension) - dimension * log(scale)


def sphere_reach(dimension: int, scale: float) -> float:
    """Return an L2 norm that the noise exceeds with probability below exp(-190)."""
    return gamma_reach(dimension) * scale


def normal_reach(dimension: int, deviation: float) -> float:
    """Return an L2 norm that normal noise exceeds with probability below exp(-190)."""
    return deviation * (sqrt(dimension) + 20)
