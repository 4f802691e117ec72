"""Exact samplers for many numbers at once: discrete Laplace and Gaussian noise.

Each decision is made in float64 with a bound on its error. Where the bound leaves it open, about once in 2^40 draws of
a small scale, it is made in exact arithmetic, with more bits of the same draw.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor, inf

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.lazy_exponentials import Bracket, LazyExponentials, Words

LEAST_SCALE, MOST_SCALE = 2.0**-30, 2.0**36
"""Where the bounds on rounding hold for whole numbers, and seldom leave a decision open."""

_ROUNDING = 2.0**-48
"""Relative error of a few operations in float64, with a wide margin."""

_NEAR_ZERO = 2**49
"""Smaller first words leave a uniform number more uncertain than by 2^-50 of itself."""

Exact = Fraction | float
"""An exact number, or an infinite one."""


def exponentials(words: Words, size: int) -> NDArray[np.float64]:
    """Return independent draws of the standard exponential law, each off by at most 2^-47 of itself.

    Notes
    -----
    Privacy: each number is a rounding of an exact draw, whatever that is. Proof:
    ``proofs/mechanisms/exact_samplers.md``.
    """
    return LazyExponentials(words, size).numbers()


def uniforms(words: Words, size: int) -> NDArray[np.float64]:
    """Return independent numbers uniform on (0, 1), each off by at most 2^-49 of itself; never one.

    Notes
    -----
    Privacy: each number is a rounding of an exact draw: small ones get more bits. Proof:
    ``proofs/mechanisms/exact_samplers.md``.
    """
    first = words(size)
    found = (first.astype(np.float64) + 0.5) * 2.0**-64
    for index in np.flatnonzero(first < _NEAR_ZERO).tolist():
        known, bits = int(first[index]), 64
        while known < _NEAR_ZERO:
            known, bits = (known << 64) + int(words(1)[0]), bits + 64
        found[index] = float(Fraction(2 * known + 1, 2 ** (bits + 1)))
    return np.minimum(found, 1 - 2.0**-53)


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


def _floors(draws: LazyExponentials, scale: float) -> NDArray[np.int64]:
    """Return floor(scale * E) of each draw: geometric, P(at least k) = exp(-k / scale)."""
    middle, radius = scale * draws.middle, 2 * scale * draws.radius
    low, high = np.floor(np.maximum(middle - radius, 0.0)), np.floor(middle + radius)
    found = low.astype(np.int64)
    for index in np.flatnonzero(low != high).tolist():
        found[index] = next(
            floor(least)
            for least, most in (_scaled(scale, bracket) for bracket in draws.brackets(index))
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
            for low, high in (_scaled(1.0, bracket) for bracket in draws.brackets(index))
            if low > exact or high < exact
        )
    return np.asarray(kept)


def _scaled(scale: float, bracket: Bracket) -> tuple[Exact, Exact]:
    """Return a bracket of scale * noise, exactly, from one of the noise."""
    low, high = (_exact(bound) for bound in bracket)
    return Fraction(scale) * low, Fraction(scale) * high


def _exact(bound: Decimal) -> Exact:
    return Fraction(bound) if bound.is_finite() else float(bound)
