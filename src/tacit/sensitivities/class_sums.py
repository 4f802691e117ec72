"""How far counts and sums by class move."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from tacit.privacy.basis import RowSums
from tacit.privacy.unit import PrivacyUnit
from tacit.sensitivities import GRID_STEPS


@dataclass(frozen=True)
class ClassSumsBasis(RowSums, query="counts and sums by class"):
    """What the sensitivity of ``ClassSums`` follows from: its fields of these names."""

    counted: tuple[str, ...]
    summed: tuple[str, ...]
    with_classes: bool
    offset: float

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return both in steps of the grid, if there is one."""
        l1, l2 = self.in_rows(unit)
        steps = GRID_STEPS if self.summed else 1
        return l1 * steps, l2 * steps

    def in_rows(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return both in units of rows."""
        private = set(unit.columns)
        n_counted, n_summed = len(private & set(self.counted)), len(private & set(self.summed))
        if not unit.label and n_counted + n_summed == 0:
            return 0.0, 0.0
        l1, squared = 2 * n_counted + 9 / 4 * n_summed, 2.0 * n_counted + 4.0 * n_summed
        # Under a private label a row leaves one class and enters another: all of its terms count, twice.
        if unit.label:
            absolute, square = _largest_row(self.offset)
            cells = 2 * (self.with_classes + len(self.counted))
            l1 = max(l1, cells + 2 * absolute * len(self.summed))
            squared = max(squared, cells + 2 * square * len(self.summed))
        # z^2 is rounded to the grid, half a step in the row that leaves and half in the one that enters.
        rounding = len(self.summed) / GRID_STEPS
        return l1 + rounding, sqrt(squared) * (1 + 2.0**-50) + rounding


def _largest_row(offset: float) -> tuple[float, float]:
    """Return the largest |z| + |z^2 - m| and z^2 + (z^2 - m)^2 over z in [-1, 1], for m in [1/2, 1]."""
    return max(2 - offset, offset + 1 / 4), max(offset**2, 1 + (1 - offset) ** 2)
