"""Rows counted by (position of their weight, column bin, label), updated when rows move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tacit.table import BinEncoding, Block, Table

_STRIP = 16_384


class BinCounts:
    """Integer counts of rows for every column's bins at once.

    Parameters
    ----------
    table : Table
    encoding : BinEncoding
    positions : callable
        Returns each row's position in the table of weights, for a block.
    n_positions : int

    Attributes
    ----------
    starts : array of shape (n_columns + 1,)
        Where each column's bins begin among all columns'.

    Notes
    -----
    Privacy: exact counts of private rows; only queries read them.
    """

    def __init__(
        self,
        table: Table,
        encoding: BinEncoding,
        positions: Callable[[Block], NDArray[np.int16]],
        n_positions: int,
    ):
        self.encoding = encoding
        self.starts = np.concatenate([[0], np.cumsum(encoding.n_bins)])
        self._n_positions = n_positions
        self._counts = np.zeros((n_positions, 2, self.starts[-1]), dtype=np.int64)
        table.visit(lambda block: self._add(block, positions(block)))

    def masses(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight in every bin by label, shape (2, n_bins of all columns)."""
        occupied = np.flatnonzero(self._counts[:, :, : self.starts[1]].any(axis=(1, 2)))
        span = slice(occupied[0], occupied[-1] + 1)
        counts = self._counts[span].reshape(span.stop - span.start, -1)
        return np.asarray(weights[span] @ counts).reshape(2, -1)

    @property
    def by_stratum(self) -> NDArray[np.int64]:
        """Counts by (position and label, bin of all columns), shape (2 n_positions, n_bins); do not change them."""
        return self._counts.reshape(2 * self._n_positions, -1)

    def move(self, block: Block, rows: NDArray[np.intp], positions: NDArray[np.int16], jump: int) -> None:
        """Count the given rows, which stand at these positions, ``jump`` positions further on."""
        if len(rows) == 0:
            return
        low, high = int(positions.min()), int(positions.max()) + 1
        moved = self._count(block, rows, positions, low, high)
        self._counts[low:high] -= moved
        self._counts[low + jump : high + jump] += moved

    def _add(self, block: Block, positions: NDArray[np.int16]) -> None:
        low, high = int(positions.min()), int(positions.max()) + 1
        self._counts[low:high] += self._count(block, None, positions, low, high)

    def _count(
        self, block: Block, rows: NDArray[np.intp] | None, positions: NDArray[np.int16], low: int, high: int
    ) -> NDArray[np.int64]:
        """Count rows, or all if None, by (position from low to high, label, bin), one column after the other.

        In strips, so that what is computed of the rows needs little memory; each has more rows than cells to add to.
        """
        codes, labels, n_cells = block.codes(self.encoding), block.labels, 2 * (high - low)
        counts = np.zeros((high - low, 2, self.starts[-1]), dtype=np.int64)
        size = max(_STRIP, n_cells * max(self.encoding.n_bins))
        for start in range(0, len(positions), size):
            part = slice(start, start + size)
            strip = part if rows is None else rows[part]
            cells = 2 * (positions[part].astype(np.intp) - low) + labels[strip]
            for column, n_bins in enumerate(self.encoding.n_bins):
                flat = np.bincount(cells * n_bins + codes[strip, column], minlength=n_cells * n_bins)
                counts[:, :, self.starts[column] : self.starts[column + 1]] += flat.reshape(high - low, 2, n_bins)
        return counts
