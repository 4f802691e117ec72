"""A comparison as Markdown tables, one for each panel: series by x, whichever has fewer as columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import Any

import polars as pl

_SAID = "published "
"""A note that begins so concerns the published number, and is shown beside it."""

_UNKNOWN = "-"


def panels(comparison: pl.DataFrame, x_label: str) -> Iterator[tuple[str, str]]:
    """Yield name and Markdown of each panel: ours with its deviation, the published number in brackets, notes below.

    Examples
    --------
    >>> from reproductions.framework import compared
    >>> rows = [{"series": "brc", "x": x, "ours": 0.7, "published": p} for x, p in ((0.1, None), (0.2, 0.73))]
    >>> print(next(panels(compared(rows), "epsilon"))[1])
    | epsilon | 0.1 | 0.2 |
    |---|---|---|
    | brc | 0.7 | 0.7 (0.73) |
    """
    for name in comparison["panel"].unique(maintain_order=True):
        yield name, _panel(comparison.filter(pl.col("panel") == name), x_label)


def _panel(rows: pl.DataFrame, x_label: str) -> str:
    cells: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows.iter_rows(named=True):
        cells[row["series"], _place(row["x"])].append(row)
    series = list(dict.fromkeys(name for name, _ in cells))
    places = list(dict.fromkeys(place for _, place in cells))
    if len(places) <= len(series) or len(places) <= _WIDE:
        lines = [(name, [cells.get((name, place), []) for place in places]) for name in series]
        table = _table(x_label, places, lines)
    else:
        lines = [(place, [cells.get((name, place), []) for name in series]) for place in places]
        table = _table(x_label, series, lines)
    return "\n".join([*table, *_notes(rows)])


_WIDE = 8
"""Places that fit beside each other."""


def _table(
    corner: str, columns: Sequence[str], lines: Sequence[tuple[str, Sequence[list[dict[str, Any]]]]]
) -> list[str]:
    head = "| " + " | ".join(_text(each) for each in (corner, *columns)) + " |"
    body = ["| " + " | ".join([_text(name), *map(_cell, cells)]) + " |" for name, cells in lines]
    return [head, "|" + "---|" * (len(columns) + 1), *body]


def _cell(rows: list[dict[str, Any]]) -> str:
    """Return ours, its deviation, and in brackets what is published; several rows of one place are averaged."""
    if not rows:
        return ""
    ours, deviation = _averaged(rows)
    said = ", ".join(filter(None, [number(rows[0]["published"], ""), _beside(rows[0]["note"])]))
    spread = f" ± {deviation:.2g}" if deviation is not None else ""
    return f"{number(ours)}{spread}" + (f" ({said})" if said else "")


def _averaged(rows: list[dict[str, Any]]) -> tuple[float | None, float | None]:
    values = [row["ours"] for row in rows if row["ours"] is not None]
    if len(rows) == 1 or not values:
        return rows[0]["ours"], rows[0]["deviation"]
    return fmean(values), stdev(values) if len(values) > 1 else None


def _beside(note: str) -> str:
    return note.partition("; ")[0].removeprefix(_SAID) if note.startswith(_SAID) else ""


def _notes(rows: pl.DataFrame) -> Iterator[str]:
    """Yield each remark once, with what it is about: places that have names, else series."""
    about: dict[str, list[str]] = defaultdict(list)
    for row in rows.iter_rows(named=True):
        parts = row["note"].split("; ") if row["note"] else []
        for part in parts:
            if not part.startswith(_SAID):
                about[part].append(row["x"] if isinstance(row["x"], str) else row["series"] or _place(row["x"]))
    if about:
        yield ""
    for note, names in about.items():
        yield f"- {_text(', '.join(dict.fromkeys(names)))}: {_text(note)}"


def number(value: Any, unknown: str = _UNKNOWN) -> str:
    """Return a number to four digits, a text as it is.

    Examples
    --------
    >>> number(0.72194), number(None), number(5e-05)
    ('0.7219', '-', '5e-05')
    """
    if value is None:
        return unknown
    return value if isinstance(value, str) else f"{value:.4g}"


def _place(x: Any) -> str:
    return number(x, "any")


def _text(cell: str) -> str:
    return cell.replace("|", "\\|")
