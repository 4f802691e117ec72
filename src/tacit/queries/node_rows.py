"""The rows of one block in an order that keeps each node's together, so that a node is read without the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.queries.branch import Branch

Picked = slice | NDArray[np.intp]
"""Rows of a block: all of them, or positions."""

_FEW_NODES = 32
"""So many are split one after the other; more at once, so that many small ones take few calls."""


class NodeRows:
    """Rows by node; within a node they stand in the block's order.

    Parameters
    ----------
    n_rows : int
        All of them start at node 0.
    """

    def __init__(self, n_rows: int):
        self._order: NDArray[np.int32] | None = None
        self._starts, self._sizes = np.zeros(1, dtype=np.int64), np.asarray([n_rows], dtype=np.int64)

    def sizes(self, nodes: Sequence[int]) -> NDArray[np.int64]:
        """Return the number of rows at each node."""
        return np.asarray(self._sizes[list(nodes)])

    def of(self, nodes: Sequence[int]) -> Picked:
        """Return the rows of the nodes, one node after the other."""
        if self._order is None:
            return slice(None)
        return self._order[self._places(nodes)].astype(np.intp)

    def split(self, branches: Mapping[int, Branch], codes: NDArray[np.uint8], columns: Sequence[str]) -> NodeRows:
        """Move the rows of each branching node to the node that its answer leads to; returns itself."""
        if self._order is None:
            self._order = np.arange(self._sizes[0], dtype=np.int32)
        if len(branches) <= _FEW_NODES:
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
        # Sixteen bits are sorted by radix, in time linear in the rows; more nodes than they can tell apart are not.
        kind = np.uint16 if 2 * len(nodes) <= 2**16 else np.uint32
        answer = (2 * at + ((code < first[at]) | (code > last[at]))).astype(kind)
        self._order[places] = rows[np.argsort(answer, kind="stable")]
        return self._add(branches, np.bincount(answer, minlength=2 * len(nodes)).reshape(-1, 2))

    def _split_one(
        self, node: int, branch: Branch, codes: NDArray[np.uint8], columns: Sequence[str]
    ) -> tuple[int, int]:
        """Put the node's rows that answer yes before the others, and return how many there are of each."""
        assert self._order is not None
        start, asked = int(self._starts[node]), branch.literal
        rows = self._order[start : start + int(self._sizes[node])]
        code = codes[:, columns.index(asked.column)].take(rows)
        code -= np.uint8(asked.first)  # codes below the first wrap around, beyond the last
        no = code > asked.last - asked.first
        others = rows[no]
        n_yes = len(rows) - len(others)
        rows[:n_yes] = rows[~no]
        rows[n_yes:] = others
        return n_yes, len(others)

    def _places(self, nodes: Sequence[int]) -> slice | NDArray[np.int64]:
        """Return where the nodes' rows stand in the order."""
        if len(nodes) == 1:
            start = self._starts[nodes[0]]
            return slice(start, start + self._sizes[nodes[0]])
        starts, sizes = self._starts[list(nodes)], self._sizes[list(nodes)]
        ends = np.cumsum(sizes)
        return np.arange(ends[-1]) + np.repeat(starts - ends + sizes, sizes)

    def _add(self, branches: Mapping[int, Branch], sizes: NDArray[np.int64]) -> NodeRows:
        nodes, yes = list(branches), [branch.yes for branch in branches.values()]
        no = [branch.no for branch in branches.values()]
        spare = np.zeros(max(0, max(*yes, *no) + 1 - len(self._starts)), dtype=np.int64)
        self._starts, self._sizes = np.append(self._starts, spare), np.append(self._sizes, spare)
        self._sizes[yes], self._sizes[no] = sizes.T
        self._starts[yes] = self._starts[nodes]
        self._starts[no] = self._starts[nodes] + sizes[:, 0]
        self._sizes[nodes] = 0
        return self
