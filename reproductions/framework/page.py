"""The pages of reproductions, in Markdown: one artefact's, and all published numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from reproductions.framework.artefact import Artefact
from reproductions.framework.pivot import panels
from reproductions.framework.readings import Reached, in_all, reached
from reproductions.framework.reproduction import Standing, comparison, standing
from tacit.study.run import Store

_READING = "Ours, ± the deviation over runs; in brackets what the paper prints."

_HEAD = """\
# Published numbers beside ours

Written by `python -m reproductions --page` on {day}; not edited by hand. {reading}

Every number of ours can be computed again: `python -m reproductions NAME` writes a table or figure as picture, table
and page, with all of its curves, and `python -m reproductions all --quick` all of them. Noise is simulated, tables are
public, and where a paper charges too little for privacy, so do we: nothing here is a private release.
Rows of an earlier version were not computed again: seeds, draws of noise and defaults may have changed since.


{count} A number is reached within one point of accuracy, or of an error in percent,
two hundredths of a ratio, and within a tenth of a count. A
second reading is what a number needs and what is not right; it is a series beside the right one, named after what it
does.

{apart}

{tried}

| name | what | run | by version | numbers published | apart | by the right reading | by a second | open | seconds |
|---|---|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Entry:
    """An artefact with what a store holds of it."""

    artefact: Artefact
    comparison: pl.DataFrame
    standing: Standing

    @property
    def n_published(self) -> int:
        """How many numbers the paper prints."""
        return self.reached.published

    @property
    def reached(self) -> Reached:
        """How many of them are reached, and by which reading."""
        return reached(self.comparison, self.artefact.apart)


def entry(artefact: Artefact, store: Store) -> Entry:
    """Return the artefact with what the store holds: of the full form if all of that is there, else of the quick."""
    found = standing(artefact, store)
    return Entry(artefact, comparison(artefact, store, quick=found.is_quick), found)


def artefact_markdown(found: Entry, *, picture: str | None = None) -> str:
    """Return the page of one artefact, with all of its numbers."""
    lines = [f"# {found.artefact.name}: {found.artefact.title}", "", found.artefact.paper.citation, ""]
    if picture:
        lines += [f"![{found.artefact.title}]({picture})", ""]
    lines += [*_about(found), "", _READING, "", *_tables(found, found.comparison), *_differences(found)]
    return "\n".join(lines).rstrip() + "\n"


def published_numbers(entries: Sequence[Entry], *, day: date) -> str:
    """Return the page of all published numbers beside ours; panels of which nothing is published are left out."""
    head = {"count": _count(entries), "apart": _apart(entries), "tried": _tried(entries)}
    lines = [_HEAD.format(day=day.isoformat(), reading=_READING, **head).rstrip("\n")]
    lines += [_line(each) for each in entries]
    paper = ""
    for each in entries:
        if each.artefact.paper.key != paper:
            paper = each.artefact.paper.key
            lines += ["", f"## {each.artefact.paper.citation}"]
        lines += ["", f"### {each.artefact.name}", "", f"{each.artefact.title}.", "", *_about(each), ""]
        lines += [*_published_tables(each), *_differences(each)]
    return "\n".join(lines).rstrip() + "\n"


def _count(entries: Sequence[Entry]) -> str:
    """Return today's count; a number that several tables and figures show counts in each."""
    found = in_all([each.reached for each in entries])
    compared = found.published - found.n_apart
    return (
        f"Of {found.published} published numbers, {found.n_apart} are counted apart. Of the other {compared}, "
        f"{found.right} are reached by the right reading, {found.second} by a second reading, and {found.open} are "
        "open."
    )


def _apart(entries: Sequence[Entry]) -> str:
    """Return how many numbers are counted apart for each reason."""
    found = in_all([each.reached for each in entries]).apart
    lines = [f"| {why} | {count} |" for why, count in sorted(found.items(), key=lambda item: -item[1])]
    return "\n".join(["| counted apart, as no run could reach or miss it | numbers |", "|---|---|", *lines])


def _tried(entries: Sequence[Entry]) -> str:
    """Return what was tried for the numbers that are open, by table and figure."""
    lines = [
        f"| {each.artefact.name} | {each.reached.open} | {each.artefact.tried or 'see below'} |"
        for each in entries
        if each.reached.open
    ]
    return "\n".join(["| open | numbers | what was tried |", "|---|---|---|", *lines])


def _line(found: Entry) -> str:
    cells = (
        found.artefact.name,
        found.artefact.title,
        found.standing.in_words(found.artefact),
        ", ".join(found.standing.versions) or "none",
        str(found.n_published or "none in its text"),
        *(str(count) if found.n_published else "" for count in _reached(found.reached)),
        f"{found.standing.seconds:.0f}",
    )
    return "| " + " | ".join(cells) + " |"


def _reached(found: Reached) -> tuple[int, int, int, int]:
    return found.n_apart, found.right, found.second, found.open


def _about(found: Entry) -> Iterator[str]:
    yield f"- Setting: {found.artefact.setting}"
    yield f"- Run: {found.standing.in_words(found.artefact)}."


def _tables(found: Entry, rows: pl.DataFrame) -> Iterator[str]:
    measured = "" if found.artefact.axis.kind == "table" else found.artefact.axis.y
    for name, table in panels(rows, found.artefact.axis.x):
        title = f"**{name}**: {measured}" if name and measured else f"**{name or found.artefact.axis.y}**"
        yield from [title, "", table, ""]


def _published_tables(found: Entry) -> Iterator[str]:
    told = pl.col("published").is_not_null() | pl.col("note").str.starts_with("published")
    kept = found.comparison.filter(told)["panel"].unique()
    rows = found.comparison.filter(pl.col("panel").is_in(kept.implode()))
    if rows.is_empty():
        yield from ["The paper's text prints no number of it.", ""]
    yield from _tables(found, rows)


def _differences(found: Entry) -> Iterator[str]:
    if found.artefact.differences:
        yield from ["Why ours differs:", "", *(f"- {each}" for each in found.artefact.differences)]
