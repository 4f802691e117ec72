"""From the store's rows to a comparison: rows that carry the same place in a figure are averaged."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean, stdev
from typing import Any

import polars as pl

from reproductions.framework.artefact import compared

Place = tuple[str, str, Any]
"""Panel, series and x, as tasks carry them in their labels; x may be None: a line across, or a single value."""

VALUE = "value"
"""The label that names the measured value to show, where a task measures several."""


def averaged(
    rows: pl.DataFrame,
    value: str = "accuracy",
    *,
    published: Mapping[Place, float] | None = None,
    notes: Mapping[Place, str] | None = None,
) -> pl.DataFrame:
    """Return mean and deviation of each place, in the order of the rows, then what is published but was not run.

    Parameters
    ----------
    rows : polars.DataFrame
        With ``status`` and the labels ``panel``, ``series`` and ``x``; a label ``value`` overrules ``value``.
    value : str
        The column of measured values.
    published : mapping, optional
        Numbers that the paper prints, by place.
    notes : mapping, optional
        Remarks, by place.

    Examples
    --------
    >>> rows = pl.DataFrame({"series": ["brc"] * 2, "x": [0.1] * 2, "accuracy": [0.5, 1.0], "status": ["done"] * 2})
    >>> averaged(rows, published={("", "brc", 0.1): 0.73}).row(0)[2:7]
    (0.1, 0.75, 0.3535533905932738, 2, 0.73)
    """
    published, notes = published or {}, notes or {}
    found = by_place(rows)
    for place in (*published, *notes):
        found.setdefault(place, [])
    return compared(_summary(place, found[place], value, published.get(place), notes.get(place, "")) for place in found)


def single(rows: pl.DataFrame, value: str = "accuracy") -> pl.DataFrame:
    """Return one line for each row, none averaged: for boxes and histograms."""
    places = by_place(rows)
    return compared(_summary(place, [row], value, None, "") for place, kept in places.items() for row in kept)


def by_place(rows: pl.DataFrame) -> dict[Place, list[dict[str, Any]]]:
    """Return the rows of each place, in order."""
    found: dict[Place, list[dict[str, Any]]] = defaultdict(list)
    for row in rows.iter_rows(named=True):
        found[row.get("panel") or "", row.get("series") or "", row.get("x")].append(row)
    return dict(found)


def values_of(rows: Iterable[Mapping[str, Any]], value: str) -> list[float]:
    """Return the measured values of the rows that have one; a failed row has none."""
    found = [row.get(row.get(VALUE) or value) for row in rows]
    return [float(each) for each in found if each is not None]


def lists_of(row: Mapping[str, Any], value: str) -> list[float]:
    """Return a list that a measure returned; the store's rows hold it as JSON."""
    return [float(each) for each in json.loads(row.get(value) or "[]")]


def _summary(
    place: Place, rows: list[dict[str, Any]], value: str, published: float | None, note: str
) -> dict[str, Any]:
    panel, series, x = place
    values = values_of(rows, value)
    return {
        "panel": panel,
        "series": series,
        "x": x,
        "ours": fmean(values) if values else None,
        "deviation": stdev(values) if len(values) > 1 else None,
        "runs": len(values),
        "published": published,
        "note": "; ".join(filter(None, [note, _absence(rows, len(values))])),
    }


def _absence(rows: list[dict[str, Any]], found: int) -> str:
    """Say what is missing of the rows, and why."""
    if found == len(rows):
        return ""
    failed = [row.get("message") or row.get("error") or "failed" for row in rows if row.get("status") == "failed"]
    why = failed[0] if failed else next((row["reason"] for row in rows if row.get("reason")), "not run")
    return why if not found else f"{len(rows) - found} of {len(rows)} are missing: {why}"
