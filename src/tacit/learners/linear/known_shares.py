"""Class shares before any gradient, declared or released: where logistic regression begins."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from tacit.mechanisms import ReleasedValue
from tacit.queries.ranked_gradients import RESIDUAL_STEPS, residual_steps
from tacit.rules.linear import RARE
from tacit.rules.priors import SHARES_ARE_REFUTED, USUAL_MEAN
from tacit.rules.shared import SURE_DEVIATIONS
from tacit.table import Table

MIN_WEIGHED = 0.02
"""Share of a class that is believed when columns are chosen: less would leave nothing of the others."""

_MIN_CURVED = 1 / 16
"""Of the usual curvature: where columns tell who is of a rare class, the loss is more curved than its share says."""


@dataclass(frozen=True)
class KnownShares:
    """Shares of the sorted classes.

    Parameters
    ----------
    shares : array of shape (n_classes,)
    declared : bool
        Whether they may be those of another population than the rows'.
    deviation : float
        Of the noise in released ones.
    least : float
        Share that none is taken to be below, in margins.
    """

    shares: NDArray[np.float64]
    declared: bool = False
    deviation: float = 0.0
    least: float = 0.0

    @classmethod
    def released(cls, counts: ReleasedValue, table: Table) -> KnownShares:
        """Return those of counts of a table's classes."""
        rows = table.n_persons * table.mean_weight
        # Where each of a person's rows counts one, their number is not public, and follows from the released counts.
        if table.unit.most_rows > 1:
            rows = max(float(counts.value.sum()), rows)
        # Within what its own noise can tell from none: a start from noise alone would be far off.
        return cls(counts.value / rows, False, counts.deviation / rows, (counts.deviation + 1) / rows)

    @property
    def shrunk(self) -> NDArray[np.float64]:
        """Shares drawn toward even ones (James and Stein 1961), which they are where noise makes them as uneven.

        Examples
        --------
        >>> KnownShares(np.asarray([0.45, 0.55]), deviation=0.1).shrunk.tolist()
        [0.5, 0.5]
        """
        if not self.deviation:
            return self.shares
        n_classes, apart = len(self.shares), self.shares - self.shares.mean()
        length = float(apart @ apart)
        kept = max(0.0, 1 - (n_classes - 1) * (SURE_DEVIATIONS * self.deviation) ** 2 / length) if length else 0.0
        return np.asarray(1 / n_classes + kept * apart)

    @property
    def of_rows(self) -> tuple[float, ...]:
        """The shares as a model keeps them: of each class at least what noise can tell from none.

        Examples
        --------
        >>> KnownShares(np.asarray([0.98, -0.01]), least=0.02).of_rows
        (0.98, 0.02)
        """
        found = np.maximum(self.shares, max(self.least, 1e-9))
        return tuple((found / found.sum()).tolist())

    @property
    def is_rare(self) -> bool:
        """Whether a class is rare: from even classes gradients do not come to its few rows.

        Examples
        --------
        >>> [KnownShares(np.asarray([1 - share, share])).is_rare for share in (0.03, 0.1)]
        [True, False]
        """
        return bool(self.shrunk.min() < RARE)

    @property
    def weights(self) -> NDArray[np.float64]:
        """What a row of each class counts in a choice of columns: the most frequent class as much as the second.

        Without them all columns tell as many rows right as none, where classes are uneven and columns tell little.

        Examples
        --------
        >>> KnownShares(np.asarray([0.2, 0.8])).weights.tolist()
        [1.0, 0.25]
        """
        found = np.maximum(self.shrunk, MIN_WEIGHED)
        return np.asarray(np.minimum(1.0, np.sort(found)[-2] / found))

    @property
    def margins(self) -> NDArray[np.float64]:
        """Those of rows of which no more is known, shape (n_outputs,).

        Examples
        --------
        >>> KnownShares(np.asarray([0.8, 0.2])).margins.round(3).tolist()
        [-1.386]
        """
        logs = np.log(np.maximum(self.shrunk, min(self.least, 1 / len(self.shares))))
        return np.asarray(logs[1:] - logs[:1] if len(logs) == 2 else logs - logs.mean())

    @property
    def curved(self) -> NDArray[np.float64]:
        """How many times as curved the loss is in each class's output at ``margins`` as at even classes.

        Examples
        --------
        >>> KnownShares(np.asarray([0.7, 0.25, 0.05])).curved.tolist()
        [1.0, 1.0, 0.25]
        """
        n_classes = len(self.shares)
        shares = softmax(self.margins)
        exact = shares * (1 - shares) / ((1 - 1 / n_classes) / n_classes)
        # In powers of two, so that few are different and matrices are decomposed as often.
        return np.asarray(2.0 ** np.rint(np.log2(np.maximum(exact, _MIN_CURVED))))

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

        >>> KnownShares(np.asarray([0.9, 0.1])).refuted_by(np.asarray([-0.2]), 0.01, 1_000)
        True
        """
        n_classes = len(self.shares)
        each = residual_steps(np.tile(self.margins, (n_classes, 1)), np.arange(n_classes)) / RESIDUAL_STEPS
        expected = self.shares @ each
        spread = self.shares @ (each - expected) ** 2
        variance = deviation**2 + spread / n_rows + (USUAL_MEAN * expected) ** 2
        far = float(((residuals - expected) ** 2 / variance).sum())
        return far > len(expected) + SHARES_ARE_REFUTED * sqrt(2 * len(expected))
