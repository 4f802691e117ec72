"""How far masses of rows move: counts, or weights of which all rows have one together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Literal

from tacit.privacy.basis import Basis, SensitivityKind
from tacit.privacy.unit import PrivacyUnit


@dataclass(frozen=True)
class MassBounds:
    """Public numbers that bound what a row weighs: where rows are counted, and where all rows together weigh 1.

    Privacy: of weights exp(-rate margin), capped at 1/(density n), the total variation over records between two
    neighboring tables is at most r/(n - 1 + r), margins being at most log(r)/rate apart, and at most the cap. Proof:
    ``proofs/boosting/smooth_weights.md``.
    """

    weight: int = 1
    """What counts as one row, where rows are counted."""
    density: float | None = None
    """Of weights of which all rows have one together; None where rows are counted."""
    rate: float = 0.0
    """What a step of margins multiplies a weight by, as a logarithm."""
    spread: int = 0
    """The most by which the margins of two rows can differ, in steps."""
    n_positions: int = 0
    """Of margins, over which weights are added."""

    def influence(self, unit: PrivacyUnit, n_rows: int) -> float:
        """Return the most that leaves, and the most that enters, when one person is replaced."""
        if self.density is None:
            return float(self.weight * unit.most_rows)
        # An exponent above 700 would overflow, and any such ratio makes the cap the smaller of the two.
        ratio = exp(min(self.rate * self.spread, 700.0))
        return min(1 / (self.density * n_rows), ratio / (n_rows - 1 + ratio) * (1 + 2.0**-40))

    def total(self, unit: PrivacyUnit, n_rows: int) -> float:
        """Return what all rows weigh together, at most."""
        return 1.0 if self.density is not None else self.influence(unit, n_rows) * n_rows

    @property
    def rounding(self) -> float:
        """Bound on the rounding of a sum over any set of rows; 0 for counts."""
        # 2^-50, four units in the last place of 1, for each position that a sum runs over.
        return 0.0 if self.density is None else (self.n_positions + 16) * 2.0**-50 / self.density


@dataclass(frozen=True)
class MassBasis(MassBounds, Basis):
    """Of queries about masses of rows: what rows weigh."""


@dataclass(frozen=True, kw_only=True)
class LeafLeadsBasis(MassBasis, query="lead of the second class at each leaf"):
    """The number of leads, and what rows weigh."""

    leads: int

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return twice what leaves and what enters, and the rounding of four masses and two differences in each."""
        # Six, as proved, of the rounding of a mass: each lead is a difference of two masses on either table.
        moved = 2.0 * self.influence(unit, n_rows) + 6.0 * self.rounding * self.leads
        return {"l1": moved, "l2": moved}


Criterion = Literal["gini", "error"]


RANGES: dict[str, float] = {"gini": 4.0, "error": 2.0}
"""Range of the scores for each unit of influence, whether leaves compete or each chooses for itself."""


@dataclass(frozen=True, kw_only=True)
class SplitScoresBasis(MassBasis, query="splits of leaves"):
    """The criterion, the number of classes, and what rows weigh."""

    criterion: Criterion
    n_classes: int

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return the range, and what rounding adds to it.

        It compares four scores of three impurities each. An impurity takes n_classes + 4 operations of relative error
        2^-53 on numbers of at most the total, and moves by at most 2 for each unit by which a mass is off.
        """
        total, n_classes = self.total(unit, n_rows), self.n_classes
        rounding = 64.0 * (n_classes + 4) * 2.0**-53 * total + 64.0 * n_classes * self.rounding
        return {"range": RANGES[self.criterion] * self.influence(unit, n_rows) + rounding}


@dataclass(frozen=True, kw_only=True)
class OneRulesBasis(MassBasis, query="weighted errors of one-rules"):
    """The most bins of a column, and what rows weigh."""

    n_bins: int

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return twice what a row can weigh, and the rounding of four errors in a difference of differences."""
        # Of one error: that of the weights, and of sums over a column's bins.
        rounding = self.rounding + (self.n_bins + 8) * 2.0**-50
        return {"range": 2 * self.influence(unit, n_rows) + 4 * rounding}
