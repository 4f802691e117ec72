"""Confidence intervals of proportions and rates from noisy counts: Fieller's, for the noise and for the sampling.

Each counts the error of an equation that holds at the truth, as top - rate * bottom = 0 does of a rate (Fieller 1954):
no quotient of noisy numbers is formed, and where noise hides the bottom the interval is all there is. Arrays may have
any leading dimensions, so that simulations use the same code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.rules.measures import WIDTH_OF_INTERVAL

Numbers = NDArray[np.float64]
Band = tuple[Numbers, Numbers, Numbers]
"""Value, low and high."""


@dataclass(frozen=True)
class Estimate:
    """A value with an interval that holds the truth in 95 of 100 cases, noise and sampling included."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

    @classmethod
    def of(cls, band: Band) -> Estimate:
        """Return the estimate of a value, low and high."""
        return cls(*(float(part) for part in band))


@dataclass(frozen=True)
class CalibrationPoint:
    """Of rows whose predicted probability is between two bounds, the share that is of the class."""

    above: float
    up_to: float
    share: Estimate


@dataclass(frozen=True, eq=False)
class NoisyCells:
    """Counts of disjoint cells, each with independent noise.

    Parameters
    ----------
    counts : array of shape (..., n_cells)
    variance : float or array of shape (n_cells,)
        Of the noise on each.
    kurtosis : float
        Excess of the noise: 3 for Laplace noise, 0 for Gaussian.
    total : float, optional
        Of all cells, where it is public; counts are then moved by their parts of the noise's variance, so that they
        add up to it. Not where rows count as weights of theirs say: sampling is then at most what it would be of whole
        rows.
    clustered : float
        How many rows a person counts at most: rows of one may agree, so that few are drawn where many are counted.
    width : float
        Standard deviations on either side; more for several intervals that are to hold together.
    """

    counts: Numbers
    variance: float | Numbers
    kurtosis: float
    total: float | None = None
    clustered: float = 1.0
    width: float = WIDTH_OF_INTERVAL

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts, dtype=np.float64)
        if self.total is not None:
            counts = counts + (self.total - counts.sum(axis=-1, keepdims=True)) * self.parts
        object.__setattr__(self, "counts", counts)

    @cached_property
    def variances(self) -> Numbers:
        """Of the noise on each cell."""
        return np.broadcast_to(np.asarray(self.variance, dtype=np.float64), np.shape(self.counts)[-1:])

    @cached_property
    def parts(self) -> Numbers:
        """Of the sum's noise, what each cell's is on average, given the sum; equal ones where there is none."""
        whole = self.variances.sum()
        return np.asarray(self.variances / whole) if whole else np.full(self.n_cells, 1 / self.n_cells)

    def noise_of(self, weights: Numbers) -> tuple[Numbers, Numbers]:
        """Return variance and excess fourth moment of the noise in a sum with these weights, (..., n_cells)."""
        if self.total is not None:
            weights = weights - (weights @ self.parts)[..., None]
        fourth = self.kurtosis * (weights**4 @ self.variances**2)
        return np.asarray(weights**2 @ self.variances), np.asarray(fourth)

    def ratio(self, top: NDArray[np.bool_], whole: NDArray[np.bool_]) -> Band:
        """Return the share of some cells among others that hold them, each of shape (...,)."""
        above, below = self._sum(top), self._sum(whole)
        share = np.clip(above / np.where(below > 0, below, np.inf), 0, 1)

        def noise(rate: Any) -> tuple[Numbers, Numbers]:
            return self.noise_of(top - np.asarray(rate)[..., None] * whole)

        def variance(rate: float) -> Any:
            return self.clustered * np.maximum(below, 0) * rate * (1 - rate) + noise(rate)[0]

        # Fieller's limits: the places at which a mean of values less the place may be zero. Its variance is quadratic.
        at = [variance(place) for place in (0.0, 0.5, 1.0)]
        limits = limits_of_rate(above, below, at, share, noise(share)[1], self.width)
        low, high = (np.clip(each, 0, 1) for each in limits)
        return np.clip(share, low, high), low, high

    def difference(self, more: NDArray[np.bool_], less: NDArray[np.bool_]) -> Band:
        """Return how much larger the share of some cells among all is than that of others."""
        plus, minus = self._sum(more & ~less), self._sum(less & ~more)
        # At least one row on each side: no row of a kind among those drawn does not mean that there are none. Of noisy
        # counts half a row of both is enough, as noise goes further (``benchmarks/holdout_coverage.py``).
        noisy, sides = self.variances.any(), (more & ~less).astype(np.float64) - (less & ~more)
        rows = np.maximum(plus + minus, 0.5) if noisy else np.maximum(plus, 1) + np.maximum(minus, 1)
        if self.total is None:
            value, low, high = self._mean_of_unknown((1 + sides) / 2, (rows - plus - minus) / 4)
            return 2 * value - 1, 2 * low - 1, 2 * high - 1
        total = np.maximum(self._sum(np.ones(self.n_cells, dtype=bool)), 1.0)
        value = (plus - minus) / total
        sampled = self.clustered * (rows - total * value**2)
        squared = np.maximum(sampled, 0) + sides**2 @ self.variances
        fourth = self.kurtosis * (sides**4 @ self.variances**2)
        reach = _deviations(fourth, squared, self.width) * np.sqrt(squared) / total
        # Noise may put a difference beyond what it can be.
        low, high = np.clip(value - reach, -1, 1), np.clip(value + reach, -1, 1)
        return np.clip(value, low, high), low, high

    def mean(self, values: Numbers) -> Band:
        """Return the mean over rows of what each row of a cell has, values of shape (n_cells,)."""
        least, apart = values.min(), np.ptp(values)
        if self.total is None and apart > 0:
            value, low, high = (least + apart * each for each in self._mean_of_unknown((values - least) / apart, 0.0))
            return value, low, high
        total = np.maximum(self._sum(np.ones(self.n_cells, dtype=bool)), 1.0)
        mean = np.clip(self.counts @ values / total, values.min(), values.max())
        away = values - mean[..., None]
        noise, fourth = self.noise_of(values)
        squared = self.clustered * (np.maximum(self.counts, 0) * away**2).sum(axis=-1) + noise
        reach = _deviations(fourth, squared, self.width) * np.sqrt(squared) / total
        low, high = (np.clip(each, values.min(), values.max()) for each in (mean - reach, mean + reach))
        return mean, low, high

    def _mean_of_unknown(self, values: Numbers, further: Any) -> Band:
        """Return the mean of values from 0 to 1 where the number of rows has noise, too; ``further`` adds variance."""
        above, below = self.counts @ values, self._sum(np.ones(self.n_cells, dtype=bool))
        share = np.clip(above / np.where(below > 0, below, np.inf), 0, 1)

        def variance(place: float) -> Any:
            away = (values - place) ** 2
            sampled = np.asarray(np.maximum(self.counts, 0) @ away + further)
            return self.clustered * sampled + self.noise_of(values - place)[0]

        # Fieller's limits: the places at which a mean of values less the place may be zero. Its variance is quadratic.
        at = [variance(place) for place in (0.0, 0.5, 1.0)]
        fourth = self.noise_of(values - share[..., None])[1]
        limits = limits_of_rate(above, below, at, share, fourth, self.width)
        low, high = (np.clip(each, 0, 1) for each in limits)
        return np.clip(share, low, high), low, high

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return int(self.counts.shape[-1])

    def _sum(self, cells: NDArray[np.bool_]) -> Numbers:
        return np.asarray(self.counts[..., cells].sum(axis=-1))


