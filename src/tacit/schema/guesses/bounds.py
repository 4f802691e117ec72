"""Bounds of numbers rounded outward, and the number in the middle of them."""

from __future__ import annotations

import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

# Contexts of our own: the caller's may round to fewer digits than a bound has, or trap.
_WIDE = Context(prec=60, Emin=-99999, Emax=99999, traps=[])
_THREE_DIGITS = Context(prec=3, Emin=-99999, Emax=99999, traps=[])
_MAX_FLOAT = Decimal(repr(sys.float_info.max))
_MAX_WRITTEN_OUT = 10**15


def outward_bounds(smallest: float, largest: float) -> tuple[float, float]:
    """Return round numbers that hold both between them, at the scale of their distance or of their size.

    Each bound is the nearest of the steps of all numbers (zero and ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ... of either sign)
    and of the multiples of the least such step that is at least as long as the range, which is what years need. A
    constant that is a step gets the steps on both sides of it, and zero alone gets 0 and 1.

    Parameters
    ----------
    smallest, largest : float
        Finite; smallest <= largest.

    Returns
    -------
    low, high : float
        low <= smallest, largest <= high and low < high.

    Examples
    --------
    >>> outward_bounds(2005, 2014), outward_bounds(18, 89), outward_bounds(0.03, 0.05)
    ((2000, 2020), (10, 100), (0.02, 0.05))
    """
    least, most = _exact(smallest), _exact(largest)
    low, high = _step_below(least), _step_above(most)
    if low == high == 0:
        return 0, 1
    if low == high:
        low, high = _step_below(low, beyond=True), _step_above(high, beyond=True)
    elif least < most:
        step = _step_above(_WIDE.subtract(most, least))
        low = max(low, _WIDE.multiply(_WIDE.divide(least, step).to_integral_value(ROUND_FLOOR), step))
        high = min(high, _WIDE.multiply(_WIDE.divide(most, step).to_integral_value(ROUND_CEILING), step))
    return _number(low), _number(high)


def rounded_midpoint(low: float, high: float) -> float:
    """Return the midpoint of the bounds, rounded to three digits, within them."""
    middle = _WIDE.divide(_WIDE.add(_exact(low), _exact(high)), Decimal(2))
    return min(max(_number(_THREE_DIGITS.plus(middle)), low), high)


def _exact(value: float) -> Decimal:
    # The shortest decimal that reads as the double, not the double's own expansion: so 0.05 is a step.
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))


def _step_above(value: Decimal, *, beyond: bool = False) -> Decimal:
    """Return the least step at or above the value; `beyond` it, strictly above."""
    if value == 0:
        return value
    steps = (step.copy_sign(value) for step in _steps_near(value))
    return min(step for step in steps if step > value or (step == value and not beyond))


def _step_below(value: Decimal, *, beyond: bool = False) -> Decimal:
    return _step_above(value.copy_negate(), beyond=beyond).copy_negate()


def _steps_near(value: Decimal) -> list[Decimal]:
    ten = value.adjusted()
    return [
        Decimal((0, (digit,), power)) for digit, power in ((5, ten - 1), (1, ten), (2, ten), (5, ten), (1, ten + 1))
    ]


def _number(value: Decimal) -> float:
    if value.copy_abs() < _MAX_WRITTEN_OUT and value == value.to_integral_value():
        return int(value)
    clamped = max(_MAX_FLOAT.copy_negate(), min(value, _MAX_FLOAT))
    return float(clamped) + 0.0  # no negative zero, where a tiny step underflows
