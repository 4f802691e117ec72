"""Noise for statistics of known sensitivity; knows neither data nor composition."""

from tacit.mechanisms.cell_selection import CellSelection
from tacit.mechanisms.gaussian import Gaussian
from tacit.mechanisms.laplace import Laplace
from tacit.mechanisms.noise import (
    RandomState,
    SecureNoise,
    SimulatedNoise,
    noise_source,
    own_generator,
    public_generator,
)
from tacit.mechanisms.releases import AnnouncedRelease, ReleasedValue, Releases, additive, announce, selection
from tacit.mechanisms.selection import ExponentialMechanism, PermuteAndFlip

__all__ = [
    "AnnouncedRelease",
    "CellSelection",
    "ExponentialMechanism",
    "Gaussian",
    "Laplace",
    "PermuteAndFlip",
    "RandomState",
    "ReleasedValue",
    "Releases",
    "SecureNoise",
    "SimulatedNoise",
    "additive",
    "announce",
    "noise_source",
    "own_generator",
    "public_generator",
    "selection",
]
