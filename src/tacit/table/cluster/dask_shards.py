"""Shards as futures of a Dask cluster: workers hold rows and state of rows, the driver gets sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from functools import reduce
from itertools import chain, repeat
from typing import Any, TypeVar

from distributed import Client, Future
from numpy.typing import NDArray

from tacit.table.blocks import Block, PerBlock
from tacit.table.cluster.client import fetched, fetching, new_keys, sent
from tacit.table.cluster.shipping import Held, PackedCall, held, packed, packed_argument, unpacked
from tacit.table.shards import Summand, plus, sizes_left

T = TypeVar("T")

_SUM_BYTES, STATE_BYTES = 2**20, 2**23
"""What a dashboard is told of a sum and of state of rows, whatever they take: sizes could tell a count."""

_TOGETHER = 16
"""Results that the driver holds at a time."""


class DaskShards:
    """Shards that are held by workers.

    Every task follows from its arguments, so that what a lost worker held is computed again by others: rows are read
    again, state of rows follows from them and from the functions that the driver sent.

    Parameters
    ----------
    client : Client
    futures : sequence of Future
        Of a list of blocks each.
    sizes : tuple of tuple of int
    """

    def __init__(self, client: Client, futures: Sequence[Future], sizes: tuple[tuple[int, ...], ...]):
        self._client, self._futures, self.sizes = client, list(futures), sizes
        # Tasks that nobody waits for yet, and the state that they make.
        self._ahead: dict[Any, tuple[Any, ...]] = {}
        self._states: list[_FutureState[Any]] = []
        self._summed: list[Future] = []

    def sum(self, function: Callable[[Sequence[Block]], Summand]) -> Summand:
        """Return the sum, shard after shard, whichever is done first."""
        # Kept until the next sum is asked for: what is let go of is told to the scheduler at once, and a message
        # that follows within ten milliseconds waits for the rest of them.
        self._summed = self.submitted("sum", _of_shard, function)
        total: Summand = reduce(plus, self._fetched(list(self._summed)))
        return total

    def visit(self, function: Callable[[Block], object]) -> None:
        """Call the function where the blocks are."""
        for _ in self._results("visit", _visited, function):
            pass

    def values(self, function: Callable[[Block], NDArray[Any]]) -> Iterator[NDArray[Any]]:
        """Yield the values block by block; the first are made and fetched from now on, a few shards' at a time."""
        futures = self.submitted("values", _of_blocks, function)
        first, rest = fetching(self._client, futures[:_TOGETHER]), futures[_TOGETHER:]
        return chain.from_iterable(self._first_and(first, rest))

    def per_block(self, start: Callable[[Block], T]) -> PerBlock[T]:
        """Return state that lies beside the rows."""
        return _FutureState(self, start)

    def replaced(
        self, function: Callable[[Block, Any], Block], given: Iterable[Any], sizes: tuple[tuple[int, ...], ...]
    ) -> DaskShards:
        """Return shards of new blocks, on the workers."""
        arguments, left = [], iter(given)
        for of_shard in sizes:
            own = [(size > 0, next(left)) for size in of_shard]
            arguments.append(packed_argument(own))
        futures = self.submitted("rows", _replaced, function, arguments)
        kept = [future for future, of_shard in zip(futures, sizes, strict=True) if any(of_shard)]
        return DaskShards(self._client, kept, sizes_left(sizes))

    def submitted(
        self, doing: str, task: Callable[..., Held], function: Callable[..., Any], *others: Sequence[Any]
    ) -> list[Future]:
        """Return the futures of a task for each shard, sent in one message with all tasks ahead of it."""
        keys = self.planned(doing, task, function, *others)
        asked = [keys, *(state.handles for state in self._states)]
        futures: list[list[Future]] = sent(self._client, lambda: self._client.get(self._ahead, asked, sync=False))
        for state, own in zip(self._states, futures[1:], strict=True):
            state.handles = own
        self._ahead, self._states = {}, []
        return futures[0]

    def planned(
        self, doing: str, task: Callable[..., Held], function: Callable[..., Any], *others: Sequence[Any]
    ) -> list[Any]:
        """Return the keys of a task for each shard, which gets the state that the function asks for."""
        work, states = packed(function)
        beside = [state.of_shards() for state in states if isinstance(state, _FutureState)]
        keys = new_keys(doing, len(self._futures))
        # A key stands for what the task of that name makes.
        tasks = zip(repeat(task), repeat(work), self._futures, *others, *beside, strict=False)
        self._ahead |= dict(zip(keys, tasks, strict=True))
        return keys

    def planned_state(self, state: _FutureState[Any]) -> None:
        """Ask for futures of planned state with the next tasks that are sent."""
        if state not in self._states:
            self._states.append(state)

    def _results(self, doing: str, task: Callable[..., Held], function: Callable[..., Any]) -> Iterator[Any]:
        return self._fetched(self.submitted(doing, task, function))

    def _first_and(self, first: Callable[[], list[Any]], rest: list[Future]) -> Iterator[Any]:
        yield from first()
        yield from self._fetched(rest)

    def _fetched(self, futures: list[Future]) -> Iterator[Any]:
        while futures:
            yield from fetched(self._client, futures[:_TOGETHER])
            del futures[:_TOGETHER]  # so that workers forget what has come


