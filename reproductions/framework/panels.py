"""One panel of a paper's figure, by kind."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import polars as pl

from reproductions.framework.artefact import Axis
from reproductions.framework.axes import LEVEL_ENDS, dash, draw_level, marker, plain
from tacit.report.layout import INK, Look
from tacit.report.rows import spaced_ticks

Looks = dict[str, Look]

_HOLLOW: dict[str, Any] = {"markerfacecolor": "white", "linestyle": (0, (2, 2)), "linewidth": 1.2, "zorder": 2}


def _curves(ax: Any, axis: Axis, rows: pl.DataFrame, drawn: Looks) -> None:
    """Draw a line for each series over x, and across where x is null."""
    places = _places(rows)
    for name in rows["series"].unique(maintain_order=True):
        own, look = rows.filter(pl.col("series") == name), drawn[name]
        along = own.filter(pl.col("x").is_not_null())
        if len(along):
            _curve(ax, along, places, look)
        for row in own.filter(pl.col("x").is_null()).iter_rows(named=True):
            _level(ax, row, look)
    _ticks(ax, axis, rows, places)


def _curve(ax: Any, rows: pl.DataFrame, places: dict[Any, float], look: Look) -> None:
    for value in ("ours", "published"):
        own = rows.filter(pl.col(value).is_not_null())
        own = own.with_columns(at=pl.Series([places[x] for x in own["x"]], dtype=pl.Float64)).sort("at")
        at, heights = own["at"].to_list(), own[value].to_list()
        if value == "published":
            ax.plot(at, heights, color=look.color, marker=marker(look), markersize=5.5, **_HOLLOW)
            continue
        by = own["deviation"].fill_null(0.0).to_list()
        low, high = ([y + sign * d for y, d in zip(heights, by, strict=True)] for sign in (-1, 1))
        ax.fill_between(at, low, high, color=look.color, alpha=0.13, linewidth=0)
        ax.plot(at, heights, color=look.color, marker=marker(look), markersize=5, linestyle=dash(look), linewidth=1.7)


def _level(ax: Any, row: dict[str, Any], look: Look) -> None:
    if row["ours"] is not None:
        draw_level(ax, row["ours"], look, ends=LEVEL_ENDS[:1])
    if row["published"] is not None:
        ax.axhline(row["published"], color=look.color, linestyle=(0, (1, 3)), linewidth=1.0, zorder=1)
        edge = {"transform": ax.get_yaxis_transform(), "markersize": 5}
        ax.plot(LEVEL_ENDS[1:], [row["published"]], color=look.color, marker=marker(look), **(_HOLLOW | edge))


def _bars(ax: Any, axis: Axis, rows: pl.DataFrame, drawn: Looks) -> None:
    """Draw a bar for each series at each x, the published one hollow on top of ours; a histogram's bars touch."""
    rows = rows.filter(pl.col("x").is_not_null())
    places = _places(rows)
    series = rows["series"].unique(maintain_order=True).to_list()
    room = _gap(list(places.values())) * (1.0 if axis.kind == "histogram" else 0.8)
    means = rows.group_by("series", "x", maintain_order=True).agg(pl.col("ours", "published", "deviation").mean())
    for row in means.iter_rows(named=True):
        wide = room / len(series)
        at = places[row["x"]] - room / 2 + wide * (series.index(row["series"]) + 0.5)
        color = drawn[row["series"]].color
        if row["ours"] is not None:
            ax.bar(at, row["ours"], wide, color=color, alpha=0.75, edgecolor="white", yerr=row["deviation"], ecolor=INK)
        if row["published"] is not None:
            ax.bar(at, row["published"], wide, fill=False, edgecolor=INK, linestyle=(0, (2, 2)), linewidth=1.2)
            ax.plot([at], [row["published"]], color=color, marker="o", markersize=5, markeredgecolor=INK, **_HOLLOW)
    _ticks(ax, axis, rows, places)


