"""Cells of a column that add the same, together: what a list of findings has one line for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.models.effects import DEVIATIONS, ColumnEffects
from tacit.schema import Numeric

_ROUNDING = 1e-9
"""Between effects of one leaf, which are sums in different orders."""


@dataclass(frozen=True)
class EffectGroup:
    """Cells of one column: neighbors of a number whose effects do not differ beyond their noise, or equal categories.

    Examples
    --------
    >>> from tacit.models.cells import ColumnCells
    >>> cells = ColumnCells(Numeric("age", 0, 90, cuts=[30, 60]))
    >>> effects = (np.asarray([0.5, 0.25, 0.25]), np.asarray([-0.5, 0.5, 0.5]), np.full(3, 0.1))
    >>> [line.label for line in effect_groups(ColumnEffects("ill", cells, *effects, released=True), np.full(3, True))]
    ['at most 30', 'above 30']
    """

    column: ColumnEffects
    cells: tuple[int, ...]
    """Ascending."""

    @property
    def label(self) -> str:
        """What the cells hold."""
        return self.column.cells.label_of(self.cells)

    @property
    def share(self) -> float:
        """Of the rows."""
        return float(self.column.shares[list(self.cells)].sum())

    @property
    def effect(self) -> float:
        """Of the cells' rows, on average."""
        return self._mean(self.column.effects)

    @property
    def deviation(self) -> float | None:
        """Of the noise in the effect: the mean of the cells', which that of a mean never exceeds."""
        return None if self.column.deviations is None else self._mean(self.column.deviations)

    @property
    def surely(self) -> float:
        """How far it moves the scores for sure, times the root of the share."""
        return self._mean(self.column.surely) * sqrt(self.share)

    def _mean(self, values: NDArray[np.float64]) -> float:
        own, shares = values[list(self.cells)], self.column.shares[list(self.cells)]
        # Of one cell as it is, not rounded; cells that nobody is in, as far as was released, count alike.
        if len(own) == 1:
            return float(own[0])
        return float(np.average(own, weights=shares if shares.sum() > 0 else None))


def effect_groups(column: ColumnEffects, found: NDArray[np.bool_]) -> Iterator[EffectGroup]:
    """Yield the cells that are found: those together that say the same.

    Neighbors of a number, where no two are further apart than two standard deviations of their difference, taken to
    have independent noise: that difference is indistinguishable from noise, too; categories, where effects are equal,
    as in one leaf of a tree.

    Parameters
    ----------
    found : array of bool, shape (n_cells,)
    """
    ordered = isinstance(column.cells.column, Numeric)
    groups: list[list[int]] = []
    for at in np.flatnonzero(found).tolist():
        open_groups = groups[-1:] if ordered else groups
        own = next((each for each in open_groups if _belongs(column, at, each, ordered=ordered)), None)
        if own is None:
            groups.append([at])
        else:
            own.append(at)
    for each in groups:
        yield EffectGroup(column, tuple(each))


def _belongs(column: ColumnEffects, at: int, group: list[int], *, ordered: bool) -> bool:
    """Tell whether a cell differs from none of a group: where effects rise slowly each is near its neighbor."""
    if ordered and group[-1] != at - 1:
        return False
    apart = np.abs(column.effects[group] - column.effects[at])
    if column.deviations is None or not ordered:
        return bool((apart <= _ROUNDING).all())
    noise = np.hypot(column.deviations[group], column.deviations[at])
    return bool((apart <= DEVIATIONS * noise + _ROUNDING).all())
