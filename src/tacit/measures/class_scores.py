"""Areas under the ROC curve of each of many classes against the rest, from noisy counts by the classes' own scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError
from tacit.measures.auc import Area, auc_of, mean_of_areas
from tacit.measures.auc_covariance import Squares
from tacit.measures.intervals import Band, NoisyCells
from tacit.measures.score_cells import MAX_LEVELS

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}

Distribution = Literal["exact", "Laplace", "Gaussian"]


@dataclass(frozen=True)
class ClassScores:
    """Rows by level of each class's own score, counted with noise.

    Parameters
    ----------
    counts : tuple of tuple of tuple of float
        For each of the sorted classes, of the rows of other classes and of its own, one number a level of the log-odds
        of the class.
    edges : tuple of tuple of float
        For each class as those of ``HeldOut``, as many of each, whatever the rows: a level between two that are the
        same has none.
    scale, own_scale : float
        Of the noise on each count of rows of other classes, and of a class's own rows.
    distribution : {"exact", "Laplace", "Gaussian"}
    squares : Squares, optional
        How far the classes' areas go together, where rows are enough to tell; of the same distribution of noise.

    Examples
    --------
    >>> rest_and_own = ((400.0, 100.0), (100.0, 400.0))
    >>> scores = ClassScores((rest_and_own,) * 3, ((0.0,),) * 3, 0.0, 0.0, "exact")
    >>> [round(float(area.band[0]), 2) for area in scores.areas(1000.0, 1)]
    [0.87, 0.87, 0.87]
    """

    counts: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]
    edges: tuple[tuple[float, ...], ...]
    scale: float
    own_scale: float
    distribution: Distribution
    squares: Squares | None = None

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def __post_init__(self) -> None:
        levels = {len(each) + 1 for each in self.edges} | {len(row) for each in self.counts for row in each}
        shaped = len(levels) == 1 and max(levels) <= MAX_LEVELS and len(self.edges) == len(self.counts)
        ascending = all(one <= other for each in self.edges for one, other in pairwise(each))
        noisy, scales = self.distribution != "exact", (self.scale, self.own_scale)
        if not (shaped and ascending and all(each >= 0 and (each > 0) == noisy for each in scales)):
            raise ModelFileError("Expected counts by level of each class's score, got others. The file is damaged.")
        if self.squares is not None and (self.squares.scale > 0) != (self.scale > 0):
            raise ModelFileError("Expected noise on all counts and squares or on none. The file is damaged.")
        check_bounded(*chain(*chain(*self.counts)), *scales, *chain(*self.edges))

    def areas(self, total: float | None, rows_of_person: int) -> list[Area]:
        """Return the area of each class against the rest; all rows, where that is public, as ``HeldOut`` has them."""
        return [auc_of(cells, ~own, own) for cells, own in self.cells(total, rows_of_person)]

    def cells(self, total: float | None, rows_of_person: int) -> list[tuple[NoisyCells, NDArray[np.bool_]]]:
        """Return the counts by each class's score, and which of them are of rows of the class."""
        kurtosis = 3.0 if self.distribution == "Laplace" else 0.0
        n_levels = len(self.edges[0]) + 1
        own, variances = np.repeat([False, True], n_levels), np.repeat(self.variances, n_levels)
        each = (NoisyCells(row, variances, kurtosis, total, rows_of_person) for row in self._rows)
        return [(cells, own) for cells in each]

    def mean_area(self, total: float | None, rows_of_person: int) -> Band:
        """Return the mean over classes, each as often as any other."""
        counts = self._rows.reshape(len(self.counts), 2, -1)
        together = 1.0 if self.squares is None else self.squares.together(counts, self.distribution)
        return mean_of_areas(self.areas(total, rows_of_person), one_each=rows_of_person == 1, together=together)

    @property
    def variances(self) -> NDArray[np.float64]:
        """Of the noise on each count of rows of other classes and of a class's own, shape (2,)."""
        return np.asarray([self.scale, self.own_scale]) ** 2 * (2.0 if self.distribution == "Laplace" else 1.0)

    @property
    def _rows(self) -> NDArray[np.float64]:
        return np.asarray(self.counts, dtype=np.float64).reshape(len(self.counts), -1)
