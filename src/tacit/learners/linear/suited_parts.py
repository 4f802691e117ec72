"""Into how many bins a linear learner cuts a number: by rows and budget alone, so nothing is paid for it.

Constants were chosen on synthetic tables: ``benchmarks/linear_rules.py``, ``benchmarks/noisy_gradient_rules.py``. They
are even: an odd number of bins puts the middle of the bounds inside of one, and there a class often turns.
"""

from __future__ import annotations

from math import cbrt, sqrt

from tacit.privacy.conversions import zcdp_rho

FEW, USUAL = 4, 8
MOST_FOR_OBJECTIVES, MOST_FOR_GRADIENTS = 16, 32

USUAL_BUDGET = 12_500.0
"""n_rows * epsilon up to which objective perturbation does best with the usual number."""

FEW_SIGNAL, USUAL_SIGNAL = 300.0, 900.0
"""Rows over the noise of a count: below the first noisy gradients do best with few, up to the second with the usual."""


def objective_parts(n_rows: int, epsilon: float) -> int:
    """Return how many bins suit objective perturbation of a pure budget.

    Examples
    --------
    >>> [objective_parts(32_561, epsilon) for epsilon in (0.1, 1.0, 10.0)]
    [8, 12, 16]
    """
    return _even(sqrt(n_rows * epsilon / USUAL_BUDGET), MOST_FOR_OBJECTIVES)


def gradient_parts(n_rows: int, epsilon: float, delta: float) -> int:
    """Return how many bins suit noisy gradients.

    Few where noise rules; else the cube root of rows times the square root of twice rho, as a histogram's best width
    goes. The usual number for a pure budget.

    Examples
    --------
    >>> [gradient_parts(30_000, epsilon, 1e-5) for epsilon in (0.01, 0.1, 1.0)]
    [4, 8, 16]
    """
    if not delta:
        return USUAL
    signal = n_rows * sqrt(2 * zcdp_rho(epsilon, delta))
    return FEW if signal < FEW_SIGNAL else _even(cbrt(signal / USUAL_SIGNAL), MOST_FOR_GRADIENTS)


def _even(growth: float, most: int) -> int:
    return min(most, max(USUAL, 2 * round(USUAL / 2 * min(growth, most))))
