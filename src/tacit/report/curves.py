"""An additive model as one curve a column, described in plotly's terms like the pictures of a study."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features.literals import Literal
from tacit.models import BoostedTreesModel, Model
from tacit.report.layout import INK, Figure, Look, axis, curve_look, cut, layout, plain
from tacit.schema import Categorical, Numeric

MAX_COLUMNS = 40
"""Curves that are drawn, those that move the score most: a page of twenty lines."""

_BESIDE = 2
_HEIGHT, _ABOVE, _BETWEEN = 190, 50, 60
"""Pixels of a curve, above the first line of them, and between two lines: room for a name and the ticks."""

_MARGIN = 0.1
"""Beyond the first and last cut, as a share of what lies between them: bounds may be a million times as far apart."""


def model_curves(model: Model) -> Figure:
    """Describe what each column adds to the score: steps over a number's cut points, a point for each category.

    Parameters
    ----------
    model : Model
        Of boosted trees that test one column each.

    Raises
    ------
    ParameterError
        If the model is not a sum of curves, or no column moves the score.

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
    >>> model_curves(model.model_)["data"][0]["x"]
    [27.0, 30.0, 60.0, 63.0]
    """
    scorer = model.scorers[0]
    if not (isinstance(scorer, BoostedTreesModel) and scorer.is_additive):
        raise ParameterError(
            f"Expected boosted trees of one column each, got learner={model.learner!r}. "
            "Fit with learner='boosted-trees' and structure='additive'."
        )
    shown = [name for name, size in scorer.importances(model.schema).items() if size > 0][:MAX_COLUMNS]
    if not shown:
        raise ParameterError("Expected a column that moves the score, got none. The model is the class balance.")
    curves, classes = scorer.curves(model.schema), model.classes.tolist()
    lines = ceil(len(shown) / _BESIDE)
    height = _ABOVE + lines * (_HEIGHT + _BETWEEN)
    axes, traces = Figure(), list[Figure]()
    for at, name in enumerate(shown):
        number = "" if at == 0 else str(at + 1)
        values = curves[name] if len(classes) == 2 else curves[name] - curves[name].mean(axis=0)
        axes |= _axes(at, number, name, 1.0 / lines, _HEIGHT / (_HEIGHT + _BETWEEN))
        own = _traces(model, scorer, name, values)
        traces += [trace | {"xaxis": f"x{number}", "yaxis": f"y{number}", "showlegend": at == 0} for trace in own]
    said = f"score of {classes[1]}" if len(classes) == 2 else "scores of the classes, less their mean"
    figure = layout({}, {}, f"{said}, by column", height=height, hovermode="closest", margin=_margins())
    figure |= axes | {"showlegend": len(classes) > 2, "legend": {"orientation": "h", "y": -_BETWEEN / height}}
    return {"data": traces, "layout": figure}


def _axes(at: int, number: str, name: str, line: float, share: float) -> Figure:
    row, column = divmod(at, _BESIDE)
    left, top = column / _BESIDE, 1.0 - row * line
    across = [left + 0.06 * column, left + 0.44 + 0.06 * column]
    x = axis(cut(name), anchor=f"y{number}", domain=across)
    y = axis("", anchor=f"x{number}", domain=[max(top - share * line, 0.0), top], zeroline=True, zerolinecolor=INK)
    return {f"xaxis{number}": x, f"yaxis{number}": y}


def _traces(model: Model, scorer: BoostedTreesModel, name: str, values: NDArray[np.float64]) -> Iterator[Figure]:
    """Yield one trace, or one for each of more than two classes."""
    encoding, column = scorer.encoding(model.schema), model.schema.column(name)
    classes = model.classes.tolist()
    for at, own in enumerate(values):
        look, of = curve_look(at), classes[1] if len(values) == 1 else classes[at]
        if isinstance(column, Categorical):
            known = own[: column.n_codes]
            words = column.words
            found = _steps(look) | {"mode": "markers", "x": [cut(each) for each in words], "y": known.tolist()}
            said = [f"{plain(word)}: {value:+.2f}" for word, value in zip(words, known, strict=True)]
        else:
            cuts = encoding.cuts[encoding.positions[name]]
            beyond = _MARGIN * (cuts[-1] - cuts[0]) or _MARGIN * (column.upper - column.lower)
            ends = [max(cuts[0] - beyond, column.lower), *cuts, min(cuts[-1] + beyond, column.upper)]
            # A step begins at its lower end; the last end repeats the last value.
            found = _steps(look) | {"x": _written(column, ends), "y": [*own.tolist(), float(own[-1])]}
            bins = [Literal(name, code, code).words(encoding) for code in range(len(own))]
            said = [f"{plain(each)}: {value:+.2f}" for each, value in zip([*bins, bins[-1]], found["y"], strict=True)]
        yield found | {"name": cut(str(of)), "meta": str(of), "legendgroup": cut(str(of)), "text": said}


def _written(column: Numeric, ends: list[float]) -> list[float] | list[str]:
    """Return places on the axis: dates as plotly reads them."""
    if not column.is_date:
        return [float(each) for each in ends]
    return np.datetime_as_string(np.asarray(np.rint(ends), dtype="datetime64[D]")).tolist()


def _steps(look: Look) -> Figure:
    line = {"color": look.color, "width": 2, "shape": "hv", "dash": look.stroke}
    marker = {"color": look.color, "size": 9, "symbol": look.symbol}
    return {"type": "scatter", "mode": "lines", "line": line, "marker": marker, "hoverinfo": "text"}


def _margins() -> Figure:
    return {"l": 50, "r": 14, "t": _ABOVE, "b": _BETWEEN}
