"""Values with their intervals."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.measures.intervals import Band


@dataclass(frozen=True)
class Estimate:
    """A value with an interval that holds the truth in 95 of 100 cases, noise and sampling included."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

    @classmethod
    def of(cls, band: Band) -> Estimate:
        """Return the estimate of a value, low and high."""
        return cls(*(float(part) for part in band))


@dataclass(frozen=True)
class CalibrationPoint:
    """Of rows whose predicted probability is between two bounds, the share that is of the class."""

    above: float
    up_to: float
    share: Estimate
