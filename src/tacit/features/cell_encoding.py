"""Cells of a numeric column, which are selected from: of its numbers, or of their distances from a released one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features.number_scale import stretch
from tacit.schema import Numeric, Schema
from tacit.table.rows import Rows


@dataclass(frozen=True)
class CellEncoding(ABC):
    """The cell of each number of one column, in their order.

    Parameters
    ----------
    schema : Schema
    column : str
        Numeric.

    Notes
    -----
    Cell c holds what is above edge c and at most edge c + 1, the first cell all that is below. Privacy: costs nothing,
    as a number's cell is a function of the number, of the schema and of what was released.
    """

    schema: Schema
    column: str

    @property
    @abstractmethod
    def n_cells(self) -> int:
        """Number of cells."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What cells that halve the rows say of the column."""

    @abstractmethod
    def transform(self, rows: Rows) -> NDArray[np.int64]:
        """Return the cells, shape (n_rows,)."""

    def numbers(self, rows: Rows) -> NDArray[Any]:
        """Return numbers of which each has one cell, shape (n_rows,): the cells themselves without a ``tolerance``."""
        return self.transform(rows)

    def cells(self, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """Return the cells of some numbers, shape (n_numbers,)."""
        return numbers

    @property
    def tolerance(self) -> float | None:
        """How far apart numbers are of which the larger one certainly has no lower cell, or None of cells."""
        return None

    @cached_property
    def _numeric(self) -> Numeric:
        column = self.schema.column(self.column)
        assert isinstance(column, Numeric)
        return column

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """The bounds, on the column's scale."""
        low, high = stretch([self._numeric.lower, self._numeric.upper], self._numeric).tolist()
        return low, high
