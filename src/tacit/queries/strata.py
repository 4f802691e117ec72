"""What is told apart of a row besides its bins, and how much a row weighs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.queries.margins import RowWeights
from tacit.queries.node_rows import Picked
from tacit.table import BinEncoding, Block, Table


@dataclass(frozen=True, eq=False)
class Strata:
    """What is told apart of a row besides its bins: its class, and its weight where rows have weights.

    Attributes
    ----------
    of : callable
        Gives picked rows of a block their strata.
    mass : array of shape (n_classes, n_strata)
        The weight of a row of the stratum, in its class; zero elsewhere.
    influence : float
        The most mass that leaves, and the most that enters, when one row is replaced; 1 for plain counts.
    total : float
        An upper bound of all mass.
    rounding : float
        Bounds the rounding of a sum of masses over any set of rows; 0 for plain counts.
    everyone : callable, optional
        Returns counts of all rows by (stratum, bin of an encoding) that are kept anyway, so that the root need not
        be counted.
    """

    of: Callable[[Block, Picked], NDArray[Any]]
    mass: NDArray[Any]
    influence: float
    total: float
    rounding: float = 0.0
    everyone: Callable[[BinEncoding], NDArray[np.int64]] | None = None

    def masses(self, counts: NDArray[np.int64]) -> NDArray[Any]:
        """Return masses by class, shape (n_nodes, n, n_classes), of counts by stratum, (n_nodes, n_strata, n)."""
        if self.mass.dtype.kind == "i":  # the classes themselves, every row counting one
            return counts.swapaxes(1, 2)
        return np.asarray(np.tensordot(counts, self.mass, axes=([1], [1])))

    @classmethod
    def by_class(cls, table: Table) -> Strata:
        """Return the classes as strata, every row counting one."""
        mass = np.eye(table.n_classes, dtype=np.int64)
        return cls(lambda block, rows: block.labels[rows], mass, 1.0, float(table.n_rows))

    @classmethod
    def by_weight(cls, weights: RowWeights) -> Strata:
        """Return (position of the weight, class) as strata, for two classes; all rows together weigh 1."""
        mass = np.zeros((2, 2 * len(weights.values)))
        mass[0, 0::2] = mass[1, 1::2] = weights.values
        return cls(
            lambda block, rows: 2 * weights.positions(block)[rows].astype(np.intp) + block.labels[rows],
            mass,
            weights.zeta,
            1.0,
            weights.rounding,
            lambda encoding: weights.bin_counts(encoding).by_stratum,
        )
