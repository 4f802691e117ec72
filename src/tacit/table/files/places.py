"""Where the files of a table are: a folder, a pattern, a pipe; and what shows that one has changed."""

from __future__ import annotations

import os
import shutil
import zlib
from glob import glob
from pathlib import Path
from typing import BinaryIO
from weakref import finalize

from tacit.errors import TableError
from tacit.table.files.formats import ENDINGS
from tacit.table.storage import scratch_file

_FOOTER = 2**16
"""Bytes at a file's end whose digest is compared: there Parquet and Arrow keep where everything is."""


class Copy:
    """A copy without a name of all that a pipe gave, as tables are opened more than once; it is there as long as this.

    Attributes
    ----------
    path : Path
        Under the number of the process, as a process of its own looks at it first.
    """

    def __init__(self, file: BinaryIO, path: Path):
        self.path = path
        finalize(self, file.close)

    @classmethod
    def of(cls, pipe: Path) -> Copy:
        """Return a copy of what a pipe gives.

        Raises
        ------
        TableError
            If the system has no such files, or no room on disk.
        """
        file = scratch_file()
        path = Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")
        if not path.exists():
            raise TableError(
                f"Expected a file, as pipes are read on Linux only, got the pipe {pipe.name}. Name a file."
            )
        try:
            with pipe.open("rb") as stream:
                shutil.copyfileobj(stream, file, 2**20)
        except OSError:
            raise TableError(
                f"Expected room on disk for what comes through {pipe.name}, got too little. Make room, or name a file."
            ) from None
        return cls(file, path)


def in_folder(folder: Path) -> list[Path]:
    """Return the tables in a folder and below, without files that other programs keep there for themselves."""
    paths = (path for path in folder.rglob("*") if not path.name.startswith((".", "_")) and path.is_file())
    return sorted(path for path in paths if _ending(path) in ENDINGS)


def matching(pattern: str) -> list[Path]:
    """Return the files that a pattern matches, sorted by path."""
    return sorted(path for path in map(Path, glob(pattern, recursive=True)) if path.is_file())


def _ending(path: Path) -> str:
    return path.with_suffix("").suffix if path.suffix in (".gz", ".zst") else path.suffix


def state_of(path: Path) -> tuple[int, ...]:
    """Return what changes when a file does."""
    found = path.stat()
    with path.open("rb") as stream:
        stream.seek(max(0, found.st_size - _FOOTER))
        return found.st_size, found.st_mtime_ns, found.st_ino, zlib.crc32(stream.read())
