"""Tables in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(caption: str, headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table of texts; the first cell of a line is its heading.

    Examples
    --------
    >>> html_table("", ["a"], [["<b>"]])[-50:]
    '<tr><th scope="row">&lt;b&gt;</th></tr></tbody></table>'
    """
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "".join(_line([escape(cell) for cell in line]) for line in lines)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_list(entries: Iterable[tuple[str, str]]) -> str:
    """Return terms with their descriptions, both as text."""
    return f"<dl>{''.join(f'<dt>{escape(term)}</dt><dd>{escape(text)}</dd>' for term, text in entries)}</dl>"


def _line(cells: list[str]) -> str:
    return f'<tr><th scope="row">{cells[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in cells[1:]) + "</tr>"
