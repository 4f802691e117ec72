"""What a linear learner learns from rows, and what it takes as given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.queries.linear_rows import LinearRows, linear_rows
from tacit.table import Block, PerBlock, Table
from tacit.table.named_encoding import FeatureEncoding


@dataclass(frozen=True)
class Design:
    """Features of the learned columns, then a constant one if there is an intercept; from the schema alone.

    Parameters
    ----------
    encoding : FeatureEncoding
        Of the columns whose coefficients are learned from protected cells or under a protected label.
    intercept : bool
        Whether a constant feature follows, regularized and counted in every norm like the others.
    """

    encoding: FeatureEncoding
    intercept: bool = True

    @property
    def n_features(self) -> int:
        """Number of coefficients."""
        return self.encoding.n_features + self.intercept

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of features of each column, in order; the intercept counts as a column of one."""
        return (*self.encoding.widths, 1) if self.intercept else self.encoding.widths

    @property
    def squared_radius(self) -> float:
        """Largest squared L2 norm of a row: each column adds at most one."""
        return float(len(self.widths))


@dataclass(frozen=True, eq=False)
class Offset:
    """A margin of public columns that stays as it is while the rest is learned.

    Parameters
    ----------
    encoding : FeatureEncoding
        Of public columns.
    weights : array of shape (n_features,)
    intercept : float
    """

    encoding: FeatureEncoding
    weights: NDArray[np.float64]
    intercept: float = 0.0

    def margins(self, block: Block) -> NDArray[np.float64]:
        """Return the public margin of each row towards the second class, shape (n_rows,)."""
        return np.asarray(block.features(self.encoding) @ self.weights + self.intercept, dtype=np.float64)

    @property
    def reach(self) -> float:
        """The largest absolute margin that the schema admits."""
        low, high = self.encoding.extent(self.weights)
        return max(abs(low + self.intercept), abs(high + self.intercept))


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """Two classes to be told apart by a linear form of protected features.

    Parameters
    ----------
    table : Table
        Labels 0 and 1.
    design : Design
    offset : Offset, optional
        Fitted on public columns and a public label; none where either is missing.
    """

    table: Table
    design: Design
    offset: Offset | None = None

    @cached_property
    def rows(self) -> LinearRows:
        """The table's rows under the design."""
        return linear_rows(self.table, self.design.encoding, self.design.intercept)

    def signs(self, block: Block) -> NDArray[np.float64]:
        """Return 1 for rows of the second class, else -1."""
        return np.where(block.labels == 1, 1.0, -1.0)

    def offsets(self, block: Block) -> NDArray[np.float64]:
        """Return each row's public margin, zero without one; computed once for each block."""
        return np.zeros(block.n_rows) if self._public_margins is None else self._public_margins[block]

    @cached_property
    def _public_margins(self) -> PerBlock[NDArray[np.float64]] | None:
        return None if self.offset is None else self.table.per_block(self.offset.margins)
