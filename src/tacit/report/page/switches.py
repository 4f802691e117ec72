"""The learners of a page: their order, how they look, and the switches that turn them on and off."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tacit.report.layout import Look, looks
from tacit.report.page.document import escaped

_KINDS = {"private": "Private", "external": "Other libraries", "baseline": "Without privacy"}
_DASHES = {"solid": "none", "dash": "6 2", "dashdot": "6 2 2 2", "dot": "2 2"}
_SHAPES = {
    "circle": "M12.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "square": "M20.8 10.8L13.2 10.8L13.2 3.2L20.8 3.2z",
    "triangle-up": "M17.0 1.6L21.7 9.7L12.3 9.7z",
    "diamond": "M22.4 7.0L17.0 12.4L11.6 7.0L17.0 1.6z",
    "triangle-down": "M17.0 12.4L12.3 4.3L21.7 4.3z",
    "cross": "M12.2 5.2h3v-3h3.6v3h3v3.6h-3v3h-3.6v-3h-3z",
    "x": "M21.6 9.1L19.1 11.6 17 9.6 14.9 11.6 12.4 9.1 14.4 7 12.4 4.9 14.9 2.4 17 4.5 19.1 2.4 21.6 4.9 19.6 7z",
    "star": "M17.0 1.4L18.3 5.2L22.3 5.3L19.1 7.7L20.3 11.5L17.0 9.2L13.7 11.5L14.9 7.7L11.7 5.3L15.7 5.2z",
    "hexagon": "M22.0 7.0L19.5 11.3L14.5 11.3L12.0 7.0L14.5 2.7L19.5 2.7z",
}
"""Outlines of the markers around (17, 7), as plotly draws them."""


@dataclass(frozen=True)
class Learner:
    """A learner as the page draws it."""

    name: str
    kind: str
    """One of "private", "external", "baseline"."""
    level: bool
    """Whether it has no epsilon anywhere: a level line."""
    look: Look


def page_learners(rows: pl.DataFrame) -> list[Learner]:
    """Return the learners of all cases, private ones first and those without privacy last."""
    found = rows.group_by("name", maintain_order=True).agg(
        kind=pl.col("kind").first(), level=pl.col("epsilon").is_null().all()
    )
    order = {kind: place for place, kind in enumerate(_KINDS)}
    named = sorted(found.iter_rows(), key=lambda each: (order.get(each[1], 0), each[2]))
    drawn = looks([name for name, _, level in named if not level], [name for name, _, level in named if level])
    return [Learner(name, kind, level, drawn[name]) for name, kind, level in named]


def switches(learners: list[Learner]) -> str:
    """Return a box to tick for each learner, in HTML, under a legend for each kind."""
    parts = []
    for kind, legend in _KINDS.items():
        boxes = [_switch(place, learner) for place, learner in enumerate(learners) if learner.kind == kind]
        if boxes:
            parts.append(f"<fieldset><legend>{legend}</legend>{''.join(boxes)}</fieldset>")
    return "\n".join(parts)


def _switch(place: int, learner: Learner) -> str:
    box = f'<input type="checkbox" name="learner" value="{place}" checked>'
    return f"<label>{box}{swatch(learner.look)}<span>{escaped(learner.name)}</span></label>"


def swatch(look: Look) -> str:
    """Return a small picture of the line, in SVG, that a screen reader passes over."""
    dash = _DASHES.get(look.stroke, look.stroke.replace("px", ""))
    line = f'<path d="M1 7H33" stroke="currentColor" stroke-width="2" stroke-dasharray="{dash}"/>'
    drawn = line + (f'<path d="{_SHAPES[look.symbol]}" class="shape"/>' if look.symbol else "")
    colors = f"--light: {look.color}; --dark: {look.on_dark}"
    size = 'viewBox="0 0 34 14" width="34" height="14"'
    return f'<svg class="swatch" style="{colors}" {size} aria-hidden="true">{drawn}</svg>'
