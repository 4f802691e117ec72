"""What is run many times on two neighbors: any source of outputs, and two mechanisms whose loss is known exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms import public_generator

Outputs = Mapping[str, NDArray[np.float64]]
"""Numbers of each output by name, each of shape (count,); NaN where an output has no such number."""


class Sampler(Protocol):
    """Something that can be run on both of two neighbors.

    A sampler that knows the log ratio of its outputs' densities may have a method ``log_ratio(outputs)``, of shape
    (count,); else the ratio is learned.
    """

    def draw(self, side: int, count: int, seed: int) -> Outputs:
        """Return the outputs of so many independent runs on neighbor 0 or 1."""
        ...


@dataclass(frozen=True)
class RandomizedResponse:
    """One bit that is told truly with probability e^epsilon / (1 + e^epsilon): exactly epsilon-DP.

    Parameters
    ----------
    epsilon : float
    """

    epsilon: float

    def draw(self, side: int, count: int, seed: int) -> Outputs:
        """Return answers."""
        truly = public_generator(seed).random(count) < 1 / (1 + exp(-self.epsilon))
        return {"answer": np.where(truly, side, 1 - side).astype(np.float64)}

    def log_ratio(self, outputs: Outputs) -> NDArray[np.float64]:
        """Return ln of neighbor 1's probability over neighbor 0's."""
        return self.epsilon * (2 * outputs["answer"] - 1)
