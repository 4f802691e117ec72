"""The files of a table: a path, a pattern of paths or a folder, which must stay the same while they are read."""

from __future__ import annotations

import os
import shutil
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from glob import glob
from math import ceil
from pathlib import Path
from typing import Any
from weakref import finalize

import polars as pl

from tacit.errors import TableError, guarded
from tacit.privacy.progress_events import RowsRead, is_followed
from tacit.table.files.cells import Entry, as_entries, of_texts, spelled_numbers
from tacit.table.files.csv_chunks import GZIP, ZSTD, Span, csv_header, csv_texts
from tacit.table.files.csv_text import HEAD
from tacit.table.files.frames import (
    Beside,
    frames_of_query,
    has_public_count,
    kept,
    names_of,
    rows_together,
    slices,
)
from tacit.table.files.parquet import ARROW, EVERY, PARQUET, Range, first_damaged, scanned
from tacit.table.files.read import check_names, refuse_packed
from tacit.table.files.reading_process import ReadingProcess, is_possible
from tacit.table.rows import OnInvalid
from tacit.table.storage import scratch_file

_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".ipc")
_FOOTER = 2**16
"""Bytes at a file's end whose digest is compared: there Parquet and Arrow keep where everything is."""

_REMNANT = 0.25
"""Of a part: so few last rows are read with those before them."""


