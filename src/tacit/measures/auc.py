"""Area under the ROC curve of noisy counts by level of a score, with its interval; and the mean over many classes."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from math import hypot, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.measures.auc_within_bins import Hidden, hidden_in_levels
from tacit.measures.intervals import Band, NoisyCells, Numbers, limits_of_rate, quadratic
from tacit.rules.measures import SKEWED, WIDTH_OF_INTERVAL


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


def auc_of(cells: NoisyCells, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Area:
    """Return the area under the ROC curve: how often a row of the second class has the higher score, ties half.

    Parameters
    ----------
    cells : NoisyCells
    first, second : boolean arrays of shape (n_cells,)
        Cells of each class, both in ascending order of the score's levels.
    """
    at_low, at_high, variance = np.flatnonzero(first), np.flatnonzero(second), cells.variances
    low, high = cells.counts[..., at_low], cells.counts[..., at_high]
    pairs = low.sum(axis=-1) * high.sum(axis=-1)
    kernel = np.tril(np.ones((high.shape[-1], low.shape[-1])), -1) + np.eye(high.shape[-1]) / 2
    won = ((high @ kernel) * low).sum(axis=-1)

    def variances(area: float) -> tuple[Numbers, Numbers, Numbers]:
        centered = kernel - area
        of_high, of_low = low @ centered.T, high @ centered
        own, rest = (high * of_high**2).sum(axis=-1), (low * of_low**2).sum(axis=-1)
        weights = np.zeros_like(cells.counts)
        weights[..., at_low], weights[..., at_high] = of_low, of_high
        noise = cells.noise_of(weights)[0]
        # Noisy weights are larger than true ones by their own noise, whose product is in the answer once only.
        product = variance[at_high] @ centered**2 @ variance[at_low]
        noisy = np.maximum(noise - product, noise / 2)
        own_by_noise = high @ (centered**2 @ variance[at_low])
        by_noise = own_by_noise + low @ (variance[at_high] @ centered**2)
        whole = cells.clustered * np.maximum(own + rest, 0) + noisy
        sampled = cells.clustered * np.maximum(own + rest - by_noise, 0)
        return (
            np.asarray(whole),
            np.asarray(sampled),
            np.asarray(cells.clustered * np.maximum(own - own_by_noise, 0)),
        )

    at = [variances(place) for place in (0.0, 0.5, 1.0)]
    positive = np.where(pairs > 0, pairs, np.inf)
    share, hidden = won / positive, hidden_in_levels(low, high, sqrt(variance.mean()))
    inside = np.clip(share, 0, 1)
    whole, sampled, own = ([each[part] for each in at] for part in range(3))
    of_all, of_drawn, of_own = (np.maximum(quadratic(each, inside), 1e-12) for each in (whole, sampled, own))
    roots = limits_of_rate(won, pairs, whole, inside, 0.0, cells.width)
    return Area(share, roots, hidden, np.clip(of_drawn / of_all, 0, 1), np.clip(of_own / of_drawn, 0, 1))


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


def area_error(n_classes: int, n_rows: float, own: float, others: float, n_levels: int) -> float:
    """Return about half of the interval that noise alone gives a mean area, where classes are equally frequent.

    A class's area moves by a count's noise times how far its level's rank is from the middle, half at most, over the
    class's rows, or the others', of deviations ``own`` and ``others``; the classes' noises are independent.
    """
    deviation = hypot(own, others / (n_classes - 1))
    return WIDTH_OF_INTERVAL * sqrt(n_levels * n_classes) * deviation / (2 * n_rows)


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
