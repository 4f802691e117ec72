"""Whether anything like a setting was tried."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.study.advice.likeness import TRAITS, squared_distances, traits
from tacit.study.advice.past_studies import PastStudies

FARTHEST = 2.5
"""In units of likeness: a past setting that far away counts as one of 23 at hand."""

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Outside:
    """A quantity beyond what was tried.

    Attributes
    ----------
    quantity : str
    value, low, high : float
        What is asked for, and the least and the most that was tried.
    """

    quantity: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        side, end = ("above", self.high) if self.value > self.high else ("below", self.low)
        return f"{self.quantity} = {_written(self.value)} is {side} {_written(end)}"


_QUANTITIES = {
    "rows": pl.col("rows"),
    "epsilon": pl.col("epsilon"),
    "rows x epsilon": pl.col("rows") * pl.col("epsilon"),
    "protected columns": pl.col("charged_columns"),
    "one-hot width": pl.col("width"),
    "literals": pl.col("literals"),
    "classes": pl.col("classes"),
}


def outside(past: PastStudies, asked: pl.DataFrame) -> tuple[Outside, ...]:
    """Return the quantities of one setting that lie beyond all past ones; a delta, beyond those with a delta.

    Where nothing was tried with such a budget, with a delta or without, none is named: ``lonely`` says so.

    Parameters
    ----------
    past : PastStudies
    asked : polars.DataFrame of one row
    """
    kind = _of_this_kind(past, asked)
    if kind.is_empty():
        return ()
    tried = dict(_QUANTITIES) | ({"delta": pl.col("delta")} if asked["delta"][0] > 0 else {})
    found = []
    for quantity, expression in tried.items():
        value = float(asked.select(expression.cast(pl.Float64)).item())
        own = kind.select(expression.cast(pl.Float64)).to_series()
        low, high = float(own.min()), float(own.max())  # type: ignore[arg-type]
        if not low * (1 - _TOLERANCE) <= value <= high * (1 + _TOLERANCE):
            found.append(Outside(quantity, value, low, high))
    return tuple(found)


def lonely(past: PastStudies, asked: pl.DataFrame) -> str | None:
    """Return in which trait the most like past setting differs most, if even that is unlike; else None."""
    if _of_this_kind(past, asked).is_empty():
        return "kind of budget (with a delta, or without)"
    distances = squared_distances(asked, past.frame)[0]
    nearest = int(distances.argmin())
    if distances[nearest] <= FARTHEST**2:
        return None
    gaps = np.abs(traits(asked)[0] - traits(past.frame[nearest])[0])
    return TRAITS[int(gaps.argmax())].words


def _of_this_kind(past: PastStudies, asked: pl.DataFrame) -> pl.DataFrame:
    """Return the past settings with a delta if one is asked for, else those without."""
    return past.frame.filter((pl.col("delta") > 0) == (asked["delta"][0] > 0))


def _written(value: float) -> str:
    return f"{round(value):,}" if value >= 1000 else f"{value:.4g}"
