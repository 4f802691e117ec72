"""How far sums over the leaves of oblivious trees move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt

from tacit.privacy.basis import Basis, RowSums, SensitivityKind
from tacit.privacy.unit import PrivacyUnit
from tacit.sensitivities import GRID_STEPS

CLIP_OF_MANY = sqrt(0.5)
"""Length to which residuals of more than two classes are clipped, vectors of a number for each: nothing is clipped of a
row whose two likeliest classes are as likely."""


@dataclass(frozen=True)
class Moves:
    """What of a row may differ between two neighboring tables, as far as a tree and the margins read it.

    Parameters
    ----------
    n_classes : int
        1 of a number, whose residual is of either sign whatever the number is.
    label : bool
    leaf : bool
        The tree tests a protected column.
    margin : bool
        The margins depend on a protected column.
    weighs_classes : bool
        Rows count as much as their classes weigh, one at most.
    most : float
        Of two classes, the length of a residual; two of different labels are one apart at most.

    Notes
    -----
    Privacy: bounds in units of ``GRID_STEPS``, under replace-one; zero where nothing that is read may differ. Proof:
    ``proofs/queries/leaf_sums.md``.

    Examples
    --------
    >>> [round(bound / GRID_STEPS, 3) for bound in Moves(2, label=True, leaf=True, margin=True).gradients]
    [1.0, 1.0]
    >>> [round(bound / GRID_STEPS, 3) for bound in Moves(3, label=False, leaf=True, margin=True).gradients]
    [2.309, 1.0]
    """

    n_classes: int
    label: bool
    leaf: bool
    margin: bool
    weighs_classes: bool = False
    most: float = 0.5

    @property
    def range(self) -> float:
        """Of the trees' scores: each moves by two residuals' lengths at most, in one leaf by how far they are apart."""
        if not (self.label or self.leaf or self.margin):
            return 0.0
        apart = self._signs and not self.leaf
        return 2 * (1.0 if apart else 2 * self._clip) * GRID_STEPS * self._rounded_up

    @property
    def gradients(self) -> tuple[float, float]:
        """L1 and L2 sensitivity of the sums of residuals."""
        k, clip = self.n_classes, self._clip
        # |r|_1 = 2 r_label, largest where the other classes share alike; of two classes one coordinate says all.
        l1 = clip if k <= 2 else 2 * clip * sqrt((k - 1) / k)
        # What rounding to the grid adds where a bound is not that of two vectors' lengths: a step for each coordinate.
        steps = 0 if k <= 2 else k
        if self._signs:
            # One apart in one leaf; in two leaves each by its own.
            return self._scaled(2 * clip if self.leaf else 1.0, 1.0)
        if self.label:
            # With all columns public only the label moves a residual: two units at most.
            l1 = 2 * l1 if self.leaf or self.margin else min(2 * l1, 2 + steps / GRID_STEPS)
            return self._scaled(l1, 2 * clip)
        if self.leaf:
            return self._scaled(2 * l1, sqrt(2) * clip)
        # Residuals of one label are at most 60 degrees apart, so in one leaf no further than the clip.
        return self._scaled(l1 + steps / GRID_STEPS, clip + sqrt(steps) / GRID_STEPS, self.margin)

    @property
    def curvatures(self) -> tuple[float, float]:
        """L1 and L2 sensitivity of the sums of p (1 - p); the label is read by class weights alone."""
        # Of a number it is the same for all rows.
        moves = (self.margin and self.n_classes > 1) or (self.weighs_classes and self.label)
        l1, squared = (1 / 4, 1 / 16) if self.n_classes <= 2 else (1 - 1 / self.n_classes, 4 / 27)
        if self.leaf or self.n_classes > 2:
            return self._scaled(2 * l1, sqrt(2 * squared), self.leaf or moves)
        return self._scaled(l1, sqrt(squared), moves)

    def _scaled(self, l1: float, l2: float, moves: bool = True) -> tuple[float, float]:
        return (GRID_STEPS * self._rounded_up * l1, GRID_STEPS * self._rounded_up * l2) if moves else (0.0, 0.0)

    @property
    def _signs(self) -> bool:
        """Whether the one residual of a row may be of either sign: of a number also where it stays."""
        return self.n_classes <= 2 and (self.label or (self.n_classes == 1 and self.margin))

    @property
    def _clip(self) -> float:
        # Of a number residuals reach one half, of two classes one half or more, whatever is stated.
        return max(self.most, 0.5) if self.n_classes <= 2 else CLIP_OF_MANY

    @property
    def _rounded_up(self) -> float:
        """Factor that covers the rounding of a row's probabilities and of a stated bound: a few units a class."""
        return 1 + (16 + self.n_classes) * 2.0**-48


@dataclass(frozen=True)
class ResidualSumsBasis(Moves, RowSums, query="residuals by leaf"):
    """What of a row may differ."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return how far residuals' sums move."""
        return replace(self, label=unit.label).gradients


@dataclass(frozen=True)
class CurvatureSumsBasis(Moves, RowSums, query="curvatures by leaf"):
    """What of a row may differ."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return how far curvatures' sums move."""
        return replace(self, label=unit.label).curvatures


@dataclass(frozen=True, kw_only=True)
class ForestScoresBasis(Moves, Basis, query="oblivious trees"):
    """What of a row may differ, and what counts as one."""

    weight: int
    rounding: float
    """Of one score of more than two classes."""

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return the range; of more than two classes, whose scores are rounded to whole steps, with the rounding."""
        moved = replace(self, label=unit.label).range * self.weight * unit.most_rows
        return {"range": moved + 2 + 4 * self.rounding if moved and self.n_classes > 2 else moved}
