"""The three sums of linear learning over a block's rows, by matrices or, where features are one-hot, by counting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.table import Block, LinearEncoding, OneHotEncoding

Numbers = NDArray[np.float64]

STRIP = 4_096
"""Rows that are worked on together: what is computed of them stays in the cache."""


class Strip(Protocol):
    """Some consecutive rows: their features Z, never written out where that can be helped."""

    @property
    def rows(self) -> slice:
        """Where they are in their block."""
        ...

    def times(self, weights: Numbers) -> Numbers:
        """Return Z w, shape (n_strip,)."""
        ...

    def sums(self, factors: Numbers) -> Numbers:
        """Return Z' r, shape (n_features,)."""
        ...

    def moments(self, factors: Numbers) -> Numbers:
        """Return Z' diag(r) Z, shape (n_features, n_features)."""
        ...


@dataclass(frozen=True, eq=False)
class DenseStrip:
    """Rows as a matrix; the constant feature, if any, is among its columns."""

    rows: slice
    features: Numbers

    def times(self, weights: Numbers) -> Numbers:
        """Return Z w."""
        return np.asarray(self.features @ weights)

    def sums(self, factors: Numbers) -> Numbers:
        """Return Z' r."""
        return np.asarray(factors @ self.features)

    def moments(self, factors: Numbers) -> Numbers:
        """Return Z' diag(r) Z."""
        return np.asarray((self.features * factors[:, None]).T @ self.features)


@dataclass(frozen=True)
class Slots:
    """Places of one-hot features among one slot for each code, unlisted categories included.

    Parameters
    ----------
    encoding : OneHotEncoding
    intercept : bool
    """

    encoding: OneHotEncoding
    intercept: bool

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """First slot of each column; the intercept is a column of one slot."""
        sizes = [*self.encoding.bins.n_bins, 1] if self.intercept else [*self.encoding.bins.n_bins]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)

    @cached_property
    def kept(self) -> NDArray[np.intp]:
        """The slot of each feature."""
        widths = [*self.encoding.widths, 1] if self.intercept else [*self.encoding.widths]
        return np.concatenate([start + np.arange(width) for start, width in zip(self.starts, widths, strict=False)])

    def of(self, codes: NDArray[np.uint8]) -> NDArray[np.intp]:
        """Return the slot of each row and column, shape (n_rows, n_columns)."""
        slots = codes + self.starts[None, : codes.shape[1]]
        if not self.intercept:
            return np.asarray(slots)
        return np.column_stack([slots, np.full(len(codes), self.starts[-2])])


@dataclass(frozen=True, eq=False)
class CountedStrip:
    """Rows as the slots of their features that are one."""

    rows: slice
    slots: Slots
    places: NDArray[np.intp]

    def times(self, weights: Numbers) -> Numbers:
        """Return Z w."""
        padded = np.zeros(self._size)
        padded[self.slots.kept] = weights
        return np.asarray(padded[self.places].sum(axis=1))

    def sums(self, factors: Numbers) -> Numbers:
        """Return Z' r."""
        repeated = np.repeat(factors, self.places.shape[1])
        counts = np.bincount(self.places.ravel(), weights=repeated, minlength=self._size)
        return np.asarray(counts[self.slots.kept])

    def moments(self, factors: Numbers) -> Numbers:
        """Return Z' diag(r) Z."""
        total = np.zeros((self._size, self._size))
        for column in range(self.places.shape[1]):
            start, stop = self.slots.starts[column], self.slots.starts[column + 1]
            pairs = (self.places[:, column] - start)[:, None] * self._size + self.places[:, column:]
            repeated = np.repeat(factors, pairs.shape[1])
            counts = np.bincount(pairs.ravel(), weights=repeated, minlength=(stop - start) * self._size)
            total[start:stop] = counts.reshape(stop - start, self._size)
        kept = total[np.ix_(self.slots.kept, self.slots.kept)]
        # Each pair of columns was counted once, above the diagonal; a column with itself is diagonal.
        return np.asarray(kept + kept.T - np.diag(np.diag(kept)))

    @property
    def _size(self) -> int:
        return int(self.slots.starts[-1])


def strips(block: Block, encoding: LinearEncoding | OneHotEncoding, intercept: bool) -> Iterator[Strip]:
    """Yield the block's rows, some thousand at a time; each must be done with before the next."""
    if isinstance(encoding, OneHotEncoding) and encoding.columns:
        codes, slots = block.codes(encoding.bins), Slots(encoding, intercept)
        for rows in _slices(block.n_rows):
            yield CountedStrip(rows, slots, slots.of(codes[rows]))
        return
    encoded = block.features(encoding)
    buffer = np.ones((min(STRIP, block.n_rows), encoded.shape[1] + intercept))
    for rows in _slices(block.n_rows):
        features = buffer[: rows.stop - rows.start]
        features[:, : encoded.shape[1]] = encoded[rows]
        yield DenseStrip(rows, features)


def _slices(n_rows: int) -> Iterator[slice]:
    for start in range(0, n_rows, STRIP):
        yield slice(start, min(start + STRIP, n_rows))
