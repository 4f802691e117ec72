"""Tables in HTML."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape


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
        Headings of columns of words, which stand on the left.

    Examples
    --------
    >>> html_table("", ["a"], [["<b>"]])[-55:]
    '<tr><th scope="row">&lt;b&gt;</th></tr></tbody></table>'
    """
    sides = [' class="text"' if heading in texts else "" for heading in headings]
    head = "".join(f'<th scope="col"{side}>{escape(each)}</th>' for side, each in zip(sides, headings, strict=True))
    body = "".join(_line([escape(cell) for cell in line], sides) for line in lines)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_list(entries: Iterable[tuple[str, str]]) -> str:
    """Return terms with their descriptions, both as text."""
    return f"<dl>{''.join(f'<dt>{escape(term)}</dt><dd>{escape(text)}</dd>' for term, text in entries)}</dl>"


def _line(cells: list[str], sides: list[str]) -> str:
    rest = "".join(f"<td{side}>{cell}</td>" for side, cell in zip(sides[1:], cells[1:], strict=True))
    return f'<tr><th scope="row">{cells[0]}</th>{rest}</tr>'
