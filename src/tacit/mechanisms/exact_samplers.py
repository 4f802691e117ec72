"""Exact samplers for many numbers at once: discrete Laplace and Gaussian noise, and two noisy maxima.

Each decision is made in float64 with a bound on its error. Where the bound leaves it open, about once in 2^40 draws of
a small scale, it is made in exact arithmetic, with more bits of the same draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from math import floor, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.lazy_exponentials import Bracket, LazyExponentials, Words, logarithm

LEAST_SCALE, MOST_SCALE = 2.0**-30, 2.0**36
"""Where the bounds on rounding hold for whole numbers, and seldom leave a decision open."""

_ROUNDING = 2.0**-48
"""Relative error of a few operations in float64, with a wide margin."""

_LEAST_MIDDLE = 2.0**-80
"""Far below the radius of any draw."""

Exact = Fraction | float
"""An exact number, or an infinite one."""

Brackets = Callable[[int], Iterator[tuple[Exact, Exact]]]
"""Yields ever narrower brackets of the number at an index."""


def discrete_laplace(words: Words, size: int, scale: float) -> NDArray[np.int64]:
    """Return independent integers k, each with probability proportional to exp(-|k| / scale).

    The difference of two geometric draws floor(scale * E). The scale is from LEAST_SCALE to MOST_SCALE.

    Notes
    -----
    Privacy: exact. Proof: ``proofs/mechanisms/exact_samplers.md``.
    """
    draws = LazyExponentials(words, 2 * size)
    whole = _floors(draws, scale)
    return whole[:size] - whole[size:]


def discrete_gaussian(words: Words, size: int, deviation: float) -> NDArray[np.int64]:
    """Return independent integers k, each with probability proportional to exp(-k^2 / (2 deviation^2)).

    By rejection from the discrete Laplace law: Canonne, Kamath and Steinke (2020), Algorithm 3. The deviation is from
    LEAST_SCALE to MOST_SCALE.

    Notes
    -----
    Privacy: exact. Proof: ``proofs/mechanisms/exact_samplers.md``.
    """
    found, left = np.empty(size, dtype=np.int64), np.arange(size)
    scale = floor(deviation) + 1
    while len(left):
        proposed = discrete_laplace(words, len(left), float(scale))
        kept = _accepted(words, proposed, deviation, scale)
        found[left[kept]] = proposed[kept]
        left = left[~kept]
    return found


def largest_by_exponential(words: Words, scores: NDArray[Any], scale: float) -> int:
    """Return the index of the largest score after exponential noise of mean ``scale``.

    Notes
    -----
    Privacy: exact. Proof: ``proofs/mechanisms/exact_samplers.md``.
    """
    draws, values = LazyExponentials(words, len(scores)), _above_best(scores)
    noisy = values + scale * draws.middle
    radius = 2 * scale * draws.radius + _ROUNDING * np.abs(values)

    def brackets(index: int) -> Iterator[tuple[Exact, Exact]]:
        for low, high in draws.brackets(index):
            yield _moved(scores[index], scale, (low, high))

    return _largest(noisy, radius, brackets)


def largest_by_gumbel(words: Words, scores: NDArray[Any], scale: float) -> int:
    """Return index i with probability proportional to exp(scores[i] / scale), as the largest after Gumbel noise.

    Notes
    -----
    Privacy: exact. Proof: ``proofs/mechanisms/exact_samplers.md``.
    """
    draws = LazyExponentials(words, len(scores))
    values, middle = _above_best(scores), np.maximum(draws.middle, _LEAST_MIDDLE)
    relative, noise = draws.radius / middle, -np.log(middle)
    noisy = values + scale * noise
    radius = 4 * scale * relative + _ROUNDING * (np.abs(values) + scale * np.abs(noise))
    radius[relative > 1 / 4] = np.inf  # the logarithm may be off by any amount

    def brackets(index: int) -> Iterator[tuple[Exact, Exact]]:
        for bracket in draws.brackets(index):
            low, high = logarithm(bracket)
            # Not -low: that would round to the digits of a context.
            yield _moved(scores[index], scale, (high.copy_negate(), low.copy_negate()))

    return _largest(noisy, radius, brackets)


def _above_best(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return int64 or float64 scores minus the best, all with a relative error of 2^-53.

    Ties stay ties: whether float64 can decide does not depend on how large the best is.
    """
    if scores.dtype == np.int64:
        # Below 2^64, so exact modulo 2^64.
        return -np.asarray(scores.max().view(np.uint64) - scores.view(np.uint64), dtype=np.float64)
    return np.asarray(scores - scores.max(), dtype=np.float64)


def _floors(draws: LazyExponentials, scale: float) -> NDArray[np.int64]:
    """Return floor(scale * E) of each draw: geometric, P(at least k) = exp(-k / scale)."""
    middle, radius = scale * draws.middle, 2 * scale * draws.radius
    low, high = np.floor(np.maximum(middle - radius, 0.0)), np.floor(middle + radius)
    found = low.astype(np.int64)
    for index in np.flatnonzero(low != high).tolist():
        found[index] = next(
            floor(least)
            for least, most in (_moved(0, scale, bracket) for bracket in draws.brackets(index))
            if most < inf and floor(least) == floor(most)
        )
    return found


def _accepted(words: Words, proposed: NDArray[np.int64], deviation: float, scale: int) -> NDArray[np.bool_]:
    """Return, each by a draw of its own, yes with probability exp(-(|k| - deviation^2 / scale)^2 / (2 deviation^2))."""
    draws = LazyExponentials(words, len(proposed))
    sizes, center, double = np.abs(proposed).astype(np.float64), deviation**2 / scale, 2 * deviation**2
    exponent = (sizes - center) ** 2 / double
    radius = draws.radius + _ROUNDING * ((sizes + center) ** 2 / double)
    kept = draws.middle > exponent
    for index in np.flatnonzero(np.abs(draws.middle - exponent) <= radius).tolist():
        variance = Fraction(deviation) ** 2
        exact = (abs(int(proposed[index])) - variance / scale) ** 2 / (2 * variance)
        kept[index] = next(
            low > exact
            for low, high in (_moved(0, 1.0, bracket) for bracket in draws.brackets(index))
            if low > exact or high < exact
        )
    return np.asarray(kept)


def _largest(noisy: NDArray[np.float64], radius: NDArray[np.float64], brackets: Brackets) -> int:
    """Return the index of the largest of numbers that lie within a radius of these, and in brackets that narrow."""
    open_to = np.flatnonzero(noisy + radius >= (noisy - radius).max()).tolist()
    left = {index: brackets(index) for index in open_to}
    while len(left) > 1:
        bounds = {index: next(narrower) for index, narrower in left.items()}
        least = max(low for low, _ in bounds.values())
        left = {index: left[index] for index, (_, high) in bounds.items() if high >= least}
    return next(iter(left))


def _moved(score: Any, scale: float, bracket: Bracket) -> tuple[Exact, Exact]:
    """Return a bracket of score + scale * noise, exactly, from one of the noise."""
    start, factor = Fraction(score.item() if isinstance(score, np.generic) else score), Fraction(scale)
    low, high = (_exact(bound) for bound in bracket)
    return start + factor * low, start + factor * high


def _exact(bound: Decimal) -> Exact:
    return Fraction(bound) if bound.is_finite() else float(bound)
