"""HTML by which notebooks show public objects: texts letter by letter, tables, paragraphs as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

# Control characters, and those that turn the rest of a line around: a name could make a text read as another.
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def as_text(value: object) -> str:
    """Return a value as HTML that shows its text letter by letter.

    Examples
    --------
    >>> as_text("<b>\u202eevil")
    '&lt;b&gt;\ufffdevil'
    """
    return escape(_UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", str(value)))


def as_lines(text: str) -> str:
    """Return several lines of text as HTML that keeps them."""
    return f'<pre style="white-space: pre-wrap">{as_text(text)}</pre>'


def as_table(caption: str, headings: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Return a table whose first column names its lines.

    Examples
    --------
    >>> as_table("all", ["column", "kind"], [["age", "number"]])[-64:]
    '<tr><th scope="row">age</th><td>number</td></tr></tbody></table>'
    """
    head = "".join(f'<th scope="col">{as_text(each)}</th>' for each in headings)
    body = "".join(
        f'<tr><th scope="row">{as_text(line[0])}</th>{"".join(f"<td>{as_text(each)}</td>" for each in line[1:])}</tr>'
        for line in lines
    )
    return f"<table><caption>{as_text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
