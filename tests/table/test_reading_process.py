"""Rows that another process decodes are those of the file; if it ends, that is one error, and it never outlives."""

from __future__ import annotations

import datetime
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from tacit.errors import TableError
from tacit.schema import Label, Numeric, Schema
from tacit.table import read_source
from tacit.table.files import columnar, reading_process, several
from tacit.table.files.reading_process import ReadingProcess, is_possible

DAMAGED = TableError("damaged")
ROWS = 5_000

pytestmark = pytest.mark.skipif(not is_possible(), reason="files without names are handed over on Linux only")


@pytest.fixture(autouse=True)
def none_waits():
    reading_process._end_waiting()


def every_type():
    at = pl.int_range(ROWS, eager=True)
    texts = at.cast(pl.String)
    return pl.DataFrame(
        {
            "float": at.cast(pl.Float32).set(at % 7 == 0, None),
            "int": at.cast(pl.Int8, strict=False),
            "wide": at.cast(pl.Int128) if hasattr(pl, "Int128") else at,
            "decimal": pl.Series([Decimal(value) / 100 for value in range(ROWS)]),
            "text": texts.set(at % 5 == 0, None),
            "category": (at % 300).cast(pl.String).cast(pl.Categorical),
            "enum": (at % 3).cast(pl.String).cast(pl.Enum(["2", "1", "0"])),
            "truth": at % 2 == 0,
            "date": pl.Series([datetime.date(2000, 1, 1)] * ROWS),
            "moment": pl.Series([datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)] * ROWS),
            "nothing": pl.Series([None] * ROWS),
            "list": pl.Series([[1, 2]] * ROWS),
            "^t.*$": texts,
        }
    )


@pytest.mark.parametrize("kind", ["parquet", "ipc"])
def test_frames_are_the_rows_of_the_files(tmp_path, kind):
    rows = every_type()
    paths = [tmp_path / "a", tmp_path / "b"]
    for path, part in zip(paths, (rows[:3000], rows[3000:]), strict=True):
        getattr(part, f"write_{kind}")(path)
    names = rows.columns[::-1]
    with ReadingProcess(paths, names, 700) as process:
        assert process.first_damaged() is None
        found = [pl.concat(process.frames(DAMAGED)) for _ in paths]
    assert [len(part) for part in found] == [3000, 2000]
    assert pl.concat(found).equals(rows[names])
    assert pl.concat(found).schema == rows[names].schema


def test_some_rows_of_a_file(tmp_path):
    rows = every_type()
    rows.write_parquet(tmp_path / "a", row_group_size=1000)
    with ReadingProcess([tmp_path / "a"], ["float"], 700, (1500, 1200)) as process:
        assert process.first_damaged() is None
        assert pl.concat(process.frames(DAMAGED)).equals(rows[["float"]][1500:2700])


def test_a_process_that_ends_is_one_error(tmp_path):
    path = tmp_path / "a"
    pl.DataFrame({"x": range(100_000)}).write_parquet(path)
    with ReadingProcess([path], ["x"], 1024) as process:
        process.first_damaged()
        frames = process.frames(DAMAGED)
        next(frames)
        process._process._process.kill()
        with pytest.raises(TableError, match=r"^damaged$"):
            list(frames)


def test_it_ends_with_its_reader(tmp_path):
    path = tmp_path / "a"
    pl.DataFrame({"x": range(100_000)}).write_parquet(path)
    before = len(os.listdir("/proc/self/fd"))
    with ReadingProcess([path], ["x"], 1024) as process:
        process.first_damaged()
        next(process.frames(DAMAGED))
    assert process._process._process.returncode is not None
    assert len(os.listdir("/proc/self/fd")) == before


def read(path):
    with ReadingProcess([path], ["x"], 1024) as process:
        assert process.first_damaged() is None
        return pl.concat(process.frames(DAMAGED))["x"].to_list(), process._process._process.pid


def test_a_process_that_came_to_the_end_reads_the_next_files(tmp_path):
    for name, start in (("a", 0), ("b", 7)):
        pl.DataFrame({"x": range(start, start + 5000)}).write_parquet(tmp_path / name)
    found, first = read(tmp_path / "a")
    others, second = read(tmp_path / "b")
    assert (found, others, second) == ([*range(5000)], [*range(7, 5007)], first)
    with ReadingProcess([tmp_path / "a", tmp_path / "b"], (), 1) as process:
        assert process.first_damaged() is None
    (tmp_path / "b").write_bytes(b"PAR1 and no more")
    with ReadingProcess([tmp_path / "a", tmp_path / "b"], (), 1) as process:
        assert process.first_damaged() == tmp_path / "b"
    found, third = read(tmp_path / "a")
    assert found == [*range(5000)] and third != first


def test_no_two_readers_share_a_process_and_a_dead_one_is_not_asked(tmp_path):
    path = tmp_path / "a"
    pl.DataFrame({"x": range(5000)}).write_parquet(path)
    _, first = read(path)
    with ReadingProcess([path], ["x"], 1024) as one, ReadingProcess([path], ["x"], 1024) as other:
        assert one._process._process.pid == first != other._process._process.pid
        for process in (one, other):
            process.first_damaged()
        frames = zip(one.frames(DAMAGED), other.frames(DAMAGED), strict=True)
        assert all(mine.equals(its) for mine, its in frames)
    _, pid = read(path)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    found, last = read(path)
    assert found == [*range(5000)] and last != pid


