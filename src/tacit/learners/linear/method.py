"""What a way of learning linear coefficients must offer, and the ways there are by name."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms import Releases
from tacit.privacy import Planned, PrivacyUnit
from tacit.queries import Design, LinearProblem


class LinearMethod(Protocol):
    """A private way to the coefficients of one linear form; a frozen dataclass of its settings.

    Settings come from rules that know the number of rows, epsilon, delta and the design alone.
    """

    def plan(self, design: Design, unit: PrivacyUnit) -> list[Planned]:
        """Return the releases of one training."""
        ...

    def weights(self, problem: LinearProblem, releases: Releases) -> NDArray[np.float64]:
        """Return coefficients, shape (design.n_features,), the intercept last if the design has one.

        Notes
        -----
        Privacy: what is released on the way is in ``plan``; the unit is that of ``problem.table``.
        """
        ...
