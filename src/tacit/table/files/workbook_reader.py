"""The cells of a spreadsheet's sheet, each of the type that it has there; for a process of its own, by its path."""

# Without this package: its own imports would take longer than most reads.
from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from itertools import chain, islice, repeat
from typing import Any
from xml.parsers import expat

import polars as pl

_BOOK, _LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
"""Parts of an .xlsx file, in lower case: the names of sheets, and where each is."""


def described(path: str, sheet: str | None = None) -> dict[str, Any]:
    """Return ``names``, those of the columns of a sheet, None where there is not the one; and ``sheets``, their names.

    Sheets are those that are shown and not empty. What is asked for may be another one. ``n_rows`` counts the rows from
    the top to the last of which the file holds a cell, blank or not, ``n_blank`` those below the last filled cell.
    """
    book = _opened(path)
    shown = [each.name for each in book.sheets_metadata if _is_shown(each)]
    found = [name for name in shown if len(shown) == 1 or book.get_sheet_by_name(name).height]
    if sheet is not None:
        found = [sheet] if sheet in book.sheet_names else found
    if sheet not in (None, *found) or len(found) != 1:
        return {"names": None, "sheets": found}
    table = book.get_sheet_by_name(found[0])
    n_filled = 0 if table.end is None else table.end[0] + 1
    n_rows = max(n_filled, _n_held(path, found[0]))
    return {"names": _names(table), "sheets": found, "n_rows": n_rows, "n_blank": n_rows - n_filled}


def frames(path: str, names: Sequence[str], n_rows: int, sheet: str, n_blank: int) -> Iterator[pl.DataFrame]:
    """Yield the named columns of a sheet, some rows at a time, with so many blank rows at the end.

    The column at place i is three, ``i text``, ``i number`` and ``i moment``: at most one has a value in a row.
    """
    rows = _opened(path).get_sheet_by_name(sheet).iter_rows()
    header = _header(rows)
    places = [header.index(name) for name in names]
    rows = chain(rows, repeat([""] * len(header), n_blank))
    while some := list(islice(rows, n_rows)):
        yield _frame(some, places)


def _opened(path: str) -> Any:
    from python_calamine import CalamineWorkbook

    return CalamineWorkbook.from_path(path)


def _n_held(path: str, sheet: str) -> int:
    """Return the rows of a sheet from the top to the last of which an .xlsx file holds a cell, be it blank.

    What calamine returns ends with the last filled cell: what is in a row would decide whether it is one. Other formats
    are not asked, for which 0 is returned.
    """
    if not zipfile.is_zipfile(path):
        return 0
    with zipfile.ZipFile(path) as archive:
        parts = {name.lower(): name for name in archive.namelist()}
        if _BOOK not in parts:
            return 0
        held = _HeldRows()
        _visit(archive, _part_of(archive, parts, sheet), held)
    return held.last


def _part_of(archive: zipfile.ZipFile, parts: dict[str, str], sheet: str) -> str:
    """Return the part of an .xlsx file in which a sheet is."""
    targets: dict[str, str] = {}
    ids: dict[str, str] = {}

    def link(tag: str, at: dict[str, str]) -> None:
        if tag == "Relationship":
            targets[at["Id"]] = at["Target"]

    def name(tag: str, at: dict[str, str]) -> None:
        if tag == "sheet":
            ids[at["name"]] = next(value for key, value in at.items() if key.rpartition(":")[2] == "id")

    _visit(archive, parts[_LINKS], link)
    _visit(archive, parts[_BOOK], name)
    return parts[posixpath.normpath(posixpath.join("/xl", targets[ids[sheet]])).lower().lstrip("/")]


class _HeldRows:
    """The row of the last cell that is there, of the elements of a sheet one after the other."""

    def __init__(self) -> None:
        self.row = self.last = 0

    def __call__(self, tag: str, at: dict[str, str]) -> None:
        """Take an element that begins."""
        if tag == "c" and self.row > self.last:
            self.last = self.row
        elif tag == "row":
            self.row = int(at.get("r", self.row + 1))


def _visit(archive: zipfile.ZipFile, part: str, visit: Callable[[str, dict[str, str]], Any]) -> None:
    """Call a function with the name, without that of its namespace, and the attributes of each element of a part."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse  # which no spreadsheet has: entities could grow without end
    parser.StartElementHandler = lambda tag, at: visit(tag.rpartition(":")[2], at)
    with archive.open(part) as stream:
        parser.ParseFile(stream)


def _refuse(*_: object) -> None:
    raise ValueError


def _is_shown(sheet: Any) -> bool:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    return bool(sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible)


def _names(sheet: Any) -> list[str]:
    return _header(sheet.iter_rows())


def _header(rows: Iterator[list[Any]]) -> list[str]:
    """Return the cells of the first row that is not blank, as texts; none of an empty sheet."""
    first: list[Any] = next((row for row in rows if any(cell != "" for cell in row)), [])
    return ["" if cell == "" else _text(cell).strip() for cell in first]


def _frame(rows: list[list[Any]], places: Sequence[int]) -> pl.DataFrame:
    columns: dict[str, pl.Series] = {}
    for at, place in enumerate(places):
        texts, numbers, moments = zip(*[_parts(row[place]) for row in rows], strict=True)
        columns[f"{at} text"] = pl.Series(texts, dtype=pl.String)
        columns[f"{at} number"] = pl.Series(numbers, dtype=pl.Float64)
        columns[f"{at} moment"] = pl.Series(moments, dtype=pl.Datetime("us"))
    return pl.DataFrame(columns)


def _parts(cell: Any) -> tuple[str | None, float | None, datetime | None]:
    """Return a cell as a text, a number or a moment; an empty one, which one with an error is, too, as none."""
    kind = type(cell)
    if kind is float or kind is int:
        return None, float(cell), None
    if kind is datetime:
        return None, None, cell
    if kind is date:
        return None, None, datetime(cell.year, cell.month, cell.day)
    return (None if cell == "" else _text(cell)), None, None


def _text(cell: Any) -> str:
    if type(cell) is bool:
        return "TRUE" if cell else "FALSE"  # as spreadsheets write them
    return str(int(cell)) if type(cell) is float and cell.is_integer() else str(cell)