def test_a_forked_process_has_a_reader_of_its_own(tmp_path):
    path = tmp_path / "a"
    pl.DataFrame({"x": range(5000)}).write_parquet(path)
    read(path)
    [waiting] = reading_process._waiting.values()
    assert waiting.is_ready
    waiting._owner += 1  # as in a child that took it along
    _, pid = read(path)
    assert pid != waiting._process.pid
    waiting._owner -= 1
    waiting.end()


@pytest.mark.parametrize("names", [(), ["x"]])
def test_who_is_interrupted_while_files_are_opened_leaves_no_answer_behind(tmp_path, monkeypatch, names):
    """Such as of another file: the next reader would take it for one about its own."""
    path, whole = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"PAR1 and no more")
    pl.DataFrame({"x": range(5000)}).write_parquet(whole)
    said = ReadingProcess._said
    with pytest.raises(KeyboardInterrupt), ReadingProcess([whole, whole], names, 1024) as process:
        said(process)
        monkeypatch.setattr(ReadingProcess, "_said", lambda self: os.kill(os.getpid(), signal.SIGINT))
        process.first_damaged()
    monkeypatch.undo()
    assert process._process._process.returncode is not None and not reading_process._waiting
    with ReadingProcess([path], (), 1) as process:
        assert process.first_damaged() == path
    assert read(whole)[0] == [*range(5000)]


def test_who_asks_nothing_leaves_no_answer_behind(tmp_path):
    pl.DataFrame({"x": range(5000)}).write_parquet(tmp_path / "a")
    with ReadingProcess([tmp_path / "a"], (), 1):
        pass
    assert not reading_process._waiting


def test_an_interrupted_terminal_does_not_end_the_process_of_who_goes_on(tmp_path):
    path = tmp_path / "a"
    pl.DataFrame({"x": range(50_000)}).write_parquet(path)
    with ReadingProcess([path], ["x"], 1000) as process:
        assert process.first_damaged() is None
        frames = process.frames(DAMAGED)
        first = next(frames)
        os.kill(process._process._process.pid, signal.SIGINT)
        assert pl.concat([first, *frames])["x"].to_list() == [*range(50_000)]
    os.kill(process._process._process.pid, signal.SIGINT)
    assert read(path)[1] == process._process._process.pid


def test_threads_read_at_once_each_its_own_file(tmp_path):
    for at in range(4):
        pl.DataFrame({"x": range(at, at + 3000)}).write_parquet(tmp_path / str(at))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda at: read(tmp_path / str(at % 4))[0], range(12)))
    assert found == [[*range(at % 4, at % 4 + 3000)] for at in range(12)]
    assert len(reading_process._waiting) == 1


PARENT = """
import sys, time
from pathlib import Path
from tacit.table.files.reading_process import ReadingProcess
with ReadingProcess([Path(sys.argv[1])], ["x"], 1024) as process:
    process.first_damaged()
    for at, frame in enumerate(process.frames(ValueError())):
        if at == 1 and sys.argv[2] == "reads":
            print(process._process._process.pid, flush=True)
            time.sleep(60)
print(process._process._process.pid, flush=True)
time.sleep(60 if sys.argv[2] == "waits" else 0)
"""


@pytest.mark.parametrize("state", ["reads", "waits", "ends"])
def test_it_ends_with_its_parent(tmp_path, state):
    pl.DataFrame({"x": range(100_000)}).write_parquet(tmp_path / "a")
    with subprocess.Popen([sys.executable, "-c", PARENT, tmp_path / "a", state], stdout=subprocess.PIPE) as parent:
        pid = int(parent.stdout.readline())
        if state == "ends":
            assert parent.wait() == 0
        parent.kill()
    started = time.monotonic()
    while Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < started + 30
        time.sleep(0.05)


def test_no_more_frames_are_made_ahead_by_a_process_that_was_used(tmp_path):
    path = tmp_path / "a"
    pl.DataFrame({"x": range(50_000)}).write_parquet(path, row_group_size=1000)
    ahead = []
    for _ in range(3):
        read(path)
        with ReadingProcess([path], ["x"], 1000) as process:
            process.first_damaged()
            time.sleep(0.5)
            ahead.append(len(process._socket.recv(100, socket.MSG_PEEK)))
    assert max(ahead) <= reading_process._AHEAD


def test_a_damaged_page_of_a_later_file_is_named(tmp_path):
    for name in "ab":
        pl.DataFrame({"x": range(5000), "y": [0, 1] * 2500}).write_parquet(
            tmp_path / f"{name}.parquet", compression="uncompressed", statistics=False
        )
    content = bytearray((tmp_path / "b.parquet").read_bytes())
    content[8:40] = b"\xff" * 32  # the head of the first page
    (tmp_path / "b.parquet").write_bytes(content)
    schema = Schema([Numeric("x", 0, 9000)], label=Label("y", [0, 1]))
    with pytest.raises(TableError, match=r"got a damaged one in b\.parquet"):
        read_source(several.Files.of(tmp_path), schema, place="memory")


@pytest.mark.parametrize("place", ["memory", "disk"])
def test_where_it_is_not_possible_rows_are_the_same(tmp_path, monkeypatch, place):
    pl.DataFrame({"x": range(5000), "y": [0, 1] * 2500}).write_parquet(tmp_path / "a.parquet")
    schema = Schema([Numeric("x", 0, 900)], label=Label("y", [0, 1]))

    def total():
        table = read_source(several.Files.of(tmp_path), schema, place=place)
        return int(table.sum(lambda block: block.scored(lambda rows: rows.columns["x"] ** 2).sum()))

    with_process = total()
    monkeypatch.setattr(columnar, "is_possible", lambda: False)
    assert with_process == total() == sum(min(value, 900) ** 2 for value in range(5000))
