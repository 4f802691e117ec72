"""The learners of a page: their order, how they look, and the switches that turn them on and off."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin

import polars as pl

from tacit.report.layout import Look, looks
from tacit.report.page.document import escaped

_KINDS = {"private": "Private", "external": "Other libraries", "baseline": "Without privacy"}
_DASHES = {"solid": "none", "dash": "6 2", "dashdot": "6 2 2 2", "dot": "2 2"}


@dataclass(frozen=True)
class Learner:
    """A learner as the page draws it.

    Attributes
    ----------
    name : str
    kind : {"private", "external", "baseline"}
    level : bool
        Whether it has no epsilon anywhere: a level line.
    look : Look
    """

    name: str
    kind: str
    level: bool
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
    shape = f'<path d="{_shape(look.symbol)}" class="shape"/>'
    drawn = line + (shape if look.symbol else "")
    colors = f"--light: {look.color}; --dark: {look.on_dark}"
    size = 'viewBox="0 0 34 14" width="34" height="14"'
    return f'<svg class="swatch" style="{colors}" {size} aria-hidden="true">{drawn}</svg>'


def _shape(symbol: str) -> str:
    """Return the outline of a marker around (17, 7)."""
    if symbol == "circle":
        return "M12.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z"
    if symbol in ("cross", "x"):
        return _polygon(_CROSS, 0.0 if symbol == "cross" else pi / 4)
    corners, turn, radius = _REGULAR.get(symbol, (4, 0.0, 5.0))
    if symbol == "star":
        return _polygon([(turn + at * pi / 5, 5.6 if at % 2 == 0 else 2.2) for at in range(10)])
    return _polygon([(turn + at * 2 * pi / corners, radius) for at in range(corners)])


# Number of corners, angle of the first, radius.
_REGULAR = {
    "square": (4, pi / 4, 5.4),
    "diamond": (4, 0.0, 5.4),
    "triangle-up": (3, -pi / 2, 5.4),
    "triangle-down": (3, pi / 2, 5.4),
    "hexagon": (6, 0.0, 5.0),
    "star": (5, -pi / 2, 5.6),
}
_CROSS = [(at * pi / 2 + by, radius) for at in range(4) for by, radius in ((-0.36, 5.1), (0.36, 5.1), (pi / 4, 2.55))]


def _polygon(corners: list[tuple[float, float]], turn: float = 0.0) -> str:
    at = [f"{17 + r * cos(angle + turn):.1f} {7 + r * sin(angle + turn):.1f}" for angle, r in corners]
    return f"M{'L'.join(at)}z"
