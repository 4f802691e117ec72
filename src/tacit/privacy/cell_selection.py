"""Rows by cell of a public grid, of whose intervals one cell near the middle leaves each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.privacy.bucketed_cells import BucketedCells, UnorderedCells
from tacit.privacy.parameters import counting, positive
from tacit.privacy.sorted_cells import CellsOf, SortedCells
from tacit.privacy.statistic import Statistic


@final
@dataclass(frozen=True, eq=False)
class CellSelectionStatistic(Statistic):
    """The cells of rows, for selections of a cell of each public interval that halves the interval's rows.

    A cell's score is minus the half rows by which it misses the middle, -abs(2 L - m), with L of the interval's m rows
    in cells up to it. A cut after an interval's last cell would leave the other half nothing, so that one is no
    candidate.

    Raises ParameterError if range or moved are not above zero, or intervals have less than two cells or overlap, or
    there is none.

    Parameters
    ----------
    query : str
        What is asked, in words; public.
    unit : PrivacyUnit
    unreleased_value : array of shape (n_rows,), int64 or float64
        Numbers of rows, ascending, whose cells never fall: unchecked, as the query sorts once for many selections. In
        no order where ``unordered`` is given.
    range : float
        Largest sum over the intervals, for two neighboring tables, of the largest change of the difference of two
        cells' scores.
    moved : int
        In how many intervals rows may differ between two neighboring tables, at most.
    intervals : int64 array of shape (n_intervals, 2)
        First cell and last one; public.
    cells_of : callable, optional
        Returns the cells of some numbers; by default they are cells themselves.
    unordered : UnorderedCells, optional
        The same numbers, which need not be sorted for a selection.

    Notes
    -----
    Privacy: nothing is released until an accountant does so; intervals must be public. Proof:
    ``proofs/mechanisms/cell_selection.md``.

    Examples
    --------
    >>> from tacit.privacy import PrivacyUnit
    >>> unit = PrivacyUnit(("age",), label=False)
    >>> CellSelectionStatistic("median", unit, np.asarray([3, 6]), 4.0, 2, np.asarray([[0, 7]])).range
    4.0
    """

    range: float
    moved: int
    intervals: NDArray[np.int64]
    cells_of: CellsOf | None = None
    unordered: UnorderedCells | None = None

    def __post_init__(self) -> None:
        # Numbers that have cells are finite: asking a million of them takes longer than a selection from them.
        value = np.asarray(self.unreleased_value).view()
        value.flags.writeable = False
        object.__setattr__(self, "unreleased_value", value)
        object.__setattr__(self, "range", positive("range", self.range))
        object.__setattr__(self, "moved", counting("moved", self.moved))
        if value.ndim != 1 or value.dtype != (np.int64 if self.cells_of is None else np.float64):
            raise ParameterError("Expected the cell of each row. The query is at fault.")
        intervals = np.asarray(self.intervals, dtype=np.int64)
        if intervals.shape[1:] != (2,) or intervals.size == 0 or (np.diff(intervals.ravel()) <= 0).any():
            raise ParameterError("Expected ascending intervals of two cells or more. The query is at fault.")
        object.__setattr__(self, "intervals", intervals)

    @property
    def unreleased_cells(self) -> SortedCells:
        """The rows' cells."""
        return self.unordered.sorted if self.unordered else SortedCells(self.unreleased_value, self.cells_of)

    def unreleased_landmarks(self, most: float) -> SortedCells | BucketedCells:
        """Return the rows' cells with landmarks that are at most so many rows apart, or next to any row."""
        return self.unordered.within(most) if self.unordered else self.unreleased_cells

    def __repr__(self) -> str:
        return f"CellSelectionStatistic(query={self.query!r}, unit={self.unit!r}, range={self.range!r})"
