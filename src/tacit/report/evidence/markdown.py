"""Documents as Markdown without HTML: of plain values, and of the pages that are made here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

from tacit.report.rows import shown

BLANK = "(to be written by a person)"

# Whatever has a meaning anywhere in a line of Markdown; letters, digits and the marks of sentences have none.
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~$!&])")
_AT_START = re.compile(r"^(\d*)([.)](?=\s|$)|[-+=](?=[-+=\s]|$))")


def text(value: Any) -> str:
    r"""Return a value on one line of Markdown, letter by letter; a blank where it is none.

    Examples
    --------
    >>> text("a_b | <i>"), text(None), text(True)
    ('a\\_b \\| \\<i\\>', '(to be written by a person)', 'yes')
    """
    if value is None or value == "":
        return BLANK
    if isinstance(value, bool):
        return "yes" if value else "no"
    said = f"{value:.10g}" if isinstance(value, float) else str(value)
    return _AT_START.sub(r"\1\\\2", _MARKS.sub(r"\\\1", " ".join(shown(said).split())))


def document(content: Mapping[str, Any], level: int = 2) -> Iterator[str]:
    """Yield the lines of a mapping: a heading for each name, and under it text, a list, a table or terms."""
    for name, value in content.items():
        yield from ("", f"{'#' * level} {text(name.replace('_', ' ').capitalize())}", "")
        yield from _block(value, level)


def _block(value: Any, level: int) -> Iterator[str]:
    if isinstance(value, Mapping):
        if any(isinstance(each, Mapping) for each in value.values()):
            yield from document(value, level + 1)
        else:
            for name, each in value.items():
                yield f"- **{text(name.replace('_', ' '))}**: {_inline(each)}"
    elif isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        headings = list(value[0])
        yield from table(
            [name.replace("_", " ") for name in headings],
            ([_inline(each[name]) for name in headings] for each in value),
        )
    elif isinstance(value, list):
        yield from (f"- {text(each)}" for each in value or ["none"])
    else:
        yield text(value)


def _inline(value: Any) -> str:
    if isinstance(value, str) and value.startswith("- "):
        return _inline(value.removeprefix("- ").split("\n- "))
    if isinstance(value, list):
        # Sentences follow each other; parts of one are divided.
        ends = all(str(each).endswith(".") for each in value)
        return (" " if ends else "; ").join(map(_inline, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{text(name.replace('_', ' '))} {_inline(each)}" for name, each in value.items())
    return text(value)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table whose cells are Markdown already; its headings are text."""
    yield f"| {' | '.join(map(text, headings))} |"
    yield "|" + "---|" * len(headings)
    yield from (f"| {' | '.join(row)} |" for row in rows)


def from_page(html: str, picture: str) -> str:
    """Return one of our own pages as Markdown: headings, paragraphs, lists, terms, tables and what is preformatted.

    Parameters
    ----------
    html : str
        Of no foreign page: what this page's parts do not use is left out.
    picture : str
        File that takes the place of the drawing of what an attacker gains. Bars are left out: their numbers are in
        the next cell.
    """
    reader = _Reader(picture)
    reader.feed(html)
    reader.close()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(reader.lines)).strip() + "\n"


class _Reader(HTMLParser):
    """Lines of Markdown, from the tags that our pages have."""

    def __init__(self, picture: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._picture, self._said, self._skipped, self._before = picture, "", 0, ""
        self._rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin what a tag begins."""
        found = dict(attrs)
        if tag in ("svg", "style", "head"):
            self._skipped += 1
            if found.get("class") == "attacker":
                self.lines += ["", f"![{text(found.get('aria-label'))}]({self._picture})", ""]
        elif tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in _BEGINS:
            self._said = ""

    def handle_endtag(self, tag: str) -> None:
        """Write what a tag ends."""
        if tag in ("svg", "style", "head"):
            self._skipped -= 1
        elif tag == "table":
            self._write_table()
        elif tag in ("td", "th"):
            self._rows[-1].append(self._taken())
        elif tag == "dt":
            self._before = f"- **{self._taken()}**: "
        elif tag == "dd":
            self.lines.append(self._before + self._taken())
        elif tag == "pre":
            # A fence is longer than any that the text has.
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", self._said)), default=0))
            self.lines += ["", fence, *self._said.splitlines(), fence, ""]
            self._said = ""
        elif tag in _BEGINS:
            self.lines += [*[""] * (tag != "li"), _BEGINS[tag] + self._taken(), *[""] * (tag != "li")]
        elif tag in ("ul", "dl"):
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        """Keep text; that between tags goes when the next block begins."""
        self._said += "" if self._skipped else data

    def _taken(self) -> str:
        said, self._said = self._said.strip(), ""
        return text(said) if said else ""

    def _write_table(self) -> None:
        # A column without a heading has a bar alone.
        kept = [at for at, heading in enumerate(self._rows[0]) if heading] if self._rows else []
        rows = [[row[at] for at in kept] for row in self._rows]
        if rows:
            self.lines += ["", f"| {' | '.join(rows[0])} |", "|" + "---|" * len(kept)]
            self.lines += [*(f"| {' | '.join(row)} |" for row in rows[1:]), ""]


_BEGINS = {
    "h1": "# ",
    "h2": "## ",
    "h3": "### ",
    "p": "",
    "li": "- ",
    "dt": "",
    "dd": "",
    "td": "",
    "th": "",
    "caption": "",
    "summary": "",
    "pre": "",
}
"""What begins a line of each kind."""
