"""Each picture of a study, described once in plotly's terms: pages draw it in the browser, displays in a notebook.

A description is plain values, ``{"data": ..., "layout": ...}``, and needs no library. Each trace has its learner's name
as ``meta``, by which a page switches it off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from tacit.report.layout import (
    INK,
    QUIET,
    SHADES,
    Figure,
    Look,
    above,
    axis,
    cut,
    epsilon_axis,
    layout,
    looks,
    named,
    plain,
    seconds_axis,
    short_p,
    spread,
)
from tacit.report.rows import METRICS, Metric

Looks = Mapping[str, Look]

_BAND = 0.15  # opacity: three bands upon each other still let curves be seen
_MAX_BANDS = 3
"""Curves with bands; more have a thin line at each point, as bands upon each other are one gray."""
# A level line is hovered at its points.
_POINTS_OF_A_LEVEL = 12
# Of the height: a line of small text on the least chart that a page draws.
_APART = 0.055
# Pixels of a cell of a heat map, so that its number fits.
_CELL = 44
_BELOW = (0.001, 0.01, 0.05, 0.2)  # where the shades of p-values change: the usual levels, and "not at all"


def privacy_curve(
    points: pl.DataFrame, *, metric: Metric = "accuracy", caption: str = "", drawn: Looks | None = None
) -> Figure:
    """Describe accuracy over epsilon: a curve for each private learner, a level line for each without an epsilon.

    Parameters
    ----------
    points : polars.DataFrame
        As `tacit.study.summary.accuracies` returns them, of one data set under one privacy.
    metric : {"accuracy", "auc", "balanced_accuracy", "log_loss", "brier", "rmse", "mae", "r2"}
        What the points are means of.
    caption : str
        Above the picture.
    drawn : mapping of str to Look, optional
        By name; by order if not given.
    """

    def said(point: Mapping[str, Any]) -> str:
        runs = f"{point['runs']} fit{'' if point['runs'] == 1 else 's'}"
        extremes = f"<br>from {point['least']:.4f} to {point['most']:.4f}" if point["runs"] > 1 else ""
        return f"{METRICS[metric]} {_spread(point, 'mean')}{extremes}<br>{runs}"

    return _over_epsilon(points, "mean", f"{METRICS[metric]} on test rows", caption, drawn, said)


def privacy_cost(
    points: pl.DataFrame,
    *,
    baseline: str,
    metric: Metric = "accuracy",
    caption: str = "",
    drawn: Looks | None = None,
    learned: bool = False,
) -> Figure:
    """Describe the share of a non-private baseline's accuracy that each private learner reaches, over epsilon.

    Parameters
    ----------
    points : polars.DataFrame
        As `tacit.study.summary.ratios` returns them, of one data set under one privacy.
    baseline : str
        Its name.
    learned : bool
        Whether the points are those of `tacit.study.summary.shares_learned`, from the majority class on.
    metric, caption, drawn
        As in `privacy_curve`.
    """

    def said(point: Mapping[str, Any]) -> str:
        of = "of the way to" if learned else "of"
        return f"{_spread(point, 'ratio')} {of} {plain(baseline)}<br>{point['pairs']} splits"

    curves = points.filter(pl.col("epsilon").is_not_null())
    title = "share of the way" if learned else f"ratio of {METRICS[metric]}"
    figure = _over_epsilon(curves, "ratio", title, caption, drawn, said)
    line = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "line": {"color": QUIET, "width": 1.6, "dash": "7px,3px"},
    }
    figure["layout"]["shapes"] = [line | {"y0": at, "y1": at} for at in ((0, 1) if learned else (1,))]
    return figure


def run_time(seconds: pl.DataFrame, *, caption: str = "", drawn: Looks | None = None) -> Figure:
    """Describe how long fits take: each learner's median, and a line from the fastest to the slowest.

    Parameters
    ----------
    seconds : polars.DataFrame
        As `tacit.report.rows.run_times` returns them.
    caption, drawn
        As in `privacy_curve`.
    """
    if drawn is None:
        curves, levels = (seconds.filter(pl.col("level") == level)["name"].to_list() for level in (False, True))
        drawn = looks(curves, levels)
    x = seconds_axis(seconds["least"].to_list(), seconds["most"].to_list())
    y = axis("", autorange="reversed", automargin=True, **named(seconds["name"].to_list()))
    traces = [_time(row, drawn[row["name"]]) for row in seconds.iter_rows(named=True)]
    size = {"height": 90 + 26 * max(len(traces), 2), "margin": {"l": 20, "r": 14, "t": above(caption), "b": 48}}
    return {"data": traces, "layout": layout(x, y, caption, showlegend=False, **size)}


def at_epsilon(points: pl.DataFrame, epsilon: Any) -> pl.DataFrame:
    """Return the points at this epsilon, and those of learners without one."""
    own = (
        pl.col("epsilon").is_null() if epsilon is None else pl.col("epsilon").is_null() | (pl.col("epsilon") == epsilon)
    )
    return points.filter(own)


def calibration(points: pl.DataFrame, *, caption: str = "", drawn: Looks | None = None) -> Figure:
    """Describe how often the second class came, by how probable it was said to be: a curve for each learner.

    Parameters
    ----------
    points : polars.DataFrame
        As `tacit.study.summary.calibrations` returns them, at one epsilon: see `at_epsilon`.
    caption, drawn
        As in `privacy_curve`.
    """
    names = points["name"].unique(maintain_order=True).to_list()
    if drawn is None:
        levels = set(points.filter(pl.col("epsilon").is_null())["name"])
        drawn = looks([name for name in names if name not in levels], [name for name in names if name in levels])
    traces = []
    for name in names:
        own, look = points.filter(pl.col("name") == name).to_dicts(), drawn[name]
        # One template for all points, as a page has this picture at each epsilon.
        of = plain(name).replace("%", "&#37;")  # which would start a field
        said = f"<b>{of}</b><br>{_price(own[0])}<br>said %{{x:.3f}}, came %{{y:.3f}}<br>%{{text}} rows<extra></extra>"
        places = {axis: [round(point[value], 4) for point in own] for axis, value in (("x", "said"), ("y", "came"))}
        traces.append(
            {**_trace(name), **places, "text": [f"{point['rows']:,}" for point in own], "hovertemplate": said}
            | {"mode": _calibration_mode(look, len(own)), "marker": _marker(look, 7)}
            | {"line": {"color": look.color, "width": 2, "dash": look.stroke}}
        )
    ends = {"range": [-0.02, 1.02], "tickformat": ".1f"}
    figure = layout(axis("probability said", **ends), axis("share that came", automargin=True, **ends), caption)
    exact = {
        "type": "line",
        "x0": 0,
        "y0": 0,
        "x1": 1,
        "y1": 1,
        "line": {"color": QUIET, "width": 1.2, "dash": "3px,3px"},
    }
    return {"data": traces, "layout": figure | {"shapes": [exact]}}


def _calibration_mode(look: Look, points: int) -> str:
    # A line of one point, as the majority class has, would not be seen.
    return "lines+markers" if look.symbol else "lines" if points > 1 else "markers"


def accuracy_distribution(boxes: pl.DataFrame, *, label: str = "accuracy") -> Figure:
    """Describe how mean accuracies of learners and tables are spread at each epsilon: quartiles and extremes.

    Parameters
    ----------
    boxes : polars.DataFrame
        As `tacit.study.summary.distribution` returns them.
    label : str
        What is spread.
    """
    names = {"lowerfence": "least", "q1": "lower", "median": "median", "q3": "upper", "upperfence": "most"}
    box = {ours: boxes[theirs].to_list() for ours, theirs in names.items()}
    ticks = [f"{epsilon:g}<br>{points}" for epsilon, points in boxes.select("epsilon", "points").iter_rows()]
    look = {"fillcolor": SHADES[2], "line": {"color": INK, "width": 1.5}}
    trace = {"type": "box", "x": ticks, **box, "boxpoints": False, "name": "", **look}
    x = axis("epsilon, and the number of learners and tables in its box", type="category")
    return {"data": [trace], "layout": layout(x, axis(plain(label)), "", showlegend=False)}


def p_value_heat_map(pairs: pl.DataFrame, *, caption: str = "") -> Figure:
    """Describe the p-values between any two learners; a triangle says whether the row's learner has the higher mean.

    Parameters
    ----------
    pairs : polars.DataFrame
        As `tacit.study.summary.comparisons` returns them.
    caption : str
    """
    names = list(dict.fromkeys([*pairs["first"], *pairs["second"]]))
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in pairs.filter(pl.col("p").is_not_null()).iter_rows(named=True):
        found[row["first"], row["second"]] = row
        found[row["second"], row["first"]] = row | {"difference": -row["difference"]}

    def cells(made: Callable[[str, str, dict[str, Any]], Any], empty: Any) -> list[list[Any]]:
        return [
            [made(one, other, found[one, other]) if (one, other) in found else empty for other in names]
            for one in names
        ]

    steps = [(at + side) / len(SHADES) for at in range(len(SHADES)) for side in (0, 1)]
    scale = [[step, SHADES[at // 2]] for at, step in enumerate(steps)]
    trace = {
        "type": "heatmap",
        "meta": names,
        "x": names,
        "y": names,
        "z": cells(lambda one, other, row: sum(row["p"] >= below for below in _BELOW), None),
        "text": cells(lambda one, other, row: plain(short_p(row["p"])) + _sign(row["difference"]), ""),
        "hovertext": cells(_pair_said, ""),
        "texttemplate": "%{text}",
        "hoverinfo": "text",
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "colorscale": scale,
        "zmin": -0.5,
        "zmax": len(SHADES) - 0.5,
        "textfont": {"size": 11},
    }
    # Letters of the longest name, turned by 40 degrees below and beside.
    room = 24 + 7 * max((len(cut(name)) for name in names), default=0)
    size = {"width": 30 + room + _CELL * len(names), "height": above(caption) + 0.7 * room + 26 * len(names) + 24}
    x = axis("", tickangle=-40, showgrid=False, **named(names))
    y = axis("", autorange="reversed", showgrid=False, **named(names))
    margin = {"l": room, "r": 14, "t": above(caption), "b": 0.7 * room}
    return {"data": [trace], "layout": layout(x, y, caption, showlegend=False, margin=margin, **size)}


def _over_epsilon(
    points: pl.DataFrame,
    value: str,
    title: str,
    caption: str,
    drawn: Looks | None,
    said: Callable[[Mapping[str, Any]], str],
) -> Figure:
    """Describe curves of a value over epsilon, with bands of one standard deviation, and level lines."""
    points = points.filter(pl.col(value).is_not_null())
    tried = points.filter(pl.col("epsilon").is_not_null()).sort("epsilon", maintain_order=True)
    names = [name for name in points["name"].unique(maintain_order=True) if name in set(tried["name"])]
    levels = points.filter(pl.col("epsilon").is_null()).unique("name", keep="first", maintain_order=True)
    drawn = looks(names, levels["name"].to_list()) if drawn is None else drawn
    epsilons = tried["epsilon"].unique().sort().to_list()
    x = epsilon_axis(epsilons or [1.0])
    curves = {name: tried.filter(pl.col("name") == name).to_dicts() for name in names}
    few = len(curves) <= _MAX_BANDS
    traces = [_band(name, own, value, drawn[name]) for name, own in curves.items() if few and len(own) > 1]
    traces += [
        _curve(name, own, value, drawn[name], said, barred=not few or len(own) == 1) for name, own in curves.items()
    ]
    rows = levels.to_dicts()
    step = _APART * _height(points, value)
    places = spread([row[value] for row in rows], step)
    for row, place in zip(rows, places, strict=True):
        traces += _level(row, value, drawn[row["name"]], x["range"], place, said)
    return {"data": traces, "layout": layout(x, axis(title, automargin=True), caption)}


def _curve(
    name: str,
    points: list[dict[str, Any]],
    value: str,
    look: Look,
    said: Callable[[Mapping[str, Any]], str],
    *,
    barred: bool,
) -> Figure:
    reach = {"array": [point["deviation"] or 0.0 for point in points], "thickness": 1, "width": 0}
    return _trace(name) | {
        "x": [point["epsilon"] for point in points],
        "y": [point[value] for point in points],
        "text": [f"<b>{plain(name)}</b><br>{_price(point)}<br>{said(point)}" for point in points],
        "mode": "lines+markers",
        "line": {"color": look.color, "width": 2, "dash": look.stroke},
        "marker": _marker(look, 8.5),
        "error_y": {"visible": barred, "color": look.color} | reach,
    }


def _band(name: str, points: list[dict[str, Any]], value: str, look: Look) -> Figure:
    up, down = ([point[value] + sign * (point["deviation"] or 0.0) for point in points] for sign in (1, -1))
    along = [point["epsilon"] for point in points]
    filled = {"fill": "toself", "fillcolor": look.color, "opacity": _BAND, "line": {"width": 0}}
    outline = {"x": [*along, *reversed(along)], "y": [*up, *reversed(down)], "mode": "lines"}
    return _trace(name) | outline | filled | {"hoverinfo": "skip", "showlegend": False}


def _level(
    row: Mapping[str, Any],
    value: str,
    look: Look,
    reach: Sequence[float],
    place: float,
    said: Callable[[Mapping[str, Any]], str],
) -> list[Figure]:
    """Describe a line across, and its name above its left end, or higher where names would touch."""
    low, high = reach
    along = [10 ** (low + (high - low) * at / (_POINTS_OF_A_LEVEL - 1)) for at in range(_POINTS_OF_A_LEVEL)]
    text = f"<b>{plain(row['name'])}</b><br>without privacy<br>{said(row)}"
    # Its name is on it, so that the key has the curves alone.
    line = {"mode": "lines", "line": {"color": look.color, "width": 1.6, "dash": look.stroke}, "showlegend": False}
    across = {"x": along, "y": [row[value]] * len(along), "text": [text] * len(along)}
    name = {"x": along[:1], "y": [place], "text": [cut(row["name"])], "mode": "text", "textposition": "top right"}
    quiet = {"textfont": {"size": 11, "color": QUIET}, "hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    return [_trace(row["name"]) | across | line, _trace(row["name"]) | name | quiet]


def _time(row: Mapping[str, Any], look: Look) -> Figure:
    median, least, most = row["median"], row["least"], row["most"]
    extremes = f"median {median:.3g} s<br>from {least:.3g} to {most:.3g} s"
    reach = {"array": [most - median], "arrayminus": [median - least], "symmetric": False, "type": "data"}
    return _trace(row["name"]) | {
        "x": [median],
        "y": [row["name"]],
        "text": [f"<b>{plain(row['name'])}</b><br>{extremes}<br>{row['fits']} fits"],
        "mode": "markers",
        "marker": _marker(look, 10),
        "error_x": reach | {"color": look.color, "thickness": 3, "width": 0},
    }


def _trace(name: str) -> Figure:
    return {"type": "scatter", "name": plain(name), "meta": name, "legendgroup": plain(name), "hoverinfo": "text"}


def _marker(look: Look, size: float) -> Figure:
    edge = {"color": INK, "width": 0.7 if look.symbol else 2}
    return {"color": look.color, "symbol": look.symbol or "line-ns-open", "size": size, "line": edge}


def _height(points: pl.DataFrame, value: str) -> float:
    by = points["deviation"].fill_null(0.0)
    high, low = (points[value] + by).max(), (points[value] - by).min()
    # A picture of one height still has room.
    return float(high - low) or 0.1 if isinstance(high, float) and isinstance(low, float) else 0.1


def _price(point: Mapping[str, Any]) -> str:
    if point["epsilon"] is None:
        return "without privacy"
    return f"epsilon {point['epsilon']:g}" + (f", delta {point['delta']:g}" if point["delta"] else "")


def _spread(point: Mapping[str, Any], value: str) -> str:
    return f"{point[value]:.4f}" + ("" if point["deviation"] is None else f" ± {point['deviation']:.4f}")


def _pair_said(one: str, other: str, row: Mapping[str, Any]) -> str:
    difference = f"<b>{plain(one)}</b> less <b>{plain(other)}</b>: {row['difference']:+.4f}"
    return f"{difference}<br>p {row['p']:.3g}, {row['pairs']} pairs"


def _sign(difference: float) -> str:
    return " ▲" if difference > 0 else " ▼" if difference < 0 else ""
