"""How far counts of rows move: those that leave some cells and enter as many others."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from tacit.privacy.basis import RowSums
from tacit.privacy.unit import PrivacyUnit
from tacit.sensitivities import PART_STEPS, ROUNDED_UP


@dataclass(frozen=True)
class MarginalsBasis(RowSums, query="rows by bin"):
    """The columns whose rows are counted by bin or category."""

    columns: tuple[str, ...]

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row that leaves a bin of each protected column and enters another moves."""
        moved = len(set(self.columns) & set(unit.columns))
        return 2.0 * moved, sqrt(2 * moved) * ROUNDED_UP


@dataclass(frozen=True)
class PlaceCountsBasis(RowSums, query="rows by place of numbers"):
    """The columns whose rows are counted by place."""

    columns: tuple[str, ...]

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row that leaves a part of each protected column and enters another moves."""
        moved = 2 * len(set(self.columns) & set(unit.columns))
        return float(moved), sqrt(moved)


@dataclass(frozen=True)
class TargetPlacesBasis(RowSums, query="rows by place of the target"):
    """A row has one number to predict."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row whose number leaves a part and enters another moves."""
        return (2.0, sqrt(2.0)) if unit.label else (0.0, 0.0)


@dataclass(frozen=True)
class DepthHistogramBasis(RowSums, query="rows by leaf, class and bin of each column"):
    """The most columns that are asked at a leaf: a row counts once in each."""

    asked: float

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row that leaves so many cells and enters others moves."""
        return _cells(self.asked)


@dataclass(frozen=True)
class LeafCountsBasis(RowSums, query="rows of each class at each leaf"):
    """A row counts in one cell."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row that leaves a cell and enters another moves."""
        return _cells(1)


@dataclass(frozen=True)
class ValueCountsBasis(RowSums, query="rows by value of a column"):
    """A row has one value."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row that leaves a value and enters another moves."""
        return 2.0, sqrt(2.0)


@dataclass(frozen=True)
class WeightSumBasis(RowSums, query="sum of weights"):
    """A row adds its weight, from 0 to 1."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row moves whose weight goes from one end to the other."""
        return 1.0, 1.0


@dataclass(frozen=True)
class HeldOutCountsBasis(RowSums, query="held-out rows by level"):
    """The number of scores by each of which a row is counted once."""

    n_scores: int

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row that leaves a cell of each score and enters another moves."""
        # The root of two is above the true one; others are rounded up.
        return 2.0 * self.n_scores, sqrt(2.0) if self.n_scores == 1 else sqrt(2.0 * self.n_scores) * (1 + 2.0**-50)


@dataclass(frozen=True)
class HeldOutGroupsBasis(RowSums, query="held-out rows by level and group"):
    """The columns by whose categories rows are grouped: a row is in one group, and in one cell."""

    by: tuple[str, ...]

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row that leaves a cell and enters another moves."""
        return 2.0, sqrt(2.0)


@dataclass(frozen=True)
class PredictedClassesBasis(RowSums, query="rows by cell, class and predicted class"):
    """The number of columns, in each of which a row is counted once."""

    n_columns: int

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return both in steps."""
        l1, l2 = _cells(self.n_columns)
        return l1 * PART_STEPS, l2 * PART_STEPS


def _cells(left: float) -> tuple[float, float]:
    """Return L1 and L2 where a row leaves so many cells and enters others; the root is rounded up."""
    return 2.0 * left, sqrt(2.0 * left) * (1 + 2.0**-50)
