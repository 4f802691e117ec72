"""CSV files as columns of text: every cell is read by itself, so that one row never changes how another is read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
import polars as pl

from tacit.errors import TableError
from tacit.table.files.csv_missing import has_quoted_names, without_unquoted_missing
from tacit.table.files.memory import check_memory
from tacit.table.rows import OnInvalid

SEPARATORS: Sequence[str] = (",", ";", "\t", "|")
HEAD = 2**20
"""Bytes in which the first line must end."""

_NO_CSV = (
    "Expected rows of cells with as many cells as the first line, got another layout in {where}. Export it again; from "
    "R by `write.csv` with `row.names = FALSE`."
)
_OTHER_KIND = (
    "Expected a table, got another kind of file in {where}. Export it as CSV; if it is one in "
    "UTF-16 without a byte order mark, name that encoding (utf-16-le or utf-16-be)."
)
_OTHER_ENCODING = (
    "Expected text in {encoding}, got another encoding in {where}. Name the one that it has, such as cp1252, as "
    "encoding: in the schema under [file], or as an option."
)
STRAY_QUOTE = (
    "Expected quotes around whole cells, got one that opens within a cell or is never closed in {where}. "
    "Remove it, or quote the whole cell and write the quote twice."
)
_BYTES_OF_A_CELL = 64
"""Memory that a cell takes besides its text, while texts become numbers; measured: 45 on ten million short lines."""


_ESCAPED = re.compile("[\udc80-\udcff]")
"""Bytes that are no UTF-8, as Python keeps them in texts."""

_LINE = re.compile(r'(?:[^"\r\n]|"[^"]*")*')

_SEPARATOR_LINE = re.compile(r'"?sep=([\t!#-/:-@\[-`{-~])"?(\r\n|\n|\r)', re.IGNORECASE)
"""What some spreadsheets write, and read, before the names."""


@dataclass(frozen=True)
class Header:
    """The first line of a CSV file: what separates cells and lines, and the columns' names as written there."""

    separator: str
    names: tuple[str, ...]
    line_end: Literal["\n", "\r"] = "\n"
    start: int = 0
    """Bytes before the line of the names: a line that names the separator."""
    encoding: str = "utf-8"
    """Of the file, for messages: text is UTF-8 when it comes here."""
    are_quoted: bool = False
    """Whether all names are in quotes, as all texts of such a file are."""


def read_header(head: bytes, wanted: Collection[str], where: str, encoding: str = "utf-8") -> Header:
    """Return the header of a CSV file, with the separator that finds most of the wanted names, then most names.

    Parameters
    ----------
    head : bytes
        The first ``HEAD`` bytes of the text in UTF-8, or all.
    wanted : collection of str
    where : str
        What the file is called.
    encoding : str
        Which the file has.
    """
    text, start, separators = _beginning(head, where)
    first, line_end = _first_line(text)
    headers = [
        Header(each, _cells(text, each), line_end, start, encoding, has_quoted_names(first, each))
        for each in separators
    ]
    header = max(headers, key=lambda each: (len(set(wanted) & set(each.names)), len(each.names)))
    # Below, a NUL is a sign of one cell as others are, and so is a byte that is no UTF-8.
    if "\0" in first:
        raise TableError(_OTHER_KIND.format(where=where))
    if _ESCAPED.search(first):
        raise _no_text(encoding, where)
    # A quote that is never closed makes no cells, or of all that follows it a part of one.
    if not set(wanted) <= set(header.names) and not all(each.names for each in headers):
        raise TableError(STRAY_QUOTE.format(where=where))
    named = [name for name in header.names if name]
    if len(set(named)) < len(named):
        raise TableError(
            f"Expected different names of columns in the first line of {where}, got one of them twice. "
            "Rename all but one; or does the file lack a first line with names?"
        )
    return header


def read_texts(
    text: bytes,
    header: Header,
    names: Sequence[str],
    where: str,
    numbers: Collection[str] = (),
    on_invalid: OnInvalid = "raise",
) -> pl.DataFrame:
    """Return the named columns of lines in UTF-8, the first of which has the names, as text, a missing cell as null.

    Those among ``numbers`` come as float64 if every cell of all of them is a number as it is spelled, or missing.
    """
    if header.are_quoted:
        text = without_unquoted_missing(text, header.separator)
    last = len(header.names) - 1
    positions = sorted({*map(header.names.index, names), last})
    n_lines = counted(text, header.line_end.encode())
    check_memory(len(text) + _BYTES_OF_A_CELL * len(header.names) * n_lines, where)
    frame = _read_numbers(text, header, numbers) if numbers else None
    frame = _read(text, header, where, on_invalid) if frame is None else frame
    # Of all columns, although few are wanted: only then does polars refuse a line of too many cells.
    frame.columns = [str(position) for position in range(frame.width)]
    frame = frame.select(str(position) for position in positions)
    if frame[str(last)].null_count():
        frame = _without_last_blank_lines(frame, text, header, where)
    return frame.select(pl.col(str(header.names.index(name))).alias(name) for name in names)


def _read(text: bytes, header: Header, where: str, on_invalid: OnInvalid) -> pl.DataFrame:
    # Where invalid cells count as others, bytes that are no UTF-8 are signs of their own cell. Else they are an error,
    # as most often a whole file has another encoding.
    for encoding in ("utf8", "utf8-lossy") if on_invalid == "coerce" else ("utf8",):
        try:
            return pl.read_csv(
                text,
                separator=header.separator,
                eol_char=header.line_end,
                infer_schema=False,
                encoding=encoding,
                glob=False,
            )
        except pl.exceptions.NoDataError:
            fault = TableError(f"Expected a table in {where}, got an empty file. Check how it was written.")
        except (pl.exceptions.PolarsError, ValueError, pl.exceptions.PanicException):
            fault = _fault(text, header, where)  # the library's own words quote cells
    raise fault


