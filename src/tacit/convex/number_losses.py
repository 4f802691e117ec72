"""Losses of a number to predict at a score: residuals cut to one half, and the curvatures that steps are made by.

Each is scaled so that residuals are between -1/2 and 1/2, as those of two classes: so noise is the same for all, and no
query needs to know which loss it sums.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import erf, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

LossName = Literal["squared", "absolute", "quantile", "huber", "poisson", "gamma"]
"""What regressors minimize."""

OF_LOGARITHMS = ("poisson", "gamma")
"""Losses whose scores are logarithms of means."""

NEAREST = 0.1
"""Deviations. Nearer ones lose no noise: the clip over the share within it is at its limit to a thousandth."""


def share_within(deviations: float) -> float:
    """Return the share of a normal distribution so many deviations from its middle at most.

    Examples
    --------
    >>> round(share_within(2.0), 3)
    0.954
    """
    return erf(deviations / sqrt(2))


class NumberLoss(ABC):
    """A loss whose residual is minus its derivative by the score, cut and divided so that it is one half at most."""

    @abstractmethod
    def residuals(self, numbers: Numbers, scores: Numbers) -> Numbers:
        """Return residuals in [-1/2, 1/2], above zero where scores are too small, of arrays that broadcast."""

    @property
    @abstractmethod
    def slope(self) -> float:
        """By how much a score moves the residual of a row, as trees' steps have it."""

    @property
    @abstractmethod
    def usual(self) -> float:
        """The same as a mean over rows, of scores in deviations: what a linear form's steps are made by."""


@dataclass(frozen=True)
class SquaredLoss(NumberLoss):
    """Half of the squared distance, and beyond the clip linear: r = (y - s) / (2 clip), cut (Huber 1964).

    Parameters
    ----------
    clip : float
        How far numbers are from their scores where residuals are cut.

    Examples
    --------
    >>> SquaredLoss(2.0).residuals(np.asarray([1.0, -9.0]), np.asarray([0.0, 0.0])).tolist()
    [0.25, -0.5]
    """

    clip: float

    def residuals(self, numbers: Numbers, scores: Numbers) -> Numbers:
        """Return (y - s) / (2 clip), cut."""
        return np.asarray(np.clip(self.slope * (numbers - scores), -0.5, 0.5))

    @property
    def slope(self) -> float:
        """1 / (2 clip): at a clip of two that of logistic loss where classes are as likely."""
        return 0.5 / self.clip

    @property
    def usual(self) -> float:
        """That, of the share of a normal distribution within the clip."""
        return self.slope * share_within(self.clip)


UNSCALED = SquaredLoss(1.0)
"""Of numbers that are not scaled: nobody asks it."""


@dataclass(frozen=True)
class QuantileLoss(NumberLoss):
    """The loss whose minimum is a quantile (Koenker and Bassett 1978), rounded at its corner.

    A number above its score counts q, one below q - 1, and between them what lies on a line: its smoothed loss is
    that of Fernandes, Guerre and Horta (2021) with a uniform kernel. All over twice the larger of q and 1 - q.

    Parameters
    ----------
    quantile : float
        Between 0 and 1; one half is the absolute loss.
    width : float
        How far from its score a number counts in full.
    deviation : float
        Of the numbers, in units of score.

    Examples
    --------
    >>> QuantileLoss(0.9, 0.1, 1.0).residuals(np.asarray([1.0, 0.0, -1.0]), np.zeros(3)).round(3).tolist()
    [0.5, 0.222, -0.056]
    """

    quantile: float
    width: float
    deviation: float

    def residuals(self, numbers: Numbers, scores: Numbers) -> Numbers:
        """Return q less the part of a number that is below its score, over twice the larger of q and 1 - q."""
        above = np.clip((numbers - scores) / (2 * self.width), -0.5, 0.5)
        return np.asarray(np.clip(self._factor * (above + (self.quantile - 0.5)), -0.5, 0.5))

    @property
    def slope(self) -> float:
        """That of the mean residual of a normal distribution, where the quantile is."""
        normal = NormalDist()
        return self._factor * normal.pdf(normal.inv_cdf(self.quantile)) / self.deviation

    @property
    def usual(self) -> float:
        """The same."""
        return self.slope

    @property
    def _factor(self) -> float:
        return 0.5 / max(self.quantile, 1 - self.quantile)


@dataclass(frozen=True)
class LogLoss(NumberLoss):
    """Minus the likelihood of a number by the logarithm of its mean: Poisson's, or a gamma distribution's.

    With the number y and the mean m = exp(unit score), both over that of a score of zero, the residual is y - m
    (Poisson) or y / m - 1 (gamma), cut at the clip (Nelder and Wedderburn 1972). Steps are made by the curvature at a
    score of zero, where a row's is expected to be the unit, so that no curvature grows with the mean.

    Parameters
    ----------
    family : {"poisson", "gamma"}
    unit : float
        What a score of one adds to the logarithm.
    clip : float
        Residuals are cut so far from zero.
    bounds : pair of float
        Of the numbers, over the mean of a score of zero; means stay within.

    Examples
    --------
    >>> LogLoss("gamma", 1.0, 2.0, (0.1, 9.0)).residuals(np.asarray([1.0, 2.0, 9.0]), np.zeros(3)).tolist()
    [0.0, 0.25, 0.5]
    """

    family: Literal["poisson", "gamma"]
    unit: float
    clip: float
    bounds: tuple[float, float]

    def residuals(self, numbers: Numbers, scores: Numbers) -> Numbers:
        """Return the number over its mean less one, or the number less its mean; over twice the clip, cut."""
        # Cut before, as the exponential of a score may be beyond the floats.
        means = np.clip(np.exp(np.clip(self.unit * scores, -_FARTHEST, _FARTHEST)), *self.bounds)
        apart = numbers / means - 1 if self.family == "gamma" else numbers - means
        return np.asarray(np.clip(apart / (2 * self.clip), -0.5, 0.5))

    @property
    def slope(self) -> float:
        """The unit over twice the clip."""
        return self.unit / (2 * self.clip)

    @property
    def usual(self) -> float:
        """The same."""
        return self.slope


_FARTHEST = 700.0
"""Of a logarithm: its exponential is a float."""
