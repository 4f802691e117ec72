"""How far the sums of Platt scaling move."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from tacit.privacy.basis import RowSums
from tacit.privacy.unit import PrivacyUnit
from tacit.sensitivities import GRID_STEPS

Bounds = tuple[float, float]
"""L1 and L2."""

# By how large log-odds can be at most, how far the sums move, and how far where the label stays: see the proof.
OF_TWO: dict[float, tuple[Bounds, Bounds]] = {
    0.25: ((1.21, 1.01), (0.37, 0.2)),
    0.5: ((1.41, 1.03), (0.66, 0.35)),
    1.0: ((1.76, 1.08), (1.07, 0.56)),
    2.0: ((2.26, 1.21), (1.57, 0.81)),
    inf: ((2.86, 1.53), (2.26, 1.25)),
}

OF_MANY: Bounds = (0.75, 0.638)


@dataclass(frozen=True)
class PlattBasis(RowSums, query="residuals and curvatures of log-odds"):
    """The number of classes, and what log-odds of two are cut to."""

    n_classes: int
    largest: float | None
    """None where they are not cut."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return both in steps."""
        largest = inf if self.largest is None else self.largest
        l1, l2 = OF_MANY if self.n_classes > 2 else OF_TWO[largest][not unit.label]
        return GRID_STEPS * l1, GRID_STEPS * l2
