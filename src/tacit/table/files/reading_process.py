"""A process of its own that decodes files and hands their rows over, as damaged ones may end it."""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import polars as pl

from tacit.errors import TableError, guarded
from tacit.table.files.parquet import EVERY, Range
from tacit.table.files.places import state_of

# Without this package: its own imports would take longer than most reads.
_BEGINNING = """
import signal
# An interrupt at a terminal is for its reader, who ends it, or goes on; polars would handle what is merely ignored.
if hasattr(signal, "pthread_sigmask"):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
import importlib.util, json, os, socket, sys
import polars as pl
asked = json.loads(sys.stdin.readline())
def module():
    spec = importlib.util.spec_from_file_location("reader", asked["module"])
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found
"""

_HANDING_OVER = """
def hand_over(frames, height=None):
    taken = 0
    for frame in frames:
        taken += frame.height
        if not reader.recv(1):
            sys.exit()
        file = os.memfd_create("rows")
        with open(file, "wb", closefd=False) as stream:
            frame.write_ipc(stream, compression="uncompressed")
        socket.send_fds(reader, [b"f"], [file])
        os.close(file)
    if height is not None and taken != height:
        sys.exit(1)  # polars ends without an error where one of its threads fails
    reader.send(b"e")
reader = socket.socket(fileno=asked["socket"])
"""

_PARQUET = """
def opened(path):
    with open(path, "rb") as stream:
        scan = pl.scan_parquet if stream.read(4) == b"PAR1" else pl.scan_ipc
    query = scan(path, glob=False, hive_partitioning=False)
    present = query.collect_schema().names()
    query = query if asked["rows"] is None else query.slice(*asked["rows"])
    reader.send(b"o")
    return query, [present.index(name) for name in asked["names"] if name in present]
while True:
    for query, columns in [opened(path) for path in asked["paths"]]:
        if asked["names"]:
            frames = query.select(pl.nth(columns)).collect_batches(chunk_size=asked["n_rows"], maintain_order=True)
            hand_over(frames, query.select(pl.len()).collect().item())
    for _ in range(asked["ahead"]):  # which were asked for, and are not there
        if not reader.recv(1):
            sys.exit()
    line = sys.stdin.readline()
    if not line:
        break
    asked = json.loads(line)
"""

_BY_MODULE = """
reader.send(b"o")
hand_over(module().frames(asked["paths"][0], asked["names"], asked["n_rows"], **asked["told"]))
"""

_DESCRIBING = """
json.dump(module().described(asked["path"], **asked["told"]), sys.stdout)
"""

_AHEAD = 2
"""Frames that wait to be taken: while one is looked at, the next is decoded on another core."""


def is_possible() -> bool:
    """Tell whether processes of this system can hand nameless files to each other, and polars gives rows by parts."""
    has_files = hasattr(os, "memfd_create") and hasattr(socket, "send_fds") and Path("/proc/self/fd").is_dir()
    return has_files and hasattr(pl.LazyFrame, "collect_batches")


def described(module: ModuleType, path: Path, told: Mapping[str, Any]) -> Any:
    """Return what the function ``described`` of a module says of a file; None if it fails.

    Parameters
    ----------
    module : module
        That imports nothing of this package.
    path : Path
    told : mapping
        Further arguments of the function, as JSON can hold them.
    """
    return json.loads(_described(str(module.__file__), path, state_of(path), json.dumps(dict(told))))


