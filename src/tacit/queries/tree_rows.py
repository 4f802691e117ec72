"""Which node of a growing tree each row is in, and counts of rows by node, bin and stratum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import PrivacyUnit
from tacit.queries.branch import Branch
from tacit.queries.node_rows import NodeRows, Picked
from tacit.queries.strata import Strata
from tacit.table import BinEncoding, Block, Table
from tacit.table.joint_codes import column_groups, joint_codes, margin

_MOST_CELLS = 8_192
"""Of several columns that are counted together."""

_FEW_ROWS = 2_048
"""So many rows' cells fit the cache for all columns at once."""


class TreeRows:
    """The node of each row, kept with the rows; no row leaves.

    Counts are kept too, until a node splits: of two children only the one with fewer rows is counted, the other is
    what remains of the parent.

    Parameters
    ----------
    table : Table
    encoding : BinEncoding
    strata : Strata

    Attributes
    ----------
    unit : PrivacyUnit
        Of what is counted here: nothing as long as the label is public, only public columns were read and rows are not
        weighed.
    """

    def __init__(self, table: Table, encoding: BinEncoding, strata: Strata):
        self.table, self.encoding, self.strata = table, encoding, strata
        # Weights follow from how rows answered before, in whatever columns.
        weighed = strata.mass.dtype.kind != "i"
        read_protected = weighed or table.unit.label or set(encoding.columns) & set(table.unit.columns)
        self.unit = table.unit if read_protected else PrivacyUnit((), label=False)
        self._rows = table.per_block(lambda block: NodeRows(block.n_rows))
        # Asked for once, as looking an encoding up takes as long as a small node.
        self._codes = table.per_block(lambda block: block.codes(encoding))
        self._kept: dict[int, NDArray[np.int64]] = {}
        self._parents: dict[int, tuple[int, NDArray[np.int64]]] = {}
        self._offsets = np.concatenate([[0], np.cumsum(encoding.n_bins)])

    @property
    def n_bins(self) -> int:
        """Number of bins of all columns together."""
        return int(self._offsets[-1])

    def continued(self, encoding: BinEncoding) -> TreeRows:
        """Return the same rows at the same nodes, read by another encoding."""
        following = TreeRows(self.table, encoding, self.strata)
        following._rows = self._rows
        return following

    def histogram(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Count the rows of some nodes in one pass, shape (n_nodes, n_strata, n_bins)."""
        few = list(dict.fromkeys(self._fewer(node) for node in nodes if node not in self._kept))
        for node, found in zip(few, self._counted(few) if few else (), strict=True):
            self._kept[node] = found
            if family := self._family(node):
                sibling, parent = family
                self._kept[sibling] = parent - found
        return np.stack([self._kept[node] for node in nodes])

    def totals(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Count the rows of some nodes by stratum, shape (n_nodes, n_strata)."""
        n_strata = self.strata.mass.shape[1]

        def count(block: Block) -> NDArray[np.int64]:
            rows = self._rows[block]
            cell = self._cells(block, nodes, rows)
            return np.bincount(cell, minlength=len(nodes) * n_strata).reshape(len(nodes), n_strata)

        return self.table.sum(count)

    def split(self, branches: Mapping[int, Branch]) -> None:
        """Move the rows of each branching node to the node that its answer leads to."""
        self._rows.advance(lambda block, rows: rows.split(branches, self._codes[block], self.encoding.columns))
        for node, branch in branches.items():
            self._family(node)  # a sibling that was not counted yet is counted by itself
            if (parent := self._kept.pop(node, None)) is not None:
                self._parents |= {branch.yes: (branch.no, parent), branch.no: (branch.yes, parent)}

    def _family(self, node: int) -> tuple[int, NDArray[np.int64]] | None:
        """Return, once, the sibling and the parent's counts of a node of which neither child was counted yet."""
        family = self._parents.pop(node, None)
        if family:
            del self._parents[family[0]]
        return family

    def _fewer(self, node: int) -> int:
        """Return the node itself or, where counting its sibling is as good and less work, the sibling."""
        if node not in self._parents:
            return node
        sibling = self._parents[node][0]
        own, other = self.table.sum(lambda block: self._rows[block].sizes([node, sibling])).tolist()
        return sibling if (other, sibling) < (own, node) else node

    def _counted(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        if self.strata.everyone is not None and list(nodes) == [0]:
            return self.strata.everyone(self.encoding)[None]
        n_cells = len(nodes) * self.strata.mass.shape[1]

        def count(block: Block) -> NDArray[np.int64]:
            rows = self._rows[block]
            cell, picked = self._cells(block, nodes, rows), rows.of(nodes)
            codes = self._codes[block]
            if len(cell) <= _FEW_ROWS:
                return self._at_once(codes[picked], cell, n_cells)
            return self._by_column(codes, picked, cell, n_cells)

        return self.table.sum(count).reshape(len(nodes), -1, self.n_bins)

    def _at_once(self, codes: NDArray[np.uint8], cell: NDArray[np.intp], n_cells: int) -> NDArray[np.int64]:
        key = np.add(codes, (cell * self.n_bins)[:, None], dtype=np.intp)
        key += self._offsets[:-1]
        return np.bincount(key.ravel(), minlength=n_cells * self.n_bins).reshape(n_cells, -1)

    def _by_column(
        self, codes: NDArray[np.uint8], picked: Picked, cell: NDArray[np.intp], n_cells: int
    ) -> NDArray[np.int64]:
        found: dict[int, NDArray[np.int64]] = {}
        for group in column_groups(self.encoding.n_bins, _MOST_CELLS // n_cells):
            sizes = tuple(self.encoding.n_bins[column] for column in group)
            key = joint_codes([_picked(codes[:, column], picked) for column in group], sizes, cell, n_cells)
            counts = np.bincount(key, minlength=n_cells * prod(sizes)).reshape(n_cells, *sizes)
            found |= {column: margin(counts, axis) for axis, column in enumerate(group, start=1)}
        return np.concatenate([found[column] for column in range(len(found))], axis=1)

    def _cells(self, block: Block, nodes: Sequence[int], rows: NodeRows) -> NDArray[np.intp]:
        """Return (node, stratum) as one number for each row of the nodes."""
        cell = np.asarray(self.strata.of(block, rows.of(nodes)), dtype=np.intp)
        if len(nodes) > 1:
            cell = cell + np.repeat(np.arange(len(nodes)) * self.strata.mass.shape[1], rows.sizes(nodes))
        return cell


def _picked(values: NDArray[np.uint8], rows: Picked) -> NDArray[np.uint8]:
    return values[rows] if isinstance(rows, slice) else values.take(rows)
