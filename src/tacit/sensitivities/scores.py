"""How far held-out losses move, and scores by which cells and columns are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tacit.privacy.basis import Basis, RowSums, SensitivityKind
from tacit.privacy.unit import PrivacyUnit
from tacit.sensitivities import PART_STEPS

ClassScore = Literal["log-loss", "accuracy", "brier"]
NumberScore = Literal["absolute-error"]
Score = Literal["log-loss", "accuracy", "brier", "absolute-error"]


@dataclass(frozen=True)
class HeldOutLossBasis(Basis, query="held-out loss"):
    """The score that is summed, and what counts as one row."""

    score: Score
    weight: int

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return what a loss moves, and how far two models' losses move apart."""
        bound = float(largest_loss(self.score) * self.weight * unit.most_rows)
        return {"l1": bound, "l2": bound, "range": 2.0 * bound}


def largest_loss(score: Score) -> int:
    """Return the largest loss of one row, in steps; the smallest is 0."""
    return 1 if score == "accuracy" else PART_STEPS


@dataclass(frozen=True)
class HeldOutSquaresBasis(RowSums, query="held-out rows' squared influence on the mean area"):
    """A row adds at most all steps."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return the steps."""
        return float(PART_STEPS), float(PART_STEPS)


RANGE_OF_HALVES = 4.0
"""Of all intervals' scores together, in half rows."""

MOVED = 2
"""A replaced row leaves one interval and enters another, at most."""


@dataclass(frozen=True)
class MediansBasis(Basis, query="cells that halve intervals"):
    """The most rows of one person that are read."""

    rows_read: int

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return the range of all intervals' scores together, in half rows."""
        return {"range": RANGE_OF_HALVES * max(self.rows_read, unit.most_rows)}


RANGE_OF_COLUMNS = 2.0
"""Of the scores, in rows: one that leaves takes up to one from some scores and nothing from others, and so one that
enters."""


@dataclass(frozen=True)
class ColumnScoresBasis(Basis, query="rows that a column alone tells the class of"):
    """What counts as one row, before classes weigh."""

    weight: int

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return the range in steps of what one row weighs."""
        return {"range": RANGE_OF_COLUMNS * PART_STEPS * self.weight * unit.most_rows}