def _read_numbers(text: bytes, header: Header, numbers: Collection[str]) -> pl.DataFrame | None:
    """Return all columns, some of them as numbers; or None if a cell there is none, or the layout is another.

    What is a number here is the same number as text that is read by itself, so that no cell decides about another.
    """
    kinds = [pl.Float64 if name in numbers else pl.String for name in header.names]
    try:
        frame = pl.read_csv(
            text,
            separator=header.separator,
            eol_char=header.line_end,
            infer_schema=False,
            schema_overrides=kinds,
            glob=False,
        )
    except (pl.exceptions.PolarsError, ValueError, pl.exceptions.PanicException):
        return None
    totals = [column.sum() for column in frame.iter_columns() if column.dtype == pl.Float64]
    # Some words for missing cells spell NaN, which sums show; as texts they are told from other numbers.
    return None if any(total != total for total in totals) else frame


def counted(text: bytes, byte: bytes) -> int:
    """Return how often a byte occurs in much text: four times as fast as its own method."""
    if byte not in text:
        return 0  # as with quotes in most files: found out in a tenth of the time
    array, step = np.frombuffer(text, dtype=np.uint8), 2**18  # what is found fits the second cache
    return sum(int(np.count_nonzero(array[start : start + step] == ord(byte))) for start in range(0, len(array), step))


def _fault(text: bytes, header: Header, where: str) -> TableError:
    """Return what is wrong with the layout of lines."""
    try:
        shown = text.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _no_text(header.encoding, where)
    edge = re.escape(header.separator) + "\\r\\n"
    whole_cells = re.compile(f'(?<![^{edge}])"[^"]*(?:""[^"]*)*"(?![^{edge}])')
    return TableError((STRAY_QUOTE if '"' in whole_cells.sub("", shown) else _NO_CSV).format(where=where))


def _without_last_blank_lines(frame: pl.DataFrame, text: bytes, header: Header, where: str) -> pl.DataFrame:
    """Return the rows without blank lines at the end of the file; a line that is too short is an error.

    Both read as a missing last cell, so the lines are counted again only where there is one. In a file of one column
    every line is a row, a blank one, too: whether it is one may not depend on what is in the lines below.
    """
    widths = _widths(text, header.separator)
    n_rows, fitting = len(widths), {0, 1}
    if len(header.names) > 1:
        n_rows = next((place for place in range(len(widths), 0, -1) if widths[place - 1]), 0)
        fitting = {len(header.names)}
    if len(widths) != frame.height or not fitting.issuperset(widths[:n_rows]):
        raise _fault(text, header, where)
    return frame.head(n_rows)


def _widths(text: bytes, separator: str) -> list[int]:
    """Return the number of cells of each line after the first that is not blank; none where quotes do not fit."""
    lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8-sig", errors="replace", newline="")
    try:
        with _cells_of_any_length(len(text)):
            widths = [len(row) for row in csv.reader(lines, delimiter=separator)]
    except csv.Error:
        return []
    return widths[next(place for place, width in enumerate(widths) if width) + 1 :]


@contextmanager
def _cells_of_any_length(most: int) -> Iterator[None]:
    """Let the standard library read cells of more than 131,072 characters, as polars does."""
    before = csv.field_size_limit(max(most, csv.field_size_limit()))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _beginning(head: bytes, where: str) -> tuple[str, int, Sequence[str]]:
    """Return the text from the line of names on, the bytes before it, and what may separate cells."""
    # The head may end in the middle of a character, and cells below the first line are read elsewhere.
    text = head.decode("utf-8-sig", errors="surrogateescape").lstrip("\r\n")
    start, separators = 0, SEPARATORS
    if named := _SEPARATOR_LINE.match(text):
        text, separators = text[named.end() :], (named[1],)
        start = len(head) - len(text.encode("utf-8", errors="surrogateescape"))
        text = text.lstrip("\r\n")
    if not text.strip():
        raise TableError(f"Expected a table in {where}, got an empty file. Check how it was written.")
    if len(head) == HEAD and not set("\r\n") & set(text):
        raise TableError(
            f"Expected names of columns in a first line of at most {HEAD} bytes, got a longer one in {where}. "
            "Choose fewer columns; or does the file lack line ends?"
        )
    return text, start, separators


def _first_line(text: str) -> tuple[str, Literal["\n", "\r"]]:
    """Return the first line, with line ends in quoted names, and what ends it and all others: no cell decides."""
    end = _LINE.match(text).end()  # type: ignore[union-attr]  # which matches any text
    if text[end : end + 1] == '"':  # never closed: then not even names are sure
        return text, "\n" if "\n" in text else "\r"
    return text[:end], "\r" if re.match("\r(?!\n)", text[end : end + 2]) else "\n"


def _cells(text: str, separator: str) -> tuple[str, ...]:
    """Return the cells of the first line; none if its quotes do not fit."""
    try:
        with _cells_of_any_length(len(text)):
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
            return tuple(cell.strip() for row in islice(rows, 1) for cell in row)
    except csv.Error:
        return ()


def _no_text(encoding: str, where: str) -> TableError:
    name = "UTF-8" if encoding == "utf-8" else encoding
    return TableError(_OTHER_ENCODING.format(encoding=name, where=where))
