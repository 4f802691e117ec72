"""Rows counted by (position of their weight, column bin, label), updated when rows move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.features.bin_encoding import column_groups, group_codes
from tacit.table import Block, Table

Picked = Callable[[Block], tuple[NDArray[np.intp] | None, NDArray[np.int16]]]
"""Returns some rows of a block, or None for all, and the positions of these."""

_Part = tuple[Block, NDArray[np.intp] | None, NDArray[np.uint16]]
"""A block, its picked rows, and of each of them 2 * position + label."""

_GROUPS_TOGETHER = 16
"""Groups whose codes of a row lie next to each other: most of the rows' codes come from memory in one line of it."""

_STRIP = 32_768
"""Keys at a time, which stay in the second cache."""

_ROWS_TOGETHER = 2**19
"""Rows that are counted at once: enough to outweigh clearing and adding up the cells, few enough for little memory."""

_MAX_JOINT_CELLS, _MANY_ROWS, _JOINT_CELLS_OF_MANY = 1_024, 2**19, 4_096
"""Combinations of bins of columns that are counted as one: two columns of 32, and of many rows three columns of 16.
Most rows are in few of the cells of (position, label), whose counts stay in the second cache."""

_JOINT_CELLS_PER_ROW = 4
"""Joint cells a row: with more of them, clearing and adding them up takes longer than a second column."""


