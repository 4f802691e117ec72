"""What `tacit compare` says of a number to predict: errors in its unit."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, log10
from typing import Any

import polars as pl
from rich.table import Table as Grid

_TITLE = "Other measures, means: MAE in the target's unit; R2, 0 for the mean and 1 for no error"
_DIGITS = 4


def error_cell(setting: dict[str, Any]) -> str:
    """Return the mean of an error with its deviation, rounded alike."""
    if setting["mean"] is None:
        return "failed"
    places = _places(setting["mean"])
    spread = "" if setting["deviation"] is None else f" ± {setting['deviation']:,.{places}f}"
    return f"{setting['mean']:,.{places}f}{spread}" + ("*" if setting["failed"] else "")


def other_errors(settings: pl.DataFrame) -> Iterator[Grid]:
    """Return a line for each setting with its other measures, means over splits; those without privacy last."""
    known = settings.filter(pl.col("mae").is_not_null()).sort(pl.col("epsilon").is_null(), maintain_order=True)
    if known.is_empty():
        return
    grid = Grid(title=_TITLE, title_justify="left", title_style="", box=None, padding=(0, 2, 0, 0))
    for heading in ("", "epsilon", "MAE", "R2"):
        grid.add_column(heading, justify="right" if heading else "left")
    for row in known.iter_rows(named=True):
        paid = row["epsilon"] is not None
        values = f"{row['mae']:,.{_places(row['mae'])}f}", "" if row["r2"] is None else f"{row['r2']:.3f}"
        grid.add_row(row["name"], f"{row['epsilon']:g}" if paid else "none", *values, style=None if paid else "dim")
    yield grid


def _places(value: float) -> int:
    """Return how many decimals show so many digits of a number; large ones have none.

    Examples
    --------
    >>> _places(1585.09), _places(27.28), _places(0.0123)
    (0, 2, 5)
    """
    return max(0, _DIGITS - 1 - floor(log10(abs(value)))) if value else 0
