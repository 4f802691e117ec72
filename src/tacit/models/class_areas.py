"""Areas under the ROC curve of each of many classes against the rest, from noisy counts by the classes' own scores."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, log, sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError
from tacit.models.area_influence import Squares
from tacit.models.document import check_bounded
from tacit.models.intervals import USUAL, Area, Band, NoisyCells, mean_of_areas
from tacit.models.levels import MOST_LEVELS, hidden_inside, level_edges, width_of

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}

Law = Literal["exact", "Laplace", "Gaussian"]


@dataclass(frozen=True)
class ClassScores:
    """Rows by level of each class's own score, counted with noise.

    Parameters
    ----------
    counts : tuple of tuple of tuple of float
        For each of the sorted classes, of the rows of other classes and of its own, one number a level of the log-odds
        of the class.
    edges : tuple of float
        As those of ``HeldOut``.
    scale : float
        Of the noise on each count.
    law : {"exact", "Laplace", "Gaussian"}
    squares : Squares, optional
        How far the classes' areas go together, where rows are enough to tell; of the same law of noise.

    Examples
    --------
    >>> rest_and_own = ((400.0, 100.0), (100.0, 400.0))
    >>> scores = ClassScores((rest_and_own,) * 3, (0.0,), 0.0, "exact")
    >>> [round(float(area.band[0]), 2) for area in scores.areas(1000, 1)]
    [0.8, 0.8, 0.8]
    """

    counts: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
    edges: tuple[float, ...]
    scale: float
    law: Law
    squares: Squares | None = None

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def __post_init__(self) -> None:
        shaped = all(len(row) == len(self.edges) + 1 <= MOST_LEVELS for each in self.counts for row in each)
        ascending = all(one < other for one, other in zip(self.edges, self.edges[1:], strict=False))
        if not (shaped and ascending and self.scale >= 0 and (self.scale > 0) == (self.law != "exact")):
            raise ModelFileError("Expected counts by level of each class's score, got others. The file is damaged.")
        if self.squares is not None and (self.squares.scale > 0) != (self.scale > 0):
            raise ModelFileError("Expected noise on all counts and squares or on none. The file is damaged.")
        check_bounded(*(count for each in self.counts for row in each for count in row), self.scale, *self.edges)

    def areas(self, n_rows: int, rows_of_person: int) -> list[Area]:
        """Return the area of each class against the rest; rows as ``HeldOut`` has them."""
        kurtosis, total = 3.0 if self.law == "Laplace" else 0.0, float(n_rows) if rows_of_person == 1 else None
        own = np.repeat([False, True], len(self.edges) + 1)
        hidden = hidden_inside(self.edges)
        each = (NoisyCells(row, self.deviation**2, kurtosis, total, rows_of_person) for row in self._rows)
        return [cells.area_of(~own, own, hidden) for cells in each]

    def mean_area(self, n_rows: int, rows_of_person: int) -> Band:
        """Return the mean over classes, each as often as any other."""
        counts = self._rows.reshape(len(self.counts), 2, -1)
        together = 1.0 if self.squares is None else self.squares.together(counts, self.law)
        return mean_of_areas(self.areas(n_rows, rows_of_person), one_each=rows_of_person == 1, together=together)

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise on each count, in rows."""
        return self.scale * (sqrt(2) if self.law == "Laplace" else 1.0)

    @property
    def _rows(self) -> NDArray[np.float64]:
        return np.asarray(self.counts, dtype=np.float64).reshape(len(self.counts), -1)


def levels_of(likely: NDArray[np.float64], edges: tuple[float, ...]) -> NDArray[np.intp]:
    """Return the level of each class's log-odds in each row, shape (n_rows, n_classes)."""
    with np.errstate(divide="ignore"):
        odds = np.log(likely) - np.log1p(-likely)
    return np.asarray(np.searchsorted(edges, odds), dtype=np.intp)


def class_edges(n_classes: int, n_rows: int, deviation: float) -> tuple[float, ...]:
    """Return edges of levels of log-odds, from public numbers alone: those of the least error of a mean area.

    They are as far on both sides of the log-odds of one class in so many.
    """
    edges = level_edges(
        lambda levels: hypot(_noise(n_classes, n_rows, deviation, levels), 0.035 * width_of(levels) ** 2)
    )
    return tuple(edge - log(n_classes - 1) for edge in edges)


def area_error(n_classes: int, n_rows: int, deviation: float) -> float:
    """Return about half of the interval that noise alone gives a mean area, where classes are equally frequent."""
    levels = len(class_edges(n_classes, n_rows, deviation)) + 1
    return USUAL * _noise(n_classes, n_rows, deviation, levels)


def _noise(n_classes: int, n_rows: int, deviation: float, levels: int) -> float:
    """Return the standard deviation of a mean area by noise alone.

    A class's area moves by a count's noise times how far its level's rank is from the middle, half at most, over the
    class's rows; the classes' noises are independent.
    """
    return sqrt(levels * n_classes) * deviation / (2 * n_rows)
