"""The page of a paper's table or figure: ours beside the published numbers, as picture and table."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from reproductions.framework import Artefact
from tacit.report.page.document import document, filled, html_list, html_table
from tacit.saving import write_atomically

_COLUMNS = ("panel", "series", "x", "ours", "deviation", "runs", "published", "ours less published", "note")
_WORDS = ("panel", "series", "note")


def write_artefact_page(
    artefact: Artefact,
    comparison: pl.DataFrame,
    path: str | os.PathLike[str],
    *,
    extent: str,
    picture: bytes | None = None,
) -> None:
    """Write the page of a table or figure: one file that opens without a network and requests nothing.

    Parameters
    ----------
    artefact : Artefact
    comparison : polars.DataFrame
        As `reproductions.framework.compared` makes it.
    path : str or path
        A page that is there is replaced, at once and whole.
    extent : str
        What of it was run, in words, such as ``artefact.quick`` or ``artefact.full``.
    picture : bytes, optional
        What `reproductions.framework.draw` returns of the comparison.
    """
    write_atomically(Path(path), artefact_page(artefact, comparison, extent=extent, picture=picture))


def artefact_page(artefact: Artefact, comparison: pl.DataFrame, *, extent: str, picture: bytes | None = None) -> str:
    """Return the page of a table or figure, as HTML; see `write_artefact_page`."""
    body = filled(
        "artefact.html",
        title=escape(artefact.title),
        name=escape(artefact.name),
        citation=escape(artefact.paper.citation),
        about=html_list(_about(artefact, extent)),
        picture=_picture(artefact, picture),
        differences="".join(f"<li>{escape(each)}</li>" for each in artefact.differences) or "<li>None is known.</li>",
        table=_table(artefact, comparison),
        made=escape(_made()),
    )
    return document(title=f"{artefact.name}: {artefact.title}", body=body)


def _about(artefact: Artefact, extent: str) -> Iterator[tuple[str, str]]:
    yield "Setting", artefact.setting
    yield "This run", extent
    yield "The paper's", artefact.full
    if artefact.data:
        yield "Data sets", ", ".join(artefact.data)


def _picture(artefact: Artefact, content: bytes | None) -> str:
    if content is None:
        return ""
    source = f"data:image/png;base64,{b64encode(content).decode()}"
    said = f"{artefact.title}: {artefact.axis.y} against {artefact.axis.x}; the table below holds its numbers."
    return f'<section><figure><img src="{source}" alt="{escape(said)}"></figure></section>'


def _table(artefact: Artefact, comparison: pl.DataFrame) -> str:
    """Return all rows; an empty column of words is left out."""
    lines = list(_lines(comparison))
    kept = [at for at, name in enumerate(_COLUMNS) if name not in _WORDS or any(line[at] for line in lines)]
    headings = [artefact.axis.x if _COLUMNS[at] == "x" and artefact.axis.x else _COLUMNS[at] for at in kept]
    caption = f"{artefact.axis.y} against {artefact.axis.x}. Deviations are over runs; a dash is what is not known."
    return html_table(caption, headings, [[line[at] for at in kept] for line in lines], texts=_WORDS)


def _lines(comparison: pl.DataFrame) -> Iterator[tuple[str, ...]]:
    for row in comparison.iter_rows(named=True):
        known = row["ours"] is not None and row["published"] is not None
        apart = f"{row['ours'] - row['published']:+.4g}" if known else "-"
        numbers = (_number(row["ours"]), _number(row["deviation"]), str(row["runs"]), _number(row["published"]), apart)
        yield row["panel"], row["series"], _number(row["x"]), *numbers, row["note"]


def _number(value: Any) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:.4g}"


def _made() -> str:
    from tacit import __version__

    return f"Made by tacit {__version__}. This page makes no request."
