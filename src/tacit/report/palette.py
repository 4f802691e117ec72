"""Colors, markers and strokes: different in color, in grey, and for every color vision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

INK, QUIET, GRID, PAPER = "#1b1f24", "#57606a", "#dde2e7", "#ffffff"

# Okabe and Ito (2008), without yellow, which is lost on white.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Their number shares no factor with that of the colors: 63 pairs are different.
_SYMBOLS = (
    *("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star", "hexagon"),
)  # fmt: skip
_STROKES = ("solid", "dash", "dashdot", "dot")
_LEVEL_STROKES = ("7px,3px", "3px,3px", "1px,2px", "9px,3px,2px,3px", "9px,3px,2px,3px,2px,3px")

SHADES = ("#123f60", "#2a70a3", "#8fc0e2", "#cbe2f2", "#eef4f8")
"""Of p-values, from small to large."""

ON_DARK = {
    INK: "#e6eaee",
    QUIET: "#9da7b1",
    GRID: "#2c333b",
    PAPER: "#171c21",
    # What a dark ground would swallow, lighter there.
    "#0072B2": "#2B87CB",
    "#000000": "#F0F3F6",
    **dict(zip(SHADES, ("#a9d5f5", "#82c0ec", "#1f5f90", "#1a3a54", "#1c2833"), strict=True)),
}
"""What colors become on a dark ground; those that are not here stay."""


@dataclass(frozen=True)
class Look:
    """Color, marker and stroke of one learner, as plotly calls them.

    Attributes
    ----------
    color : str
        On white; see `ON_DARK`.
    symbol : str
        Empty for level lines.
    stroke : str
    """

    color: str
    symbol: str
    stroke: str

    @property
    def on_dark(self) -> str:
        """The color on a dark ground."""
        return ON_DARK.get(self.color, self.color)


def curve_look(place: int) -> Look:
    """Return the look of the curve at this place, from 0.

    Examples
    --------
    >>> len({curve_look(place) for place in range(40)})
    40
    """
    stroke = _STROKES[place // len(_COLORS) % len(_STROKES)]
    return Look(_COLORS[place % len(_COLORS)], _SYMBOLS[place % len(_SYMBOLS)], stroke)


def level_look(place: int) -> Look:
    """Return the look of the level line at this place: grey, without a marker."""
    return Look(QUIET, "", _LEVEL_STROKES[place % len(_LEVEL_STROKES)])


def looks(curves: Iterable[str], levels: Iterable[str] = ()) -> dict[str, Look]:
    """Return a look for each name, by order."""
    found = {name: curve_look(place) for place, name in enumerate(curves)}
    return found | {name: level_look(place) for place, name in enumerate(levels)}