@dataclass(frozen=True)
class Files:
    """Files that hold a table's rows together, one after the other.

    Parameters
    ----------
    paths : tuple of Path
        What is read, in this order.
    name : str
        What the user named, for messages.
    """

    paths: tuple[Path, ...]
    name: str
    is_pipe: bool = False
    """Whether the path is that of a copy, which has no name."""
    rows: Range = EVERY
    """Which are read, of one Parquet or Arrow file."""
    span: Span | None = None
    """Which bytes are read, of one CSV file; there may be no row in all but the first."""

    @classmethod
    def of(cls, given: str | Path) -> Files:
        """Return the files that a path names: one, those of a folder, or those that a pattern matches, sorted by path.

        Raises
        ------
        TableError
            If there is none, or one of them twice.
        """
        path = Path(given)
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            mode = 0
        if stat.S_ISREG(mode):
            return cls((path,), path.name)
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            return cls._of_pipe(path)
        matched = _in_folder(path) if stat.S_ISDIR(mode) else _matched(str(given)) if not mode else []
        if not matched:
            raise TableError(
                f"Expected a file with a table, got path={str(given)!r}, where there is none. Check the path."
            )
        if len({(each.stat().st_dev, each.stat().st_ino) for each in matched}) < len(matched):
            raise TableError(
                f"Expected each file once, got one under two names by path={str(given)!r}: its rows would count twice. "
                "Leave out links to files that are there."
            )
        return cls(tuple(matched), str(given))

    @classmethod
    def _of_pipe(cls, path: Path) -> Files:
        """Return a nameless copy on disk of all that a pipe gives, as tables are opened more than once."""
        file = scratch_file()
        # Under the number of the process, as a process of its own looks at it first.
        opened = Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")
        if not opened.exists():
            raise TableError(
                f"Expected a file, as pipes are read on Linux only, got the pipe {path.name}. Name a file."
            )
        try:
            with path.open("rb") as stream:
                shutil.copyfileobj(stream, file, 2**20)
        except OSError:
            raise TableError(
                f"Expected room on disk for what comes through {path.name}, got too little. Make room, or name a file."
            ) from None
        files = cls((opened,), path.name, is_pipe=True)
        finalize(files, file.close)
        return files

    @property
    def n_bytes(self) -> int:
        """Size of the files."""
        return sum(path.stat().st_size for path in self.paths)

    def n_rows(self) -> int | None:
        """Return how many rows there are, where every file says so, as Parquet and Arrow do; else None."""
        if any(_head(path) not in (PARQUET, ARROW) for path in self.paths):
            return None
        return sum(guarded(partial(_height, path), self._damaged(path)) for path in self.paths)

    def about_n_rows(self) -> int | None:
        """Return about how many rows there are, by sizes and the beginning of CSV files; None of compressed ones.

        Privacy: it depends on how long cells are. For the terminal of the owner of the files, and for no event.
        """
        heads = [_head(path) for path in self.paths]
        if any(head[:2] == GZIP or head == ZSTD for head in heads):
            return None
        return self.n_rows() or sum(map(_about_height, self.paths))

    def parts(self, n_rows: int) -> Iterator[Files]:
        """Yield the same rows in files of their own, Parquet and Arrow files divided into parts of about so many rows.

        A part is never much shorter, as a process of its own reads each.
        """
        for path in self.paths:
            whole = Files((path,), path.name)
            if _head(path) not in (PARQUET, ARROW):
                yield whole
                continue
            height = guarded(partial(_height, path), self._damaged(path))
            n_parts = max(1, ceil(height / n_rows - _REMNANT))
            for at in range(n_parts):
                yield replace(whole, rows=(at * n_rows, n_rows if at < n_parts - 1 else None))

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse files without the columns, or of different types, before a row is read."""
        self._check_whole(())
        self._check_types(names)

    def _check_types(self, names: Sequence[str]) -> None:
        types = [self._types(path, names) for path in self.paths]
        for path, other in zip(self.paths, types, strict=True):
            if other != types[0]:
                raise TableError(
                    f"Expected the same format and types of columns in all files, got others in {path.name} than in "
                    f"{self.paths[0].name}. Convert the files, or name fewer."
                )

    def frames(self, entries: Sequence[Entry], on_invalid: OnInvalid, beside: Sequence[str] = ()) -> Iterator[Beside]:
        """Yield the columns of the entries, as these read them, some rows at a time; and further ones as they are.

        Raises
        ------
        TableError
            If a file is damaged, empty, changes while it is read, or does not fit the entries.
        """
        before, names = [state_of(path) for path in self.paths], names_of(entries, beside)
        with self._decoder(names) as frames_of:
            self._check_types(names)
            rows = RowsRead(self.n_rows() if is_followed() else None, are_public=has_public_count(entries))
            for path in self.paths:
                n_rows = 0
                for read in self._frames(path, frames_of, entries, on_invalid, beside):
                    n_rows += read[0].height
                    yield read
                    rows.add(read[0].height)
                if n_rows == 0 and (self.span is None or self.span.start == 0):
                    where = self._called(path)
                    raise TableError(f"Expected at least one row in {where}, got none. Check how the file was written.")
        if [state_of(path) for path in self.paths] != before:
            raise TableError(
                f"Expected files that stay the same while they are read, got changes in {self.name}. Read it again "
                "when nothing writes there."
            )
        rows.end()

    @contextmanager
    def _decoder(self, names: Sequence[str]) -> Iterator[Callable[[Path], Iterator[pl.DataFrame]]]:
        """Give a function that yields the frames of each Parquet or Arrow file, in the order of the files."""
        binary = [path for path in self.paths if _head(path) in (PARQUET, ARROW)]
        if not binary or not is_possible():
            self._check_whole(names)
            yield lambda path: frames_of_query(scanned(path, self.rows), names, self._damaged(path))
            return
        n_rows = rows_together(len(names))
        with ReadingProcess(binary, names, n_rows, self.rows) as process:
            if (damaged := process.first_damaged()) is not None:
                raise self._damaged(damaged)
            yield lambda path: slices(process.frames(self._damaged(path)), n_rows)

    def _frames(
        self,
        path: Path,
        frames_of: Callable[[Path], Iterator[pl.DataFrame]],
        entries: Sequence[Entry],
        on_invalid: OnInvalid,
        beside: Sequence[str],
    ) -> Iterator[Beside]:
        names, head = names_of(entries, beside), _head(path)
        if head in (PARQUET, ARROW):
            for frame in frames_of(path):
                yield as_entries(frame, entries, on_invalid), kept(frame, beside)
            return
        numbers = spelled_numbers(entries) - set(beside)
        for _, texts in csv_texts(path, head, names, numbers, on_invalid, self.span):
            yield of_texts(texts, entries, on_invalid), kept(texts, beside)

    def _check_whole(self, names: Sequence[str]) -> None:
        binary = [path for path in self.paths if _head(path) in (PARQUET, ARROW)]
        damaged = first_damaged(binary, names, rows_together(len(names)), self.rows) if binary else None
        if damaged is not None:
            raise self._damaged(damaged)

    def _damaged(self, path: Path) -> TableError:
        return TableError(f"Expected a whole file, got a damaged one in {self._called(path)}. Write it again.")

    def _called(self, path: Path) -> str:
        return self.name if self.is_pipe else path.name

    def _types(self, path: Path, names: Sequence[str]) -> list[Any]:
        """Return the types of the named columns, in their order; cells of a CSV file are texts."""
        head = _head(path)
        if head not in (PARQUET, ARROW):
            check_names(csv_header(path, head, names).names, names, self._called(path))
            return []
        schema = scanned(path).collect_schema()
        check_names(list(schema), names, self._called(path))
        return [schema[name] for name in names]


def _head(path: Path) -> bytes:
    """Return the first four bytes, by which formats are known whatever files are called."""
    with path.open("rb") as stream:
        head = stream.read(4)
    if head[:2] != GZIP and head != ZSTD:
        refuse_packed(head, path.name)
    return head


def _height(path: Path) -> int:
    return int(scanned(path).select(pl.len()).collect().item())


def _about_height(path: Path) -> int:
    """Return the size of a CSV file by the mean length of its first lines."""
    with path.open("rb") as stream:
        first = stream.read(HEAD)
    return path.stat().st_size * max(1, first.count(b"\n")) // max(1, len(first))


def about_n_rows(path: Path) -> int | None:
    """Return about how many rows a file has; None of what is no file, as a pipe can be read once only."""
    return Files((path,), path.name).about_n_rows() if path.is_file() else None


def _in_folder(folder: Path) -> list[Path]:
    """Return the tables in a folder and below, without files that other programs keep there for themselves."""
    paths = (path for path in folder.rglob("*") if not path.name.startswith((".", "_")) and path.is_file())
    return sorted(path for path in paths if _ending(path) in _ENDINGS)


def _matched(pattern: str) -> list[Path]:
    return sorted(path for path in map(Path, glob(pattern, recursive=True)) if path.is_file())


def _ending(path: Path) -> str:
    return path.with_suffix("").suffix if path.suffix in (".gz", ".zst") else path.suffix


def state_of(path: Path) -> tuple[int, ...]:
    """Return what changes when a file does."""
    found = path.stat()
    with path.open("rb") as stream:
        stream.seek(max(0, found.st_size - _FOOTER))
        return found.st_size, found.st_mtime_ns, found.st_ino, zlib.crc32(stream.read())