def mean_of(bands: list[Band]) -> Band:
    """Return the mean of rates with intervals of their own, estimated from different rows.

    Limits are as far as the root of the sum of squares of the rates' own distances (Zou and Donner 2008).
    """
    values, lows, highs = (np.stack([band[part] for band in bands]) for part in range(3))
    value = values.mean(axis=0)
    below, above = (np.sqrt(((limits - values) ** 2).sum(axis=0)) / len(bands) for limits in (lows, highs))
    return value, np.maximum(value - below, 0), np.minimum(value + above, 1)


WIDEST = 0.1
"""Half of the widest interval of an accuracy that says anything: at one half it would reach from 0.4 to 0.6."""


def accuracy_error(n_classes: int, n_rows: float, deviation: float, rows_of_person: int, n_levels: int) -> float:
    """Return half of the widest interval that the accuracy may have; of public numbers alone."""
    n_cells = n_classes * n_levels * (n_classes if n_classes > 2 else 1)
    right = n_cells / n_classes
    noise = deviation**2 * right * (1 - right / n_cells)
    return WIDTH_OF_INTERVAL * sqrt(rows_of_person * n_rows / 4 + noise) / n_rows


def group_error(share: float, n_rows: float, deviation: float, rows_of_person: int, n_cells: int) -> float:
    """Return half of the widest interval that a rate among a group's rows may have; of public numbers alone.

    Parameters
    ----------
    share : float
        Of all rows, that are the group's.
    n_cells : int
        By which a group's rows are counted.
    """
    of_group, noise = share * n_rows, n_cells * deviation**2 * WIDTH_OF_INTERVAL**2
    if of_group**2 <= noise:
        return 0.5  # noise hides the group's size: its rates may be anything
    # Fieller's interval at one half, where the noise of both counts counts.
    return min(0.5, WIDTH_OF_INTERVAL * sqrt(rows_of_person * of_group / 4 + n_cells * deviation**2 / 4) / of_group)


