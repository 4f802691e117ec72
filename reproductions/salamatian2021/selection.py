"""The selections of Salamatian (2021): exponential mechanism and noisy maximum at a pure rate."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tacit.mechanisms.noise import check_claim
from tacit.mechanisms.selection import PureSelection
from tacit.mechanisms.selection_probabilities import Logs, exponential_log_probabilities, gauss_rule
from tacit.privacy import NoiseSource, SelectionStatistic
from tacit.privacy.rounding import slightly_up

_PANEL_NODES = 24
"""For a panel of one scale's width, on which the integrand is a product of smooth distribution functions."""

_FAR = 45
"""Scales from a score at which a distribution function is exponential to the last digit of a float."""


def laplace_max_log_probabilities(scores: NDArray[Any], scale: float) -> Logs:
    """Return the logarithm of each candidate's probability to be largest after Laplace noise of this scale.

    The integral over the winner's noisy score of its density times the others' distribution functions, panel by panel
    between the scores, where these have a corner. Above the best score it is that of a polynomial in exp(-x). Good to
    1e-9 for up to a hundred candidates.

    Examples
    --------
    >>> np.exp(laplace_max_log_probabilities(np.asarray([0.0, 0.0]), 1.0)).round(12).tolist()
    [0.5, 0.5]
    """
    places = np.asarray(scores, dtype=np.float64) / scale
    points, weights = _panels(np.unique(places))
    distances = points[:, None] - places
    # log F(x) of the standard Laplace distribution, without cancellation on either side.
    below = np.where(distances < 0, distances - np.log(2), np.log1p(-np.exp(-np.abs(distances)) / 2))
    inside = below.sum(axis=1, keepdims=True) - below - np.abs(distances) - np.log(2)
    return np.asarray(logsumexp(inside, axis=0, b=weights[:, None]))


def _panels(corners: Logs) -> tuple[Logs, Logs]:
    """Return nodes and weights from far below the least corner to infinity, with panels of one unit at most."""
    ends = np.linspace(corners[0] - _FAR, corners[0], _FAR + 1)
    for low, high in pairwise(corners):
        near = min(ceil((high - low) / 2), _FAR)
        # Far from all scores the integrand is one exponential function, which is constant or small.
        reach = min(near, (high - low) / 2)
        steps = np.linspace(0, reach, near + 1)
        ends = np.concatenate([ends, low + steps[1:], high - steps[::-1]])
    nodes, weights = gauss_rule(_PANEL_NODES)
    widths = np.diff(ends)
    points = (ends[:-1, None] + widths[:, None] * nodes).ravel()
    # Above the best score, in u = exp(best - x): dx = du / u.
    tail, tail_weights = gauss_rule(64 + len(corners))
    return (
        np.concatenate([points, corners[-1] - np.log(tail)]),
        np.concatenate([(widths[:, None] * weights).ravel(), tail_weights / tail]),
    )


@final
@dataclass(frozen=True)
class WeightedExponentialMechanism(PureSelection):
    """Selects candidate h with probability proportional to exp(eta * score), eta = epsilon / range.

    Salamatian (2021), Definition 2.6.3. Scores are weighted errors or other sums under weights that move with the rows.
    Permute-and-flip costs the same and is never worse.

    Privacy: releases an index, epsilon-DP for the scores' range under the statistic's unit. Proof:
    ``proofs/mechanisms/weighted_selection.md``.
    """

    name: ClassVar[str] = "weighted exponential mechanism"
    log_probabilities = staticmethod(exponential_log_probabilities)

    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int:
        # OpenDP states this distribution's cost as (range / scale)^2 / 8 under zCDP, which grows with range / scale =
        # epsilon.
        check_claim(noise, "exponential-mechanism", statistic.range, scale, slightly_up(self.share.epsilon**2 / 8))
        return noise.exponential_mechanism(statistic.unreleased_value, scale)


@final
@dataclass(frozen=True)
class WeightedNoisyMax(PureSelection):
    """Selects the largest score after Laplace noise of scale range / epsilon; only the index leaves.

    Salamatian (2021), section 2.6; report-noisy-max of Dwork and Roth (2014).

    Privacy: releases an index, epsilon-DP for the scores' range under the statistic's unit, however many
    candidates there are. The noisy scores themselves would cost far more and never leave. Proof:
    ``proofs/mechanisms/weighted_selection.md``.
    """

    name: ClassVar[str] = "weighted noisy max"
    log_probabilities = staticmethod(laplace_max_log_probabilities)

    def _select(self, statistic: SelectionStatistic, scale: float, noise: NoiseSource) -> int:
        # As in the proof: the winner's own noise pays for a threshold that moves by the range, as a number would.
        check_claim(noise, "laplace", statistic.range, scale, self.share.epsilon)
        scores = np.asarray(statistic.unreleased_value, dtype=np.float64)
        return int(np.argmax(noise.laplace(scores, scale)))
