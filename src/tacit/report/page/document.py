"""A page as one file: a template, its style and scripts, tables, and a policy that forbids everything else.

The page of one picture; that of a study is in `study_page`.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from tacit.report.layout import ON_DARK, Figure
from tacit.report.rows import shown
from tacit.saving import write_atomically

CHARTS = "plotly/plotly-cartesian.min.js"


def document(*, title: str, body: str, scripts: Sequence[str] = (), data: Any = None, style: str = "") -> str:
    """Return a whole page.

    Parameters
    ----------
    title : str
        As text.
    body : str
        As HTML.
    scripts : sequence of str
        They run in this order; no other script on the page does, whatever its texts contain.
    data : JSON value, optional
        For the scripts, in the element ``data``.
    style : str, optional
        Rules that follow those of all pages.

    Notes
    -----
    The policy names each script by its hash and forbids every request.
    """
    return filled(
        "document.html",
        title=escaped(title),
        policy=_policy(scripts),
        style=f"{resource('page.css')}{style}",
        body=body,
        data="" if data is None else f'<script type="application/json" id="data">{embedded(data)}</script>',
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def escaped(text: str) -> str:
    """Return a text as HTML that shows it letter by letter."""
    return escape(shown(text))


def filled(template: str, **parts: str) -> str:
    """Return a template with its parts, which are HTML."""
    return Template(resource(template)).substitute(parts)


def embedded(data: Any) -> str:
    r"""Return JSON that no parser of HTML takes for the end of its element.

    Examples
    --------
    >>> embedded({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    # Escapes of JSON, which its parser undoes: HTML's own would stay in the text.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def made() -> str:
    """Return what a page with charts says of its making."""
    from tacit import __version__

    return f"Made by tacit {__version__}. Pictures: plotly.js (MIT license), part of this file. It makes no request."


@cache
def resource(name: str) -> str:
    """Return the content of a file of this package."""
    return files("tacit.report.page").joinpath(name).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str]) -> str:
    hashes = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
    allowed = hashes or "'none'"
    # plotly styles its charts at run time; without a source to load from, a style can do no harm.
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def html_table(
    caption: str, headings: Sequence[str], lines: Iterable[Sequence[str]], *, texts: Collection[str] = ()
) -> str:
    """Return a table of texts; the first cell of a line is its heading.

    Parameters
    ----------
    caption : str
    headings : sequence of str
    lines : iterable of sequence of str
    texts : collection of str
        Headings of columns of words, which are aligned left.

    Examples
    --------
    >>> html_table("", ["a"], [["<b>"]])[-55:]
    '<tr><th scope="row">&lt;b&gt;</th></tr></tbody></table>'
    """
    sides = [' class="text"' if heading in texts else "" for heading in headings]
    head = "".join(f'<th scope="col"{side}>{escaped(each)}</th>' for side, each in zip(sides, headings, strict=True))
    body = "".join(_line([escaped(cell) for cell in line], sides) for line in lines)
    return f"<table><caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_list(entries: Iterable[tuple[str, str]]) -> str:
    """Return terms with their descriptions, both as text."""
    return f"<dl>{''.join(f'<dt>{escaped(term)}</dt><dd>{escaped(text)}</dd>' for term, text in entries)}</dl>"


def _line(cells: list[str], sides: list[str]) -> str:
    rest = "".join(f"<td{side}>{cell}</td>" for side, cell in zip(sides[1:], cells[1:], strict=True))
    return f'<tr><th scope="row">{cells[0]}</th>{rest}</tr>'


def write_picture(figure: Figure, path: str | os.PathLike[str], *, title: str, caption: str = "") -> None:
    """Write a page with one picture: one file that opens without a network and requests nothing; needs no extra.

    Parameters
    ----------
    figure : dict
        As `tacit.report.figures` describes it, or the ``description`` of a display.
    path : str or path
        A page that is there is replaced, at once and whole.
    title, caption : str
        What it shows, and how it was measured.
    """
    write_atomically(Path(path), picture_page(figure, title=title, caption=caption))


def picture_page(figure: Figure, *, title: str, caption: str = "") -> str:
    """Return the page of one picture, as HTML; see `write_picture`."""
    body = filled("picture.html", title=escaped(title), caption=escaped(caption), made=escaped(made()))
    scripts = [resource(CHARTS), "\n".join(resource(name) for name in ("drawing.js", "picture.js"))]
    return document(title=title, body=body, scripts=scripts, data={"figure": figure, "dark": ON_DARK})
