"""How good a regressor is, from noisy counts of held-out rows by level of what it misses their numbers by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, hypot, inf, log, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError
from tacit.measures.held_out import KEPT, WEIGHED, Origin
from tacit.measures.intervals import Band, Estimate, NoisyCells
from tacit.measures.prediction_sets import Counting
from tacit.measures.residual_intervals import Distribution, Reach, ResidualCounts, quantiles_of, reach_of
from tacit.measures.score_cells import MAX_LEVELS, REACH

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}

Numbers = NDArray[np.float64]

COVERAGE = 0.9
"""Of the intervals that are measured, and made where nobody says otherwise."""

_PLACES = np.linspace(0.0, 1.0, 33)
"""Inside a level, at which a function of residuals is taken."""

_BENT = 6
"""A density that rises from nothing to its most inside a level has its mean a sixth of the level from the middle."""


@dataclass(frozen=True)
class DistanceCounts:
    """Rows by how far their number is from where a regressor starts, counted with noise.

    Parameters
    ----------
    counts : tuple of float
        One a level, the last of rows beyond all edges.
    edges : tuple of float
        Ascending distances.
    scale : float
        Of the noise on each count.
    distribution : {"exact", "Laplace", "Gaussian"}
    """

    counts: tuple[float, ...]
    edges: tuple[float, ...]
    scale: float
    distribution: Distribution

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def __post_init__(self) -> None:
        _check_counts(self.counts, self.edges, self.scale, self.distribution)
        if not self.edges or self.edges[0] < 0:
            raise ModelFileError("Expected counts by distance, got others. The file is damaged.")


@dataclass(frozen=True)
class HeldOutResiduals(ResidualCounts):
    """Rows that a regressor was not trained on, counted with noise by level of their residual.

    A residual is a row's number less the one that is predicted. All measures are post-processing of these counts, in
    the target's unit. Residuals beyond the outermost edges count as these.

    Parameters
    ----------
    counts : tuple of float
        One a level.
    edges : tuple of float
        Ascending residuals: level i holds what is above edge i - 1 and at most edge i.
    outer : tuple of two int
        How many edges at the lower and the upper end lie beyond the private quantiles.
    spread : float
        So much counts as one on the grid of residuals; released.
    width : float
        Distance of the target's bounds: no residual is larger.
    n_rows : int
        That were counted; public. Of persons where an identifier names them.
    scale : float
        Of the noise on each count.
    distribution : {"exact", "Laplace", "Gaussian"}
    distances : DistanceCounts
        Of the same rows, by distance from the released start, with which predictions are compared.
    rows_of_person : int
        How often one person counts at most.
    origin : {"holdout", "evaluation"}
        Rows kept back from the fit, or other rows.
    interval : tuple of two float or None, optional
        Of other rows: between which residuals the model's own intervals of 90 % are; None for no end.
    weighed : bool
        As that of ``HeldOut``.
    max_levels, max_outer : int
        How many levels there may have been, and edges beyond the private quantiles at each end, by public numbers.

    Examples
    --------
    >>> away = DistanceCounts((500.0, 300.0, 200.0), (2.0, 4.0), 0.0, "exact")
    >>> measured = HeldOutResiduals(
    ...     (50.0, 400.0, 500.0, 50.0), (-2.0, 0.0, 2.0), (1, 1), 1.0, 10.0, 1000, 0.0, "exact", away)
    >>> print(measured.mae, measured.beyond)
    1.1 (0.7806 to 1.419) 0.100 (0.082 to 0.121)
    """

    distances: DistanceCounts
    rows_of_person: int = 1
    origin: Origin = "holdout"
    interval: Reach | None = None
    weighed: bool = False

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    def __post_init__(self) -> None:
        _check_counts(self.counts, self.edges, self.scale, self.distribution)
        counted = self.n_rows >= 1 and self.rows_of_person >= 1 and self.spread > 0 and 0 < self.width < inf
        # The grid reaches so far; twice as far is for rounding.
        most = 2 * REACH * self.spread
        ends = [end for end in self.interval or () if end is not None]
        counted &= all(abs(edge) <= most for edge in (*self.edges, *self.distances.edges, *ends))
        # Margins of intervals are those of so many levels: fewer than there are would make them too small.
        inner = len(self.counts) - sum(self.outer)
        counted &= max(self.outer) <= self.max_outer and inner <= self.max_levels - 2 * self.max_outer
        if not (counted and min(self.outer) >= 0 and inner > 1):
            raise ModelFileError("Expected counts by level of a residual, got others. The file is damaged.")

    @property
    def rmse(self) -> Estimate:
        """Root of the mean square of residuals."""
        return _in_units([sqrt(max(float(part), 0.0)) for part in self._mean_square], self.spread)

    @property
    def mae(self) -> Estimate:
        """Mean size of residuals."""
        return _in_units(self._mean(np.abs), self.spread)

    @property
    def r2(self) -> Estimate | None:
        """Share of the mean square about the released start that predictions explain; None where noise hides it."""
        missed, away = self._mean_square, self._mean_distance(np.square)
        if not (away[1] > 0 and missed[0] > 0):
            return None
        # Limits of a ratio by those of its logarithm's parts (Zou and Donner 2008).
        ratio = float(missed[0] / away[0])
        up = exp(hypot(log(missed[2] / missed[0]), log(away[0] / away[1])))
        down = exp(-hypot(log(missed[0] / missed[1]), log(away[2] / away[0]))) if missed[1] > 0 else 0.0
        return Estimate(1 - ratio, 1 - ratio * up, 1 - ratio * down)

    def pinball(self, quantile: float = 0.5) -> Estimate:
        """Return the mean pinball loss of a quantile that ``RegressionModel.predict_quantiles`` predicts.

        The quantile is found by the same counts, where these are of a holdout.
        """
        [found] = quantiles_of(self.cells.counts, self.edges, np.asarray([quantile]))
        at = float(np.clip(found, self.edges[0], self.edges[-1])) / self.spread

        def loss(residuals: Numbers) -> Numbers:
            return np.where(residuals >= at, quantile, quantile - 1) * (residuals - at)

        return _in_units(self._mean(loss), self.spread)

    @property
    def beyond(self) -> Estimate:
        """Share of the rows whose residual is beyond the outermost edges."""
        ends = np.zeros(len(self.counts), dtype=bool)
        ends[[0, -1]] = True
        return Estimate.of(self.cells.ratio(ends, np.ones_like(ends)))

    @property
    def worst_rmse(self) -> float:
        """The root mean square error at most, were residuals beyond the edges as large as the target's bounds allow."""
        # No square of a width is formed, as it may be beyond the floats.
        added = sqrt(self.beyond.high) * sqrt(self.width - self._clip) * sqrt(self.width + self._clip)
        return hypot(self.rmse.high, added)

    @property
    def worst_mae(self) -> float:
        """The same of the mean absolute error."""
        return self.mae.high + self.beyond.high * (self.width - self._clip)

    @property
    def _clip(self) -> float:
        """The size at which residuals beyond the edges are counted, at least."""
        return min(abs(self.edges[0]), abs(self.edges[-1]), self.width)

    @property
    def coverage(self) -> Estimate | None:
        """Share of the rows in the model's intervals of 90 %; None where these end at the target's bounds.

        Of a holdout the intervals follow from the same counts, and cover these rows a little better than others.
        """
        # On average it is the same for rows of their own and for persons with several.
        counting: Counting = "weights" if self.weighed else "rows"
        low, high = self.interval or reach_of(self, 1 - COVERAGE, None, counting)
        if low is None and high is None:
            return None
        # An interval reaches a step or two of the grid farther than the edge that it is made of.
        near = 2.0**-20 * self.spread
        first = 0 if low is None else int(np.searchsorted(self.edges, low - near, side="left")) + 1
        last = len(self.edges) if high is None else int(np.searchsorted(self.edges, high + near, side="right")) - 1
        inside = (np.arange(len(self.counts)) >= first) & (np.arange(len(self.counts)) <= last)
        return Estimate.of(self.cells.ratio(inside, np.ones_like(inside)))

    def measures(self) -> dict[str, Any]:
        """Return all measures by name, most of them as value, low and high."""
        r2, coverage = self.r2, self.coverage
        return {
            "rmse": asdict(self.rmse),
            "mae": asdict(self.mae),
            "r2": None if r2 is None else asdict(r2),
            "pinball": {f"{quantile:g}": asdict(self.pinball(quantile)) for quantile in _quantiles()},
            "clipped_from": self.edges[0],
            "clipped_to": self.edges[-1],
            "beyond": asdict(self.beyond),
            "worst_rmse": self.worst_rmse,
            "worst_mae": self.worst_mae,
            "coverage": None if coverage is None else asdict(coverage),
        }

    def lines(self, counted: str = "rows") -> tuple[str, ...]:
        """Return the measures in words, of {"rows", "persons"} that were counted."""
        noise = "no noise" if self.distribution == "exact" else f"noise of deviation {self.deviation:.3g} on each count"
        r2, coverage = self.r2, self.coverage
        return (
            f"Measured on {self.n_rows:,} {counted} {KEPT[self.origin]}, with {noise}.",
            *([WEIGHED] if self.weighed else []),
            "In brackets: 95 % intervals, for noise and sampling together.",
            f"Root mean square error: {self.rmse}; mean absolute error: {self.mae}.",
            f"Residuals count as at least {self.edges[0]:.4g} and at most {self.edges[-1]:.4g}.",
            f"Share of the rows beyond: {self.beyond}.",
            f"Were rows beyond as far off as bounds allow, the root mean square error would be {self.worst_rmse:.4g} "
            "at most.",
            "R2: too few rows for the noise." if r2 is None else f"R2, against the released median: {r2}.",
            f"Intervals of {100 * COVERAGE:.0f} % end at the target's bounds, as noise hides how far numbers are off."
            if coverage is None
            else f"Share of the rows within the intervals of {100 * COVERAGE:.0f} %: {coverage}.",
        )

    @cached_property
    def cells(self) -> NoisyCells:
        """The counts, with what is known of their noise."""
        return self._cells_of(self.counts, self.scale, self.distribution)

    def _cells_of(self, counts: tuple[float, ...], scale: float, distribution: Distribution) -> NoisyCells:
        # Public only where no person may have several rows that count, and none weighs less than one.
        total = float(self.n_rows) if self.rows_of_person == 1 and not self.weighed else None
        laplace = distribution == "Laplace"
        variance, kurtosis = scale**2 * (2 if laplace else 1), 3.0 if laplace else 0.0
        return NoisyCells(np.asarray(counts), variance, kurtosis, total, float(self.rows_of_person))

    @cached_property
    def _mean_square(self) -> Band:
        """Return the mean square of residuals: at least the square of their mean size, which has less noise."""
        value, low, high = self._mean(np.square)
        return np.minimum(np.maximum(value, self._mean(np.abs)[0] ** 2), high), low, high

    def _mean(self, function: Callable[[Numbers], Numbers]) -> Band:
        """Return the mean over rows of a function of their residual in spreads, brought between the outermost edges."""
        edges = [edge / self.spread for edge in self.edges]
        return _mean_of(self.cells, function, (edges[0], *edges, edges[-1]))

    def _mean_distance(self, function: Callable[[Numbers], Numbers]) -> Band:
        """Return the same of a function of their distance from the start, brought up to the last edge."""
        found, edges = self.distances, [edge / self.spread for edge in self.distances.edges]
        cells = self._cells_of(found.counts, found.scale, found.distribution)
        return _mean_of(cells, function, (0.0, *edges, edges[-1]))


