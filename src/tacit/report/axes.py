"""What all pictures share: axes to draw on, an axis for epsilon, a key beside."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from tacit.report.extra import drawing
from tacit.report.palette import FAINT, INK, QUIET
from tacit.report.rows import spaced_ticks

DASHES_SHOWN = 4.0
"""How long a key draws its lines, in sizes of its font, so that dashes can be told apart."""

_POINTS = 72.0
_MANY = 20
_CAPTION = 10.0
# Of a letter, in sizes of its font: a little more than the mean.
_WIDTH = 0.56


def plain(text: str) -> str:
    r"""Return a name as matplotlib shows it letter by letter: dollars mean no formula, an underscore hides nothing.

    Examples
    --------
    >>> plain("cost in $, income in $")
    'cost in \\$, income in \\$'
    """
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def axes_to_draw_on(ax: Any, size: tuple[float, float] = (7.6, 4.6)) -> Any:
    """Return these axes, or new ones of this size in inches, which pyplot shows."""
    if ax is not None:
        return ax
    _, made = drawing("matplotlib.pyplot").subplots(figsize=size, layout="constrained")
    return made


def dress(ax: Any, grid: str = "y") -> None:
    """Take away what is not data, and lay a quiet grid below."""
    ax.grid(axis=grid, color=FAINT, linewidth=0.8)
    ax.margins(y=0.06)
    ax.set_axisbelow(True)
    ax.tick_params(colors=INK, length=0)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(FAINT)


def epsilon_axis(ax: Any, epsilons: list[float]) -> None:
    """Make x logarithmic, with a tick at each epsilon that has room."""
    ax.set_xlabel("epsilon (less is more private)", color=INK)
    if not epsilons:
        return
    ax.set_xscale("log")
    ax.minorticks_off()
    ticks = spaced_ticks(epsilons, 0.07)
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def key(ax: Any, title: str | None = None) -> None:
    """Name the curves on the right, in as many columns as they need."""
    handles, _ = ax.get_legend_handles_labels()
    if handles:
        drawn: dict[str, Any] = {"frameon": False, "fontsize": 8.5, "handlelength": DASHES_SHOWN, "title": title}
        columns = 1 + len(handles) // _MANY
        ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), ncols=columns, **drawn)


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
