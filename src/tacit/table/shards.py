"""Shards of some blocks each, which are worked on together: in this process, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from tacit.table.blocks import Block, LocalState, PerBlock
from tacit.table.storage import MEMORY, Storage

SHARD_BLOCKS = 16
"""Blocks of a shard: a million rows, whose work outweighs the millisecond that a task of a cluster takes."""

Summand = TypeVar("Summand")
T = TypeVar("T")


class Shards(Protocol):
    """Blocks in their order, divided into shards.

    Sums are added shard by shard wherever the shards are, so that those of numbers that are rounded are the same to
    the bit, too.
    """

    @property
    def sizes(self) -> tuple[tuple[int, ...], ...]:
        """Rows of each block of each shard."""

    def sum(self, function: Callable[[Sequence[Block]], Summand]) -> Summand:
        """Return the sum of a function of the blocks of a shard, over all shards."""

    def visit(self, function: Callable[[Block], object]) -> None:
        """Call a function of each block, in row order within a shard; what it returns is dropped."""

    def values(self, function: Callable[[Block], NDArray[Any]]) -> Iterator[NDArray[Any]]:
        """Yield a function's values of the blocks, in row order."""

    def per_block(self, start: Callable[[Block], T]) -> PerBlock[T]:
        """Return state of the blocks."""

    def replaced(
        self, function: Callable[[Block, Any], Block], given: Iterable[Any], sizes: tuple[tuple[int, ...], ...]
    ) -> Shards:
        """Return shards of a function's blocks of these sizes; each block is given a value of its own.

        Blocks of size zero are left out, and so are shards without any.
        """


class LocalShards:
    """Blocks that this process reaches.

    Parameters
    ----------
    blocks : sequence of sequence of Block
        By shard.
    storage : Storage
        Of what is kept beside the rows.
    """

    def __init__(self, blocks: Iterable[Sequence[Block]], storage: Storage = MEMORY):
        self.blocks = tuple(map(tuple, blocks))
        self._storage = storage
        self.sizes = tuple(tuple(block.n_rows for block in shard) for shard in self.blocks)

    @classmethod
    def of(cls, blocks: Sequence[Block], storage: Storage = MEMORY) -> LocalShards:
        """Return the shards of a table's blocks."""
        starts = range(0, len(blocks), SHARD_BLOCKS)
        return cls([blocks[start : start + SHARD_BLOCKS] for start in starts], storage)

    def sum(self, function: Callable[[Sequence[Block]], Summand]) -> Summand:
        """Return the sum, one shard after the other."""
        return reduce(plus, map(function, self.blocks))

    def visit(self, function: Callable[[Block], object]) -> None:
        """Call the function of each block, in row order."""
        for shard in self.blocks:
            for block in shard:
                function(block)

    def values(self, function: Callable[[Block], NDArray[Any]]) -> Iterator[NDArray[Any]]:
        """Yield the values block by block."""
        return (function(block) for shard in self.blocks for block in shard)

    def per_block(self, start: Callable[[Block], T]) -> PerBlock[T]:
        """Return state in the storage of the rows."""
        return LocalState(self.visit, start, self._storage)

    def replaced(
        self, function: Callable[[Block, Any], Block], given: Iterable[Any], sizes: tuple[tuple[int, ...], ...]
    ) -> LocalShards:
        """Return shards of new blocks."""
        values = iter(given)
        made = (
            [function(block, value) for block, size, value in zip(shard, of_shard, values, strict=False) if size]
            for shard, of_shard in zip(self.blocks, sizes, strict=True)
        )
        return LocalShards([shard for shard in made if shard], self._storage)


def sizes_left(sizes: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Return sizes without those of zero."""
    return tuple(tuple(filter(None, of_shard)) for of_shard in sizes if any(of_shard))


def plus(one: Any, other: Any) -> Any:
    """Return the sum of two parts; of tuples, place by place."""
    return tuple(map(add, one, other)) if isinstance(one, tuple) else one + other


def in_order(function: Callable[[Block], Summand], blocks: Sequence[Block]) -> Summand:
    """Return the sum of a function of the blocks of one shard."""
    return reduce(plus, map(function, blocks))