def width_of_several(count: int) -> float:
    """Return how many deviations to go on either side for so many intervals of 95 % together (Bonferroni).

    Examples
    --------
    >>> round(width_of_several(1), 2), round(width_of_several(10), 2)
    (2.04, 2.92)
    """
    from scipy.special import ndtri  # not for those who read a model alone

    usual = 0.025
    return float(WIDTH_OF_INTERVAL * ndtri(1 - usual / count) / ndtri(1 - usual))


def difference_of(one: Band, other: Band) -> Band:
    """Return how much larger one rate is than another, which is estimated from other rows.

    Limits are as far as the root of the sum of squares of the rates' own distances (Zou and Donner 2008).
    """
    (value, low, high), (less, least, most) = one, other
    difference = value - less
    below, above = np.hypot(value - low, most - less), np.hypot(high - value, less - least)
    return difference, np.maximum(difference - below, -1), np.minimum(difference + above, 1)


def _deviations(fourth: Any, squared: Numbers, usual: float) -> Numbers:
    """Return how many deviations to go, for an error of this variance and excess fourth moment.

    Few cells of Laplace noise have longer tails than a normal distribution (Cornish and Fisher 1938).
    """
    return np.asarray(usual + (usual**3 - 3 * usual) / 24 * fourth / np.maximum(squared, 1e-12) ** 2)


def limits_of_rate(
    above: Numbers, below: Numbers, at: list[Any], share: Numbers, fourth: Any, width: float = WIDTH_OF_INTERVAL
) -> tuple[Numbers, Numbers]:
    """Return limits of the rates for which above - rate * below is within its error, infinite where there are none.

    Variances of the error are given at the rates 0, one half and 1.
    """
    square, linear = _coefficients(at)
    squared = np.maximum(quadratic(at, share), 1e-12)
    reach = _deviations(fourth, squared, width) ** 2
    a, b, c = below**2 - reach * square, -2 * above * below - reach * linear, above**2 - reach * at[0]
    root = np.sqrt(np.maximum(b**2 - 4 * a * c, 0))
    bounded = (a > 0) & (below > 0)
    divisor = np.where(bounded, 2 * a, 1.0)
    return np.where(bounded, (-b - root) / divisor, -np.inf), np.where(bounded, (-b + root) / divisor, np.inf)


def quadratic(at: list[Any], place: Numbers) -> Numbers:
    """Return the value of a quadratic function that is given at 0, one half and 1."""
    square, linear = _coefficients(at)
    return np.asarray(at[0] + linear * place + square * place**2)


def _coefficients(at: list[Any]) -> tuple[Any, Any]:
    return 2 * (at[0] + at[2] - 2 * at[1]), 4 * at[1] - 3 * at[0] - at[2]
