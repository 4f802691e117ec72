"""Cells of rows in ascending order, of which only those that are asked for are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

CellsOf = Callable[[NDArray[Any]], NDArray[np.int64]]
"""Returns the cell of each of some numbers, shape (n_numbers,)."""

Places = NDArray[np.integer[Any]]

_PROBES = 512
"""Rows that one step of a search looks at: their cells take hardly longer than those of a few."""


def in_order_of_cells(
    numbers: NDArray[Any], cells_of: CellsOf, tolerance: float
) -> tuple[NDArray[Any], CellsOf | None]:
    """Return ascending numbers whose cells never fall, and what gives the cells; they may be sorted in place.

    Where rounding makes cells fall, the numbers are the cells themselves, and nothing is needed to give these.

    Parameters
    ----------
    numbers : array of shape (n_rows,)
    cells_of : callable
    tolerance : float
        The larger of two numbers that are farther apart has no lower cell; of closer ones, rounding may say otherwise.
    """
    numbers.sort()
    gaps = np.diff(numbers)
    close = np.flatnonzero(gaps <= tolerance)
    close = close[gaps[close] > 0]
    # Neighbors in order put all in order.
    if (cells_of(numbers[close]) > cells_of(numbers[close + 1])).any():
        # Not the numbers in the order of their cells: a search for a number would need these to ascend as well.
        return np.sort(cells_of(numbers)), None
    return numbers, cells_of


@final
class SortedCells:
    """Rows' cells, ascending.

    Privacy: cells of rows; only queries and mechanisms ask for any.

    Parameters
    ----------
    numbers : array of shape (n_rows,)
        Ascending, and their cells never fall.
    cells_of : callable, optional
        By default the numbers are cells themselves.
    """

    def __init__(self, numbers: NDArray[Any], cells_of: CellsOf | None = None):
        self._numbers, self._cells_of = numbers, cells_of

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, rows: Places | slice) -> NDArray[np.int64]:
        """Return the cells of some rows, in the shape of their positions."""
        numbers = self._numbers[rows]
        if self._cells_of is None:
            return np.asarray(numbers)
        return self._cells_of(numbers.ravel()).reshape(numbers.shape)

    def below(self, cells: NDArray[np.int64], guesses: Sequence[Places] = ()) -> Places:
        """Return how many rows are below each cell, in the cells' shape.

        ``guesses`` are rows that a search looks at first: it ends with two of them, the last row below and the next.
        """
        if self._cells_of is None:
            return np.searchsorted(self._numbers, cells, side="left")
        wanted = cells.ravel()
        low, high = np.zeros(len(wanted), dtype=np.intp), np.full(len(wanted), len(self))
        for guess in guesses if len(self) else ():
            places = np.clip(guess.ravel(), 0, len(self) - 1)
            before = self.of(places) < wanted
            low = np.where(before, np.maximum(low, places + 1), low)
            high = np.where(before, high, np.minimum(high, places))
        while len(left := np.flatnonzero(low < high)):
            low[left], high[left] = self._narrowed(wanted[left], low[left], high[left])
        return low.reshape(cells.shape)

    def _narrowed(self, wanted: NDArray[np.int64], low: Places, high: Places) -> tuple[Places, Places]:
        """Return narrower bounds of the number of rows below each cell."""
        steps = np.arange(1, max(2, _PROBES // len(wanted)))
        places = low[:, None] + (high - low)[:, None] * steps // (len(steps) + 1)
        # Ascending, so that those before are the first ones.
        count = np.count_nonzero(self.of(places) < wanted[:, None], axis=1)
        ends = np.concatenate([low[:, None] - 1, places, high[:, None]], axis=1)
        first, last = (np.take_along_axis(ends, at[:, None], axis=1)[:, 0] for at in (count, count + 1))
        return first + 1, last

    def landmarks(self, rows: Places) -> tuple[NDArray[np.int64], Places, Places]:
        """Return the cell of each of some rows, and how many rows are below it, and up to it."""
        cells = self.of(rows)
        return cells, *self.extents(rows, cells)

    def bounds(self, cells: NDArray[np.int64]) -> tuple[Places, Places]:
        """Return how many rows are below each cell, at least and at most: what needs no search."""
        return np.zeros(cells.shape, dtype=np.intp), np.full(cells.shape, len(self))

    def extents(self, rows: Places, cells: NDArray[np.int64]) -> tuple[Places, Places]:
        """Return where the rows of the same cell as each of some rows begin and end, given these rows' cells."""
        numbers = self._numbers[rows]
        first, after = self._numbers.searchsorted(numbers, "left"), self._numbers.searchsorted(numbers, "right")
        if self._cells_of is None or numbers.size == 0:
            return first, after
        # Mostly numbers of the same cell are equal: then these are the ends, as the cells next to them are others.
        earlier = (first > 0) & (self.of(np.maximum(first - 1, 0)) >= cells)
        later = (after < len(self)) & (self.of(np.minimum(after, len(self) - 1)) <= cells)
        first[earlier], after[later] = self.below(cells[earlier]), self.below(cells[later] + 1)
        return first, after
