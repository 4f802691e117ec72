"""Bounds and centers of columns whose entries have none, from noisy counts of one column at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import ceil, floor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.learners.schema.grid import coarse_bounds, days_of_years, fine_bounds, logarithmic_edges, years
from tacit.mechanisms import Releases
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.queries.value_counts import cell_counts, plan_cell_counts
from tacit.schema import Kinds, Numeric, Target
from tacit.table.raw import RawTable

_Entry = TypeVar("_Entry", bound=Numeric)

Bounds = tuple[float, float, float]
"""Low, high and center, in units of the column (days for dates)."""


@dataclass(frozen=True)
class BoundsLearner:
    """Learns the bounds of columns of numbers and dates, whose names and kinds are public.

    A column is counted by cell of a public grid, logarithmic or of years, and then by even cells between the bounds
    that these counts show.

    Parameters
    ----------
    kinds : Kinds
        Columns of other kinds are left out.
    """

    kinds: Kinds

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in the order of the releases."""
        return self.kinds.of("number", "date")

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases: parts "coarse" and "fine"."""
        counts = [plan_cell_counts(unit)] * len(self.names)
        return [*in_part("coarse", counts), *in_part("fine", counts)]

    def learn(self, table: RawTable, releases: Releases) -> dict[str, Bounds]:
        """Return the bounds of each column of which released counts show any; ``releases`` are those of the plan."""
        coarse, fine = releases.part("coarse"), releases.part("fine")
        found = {}
        for name in self.names:
            edges = _edges(self.kinds.entry(name))
            first = coarse_bounds(edges, coarse.noisy(cell_counts(table, name, edges)))
            if first:
                found[name] = fine_bounds(first, fine.noisy(cell_counts(table, name, first.edges())))
        return found

    def column(self, entry: _Entry, bounds: Bounds) -> _Entry:
        """Return an entry with learned bounds and center, rounded outward where they are days or whole numbers.

        An empty cell of a column counts as the center, unless the entry says what it counts as; no number is put in
        where one to predict is missing.
        """
        wide = self.kinds.entry(entry.name)
        low, high, center = bounds
        # A grid may reach beyond the years that two digits can mean.
        low = min(max(low, wide.lower), wide.upper - 1)
        high = max(min(high, wide.upper), low + 1)
        center = min(max(center, low), high)
        ends: tuple[float | date, ...] = (low, high, center)
        if wide.is_date:
            ends = _day(floor(low)), _day(ceil(high)), _day(round(center))
        elif entry.whole:
            ends = floor(low), ceil(high), round(center)
        missing = ends[2] if entry.missing is None and not isinstance(entry, Target) else entry.missing
        return replace(entry, low=ends[0], high=ends[1], center=ends[2], missing=missing)


def _edges(wide: Numeric) -> NDArray[np.float64]:
    if wide.is_date:
        return days_of_years()
    return years() if wide.date_part == "year" else logarithmic_edges()


def _day(days: int) -> date:
    return date(1970, 1, 1) + timedelta(days=days)
