"""Calibration of noise scales: quotients of exact arithmetic, rounded up, and refusals of what has no scale."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isfinite

from tacit.errors import ParameterError
from tacit.privacy import ZCDP, PureDP
from tacit.privacy.rounding import up


def require(share: object, kind: type[PureDP] | type[ZCDP]) -> None:
    """Refuse a share of another currency."""
    if not isinstance(share, kind):
        raise ParameterError(
            f"Expected a share of type {kind.__name__}, got share={share!r}. Use additive or selection."
        )


def finite(scale: float) -> float:
    """Return the scale, or refuse one that the share makes infinite."""
    if isfinite(scale):
        return scale
    raise ParameterError("Expected a finite noise scale, got scale=inf. Raise the budget, or make fewer releases.")


@lru_cache(maxsize=256)
def quotient(sensitivity: float, epsilon: float) -> float:
    """Return sensitivity / epsilon, rounded up; cached, as the releases of one plan often are alike."""
    # In fractions: a quotient that float division rounds down would be noise for slightly more than epsilon.
    return finite(up(Fraction(sensitivity) / Fraction(epsilon)))
