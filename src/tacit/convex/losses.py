"""Losses of a margin u, positive on the right side: convex, with slopes -l'(u) in [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError

Numbers = NDArray[np.float64]


class Loss(Protocol):
    """A loss of the margin and what objective perturbation must know of it."""

    @property
    def curvature_bound(self) -> float:
        """Largest second derivative."""

    @property
    def broader(self) -> tuple[Loss, ...]:
        """Losses whose curvature is that of this one, spread over more margins: for the solver's first metrics."""

    @property
    def self_bounded(self) -> bool:
        """Whether the second derivative is s (1 - s) where the slope is s: enough regularization absorbs its change."""

    @property
    def name(self) -> str:
        """What releases call it."""

    def value(self, margin: Numbers) -> Numbers:
        """Return the loss."""

    def slope(self, margin: Numbers) -> Numbers:
        """Return minus the derivative, in [0, 1]."""

    def curvature(self, margin: Numbers) -> Numbers:
        """Return the second derivative; on a kink, that of one side."""


@dataclass(frozen=True)
class LogisticLoss:
    """ln(1 + exp(-u))."""

    name: ClassVar[str] = "logistic"
    self_bounded: ClassVar[bool] = True
    curvature_bound: ClassVar[float] = 0.25
    broader: ClassVar[tuple[Loss, ...]] = ()  # every row has curvature already

    def value(self, margin: Numbers) -> Numbers:
        """Return the loss."""
        return np.asarray(np.logaddexp(0.0, -margin))

    def slope(self, margin: Numbers) -> Numbers:
        """Return the probability given to the wrong class."""
        # (1 - tanh(u/2)) / 2: NumPy's tanh takes a tenth of the time of an exponential by SciPy.
        return np.asarray(0.5 - 0.5 * np.tanh(0.5 * margin))

    def curvature(self, margin: Numbers) -> Numbers:
        """Return s (1 - s)."""
        slope = self.slope(margin)
        return slope * (1 - slope)


HUBER_CONTINUATION_WIDTHS = (1.0, 0.5, 0.25)
"""Continuation: Huber widths whose curvature is used first when the target width is small. The first includes margins
of zero, where the solver starts and a narrow corner has no curvature at all."""


@dataclass(frozen=True)
class HuberLoss:
    """Hinge loss with a rounded corner: Chaudhuri and others (2011), section 3.4.2.

    0 for u > 1 + h, 1 - u for u < 1 - h, (1 + h - u)^2 / (4 h) between.

    Raises ParameterError unless 0 < h <= 1.
    """

    width: float = 0.05
    """The paper's h."""

    name: ClassVar[str] = "Huber"
    self_bounded: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not (isinstance(self.width, int | float) and 0 < self.width <= 1):
            raise ParameterError(f"Expected 0 < huber <= 1, got huber={self.width!r}. The paper takes 0.05.")

    @property
    def curvature_bound(self) -> float:
        """1 / (2 h)."""
        return 1 / (2 * self.width)

    @property
    def broader(self) -> tuple[Loss, ...]:
        """Wider corners: over many rows the curvature is about the same, and few rows lie in a narrow one."""
        return tuple(HuberLoss(width) for width in HUBER_CONTINUATION_WIDTHS if width > self.width)

    def value(self, margin: Numbers) -> Numbers:
        """Return the loss."""
        slope = self.slope(margin)
        return np.where(slope < 1, self.width * slope**2, 1 - margin)

    def slope(self, margin: Numbers) -> Numbers:
        """Return (1 + h - u) / (2 h), cut to [0, 1]."""
        return np.asarray(np.clip((1 + self.width - margin) / (2 * self.width), 0.0, 1.0))

    def curvature(self, margin: Numbers) -> Numbers:
        """Return 1 / (2 h) within h of one, both ends included, else zero."""
        # Both ends included, where the second derivative jumps: the curvature decides speed alone.
        return np.where(np.abs(1 - margin) <= self.width, self.curvature_bound, 0.0)
