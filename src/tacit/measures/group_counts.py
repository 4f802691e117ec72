"""Noisy counts of held-out rows by group, class and level of the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError

MAX_GROUPS = 100
"""Of a model file; noise hides so many long before."""


@dataclass(frozen=True)
class GroupCounts:
    """Held-out rows by group, class and cell of the score, counted with noise; a row is in one group.

    Parameters
    ----------
    column : str
        By whose categories rows are grouped.
    groups : tuple of str
        What they are called.
    counts : tuple of tuple of tuple of float
        For each group, for each of the sorted classes, one number a cell.

    Examples
    --------
    >>> counts = GroupCounts("sex", ("f", "m"), (((1.0, 2.0), (3.0, 4.0)), ((5.0, 6.0), (7.0, 8.0))))
    >>> counts.summed.tolist()
    [[6.0, 8.0], [10.0, 12.0]]
    """

    column: str
    groups: tuple[str, ...]
    counts: tuple[tuple[tuple[float, ...], ...], ...]

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        shaped = 2 <= len(self.groups) == len(set(self.groups)) <= MAX_GROUPS and len(self.counts) == len(self.groups)
        if not shaped or len({tuple(map(len, of_group)) for of_group in self.counts}) != 1:
            raise ModelFileError(
                "Expected counts by group, class and level of a score, got others. The file is damaged."
            )
        check_bounded(*chain(*chain(*self.counts)))

    @property
    def summed(self) -> NDArray[np.float64]:
        """Counts of all groups together, (n_classes, n_cells)."""
        return np.asarray(np.sum(self.counts, axis=0), dtype=np.float64)

    def adds_up_to(self, counts: Sequence[Sequence[float]]) -> bool:
        """Return whether these are the sums over groups, up to rounding."""
        widths = {len(row) for row in (*counts, *chain(*self.counts))}
        if len(widths) != 1 or any(len(of_group) != len(counts) for of_group in self.counts):
            return False
        return bool(np.allclose(self.summed, np.asarray(counts), rtol=1e-9, atol=1e-6))


def not_negative(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest counts that are not negative and add up to the same, shape (n_cells,).

    All zero where the sum is not above zero. The nearest ones are the counts less one number, where that is above zero
    (Held, Wolfe and Crowder 1974).

    Parameters
    ----------
    counts : array of shape (n_cells,)
        With noise.

    Examples
    --------
    >>> not_negative(np.asarray([6.0, 3.0, -1.0])).tolist()
    [5.5, 2.5, 0.0]
    """
    total = counts.sum()
    if total <= 0:
        return np.zeros_like(counts)
    descending = np.sort(counts)[::-1]
    shifts = (np.cumsum(descending) - total) / np.arange(1, len(counts) + 1)
    # The last one that leaves what it counts above zero.
    return np.asarray(np.maximum(counts - shifts[np.flatnonzero(descending > shifts)[-1]], 0.0))