class _FutureState(PerBlock[T]):
    """State of the blocks of a cluster.

    Attributes
    ----------
    handles : list
        Each shard's state among a task's arguments: its future or, until it is sent, its key.
    """

    def __init__(self, shards: DaskShards, start: Callable[[Block], T]):
        self._shards, self._start = shards, start
        self.handles: list[Any] = []

    def of_shards(self) -> list[Any]:
        """Return each shard's state, made when it is first sent for."""
        if not self.handles:
            # What makes the state is often a method of the object that has it, and does not ask for it.
            self.handles = [Held({}, 0)] * len(self._shards.sizes)
            self._plan(_started, self._start)
        return self.handles

    def __getitem__(self, block: Block) -> T:
        raise TypeError("State of rows is on the workers: ask for it in a function of a block.")

    def advance(self, update: Callable[[Block, T], T]) -> None:
        """Replace every block's value, on the workers, when something is next sent for."""
        self._plan(_advanced, update, self.of_shards())

    def _plan(self, task: Callable[..., Held], function: Callable[..., Any], *others: Sequence[Any]) -> None:
        self.handles = self._shards.planned("state", task, function, *others)
        self._shards.planned_state(self)


def _of_shard(work: PackedCall, blocks: Held, *states: Held) -> Held:
    return held(lambda rows, *beside: unpacked(work, beside)(rows), (blocks, *states), _SUM_BYTES)


def _visited(work: PackedCall, blocks: Held, *states: Held) -> Held:
    def each(rows: Sequence[Block], *beside: dict[int, Any]) -> None:
        function = unpacked(work, beside)
        for block in rows:
            function(block)

    return held(each, (blocks, *states), _SUM_BYTES)


def _of_blocks(work: PackedCall, blocks: Held, *states: Held) -> Held:
    def each(rows: Sequence[Block], *beside: dict[int, Any]) -> list[Any]:
        function = unpacked(work, beside)
        return [function(block) for block in rows]

    return held(each, (blocks, *states), _SUM_BYTES)


def _replaced(work: PackedCall, blocks: Held, given: PackedCall, *states: Held) -> Held:
    def each(rows: Sequence[Block], *beside: dict[int, Any]) -> list[Block]:
        function, own = unpacked(work, beside), unpacked(given)
        return [function(block, value) for block, (kept, value) in zip(rows, own, strict=True) if kept]

    return held(each, (blocks, *states), blocks.size)


def _started(work: PackedCall, blocks: Held, *states: Held) -> Held:
    def each(rows: Sequence[Block], *beside: dict[int, Any]) -> dict[int, Any]:
        function = unpacked(work, beside)
        return {block.index: function(block) for block in rows}

    return held(each, (blocks, *states), STATE_BYTES)


def _advanced(work: PackedCall, blocks: Held, old: Held, *states: Held) -> Held:
    def each(rows: Sequence[Block], before: dict[int, Any], *beside: dict[int, Any]) -> dict[int, Any]:
        function = unpacked(work, beside)
        # A copy, as updates work in place, and a task may run twice on the same state.
        return {block.index: function(block, deepcopy(before[block.index])) for block in rows}

    return held(each, (blocks, old, *states), STATE_BYTES)
