"""A model as one curve a column, described in plotly's terms like the pictures of a study."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.models import ReleasedModel
from tacit.models.cells import ColumnCells
from tacit.models.effects import DEVIATIONS, ColumnEffects
from tacit.report.layout import INK, Figure, Look, axis, curve_look, cut, layout, named, plain
from tacit.schema import Numeric

MAX_COLUMNS = 40
"""Curves that are drawn, those that move the score most: a page of twenty lines."""

_BESIDE = 2
_HEIGHT, _ABOVE, _BETWEEN = 190, 70, 110
"""Pixels of a curve, above the first line of them, and between two lines: room for ticks of long names, and a name."""

_MAX_NAMES = 12
"""Categories whose names have room; of more the pointer shows them."""

_MARGIN = 0.1
"""Beyond the first and last cut, as a share of what lies between them: bounds may be a million times as far apart."""

_OPACITY = 0.18
"""Of the band around a curve: the bands of three classes over each other stay distinguishable."""


def model_curves(model: ReleasedModel) -> Figure:
    """Describe the effects of each column's cells: steps over a number's cut points, a point for each category.

    A band, or a bar for a category, is two standard deviations of the noise to either side, as ``Model.explain`` has
    them: without that of the calibration's slope, which is common to all columns.

    Parameters
    ----------
    model : Model
        Of any learner whose effects ``Model.explain`` lists.

    Raises
    ------
    ParameterError
        If no column moves the score, or a public classifier in the model is not written down.

    Notes
    -----
    Privacy: computed from the released model alone.

    Examples
    --------
    >>> from tacit import BoostedTreesClassifier, Label, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90, cuts=[30, 60])], label=Label("ill", ["no", "yes"]))
    >>> ages = np.random.default_rng(0).uniform(0, 90, (2000, 1))
    >>> labels = np.where(ages[:, 0] > 60, "yes", "no")
    >>> model = BoostedTreesClassifier(schema, epsilon=1.0, structure="additive").fit(ages, labels)
    >>> model_curves(model.model_)["data"][-1]["x"]
    [27.0, 30.0, 30.0, 60.0, 60.0, 63.0]
    """
    shown = _by_column(model)
    if not shown:
        raise ParameterError("Expected a column that moves the score, got none. The model is the class balance.")
    lines = ceil(len(shown) / _BESIDE)
    height = _ABOVE + lines * (_HEIGHT + _BETWEEN)
    axes, names, traces = Figure(), list[Figure](), list[Figure]()
    for at, (name, columns) in enumerate(shown.items()):
        number = "" if at == 0 else str(at + 1)
        own_axes = _axes(at, columns[0].cells, 1.0 / lines, _HEIGHT / (_HEIGHT + _BETWEEN))
        axes |= own_axes
        names.append(_name_above(name, own_axes))
        own = [trace for place, each in enumerate(columns) for trace in _traces(each, curve_look(place))]
        placed = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        traces += [trace | placed | {"showlegend": at == 0 and "text" in trace} for trace in own]
    figure = layout({}, {}, _caption(model), height=height, hovermode="closest", margin=_margins())
    figure |= axes | {"annotations": names}
    figure |= {"showlegend": model.schema.n_scores > 1, "legend": {"orientation": "h", "y": -_BETWEEN / height}}
    return {"data": traces, "layout": figure}


def _by_column(model: ReleasedModel) -> dict[str, list[ColumnEffects]]:
    """Return the effects of the columns that move the score of any class, the most important first."""
    found: dict[str, list[ColumnEffects]] = {}
    for name in model.importances()["column"].unique(maintain_order=True):
        own = [each for each in model.explanation.columns if each.cells.column.name == name]
        if any(np.any(each.effects != 0.0) for each in own):
            found[name] = own
    return dict(list(found.items())[:MAX_COLUMNS])


def _caption(model: ReleasedModel) -> str:
    if model.explanation.of == "probability":
        said = "mean predicted probability less that of all rows"
    elif model.schema.target:
        said = f"added to the predicted {model.schema.target.name}"
    elif model.schema.n_scores == 1:
        said = f"added to the score of {model.schema.score_names[0]}"
    else:
        said = "added to the scores of the classes, less their mean"
    return f"{said}, by column"


def _axes(at: int, cells: ColumnCells, line: float, share: float) -> Figure:
    number, (row, column) = "" if at == 0 else str(at + 1), divmod(at, _BESIDE)
    left, top = column / _BESIDE, 1.0 - row * line
    across = [left + 0.06 * column, left + 0.44 + 0.06 * column]
    few = cells.n_cells <= _MAX_NAMES
    names = {} if isinstance(cells.column, Numeric) else named(list(cells.labels)) | {"showticklabels": few}
    said = f"{cells.n_cells} categories" if names and not few else ""
    x = axis(said, anchor=f"y{number}", domain=across, **names)
    y = axis("", anchor=f"x{number}", domain=[max(top - share * line, 0.0), top], zeroline=True, zerolinecolor=INK)
    return {f"xaxis{number}": x, f"yaxis{number}": y}


def _name_above(name: str, axes: Figure) -> Figure:
    """Describe a column's name above its curve: below, the names of categories are in its way."""
    (x, y), paper = (each["domain"] for each in axes.values()), {"xref": "paper", "yref": "paper"}
    place = {"x": x[0], "xanchor": "left", "y": y[1], "yanchor": "bottom"}
    return paper | place | {"text": f"<b>{cut(name)}</b>", "showarrow": False, "font": {"size": 14, "color": INK}}


