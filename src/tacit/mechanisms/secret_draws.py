"""Draws that no one may know, beside noise: the order in which rows are divided, and how often a search runs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NoiseSource

_KEYS = np.int64(2**62)


def secret_order(noise: NoiseSource, size: int) -> NDArray[np.intp]:
    """Return a permutation of so many positions, each equally likely; of secure noise, an exact draw.

    Privacy: slices by a permutation that nobody knows make no use of the order of a file, which may follow from
    protected cells. It must not be published, nor kept. Proof: ``proofs/privacy/composition.md``, claim 6.
    """
    while True:
        keys = noise.integers(np.full(size, _KEYS, dtype=np.int64))
        order = np.argsort(keys, kind="stable")
        ranked = keys[order]
        # Different keys are ranked in each way with the same probability; equal ones would favor the table's order.
        if (ranked[1:] > ranked[:-1]).all():
            return order


def number_of_runs(noise: NoiseSource, stop: Fraction) -> int:
    """Return k >= 1 with probability (1 - stop)^k / (k log(1 / stop)), the logarithmic distribution.

    Exact with secure noise.

    Privacy: must not be published. Proof: ``proofs/mechanisms/repeated_runs.md``.

    Parameters
    ----------
    stop : Fraction
        In (0, 1).
    """
    while True:
        runs = 1
        while _uniform_below(noise, stop.denominator) >= stop.numerator:
            runs += 1
        # Of the geometric distribution stop (1 - stop)^(k-1), one in k is kept.
        if _uniform_below(noise, runs) == 0:
            return runs


def _uniform_below(noise: NoiseSource, bound: int) -> int:
    return int(noise.integers(np.asarray([bound], dtype=np.int64))[0])