class BinCounts:
    """Integer counts of rows for every column's bins at once.

    Privacy: exact counts of private rows; only queries read them.

    Parameters
    ----------
    positions : callable
        Returns each row's position in the table of weights, for a block.
    size : int
        Of that table.

    Attributes
    ----------
    starts : array of shape (n_columns + 1,)
        Where each column's bins begin among all columns'.
    """

    def __init__(self, table: Table, encoding: BinEncoding, positions: Callable[[Block], NDArray[np.int16]], size: int):
        self.encoding = encoding
        self.starts = np.concatenate([[0], np.cumsum(encoding.n_codes)])
        self._table, self._size = table, size
        most = _JOINT_CELLS_OF_MANY if table.n_persons >= _MANY_ROWS else _MAX_JOINT_CELLS
        self._groups = column_groups(encoding.n_codes, most)
        several = (group for group in self._groups if len(group) > 1)
        self._joint_cells = max((prod(encoding.n_codes[column] for column in group) for group in several), default=1)
        self._joint = table.per_block(self._joint_codes)
        self._counts = np.zeros((size, 2, self.starts[-1]), dtype=np.int64)
        # Counted once in full; from then on only rows whose weight changes are counted again.
        found = self._found(lambda block: (None, positions(block)))
        self._add(found.low, found.counts)
        self._reached = slice(found.low, found.low + len(found.counts))

    def __getstate__(self) -> dict[str, object]:
        # Rows are counted where they lie, and what was counted stays here.
        return {**vars(self), "_counts": None}

    def masses(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight in every bin by label, shape (2, n_bins of all columns)."""
        # Positions that no row has add nothing: after a few rounds most of the table of weights is empty.
        occupied = np.flatnonzero(self._counts[:, :, : self.starts[1]].any(axis=(1, 2)))
        span = slice(occupied[0], occupied[-1] + 1)
        counts = self._counts[span].reshape(span.stop - span.start, -1)
        return np.asarray(weights[span] @ counts).reshape(2, -1)

    @property
    def by_group(self) -> NDArray[np.int64]:
        """Counts by (position and label, bin of all columns), shape (2 size, n_bins); do not change them."""
        return self._counts.reshape(2 * self._size, -1)

    @property
    def by_position(self) -> NDArray[np.int64]:
        """Number of rows at each position, shape (size,)."""
        return np.asarray(self._counts[:, :, : self.starts[1]].sum(axis=(1, 2)))

    def move(self, picked: Picked, jump: int, movers: NDArray[np.bool_]) -> None:
        """Move rows ``jump`` positions further on: of labels with movers the picked rows, of the others all but these.

        Picked rows are at their old positions.
        """
        for label in np.flatnonzero(~movers):
            # All of them move, and those that should have stayed are moved back below.
            moved = self._counts[self._reached, label].copy()
            self._counts[self._reached, label] = 0
            self._counts[self._reached.start + jump : self._reached.stop + jump, label] = moved
        ends = self._reached.start, self._reached.stop, self._reached.start + jump, self._reached.stop + jump
        self._reached = slice(min(ends), max(ends))
        signs = np.where(movers, 1, -1)[:, None]
        found = self._found(picked)
        found.counts *= signs
        self._add(found.low, -found.counts)
        self._add(found.low + jump, found.counts)

    def _add(self, low: int, counts: NDArray[np.int64]) -> None:
        self._counts[low : low + len(counts)] += counts

    def _found(self, picked: Picked) -> _BinTally:
        """Count the picked rows."""
        return self._table.sum_shards(partial(self._of_shard, picked))

    def _of_shard(self, picked: Picked, blocks: Sequence[Block]) -> _BinTally:
        """Count the picked rows of some blocks, many rows at once."""
        waiting: list[_Part] = []
        total = _BinTally(0, np.zeros((0, 2, self.starts[-1]), dtype=np.int64))
        for at, block in enumerate(blocks):
            rows, positions = picked(block)
            if len(positions):
                labels = block.labels if rows is None else block.labels.take(rows)
                # Sixteen bits hold them, as positions have fifteen.
                waiting.append((block, rows, 2 * positions.astype(np.uint16) + labels.astype(np.uint16)))
            enough = sum(len(cells) for *_, cells in waiting) >= _ROWS_TOGETHER or at == len(blocks) - 1
            if enough and waiting:
                total = total + _BinTally(*self._counted(waiting))
                waiting.clear()
        return total

    def _counted(self, parts: list[_Part]) -> tuple[int, NDArray[np.int64]]:
        """Return the lowest position, and counts by (position from there on, label, bin)."""
        low = min(int(part.min()) for *_, part in parts) // 2
        high = max(int(part.max()) for *_, part in parts) // 2 + 1
        n_cells = 2 * (high - low)
        # Cells count from the lowest position there is, so that a few rows at the end do not need a full table.
        cells = np.concatenate([np.subtract(part, 2 * low, dtype=np.uint32) for *_, part in parts])
        weighed = [_weights(block, rows) for block, rows, _ in parts]
        weights = None if weighed[0] is None else np.concatenate(cast(list[NDArray[np.int64]], weighed))
        joint = _JOINT_CELLS_PER_ROW * len(cells) >= n_cells * self._joint_cells
        groups = self._groups if joint else tuple((column,) for column in range(len(self.encoding.n_codes)))
        counts = np.empty((n_cells, self.starts[-1]), dtype=np.int64)
        keys = np.empty(min(_STRIP, len(cells)), dtype=np.intp)
        first: dict[int, NDArray[Any]] = {}  # groups of two equal columns share the cells' first keys
        for at in range(0, len(groups), _GROUPS_TOGETHER):
            together = groups[at : at + _GROUPS_TOGETHER]
            for group, codes in zip(together, self._codes(parts, at, len(together), joint), strict=True):
                sizes = [self.encoding.n_codes[column] for column in group]
                if prod(sizes) not in first:
                    # The shortest type that holds every key: mostly two bytes, which are added in half the time.
                    kind = np.min_scalar_type(n_cells * prod(sizes) - 1)
                    first = {prod(sizes): (cells * np.uint32(prod(sizes))).astype(kind)}
                found = _histogram(first[prod(sizes)], codes, weights, n_cells * prod(sizes), keys)
                for column, own in zip(group, _margins(found, n_cells, sizes), strict=True):
                    counts[:, self.starts[column] : self.starts[column + 1]] = own
        return low, counts.reshape(high - low, 2, -1)

    def _codes(self, parts: list[_Part], first: int, size: int, joint: bool) -> NDArray[Any]:
        """Return codes of the picked rows in some groups or columns, shape (size, n_picked)."""
        ends = np.cumsum([0, *(len(cells) for *_, cells in parts)])
        every = [
            self._joint[block][first // _GROUPS_TOGETHER] if joint else block.codes(self.encoding)
            for block, *_ in parts
        ]
        codes = np.empty((size, ends[-1]), dtype=every[0].dtype)
        for (_, rows, _), whole, start, end in zip(parts, every, ends, ends[1:], strict=False):
            own = whole if joint else whole[:, first : first + size]
            if rows is None:
                codes[:, start:end] = own.T
            elif joint:
                codes[:, start:end] = own.take(rows, axis=0, mode="clip").T
            else:
                for column, out in enumerate(codes[:, start:end]):
                    own[:, column].take(rows, out=out, mode="clip")  # the default mode would fill a copy first
        return codes

    def _joint_codes(self, block: Block) -> tuple[NDArray[np.uint16], ...]:
        """Return the combination of bins in each group of columns, shape (n_rows, n_groups), some groups at a time."""
        codes, sizes = block.codes(self.encoding), self.encoding.n_codes
        return tuple(
            np.ascontiguousarray(group_codes(codes, sizes, self._groups[at : at + _GROUPS_TOGETHER]))
            for at in range(0, len(self._groups), _GROUPS_TOGETHER)
        )


def _histogram(
    first: NDArray[Any], codes: NDArray[Any], weights: NDArray[np.int64] | None, size: int, keys: NDArray[np.intp]
) -> NDArray[Any]:
    """Return how often each sum of a first key and a code occurs, or what its rows weigh, shape (size,).

    ``keys`` is memory for a strip of them.
    """
    # Four bytes hold every count of rows: the table stays in the second cache beside a strip of keys.
    found = np.zeros(size, dtype=np.int32 if weights is None else np.int64)
    for start in range(0, len(first), _STRIP):
        strip = slice(start, start + _STRIP)
        key = keys[: len(first[strip])]
        np.add(first[strip], codes[strip], out=key)
        # Of the table's own type: any other takes NumPy's way for types that differ, forty times as long.
        np.add.at(found, key, found.dtype.type(1) if weights is None else weights[strip])
    return found


def _margins(joint: NDArray[Any], n_cells: int, sizes: Sequence[int]) -> Iterator[NDArray[Any]]:
    """Yield counts by cell and bin of each column, from those of combinations of its bins with later columns'."""
    for size in sizes:
        by_bin = joint.reshape(n_cells, size, -1)
        yield np.asarray(np.einsum("nij->ni", by_bin))
        # Later columns' combinations are fewer: not all are added up for each column.
        joint = np.asarray(np.einsum("nij->nj", by_bin))


@dataclass(eq=False)
class _BinTally:
    """Counts by (position from the lowest on, label, bin)."""

    low: int
    counts: NDArray[np.int64]

    def __add__(self, other: _BinTally) -> _BinTally:
        if not len(self.counts) or not len(other.counts):
            return other if not len(self.counts) else self
        low, high = min(self.low, other.low), max(self.low + len(self.counts), other.low + len(other.counts))
        if (self.low, len(self.counts)) != (low, high - low):
            wider = np.zeros((high - low, *self.counts.shape[1:]), dtype=np.int64)
            wider[self.low - low : self.low - low + len(self.counts)] = self.counts
            self.low, self.counts = low, wider
        # In place, as the left one is always a sum that nobody else has.
        self.counts[other.low - low : other.low - low + len(other.counts)] += other.counts
        return self


def _weights(block: Block, rows: NDArray[np.intp] | None) -> NDArray[np.int64] | None:
    """Return what each of the picked rows weighs, or None where each counts one."""
    if block.weights is None:
        return None
    return (block.weights if rows is None else block.weights[rows]).astype(np.int64)
