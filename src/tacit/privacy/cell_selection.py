"""Scores of the cells of public grids, of which one cell leaves for each choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.privacy.parameters import counting, positive
from tacit.privacy.statistic import Statistic


@final
@dataclass(frozen=True, eq=False)
class CellSelectionStatistic(Statistic):
    """Whole scores of the cells of public intervals, in runs of equal score; of each interval one cell leaves.

    Raises ParameterError if range or moved are not above zero, the runs do not fill the intervals, or there is no
    interval.

    Parameters
    ----------
    query : str
        What is asked, in words; public.
    unit : PrivacyUnit
    unreleased_value : int64 array of shape (3, n_runs)
        Of each run its interval, its first cell and its score, higher is better; in order of the cells. A run ends
        where the next one of its interval starts. How many there are is as private as the scores.
    range : float
        Largest sum over the intervals, for two neighboring tables, of the largest change of the difference of two
        cells' scores.
    moved : int
        In how many intervals scores may differ between two neighboring tables, at most.
    intervals : int64 array of shape (n_intervals, 2)
        First cell and one after the last; public.

    Notes
    -----
    Privacy: nothing is released until an accountant does so; intervals must be public. Proof:
    ``proofs/mechanisms/cell_selection.md``.

    Examples
    --------
    >>> from tacit.privacy import PrivacyUnit
    >>> runs = np.asarray([[0, 0], [0, 3], [-2, 0]])
    >>> CellSelectionStatistic("median", PrivacyUnit(("age",), label=False), runs, 4.0, 2, np.asarray([[0, 8]])).range
    4.0
    """

    range: float
    moved: int
    intervals: NDArray[np.int64]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "range", positive("range", self.range))
        object.__setattr__(self, "moved", counting("moved", self.moved))
        runs: NDArray[Any] = self.unreleased_value
        intervals = np.asarray(self.intervals, dtype=np.int64)
        if runs.ndim != 2 or len(runs) != 3 or runs.dtype != np.int64 or intervals.shape[1:] != (2,):
            raise ParameterError("Expected interval, first cell and score of each run, and two ends of each interval.")
        _, opening = np.unique(runs[0], return_index=True)
        whole = len(opening) == len(intervals) > 0 and bool((runs[1, opening] == intervals[:, 0]).all())
        # Runs in order, each below the end of its interval, the first one at its start: together they fill it.
        if not whole or (np.diff(runs[1]) <= 0).any() or (runs[1] >= intervals[runs[0], 1]).any():
            raise ParameterError("Expected runs of cells that fill the intervals. Their query is at fault.")
        object.__setattr__(self, "intervals", intervals)

    def __repr__(self) -> str:
        return f"CellSelectionStatistic(query={self.query!r}, unit={self.unit!r}, range={self.range!r})"
