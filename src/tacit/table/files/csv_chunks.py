"""CSV files some megabytes at a time, each of whole rows under the file's first line; compressed ones and pipes too."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from tacit.errors import TableError
from tacit.table.files.csv_text import HEAD, STRAY_QUOTE, Header, counted, read_header, read_texts
from tacit.table.files.encoded import as_utf8
from tacit.table.rows import OnInvalid

_CHUNK = 2**23
"""Bytes of text: enough to outweigh the start of a parse, few enough for the memory of all columns as texts."""

_LONGEST_ROW = 2**28
"""Bytes in which a row must end; one that does not is most likely in quotes that are never closed."""

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True)
class Span:
    """A range of an uncompressed file's bytes, in which the same chunks begin as where the whole is read.

    Parameters
    ----------
    start : int
        0, or ``HEAD`` and one or more sizes: there a chunk ends where all is read, unless a long row goes on.
    size : int
        Of all ranges; a multiple of a chunk.
    odd : bool
        Whether an odd number of quotes come before the start.
    """

    start: int
    size: int
    odd: bool


def is_compressed(path: Path) -> bool:
    """Tell whether a file is compressed by gzip or zstd, by its first bytes."""
    return _compression(path) is not None


def _compression(path: Path) -> bytes | None:
    with path.open("rb") as stream:
        head = stream.read(4)
    return next((mark for mark in (GZIP, ZSTD) if head.startswith(mark)), None)


@contextmanager
def uncompressed(path: Path, where: str) -> Iterator[BinaryIO]:
    """Give the bytes of a file, those that it had before gzip or zstd compressed it.

    Raises
    ------
    TableError
        If they are damaged, or no library is there that reads zstd.
    """
    compression = _compression(path)
    try:
        with _opened(path, compression, where) as stream:
            yield stream
            return
    except (EOFError, gzip.BadGzipFile, zlib.error):
        pass
    except OSError as error:
        if compression != ZSTD:
            raise error from None
    raise TableError(f"Expected a whole compressed file, got a damaged one in {where}. Compress it again.") from None


def _opened(path: Path, compression: bytes | None, where: str) -> Any:
    if compression is None:
        return path.open("rb")
    if compression == GZIP:
        return gzip.open(path, "rb")
    with suppress(ModuleNotFoundError):
        return import_module("compression.zstd").open(path, "rb")
    with suppress(ModuleNotFoundError):
        return import_module("pyarrow").input_stream(str(path), compression="zstd")
    raise TableError(f"Expected pyarrow, or Python 3.14, for zstd in {where}, got neither. Install pyarrow.")


@dataclass(frozen=True)
class CsvFile:
    """A CSV file, compressed or not.

    Parameters
    ----------
    path : Path
    where : str
        What it is called in messages.
    encoding : str, optional
        What is declared of it.
    """

    path: Path
    where: str
    encoding: str | None = None

    def header(self, wanted: Collection[str]) -> Header:
        """Return the first line."""
        with uncompressed(self.path, self.where) as stream:
            text, encoding = as_utf8(stream, self.encoding)
            return read_header(text.read(HEAD), wanted, self.where, encoding)

    def is_text(self) -> bool:
        """Tell whether all bytes are text in the encoding that is declared; that depends on cells."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        with uncompressed(self.path, self.where) as stream:
            text, _ = as_utf8(stream, self.encoding)
            chunk = text.read(HEAD)
            try:
                if b"\0" in chunk:
                    return False
                while chunk:
                    decoder.decode(chunk)
                    chunk = text.read(_CHUNK)
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                return False
        return True

    def texts(
        self,
        names: Sequence[str],
        numbers: Collection[str] = (),
        on_invalid: OnInvalid = "raise",
        span: Span | None = None,
    ) -> Iterator[pl.DataFrame]:
        """Yield the named columns some rows at a time, as ``read_texts`` does of all; or those of a span's chunks."""
        with uncompressed(self.path, self.where) as stream:
            text, encoding = as_utf8(stream, self.encoding)
            first = text.read(HEAD)
            header = read_header(first, names, self.where, encoding)
            first = first[header.start :]
            for chunk in _chunks_of(span, text, first, header.line_end.encode(), self.where):
                frame = read_texts(chunk, header, names, self.where, numbers, on_invalid)
                if any(frame[name].dtype == pl.String for name in numbers):
                    numbers = ()  # which would fail in most other chunks, too
                if frame.height:
                    yield frame


def _chunks_of(span: Span | None, stream: BinaryIO, first: bytes, line_end: bytes, where: str) -> Iterator[bytes]:
    """Yield the chunks of a file whose first bytes were read, or those of them that begin in a span."""
    if span is None or span.start == 0:
        yield from _chunks(stream, first, line_end, where, size=span.size if span else 0)
        return
    # What is read at a time where all is read, and ends at this start; with what shows whether its first line is blank.
    stream.seek(span.start - _CHUNK - 2)
    before, text = stream.read(2), stream.read(_CHUNK)
    end = _end_of_rows(before, text, line_end, odd=span.odd)
    if end:  # else a row goes on, and with the span in which it began that reads all chunks up to its own end
        names = first[: end_of_first_line(first, line_end)]
        yield from _chunks(stream, text[end:], line_end, where, names=names, size=span.size)


def _chunks(
    stream: BinaryIO, rest: bytes, line_end: bytes, where: str, *, names: bytes = b"", size: int = 0
) -> Iterator[bytes]:
    """Yield chunks of whole rows, each after the first line.

    Parameters
    ----------
    rest : bytes
        What was read before, from the beginning of a row.
    names : bytes, optional
        The first line, unless the rest begins with it.
    size : int
        Of spans, where those that follow are read elsewhere: the last chunk is the first that ends at the end of one.
    """
    while more := stream.read(_CHUNK):
        odd = (counted(rest, b'"') + counted(more, b'"')) % 2 == 1
        end = _end_of_rows(rest, more, line_end, odd=odd)
        if end:
            yield (chunk := b"".join((names, rest, memoryview(more)[:end])))
            if size and (stream.tell() - HEAD) % size == 0:
                return
            names = names or chunk[: end_of_first_line(chunk, line_end)]
            rest = more[end:]
        elif len(rest := rest + more) > _LONGEST_ROW:
            raise TableError(STRAY_QUOTE.format(where=where))
    yield names + rest


def end_of_first_line(text: bytes, line_end: bytes) -> int:
    """Return where the line of the names ends.

    Raises
    ------
    ValueError
        If it does not end in the text.
    """
    start = len(text) - len(text.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))
    end = text.index(line_end, start) + 1
    while text.count(b'"', start, end) % 2:
        end = text.index(line_end, end) + 1
    return end


def _end_of_rows(before: bytes, text: bytes, line_end: bytes, *, odd: bool) -> int:
    """Return the end of the last whole row that ends in a text and is not blank, 0 if there is none.

    A line ends where an even number of quotes came before: within quotes it goes on. Blank lines go to the next chunk,
    as only those at the end of the file are no rows.

    Parameters
    ----------
    before : bytes
        What comes before the text, at least its last two bytes, from the beginning of a row or of any.
    text, line_end : bytes
    odd : bool
        Whether an odd number of quotes come before the end of the text.
    """
    end = len(text)
    while (at := text.rfind(line_end, 0, end)) >= 0:
        odd ^= text.count(b'"', at, end) % 2 == 1
        end = at
        last = text[at - 2 : at] if at >= 2 else (before[-2:] + text[:at])[-2:]
        if not odd and (last.removesuffix(b"\r") if line_end == b"\n" else last)[-1:] not in (b"", line_end):
            return at + 1
    return 0
