"""Which rows each rado sums: signatures, free, of fixed support, or within DP-Feat's window.

Bits come from the operating system, or from a seed for studies. Proof: ``proofs/mechanisms/rado_signatures.md``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.mechanisms.noise import RandomState, public_generator
from tacit.privacy.marginal import Window

_FEW = 8
"""Up to a row in so many is swapped one by one; for more, all rows are ranked by random keys."""

_EIGHT_FLOATS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.float32)


class RandomBits:
    """Random bytes and 64-bit words.

    Parameters
    ----------
    random_state : None, int or Generator
        None reads the operating system's generator; anything else can be repeated and is for studies.
    """

    def __init__(self, random_state: RandomState = None):
        self.is_private = random_state is None
        self._generator = None if random_state is None else public_generator(random_state)

    @property
    def description(self) -> str:
        """Where the bits come from, in words."""
        return "drawn from the operating system's generator" if self.is_private else "simulated, from a seed"

    def bytes(self, shape: tuple[int, ...]) -> NDArray[np.uint8]:
        """Return independent uniform bytes."""
        size = int(np.prod(shape))
        content = os.urandom(size) if self._generator is None else self._generator.bytes(size)
        return np.frombuffer(content, dtype=np.uint8).reshape(shape)

    def words(self, size: int) -> NDArray[np.uint64]:
        """Return independent uniform 64-bit words."""
        return self.bytes((size, 8)).view(np.uint64).ravel()

    def uniforms(self, size: int) -> NDArray[np.float64]:
        """Return numbers uniform on the multiples of 2^-53 in [0, 1)."""
        # The upper 53 of 64 bits, which a float holds exactly.
        return np.asarray((self.words(size) >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


@final
class FreeSignatures:
    """Each row takes part in each rado with probability 1/2, independently: all signatures alike."""

    def __init__(self, count: int, bits: RandomBits):
        self.count = count
        self._bits = bits
        self._buffer = np.empty(0, dtype=np.float32)

    def strip(self, start: int, n_rows: int) -> NDArray[np.float32]:
        """Return parts of the next rows."""
        n_bytes = -(-n_rows // 8)
        packed = self._bits.bytes((self.count * n_bytes,))
        if len(self._buffer) != packed.size * 8:
            self._buffer = np.empty(packed.size * 8, dtype=np.float32)
        # A table turns each byte into eight floats at once, in a buffer that all strips of one size share.
        np.take(_EIGHT_FLOATS, packed, axis=0, out=self._buffer.reshape(-1, 8), mode="clip")
        return self._buffer.reshape(self.count, n_bytes * 8)[:, :n_rows]


@final
@dataclass(frozen=True, eq=False)
class DrawnSignatures:
    """Signatures that were drawn before: packed bits, the first row in the lowest bit."""

    packed: NDArray[np.uint8]
    """Shape (count, ceil(n_rows / 8))."""

    @property
    def count(self) -> int:
        """Number of rados."""
        return len(self.packed)

    def strip(self, start: int, n_rows: int) -> NDArray[np.float32]:
        """Return parts of rows from ``start`` on."""
        first, last = start // 8, -(-(start + n_rows) // 8)
        bits = np.unpackbits(self.packed[:, first:last], axis=1, bitorder="little")
        return bits[:, start - 8 * first : start - 8 * first + n_rows].astype(np.float32)


def draw_subsets(sizes: NDArray[np.int64], n_rows: int, bits: RandomBits) -> NDArray[np.uint8]:
    """Return for each size a uniform subset of the rows of that size, packed, shape (len(sizes), ceil(n_rows / 8)).

    Independent coins are thrown, then as many of them turned over, at uniform places, as the size is off: every
    subset of the size stays equally likely.
    """
    if len(sizes) and (int(np.min(sizes)) < 0 or int(np.max(sizes)) > n_rows):
        raise ParameterError("Expected a support between 0 and the number of rows. Choose a smaller one.")
    rows = [_subset(int(size), n_rows, bits) for size in sizes]
    return np.packbits(np.asarray(rows, dtype=bool).reshape(len(rows), n_rows), axis=1, bitorder="little")


def draw_window_counts(window: Window, count: int, bits: RandomBits) -> NDArray[np.int64]:
    """Return independent counts from the truncated binomial distribution of DP-Feat, by its distribution function."""
    steps = np.cumsum(np.exp(window.log_distribution))
    # The last sum may be off from one by rounding, so that draws are scaled by it.
    places = np.searchsorted(steps, bits.uniforms(count) * steps[-1], side="right")
    return np.asarray(window.low + np.minimum(places, len(steps) - 1), dtype=np.int64)


def random_signs(values: NDArray[Any], bits: RandomBits) -> NDArray[np.int8]:
    """Return -1 or 1 for each value in [-1, 1], with the value as its mean; -1 and 1 stay."""
    up = bits.uniforms(len(values)) < (1 + np.asarray(values, dtype=np.float64)) / 2
    return np.where(up, 1, -1).astype(np.int8)


def _subset(size: int, n_rows: int, bits: RandomBits) -> NDArray[np.bool_]:
    coins = np.unpackbits(bits.bytes((-(-n_rows // 8),)), count=n_rows, bitorder="little").astype(bool)
    surplus = int(coins.sum()) - size
    # Turning single coins is fast where few are surplus; ranking costs a sort whatever the size.
    if abs(surplus) * _FEW > n_rows or n_rows < 64:
        return _ranked(size, n_rows, bits)
    _turn(coins, surplus > 0, abs(surplus), bits)
    return coins


def _ranked(size: int, n_rows: int, bits: RandomBits) -> NDArray[np.bool_]:
    chosen = np.zeros(n_rows, dtype=bool)
    chosen[np.argsort(bits.words(n_rows), kind="stable")[:size]] = True
    return chosen


def _turn(coins: NDArray[np.bool_], heads: bool, missing: int, bits: RandomBits) -> None:
    """Turn over so many coins among those that show heads (or tails), one uniform place after the other."""
    while missing:
        # More places than needed, as about half show the other side; the bias of the modulo is below n_rows / 2^64.
        places = (bits.words(4 * missing + 16) % np.uint64(len(coins))).astype(np.int64)
        _, first = np.unique(places, return_index=True)
        tried = places[np.sort(first)]
        turned = tried[coins[tried] == heads][:missing]
        coins[turned] = not heads
        missing -= len(turned)
