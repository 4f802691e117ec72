"""The picture of a paper's table or figure: ours solid, the published numbers hollow and dashed."""

from __future__ import annotations

import math
from io import BytesIO
from typing import Any

import polars as pl

from reproductions.framework.artefact import Artefact, Axis
from reproductions.framework.axes import DASHES_SHOWN, broken, dash, dress, marker, plain, title
from reproductions.framework.extra import drawing
from reproductions.framework.panels import PANELS
from tacit.report.layout import INK, QUIET, Look, looks

_COLUMNS = 3
_PANEL = (4.1, 3.1)
_LEGEND = 3.1
_NAMES = 2.2
_TITLE, _KEY = 12.0, 8.5


def draw(artefact: Artefact, comparison: pl.DataFrame) -> bytes | None:
    """Return a picture of the comparison, as the content of a PNG file; None of a table.

    Parameters
    ----------
    artefact : Artefact
    comparison : polars.DataFrame
        As `reproductions.framework.compared` makes it. Each panel is drawn beside the others, on a scale of its own;
        numbers that are null are left out.

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.

    Notes
    -----
    By kind: ``curve``, a line for each series over x, with one deviation to either side, and across where x is null;
    ``bars`` and ``histogram``, a bar for each series at each x; ``heat-map``, series by x; ``box``, over the rows of
    one series at one x.
    """
    if artefact.axis.kind == "table":
        return None
    names = comparison["panel"].unique(maintain_order=True).to_list()
    columns = 2 if len(names) == 4 else min(_COLUMNS, max(len(names), 1))
    lines = math.ceil(max(len(names), 1) / columns)
    size = (_PANEL[0] * columns + _LEGEND, _PANEL[1] * lines + 0.8)
    figure = drawing("matplotlib.figure").Figure(figsize=size, dpi=130, facecolor="white", layout="constrained")
    drawn = _looks(comparison)
    for place, ax in enumerate(figure.subplots(lines, columns, squeeze=False).flat):
        if place >= len(names):
            ax.set_visible(False)
            continue
        _draw_panel(ax, artefact.axis, comparison.filter(pl.col("panel") == names[place]), drawn)
        title(ax, names[place], INK, 0.9 * _PANEL[0])
        ax.set_xlabel(plain(artefact.axis.x) if place >= len(names) - columns else "", fontsize=9)
        ax.set_ylabel(plain(artefact.axis.y) if place % columns == 0 else "", fontsize=9)
    _name_series(figure, drawn, artefact.axis, comparison)
    # Beside the key, which is on the right from the top.
    above = broken(artefact.title, size[0] - _LEGEND, _TITLE)
    figure.suptitle(above, x=0.01, ha="left", fontsize=_TITLE, fontweight="bold", color=INK)
    content = BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()


def _looks(comparison: pl.DataFrame) -> dict[str, Look]:
    """Return the look of each series; level lines are those that have x nowhere."""
    series = comparison.group_by("series", maintain_order=True).agg(level=pl.col("x").is_null().all())
    curves, levels = (series.filter(pl.col("level") == level)["series"].to_list() for level in (False, True))
    return looks(curves, levels)


def _draw_panel(ax: Any, axis: Axis, rows: pl.DataFrame, drawn: dict[str, Look]) -> None:
    rows = rows.filter(pl.col("ours").is_not_null() | pl.col("published").is_not_null())
    if len(rows):
        PANELS[axis.kind](ax, axis, rows, drawn)
    else:
        ax.text(0.5, 0.5, "nothing to show yet", color=QUIET, ha="center", va="center", transform=ax.transAxes)
        ax.set_xticks([])
        ax.set_yticks([])
    if axis.kind != "heat-map":
        dress(ax)
    ax.tick_params(labelsize=8)


def _name_series(figure: Any, drawn: dict[str, Look], axis: Axis, comparison: pl.DataFrame) -> None:
    if axis.kind == "heat-map":
        figure.supxlabel("each cell: ours, and in brackets the published number", fontsize=8.5, color=QUIET)
        return
    line = drawing("matplotlib.lines").Line2D
    marked = axis.kind in ("curve", "box")
    handles = [
        line(
            [],
            [],
            color=look.color,
            linestyle=dash(look) if marked else "",
            marker=marker(look) if marked else "s",
            label=broken(name, _NAMES, _KEY),
        )
        for name, look in drawn.items()
        if name
    ]
    handles.append(line([], [], color=INK, marker="o", linestyle="-", label="filled, solid: ours"))
    if comparison["published"].is_not_null().any():
        hollow = {"marker": "o", "markerfacecolor": "white", "linestyle": (0, (2, 2))}
        handles.append(line([], [], color=INK, label="hollow, dashed: published", **hollow))
    figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=_KEY, handlelength=DASHES_SHOWN)
