"""What a linear learner learns from rows, and what it takes as given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.table import Block, LinearEncoding, Table


@dataclass(frozen=True)
class Design:
    """Features of the learned columns, then a constant one if there is an intercept; from the schema alone.

    Parameters
    ----------
    encoding : LinearEncoding
        Of the columns whose coefficients are learned from protected cells or under a protected label.
    intercept : bool
        Whether a constant feature follows, regularized and counted in every norm like the others.
    """

    encoding: LinearEncoding
    intercept: bool = True

    @property
    def n_features(self) -> int:
        """Number of coefficients."""
        return self.encoding.n_features + self.intercept

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of features of each column, in order; the intercept counts as a column of one."""
        columns = [len(self.encoding.positions((name,))) for name in self.encoding.columns]
        return (*columns, 1) if self.intercept else tuple(columns)

    @property
    def squared_radius(self) -> float:
        """Largest squared L2 norm of a row: each column adds at most one."""
        return float(len(self.widths))

    def features(self, block: Block) -> NDArray[np.float64]:
        """Return the rows' features, shape (n_rows, n_features)."""
        features = block.features(self.encoding).astype(np.float64)
        return np.column_stack([features, np.ones(block.n_rows)]) if self.intercept else features


@dataclass(frozen=True, eq=False)
class Offset:
    """A margin of public columns that stays as it is while the rest is learned.

    Parameters
    ----------
    encoding : LinearEncoding
        Of public columns.
    weights : array of shape (n_features,)
    intercept : float
    """

    encoding: LinearEncoding
    weights: NDArray[np.float64]
    intercept: float = 0.0

    def margins(self, block: Block) -> NDArray[np.float64]:
        """Return the public margin of each row, shape (n_rows,)."""
        return np.asarray(block.features(self.encoding).astype(np.float64) @ self.weights + self.intercept)


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

    def margins(self, block: Block, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each row's margin towards the second class, shape (n_rows,)."""
        learned = self.design.features(block) @ weights
        return learned if self.offset is None else learned + self.offset.margins(block)
