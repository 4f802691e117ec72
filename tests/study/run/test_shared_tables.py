"""Shared tables hold what the schema reads, to their owner alone, and are gone with the study."""

from __future__ import annotations

import os
import pickle
import signal
import stat
import subprocess
import sys

import numpy as np
import pytest

from tacit.errors import PrivacyError
from tacit.features import BinEncoding, LinearEncoding, OneHotEncoding
from tacit.study.run.shared_folder import remove_left_overs, shared_folder
from tacit.study.run.shared_tables import SharedTables
from tacit.study.run.tables import Tables

HOLDS = """
from tacit.study.run.shared_folder import shared_folder
from pathlib import Path
with shared_folder() as folder:
    (folder / "rows").write_text("x")
    print(folder, flush=True)
    input()
"""


def encodings(schema):
    names = schema.names
    yield from (LinearEncoding(schema, names), BinEncoding(schema, names), OneHotEncoding(schema, names[:3], n_bins=4))


def test_only_the_owner_enters_and_nothing_stays(cache):
    with pytest.raises(ValueError, match="on purpose"), shared_folder() as folder:
        assert folder.parent == cache
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        remove_left_overs()
        assert folder.is_dir()  # it is in use
        raise ValueError("on purpose")
    assert list(cache.glob("study-*")) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_dead_process_left_goes_at_the_next_start(cache, number):
    command, pipes = [sys.executable, "-c", HOLDS], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as holder:
        folder = holder.stdout.readline().strip()
        remove_left_overs()
        assert os.path.isfile(f"{folder}/rows")
        holder.send_signal(number)
    assert os.path.isdir(folder)
    with shared_folder():
        assert not os.path.exists(folder)


def test_a_link_in_its_place_is_not_followed(cache, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    cache.mkdir(parents=True)
    (cache / "study-link").symlink_to(kept)
    remove_left_overs()
    assert (kept / "file").exists()


@pytest.mark.parametrize(
    "split",
    [
        {"kind": "shuffle", "test_share": 0.25, "repeat": 3},
        {"kind": "fold", "folds": 4, "fold": 1, "repeat": 0, "balanced": True},
        {"kind": "shuffle", "test_share": 0.5, "repeat": 0, "first": 30},
    ],
)
@pytest.mark.parametrize("privacy", ["as-declared", "all-private"])
def test_shared_rows_are_the_rows(tmp_path, small, split, privacy):
    task = small(split=split, privacy=privacy)
    SharedTables(tmp_path).share([task])
    shared, own = SharedTables(tmp_path).split(task), Tables().split(task)
    assert shared.schema == own.schema == shared.table.schema
    for part in ("train", "test"):
        assert (getattr(shared, f"{part}_labels") == getattr(own, f"{part}_labels")).all()
        assert (getattr(shared, f"{part}_index") == getattr(own, f"{part}_index")).all()
        rows, same = getattr(shared, part), getattr(own, part)
        assert len(rows) == len(same)
        for name in own.schema.names:
            assert (rows.columns[name] == same.columns[name]).all()
            assert (rows.slice(5, 9).columns[name] == same.columns[name][5:9]).all()
            assert (rows.slice(2, 20).take(np.array([3, 4, 1])).columns[name] == same.columns[name][[5, 6, 3]]).all()
        for encoding in encodings(own.schema):
            for _ in range(2):  # made, then read
                found, made = rows.encoded(encoding), same.encoded(encoding)
                assert (found.dtype, found.shape) == (made.dtype, made.shape)
                assert (found == made).all()


def test_consecutive_rows_are_not_copied(tmp_path, small):
    task = small()
    tables = SharedTables(tmp_path)
    tables.share([task])
    rows = tables.whole(task).rows.take(np.arange(100, 300))
    first = rows.columns["worst radius"] if "worst radius" in rows.columns else rows.columns[next(iter(rows.columns))]
    assert not first.flags.owndata
    assert not first.flags.writeable
    for encoding in encodings(tables.schema(task)):
        rows.encoded(encoding)
        assert not rows.encoded(encoding).flags.owndata


def test_what_is_private_makes_no_second_encoding(tmp_path, small):
    tables = SharedTables(tmp_path)
    tables.share([small()])
    for privacy in ("as-declared", "all-private", "public-label"):
        split = tables.split(small(privacy=privacy))
        split.train.encoded(BinEncoding(split.schema, split.schema.names))
    [folder] = tmp_path.iterdir()
    others = [path for path in folder.iterdir() if not path.name.startswith(("column-", "labels", "complete"))]
    assert len(others) == 1


def test_cut_points_that_a_fit_has_learned_leave_nothing_behind(tmp_path, small):
    """As each fit learns its own, a study of thousands would fill the disk with encodings of the whole table."""
    tables = SharedTables(tmp_path)
    tables.share([small()])
    split, own = tables.split(small()), Tables().split(small())
    [folder] = tmp_path.iterdir()
    before = sorted(folder.iterdir())
    number = next(column for column in split.schema.columns if hasattr(column, "cuts"))
    learned = ((number.name, (number.lower + (number.upper - number.lower) / 3,)),)
    for names in (split.schema.names, (number.name,)):
        encoding = BinEncoding(split.schema, names, released=learned)
        assert np.array_equal(split.train.encoded(encoding), own.train.encoded(encoding))
    assert sorted(folder.iterdir()) == before
    other = tuple(name for name in split.schema.names if name != number.name)
    split.train.encoded(BinEncoding(split.schema, other, released=learned))  # of columns as they are declared
    assert len(list(folder.iterdir())) == len(before) + 1


def test_no_rows_are_pickled(tmp_path, small):
    tables = SharedTables(tmp_path)
    tables.share([small()])
    split = tables.split(small())
    arrays = split.train.arrays
    for private in (split, split.train, split.train.columns, arrays, split.table, tables.whole(small()).rows):
        with pytest.raises(PrivacyError, match="stay where"):
            pickle.dumps(private)
