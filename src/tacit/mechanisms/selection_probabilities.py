"""Exact probabilities of private selections, and how far two of them are apart."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, roots_legendre

Logs = NDArray[np.float64]

_ORDERS = 1 + np.geomspace(1e-3, 1e4, 50)
"""Of Renyi divergences; between the limit at one and far beyond the order where a bounded loss has its largest."""


def permute_and_flip_log_probabilities(scores: NDArray[Any], scale: float) -> Logs:
    """Return the logarithm of each candidate's probability under permute-and-flip: McKenna and Sheldon (2020).

    With heads q_i = exp((score_i - best) / scale) it is q_i times the integral of prod_{j != i} (1 - q_j t) over t in
    [0, 1], their sum over subsets written as one: a candidate's place in the permutation is the number t. The
    integrand is a polynomial without negative terms to cancel, which Gauss's rule integrates exactly up to some
    hundred candidates, and to about 1e-13 beyond.

    Examples
    --------
    >>> np.exp(permute_and_flip_log_probabilities(np.asarray([1.0, 1.0, -np.inf]), 1.0)).round(12).tolist()
    [0.5, 0.5, 0.0]
    """
    heads = (np.asarray(scores, dtype=np.float64) - np.max(scores)) / scale
    # k nodes are exact for degree 2k - 1. Beyond, (1 - t)^n is resolved at its end, where nodes crowd as 1 / k^2.
    nodes, weights = gauss_rule(min(ceil(len(heads) / 2) + 1, 64 + ceil(6 * sqrt(len(heads)))))
    factors = np.log1p(-np.exp(heads) * nodes[:, None])
    products = factors.sum(axis=1, keepdims=True) - factors
    return np.asarray(heads + logsumexp(products, axis=0, b=weights[:, None]))


def exponential_log_probabilities(scores: NDArray[Any], scale: float) -> Logs:
    """Return the logarithm of each candidate's probability, proportional to exp(score / scale).

    Examples
    --------
    >>> np.exp(exponential_log_probabilities(np.asarray([0.0, np.log(3)]), 1.0)).round(12).tolist()
    [0.25, 0.75]
    """
    logits = np.asarray(scores, dtype=np.float64) / scale
    return np.asarray(logits - logsumexp(logits))


def max_log_ratio(one: Logs, other: Logs) -> float:
    """Return the largest log ratio of the first distribution's probabilities to the second's."""
    worst = worst_candidate(one, other)
    return float(one[worst] - other[worst])


def worst_candidate(one: Logs, other: Logs) -> int:
    """Return the candidate whose probability under the first distribution is the largest multiple of the second's.

    Examples
    --------
    >>> worst_candidate(np.log(np.asarray([0.5, 0.5])), np.log(np.asarray([0.4, 0.6])))
    0
    """
    possible = np.flatnonzero(one > -np.inf)
    return int(possible[np.argmax(one[possible] - other[possible])])


def renyi_rho(pairs: list[tuple[Logs, Logs]]) -> float:
    """Return the largest D_a(one || other) / a over orders a > 1, for independent choices of these distributions.

    From below, over a grid of orders, and the limit at order one, the Kullback-Leibler divergence.

    Examples
    --------
    >>> distribution = np.log(np.asarray([0.25, 0.75]))
    >>> round(renyi_rho([(distribution, distribution[::-1])]), 4)  # 0.5 log 3: randomized response
    0.5493
    """
    pairs = [(one[one > -np.inf], other[one > -np.inf]) for one, other in pairs]
    first = sum(float(np.sum(np.exp(one) * (one - other))) for one, other in pairs)
    coarse = _over_orders(pairs, _ORDERS)
    best = int(np.argmax(coarse))
    low, high = _ORDERS[max(best - 1, 0)], _ORDERS[min(best + 1, len(_ORDERS) - 1)]
    return max(first, float(np.max(_over_orders(pairs, np.linspace(low, high, 30)))))


def _over_orders(pairs: list[tuple[Logs, Logs]], orders: Logs) -> Logs:
    """Return the divergence over its order for each order."""
    columns = orders[:, None]
    total = sum(logsumexp(columns * one + (1 - columns) * other, axis=1) for one, other in pairs)
    return np.asarray(total / (orders - 1) / orders)


@lru_cache(maxsize=64)
def gauss_rule(size: int) -> tuple[Logs, Logs]:
    """Return Gauss's nodes and weights for [0, 1]."""
    nodes, weights = roots_legendre(size)
    return (nodes + 1) / 2, weights / 2
