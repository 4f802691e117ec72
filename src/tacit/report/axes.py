"""What all pictures share: axes to draw on, an axis for epsilon, a key beside."""

from __future__ import annotations

from typing import Any

from tacit.report.extra import drawing
from tacit.report.palette import FAINT, INK, QUIET
from tacit.report.rows import spaced_ticks

_MANY = 16


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
        columns = 1 + len(handles) // _MANY
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8.5, ncols=columns, title=title)


def title(ax: Any, text: str) -> None:
    """Write what is shown above, on the left."""
    ax.set_title(plain(text), loc="left", fontsize=10, color=QUIET)
