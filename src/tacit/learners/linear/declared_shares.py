"""Where logistic regression begins if the classes' shares are declared, and whether rows refute them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.queries.ranked_gradients import RESIDUAL_STEPS, residual_steps
from tacit.table import Table

REFUTED = 3.0
"""Deviations by which the first gradient's square must be larger than declared shares explain, to be set aside."""

UNEVEN_LENGTHS = 0.2
"""How far the mean of what rows have as constant may be from the assumed one, relatively: rows are shortened to a
length, and what of it is the constant's is not the same for all."""


@dataclass(frozen=True)
class DeclaredShares:
    """Shares of the sorted classes, which may be those of another population than the rows'.

    Parameters
    ----------
    shares : array of shape (n_classes,)
    """

    shares: NDArray[np.float64]

    @classmethod
    def of(cls, table: Table) -> DeclaredShares | None:
        """Return those of a table's label; None if none are declared, or they say nothing.

        A public label has its own in public margins, and where rows weigh by class their shares are others.
        """
        declared = table.schema.label.sorted_prevalence
        if declared is None or table.weighs_classes or not table.unit.label:
            return None
        return cls(np.asarray(declared))

    @property
    def margins(self) -> NDArray[np.float64]:
        """Those of rows of which no more is known, shape (n_outputs,).

        Examples
        --------
        >>> DeclaredShares(np.asarray([0.8, 0.2])).margins.round(3).tolist()
        [-1.386]
        """
        logs = np.log(self.shares)
        return np.asarray(logs[1:] - logs[:1] if len(logs) == 2 else logs - logs.mean())

    def refuted_by(self, residuals: NDArray[np.float64], deviation: float, n_rows: float) -> bool:
        """Return whether rows are surely not of these shares.

        Parameters
        ----------
        residuals : array of shape (n_outputs,)
            Their mean over the rows at ``margins``, with noise.
        deviation : float
            Of that noise.
        n_rows : float

        Examples
        --------
        Of 1,000 rows that are half and half, residuals at a share of 0.1 are 0.1, and -0.9 cut to -0.5:

        >>> DeclaredShares(np.asarray([0.9, 0.1])).refuted_by(np.asarray([-0.2]), 0.01, 1_000)
        True
        """
        n_classes = len(self.shares)
        each = residual_steps(np.tile(self.margins, (n_classes, 1)), np.arange(n_classes)) / RESIDUAL_STEPS
        expected = self.shares @ each
        spread = self.shares @ (each - expected) ** 2
        variance = deviation**2 + spread / n_rows + (UNEVEN_LENGTHS * expected) ** 2
        far = float(((residuals - expected) ** 2 / variance).sum())
        return far > len(expected) + REFUTED * sqrt(2 * len(expected))
