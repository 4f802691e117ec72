"""What DPBoost releases of a tree: gains of splits by node, and means of gradients by leaf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.features import GRID_STEPS, BinEncoding
from tacit.privacy import NumericStatistic, PrivacyUnit
from tacit.privacy.statistic import JointSelectionStatistic
from tacit.schema import Numeric

LAMBDA = 0.1
SHRINK = 0.9
"""One less the learning rate: what a later tree's leaves are clipped to, as a power."""

GAINS = {"corrected": 8.0, "published": 6.0}
"""Range of a level's gains, at gradients of at most one; published: twice 3, as the exponent is epsilon/(2 * 3)."""


@dataclass(frozen=True)
class Bounds:
    """How far one row moves what a tree releases.

    Parameters
    ----------
    cost : {"corrected", "published"}
    tree : int
        From 0 on.
    unit : PrivacyUnit
        Of the tree's rows.
    """

    cost: Literal["corrected", "published"]
    tree: int
    unit: PrivacyUnit

    @property
    def clip(self) -> float:
        """The largest leaf, in absolute value."""
        return SHRINK**self.tree

    @property
    def leaves(self) -> float:
        """L1 sensitivity of all leaves, in steps."""
        one = min(1 / (1 + LAMBDA), 2 * self.clip)
        # Each of two leaves is rounded to a step: a step each, and one for floating point.
        return GRID_STEPS * one * (2 if self.cost == "corrected" else 1) + 3


@dataclass(frozen=True, eq=False)
class Candidates:
    """Splits of every node, from the schema alone: a number's code above each cut, or a category against the rest."""

    columns: NDArray[np.intp]
    codes: NDArray[np.intp]
    ordered: NDArray[np.bool_]

    def right(self, codes: NDArray[Any], chosen: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return whether each row goes right, by the candidate of its node."""
        own = codes[np.arange(len(codes)), self.columns[chosen]].astype(np.intp)
        asked = self.codes[chosen]
        return np.where(self.ordered[chosen], own > asked, own != asked)


@lru_cache(maxsize=8)
def candidates_of(encoding: BinEncoding) -> Candidates:
    """Return the splits that every node has."""
    columns, codes, ordered = [], [], []
    for at, (name, count) in enumerate(zip(encoding.columns, encoding.n_codes, strict=True)):
        is_number = isinstance(encoding.schema.column(name), Numeric)
        own = np.arange(count - 1 if is_number else count)
        columns.append(np.full(len(own), at))
        codes.append(own)
        ordered.append(np.full(len(own), is_number))
    return Candidates(np.concatenate(columns), np.concatenate(codes), np.concatenate(ordered))


@dataclass(frozen=True, eq=False)
class Gains:
    """Gains of all candidates at each node of a level.

    Parameters
    ----------
    encoding : BinEncoding
    codes : array of shape (n_kept, n_columns)
    gradients : array of shape (n_kept,)
        In steps of 1/GRID_STEPS, whole numbers.
    bounds : Bounds
    n_rows : int
        Public; of the tree's part, with the rows that were left out.
    """

    encoding: BinEncoding
    codes: NDArray[Any]
    gradients: NDArray[np.float64]
    bounds: Bounds
    n_rows: int

    def statistic(self, nodes: NDArray[np.intp], n_nodes: int) -> JointSelectionStatistic:
        """Return the gains, shape (n_nodes, n_candidates).

        Notes
        -----
        Privacy: a replaced row moves each gain of its node by at most 4, or leaves a node (-1 to 3) for another (-3
        to 1): the ranges add up to at most 8.
        """
        scores = self._squares(nodes, n_nodes)
        # A gain is at most n_rows, computed to a few units in the last place; eight of them differ in a range.
        rounding = 64 * self.n_rows * 2.0**-53
        return JointSelectionStatistic(
            query="gains of splits",
            unit=self.bounds.unit,
            unreleased_value=scores,
            range=GAINS[self.bounds.cost] + rounding,
            admitted=np.ones(scores.shape, dtype=bool),
        )

    def _squares(self, nodes: NDArray[np.intp], n_nodes: int) -> NDArray[np.float64]:
        found = []
        for at, (name, count) in enumerate(zip(self.encoding.columns, self.encoding.n_codes, strict=True)):
            place = nodes * count + self.codes[:, at]
            # Whole numbers below 2^53: exact in any order.
            sums = np.asarray(np.bincount(place, self.gradients, n_nodes * count), dtype=np.float64)
            rows = np.bincount(place, minlength=n_nodes * count).astype(np.float64)
            sums, rows = sums.reshape(n_nodes, count), rows.reshape(n_nodes, count)
            left, below = sums, rows
            if isinstance(self.encoding.schema.column(name), Numeric):
                left, below = sums.cumsum(axis=1)[:, :-1], rows.cumsum(axis=1)[:, :-1]
            right, above = sums.sum(axis=1)[:, None] - left, rows.sum(axis=1)[:, None] - below
            found.append(_gain(left, below) + _gain(right, above))
        return np.hstack(found)


def leaf_means(
    nodes: NDArray[np.intp], gradients: NDArray[np.float64], n_leaves: int, bounds: Bounds
) -> NumericStatistic:
    """Return the step of each leaf, in steps: minus its gradients over its rows and lambda, clipped.

    Notes
    -----
    Privacy: a row that comes or goes moves one leaf by at most 1/(1 + lambda), a replaced one by twice that in L1.
    """
    means = -np.bincount(nodes, gradients, n_leaves) / (np.bincount(nodes, minlength=n_leaves) + LAMBDA)
    clipped = np.clip(means, -bounds.clip * GRID_STEPS, bounds.clip * GRID_STEPS)
    return NumericStatistic(
        "steps of leaves", bounds.unit, np.rint(clipped).astype(np.int64), l1=bounds.leaves, l2=bounds.leaves
    )


def _gain(sums: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((sums / GRID_STEPS) ** 2 / (rows + LAMBDA))