def _boxes(ax: Any, axis: Axis, rows: pl.DataFrame, drawn: Looks) -> None:
    """Draw a box over the rows of each series at each x."""
    names = rows["x"].unique(maintain_order=True).to_list()
    places = {x: float(at) for at, x in enumerate(names)}
    series = rows["series"].unique(maintain_order=True).to_list()
    wide = 0.8 / len(series)
    for (name, x), own in rows.group_by("series", "x", maintain_order=True):
        at, color = places[x] - 0.4 + wide * (series.index(name) + 0.5), drawn[str(name)].color
        if ours := own["ours"].drop_nulls().to_list():
            parts = {"boxprops": {"facecolor": color, "alpha": 0.45}, "medianprops": {"color": INK, "linewidth": 1.8}}
            ax.boxplot([ours], positions=[at], widths=wide * 0.85, patch_artist=True, manage_ticks=False, **parts)
        told = own["published"].drop_nulls().to_list()
        ax.plot([at] * len(told), told, color=color, marker="o", markersize=5, **(_HOLLOW | {"linestyle": ""}))
    shown = [_short(x) for x in names]
    ax.set_xticks(range(len(names)), shown, rotation=_turn(shown), ha="right" if _turn(shown) else "center")


def _heat(ax: Any, axis: Axis, rows: pl.DataFrame, drawn: Looks) -> None:
    """Draw a cell for each series and x, with ours as color and number, and the published number below it."""
    columns, lines = (rows[name].unique(maintain_order=True).to_list() for name in ("x", "series"))
    cells = {(row["series"], row["x"]): row for row in rows.iter_rows(named=True)}
    values = [[_ours(cells.get((line, column))) for column in columns] for line in lines]
    shown = ax.imshow(values, cmap="cividis", aspect="auto")
    for (line, column), row in cells.items():
        at, down = columns.index(column), lines.index(line)
        color = shown.cmap(shown.norm(_ours(row))) if row["ours"] is not None else (1, 1, 1)
        ink = "black" if sum(color[:3]) / 3 > 0.5 else "white"
        ax.text(at, down, _both(row), color=ink, fontsize=7.5, ha="center", va="center")
    ax.set_xticks(range(len(columns)), [_short(x) for x in columns], rotation=30, ha="right")
    ax.set_yticks(range(len(lines)), map(plain, lines))


PANELS: dict[str, Callable[[Any, Axis, pl.DataFrame, Looks], None]] = {
    "curve": _curves,
    "bars": _bars,
    "histogram": _bars,
    "box": _boxes,
    "heat-map": _heat,
}
"""What draws one panel, by kind of figure."""


def _places(rows: pl.DataFrame) -> dict[Any, float]:
    """Return the position of each x: itself, or its order if it is a text."""
    found = rows["x"].drop_nulls().unique(maintain_order=True).to_list()
    return {x: float(at) if isinstance(x, str) else float(x) for at, x in enumerate(found)}


def _ticks(ax: Any, axis: Axis, rows: pl.DataFrame, places: dict[Any, float]) -> None:
    names = list(places)
    if rows["x"].dtype == pl.String:
        ax.set_xticks(
            [places[x] for x in names],
            map(plain, names),
            rotation=_turn(names),
            ha="right" if _turn(names) else "center",
        )
    elif axis.log and names and min(names) > 0:
        ax.set_xscale("log")
        ax.minorticks_off()
        ticks = spaced_ticks(sorted(names), 0.14)
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _turn(names: list[str]) -> int:
    return 30 if sum(map(len, names)) > 30 else 0


def _gap(places: list[float]) -> float:
    ordered = sorted(set(places))
    return min((after - before for before, after in pairwise(ordered)), default=1.0)


def _short(x: Any) -> str:
    return plain(x) if isinstance(x, str) else "" if x is None else f"{x:g}"


def _ours(row: dict[str, Any] | None) -> float:
    return float("nan") if row is None or row["ours"] is None else row["ours"]


def _both(row: dict[str, Any]) -> str:
    ours = "-" if row["ours"] is None else f"{row['ours']:.3g}"
    return ours if row["published"] is None else f"{ours}\n({row['published']:.3g})"
