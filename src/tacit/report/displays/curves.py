"""Curves over epsilon, with bands, and level lines for what has no epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from tacit.report.axes import plain
from tacit.report.palette import INK, Look, looks

LEVEL_ENDS = (0.015, 0.985)
"""Where a level line has its markers, in widths of the axes."""

_MARGIN = 1.35


def draw_curves(ax: Any, points: pl.DataFrame, value: str, *, bands: bool, style: dict[str, Any]) -> None:
    """Draw a curve for each name that has epsilons and a level line for each that has none.

    Parameters
    ----------
    ax : matplotlib Axes
    points : polars.DataFrame
        ``name``, ``epsilon``, ``deviation`` and the value.
    value : str
        The column to draw.
    bands : bool
        Whether to shade one deviation to either side.
    style : dict
        Further arguments for each curve's ``Axes.plot``.
    """
    points = points.filter(pl.col(value).is_not_null())
    curves = points.filter(pl.col("epsilon").is_not_null()).sort("epsilon")
    order = [name for name in points["name"].unique(maintain_order=True) if name in set(curves["name"])]
    levels = points.filter(pl.col("epsilon").is_null()).unique("name", keep="first", maintain_order=True)
    drawn = looks(order, levels["name"].to_list())
    for name in order:
        _draw_curve(
            ax, curves.filter(pl.col("name") == name), value, drawn[name], bands, {"label": plain(name), **style}
        )
    for name, height in levels.select("name", value).iter_rows():
        draw_level(ax, height, drawn[name], label=plain(name))
    if epsilons := curves["epsilon"].to_list():
        ax.set_xlim(epsilons[0] / _MARGIN, epsilons[-1] * _MARGIN)


def draw_level(ax: Any, height: float, look: Look, *, ends: Sequence[float] = LEVEL_ENDS, **style: Any) -> None:
    """Draw a line across, with the look's marker near its ends, given in widths of the axes from the left."""
    drawn = {"color": look.color, "linestyle": look.dash, "linewidth": 1.4, "zorder": 1.0}
    marked = {"marker": look.marker, "markersize": 6, "markevery": list(range(1, 1 + len(ends)))}
    along = [0.0, *ends, 1.0]
    ax.plot(along, [height] * len(along), transform=ax.get_yaxis_transform(), **(drawn | marked | style))


def _draw_curve(ax: Any, points: pl.DataFrame, value: str, look: Look, bands: bool, style: dict[str, Any]) -> None:
    epsilons, heights = points["epsilon"].to_list(), points[value].to_list()
    deviations = points["deviation"].fill_null(0.0).to_list()
    if bands:
        low, high = zip(*((at - by, at + by) for at, by in zip(heights, deviations, strict=True)), strict=True)
        if len(epsilons) > 1:
            ax.fill_between(epsilons, low, high, color=look.color, alpha=0.13, linewidth=0, zorder=2)
        else:
            ax.vlines(epsilons, low, high, color=look.color, alpha=0.5, linewidth=2.5, zorder=2)
    drawn = {"color": look.color, "marker": look.marker, "linestyle": look.dash, "linewidth": 1.8, "markersize": 6}
    ax.plot(epsilons, heights, **(drawn | {"markeredgecolor": INK, "markeredgewidth": 0.5, "zorder": 3} | style))
