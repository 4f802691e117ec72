"""Trade-off tests: what the rates of one event under two neighbors say about epsilon, by the composition claimed."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import ndtri
from scipy.stats import beta

from tacit.mechanisms.gaussian import gaussian_epsilon
from tacit.privacy.conversions import zcdp_epsilon

_MAX_ORDER = 1e4
"""Renyi orders searched; any order gives a valid bound."""


class TradeOff(Protocol):
    """What a claim says about every event."""

    def epsilon(self, often: float, seldom: float) -> float:
        """Return a lower bound on epsilon, zero for none, from one neighbor's least rate and the other's largest."""
        ...


@dataclass(frozen=True)
class ApproximateTradeOff:
    """The test of (epsilon, delta), or of pure epsilon where delta is zero.

    Both directions of P(S) <= exp(epsilon) P'(S) + delta, for the event and for its complement. Kairouz, Oh and
    Viswanath (2015), Theorem 2.1.

    Parameters
    ----------
    delta : float

    Examples
    --------
    >>> round(ApproximateTradeOff().epsilon(0.5, 0.25), 4)
    0.6931
    """

    delta: float = 0.0

    def epsilon(self, often: float, seldom: float) -> float:
        """Return the larger of ln((often - delta) / seldom) and that of the complement."""
        pairs = ((often - self.delta, seldom), (1 - seldom - self.delta, 1 - often))
        return max(0.0, *(_log_ratio(above, below) for above, below in pairs))


@dataclass(frozen=True)
class ConcentratedTradeOff:
    """The test of zCDP: an event's binary Renyi divergence of order a is at most a times rho.

    What it returns is the epsilon of the least rho that the event allows, at this delta: it is above the claim exactly
    if that rho is. Bun and Steinke (2016), Definition 1.1 and Lemma 2.2.

    Parameters
    ----------
    delta : float
        Of the claim.
    """

    delta: float

    def epsilon(self, often: float, seldom: float) -> float:
        """Return the epsilon of ``least_rho``."""
        return zcdp_epsilon(least_rho(often, seldom), self.delta)


@dataclass(frozen=True)
class GaussianTradeOff:
    """The test of Gaussian differential privacy, for claims that rest on Gaussian noise alone.

    mu is at least Phi^-1(often) - Phi^-1(seldom), and its epsilon at this delta is that of one Gaussian release.
    Dong, Roth and Su (2022), Definition 2.2 and Corollary 2.13.
    """

    delta: float
    """Of the claim."""

    def epsilon(self, often: float, seldom: float) -> float:
        """Return the epsilon of one Gaussian release with the least mu."""
        if often <= seldom:
            return 0.0
        # That is found from above: a bound from below is as much less as the search may be off.
        return gaussian_epsilon(self.delta, float(ndtri(often) - ndtri(seldom))) * (1 - 2.0**-50)


def least_rho(often: float, seldom: float) -> float:
    """Return the least rho for which zCDP admits the two rates: the largest D_a(often | seldom) / a over orders a."""
    if often <= seldom:
        return 0.0
    if seldom == 0 or often == 1:
        return inf if seldom == 0 else _divergence_per_order(1 + 1e-6, often, seldom)

    def negative(log_order: float) -> float:
        return -_divergence_per_order(1 + exp(log_order), often, seldom)

    found = minimize_scalar(negative, bounds=(log(1e-6), log(_MAX_ORDER)), method="bounded")
    return max(0.0, -float(found.fun))


def rate_bounds(hits: NDArray[np.int64], runs: int, error: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper bounds on rates, each wrong with probability ``error`` at most.

    Clopper and Pearson (1934).

    Parameters
    ----------
    hits : array of int
        Of so many runs.
    runs : int
    error : float

    Examples
    --------
    >>> low, high = rate_bounds(np.asarray([0, 10]), 10, 0.05)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.741], [0.259, 1.0])
    """
    with np.errstate(invalid="ignore"):
        low = np.where(hits == 0, 0.0, beta.ppf(error, hits, runs - hits + 1))
        high = np.where(hits == runs, 1.0, beta.isf(error, hits + 1, runs - hits))
    return low, high


def _log_ratio(above: float, below: float) -> float:
    if above <= 0:
        return -inf
    return log(above / below) if below > 0 else inf


def _divergence_per_order(order: float, often: float, seldom: float) -> float:
    """Return the Renyi divergence of two coins over its order."""
    terms = [
        order * np.log(p) + (1 - order) * np.log(q) if p > 0 else -inf
        for p, q in ((often, seldom), (1 - often, 1 - seldom))
    ]
    return float(np.logaddexp(terms[0], terms[1]) / (order - 1) / order)
