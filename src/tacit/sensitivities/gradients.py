"""How far sums of clipped residuals times features move, and the features' moments."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from tacit.privacy.basis import RowSums
from tacit.privacy.unit import PrivacyUnit
from tacit.rules.priors import CUT_OF_CLASSES
from tacit.sensitivities import FEATURE_STEPS, GRID_STEPS, RANKED_RESIDUAL_STEPS, ROUNDED_UP


@dataclass(frozen=True)
class GradientsBasis(RowSums, query="summed gradients of bins"):
    """The columns that gradients are of, and the clip.

    All protected columns but those that are named: a long list would be written with each of many releases.
    """

    unread: tuple[str, ...]
    """Protected columns that no gradient is of."""
    public: int
    """Number of public columns."""
    clip: float
    squares: float | None
    """Squared L2 sensitivity by what released weights imply, where the clip is above one half; None up to there."""

    @property
    def bounded_by_answers(self) -> bool:
        """Whether released weights bound it."""
        return self.squares is not None

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return both in steps of residuals."""
        l1, l2 = self.in_residuals(unit)
        return GRID_STEPS * l1, GRID_STEPS * l2

    def in_residuals(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return both in units of residual."""
        private = len(set(unit.columns) - set(self.unread))
        known = clipped(private, self.public, unit.label, self.clip)
        squares = known if self.squares is None else self.squares
        return (2 * self.clip * (private + self.public), sqrt(squares) * ROUNDED_UP) if squares else (0.0, 0.0)


def clipped(private: int, public: int, label: bool, clip: float) -> float:
    """Return the squared L2 sensitivity where residuals of either sign reach the clip."""
    same = max(2 * private, private + public) * clip**2 if private else 0.0
    return max(same, 4 * (private + public) * clip**2) if label else same


NUMBER_MOVES = {False: (1.5625, 1.28616), True: (1.87686, 1.3796)}
"""With quadratic terms or without: how far half of a number's rank, its square, and that of its term move in L1, and in
squared L2; and at least how long they are, as a person may have one row more than in a neighboring table."""


QUADRATIC_ROUNDING = 5 / FEATURE_STEPS
"""What a number's moments may move further together, as both features are cut to their grid toward zero."""


def clip_of(n_classes: int) -> float:
    """Return the largest L2 norm of a row's residuals: a part of their norm where all classes are as likely.

    Of two classes the one residual counts, whose negative is the other's, and all of it; of a number (one class) its
    own, in units in which it is so long at most.

    Examples
    --------
    >>> clip_of(2), round(clip_of(4) ** 2, 6)
    (0.5, 0.6075)
    """
    return 0.5 if n_classes <= 2 else CUT_OF_CLASSES * sqrt(1 - 1 / n_classes)


@dataclass(frozen=True)
class RankedGradientsBasis(RowSums, query="summed gradients of ranked rows"):
    """The lengths to which residuals and features are cut."""

    reads_protected: bool
    """Whether the label, or a column that is learned from, is protected."""
    n_classes: int
    """1 of a number."""
    radius: float
    """Largest L2 norm of a row's features."""
    n_nonzero: int
    """Most features of a row that are not zero."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return both in steps."""
        l1, l2 = self.in_residuals()
        steps = RANKED_RESIDUAL_STEPS * FEATURE_STEPS
        return steps * l1, steps * l2

    def in_residuals(self) -> tuple[float, float]:
        """Return both in units of a residual; zero where nothing protected is read."""
        if not self.reads_protected:
            return 0.0, 0.0
        l2 = 2 * clip_of(self.n_classes) * self.radius * ROUNDED_UP
        # A row has at most so many features other than zero, as it has a number or the mark that it has none; its
        # residuals are one negative number and the rest positive.
        spread = 1.0 if self.n_classes <= 2 else 2 * sqrt(1 - 1 / self.n_classes)
        return l2 * spread * sqrt(self.n_nonzero), l2


@dataclass(frozen=True)
class MomentsBasis(RowSums, query="moments of ranked rows"):
    """The columns whose features are squared, by what they are."""

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    marks: tuple[str, ...]
    """Indicators of empty cells, in addition to what their numbers count."""
    bends: bool
    """Whether numbers have quadratic terms; the name is that in certificates."""

    def of_row(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return both in steps."""
        l1, l2 = self.in_squares(unit)
        return FEATURE_STEPS**2 * l1, FEATURE_STEPS**2 * l2

    def in_squares(self, unit: PrivacyUnit) -> tuple[float, float]:
        """Return both in units of a squared feature; zero where no column is protected."""
        numbers, categories, marks = (
            len(set(names) & set(unit.columns)) for names in (self.numbers, self.categories, self.marks)
        )
        l1, square = NUMBER_MOVES[self.bends]
        if self.bends:
            l1, square = l1 + QUADRATIC_ROUNDING, (sqrt(square) + QUADRATIC_ROUNDING) ** 2
        # Of a category one count falls and another rises; an empty cell moves no further than rank 1 is from none.
        squares = numbers * square + 2.0 * categories + marks
        return numbers * l1 + 2.0 * categories + marks, sqrt(squares) * ROUNDED_UP
