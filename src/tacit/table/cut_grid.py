"""Bins of numbers between cut points, by arithmetic where these have a fine enough even grid below them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_STRIP = 8_192
"""Numbers at a time: their temporaries fit the second cache."""

_CELLS = (64, 256, 1_024, 4_096)
"""Of a grid with one cut in a cell at most, the coarsest of these: the tables of the finest, 36 KiB, fit the first
cache, and quantiles whose gaps differ by more are searched."""


class CutPoints:
    """Cut points of one column: bin i holds the numbers above cut i-1 and at most cut i.

    Parameters
    ----------
    cuts : sequence of float
        Strictly increasing.

    Notes
    -----
    The same as ``np.searchsorted(cuts, values, side="left")`` for every float, and several times as fast where a
    multiplication finds a cell of an even grid that leaves one cut in doubt.
    """

    def __init__(self, cuts: Sequence[float]):
        self._cuts = np.asarray(cuts, dtype=np.float64)
        self._factor = np.nan
        if len(cuts) > 1:
            # Of cuts too close, or too far apart, for a factor no grid has one cut in a cell: then they are searched.
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                for cells in _CELLS:
                    self._factor = (cells - 1) / (self._cuts[-1] - self._cuts[0])
                    places = self._grid(self._cuts, np.empty_like(self._cuts))
                    if places[-1] < cells and (np.diff(np.floor(places)) > 0).all():
                        break
                else:
                    self._factor = np.nan
        if np.isfinite(self._factor):
            # The grid is monotone in floats too: a number is above all cuts of cells before its own, and below all of
            # cells after it. So comparing with the next cut from its cell on decides.
            own = places.astype(np.intp)
            self._below = np.searchsorted(own, np.arange(own[-1] + 1)).astype(np.uint8)
            self._next = self._cuts[self._below]

    def bins(self, values: NDArray[np.float64], out: NDArray[Any]) -> None:
        """Write the bin of each value, shape (n_values,); there are at most 255 cuts."""
        if out.dtype != np.uint8:
            narrow = np.empty(len(values), dtype=np.uint8)  # looked up in a table of bytes
            self.bins(values, narrow)
            out[:] = narrow
            return
        if not np.isfinite(self._factor):
            out[:] = np.searchsorted(self._cuts, values, side="left")
            return
        places, cells = np.empty(_STRIP), np.empty(_STRIP, dtype=np.intp)
        with np.errstate(over="ignore"):
            for start in range(0, len(values), _STRIP):
                strip = values[start : start + _STRIP]
                self._bins(strip, places[: len(strip)], cells[: len(strip)], out[start : start + _STRIP])

    def _bins(
        self,
        values: NDArray[np.float64],
        places: NDArray[np.float64],
        cells: NDArray[np.intp],
        out: NDArray[np.uint8],
    ) -> None:
        self._grid(values, places)
        # fmin, as NaN goes after all numbers.
        np.fmax(np.fmin(places, len(self._next) - 1, out=places), 0, out=places)
        cells[:] = places
        self._next.take(cells, out=places, mode="clip")  # the default mode would fill a copy first
        self._below.take(cells, out=out, mode="clip")
        out += ~(values <= places)

    def _grid(self, values: NDArray[np.float64], out: NDArray[np.float64]) -> NDArray[np.float64]:
        """Write the values in cells of the grid, of which the first begins at the first cut."""
        np.subtract(values, self._cuts[:1], out=out)
        out *= self._factor
        return out
