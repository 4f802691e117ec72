"""Rows of a growing tree: the node of each, and counts by node, row group (class x weight) and bin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.features.bin_encoding import Codes, column_groups, joint_codes, margin
from tacit.features.literals import Literal
from tacit.privacy import PrivacyUnit
from tacit.queries.margins import RowWeights
from tacit.sensitivities.masses import MassBounds
from tacit.table import Block, Table


@dataclass(frozen=True)
class Branch:
    """The split of a node: its question, and the children that rows answering yes and no go to."""

    literal: Literal
    yes: int
    no: int


Picked = slice | NDArray[np.intp]
"""Rows of a block: all of them, or positions."""

_MAX_NODES_ONE_BY_ONE = 32
"""More are split at once by one sort: a NumPy call for each of many small nodes costs more than their rows."""

_MAX_JOINT_CELLS = 8_192
"""Counts of columns that are counted together, 64 KiB of eight bytes each: they stay in the second cache."""

_MAX_ROWS_AT_ONCE = 2_048
"""Up to so many rows one count of all columns is fastest, as its keys still fit the cache."""


class NodeRows:
    """Rows by node; within a node they are in the block's order.

    Parameters
    ----------
    n_rows : int
        All of them start at node 0.
    """

    def __init__(self, n_rows: int):
        self._order: NDArray[np.integer[Any]] | None = None
        self._starts, self._sizes = np.zeros(1, dtype=np.int64), np.asarray([n_rows], dtype=np.int64)

    def kept(self, keep: Callable[[NDArray[Any]], NDArray[Any]]) -> NodeRows:
        """Keep the rows' order where the table keeps its rows; returns itself."""
        self._order = None if self._order is None else keep(self._order)
        return self

    def sizes(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Return the number of rows at each node."""
        return np.asarray(self._sizes[list(nodes)])

    def of(self, nodes: Sequence[int]) -> Picked:
        """Return the rows of the nodes, one node after the other."""
        # Until the first split all rows are at the root, and a slice copies nothing.
        if self._order is None:
            return slice(None)
        return self._order[self._places(nodes)].astype(np.intp)

    def split(self, branches: Mapping[int, Branch], codes: Codes, columns: Sequence[str]) -> NodeRows:
        """Move the rows of each branching node to the node that its answer leads to; returns itself."""
        if self._order is None:
            # Two bytes for blocks as they are usually: a cluster copies them in each round.
            self._order = np.arange(self._sizes[0], dtype=np.uint16 if self._sizes[0] <= 2**16 else np.int32)
        if len(branches) <= _MAX_NODES_ONE_BY_ONE:
            split = [self._split_one(node, branch, codes, columns) for node, branch in branches.items()]
            return self._add(branches, np.asarray(split, dtype=np.int64))
        nodes, asked = list(branches), [branch.literal for branch in branches.values()]
        column, first, last = (
            np.asarray(each)
            for each in zip(*[(columns.index(one.column), one.first, one.last) for one in asked], strict=True)
        )
        places = self._places(nodes)
        rows = self._order[places]
        at = np.repeat(np.arange(len(nodes)), self._sizes[nodes])
        code = codes[rows, column[at]]
        # NumPy sorts sixteen bits by radix, in time linear in the rows; wider keys, for more nodes, by merging.
        kind = np.uint16 if 2 * len(nodes) <= 2**16 else np.uint32
        answer = (2 * at + ((code < first[at]) | (code > last[at]))).astype(kind)
        # A stable sort keeps the block's order within a node, so that later reads go through memory one way.
        self._order[places] = rows[np.argsort(answer, kind="stable")]
        return self._add(branches, np.bincount(answer, minlength=2 * len(nodes)).reshape(-1, 2))

    def _split_one(self, node: int, branch: Branch, codes: Codes, columns: Sequence[str]) -> tuple[int, int]:
        """Put the node's rows that answer yes before the others, and return how many there are of each."""
        assert self._order is not None
        start, asked = int(self._starts[node]), branch.literal
        rows = self._order[start : start + int(self._sizes[node])]
        code = codes[:, columns.index(asked.column)].take(rows)
        code -= codes.dtype.type(asked.first)  # codes below the first wrap around, beyond the last
        no = code > asked.last - asked.first
        others = rows[no]
        n_yes = len(rows) - len(others)
        rows[:n_yes] = rows[~no]
        rows[n_yes:] = others
        return n_yes, len(others)

    def _places(self, nodes: Sequence[int]) -> slice | NDArray[np.int64]:
        """Return the nodes' places in the order."""
        if len(nodes) == 1:
            start = self._starts[nodes[0]]
            return slice(start, start + self._sizes[nodes[0]])
        starts, sizes = self._starts[list(nodes)], self._sizes[list(nodes)]
        ends = np.cumsum(sizes)
        return np.arange(ends[-1]) + np.repeat(starts - ends + sizes, sizes)

    def _add(self, branches: Mapping[int, Branch], sizes: NDArray[np.int64]) -> NodeRows:
        nodes, yes = list(branches), [branch.yes for branch in branches.values()]
        no = [branch.no for branch in branches.values()]
        # Children get the numbers after all nodes so far; the arrays grow by what is missing.
        spare = np.zeros(max(0, max(*yes, *no) + 1 - len(self._starts)), dtype=np.int64)
        self._starts, self._sizes = np.append(self._starts, spare), np.append(self._sizes, spare)
        self._sizes[yes], self._sizes[no] = sizes.T
        self._starts[yes] = self._starts[nodes]
        self._starts[no] = self._starts[nodes] + sizes[:, 0]
        self._sizes[nodes] = 0
        return self


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Row groups (class x weight) by which tree histograms are stratified."""

    of: Callable[[Block, Picked], NDArray[Any]]
    """Gives picked rows of a block their groups."""
    mass: NDArray[Any]
    """Shape (n_classes, n_groups). The weight of a row of the group, in its class; zero elsewhere."""
    bounds: MassBounds
    """How much mass leaves, and enters, when one person is replaced, and how much there is."""
    class_weights: NDArray[np.float64] | None = None
    """Shape (n_classes,), in (0, 1], public or released before: how much rows of each class count where questions are
    scored. None where all count the same."""
    root_counts: Callable[[BinEncoding], NDArray[np.int64]] | None = None
    """Returns counts of all rows by (group, bin of an encoding) that are kept anyway, so that the root need not be
    counted."""

    def masses(self, counts: NDArray[np.int64]) -> NDArray[Any]:
        """Return masses by class, shape (n_nodes, n, n_classes), of counts by group, (n_nodes, n_groups, n)."""
        if self.mass.dtype.kind == "i":  # the classes themselves, every row counting one
            return counts.swapaxes(1, 2)
        return np.asarray(np.tensordot(counts, self.mass, axes=([1], [1])))

    @classmethod
    def by_class(cls, table: Table, class_weights: NDArray[np.float64] | None = None) -> RowGroups:
        """Return the classes as groups, every row counting one, but for what questions are scored by."""
        mass = np.eye(table.n_classes, dtype=np.int64)
        bounds = MassBounds(table.unit_weight)
        return cls(lambda block, rows: block.labels[rows], mass, bounds, class_weights=class_weights)

    @classmethod
    def by_weight(cls, weights: RowWeights) -> RowGroups:
        """Return (position of the weight, class) as groups, for two classes; all rows together weigh 1."""
        mass = np.zeros((2, 2 * len(weights.values)))
        mass[0, 0::2] = mass[1, 1::2] = weights.values
        return cls(
            lambda block, rows: 2 * weights.positions(block)[rows].astype(np.intp) + block.labels[rows],
            mass,
            weights.bounds,
            root_counts=lambda encoding: weights.bin_counts(encoding).by_group,
        )


class TreeRows:
    """The node of each row of a growing tree, kept beside the rows; nothing is released here.

    Counts are kept too, until a node splits: of two children only the one with fewer rows is counted, the other is
    what remains of the parent.

    Attributes
    ----------
    unit : PrivacyUnit
        Of what is counted here: nothing as long as the label is public, only public columns were read and rows are not
        weighed.
    """

    def __init__(self, table: Table, encoding: BinEncoding, groups: RowGroups):
        self.table, self.encoding, self.groups = table, encoding, groups
        # A weight depends on all columns that earlier classifiers read, so that weighted counts are always private.
        weighed = groups.mass.dtype.kind != "i"
        read_protected = weighed or table.unit.label or set(encoding.columns) & set(table.unit.columns)
        self.unit = table.unit if read_protected else PrivacyUnit((), label=False)
        self._rows = table.per_block(lambda block: NodeRows(block.n_rows))
        # Asked for once, as looking an encoding up takes as long as a small node.
        self._codes = table.per_block(lambda block: block.codes(encoding))
        self._kept: dict[int, NDArray[np.int64]] = {}
        self._parents: dict[int, tuple[int, NDArray[np.int64]]] = {}
        self._sizes: dict[int, int] = {}
        self._offsets = np.concatenate([[0], np.cumsum(encoding.n_codes)])

    def __getstate__(self) -> dict[str, object]:
        # What was counted stays here where rows are elsewhere.
        return {**vars(self), "_kept": {}, "_parents": {}, "_sizes": {}}

    @property
    def n_bins(self) -> int:
        """Number of bins of all columns together."""
        return int(self._offsets[-1])

    def continued(self, encoding: BinEncoding) -> TreeRows:
        """Return the same rows at the same nodes, read by another encoding."""
        following = TreeRows(self.table, encoding, self.groups)
        following._rows = self._rows
        return following

    def histogram(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Count the rows of some nodes in one pass, shape (n_nodes, n_groups, n_bins)."""
        few = self._fewer([node for node in nodes if node not in self._kept])
        for node, found in zip(few, self._counted(few) if few else (), strict=True):
            self._kept[node] = found
            if family := self._family(node):
                sibling, parent = family
                # Integers: the sibling is exactly what remains, as if it had been counted.
                self._kept[sibling] = parent - found
        return np.stack([self._kept[node] for node in nodes])

    def totals(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Count the rows of some nodes by group, shape (n_nodes, n_groups)."""
        n_groups = self.groups.mass.shape[1]

        def count(block: Block) -> NDArray[np.int64]:
            rows = self._rows[block]
            cell = self._cells(block, nodes, rows)
            counts = block.counted(cell, len(nodes) * n_groups, rows.of(nodes))
            return counts.reshape(len(nodes), n_groups)

        return self.table.sum(count)

    def split(self, branches: Mapping[int, Branch]) -> None:
        """Move the rows of each branching node to the node that its answer leads to."""
        self._rows.advance(lambda block, rows: rows.split(branches, self._codes[block], self.encoding.columns))
        for node, branch in branches.items():
            self._family(node)  # a sibling that was not counted yet is counted by itself
            if (parent := self._kept.pop(node, None)) is not None:
                self._parents |= {branch.yes: (branch.no, parent), branch.no: (branch.yes, parent)}
                self._sizes |= self._sizes_of(branch, parent)

    def _sizes_of(self, branch: Branch, parent: NDArray[np.int64]) -> dict[int, int]:
        """Return how much the rows of both children weigh, by the parent's counts."""
        asked, column = branch.literal, self.encoding.columns.index(branch.literal.column)
        of_column = parent[:, self._offsets[column] : self._offsets[column + 1]].sum(axis=0)
        yes = int(of_column[asked.held].sum())
        return {branch.yes: yes, branch.no: int(of_column.sum()) - yes}

    def _family(self, node: int) -> tuple[int, NDArray[np.int64]] | None:
        """Return, once, the sibling and the parent's counts of a node of which neither child was counted yet."""
        family = self._parents.pop(node, None)
        if family:
            del self._parents[family[0]]
        return family

    def _fewer(self, nodes: Sequence[int]) -> list[int]:
        """Return the nodes themselves or, where counting its sibling is as good and less work, a sibling; each once."""
        siblings = {node: self._parents[node][0] for node in nodes if node in self._parents}
        fewer = (min(node, siblings.get(node, node), key=lambda one: (self._sizes.get(one, 0), one)) for node in nodes)
        return list(dict.fromkeys(fewer))

    def _counted(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        # Boosting keeps these counts from round to round anyway; they are exact integers either way.
        if self.groups.root_counts is not None and list(nodes) == [0]:
            return self.groups.root_counts(self.encoding)[None]
        n_cells = len(nodes) * self.groups.mass.shape[1]

        def count(block: Block) -> NDArray[np.int64]:
            rows = self._rows[block]
            cell, picked = self._cells(block, nodes, rows), rows.of(nodes)
            codes = self._codes[block]
            if len(cell) <= _MAX_ROWS_AT_ONCE and block.weights is None:
                return self._at_once(codes[picked], cell, n_cells)
            return self._by_column(block, codes, picked, cell, n_cells)

        return self.table.sum(count).reshape(len(nodes), -1, self.n_bins)

    def _at_once(self, codes: Codes, cell: NDArray[np.intp], n_cells: int) -> NDArray[np.int64]:
        key = np.add(codes, (cell * self.n_bins)[:, None], dtype=np.intp)
        key += self._offsets[:-1]
        return np.bincount(key.ravel(), minlength=n_cells * self.n_bins).reshape(n_cells, -1)

    def _by_column(
        self, block: Block, codes: Codes, picked: Picked, cell: NDArray[np.intp], n_cells: int
    ) -> NDArray[np.int64]:
        found: dict[int, NDArray[np.int64]] = {}
        for group in column_groups(self.encoding.n_codes, _MAX_JOINT_CELLS // n_cells):
            sizes = tuple(self.encoding.n_codes[column] for column in group)
            key = joint_codes([_picked(codes[:, column], picked) for column in group], sizes, cell, n_cells)
            counts = block.counted(key, n_cells * prod(sizes), picked).reshape(n_cells, *sizes)
            found |= {column: margin(counts, axis) for axis, column in enumerate(group, start=1)}
        return np.concatenate([found[column] for column in range(len(found))], axis=1)

    def _cells(self, block: Block, nodes: Sequence[int], rows: NodeRows) -> NDArray[np.intp]:
        """Return (node, group) as one number for each row of the nodes."""
        cell = np.asarray(self.groups.of(block, rows.of(nodes)), dtype=np.intp)
        if len(nodes) > 1:
            cell = cell + np.repeat(np.arange(len(nodes)) * self.groups.mass.shape[1], rows.sizes(nodes))
        return cell


def _picked(values: Codes, rows: Picked) -> Codes:
    return values[rows] if isinstance(rows, slice) else values.take(rows)