def _traces(own: ColumnEffects, look: Look) -> Iterator[Figure]:
    """Yield the curve of one class, or its points, and what the noise may have added."""
    column, towards = own.cells.column, str(own.towards)
    said = [f"{plain(word)}: {effect:+.2f}" for word, effect in zip(own.cells.labels, own.effects, strict=True)]
    off = None if own.deviations is None else DEVIATIONS * own.deviations
    named = {"name": cut(towards), "meta": towards, "legendgroup": cut(towards)}
    if not isinstance(column, Numeric):
        points = {"mode": "markers", "x": list(own.cells.labels), "y": own.effects.tolist()}
        bars = {} if off is None else {"error_y": {"type": "data", "array": off.tolist(), "color": look.color}}
        yield _drawn(look) | points | bars | named | {"text": said}
        return
    ends = np.repeat(_ends(column, own.cells.cuts), 2)[1:-1]
    x, y = _written(column, ends), np.repeat(own.effects, 2)
    if off is not None:
        up, down = y + np.repeat(off, 2), y - np.repeat(off, 2)
        around = {"x": [*x, *reversed(x)], "y": [*up.tolist(), *reversed(down.tolist())], "hoverinfo": "skip"}
        area = {"fill": "toself", "fillcolor": look.color, "opacity": _OPACITY, "line": {"width": 0}}
        yield {"type": "scatter", "mode": "lines"} | around | area | named
    yield _drawn(look) | {"x": x, "y": y.tolist()} | named | {"text": [each for each in said for _ in range(2)]}


def _ends(column: Numeric, cuts: tuple[float, ...]) -> NDArray[np.float64]:
    """Return where the bins of a number begin and end, (n_bins + 1,)."""
    if not cuts:
        return np.asarray([column.lower, column.upper])
    beyond = _MARGIN * (cuts[-1] - cuts[0]) or _MARGIN * (column.upper - column.lower)
    return np.asarray([max(cuts[0] - beyond, column.lower), *cuts, min(cuts[-1] + beyond, column.upper)])


def _written(column: Numeric, places: NDArray[np.float64]) -> list[float] | list[str]:
    """Return places on the axis: dates as plotly reads them."""
    if not column.is_date:
        return [float(each) for each in places]
    return np.datetime_as_string(np.asarray(np.rint(places), dtype="datetime64[D]")).tolist()


def _drawn(look: Look) -> Figure:
    line = {"color": look.color, "width": 2, "dash": look.stroke}
    marker = {"color": look.color, "size": 9, "symbol": look.symbol}
    return {"type": "scatter", "mode": "lines", "line": line, "marker": marker, "hoverinfo": "text"}


def _margins() -> Figure:
    return {"l": 50, "r": 14, "t": _ABOVE, "b": _BETWEEN}
