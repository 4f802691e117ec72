"""What a study's page shows, as plain values: every number was computed here, none in the browser."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from tacit.report.displays.privacy_cost import references
from tacit.report.displays.run_time import run_times
from tacit.report.page.learners import Learner
from tacit.report.rows import METRICS, Metric, cases, measured
from tacit.study.summary import accuracies, comparisons, ratios

_POINT = {
    "epsilon": "epsilon",
    "delta": "delta",
    "mean": "mean",
    "deviation": "deviation",
    "least": "least",
    "most": "most",
    "runs": "runs",
    "failed": "failed",
    "seconds": "fit_seconds",
}


def study_contents(rows: pl.DataFrame, learners: list[Learner]) -> dict[str, Any]:
    """Return what the page's script reads.

    Parameters
    ----------
    rows : polars.DataFrame
        As `tacit.report.rows.study_rows` returns them.
    learners : list of Learner
        All of the study; the contents know each by its place in this list.
    """
    places = {learner.name: place for place, learner in enumerate(learners)}
    return {
        "learners": [learner.described() for learner in learners],
        "measures": METRICS,
        "cases": [_case(_only(rows, data=data, privacy=privacy), places) for data, privacy in cases(rows)],
    }


def _case(rows: pl.DataFrame, places: Mapping[str, int]) -> dict[str, Any]:
    deltas = rows["delta"].drop_nulls()
    return {
        "data": rows["data"][0],
        "privacy": rows["privacy"][0],
        "epsilons": rows["epsilon"].drop_nulls().unique().sort().to_list(),
        "delta": max(deltas, default=0.0),
        "measures": {name: _measure(measured(rows, name), places) for name in _measures(rows)},
        "times": [
            {"learner": places[row.pop("name")], **row} for row in run_times(rows).drop("level").iter_rows(named=True)
        ],
        "failures": _failures(rows, places),
    }


def _measures(rows: pl.DataFrame) -> list[Metric]:
    """Return accuracy, and the other metric where it is there."""
    return ["accuracy", "auc"] if rows["auc"].is_not_null().any() else ["accuracy"]


def _measure(rows: pl.DataFrame, places: Mapping[str, int]) -> dict[str, Any]:
    points = [
        {"learner": places[row["name"]], **{ours: _number(row[theirs]) for ours, theirs in _POINT.items()}}
        for row in accuracies(rows).sort("epsilon", "delta", maintain_order=True).iter_rows(named=True)
    ]
    points.sort(key=lambda point: point["learner"])
    return {
        "points": points,
        "costs": {places[name]: _costs(rows, name, places) for name in references(rows)},
        "comparisons": [_comparison(rows, epsilon, places) for epsilon in _epsilons(rows)],
    }


def _costs(rows: pl.DataFrame, reference: str, places: Mapping[str, int]) -> list[dict[str, Any]]:
    found = ratios(rows, reference).filter(pl.col("ratio").is_not_null())
    wanted = ("epsilon", "ratio", "deviation", "pairs")
    return [
        {"learner": places[row["name"]], **{name: _number(row[name]) for name in wanted}}
        for row in found.iter_rows(named=True)
    ]


def _comparison(rows: pl.DataFrame, epsilon: float, places: Mapping[str, int]) -> dict[str, Any]:
    found = comparisons(_only(rows, epsilon=epsilon)).filter(pl.col("p").is_not_null())
    pairs = [
        [places[row["first"]], places[row["second"]], row["p"], row["difference"], row["pairs"]]
        for row in found.iter_rows(named=True)
    ]
    return {"epsilon": epsilon, "pairs": pairs}


def _failures(rows: pl.DataFrame, places: Mapping[str, int]) -> list[dict[str, Any]]:
    failed = rows.filter(pl.col("status") == "failed")
    alike = ("name", "epsilon", "delta", "error", "message")
    counted = failed.group_by(alike, maintain_order=True).agg(fits=pl.len())
    return [{"learner": places[row.pop("name")], **row} for row in counted.iter_rows(named=True)]


def _epsilons(rows: pl.DataFrame) -> list[float]:
    return rows["epsilon"].drop_nulls().unique().sort().to_list()


def _only(rows: pl.DataFrame, **wanted: Any) -> pl.DataFrame:
    return rows.filter(pl.all_horizontal(pl.col(column) == value for column, value in wanted.items()))


def _number(value: Any) -> Any:
    """Return null for what JSON has no number for."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
