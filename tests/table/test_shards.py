"""Shards: rounded sums are added in one order wherever they are made, and a task that runs twice changes nothing."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

from tacit.schema import Label, Numeric, Schema
from tacit.table import Table, shards

SCHEMA = Schema([Numeric("a", 0, 8)], label=Label("y", [0, 1]))


def test_sums_are_added_shard_by_shard(monkeypatch):
    monkeypatch.setattr(shards, "SHARD_BLOCKS", 2)
    table = Table.from_frame(np.arange(5.0)[:, None], [0, 1, 1, 0, 1], SCHEMA, block_rows=1)
    of_block = [1.0, 1e16, -1e16, 1.0, 1.0]
    # (1 + 1e16) + (-1e16 + 1) + 1 is 1, as a one beside 1e16 is lost; block after block it would be 2.
    assert table.sum(lambda block: np.asarray([of_block[block.index]])).tolist() == [1.0]


def test_an_update_that_runs_twice_starts_from_the_same_state():
    pytest.importorskip("distributed")
    from tacit.table.cluster import dask_shards
    from tacit.table.cluster.shipping import Held, packed

    def doubled(block, values):
        values *= 2
        return values

    table = Table.from_frame(np.arange(2.0)[:, None], [0, 1], SCHEMA)
    blocks = []
    table.visit(blocks.append)
    state, (work, _) = Held({0: np.asarray([1, 2])}, 0), packed(doubled)
    for _ in range(2):
        found = dask_shards._advanced(work, Held(blocks, 0), state)
        assert found.value[0].tolist() == [2, 4]
    assert state.value[0].tolist() == [1, 2]


def test_state_is_sent_for_with_the_sum_that_asks_for_it():
    pytest.importorskip("distributed")
    from harness.in_process import on_workers

    table = on_workers(Table.from_frame(np.arange(6.0)[:, None], [0, 1] * 3, SCHEMA, block_rows=4))
    client = table._shards._client
    before = client.n_messages  # the table asked whether rows have weights
    state = table.per_block(lambda block: np.arange(block.n_rows))
    for factor in (2, 5):
        state.advance(lambda block, values, factor=factor: values * factor)
    assert client.n_messages == before
    assert table.sum(lambda block: int(state[block].sum())) == 10 * (0 + 1 + 2 + 3 + 0 + 1)
    assert client.n_messages == before + 1
    state.advance(lambda block, values: values + block.n_rows)
    assert table.sum(lambda block: int(state[block].sum())) == 70 + 4 * 4 + 2 * 2
    assert client.n_messages == before + 2
    assert len(set(client.keys)) == len(client.keys)  # no task is sent twice


def test_values_are_fetched_before_they_are_asked_for_and_a_lost_cluster_is_said_then(monkeypatch):
    pytest.importorskip("distributed")
    from harness.in_process import InProcess, on_workers
    from tacit.errors import ClusterError

    table = on_workers(Table.from_frame(np.arange(6.0)[:, None], [0, 1] * 3, SCHEMA, block_rows=4))
    fetched, gather = Event(), InProcess.gather

    def seen(client, futures, direct=None):
        fetched.set()
        return gather(client, futures, direct)

    monkeypatch.setattr(InProcess, "gather", seen)
    values = table.gathering(lambda block: np.arange(block.n_rows))
    assert fetched.wait(60)
    assert values().tolist() == [0, 1, 2, 3, 0, 1]

    def lost(client, futures, direct=None):
        raise OSError("a cell")

    monkeypatch.setattr(InProcess, "gather", lost)
    values = table.gathering(lambda block: block.labels)
    with pytest.raises(ClusterError, match="a lost connection"):
        values()
