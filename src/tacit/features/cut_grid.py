"""Bins of numbers between cut points, by comparing with each of few, or by arithmetic on an even grid below them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_STRIP = 16_384
"""Numbers at a time: their temporaries fit the second cache, and a call of NumPy costs little beside its work."""

_CELLS = (64, 256, 1_024, 4_096)
"""Of a grid with one cut in a cell at most, the coarsest of these: the tables of the finest, 36 KiB, fit the first
cache, and quantiles whose gaps differ by more have no grid."""

_MAX_COMPARED = 10
"""Cut points that are compared one by one although they have a grid: a tenth of what finding a cell takes."""

_MAX_COMPARED_OFF_GRID = 127
"""Cut points without a grid that are compared one by one: a search for a number takes as long as 150 comparisons."""

FEW = 1_024
"""Numbers that are searched for, as comparing them with each cut takes no longer than so many calls."""


class CutPoints:
    """Cut points of one column: bin i holds the numbers above cut i-1 and at most cut i.

    Parameters
    ----------
    cuts : sequence of float
        Strictly increasing.
    kind : dtype
        Of the numbers, float64 or float32: shorter ones take half the time.

    Notes
    -----
    The same as ``np.searchsorted(cuts, values, side="left")`` for every float, and several times as fast where there
    are few cuts, or a multiplication finds a cell of an even grid that leaves one cut in doubt.
    """

    def __init__(self, cuts: Sequence[float], kind: Any = np.float64):
        self._cuts = np.asarray(cuts, dtype=np.float64)
        self._kind = np.dtype(kind)
        # Of cuts too close, or too far apart, for a factor no grid has one cut in a cell: then they are searched.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            cells = self._cells_of_cuts() if len(cuts) > 1 else None
            self._floors = self._rounded_down()
        self._is_even = cells is not None
        self._is_compared = len(cuts) <= (_MAX_COMPARED if self._is_even else _MAX_COMPARED_OFF_GRID)
        if cells is not None:
            # The grid is monotone in floats too, and so is rounding to them: a number is above all cuts of cells before
            # its own, and below all of cells after it. So comparing with the next cut from its cell on decides.
            self._below = np.searchsorted(cells, np.arange(cells[-1] + 1)).astype(np.uint8)
            self._next = self._floors.take(self._below)

    def bins(self, values: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the bin of each value, shape (n_values,); there are at most 255 cuts."""
        if out.dtype != np.uint8:
            narrow = np.empty(len(values), dtype=np.uint8)  # looked up in a table of bytes
            self.bins(values, narrow)
            out[:] = narrow
            return
        if self._is_compared:
            for start in range(0, len(values), _STRIP):
                self._compare(values[start : start + _STRIP], out[start : start + _STRIP])
            return
        if not self._is_even:
            out[:] = np.searchsorted(self._cuts, values, side="left")
            return
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(values), _STRIP):
                strip, found = values[start : start + _STRIP], out[start : start + _STRIP]
                cells, following = self._places(strip)
                self._below.take(cells, out=found, mode="clip")  # the default mode would fill a copy first
                found += ~(strip <= following)

    def lookup(
        self, table: NDArray[np.float64], low: float, high: float
    ) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
        """Return a function from numbers of the kind, none beyond two ends, to what a table has at their bins."""
        n_cuts = len(self._cuts)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            first, last = self._kind.type(low), self._kind.type(high)
            # Ends too far apart for the kind have no distance, from which a cell would follow.
            grid = self._grid_between(first, high - low) if n_cuts and np.isfinite(last - first) else None
            floors = np.append(self._floors, self._kind.type(np.inf))
        if n_cuts <= (_MAX_COMPARED_OFF_GRID if grid is None else _MAX_COMPARED):
            return lambda values: table.take(self._compare(values, np.empty(len(values), dtype=np.uint8)), mode="clip")
        if grid is None:
            return lambda values: table.take(np.searchsorted(self._cuts, values, side="left"))
        factor, cells_of_cuts, n_cells = grid
        below = np.searchsorted(cells_of_cuts, np.arange(n_cells))
        following = floors.take(below)
        # Each cell's entry for numbers at most its cut, and for those above it.
        pairs = table.take(np.stack([below, np.minimum(below + 1, n_cuts)], axis=1)).ravel()

        def found(values: NDArray[Any]) -> NDArray[np.float64]:
            # No number is beyond the grid, so that nothing has to be clipped.
            places = values - first
            places *= factor
            cells = places.astype(np.intp)
            following.take(cells, out=places, mode="clip")
            cells += cells
            cells += values > places
            return np.asarray(pairs.take(cells, mode="clip"))

        return found

    def _compare(self, values: NDArray[Any], out: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Write the bin of each value, and return the bins."""
        numbers = values.astype(self._kind, copy=False)
        if len(values) <= FEW:
            out[:] = np.searchsorted(self._floors, numbers, side="left")
            return out
        out[:] = len(self._cuts)  # less the cuts that are not below: NaN goes after all numbers
        below = np.empty(len(values), dtype=np.bool_)
        for cut in self._floors:
            np.less_equal(numbers, cut, out=below)
            np.subtract(out, below.view(np.uint8), out=out)
        return out

    def _places(self, values: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return the cell of each value, those below the first cut being clipped where they are read; and its cut."""
        places = self._grid(values)
        # fmin, as NaN goes after all numbers.
        cells = np.fmin(places, len(self._next) - 1, out=places).astype(np.intp)
        return cells, self._next.take(cells, out=places, mode="clip")

    def _grid(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values in cells of the grid, of which the first begins at the first cut."""
        places = values - self._first
        places *= self._factor
        return np.asarray(places)

    def _cells_of_cuts(self) -> NDArray[np.intp] | None:
        """Return the cell of each cut in the coarsest grid that has one in a cell at most, or None."""
        self._first = self._kind.type(self._cuts[0])
        grid = self._grid_between(self._first, self._cuts[-1] - self._cuts[0])
        if grid is None:
            return None
        self._factor, cells, _ = grid
        return cells

    def _grid_between(self, first: Any, length: float) -> tuple[Any, NDArray[np.intp], int] | None:
        """Return cells to a unit, each cut's cell, and how many there are, of a grid from a number on; or None."""
        cuts = self._cuts.astype(self._kind)
        for n_cells in _CELLS:
            factor = self._kind.type((n_cells - 1) / length)
            places = (cuts - first) * factor
            if np.isfinite(factor) and places[-1] < n_cells and (np.diff(np.floor(places)) > 0).all():
                return factor, places.astype(np.intp), n_cells
        return None

    def _rounded_down(self) -> NDArray[Any]:
        """Return for each cut the largest number of the kind that is at most as large: it decides the same."""
        cuts = self._cuts.astype(self._kind)
        return np.where(cuts > self._cuts, np.nextafter(cuts, self._kind.type(-np.inf)), cuts)


def kind_of(values: NDArray[Any]) -> Any:
    """Return the kind of ``CutPoints`` for numbers of any type."""
    return np.float32 if values.dtype == np.float32 else np.float64
