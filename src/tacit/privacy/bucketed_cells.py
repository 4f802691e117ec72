"""Many rows counted by buckets of their numbers, so that a few ranks among them are found without sorting them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from tacit.privacy.sorted_cells import CellsOf, Places, SortedCells, in_order_of_cells

MIN_ROWS = 2**16
"""Fewer are sorted in less time than the buckets' own cells take."""

N_BUCKETS = 2**15
"""Equally wide ones from the least to the largest number: rows by bucket stay in the first caches."""

_PARTS = 2**10
"""Of all numbers, by which a sample says how many rows the fullest bucket may have."""

_SAMPLE = 2**14
"""Rows of it."""

_STRIP = 32_768
"""Numbers at a time, whose temporaries stay in the second cache."""

_WORD = 8
"""Rows whose eight answers are looked at as one number where few are yes."""

_MAX_SEARCHED = 64
"""Buckets of which rows are looked for among all: about as many take as long as sorting the rows."""


@final
class UnorderedCells:
    """Cells of rows in no order, which are sorted or counted by buckets when they are asked for.

    Privacy: cells of rows; only queries and mechanisms ask for any.

    Parameters
    ----------
    numbers : float64 array of shape (n_rows,)
        They may be sorted in place.
    cells_of : callable
        Returns the cells of some numbers.
    tolerance : float
        The larger of two numbers that are farther apart has no lower cell.
    """

    def __init__(self, numbers: NDArray[np.float64], cells_of: CellsOf, tolerance: float):
        self._numbers, self._cells_of, self._tolerance = numbers, cells_of, tolerance
        self._sorted: SortedCells | None = None
        self._buckets: BucketedCells | None = None

    @property
    def sorted(self) -> SortedCells:
        """All rows in the order of their cells."""
        if self._sorted is None:
            self._sorted = SortedCells(*in_order_of_cells(self._numbers, self._cells_of, self._tolerance))
            # They say where numbers were.
            self._buckets = None
        return self._sorted

    def within(self, most: float) -> SortedCells | BucketedCells:
        """Return cells whose landmarks are at most so many rows apart, or else next to any row."""
        if self._buckets is None and self._sorted is None and len(self._numbers) >= MIN_ROWS:
            ends = float(self._numbers.min()), float(self._numbers.max())
            if self._is_spread(most, *ends):
                self._buckets = BucketedCells(self._numbers, self._cells_of, *ends)
        if self._buckets is not None and self._buckets.serves(most):
            return self._buckets
        return self.sorted

    def _is_spread(self, most: float, low: float, high: float) -> bool:
        """Return whether buckets are worth their while, by their width and by a sample of the rows."""
        width, rounding = (high - low) / N_BUCKETS, np.spacing(max(abs(low), abs(high)))
        # Half of it is from a number to the next bucket's middle, whose cells must be in order, whatever is rounded.
        if not np.isfinite(width) or width <= 4 * self._tolerance + 32 * rounding:
            return False
        sample = self._numbers[:: len(self._numbers) // _SAMPLE]
        parts = np.bincount(((sample - low) * ((_PARTS - 1) / (high - low))).astype(np.intp))
        return bool(parts.max() / len(sample) * len(self._numbers) * _PARTS / N_BUCKETS <= most)


@final
class BucketedCells:
    """Rows counted by buckets, each of which has a landmark: the cell of the number in its middle.

    Rows of the buckets before are in no higher cell than a landmark, those of the buckets after it in no lower one. Of
    other cells the rows of two buckets are compared one by one.

    Privacy: cells of rows; only queries and mechanisms ask for any.

    Parameters
    ----------
    numbers : float64 array of shape (n_rows,)
        Many, and spread; not to be sorted as long as this is asked.
    cells_of : callable
        Returns the cells of some numbers.
    low, high : float
        The least and the largest number.
    """

    def __init__(self, numbers: NDArray[np.float64], cells_of: CellsOf, low: float, high: float):
        self._numbers, self._cells_of, factor = numbers, cells_of, (N_BUCKETS - 1) / (high - low)
        self._keys, counts = _keys(numbers, low, factor)
        self._fullest = int(counts.max())
        self._ends = np.concatenate([[0], counts.cumsum()])
        self._cells = cells_of(low + (np.arange(N_BUCKETS) + 0.5) / factor)
        self._searched: dict[int, NDArray[np.int64]] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def serves(self, most: float) -> bool:
        """Return whether landmarks are at most so many rows apart, and few rows had to be looked for so far."""
        return self._fullest <= most and len(self._searched) <= _MAX_SEARCHED

    def landmarks(self, rows: Places) -> tuple[NDArray[np.int64], Places, Places]:
        """Return a cell near each of some rows, and how many rows are below it at most, and up to it at least."""
        buckets = np.clip(self._ends.searchsorted(rows, "right") - 1, 0, N_BUCKETS - 1)
        return self._cells[buckets], self._ends[buckets + 1], self._ends[buckets]

    def bounds(self, cells: NDArray[np.int64]) -> tuple[Places, Places]:
        """Return how many rows are below each cell, at least and at most."""
        next_ = self._cells.searchsorted(cells)
        return self._ends[np.maximum(next_ - 1, 0)], self._ends[np.minimum(next_ + 1, N_BUCKETS)]

    def below(self, cells: NDArray[np.int64], guesses: Sequence[Places] = ()) -> Places:
        """Return how many rows are below each cell, in the cells' shape; nothing is guessed."""
        wanted = cells.ravel()
        found = map(self._below, wanted.tolist(), self._cells.searchsorted(wanted).tolist())
        return np.asarray([*found], dtype=np.intp).reshape(cells.shape)

    def _below(self, cell: int, next_: int) -> int:
        """Return how many rows are below a cell, given the first landmark that is not."""
        if next_ not in self._searched:
            self._searched[next_] = np.sort(self._cells_of(self._numbers[self._near(next_)]))
        # Rows of the buckets before the last landmark below the cell are below it, those after the next one are not.
        return int(self._ends[max(next_ - 1, 0)] + self._searched[next_].searchsorted(cell))

    def _near(self, next_: int) -> NDArray[np.intp]:
        """Return the rows of a bucket and of the one before it."""
        first, last = max(next_ - 1, 0), min(next_, N_BUCKETS - 1)
        # Lower keys wrap around to the largest.
        found = self._keys - np.uint16(first) <= np.uint16(last - first)
        words = np.flatnonzero(found.view(np.uint64) != 0)
        return (_WORD * words[:, None] + np.arange(_WORD))[found.reshape(-1, _WORD)[words]]


def _keys(numbers: NDArray[np.float64], low: float, factor: float) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    """Return the bucket of each number, filled up to whole words with one that there is not, and rows by bucket."""
    keys = np.full(-(-len(numbers) // _WORD) * _WORD, np.iinfo(np.uint16).max, dtype=np.uint16)
    counts = np.zeros(N_BUCKETS, dtype=np.int32)
    places, indices = np.empty(_STRIP), np.empty(_STRIP, dtype=np.intp)
    for start in range(0, len(numbers), _STRIP):
        strip = numbers[start : start + _STRIP]
        own, place, index = keys[start : start + len(strip)], places[: len(strip)], indices[: len(strip)]
        # Each step rounds, but keeps the order, so that buckets do, too.
        np.subtract(strip, low, out=place)
        place *= factor
        own[:] = place
        index[:] = own
        np.add.at(counts, index, np.int32(1))
    return keys, counts
