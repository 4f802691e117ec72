"""The cells of a spreadsheet's sheet, each of the type that it has there; for a process of its own, by its path."""

# Without this package: its own imports would take longer than most reads.
from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any

import polars as pl


def described(path: str, sheet: str | None = None) -> dict[str, Any]:
    """Return ``names``, those of the columns of a sheet, None where there is not the one; and ``sheets``, their names.

    Sheets are those that are shown and not empty. What is asked for may be another one.
    """
    book = _opened(path)
    if sheet is not None and sheet in book.sheet_names:
        return {"names": _names(book.get_sheet_by_name(sheet)), "sheets": [sheet]}
    shown = [each.name for each in book.sheets_metadata if _is_shown(each)]
    filled = [name for name in shown if len(shown) == 1 or book.get_sheet_by_name(name).height]
    alone = sheet is None and len(filled) == 1
    return {"names": _names(book.get_sheet_by_name(filled[0])) if alone else None, "sheets": filled}


def frames(path: str, names: Sequence[str], n_rows: int, sheet: str) -> Iterator[pl.DataFrame]:
    """Yield the named columns of a sheet, some rows at a time, without blank rows at the end.

    The column at place i is three, ``i text``, ``i number`` and ``i moment``: at most one has a value in a row.
    """
    rows = _opened(path).get_sheet_by_name(sheet).iter_rows()
    header = _header(rows)
    places = [header.index(name) for name in names]
    waiting: list[list[Any]] = []
    n_whole = 0  # of those that wait, up to the last that is not blank
    for row in rows:
        waiting.append(row)
        n_whole = len(waiting) if any(cell != "" for cell in row) else n_whole
        if len(waiting) >= n_rows and n_whole:
            yield _frame(waiting[:n_whole], places)
            waiting, n_whole = waiting[n_whole:], 0
    if n_whole:
        yield _frame(waiting[:n_whole], places)


def _opened(path: str) -> Any:
    from python_calamine import CalamineWorkbook

    return CalamineWorkbook.from_path(path)


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
