"""Data sets too large to be held as text: downloaded through a file, read block by block."""

from __future__ import annotations

import gzip
import os
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

import polars as pl

from tacit.datasets.catalog import Record
from tacit.datasets.fetch import Downloader, Downloads, File, cache_folder, downloaded, find, nowhere
from tacit.errors import DatasetUnavailable
from tacit.schema import Schema

SCHEMAS = Path(__file__).parent / "schemas"

MAX_FILE_BYTES = 8 * 2**30
"""Bytes of an archive; the largest known has less than three gibibytes."""

PATIENCE = 6 * 3600.0
"""Seconds for a whole download."""

BLOCK = 2**24
"""Bytes of text that are read at a time."""

_CHUNK = 2**20


@dataclass(frozen=True, kw_only=True)
class LargeRecord(Record):
    """What is known beforehand of a data set that is read block by block; no digest, as none was ever downloaded here.

    Attributes
    ----------
    read : callable
        Makes the table of one block of whole lines.
    """

    read: Callable[[bytes, Schema], pl.DataFrame]

    def schema(self) -> Schema:
        """See `Record`."""
        return Schema.from_toml(SCHEMAS / f"{self.name}.toml")

    @property
    def file(self) -> File:
        """The one file; ``member`` is what holds the table in the zip archive, or in a tar archive within it."""
        return self.files[0]

    def found(self, downloads: Downloads, downloader: Downloader | None) -> tuple[str, Callable[[], pl.DataFrame]]:
        """See `Record`."""
        path = obtain_large(self.file, downloads=downloads, downloader=downloader)
        return str(path), lambda: read_large(self, path, self.schema())


def obtain_large(file: File, *, downloads: Downloads = "if-missing", downloader: Downloader | None = None) -> Path:
    """Return where the file is, packed or not; download it into the cache, packed, if it is nowhere.

    Raises
    ------
    DatasetUnavailable
        If it is nowhere and cannot or must not be downloaded; says what to put where.
    """
    if path := find(file):
        return path
    if downloads == "never":
        raise DatasetUnavailable(nowhere(file, "no copy in the data folder or the cache"))
    target = cache_folder() / f"{file.path}.gz"
    try:
        download_large(file, target, downloader=downloader)
    except DatasetUnavailable as error:
        reason = str(error)
    else:
        return target
    raise DatasetUnavailable(nowhere(file, reason))


def download_large(file: File, target: Path, *, downloader: Downloader | None = None) -> None:
    """Put the file's table, packed, at ``target``: whole or not at all, and never in memory.

    Raises
    ------
    DatasetUnavailable
        If the address is not https, cannot be read, or holds too much or not the file. Nothing is left behind.
    """
    # On disk, never in memory.
    with (
        downloaded(file, target.parent, largest=MAX_FILE_BYTES, patience=PATIENCE, downloader=downloader) as archive,
        _part(target) as packed,
        archive.open("rb") as opened,
        _member(opened, file.member or "") as (member, name),
    ):
        _pack(member, packed, name)


def read_large(record: LargeRecord, path: Path, schema: Schema) -> pl.DataFrame:
    """Return the table, read block by block; it may have one row more than it should, and then no further.

    Raises
    ------
    ValueError
        If it cannot be read as this table.
    """
    parts, rows = [], 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            for block in whole_lines(stream):
                parts.append(record.read(block, schema))
                rows += parts[-1].height
                if rows > record.n_rows:
                    break
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"Expected a readable file, got {type(error).__name__}.") from None
    if not parts:
        raise ValueError("Expected rows, got none.")
    return pl.concat(parts, rechunk=False)


def whole_lines(stream: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    """Yield the stream in blocks of about ``BLOCK`` bytes that end with a line."""
    rest = b""
    while block := stream.read(BLOCK):
        text = rest + block
        end = text.rfind(b"\n") + 1
        if end == 0 and len(text) > 4 * BLOCK:
            raise ValueError("Expected lines, got text without an end of line.")
        rest = text[end:]
        if end:
            yield text[:end]
    if rest.strip():
        yield rest


def class_first(block: bytes, schema: Schema) -> pl.DataFrame:
    """Read lines without a header, separated by commas, the class, 0 or 1, in front, as numbers of four bytes."""
    names = (schema.label.name, *schema.names)
    frame = pl.read_csv(block, has_header=False, schema=dict.fromkeys(names, pl.Float64))
    features = [pl.col(name).cast(pl.Float32) for name in schema.names]
    return frame.select(*features, pl.col(schema.label.name).cast(pl.Int64)).drop_nulls()


def score_last(limit: float) -> Callable[[bytes, Schema], pl.DataFrame]:
    """Return a reader of lines whose last number is a score; the class is 1 where it is at least the limit."""

    def read(block: bytes, schema: Schema) -> pl.DataFrame:
        label = schema.label.name
        frame = pl.read_csv(block, has_header=False, schema=dict.fromkeys((*schema.names, label), pl.Float64))
        return frame.with_columns((pl.col(label) >= limit).cast(pl.Int64)).drop_nulls()

    return read


@contextmanager
def _member(archive: IO[bytes], wanted: str) -> Iterator[tuple[IO[bytes], str]]:
    """Open the wanted file of a zip archive, packed or not, or of a packed tar archive within it."""
    with zipfile.ZipFile(archive) as opened:
        for inside in opened.namelist():
            name = PurePosixPath(inside).name
            if name in (wanted, f"{wanted}.gz"):
                with opened.open(inside) as stream:
                    yield stream, name
                return
        for inside in opened.namelist():
            if inside.endswith((".tar.gz", ".tgz")):
                with opened.open(inside) as packed, tarfile.open(fileobj=packed, mode="r|gz") as tar:
                    for entry in tar:
                        if entry.isfile() and PurePosixPath(entry.name).name == wanted:
                            found = tar.extractfile(entry)
                            assert found is not None
                            yield found, wanted
                            return
    raise DatasetUnavailable(
        f"Expected a file {wanted!r} in the archive, got none. The source has changed; fetch the file by hand."
    )


def _pack(member: IO[bytes], target: IO[bytes], name: str) -> None:
    if name.endswith(".gz"):
        shutil.copyfileobj(member, target, _CHUNK)
        return
    with gzip.GzipFile(fileobj=target, mode="wb", mtime=0) as packed:
        shutil.copyfileobj(member, packed, _CHUNK)


@contextmanager
def _part(target: Path) -> Iterator[IO[bytes]]:
    """Open a file beside the target that takes its place when all went well, and else goes."""
    handle, path = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        os.replace(path, target)
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise
