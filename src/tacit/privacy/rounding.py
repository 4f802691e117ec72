"""Directed rounding: a loss is rounded up and a budget down, so that a float never promises too much."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite, nextafter

MARGIN = 2.0**-46
"""Relative error that covers a dozen elementary floating-point functions in a row."""


def up(value: Fraction) -> float:
    """Return the smallest float that is at least the value."""
    try:
        nearest = float(value)
    except OverflowError:
        return inf
    # Conversion rounds to the nearest float, which is at most one step below.
    return nearest if Fraction(nearest) >= value else nextafter(nearest, inf)


def down(value: Fraction) -> float:
    """Return the largest float that is at most a value of at least zero."""
    # Towards zero and not towards minus infinity: a budget of nothing stays zero.
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else nextafter(nearest, 0.0)


def slightly_up(value: float) -> float:
    """Return a float a few units of rounding above a positive value, above what it was computed from."""
    return value * (1 + MARGIN) if isfinite(value) else value


def slightly_down(value: float) -> float:
    """Return a float a few units of rounding below a positive value, below what it was computed from."""
    return value * (1 - MARGIN)
