"""How far edges, objectives and weighted errors of linear rules move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from tacit.errors import ParameterError
from tacit.privacy.basis import Basis, RowSums, SensitivityKind
from tacit.privacy.rounding import slightly_up
from tacit.privacy.unit import PrivacyUnit
from tacit.sensitivities import GRID_STEPS


def edges_move(
    numbers: tuple[str, ...], categories: tuple[str, ...], constant: bool, unit: PrivacyUnit
) -> tuple[float, float]:
    """Return L1 and L2 of one row's edge.

    Each column that may move adds 2 to L1. To squared L2 it adds 4, or 2 for one-hot categories under a public label,
    which keep their sign.
    """
    moving = [sum(unit.label or name in unit.columns for name in names) for names in (numbers, categories)]
    moved = sum(moving) + (constant and unit.label)
    squares = 4.0 * moved if unit.label else 4.0 * moving[0] + 2.0 * moving[1]
    return 2.0 * moved, slightly_up(sqrt(squares))


@dataclass(frozen=True)
class AllEdgesBasis(Basis, query="all edges"):
    """The columns that edges are of, of one feature and of several, and whether a constant one follows."""

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    constant: bool

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return how far one row's edge moves."""
        l1, l2 = edges_move(self.numbers, self.categories, self.constant, unit)
        return {"l1": l1, "l2": l2}


@dataclass(frozen=True)
class EdgeSumsBasis(RowSums, query="sums of edges"):
    """The same of sums over rows, in steps of the features' grid; in the gauge's norm, of rows."""

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    constant: bool

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return how far one row's edge moves, in steps."""
        l1, l2 = edges_move(self.numbers, self.categories, self.constant, unit)
        return l1 * GRID_STEPS, l2 * GRID_STEPS

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return the norms in steps, and the gauge in rows: each column's features move by at most 2 in L1."""
        return {**super().sensitivity(unit, n_rows), "gauge": 2.0 * unit.most_rows}


@dataclass(frozen=True)
class MeanScoreBasis(RowSums, query="mean score"):
    """The L1 norm of the weights of protected columns."""

    norm: float

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return what a row moves in steps, one of them for rounding; labels do not enter."""
        # Cutting scores to [-1, 1] bounds the movement whatever the weights; small weights bound it by themselves.
        moves = min(2.0, slightly_up(2 * self.norm)) * GRID_STEPS
        reach = moves + 1 if unit.columns else 0.0
        return reach, reach


@dataclass(frozen=True)
class ObjectiveBasis(Basis, query="minimizer of a linear objective"):
    """The number of columns, of features whose L1 norm is at most one; an intercept is a column."""

    columns: int

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return how far the summed gradient moves: two rows' slopes of at most one, times features."""
        return {"gauge": 2.0, "l2": 2 * sqrt(self.columns)}


@dataclass(frozen=True)
class ResidualSumsBasis(Basis, query="sum of residuals times features"):
    """The largest residual, which public offsets bound."""

    largest: float

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return how far it moves in the gauge of the features' ball."""
        return {"gauge": 2 * self.largest * unit.most_rows}


ERROR_ROUNDING = 2.0**-50
"""Bounds the rounding of one error: two exactly rounded sums of rounded products, and their quotient."""


SCORE_ROUNDING = 4 * 1024 * ERROR_ROUNDING
"""Bounds what rounding adds to the range: four scores, each a quotient of plain sums over at most 513 weights."""


@dataclass(frozen=True)
class WeightedErrorBasis(Basis, query="weighted error of a linear rule"):
    """The largest over the smallest weight of a row, by what was released so far."""

    ratio: float

    @property
    def bounded_by_answers(self) -> bool:
        """Whether released errors bound it: in the first round no weight has moved."""
        return True

    def sensitivity(self, unit: PrivacyUnit, n_rows: int) -> Mapping[SensitivityKind, float]:
        """Return how far an error moves, and how far two intercepts' accuracies move apart, rounding included."""
        moved = error_sensitivity(self.ratio, n_rows, unit) + 2 * ERROR_ROUNDING
        return {"l1": moved, "l2": moved, "range": accuracy_range(self.ratio, n_rows, unit) + SCORE_ROUNDING}


def error_sensitivity(ratio: float, n_rows: int, unit: PrivacyUnit | None = None) -> float:
    """Return the largest movement of a weighted error when one row is replaced.

    Equals ratio / (n - 1 + ratio), below the c1*c2/n of Shen and others (2022), Lemma 1. Where a person has up to k
    rows that count one each, k ratio / (m + k ratio), m being the least number of rows of all others: n - 1 persons, or
    n - k of n declared rows.

    Parameters
    ----------
    ratio : float
        The largest over the smallest weight that a row can have, at least 1.
    n_rows : int
        Of persons where an identifier names them.
    unit : PrivacyUnit, optional
        Of whose persons there are up to ``most_rows`` rows; by default one.
    """
    if ratio < 1 or n_rows < 1:
        raise ParameterError("Expected a ratio of at least 1 and at least one row.")
    most = 1 if unit is None else unit.most_rows
    declared = unit is not None and unit.persons is not None and unit.persons.identifier is None
    others = max(n_rows - (most if declared else 1), 0)
    return most * ratio / (others + most * ratio)


def accuracy_range(ratio: float, n_rows: int, unit: PrivacyUnit) -> float:
    """Return the largest movement of the difference of two intercepts' accuracies when one row is replaced.

    With a public label a row between two intercepts is right under the same one of them before and after.

    Parameters
    ----------
    ratio, n_rows, unit
        As of ``error_sensitivity``.
    """
    moved, others = error_sensitivity(ratio, n_rows, unit), n_rows - 1
    # Rows of one person may have both labels; below the root of the ratio, heavier others move more than light ones.
    if unit.label or unit.persons is not None or others**2 < ratio:
        return 2 * moved
    return moved + others * (ratio - 1) / ((others + ratio) * (others + 1))
