"""Dask's client in one process: tasks run at once, and everything travels as bytes, as between machines."""

from __future__ import annotations

import cloudpickle

from tacit.table import Table, opened_source
from tacit.table.cluster import reading
from tacit.table.cluster.dask_shards import DaskShards
from tacit.table.cluster.shipping import Held


def travelled(thing):
    return cloudpickle.loads(cloudpickle.dumps(thing))


class InProcess:
    """What shards ask of a client; a future is its result."""

    status = "running"

    def __init__(self):
        self.keys, self.n_messages = [], 0

    def map(self, task, *given, key, pure, **work):
        assert not pure
        return [
            self.submit(task, *own, key=one, pure=pure, **work)
            for one, own in zip(key, zip(*given, strict=True), strict=True)
        ]

    def submit(self, task, *given, key, pure, **work):
        assert not pure
        self.keys.append(key)
        return task(*map(travelled, given), **travelled(work))

    def get(self, tasks, keys, sync):
        assert not sync
        self.n_messages += 1
        self.keys += tasks
        made = {}
        for key, (task, *given) in tasks.items():
            found = [made.get(one, one) if isinstance(one, tuple) else one for one in given]
            made[key] = task(*map(travelled, found))
        return [[made[key] for key in of_shards] for of_shards in keys]

    def gather(self, futures, direct=None):
        return [travelled(future) for future in futures]


def on_workers(table):
    """Return the table with its blocks behind such a client."""
    futures = [Held(list(shard), 64) for shard in table._shards.blocks]
    shards = DaskShards(InProcess(), futures, table._shards.sizes)
    return Table(table.schema, shards, unit_weight=table.unit_weight)


def read_by_workers(folder, schema, monkeypatch, **given):
    """Return the table of files that such a client's workers read."""
    monkeypatch.setattr(reading, "checked_client", lambda client: client)
    return reading.read_on_cluster(opened_source(folder), schema, InProcess(), **given)
