"""Intervals of shares, rates and areas from noisy counts, for the noise and for the rows that happened to be drawn.

Each counts the error of an equation that holds at the truth, as top - rate * bottom = 0 does of a rate (Fieller 1954):
no quotient of noisy numbers is formed, and where noise hides the bottom the interval is all there is. Arrays may have
any leading dimensions, so that simulations use the same code.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.models.inside_levels import Hidden, hidden_in_levels
from tacit.rules.measures import SKEWED, WIDTH_OF_INTERVAL

Numbers = NDArray[np.float64]
Band = tuple[Numbers, Numbers, Numbers]
"""Value, low and high."""


@dataclass(frozen=True, eq=False)
class NoisyCells:
    """Counts of disjoint cells, each with independent noise.

    Parameters
    ----------
    counts : array of shape (..., n_cells)
    variance : float
        Of the noise on each.
    kurtosis : float
        Excess of the noise: 3 for Laplace noise, 0 for Gaussian.
    total : float, optional
        Of all cells, where it is public; counts are then moved alike, so that they add up to it.
    clustered : float
        How many rows a person counts at most: rows of one may agree, so that few are drawn where many are counted.
    """

    counts: Numbers
    variance: float
    kurtosis: float
    total: float | None = None
    clustered: float = 1.0

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts, dtype=np.float64)
        if self.total is not None:
            counts = counts + (self.total - counts.sum(axis=-1, keepdims=True)) / counts.shape[-1]
        object.__setattr__(self, "counts", counts)

    def ratio(self, top: NDArray[np.bool_], whole: NDArray[np.bool_]) -> Band:
        """Return the share of some cells among others that hold them, each of shape (...,)."""
        above, below = self._sum(top), self._sum(whole)
        inside, outside = int(top.sum()), int(whole.sum() - top.sum())
        share = np.clip(above / np.where(below > 0, below, np.inf), 0, 1)

        # Weights of the cells in top - rate * whole: 1 - rate inside, -rate outside, 0 elsewhere.
        def noise(rate: Any) -> Any:
            shift = (inside * (1 - rate) - outside * rate) / self._n if self.total is not None else 0.0
            rest = self._n - inside - outside
            weights = ((inside, 1 - rate - shift), (outside, -rate - shift), (rest, -shift))
            return tuple(sum(n * weight**power for n, weight in weights) for power in (2, 4))

        def variance(rate: Any) -> Any:
            sampled = self.clustered * np.maximum(below, 0) * rate * (1 - rate)
            return sampled + self.variance * noise(rate)[0]

        spread = self.variance**2 * noise(share)[1]
        at = [variance(place) for place in (0.0, 0.5, 1.0)]
        return _solved(above, below, at, share, self.kurtosis * spread)

    def difference(self, more: NDArray[np.bool_], less: NDArray[np.bool_]) -> Band:
        """Return how much larger the share of some cells among all is than that of others."""
        total = np.maximum(self._sum(np.ones(self._n, dtype=bool)), 1.0)
        plus, minus = self._sum(more & ~less), self._sum(less & ~more)
        value = (plus - minus) / total
        # At least one row on each side: no row of a kind among those drawn does not mean that there are none. Of noisy
        # counts half a row of both is enough, as noise goes further (``benchmarks/holdout_coverage.py``).
        rows = np.maximum(plus + minus, 0.5) if self.variance else np.maximum(plus, 1) + np.maximum(minus, 1)
        sampled = self.clustered * (rows - total * value**2)
        cells = int((more ^ less).sum())
        squared = np.maximum(sampled, 0) + self.variance * cells
        reach = _deviations(self.kurtosis * self.variance**2 * cells, squared) * np.sqrt(squared) / total
        # Noise may put a difference beyond what it can be.
        low, high = np.clip(value - reach, -1, 1), np.clip(value + reach, -1, 1)
        return np.clip(value, low, high), low, high

    def area(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Band:
        """Return the area under the ROC curve with its interval; see ``area_of``."""
        return self.area_of(first, second).band

    def area_of(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Area:
        """Return the area under the ROC curve: how often a row of the second class has the higher score, ties half.

        Parameters
        ----------
        first, second : boolean arrays of shape (n_cells,)
            Cells of each class, both in ascending order of the score's levels.
        """
        low, high = self.counts[..., first], self.counts[..., second]
        pairs = low.sum(axis=-1) * high.sum(axis=-1)
        kernel = np.tril(np.ones((high.shape[-1], low.shape[-1])), -1) + np.eye(high.shape[-1]) / 2
        won = ((high @ kernel) * low).sum(axis=-1)

        def variances(area: float) -> tuple[Numbers, Numbers, Numbers]:
            centered = kernel - area
            of_high, of_low = low @ centered.T, high @ centered
            own, rest = (high * of_high**2).sum(axis=-1), (low * of_low**2).sum(axis=-1)
            squares = (of_high**2).sum(axis=-1) + (of_low**2).sum(axis=-1)
            if self.total is not None:
                squares = squares - (of_high.sum(axis=-1) + of_low.sum(axis=-1)) ** 2 / self._n
            # Noisy weights are larger than true ones by their own noise, whose product is in the answer once only.
            product = self.variance**2 * (centered**2).sum()
            noisy = np.maximum(self.variance * squares - product, self.variance * squares / 2)
            own_by_noise = self.variance * (high @ (centered**2).sum(axis=1))
            by_noise = own_by_noise + self.variance * (low @ (centered**2).sum(axis=0))
            whole = self.clustered * np.maximum(own + rest, 0) + noisy
            sampled = self.clustered * np.maximum(own + rest - by_noise, 0)
            return (
                np.asarray(whole),
                np.asarray(sampled),
                np.asarray(self.clustered * np.maximum(own - own_by_noise, 0)),
            )

        at = [variances(place) for place in (0.0, 0.5, 1.0)]
        positive = np.where(pairs > 0, pairs, np.inf)
        share, hidden = won / positive, hidden_in_levels(low, high, sqrt(self.variance))
        inside = np.clip(share, 0, 1)
        whole, sampled, own = ([each[part] for each in at] for part in range(3))
        of_all, of_drawn, of_own = (np.maximum(_quadratic(each, inside), 1e-12) for each in (whole, sampled, own))
        roots = _roots(won, pairs, whole, inside, 0.0)
        return Area(share, roots, hidden, np.clip(of_drawn / of_all, 0, 1), np.clip(of_own / of_drawn, 0, 1))

    @property
    def _n(self) -> int:
        return int(self.counts.shape[-1])

    def _sum(self, cells: NDArray[np.bool_]) -> Numbers:
        return np.asarray(self.counts[..., cells].sum(axis=-1))


@dataclass(frozen=True, eq=False)
class Area:
    """An area under the ROC curve, and where its error comes from.

    Parameters
    ----------
    value : array
        As noise makes it, which may be outside 0 to 1; rows of one level count as ties.
    limits : pair of arrays
        For noise and sampling; infinite where noise hides a class.
    hidden : Hidden
        What the order of rows inside levels is likely to add.
    drawn : array
        The share of the error's variance that is of sampling, and not of noise.
    own : array
        The share of that which rows of the second class make.
    """

    value: Numbers
    limits: tuple[Numbers, Numbers]
    hidden: Hidden
    drawn: Numbers
    own: Numbers

    @property
    def band(self) -> Band:
        """Value, low and high, for all of the error."""
        low, high = (np.clip(each, 0, 1) for each in self.limits)
        value = np.clip(np.clip(self.value, 0, 1), low, high)
        return _with_hidden(value, value - low, high - value, self.hidden)


def mean_of_areas(areas: list[Area], *, one_each: bool, together: float = 1.0) -> Band:
    """Return the mean of the areas of each class against the rest, of the same rows, each with noise of its own.

    Deviations of noise add up as squares. Those of sampling add up as far as rows in common may make them do so, and
    what levels hide as it is.

    Parameters
    ----------
    areas : list of Area
        Whose second class is another one each.
    one_each : bool
        Whether each row is of another person.
    together : float
        The mean's standard deviation by sampling, as a share of that of areas which go together in all of it.
    """
    lows, highs = (np.stack([each.limits[side] for each in areas]) for side in range(2))
    known = np.isfinite(lows) & np.isfinite(highs)
    # Values are not brought into 0 to 1 before their mean, as that would move it. Hidden ones may be anything there.
    values = np.where(known, np.stack([each.value for each in areas]), 0.5)
    below, above = np.where(known, values - lows, 0.5), np.where(known, highs - values, 0.5)
    # A quotient of which noise moves the bottom, too, is skewed: such deviations add up as they are.
    skewed = below + above > SKEWED
    drawn = np.sqrt(np.where(skewed, 1.0, np.stack([each.drawn for each in areas])))
    own = np.stack([each.own for each in areas])

    def reach(distances: Numbers) -> Numbers:
        noise = np.sqrt(((distances**2) * (1 - drawn**2)).sum(axis=0))
        all_alike = (distances * drawn).sum(axis=0)
        apart = _of_one_row_each(distances * drawn, own) if one_each else all_alike
        sampled = np.where(skewed.any(axis=0), all_alike, np.minimum(apart, together * all_alike))
        return np.asarray(np.hypot(noise, sampled) / len(areas))

    hidden = Hidden(*(np.mean(each, axis=0) for each in zip(*(astuple(one.hidden) for one in areas), strict=True)))
    return _with_hidden(values.mean(axis=0), reach(below), reach(above), hidden)


def _with_hidden(value: Numbers, below: Numbers, above: Numbers, hidden: Hidden) -> Band:
    """Return an area whose rows of one level count as ties, and its distances, with what the levels hide."""
    down = np.hypot(below, 2 * hidden.losses + hidden.unknown) + 2 * hidden.end_losses
    up = np.hypot(above, 2 * hidden.gains + hidden.unknown) + 2 * hidden.end_gains
    low, high = np.clip(value - down, 0, 1), np.clip(value + up, 0, 1)
    likely = hidden.gains + hidden.end_gains - hidden.losses - hidden.end_losses
    return np.clip(value + likely, low, high), low, high


def _of_one_row_each(deviations: Numbers, own: Numbers) -> Numbers:
    """Return the most that the deviation of a sum of areas may be, each of another class against the rest.

    To first order an area's error is a sum over rows of terms of mean zero, and the rows are independent. So the
    variance of the sum is that of a row's terms of all areas together, added up over rows by their class: of one class
    k at most (a_k + sum of x_kc over c other than k)^2 by Minkowski's inequality, where a_k^2 is what these rows add to
    the variance of their own class's area, and x_kc^2 to that of class c. All x_kc^2 of one c add up to what rows of
    other classes add there, r_c^2, but how is not known. As x_cc is none, the product over all k of x_c with a is at
    most r_c times the length of a without a_c; that with x_d is at most r_c r_d.
    """
    of_own, of_rest = (deviations**2 * share for share in (own, 1 - own))
    length, rest = of_own.sum(axis=0), np.sqrt(of_rest)
    products = (rest * np.sqrt(np.maximum(length - of_own, 0))).sum(axis=0)
    most = np.sqrt(length + 2 * products + rest.sum(axis=0) ** 2)
    return np.asarray(np.minimum(most, deviations.sum(axis=0)))


def mean_of(bands: list[Band]) -> Band:
    """Return the mean of rates with intervals of their own, estimated from different rows.

    Limits are as far as the root of the sum of squares of the rates' own distances (Zou and Donner 2008).
    """
    values, lows, highs = (np.stack([band[part] for band in bands]) for part in range(3))
    value = values.mean(axis=0)
    below, above = (np.sqrt(((limits - values) ** 2).sum(axis=0)) / len(bands) for limits in (lows, highs))
    return value, np.maximum(value - below, 0), np.minimum(value + above, 1)


def _deviations(fourth: Any, squared: Numbers) -> Numbers:
    """Return how many deviations to go, for an error of this variance and excess fourth moment.

    Few cells of Laplace noise have longer tails than a normal law (Cornish and Fisher 1938).
    """
    usual = WIDTH_OF_INTERVAL
    return np.asarray(usual + (usual**3 - 3 * usual) / 24 * fourth / np.maximum(squared, 1e-12) ** 2)


def _solved(above: Numbers, below: Numbers, at: list[Any], share: Numbers, fourth: Any) -> Band:
    """Return the share, brought into the rates from 0 to 1 for which above - rate * below is within its error."""
    low, high = (np.clip(each, 0, 1) for each in _roots(above, below, at, share, fourth))
    return np.clip(share, low, high), low, high


def _roots(above: Numbers, below: Numbers, at: list[Any], share: Numbers, fourth: Any) -> tuple[Numbers, Numbers]:
    """Return limits of the rates for which above - rate * below is within its error, infinite where there are none.

    Variances of the error are given at the rates 0, one half and 1.
    """
    square, linear = _coefficients(at)
    squared = np.maximum(_quadratic(at, share), 1e-12)
    reach = _deviations(fourth, squared) ** 2
    a, b, c = below**2 - reach * square, -2 * above * below - reach * linear, above**2 - reach * at[0]
    root = np.sqrt(np.maximum(b**2 - 4 * a * c, 0))
    bounded = (a > 0) & (below > 0)
    divisor = np.where(bounded, 2 * a, 1.0)
    return np.where(bounded, (-b - root) / divisor, -np.inf), np.where(bounded, (-b + root) / divisor, np.inf)


def _quadratic(at: list[Any], place: Numbers) -> Numbers:
    """Return the value of a quadratic function that is given at 0, one half and 1."""
    square, linear = _coefficients(at)
    return np.asarray(at[0] + linear * place + square * place**2)


def _coefficients(at: list[Any]) -> tuple[Any, Any]:
    return 2 * (at[0] + at[2] - 2 * at[1]), 4 * at[1] - 3 * at[0] - at[2]
