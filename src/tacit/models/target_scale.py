"""From a regressor's scores to the number that is predicted: a released start and a released unit."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError
from tacit.rules.shared import SURE_DEVIATIONS
from tacit.schema import Target


@dataclass(frozen=True)
class TargetScale:
    """What scores are counted from, and in what.

    Parameters
    ----------
    start : float
        Near the median of the numbers: what a score of zero predicts.
    unit : float
        What a score of one adds: about the numbers' standard deviation.
    clip : float
        How far numbers are from their predictions, in units, where residuals are clipped in training; of logarithms
        over the start.
    link : {"identity", "log"}
        Whether scores are added to the start, or their exponentials multiply it.

    Examples
    --------
    >>> TargetScale(9.0, 2.0, 2.0).predicted(np.asarray([-9.0, 0.5]), Target("rings", 1, 29)).tolist()
    [1.0, 10.0]
    """

    start: float
    unit: float
    clip: float
    link: Literal["identity", "log"] = "identity"

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    def predicted(self, scores: NDArray[np.float64], target: Target) -> NDArray[np.float64]:
        """Return the numbers that scores say, within the target's bounds, shape (n_rows,)."""
        if self.link == "log":
            # Beyond the floats is beyond the bounds.
            with np.errstate(over="ignore"):
                return np.clip(self.start * np.exp(self.unit * scores), target.lower, target.upper)
        return np.clip(self.start + self.unit * scores, target.lower, target.upper)

    @property
    def origin(self) -> float:
        """What numbers are counted from in training: of logarithms nothing."""
        return 0.0 if self.link == "log" else self.start

    @property
    def counted_in(self) -> float:
        """In what numbers are counted in training: of logarithms the start."""
        return self.start if self.link == "log" else self.unit

    @property
    def clipped_at(self) -> float:
        """How far numbers are from their predictions where residuals are clipped, in the target's unit."""
        return self.clip * self.counted_in

    @property
    def spread(self) -> float:
        """About the numbers' standard deviation, or more where tails are long: what residuals are measured in."""
        # Residuals may have been clipped nearer, where noise is large.
        least = 0.0 if self.link == "log" else SURE_DEVIATIONS
        return max(self.clip, least) * self.counted_in / SURE_DEVIATIONS

    def check(self, target: Target) -> None:
        """Raise ModelFileError unless the start is within the bounds, and the unit above zero and finite."""
        inside = target.lower <= self.start <= target.upper and (self.start > 0 or self.link == "identity")
        if not (inside and 0 < self.unit * self.clip < inf):
            raise ModelFileError("Expected a start within the target's bounds and a unit, got others. It is damaged.")
