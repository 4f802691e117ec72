"""Noise for statistics of known sensitivity; knows neither data nor composition."""

from tacit.mechanisms.calibration import additive, selection
from tacit.mechanisms.gaussian import Gaussian
from tacit.mechanisms.laplace import Laplace
from tacit.mechanisms.noise import RandomState, SecureNoise, SimulatedNoise, noise_source, public_generator
from tacit.mechanisms.noisy_max import WeightedNoisyMax
from tacit.mechanisms.releases import Released, Releases, announce
from tacit.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from tacit.mechanisms.utility import (
    exponential_shortfall,
    noisy_max_shortfall,
    one_rule_advantage,
    one_rule_error,
    selection_rate,
)
from tacit.mechanisms.weighted_exponential import WeightedExponentialMechanism

__all__ = [
    "ExponentialMechanism",
    "Gaussian",
    "Laplace",
    "PermuteAndFlip",
    "RandomState",
    "Released",
    "Releases",
    "SecureNoise",
    "SimulatedNoise",
    "WeightedExponentialMechanism",
    "WeightedNoisyMax",
    "additive",
    "announce",
    "exponential_shortfall",
    "noise_source",
    "noisy_max_shortfall",
    "one_rule_advantage",
    "one_rule_error",
    "public_generator",
    "selection",
    "selection_rate",
]
