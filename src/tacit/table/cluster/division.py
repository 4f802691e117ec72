"""Blocks and shards of the parts of a table that workers have read: those of the same rows in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from distributed import Client, Future

from tacit.table.batches import Batch, in_blocks
from tacit.table.blocks import Block
from tacit.table.cluster.client import submitted
from tacit.table.cluster.dask_shards import DaskShards
from tacit.table.cluster.shipping import Held, PackedCall, held, packed_argument, unpacked

_SHOWN = 8
"""Steps in which a dashboard is told how large a piece of a shard is, as the number of rows may be private."""


@dataclass(frozen=True)
class Division:
    """How rows are divided.

    Parameters
    ----------
    block_rows, shard_blocks : int
        Of all but the last.
    size : int
        What a dashboard is told that a shard takes, in bytes.
    unit_weight : int, optional
        What rows' weights add to for each person; None where rows have none.
    """

    block_rows: int
    shard_blocks: int
    size: int
    unit_weight: int | None

    @property
    def shard_rows(self) -> int:
        """Rows of all shards but the last."""
        return self.block_rows * self.shard_blocks

    def shards(self, client: Client, parts: Sequence[Future], n_rows: Sequence[int]) -> DaskShards:
        """Return the shards of parts of so many rows each."""
        ends = list(accumulate(n_rows, initial=0))
        shards, sizes = [], []
        for index, start in enumerate(range(0, ends[-1], self.shard_rows)):
            stop = min(start + self.shard_rows, ends[-1])
            own = [at for at in range(len(parts)) if ends[at] < stop and ends[at + 1] > start]
            rows = [(max(start - ends[at], 0), min(stop, ends[at + 1]) - ends[at]) for at in own]
            pieces = [
                parts[at] if within == (0, n_rows[at]) else self._piece(client, parts[at], within)
                for at, within in zip(own, rows, strict=True)
            ]
            order = packed_argument((self.block_rows, index * self.shard_blocks, self.unit_weight))
            shards.append(submitted(client, "rows", _blocks, order, self.size, *pieces))
            sizes.append(tuple(min(self.block_rows, stop - first) for first in range(start, stop, self.block_rows)))
        return DaskShards(client, shards, tuple(sizes))

    def _piece(self, client: Client, part: Future, rows: tuple[int, int]) -> Future:
        """Return some rows of a part, cut off where it is: the whole part would be sent for a few of its rows."""
        start, stop = rows
        # Dask computes a shard where most of it is, by what it is told.
        steps = -(-_SHOWN * (stop - start) // self.shard_rows)
        return submitted(client, "rows", _cut, part, packed_argument(rows), self.size * steps // _SHOWN)


def _cut(part: Held, order: PackedCall, size: int) -> Held:
    def cut(batch: Batch) -> Batch:
        start, stop = unpacked(order)
        return batch.slice(start, stop)

    return held(cut, (part,), size)


def _blocks(order: PackedCall, size: int, *pieces: Held) -> Held:
    def divided(*batches: Batch) -> list[Block]:
        block_rows, first, unit_weight = unpacked(order)
        return [_block(index, batch, unit_weight) for index, batch in enumerate(in_blocks(batches, block_rows), first)]

    return held(divided, pieces, size)


def _block(index: int, batch: Batch, unit_weight: int | None) -> Block:
    weights = None if unit_weight is None or batch.members is None else batch.members.weights(unit_weight)
    return Block(index, batch.labels, batch.rows, {}, batch.members, weights)
