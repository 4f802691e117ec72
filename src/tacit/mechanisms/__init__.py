"""Noise for statistics of known sensitivity; knows neither data nor composition."""

from tacit.mechanisms.calibration import additive, selection
from tacit.mechanisms.gaussian import Gaussian
from tacit.mechanisms.laplace import Laplace
from tacit.mechanisms.noise import RandomState, SecureNoise, SimulatedNoise, noise_source, public_generator
from tacit.mechanisms.selection import ExponentialMechanism, PermuteAndFlip

__all__ = [
    "ExponentialMechanism",
    "Gaussian",
    "Laplace",
    "PermuteAndFlip",
    "RandomState",
    "SecureNoise",
    "SimulatedNoise",
    "additive",
    "noise_source",
    "public_generator",
    "selection",
]
