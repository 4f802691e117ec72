"""How each learner is drawn, in pictures and on pages: told apart in color, in grey, and by every color vision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

INK, QUIET, FAINT = "#1b1f24", "#57606a", "#d8dee4"
_QUIET_ON_DARK = "#9da7b1"

# Okabe and Ito (2008), without yellow, which is lost on white.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# What a dark ground would swallow, lighter there.
_ON_DARK = {"#0072B2": "#2B87CB", "#000000": "#F0F3F6"}
# As matplotlib and as plotly call them. Their number shares no factor with that of the colors: 63 pairs are different.
_MARKERS = (
    ("o", "circle"),
    ("s", "square"),
    ("^", "triangle-up"),
    ("D", "diamond"),
    ("v", "triangle-down"),
    ("P", "cross"),
    ("X", "x"),
    ("*", "star"),
    ("h", "hexagon"),
)
_STROKES: tuple[tuple[Any, str], ...] = (
    ("-", "solid"),
    ((0, (6, 2)), "dash"),
    ((0, (6, 2, 1.5, 2)), "dashdot"),
    ((0, (1.5, 1.5)), "dot"),
)
# None has the marker of a curve; the last is a star of four rays.
_CEILINGS: tuple[tuple[Any, Any, str], ...] = (
    ("<", (0, (7, 3)), "7px,3px"),
    (">", (0, (3, 3)), "3px,3px"),
    ("d", (0, (1, 2)), "1px,2px"),
    ("p", (0, (9, 3, 2, 3)), "9px,3px,2px,3px"),
    ((4, 1, 0), (0, (9, 3, 2, 3, 2, 3)), "9px,3px,2px,3px,2px,3px"),
)


@dataclass(frozen=True)
class Look:
    """Color, marker and stroke of one learner.

    Attributes
    ----------
    color, on_dark : str
        On white, and on a dark ground.
    marker, dash
        As matplotlib takes them.
    symbol, stroke : str
        The same, as plotly takes them; level lines have no symbol, as pages write their names on them.
    """

    color: str
    on_dark: str
    marker: Any
    dash: Any
    symbol: str
    stroke: str


def curve_look(place: int) -> Look:
    """Return the look of the curve at this place, from 0.

    Examples
    --------
    >>> len({curve_look(place) for place in range(40)})
    40
    """
    marker, symbol = _MARKERS[place % len(_MARKERS)]
    dash, stroke = _STROKES[place // len(_COLORS) % len(_STROKES)]
    color = _COLORS[place % len(_COLORS)]
    return Look(color, _ON_DARK.get(color, color), marker, dash, symbol, stroke)


def ceiling_look(place: int) -> Look:
    """Return the look of the level line at this place: grey; a marker for its ends in pictures, none on pages."""
    marker, dash, stroke = _CEILINGS[place % len(_CEILINGS)]
    return Look(QUIET, _QUIET_ON_DARK, marker, dash, "", stroke)


def looks(curves: Iterable[str], ceilings: Iterable[str] = ()) -> dict[str, Look]:
    """Return a look for each name, by order."""
    found = {name: curve_look(place) for place, name in enumerate(curves)}
    return found | {name: ceiling_look(place) for place, name in enumerate(ceilings)}