def _mean_of(cells: NoisyCells, function: Callable[[Numbers], Numbers], ends: tuple[float, ...]) -> Band:
    """Return the mean over rows of a function of a number of which the level is known, each level between two ends.

    Numbers are taken to be evenly spread inside a level, and the interval holds what another spread would change.
    """
    within = np.asarray([low + (high - low) * _PLACES for low, high in pairwise(ends)])
    found = function(within)
    # By the trapezoid rule, as the ends of a level are half as wide.
    values = (found[:, 1:] + found[:, :-1]).mean(axis=1) / 2
    total = max(float(cells.counts.sum()), 1.0)
    bent = float(np.maximum(cells.counts, 0) @ np.ptp(found, axis=1)) / total / _BENT
    value, low, high = cells.mean(values)
    return value, np.maximum(low - bent, found.min()), np.minimum(high + bent, found.max())


def _check_counts(counts: tuple[float, ...], edges: tuple[float, ...], scale: float, distribution: str) -> None:
    shaped = len(counts) == len(edges) + 1 and 2 <= len(counts) <= MAX_LEVELS
    ascending = all(one <= other for one, other in pairwise(edges))
    if not (shaped and ascending and scale >= 0 and (scale > 0) == (distribution != "exact")):
        raise ModelFileError("Expected counts by level of a number, got others. The file is damaged.")
    check_bounded(*counts, scale)


def _quantiles() -> tuple[float, ...]:
    return (1 - COVERAGE) / 2, 0.5, (1 + COVERAGE) / 2


def _in_units(band: Sequence[Any], unit: float) -> Estimate:
    return NumberEstimate(*(float(part) * unit for part in band))


class NumberEstimate(Estimate):
    """An estimate in the unit of the target, which may be of any size."""

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"
