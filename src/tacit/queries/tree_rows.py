"""Which node of a growing tree each row is in, and counts of rows by node, bin and stratum."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import PrivacyUnit
from tacit.queries.margin_weights import RowWeights
from tacit.table import BinEncoding, Block, Table
from tacit.table.literals import Literal


@dataclass(frozen=True, eq=False)
class Strata:
    """What is told apart of a row besides its bins: its class, and its weight where rows have weights.

    Attributes
    ----------
    of : callable
        Gives each row of a block its stratum.
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

    of: Callable[[Block], NDArray[Any]]
    mass: NDArray[Any]
    influence: float
    total: float
    rounding: float = 0.0
    everyone: Callable[[BinEncoding], NDArray[np.int64]] | None = None

    @classmethod
    def by_class(cls, table: Table) -> Strata:
        """Return the classes as strata, every row counting one."""
        return cls(lambda block: block.labels, np.eye(table.n_classes, dtype=np.int64), 1.0, float(table.n_rows))

    @classmethod
    def by_weight(cls, weights: RowWeights) -> Strata:
        """Return (position of the weight, class) as strata, for two classes; all rows together weigh 1."""
        mass = np.zeros((2, 2 * len(weights.values)))
        mass[0, 0::2] = mass[1, 1::2] = weights.values
        return cls(
            lambda block: 2 * weights.positions(block).astype(np.intp) + block.labels,
            mass,
            weights.zeta,
            1.0,
            weights.rounding,
            lambda encoding: weights.bin_counts(encoding).by_stratum,
        )


@dataclass(frozen=True)
class Branch:
    """A node's question and where its answers lead."""

    literal: Literal
    yes: int
    no: int


class TreeRows:
    """The node of each row, kept with the rows; no row leaves.

    Parameters
    ----------
    table : Table
    encoding : BinEncoding
    strata : Strata

    Attributes
    ----------
    unit : PrivacyUnit
        Of what is counted here: nothing as long as the label is public and only public columns were read.
    """

    def __init__(self, table: Table, encoding: BinEncoding, strata: Strata):
        self.table, self.encoding, self.strata = table, encoding, strata
        read_protected = table.unit.label or set(encoding.columns) & set(table.unit.columns)
        self.unit = table.unit if read_protected else PrivacyUnit((), label=False)
        self._nodes: dict[int, NDArray[np.int32]] = {}
        self._offsets = np.concatenate([[0], np.cumsum(encoding.n_bins)])

    @property
    def n_bins(self) -> int:
        """Number of bins of all columns together."""
        return int(self._offsets[-1])

    def continued(self, encoding: BinEncoding) -> TreeRows:
        """Return the same rows at the same nodes, read by another encoding."""
        following = TreeRows(self.table, encoding, self.strata)
        following._nodes = self._nodes
        return following

    def span(self, literal: Literal) -> tuple[int, int]:
        """Return where the literal's bins start and stop among those of all columns."""
        offset = int(self._offsets[self.encoding.columns.index(literal.column)])
        return offset + literal.first, offset + literal.last + 1

    def histogram(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Count the rows of some nodes in one pass, shape (n_nodes, n_strata, n_bins)."""
        n_strata = self.strata.mass.shape[1]
        position = np.full(max(nodes) + 1, -1, dtype=np.int32)
        position[list(nodes)] = np.arange(len(nodes))

        def count(block: Block) -> NDArray[np.int64]:
            rows, cell = self._cells(block, position, n_strata)
            codes = block.codes(self.encoding)
            found = []
            for column, bins in enumerate(self.encoding.n_bins):
                key = cell * bins
                key += codes[:, column] if rows is None else codes[rows, column]
                counted = np.bincount(key, minlength=len(nodes) * n_strata * bins)
                found.append(counted.reshape(len(nodes), n_strata, bins))
            return np.concatenate(found, axis=2)

        return self.table.sum(count)

    def root_histogram(self) -> NDArray[np.int64]:
        """Count all rows, which must all be at the root, shape (n_strata, n_bins)."""
        if self.strata.everyone is not None:
            return self.strata.everyone(self.encoding)
        return np.asarray(self.histogram([0])[0])

    def child_histograms(self, parent: NDArray[np.int64], branch: Branch) -> tuple[NDArray[np.int64], ...]:
        """Count the rows of both children after a split, shape (n_strata, n_bins) each.

        Only the child with fewer rows is counted; the other is what remains of the parent.
        """
        held = int(parent[:, slice(*self.span(branch.literal))].sum())
        few = branch.yes if 2 * held <= int(parent[:, : self.encoding.n_bins[0]].sum()) else branch.no
        counted = self.histogram([few])[0]
        return (counted, parent - counted) if few == branch.yes else (parent - counted, counted)

    def totals(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Count the rows of some nodes by stratum, shape (n_nodes, n_strata)."""
        n_strata = self.strata.mass.shape[1]
        position = np.full(max(nodes) + 1, -1, dtype=np.int32)
        position[list(nodes)] = np.arange(len(nodes))

        def count(block: Block) -> NDArray[np.int64]:
            _, cell = self._cells(block, position, n_strata)
            return np.bincount(cell, minlength=len(nodes) * n_strata).reshape(len(nodes), n_strata)

        return self.table.sum(count)

    def split(self, branches: Mapping[int, Branch]) -> None:
        """Move the rows of each branching node to the node that its answer leads to."""
        size = max(branches) + 1
        column, first, last, yes, no = np.zeros((5, size), dtype=np.int32)
        yes[:] = no[:] = np.arange(size)
        for node, branch in branches.items():
            literal = branch.literal
            column[node] = self.encoding.columns.index(literal.column)
            first[node], last[node], yes[node], no[node] = literal.first, literal.last, branch.yes, branch.no
        only = next(iter(branches)) if len(branches) == 1 else None

        def follow(block: Block) -> NDArray[np.int64]:
            nodes = self._node_of(block)
            moving = np.flatnonzero(nodes == only if only is not None else nodes < size)
            at = nodes[moving]
            codes = block.codes(self.encoding)[moving, column[at]]
            nodes[moving] = np.where((codes >= first[at]) & (codes <= last[at]), yes[at], no[at])
            return np.zeros(1, dtype=np.int64)

        self.table.sum(follow)

    def _node_of(self, block: Block) -> NDArray[np.int32]:
        if block.index not in self._nodes:
            self._nodes[block.index] = np.zeros(block.n_rows, dtype=np.int32)
        return self._nodes[block.index]

    def _cells(
        self, block: Block, position: NDArray[np.int32], n_strata: int
    ) -> tuple[NDArray[np.intp] | None, NDArray[np.intp]]:
        """Return which rows count (all if None), and for each its (node, stratum) as one number."""
        nodes = self._node_of(block)
        inside = nodes < len(position)
        at = position[np.where(inside, nodes, 0)]
        inside &= at >= 0
        stratum = np.asarray(self.strata.of(block), dtype=np.intp)
        if inside.all():
            return None, at.astype(np.intp) * n_strata + stratum
        rows = np.flatnonzero(inside)
        return rows, at[rows].astype(np.intp) * n_strata + stratum[rows]
