"""What all pictures share in plotly's terms: colors, markers and strokes; names as text, axes, the layout around."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Any

from tacit.report.rows import shown, spaced_ticks

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
    """Color, marker and stroke of one learner, as plotly calls them."""

    color: str
    """On white; see `ON_DARK`."""
    symbol: str
    """Empty for level lines."""
    stroke: str

    @property
    def on_dark(self) -> str:
        """The color on a dark ground."""
        return ON_DARK.get(self.color, self.color)


def curve_look(place: int) -> Look:
    """Return the look of the curve at this place, from 0."""
    stroke = _STROKES[place // len(_COLORS) % len(_STROKES)]
    return Look(_COLORS[place % len(_COLORS)], _SYMBOLS[place % len(_SYMBOLS)], stroke)


def level_look(place: int) -> Look:
    """Return the look of the level line at this place: gray, without a marker."""
    return Look(QUIET, "", _LEVEL_STROKES[place % len(_LEVEL_STROKES)])


def looks(curves: Iterable[str], levels: Iterable[str] = ()) -> dict[str, Look]:
    """Return a look for each name, by order."""
    found = {name: curve_look(place) for place, name in enumerate(curves)}
    return found | {name: level_look(place) for place, name in enumerate(levels)}


Figure = dict[str, Any]

_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif'
_LONGEST_ON_A_LINE = 30  # characters, about half of a phone's width
# Room beside the first and the last, as factors on a logarithmic axis.
_BESIDE_EPSILONS = 1.4
_BESIDE_SECONDS = 1.3


def plain(text: str) -> str:
    """Return a text that plotly shows letter by letter: no tags, no formula, no characters that turn the rest around.

    Examples
    --------
    >>> plain("<b>cost & income in $")
    '&lt;b&gt;cost &amp; income in &#36;'
    """
    return escape(shown(text), quote=False).replace("$", "&#36;")


def cut(name: str) -> str:
    """Return a name as `plain` text that fits a phone's chart."""
    name = shown(name)
    return plain(name if len(name) <= _LONGEST_ON_A_LINE else name[: _LONGEST_ON_A_LINE - 1] + "…")


def short_p(p: float) -> str:
    """Return p with two digits that count.

    Examples
    --------
    >>> short_p(0.0004), short_p(0.0123), short_p(0.5)
    ('<.001', '.012', '.50')
    """
    if p < 0.001:
        return "<.001"
    return f"{p:.3f}"[1:] if p < 0.1 else f"{p:.2f}".removeprefix("0")


def spread(heights: Sequence[float], step: float) -> list[float]:
    """Return heights in the same order, moved as little upward as keeps them `step` apart."""
    placed = [0.0] * len(heights)
    least = float("-inf")
    for at in sorted(range(len(heights)), key=lambda each: heights[each]):
        placed[at] = least = max(heights[at], least)
        least += step
    return placed


def layout(xaxis: Figure, yaxis: Figure, caption: str, **more: Any) -> Figure:
    """Describe all but the traces; further parts take the place of these."""
    title = {"text": plain(caption), "x": 0.01, "xanchor": "left", "font": {"size": 14, "color": QUIET}}
    return {
        **({"title": title} if caption else {}),
        "font": {"family": _FONT, "size": 13, "color": INK},
        "paper_bgcolor": PAPER,
        "plot_bgcolor": PAPER,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": PAPER, "bordercolor": INK, "font": {"color": INK, "size": 13}, "align": "left"},
        "margin": {"l": 62, "r": 14, "t": above(caption), "b": 48},
        "xaxis": xaxis,
        "yaxis": yaxis,
    } | more


def above(caption: str) -> int:
    """Return pixels above the axes: room for a line of the caption, and for the name of a level line."""
    return 44 if caption else 20


def axis(title: str, **more: Any) -> Figure:
    """Describe an axis with its title, which is plain text."""
    lines = {"gridcolor": GRID, "linecolor": GRID, "zeroline": False, "tickfont": {"color": INK}}
    return lines | {"title": {"text": title, "standoff": 8}} | more


def named(names: list[str]) -> Figure:
    """Describe an axis of names: known by the whole of them, shown short and letter by letter."""
    return {"type": "category", "tickvals": names, "ticktext": [cut(name) for name in names]}


def epsilon_axis(epsilons: list[float]) -> Figure:
    """Describe a logarithmic axis with a tick at each epsilon that has room."""
    ticks = spaced_ticks(epsilons, 0.1)
    reach = [log10(epsilons[0] / _BESIDE_EPSILONS), log10(epsilons[-1] * _BESIDE_EPSILONS)]
    ticked = {"type": "log", "range": reach, "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]}
    return axis("epsilon (less is more private)", **ticked)


def seconds_axis(least: list[float], most: list[float]) -> Figure:
    """Describe a logarithmic axis with few ticks, from the fastest to the slowest fit."""
    ticks = _ticks_of_seconds(least, most)
    # Upright, as tilted ones lie on the title, and all in view: on a phone the first and the last are drawn.
    ticked = {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks], "tickangle": 0}
    low, high = min(least, default=1.0) / _BESIDE_SECONDS, max(most, default=1.0) * _BESIDE_SECONDS
    return axis("seconds", range=[log10(low), log10(high)], **ticked)


def _ticks_of_seconds(least: Iterable[float], most: Iterable[float]) -> list[float]:
    """Return ticks at 1, 2 and 5 of each decade, or at fewer where they would touch, some six in all."""
    low, high = min(least, default=1.0), max(most, default=1.0)
    first, last = floor(log10(low)), ceil(log10(high))
    steps = (1, 2, 5) if last - first <= 2 else (1, 3) if last - first <= 3 else (1,)
    decades = range(first, last + 1, ceil((last - first) / 6) or 1)
    ticks = [float(f"{step}e{decade}") for decade in decades for step in steps]
    return [tick for tick in ticks if low / _BESIDE_SECONDS <= tick <= high * _BESIDE_SECONDS]
