"""Ranges of a CSV file's bytes that are read apart, where quotes are counted first: one tells where rows begin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import xor
from pathlib import Path

from tacit.errors import TableError
from tacit.table.files.csv_chunks import Span, end_of_first_line, is_compressed
from tacit.table.files.csv_text import HEAD, counted, read_header
from tacit.table.files.encoded import encoding_of
from tacit.table.files.formats import format_of

RANGE = 2**28
"""Bytes of a range, 32 chunks: about a million rows, as a shard has. Shorter ones would be moved between workers to
make shards: at half the size that took a quarter more processor seconds."""

_TOGETHER = 2**23
"""Bytes whose quotes are counted at a time."""


def starts_of(path: Path, size: int = RANGE, encoding: str | None = None) -> Sequence[int]:
    """Return where the ranges of a file begin; just 0 where it is not divided: in another format, compressed, no UTF-8.

    Privacy: it depends on the size of the file and on its first line, and on no other cell.
    """
    if format_of(path) != "csv" or is_compressed(path):
        return (0,)
    with path.open("rb") as stream:
        first = stream.read(HEAD)
    if encoding_of(first[:4], encoding) != "utf-8":
        return (0,)
    try:
        header = read_header(first, (), path.name)
        end_of_first_line(first[header.start :], header.line_end.encode())
    except (TableError, ValueError):  # which is said where the file is read
        return (0,)
    # Up to the very end of the file: the last range reads what is left after the last chunk, be it nothing.
    return (0, *range(HEAD + size, path.stat().st_size + 1, size))


def has_odd_quotes(path: Path, start: int, stop: int) -> bool:
    """Tell whether an odd number of quotes lie between two places of a file."""
    with path.open("rb") as stream:
        stream.seek(start)
        pieces = (stream.read(min(_TOGETHER, stop - at)) for at in range(start, stop, _TOGETHER))
        return sum(counted(piece, b'"') for piece in pieces) % 2 == 1


def spans_of(starts: Sequence[int], size: int, odd: Iterable[bool]) -> Iterator[Span | None]:
    """Yield the spans of a file, None for a whole one; of all ranges but the last it is told whether quotes are odd."""
    if len(starts) == 1:
        yield None
        return
    # A doubled quote within a cell counts twice, so that an odd number before a place means: within a quoted cell.
    for start, before in zip(starts, accumulate(odd, xor, initial=False), strict=True):
        yield Span(start, size, before)