@lru_cache(maxsize=64)  # asked for several times where a file is read once
def _described(module: str, path: Path, state: tuple[int, ...], told: str) -> bytes:
    asked = {"module": module, "path": str(path.absolute()), "told": json.loads(told)}
    done = subprocess.run(  # noqa: S603  a script of ours, which gets the path as data
        _command(_BEGINNING + _DESCRIBING),
        input=json.dumps(asked).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.stdout if done.returncode == 0 else b"null"


def _command(script: str) -> list[str]:
    # With -P no module of the working directory takes the place of a library's.
    return [sys.executable, "-P", "-c", script]


class _Process:
    """A process that runs a script, gets what it is asked in lines, and answers over a socket."""

    def __init__(self, script: str):
        self.script, self._owner = script, os.getpid()
        self.socket, its = socket.socketpair()
        with its:
            self._process = subprocess.Popen(  # noqa: S603  a script of ours, which gets the paths as data
                _command(script),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(its.fileno(),),
            )
            self._its = its.fileno()

    def ask(self, asked: Mapping[str, Any]) -> None:
        """Tell what is to be read; that the process has ended is said by its next answer."""
        stdin = self._process.stdin
        assert stdin is not None
        with suppress(OSError):
            stdin.write(f"{json.dumps({**asked, 'socket': self._its})}\n".encode())
            stdin.flush()

    @property
    def is_ready(self) -> bool:
        """Whether it is there, and was not taken along by a fork, whose parent may ask it, too."""
        return self._owner == os.getpid() and self._process.poll() is None

    def end(self) -> None:
        """End it, whatever it does."""
        self.socket.close()
        with suppress(OSError):  # what was asked last may not have been taken
            self._process.stdin.close()  # type: ignore[union-attr]
        if self._owner == os.getpid():
            self._process.kill()
            self._process.wait()


_waiting: dict[str, _Process] = {}
"""By script the process that waits for the next files: importing polars takes longer than most files do."""


@atexit.register
def _end_waiting() -> None:
    while _waiting:
        _waiting.popitem()[1].end()


def _process_of(script: str) -> _Process:
    found = _waiting.pop(script, None)
    if found is not None and found.is_ready:
        return found
    if found is not None:
        found.end()
    return _Process(script)


class ReadingProcess:
    """A process of its own that opens files, then decodes them one after the other; to be used in ``with``.

    A length that was altered makes libraries ask for memory that there is not, which ends the process, or panic, which
    prints a trace; neither can be prevented from Python. So nothing of a file is decoded here: rows come as files in
    memory without a name or compression, which are mapped, and are decoded once. A process that has read whole files
    of Parquet or Arrow to their end waits for the next ones.

    Parameters
    ----------
    paths : sequence of Path
        Of Parquet and Arrow files, or one for a module.
    names : sequence of str
        Columns to read, in this order; without any, files are opened alone.
    n_rows : int
        Of a frame, about.
    rows : Range
        Which are read of each file.
    module : str, optional
        The file of a module whose function ``frames`` yields the frames of another format.
    told : mapping
        Further arguments of that function.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        names: Sequence[str],
        n_rows: int,
        rows: Range = EVERY,
        *,
        module: str | None = None,
        told: Mapping[str, Any] | None = None,
    ):
        self._paths, self._is_waited_for = tuple(paths), module is None
        # Files to open, and to decode: what was left half-way would be taken for an answer about the next ones.
        self._left = 1 + (len(self._paths) if names else 0)
        asked = {"paths": [str(path.absolute()) for path in paths], "names": list(names), "n_rows": n_rows}
        asked |= {"rows": None if rows == EVERY else rows, "module": module, "told": dict(told or {}), "ahead": _AHEAD}
        self._process = _process_of(_BEGINNING + _HANDING_OVER + (_PARQUET if module is None else _BY_MODULE))
        self._socket = self._process.socket
        self._process.ask(asked)

    def first_damaged(self) -> Path | None:
        """Return the first file that cannot be opened, or None; to be asked once, before frames."""
        damaged = next((path for path in self._paths if self._said()[0] != b"o"), None)
        self._ask(_AHEAD)
        self._left -= damaged is None  # else it has ended
        return damaged

    def frames(self, damaged: TableError) -> Iterator[pl.DataFrame]:
        """Yield the frames of the next file, whose rows are those of a mapped file in memory.

        Raises
        ------
        TableError
            The given one, if the process ends before the file does.
        """
        while True:
            said, files = self._said()
            if said != b"f":
                break
            try:
                frame = guarded(pl.scan_ipc(f"/proc/self/fd/{files[0]}").collect, damaged)
            finally:
                os.close(files[0])
            yield frame
            self._ask(1)
        if said != b"e":
            raise damaged
        self._left -= 1

    def _said(self) -> tuple[bytes, list[int]]:
        """Return the next byte, and the file that came with it; no byte if the process has ended."""
        try:
            said, files, _, _ = socket.recv_fds(self._socket, 1, 1)
        except ConnectionResetError:  # it ended before it took what it was asked
            return b"", []
        return said, files

    def _ask(self, n_frames: int) -> None:
        with suppress(OSError):  # it has ended, which the next answer says
            self._socket.send(b"." * n_frames)

    def __enter__(self) -> ReadingProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if (
            self._left
            or not self._is_waited_for
            or _waiting.setdefault(self._process.script, self._process) is not (self._process)
        ):
            self._process.end()


def frames_by(
    module: ModuleType, path: Path, names: Sequence[str], n_rows: int, told: Mapping[str, Any], damaged: TableError
) -> Iterator[pl.DataFrame]:
    """Yield the frames of one file that the function ``frames`` of a module makes, in a process of its own if possible.

    Raises
    ------
    TableError
        The given one, if the file cannot be read.
    """
    if not is_possible():
        frames = guarded(lambda: iter(module.frames(str(path), names, n_rows, **told)), damaged)
        while (frame := guarded(lambda: next(frames, None), damaged)) is not None:
            yield frame
        return
    with ReadingProcess([path], names, n_rows, module=str(module.__file__), told=told) as process:
        if process.first_damaged() is not None:
            raise damaged
        yield from process.frames(damaged)
