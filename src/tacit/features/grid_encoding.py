"""Cells of a fine public grid on the scale of a numeric column: candidates for cut points."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from math import floor

import numpy as np
from numpy.typing import NDArray

from tacit.features.cell_encoding import CellEncoding
from tacit.features.number_scale import stretch, unstretch
from tacit.schema.whole import settled
from tacit.table.rows import Rows

GRID_BITS = 48
"""Of a cell's number: bounds a million times too wide leave 2^28 cells to the rows, and shares of 2^-48 are well above
the rounding of a float64."""

NEAREST = 2.0**-30
"""Distance from the column's anchor, in units of the farther bound's, at which logarithmic spacing begins."""

BLUR = 2.0**-40
"""Of the bounds' distance: rounding moves a number's share of the cells by at most 2^-48, and the even half of the
cells makes the shares of numbers so far apart differ by 2^-41."""

_STRIP = 8_192
"""Numbers at a time: their temporaries fit the second cache, which halves the time."""

_NEWTON_STEPS, _NEAR = 8, 2.0**-40
"""Steps to where a share of the cells ends, and the error of what they reach, in distances from the anchor, at most."""

_STEPS, _PARTS = 30, 16
"""Steps that find the number at an edge, and parts that each leaves one of: from 2^1024 down to the last bits of most
floats. Few steps, as each takes nearly as long for some hundred numbers as for one."""


@dataclass(frozen=True)
class GridEncoding(CellEncoding):
    """The cell of each number of one column, among 2^bits cells of a public grid.

    Half of the cells are spread evenly between the bounds, half by the logarithm of the distance from an anchor: the
    declared center, or else the number within the bounds that is nearest to zero. So cells are fine where numbers fill
    their bounds, and where they are in a millionth of them. Dates, and columns on a logarithmic scale, have all cells
    even on that scale.

    Parameters
    ----------
    schema : Schema
    column : str
        Numeric.
    bits : int

    Notes
    -----
    The lower bound is in cell 0.
    """

    bits: int = GRID_BITS

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return 1 << self.bits

    @property
    def description(self) -> str:
        """Medians of parts of the column."""
        return f"medians of {self.column}"

    def transform(self, rows: Rows) -> NDArray[np.int64]:
        """Return the cells, shape (n_rows,)."""
        return self.cells(self.numbers(rows))

    def numbers(self, rows: Rows) -> NDArray[np.float64]:
        """Return the numbers on the column's scale, shape (n_rows,)."""
        return stretch(rows.columns[self.column], self._numeric)

    @property
    def tolerance(self) -> float:
        """How far apart numbers on the scale are of which the larger one certainly has no lower cell."""
        low, high = self._ends
        return BLUR * (high - low)

    def cells(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the cells of numbers on the column's scale, shape (n_numbers,)."""
        cells = np.empty(len(values), dtype=np.int64)
        # Always into the same memory, which stays in the cache: fresh arrays would take longer than the arithmetic.
        buffers = np.empty((2, min(_STRIP, len(values))))
        for start in range(0, len(values), _STRIP):
            strip = values[start : start + _STRIP]
            places = self._shares(strip, buffers[:, : len(strip)])
            places *= self.n_cells
            np.ceil(places, out=places)
            places -= 1
            np.minimum(np.maximum(places, 0.0, out=places), self.n_cells - 1.0, out=places)
            cells[start : start + _STRIP] = places
        return cells

    def cuts(self, cells: NDArray[np.int64]) -> tuple[float, ...]:
        """Return the upper edges of cells as cut points of the column: increasing, strictly between its bounds."""
        return self.cuts_at(np.asarray((cells + 1) / self.n_cells, dtype=np.float64))

    def cuts_at(self, shares: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the numbers below which such shares of all cells lie, as cut points of the column."""
        column = self._numeric
        # Dates are whole days: at most 3.7 is at most 3.
        numbers = [floor(cut) if column.is_date else cut for cut in unstretch(self._places(shares), column).tolist()]
        return settled(map(float, numbers), column)

    @property
    def even_anchor(self) -> float:
        """Where the anchor is between the bounds, from 0 to 1 on the column's scale."""
        low, high = self._ends
        return (self._anchor[0] - low) / (high - low) if high > low else 0.0

    def even_places(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where such shares of all cells end, but for rounding: from 0 to 1 between the bounds on the scale."""
        low, high = self._ends
        if not high > low:  # bounds that are neighboring floats may have the same logarithm
            return np.zeros(len(shares))
        return np.clip(self.even_anchor + self._distances(shares), 0.0, 1.0)

    def _distances(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far above the anchor such shares of all cells end, in units of the distance of the bounds.

        But for rounding: with a relative error far below ``_NEAR``.
        """
        anchor, (first, last) = self.even_anchor, self._span
        if self._is_even:
            return shares - anchor
        # With distances as exponentials, d = unit * (exp(t) - 1), twice a share is t / span + d from the anchor's on.
        unit, span = NEAREST * max(anchor, 1 - anchor), last - first
        beyond = 2 * shares - (anchor - first / span)
        sizes = np.abs(beyond)
        logarithms = np.minimum(sizes * span, np.log1p(sizes / unit))
        # Newton's steps on an increasing convex function, from above: each comes nearer, and they end at the last bits.
        for _ in range(_NEWTON_STEPS):
            distances = unit * np.expm1(logarithms)
            logarithms -= (logarithms / span + distances - sizes) / (1 / span + distances + unit)
        return np.copysign(unit * np.expm1(logarithms), beyond)

    def _places(self, wanted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest numbers on the scale below which at most such shares of the cells lie.

        So rows fall on the side of an edge that they were counted on.
        """
        below, above = self._about(wanted)
        parts = np.arange(1, _PARTS) / _PARTS
        for _ in range(_STEPS):
            between = np.clip(below[:, None] + (above - below)[:, None] * parts, below[:, None], above[:, None])
            shares = self._shares(between.ravel(), np.empty((2, between.size))).reshape(between.shape)
            beyond = shares > wanted[:, None]
            within = np.where(beyond.any(axis=1), beyond.argmax(axis=1), beyond.shape[1])
            last = below, above
            ends = np.concatenate([below[:, None], between, above[:, None]], axis=1)
            below, above = (np.take_along_axis(ends, at[:, None], axis=1)[:, 0] for at in (within, within + 1))
            if np.array_equal(last, (below, above)):
                break  # ends next to each other stay where they are
        return below

    def _about(self, wanted: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return numbers on either side of where such shares of the cells end: next to it, or else the bounds."""
        low, high = self._ends
        distances = (high - low) * self._distances(wanted) if high > low else np.zeros(len(wanted))
        near = self._anchor[0] + distances
        reach = _NEAR * np.abs(distances) + 4 * np.spacing(np.abs(near))
        below, above = np.maximum(near - reach, low), np.minimum(near + reach, high)
        shares = self._shares(np.concatenate([below, above]), np.empty((2, 2 * len(wanted))))
        holds = (shares[: len(wanted)] <= wanted) & (wanted < shares[len(wanted) :])
        return np.where(holds, below, low), np.where(holds, above, high)

    def _shares(self, values: NDArray[np.float64], buffers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of the cells below each number on the column's scale: never decreasing, from 0 to 1.

        It is written into one of two buffers, shape (2, n_values).
        """
        (low, high), (shares, even) = self._ends, buffers
        if not self._is_even:
            first, last = self._span
            self._logarithms(values, buffers)
            shares -= first
            shares /= last - first
        np.subtract(values, low, out=even)
        # Bounds that are neighboring floats may have the same logarithm: one cell is left then.
        even /= high - low if high > low else np.inf
        if self._is_even:
            return np.asarray(even)
        shares += even
        shares *= 0.5
        return np.asarray(shares)

    def _logarithms(self, values: NDArray[np.float64], buffers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return logarithms of distances from the anchor, negative below it, in the first buffer."""
        (anchor, unit), (sizes, distances) = self._anchor, buffers
        np.subtract(values, anchor, out=distances)
        np.abs(distances, out=sizes)
        sizes /= unit
        np.log1p(sizes, out=sizes)
        return np.asarray(np.copysign(sizes, distances, out=sizes))

    @property
    def _is_even(self) -> bool:
        """Whether all cells are as wide."""
        return self._numeric.is_date or self._numeric.scale == "log"

    # Kept, as the search for a cut point asks for them more than a hundred times.
    @cached_property
    def _anchor(self) -> tuple[float, float]:
        """Where distances are measured from, and the distance at which logarithmic spacing begins."""
        low, high = self._ends
        center = self._numeric.center
        anchor = self._numeric.middle if center is not None else min(max(0.0, low), high)
        # Of bounds next to each other, the unit would vanish.
        return anchor, max(NEAREST * max(high - anchor, anchor - low), sys.float_info.min)

    @cached_property
    def _span(self) -> tuple[float, float]:
        first, last = self._logarithms(np.asarray(self._ends), np.empty((2, 2))).tolist()
        return first, last
