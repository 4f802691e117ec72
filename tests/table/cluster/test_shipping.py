"""What travels shows nothing; arrays are sent as they are, and the next column is asked for in time."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest

from harness.in_process import on_workers
from tacit.features import GridEncoding
from tacit.queries import scores_of_each
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table, read_rows
from tacit.table.cluster.shipping import Held

SCHEMA = Schema([Numeric(name, 0, 9) for name in "abc"], label=Label("y", [0, 1]))
FRAME = pl.DataFrame({name: np.arange(20.0) % 10 for name in "abc"})


@pytest.mark.parametrize("protocol", [4, 5])
def test_arrays_travel_beside_what_holds_them(protocol):
    arrays, beside = [np.arange(5), np.ones((2, 3), dtype=np.float32)], []
    packed = pickle.dumps(Held(arrays, 64), protocol, buffer_callback=beside.append if protocol == 5 else None)
    assert len(beside) == (2 if protocol == 5 else 0)
    found = pickle.loads(packed, buffers=beside)
    assert (found.size, repr(found)) == (64, "<held>")
    for own, other in zip(found.value, arrays, strict=True):
        assert own.dtype == other.dtype
        assert own.tolist() == other.tolist()


def test_rows_are_packed_by_what_admits_them():
    beside = []
    packed = pickle.dumps(Held([read_rows(FRAME, SCHEMA)], 64), 5, buffer_callback=beside.append)
    assert beside == []
    assert len(pickle.loads(packed).value[0]) == 20


def test_the_next_column_is_asked_for_before_one_is_done():
    table = on_workers(Table.from_frame(FRAME, np.resize([0, 1], 20), SCHEMA, block_rows=8))
    grids = [GridEncoding(SCHEMA, name) for name in "abc"]
    asked = []
    for scores in scores_of_each(table, grids):
        asked.append(sum(group.startswith("tacit-values-") for group, _ in table._shards._client.keys))
        statistic = scores.statistic(np.asarray([0, scores.grid.n_cells]))
        assert statistic.query == f"medians of {scores.grid.column}"
    assert asked == [2, 3, 3]
