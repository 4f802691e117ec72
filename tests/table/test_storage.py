"""Rows on disk: the same values, places that are used again, and what happens when there is no room."""

from __future__ import annotations

import copy
import errno
import os
import pickle
import signal
import subprocess
import sys
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import ParameterError, PrivacyError, TableError
from tacit.features import BinEncoding
from tacit.schema import Label, Numeric, Schema
from tacit.table import Disk, Table
from tacit.table import storage as storage_module
from tacit.table.columns import Columns

SCHEMA = Schema([Numeric("a", 0, 8), Numeric("b", 0, 8)], label=Label("y", [0, 1]))
ROWS = np.arange(10.0).reshape(5, 2)


def on_disk(folder):
    return Table.from_frame(ROWS, [0, 1, 1, 0, 1], SCHEMA, block_rows=2, storage=Disk(folder))


@given(
    shape=st.lists(st.integers(0, 5), min_size=1, max_size=3),
    kind=st.sampled_from(["u1", "i2", "<i8", "f4", "f8", "?"]),
    order=st.sampled_from("CF"),
    step=st.sampled_from([1, 2, -1]),
)
def test_kept_arrays_have_the_same_values_and_layout(tmp_path_factory, shape, kind, order, step):
    given_ = np.asarray(np.random.default_rng(0).integers(0, 100, shape).astype(kind), order=order)[::step]
    found = Disk(tmp_path_factory.getbasetemp()).kept(given_)
    assert found.dtype == given_.dtype
    assert np.array_equal(found, given_)
    if found.ndim > 1 and found.nbytes:
        assert found.flags.f_contiguous or not given_.flags.f_contiguous


def test_joined_parts_are_one_array_and_are_taken_one_by_one(tmp_path):
    alive = []

    def parts():
        for at in range(20):
            part = np.full((3, 2), at, dtype=np.int16)
            alive.append(ref(part))
            yield part
            del part
            assert sum(each() is not None for each in alive) <= 1

    found = Disk(tmp_path).joined(parts())
    assert found.tolist() == [[at, at] for at in range(20) for _ in range(3)]
    assert Disk(tmp_path).joined(iter([np.zeros((0, 4))])).shape == (0, 4)


def test_what_is_on_disk_is_not_written_again_and_may_be_changed(tmp_path):
    disk = Disk(tmp_path)
    kept = disk.kept(np.arange(4))
    assert disk.kept(kept) is kept
    view = kept[1:]
    assert disk.kept(view) is view
    joined = disk.joined([np.arange(3)])
    assert disk.kept(joined) is joined
    kept += 1
    joined += 1
    assert (view.tolist(), joined.tolist()) == ([2, 3, 4], [1, 2, 3])


def test_a_place_is_used_again_only_when_no_view_is_left(tmp_path):
    disk = Disk(tmp_path)
    view = disk.kept(np.arange(4))[1:3][::-1]
    other = disk.kept(np.full(4, 9))
    assert view.tolist() == [2, 1]
    place = view.__array_interface__["data"][0]
    del view
    again = disk.kept(np.full(4, 7))
    assert again.__array_interface__["data"][0] in range(place - 32, place + 32)
    assert other.tolist() == [9] * 4


def test_state_of_rounds_takes_no_more_room_than_that_of_one(tmp_path):
    table = on_disk(tmp_path)
    state = table.per_block(lambda block: np.zeros(block.n_rows))
    state.advance(lambda block, value: value + 1)
    before = table._storage._end
    for _ in range(50):
        state.advance(lambda block, value: value + 1)
    assert table._storage._end == before
    assert table.gather(lambda block: state[block]).tolist() == [51] * 5


def test_rows_encodings_and_state_are_on_disk(tmp_path):
    table = on_disk(tmp_path)
    encoding = BinEncoding(SCHEMA, SCHEMA.names)
    seen = []

    def look(block):
        state = table.per_block(lambda block: (block.labels + 1, np.ones(block.n_rows)))
        seen.extend([block.labels, block.codes(encoding), *block._rows.columns.held.values(), *state[block]])

    table.visit(look)
    table.one_against_rest(1).visit(lambda block: seen.append(block.labels))
    for part in table.slices([2, 3]):
        part.visit(lambda block: seen.extend([block.labels, block.codes(encoding)]))
    seen.append(table.gather(lambda block: block.labels))
    assert all(storage_module._is_mapped(array) for array in seen)


def test_files_have_no_name_and_the_folder_is_private(tmp_path, monkeypatch):
    monkeypatch.setattr(storage_module, "user_cache_dir", lambda _: str(tmp_path / "cache"))
    table = on_disk(None)
    (folder,) = (tmp_path / "cache").iterdir()
    assert (folder.stat().st_mode & 0o777, list(folder.iterdir())) == (0o700, [])
    assert table.n_rows == 5


def test_the_folder_may_be_named_in_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("TACIT_SCRATCH", str(tmp_path / "named"))
    on_disk(None)
    assert (tmp_path / "named").is_dir()
    (tmp_path / "file").touch()
    monkeypatch.setenv("TACIT_SCRATCH", str(tmp_path / "file"))
    with pytest.raises(ParameterError, match="TACIT_SCRATCH"):
        on_disk(None)


KILLED = """
import os, sys, numpy as np
from pathlib import Path
from tacit.table import Disk
kept = Disk(Path(sys.argv[1])).kept(np.full(2**20, 7.0))
print("kept", flush=True)
sys.stdin.read()
"""


def test_a_killed_process_leaves_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"kept\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("broken", ["pwrite", "ftruncate"])
def test_a_full_disk_is_one_error_without_a_cell(tmp_path, monkeypatch, broken):
    table, kept = on_disk(tmp_path), np.arange(3)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    disk = Disk(tmp_path)
    monkeypatch.setattr(os, broken, full)
    with pytest.raises(TableError, match=r"Expected room for the rows .* Make room there") as caught:
        disk.kept(kept)
    assert caught.value.__cause__ is None
    assert table.gather(lambda block: block.labels).tolist() == [0, 1, 1, 0, 1] if broken != "pwrite" else True
    assert list(tmp_path.iterdir()) == []


def test_no_one_copies_the_files():
    disk = Disk()
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(PrivacyError):
            attempt(disk)


@given(
    st.one_of(
        st.lists(st.floats(width=64), max_size=90).map(np.asarray),
        st.lists(st.floats(width=32), max_size=90).map(lambda values: np.asarray(values, dtype=np.float64)),
        st.lists(st.integers(-(2**31), 2**31 - 1)).map(lambda values: np.asarray(values, dtype=np.int32)),
        st.lists(st.integers(-200, 200)).map(lambda values: np.asarray(values, dtype=np.int32)),
    )
)
def test_columns_take_fewer_bytes_and_keep_their_values(tmp_path_factory, values):
    disk = Disk(tmp_path_factory.getbasetemp())
    columns = disk.columns({"a": values})
    assert columns["a"].dtype == values.dtype
    assert columns["a"].tobytes() == values.tobytes() or np.isnan(values).any()
    assert Columns.of(disk.columns(columns)).held["a"] is Columns.of(columns).held["a"]


def test_floats_take_half_and_codes_a_byte_each(tmp_path):
    given_ = {"a": np.arange(9) / 8, "b": np.arange(9) / 10, "c": np.arange(9, dtype=np.int32), "d": np.full(9, 200)}
    kept = Columns.of(Disk(tmp_path).columns(given_)).held
    assert [kept[name].dtype.str for name in "abcd"] == ["<f4", "<f8", "|i1", "<i2"]
