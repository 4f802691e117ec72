"""Cells of a fine public grid on the scale of a numeric column: candidates for cut points."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.schema import Numeric, Schema
from tacit.table.linear_encoding import stretch
from tacit.table.rows import Rows

GRID_BITS = 48
"""Of a cell's number. Bounds a million times too wide leave 2^28 cells to the rows; 53 would be the last bit of a
float64, and a cut point there could fall onto the wrong side of a value."""


@dataclass(frozen=True)
class GridEncoding:
    """The cell of each number of one column, among 2^bits cells of equal width on the column's scale.

    Parameters
    ----------
    schema : Schema
    column : str
        Numeric.
    bits : int

    Notes
    -----
    Cell c holds the numbers above edge c and at most edge c + 1; the lower bound is in cell 0. Privacy: costs nothing,
    as a number's cell is a function of the number and of the schema.
    """

    schema: Schema
    column: str
    bits: int = GRID_BITS

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return 1 << self.bits

    def transform(self, rows: Rows) -> NDArray[np.int64]:
        """Return the cells, shape (n_rows,)."""
        low, high = self._ends
        values = stretch(rows.columns[self.column], self._numeric)
        # Bounds that are neighboring floats may have the same logarithm: one cell is left then.
        shares = (values - low) / (high - low) if high > low else np.zeros(len(values))
        cells = np.ceil(shares * self.n_cells) - 1
        return np.asarray(np.clip(cells, 0, self.n_cells - 1), dtype=np.int64)

    def cuts(self, cells: NDArray[np.int64]) -> tuple[float, ...]:
        """Return the upper edges of cells as cut points of the column: increasing, strictly between its bounds."""
        low, high = self._ends
        edges = low + (np.asarray(cells, dtype=np.int64) + 1) * 2.0**-self.bits * (high - low)
        column = self._numeric
        raw = np.sign(edges) * np.expm1(np.abs(edges)) if column.scale == "log" else edges
        # Dates are whole days: at most 3.7 is at most 3.
        numbers = {floor(cut) if column.is_date else float(cut) for cut in raw}
        return tuple(float(cut) for cut in sorted(numbers) if column.lower < cut < column.upper)

    @property
    def _numeric(self) -> Numeric:
        column: Any = self.schema.column(self.column)
        assert isinstance(column, Numeric)
        return column

    @property
    def _ends(self) -> tuple[float, float]:
        low, high = stretch([self._numeric.lower, self._numeric.upper], self._numeric).tolist()
        return low, high
