"""A model's importances and effects, described in plotly's terms: bars with intervals, curves with bands."""

from __future__ import annotations

from typing import Any

import polars as pl

from tacit.errors import ParameterError
from tacit.models import Model
from tacit.report.layout import Figure, axis, curve_look, cut, layout, named, plain
from tacit.schema import Numeric

_DEVIATIONS = 2.0
_BAND = 0.18
_MAX_BARS = 30


def importance_figure(model: Model) -> Figure:
    """Describe how far each column moves the scores: bars with intervals of 95 % that hold the noise.

    Raises
    ------
    ParameterError
        If the model reads no column.
    """
    importances = model.importances()
    shown = importances["column"].unique(maintain_order=True).head(_MAX_BARS).to_list()
    if not shown:
        raise ParameterError("Expected a model that reads columns, got one without. Its score is the class balance.")
    data = []
    for at, towards in enumerate(sorted(set(importances["class"]))):
        own = importances.filter((pl.col("class") == towards) & pl.col("column").is_in(shown))
        rows = own.with_columns(low=pl.col("low").fill_null(pl.col("importance")))
        rows = rows.with_columns(high=pl.col("high").fill_null(pl.col("importance")))
        above, below = (rows["high"] - rows["importance"]), (rows["importance"] - rows["low"])
        said = [f"<b>{plain(row['column'])}</b><br>{row['importance']:.2g}" for row in rows.iter_rows(named=True)]
        reach = {"type": "data", "symmetric": False, "array": above.to_list(), "arrayminus": below.to_list()}
        bars = {"type": "bar", "orientation": "h", "x": rows["importance"].to_list(), "y": rows["column"].to_list()}
        look = {"marker": {"color": curve_look(at).color}, "hoverinfo": "text", "hovertext": said}
        data.append(bars | look | {"name": cut(towards), "meta": towards, "error_x": reach})
    y = axis("", autorange="reversed", automargin=True, **named(shown))
    of_rows = model.explanation.of == "probability"
    what = "the mean predicted probability" if of_rows else "what it adds to the score"
    x = axis(f"standard deviation of {what}", rangemode="tozero")
    return {"data": data, "layout": layout(x, y, "", height=120 + 28 * len(shown), hovermode="closest")}


def effects_figure(model: Model, column: str | None = None) -> Figure:
    """Describe what each cell of a column adds to the scores, two standard deviations of its noise to either side.

    A curve with a band for a number, bars for categories.

    Parameters
    ----------
    model : Model
    column : str, optional
        The most important one if not given.

    Raises
    ------
    ParameterError
        If the model says nothing of such a column.
    """
    effects = model.explain()
    name = column if column is not None else next(iter(model.importances()["column"]), None)
    if name is None or name not in set(effects["column"]):
        raise ParameterError(f"Expected a column that the model reads, got column={name!r}. Name another.")
    # As the model lists them: in the order of the bins or categories.
    order = {label: at for at, label in enumerate(cells_in_order(model, name))}
    number = isinstance(model.schema.column(name), Numeric)
    data = []
    for at, towards in enumerate(sorted(set(effects["class"]))):
        own = effects.filter((pl.col("class") == towards) & (pl.col("column") == name))
        own = own.with_columns(at=pl.col("cell").replace_strict(order, return_dtype=pl.Int64)).sort("at")
        data += _curve(own, towards, at) if number else _bars(own, towards, at)
    x = axis(cut(name), automargin=True, **named(list(order)))
    of_rows = model.explanation.of == "probability"
    y = axis("mean probability less that of all rows" if of_rows else "added to the score", zeroline=True)
    return {"data": data, "layout": layout(x, y, "", hovermode="closest")}


def contributions_figure(model: Model, frame: Any) -> Figure:
    """Describe what each column adds to the scores of one row: bars, two standard deviations of the noise about them.

    Parameters
    ----------
    model : Model
    frame : data frame, array or Rows of one row

    Raises
    ------
    ParameterError
        If it has not one row.
    """
    added = model.explain(frame).filter(pl.col("column").is_not_null())
    if added["row"].n_unique() != 1:
        raise ParameterError(f"Expected one row to explain, got {added['row'].n_unique()}. Choose one.")
    weight = pl.col("contribution").abs().max()
    shown = added.group_by("column", maintain_order=True).agg(weight).sort("contribution", descending=True)["column"]
    names, data = shown.head(_MAX_BARS).to_list(), []
    for at, towards in enumerate(sorted(set(added["class"]))):
        own = added.filter((pl.col("class") == towards) & pl.col("column").is_in(names))
        two = {"type": "data", "array": (_DEVIATIONS * own["deviation"].fill_null(0.0)).to_list()}
        bars = {"type": "bar", "orientation": "h", "x": own["contribution"].to_list(), "y": own["column"].to_list()}
        look = {"marker": {"color": curve_look(at).color}, "name": cut(towards), "meta": towards, "error_x": two}
        data.append(bars | look)
    listed = named(names) | {"categoryorder": "array", "categoryarray": names}
    y = axis("", autorange="reversed", automargin=True, **listed)
    x = axis("added to the score of this row", zeroline=True)
    return {"data": data, "layout": layout(x, y, "", height=120 + 28 * len(names), hovermode="closest")}


def cells_in_order(model: Model, name: str) -> list[str]:
    """Return the labels of a column's cells as a model reads them."""
    found = model.explanation.columns
    return list(next(each.cells.labels for each in found if each.cells.column.name == name))


def _curve(own: pl.DataFrame, towards: str, at: int) -> list[Figure]:
    look, two = curve_look(at), _DEVIATIONS * own["deviation"].fill_null(0.0)
    cells, up, down = own["cell"].to_list(), (own["effect"] + two).to_list(), (own["effect"] - two).to_list()
    outline = {"x": [*cells, *reversed(cells)], "y": [*up, *reversed(down)], "type": "scatter", "mode": "lines"}
    filled = {"fill": "toself", "fillcolor": look.color, "opacity": _BAND, "line": {"width": 0}, "hoverinfo": "skip"}
    band = outline | filled | {"showlegend": False, "meta": towards, "name": cut(towards), "legendgroup": cut(towards)}
    line = {"type": "scatter", "mode": "lines+markers", "x": cells, "y": own["effect"].to_list()}
    drawn = {"line": {"color": look.color, "width": 2}, "hoverinfo": "text", "text": _said(own)}
    return [band, line | drawn | {"meta": towards, "name": cut(towards), "legendgroup": cut(towards)}]


def _bars(own: pl.DataFrame, towards: str, at: int) -> list[Figure]:
    two = (_DEVIATIONS * own["deviation"].fill_null(0.0)).to_list()
    bars = {"type": "bar", "x": own["cell"].to_list(), "y": own["effect"].to_list(), "hovertext": _said(own)}
    look = {"marker": {"color": curve_look(at).color}, "hoverinfo": "text"}
    return [bars | look | {"error_y": {"type": "data", "array": two}, "meta": towards, "name": cut(towards)}]


def _said(own: pl.DataFrame) -> list[str]:
    return [
        f"<b>{plain(row['cell'])}</b><br>{row['effect']:+.2f}<br>{plain(row['verdict'])}"
        for row in own.iter_rows(named=True)
    ]
