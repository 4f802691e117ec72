"""Checks of public parameters; each returns the value as a float or refuses it in one sentence."""

from __future__ import annotations

from math import isfinite
from numbers import Real

import numpy as np

from tacit.errors import ParameterError, shown


def real(name: str, value: object, requirement: str = "a finite real number") -> float:
    """Return a finite number as a float; booleans, text and arrays are refused.

    Raises
    ------
    ParameterError
        If it is anything else.
    """
    if not isinstance(value, bool) and isinstance(value, Real):
        number = as_float(value)
        if isfinite(number):
            return number
    raise ParameterError(f"Expected {requirement}, got {name}={shown(value)}. Give a plain finite number.")


def positive(name: str, value: object) -> float:
    """Return a finite number above zero as a float."""
    number = real(name, value, "a number above zero")
    if number > 0:
        return number
    raise ParameterError(f"Expected a number above zero, got {name}={shown(value)}. Give a larger one.")


def nonnegative(name: str, value: object) -> float:
    """Return a finite number of at least zero as a float."""
    number = real(name, value, "a number of at least zero")
    if number >= 0:
        return number
    raise ParameterError(f"Expected a number of at least zero, got {name}={shown(value)}. Give a larger one.")


def failure_probability(name: str, value: object) -> float:
    """Return a number in [0, 1) as a float."""
    number = real(name, value, "a probability in [0, 1)")
    if 0 <= number < 1:
        return number
    raise ParameterError(f"Expected a probability in [0, 1), got {name}={shown(value)}. Give one far below 1.")


def counting(name: str, value: object) -> int:
    """Return an integer of at least one; booleans are refused."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1:
        return int(value)
    raise ParameterError(f"Expected an integer of at least 1, got {name}={shown(value)}. Give a larger one.")


def as_float(value: Real) -> float:
    """Return a real number as a float, one beyond the floats as infinite."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")
