"""CSV files as columns of text: every cell is read by itself, so that one row never changes how another is read."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl

from tacit.errors import TableError

SEPARATORS = (",", ";", "\t", "|")
_HEAD = 2**20
"""Bytes in which the first line must end."""

_NO_CSV = "Expected rows of cells with as many cells as the first line, got another layout in {where}. Export it anew."


@dataclass(frozen=True)
class Header:
    """The first line of a CSV file: what separates cells, and the columns' names as they stand there."""

    separator: str
    names: tuple[str, ...]

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers may have a comma for a point, as where cells are separated by semicolons."""
        return self.separator == ";"


def read_header(path: Path, wanted: Collection[str]) -> Header:
    """Return the header of a CSV file, with the separator that finds most of the wanted names, then most names.

    Raises
    ------
    TableError
        If the file is empty, is not UTF-8 text, or two columns have the same name. No name is repeated in the
        message: where the header is missing, they are cells.
    """
    line = _first_line(path)
    headers = [Header(separator, _cells(line, separator)) for separator in SEPARATORS]
    header = max(headers, key=lambda each: (len(set(wanted) & set(each.names)), len(each.names)))
    named = [name for name in header.names if name]
    if len(set(named)) < len(named):
        raise TableError(
            f"Expected different names of columns in the first line of {path.name}, got one of them twice. "
            "Rename all but one; or does the file lack a first line with names?"
        )
    return header


def read_texts(path: Path, header: Header, names: Sequence[str]) -> pl.DataFrame:
    """Return the named columns as text, a missing cell as null.

    Raises
    ------
    TableError
        If the file is no UTF-8 text, or its lines do not have as many cells as the first.
    """
    last = len(header.names) - 1
    positions = sorted({*map(header.names.index, names), last})
    frame = _read(path, header.separator, positions)
    frame.columns = [str(position) for position in positions]
    if frame[str(last)].null_count():
        frame = _without_last_blank_lines(frame, path, header)
    return frame.select(pl.col(str(header.names.index(name))).alias(name) for name in names)


def _read(path: Path, separator: str, positions: list[int]) -> pl.DataFrame:
    try:
        # Older polars expand wildcards in a name even where told not to.
        source = path.read_bytes() if set("*?[") & set(str(path)) else path
        return pl.read_csv(source, separator=separator, columns=positions, infer_schema=False, glob=False)
    except pl.exceptions.NoDataError:
        message = f"Expected a table in {path.name}, got an empty file. Check how it was written."
    except (pl.exceptions.PolarsError, ValueError, pl.exceptions.PanicException):
        message = _fault(path)  # the library's own words quote cells
    raise TableError(message)


def _fault(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as stream:
            while stream.read(_HEAD):
                pass
    except UnicodeDecodeError:
        return _no_utf8(path)
    return _NO_CSV.format(where=path.name)


def _without_last_blank_lines(frame: pl.DataFrame, path: Path, header: Header) -> pl.DataFrame:
    """Return the rows without blank lines at the end of the file; a line that is too short is an error.

    Both read as a missing last cell, so the lines are counted again only where there is one.
    """
    widths = _widths(path, header.separator)
    n_rows = next((place for place in range(len(widths), 0, -1) if widths[place - 1]), 0)
    # With a single column, a blank line is a missing cell.
    fitting = {len(header.names), 0} if len(header.names) == 1 else {len(header.names)}
    if len(widths) != frame.height or not fitting.issuperset(widths[:n_rows]):
        raise TableError(_NO_CSV.format(where=path.name))
    return frame.head(n_rows)


def _widths(path: Path, separator: str) -> list[int]:
    """Return the number of cells of each line after the first that is not blank."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            widths = [len(row) for row in csv.reader(stream, delimiter=separator)]
    except (csv.Error, UnicodeDecodeError):
        raise TableError(_NO_CSV.format(where=path.name)) from None
    return widths[next(place for place, width in enumerate(widths) if width) + 1 :]


def _first_line(path: Path) -> str:
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if b"\0" in head:
        raise TableError(
            f"Expected a CSV or Parquet file, got another kind of file in {path.name}. "
            "Export the table as CSV in UTF-8 (a spreadsheet's own format and UTF-16 are not read)."
        )
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The head may end in the middle of a character.
        if len(head) < _HEAD or error.start < len(head) - 4:
            raise TableError(_no_utf8(path)) from None
        text = head[: error.start].decode("utf-8-sig")
    if not text.strip():
        raise TableError(f"Expected a table in {path.name}, got an empty file. Check how it was written.")
    return text.lstrip("\r\n")


def _cells(text: str, separator: str) -> tuple[str, ...]:
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        return tuple(cell.strip() for row in islice(rows, 1) for cell in row)
    except csv.Error:
        return ()


def _no_utf8(path: Path) -> str:
    return f"Expected text in UTF-8, got another encoding in {path.name}. Save it as CSV in UTF-8."
