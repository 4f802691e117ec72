"""What the accountant wants to know of a source of noise, and what a mechanism asks of it."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", np.float64, np.int64)


class NoiseSource(Protocol):
    """Noise of four kinds; values of type float64 get continuous laws, values of type int64 discrete ones."""

    @property
    def description(self) -> str:
        """Where the noise comes from, in words, for the certificate."""
        ...

    @property
    def is_private(self) -> bool:
        """Whether nobody can know or repeat the draws."""
        ...

    @property
    def sampler(self) -> str:
        """Short name for a ledger line."""
        ...

    def laplace(self, values: NDArray[Number], scale: float) -> NDArray[Number]:
        """Return values plus independent Laplace noise, density exp(-|x|/scale)."""
        ...

    def gaussian(self, values: NDArray[Number], deviation: float) -> NDArray[Number]:
        """Return values plus independent Gaussian noise of the given standard deviation."""
        ...

    def permute_and_flip(self, scores: NDArray[Any], scale: float) -> int:
        """Return the index of the largest score after exponential noise of the given mean on each."""
        ...

    def exponential_mechanism(self, scores: NDArray[Any], scale: float) -> int:
        """Return index i with probability proportional to exp(scores[i] / scale)."""
        ...

    def uniform(self, size: int) -> NDArray[np.float64]:
        """Return independent numbers uniform on (0, 1); of secure noise, exact draws rounded to floats."""
        ...

    def exponential(self, size: int) -> NDArray[np.float64]:
        """Return independent standard exponential numbers; of secure noise, exact draws rounded to floats."""
        ...
