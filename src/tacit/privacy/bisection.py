"""Where a condition begins to hold, by halving an interval: how budgets become noise, and noise becomes budgets."""

from __future__ import annotations

from collections.abc import Callable


def bisected(holds: Callable[[float], bool], low: float, high: float, halvings: int) -> tuple[float, float]:
    """Return the ends of an interval after so many halvings: the condition stays true at high, and false at low.

    So one of both ends is on the safe side at every step, and stopping early costs tightness alone.

    Parameters
    ----------
    holds : callable
        False below some number, and true from there on.
    low, high : float
        At which it is false, and true.
    halvings : int

    Examples
    --------
    >>> low, high = bisected(lambda number: number**2 >= 2, 0.0, 2.0, 60)
    >>> low**2 < 2 <= high**2
    True
    """
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high
