"""How many levels of private cut points a budget pays for: a rule of public quantities."""

from __future__ import annotations

from math import sqrt

from tacit.privacy.conversions import zcdp_rho
from tacit.rules.cut_points import (
    MIN_LEVELS,
    ROWS_PER_SCALE,
    ROWS_TO_START,
)
from tacit.rules.shared import MAX_LEVELS, SMALL_SHARE


def affordable_levels(
    n_rows: int,
    epsilon: float,
    delta: float,
    n_columns: int,
    *,
    most: int = MAX_LEVELS,
    rows_per_scale: float = ROWS_PER_SCALE,
    share: float = SMALL_SHARE,
) -> int:
    """Return the most levels of halving of which the last still finds medians; 0 if none does.

    The largest L with n_rows / 2^(L - 1) * eta >= rows_per_scale, eta being what each of L levels of each column gets.

    Parameters
    ----------
    n_rows : int
    epsilon, delta : float
        Of the whole training.
    n_columns : int
        Protected ones; no others are paid for.
    most : int
    rows_per_scale : float
        Less is enough for learners in which neighboring cut points may change places.
    share : float
        Of the budget, for all cut points.

    Examples
    --------
    >>> affordable_levels(30_000, 1.0, 0.0, 6), affordable_levels(1_000, 0.1, 0.0, 6)
    (3, 0)
    """
    if n_columns == 0:
        return most
    # What the accountant will find: the composition that needs less noise.
    pure, rho = share * epsilon, share * zcdp_rho(epsilon, delta) if delta > 0 else 0.0
    for levels in range(most, 0, -1):
        releases = levels * n_columns
        eta = max(pure / releases / 2, sqrt(2 * rho / releases))
        if n_rows / 2 ** (levels - 1) * eta >= rows_per_scale:
            return levels
    return 0


def worthwhile_levels(n_rows: int, epsilon: float, delta: float, n_columns: int, *, most: int = MAX_LEVELS) -> int:
    """Return the levels of learners that take bins as they are; 0 if an even grid is as good.

    Where the last level has 2 rows of an interval a scale, and where that is no less than eight bins.

    Examples
    --------
    >>> worthwhile_levels(961, 1.0, 0.0, 2), worthwhile_levels(959, 1.0, 0.0, 2)
    (3, 0)
    """
    found = affordable_levels(n_rows, epsilon, delta, n_columns, most=most, rows_per_scale=ROWS_TO_START)
    return found if found >= min(MIN_LEVELS, most) else 0
