"""What all pictures share: axes to draw on, an axis for epsilon, a key beside."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from tacit.report.layout import GRID, INK, QUIET, Look

DASHES_SHOWN = 4.0
"""How long a key draws its lines, in sizes of its font, so that dashes can be distinguished."""

_POINTS = 72.0
_CAPTION = 10.0
# Of a letter, in sizes of its font: a little more than the mean.
_WIDTH = 0.56


_MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle-up": "^",
    "diamond": "D",
    "triangle-down": "v",
    "cross": "P",
    "x": "X",
    "star": "*",
    "hexagon": "h",
}
_DASHES: dict[str, Any] = {
    "solid": "-",
    "dash": (0, (6, 2)),
    "dashdot": (0, (6, 2, 1.5, 2)),
    "dot": (0, (1.5, 1.5)),
    "7px,3px": (0, (7, 3)),
    "3px,3px": (0, (3, 3)),
    "1px,2px": (0, (1, 2)),
    "9px,3px,2px,3px": (0, (9, 3, 2, 3)),
}
# Level lines have markers of their own, by their stroke; the last is a star of four rays.
_MARKERS_OF_LEVELS = {"7px,3px": "<", "3px,3px": ">", "1px,2px": "d", "9px,3px,2px,3px": "p"}

LEVEL_ENDS = (0.015, 0.985)
"""Where a level line has its markers, in widths of the axes."""


def marker(look: Look) -> Any:
    """Return the marker as matplotlib takes it."""
    return _MARKERS[look.symbol] if look.symbol else _MARKERS_OF_LEVELS.get(look.stroke, (4, 1, 0))


def dash(look: Look) -> Any:
    """Return the stroke as matplotlib takes it."""
    return _DASHES.get(look.stroke, (0, (9, 3, 2, 3, 2, 3)))


def draw_level(ax: Any, height: float, look: Look, *, ends: Sequence[float] = LEVEL_ENDS, **style: Any) -> None:
    """Draw a line across, with the look's marker near its ends, given in widths of the axes from the left."""
    drawn = {"color": look.color, "linestyle": dash(look), "linewidth": 1.4, "zorder": 1.0}
    marked = {"marker": marker(look), "markersize": 6, "markevery": list(range(1, 1 + len(ends)))}
    along = [0.0, *ends, 1.0]
    ax.plot(along, [height] * len(along), transform=ax.get_yaxis_transform(), **(drawn | marked | style))


def plain(text: str) -> str:
    r"""Return a name as matplotlib shows it letter by letter: dollars mean no formula, an underscore hides nothing.

    Examples
    --------
    >>> plain("cost in $, income in $")
    'cost in \\$, income in \\$'
    """
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def dress(ax: Any, grid: str = "y") -> None:
    """Take away what is not data, and lay a quiet grid below."""
    ax.grid(axis=grid, color=GRID, linewidth=0.8)
    ax.margins(y=0.06)
    ax.set_axisbelow(True)
    ax.tick_params(colors=INK, length=0)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(GRID)


def title(ax: Any, text: str, color: str = QUIET, inches: float | None = None) -> None:
    """Write what is shown above, on the left, in lines of this width, that of the axes by default."""
    inches = ax.get_window_extent().width / ax.figure.dpi if inches is None else inches
    ax.set_title(broken(text, inches, _CAPTION), loc="left", fontsize=_CAPTION, color=color)


def broken(text: str, inches: float, size: float) -> str:
    r"""Return a text in lines of at most about this width, to be shown letter by letter.

    Examples
    --------
    >>> broken("tables of people", 1.0, 10.0)
    'tables of\npeople'
    """
    return plain("\n".join(wrap(text, max(int(inches * _POINTS / (_WIDTH * size)), 8))))
