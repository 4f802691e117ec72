"""Tables whose lines have a bar with its interval: a picture that is read aloud, printed and dark as the table is."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tacit.measures.intervals import CalibrationPoint
from tacit.models.cells import signed, size
from tacit.report.page.document import escaped

MAX_LINES = 20
"""Of a table: more would say less."""

_DEVIATIONS = 2.0

_WIDEST = 0.5
"""Interval of a share that still says something."""


def importance_table(importances: pl.DataFrame, *, moves: str = "the score", over: str = "the rows") -> str:
    """Return the columns with findings as bars from zero, with intervals of 95 %, and how many there are besides.

    Parameters
    ----------
    importances : polars.DataFrame
        As ``Model.importances`` returns it, of one class.
    moves : str
        What columns move: the score, mean probabilities, or a predicted number.
    over : str
        What the standard deviations are over, as ``Explanation.averaged_over`` says it.
    """
    found = importances.filter("has_findings").head(MAX_LINES)
    reach = max([*found["high"].to_list(), 1e-300])
    lines = [
        _line(
            row["column"],
            _bar(0.0, row["importance"], row["low"], row["high"], 0.0, reach),
            f"{size(row['importance'])} ({size(row['low'])} to {size(row['high'])})",
        )
        for row in found.iter_rows(named=True)
    ]
    rest = len(importances) - int(importances["has_findings"].sum())
    caption = f"How far columns move {moves}: standard deviation over {over}, 95 % for its noise."
    if not lines:
        return f"<p>No column is beyond the noise: {rest} are indistinguishable from it.</p>"
    caption += f" Other columns, indistinguishable from noise: {rest}."
    return _table(caption, ("column", "", f"moves {moves} by"), lines)


def effect_table(effects: pl.DataFrame, left: int) -> str:
    """Return effects as bars from a common zero, with two standard deviations of their noise to either side.

    Parameters
    ----------
    effects : polars.DataFrame
        Findings, as ``Explanation.listed`` returns them, of one class.
    left : int
        How many effects of the class are no findings.
    """
    shown = effects.head(MAX_LINES).with_columns(pl.col("deviation").fill_null(0.0))
    off = _DEVIATIONS * shown["deviation"]
    high, low = max([*(shown["effect"] + off).to_list(), 0.0]), min([*(shown["effect"] - off).to_list(), 0.0])
    # A column that says the same in every line is a sentence.
    any_share, lines = bool(shown["share_released"].any()), []
    for row in shown.iter_rows(named=True):
        effect, two = row["effect"], _DEVIATIONS * row["deviation"]
        share = [f"{row['share']:.1%}" if row["share_released"] else "not released"] if any_share else []
        bar = _bar(0.0, effect, effect - two, effect + two, low, high)
        lines.append(
            _line(f"{row['column']}: {row['cell']}", bar, f"{signed(effect)} ± {size(row['deviation'])}", *share)
        )
    more = f" {len(effects) - len(shown)} more are not shown." if len(effects) > len(shown) else ""
    caption = (
        f"Effects distinguishable from the noise, by size beyond it and by rows.{more} {left} others are "
        "indistinguishable from noise."
    )
    caption += "" if any_share else " How many rows are in a cell was not released."
    headings = ("cell", "", "effect ± deviation of the noise", *(["share of rows"] * any_share))
    return _table(caption, headings, lines)


def calibration_table(points: Sequence[CalibrationPoint], said: str) -> str:
    """Return bars from the middle of predicted probabilities to the share of rows that were so, with intervals of 95 %.

    Parameters
    ----------
    points : sequence of CalibrationPoint
        Those whose interval says next to nothing are counted alone.
    said : str
        Of which rows the share is.
    """
    told = [point for point in points if point.share.high - point.share.low < _WIDEST]
    lines = []
    for point in told:
        middle, share = (point.above + point.up_to) / 2, point.share
        bar = _bar(middle, share.value, share.low, share.high, 0.0, 1.0)
        lines.append(_line(f"{point.above:.2f} to {point.up_to:.2f}", bar, str(share)))
    caption = f"Probabilities, and the share of rows that {said}: a bar leads from one to the other."
    left = len(points) - len(told)
    caption += f" Too few rows to say: {left} of {len(points)} ranges." if left else ""
    return _table(caption, ("predicted", "", "share, with 95 %"), lines)


def _bar(start: float, end: float, low: float, high: float, left: float, right: float) -> str:
    """Return a bar from start to end and a line from low to high, on an axis from left to right; not read aloud."""
    span = max(right - left, 1e-300)
    at = [100 * (value - left) / span for value in (min(start, end), max(start, end), low, high, start)]
    first, last, least, most, zero = (f"{min(max(value, 0.0), 100.0):.2f}" for value in at)
    width = f"{max(float(last) - float(first), 0.5):.2f}"
    return (
        '<svg class="meter" aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">'
        f'<rect x="{first}" y="1.5" width="{width}" height="7"/>'
        f'<path class="reach" d="M{least} 5H{most}"/><path class="zero" d="M{zero} 0V10"/></svg>'
    )


def _line(name: str, bar: str, *values: str) -> str:
    cells = "".join(f"<td>{escaped(value)}</td>" for value in values)
    return f'<tr><th scope="row" class="wrap"><bdi>{escaped(name)}</bdi></th><td>{bar}</td>{cells}</tr>'


def _table(caption: str, headings: tuple[str, ...], lines: list[str]) -> str:
    head = "".join(f'<th scope="col">{escaped(each)}</th>' if each else "<td></td>" for each in headings)
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f"<table><caption>{escaped(caption)}</caption>{body}</table>"
