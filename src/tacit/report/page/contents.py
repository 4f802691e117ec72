"""What a study's page shows, as plain values: numbers, and its pictures as `tacit.report.figures` describes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

import polars as pl

from tacit.report import figures
from tacit.report.layout import INK, ON_DARK, Look
from tacit.report.page.switches import Learner
from tacit.report.rows import LOSSES, METRICS, SHARED, Metric, baselines, cases, measured, run_times
from tacit.study.summary import accuracies, calibrations, comparisons, leading_measure, ratios, shares_learned
from tacit.study.summary.leading import leading_reason

_POINT = ("epsilon", "delta", "mean", "deviation", "least", "most", "runs", "failed")
_BESIDE = ("auc", "balanced_accuracy", "log_loss", "brier", "rmse", "mae", "r2", "no_better")


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
    drawn = {learner.name: learner.look for learner in learners}
    return {
        "learners": [{"name": learner.name} for learner in learners],
        "measures": METRICS,
        "losses": LOSSES,
        "shared": SHARED,
        "ink": INK,
        "dark": ON_DARK,
        "cases": [_case(_only(rows, data=data, privacy=privacy), places, drawn) for data, privacy in cases(rows)],
    }


def _case(rows: pl.DataFrame, places: Mapping[str, int], drawn: Mapping[str, Look]) -> dict[str, Any]:
    deltas = rows["delta"].drop_nulls()
    seconds = run_times(rows)
    return {
        "data": rows["data"][0],
        "privacy": rows["privacy"][0],
        "epsilons": _epsilons(rows),
        "delta": max(deltas, default=0.0),
        "leading": leading_measure(rows),
        "why": leading_reason(rows),
        "measures": {name: _measure(measured(rows, name), name, places, drawn) for name in _measures(rows)},
        "seconds": {places[name]: median for name, median in seconds.select("name", "median").iter_rows()},
        "figure": figures.run_time(seconds, drawn=drawn),
        "failures": _failures(rows, places),
        "calibration": _calibration(rows, drawn),
    }


def _calibration(rows: pl.DataFrame, drawn: Mapping[str, Look]) -> list[dict[str, Any]]:
    """Return a picture for each epsilon of the study, and one without an epsilon where it has none."""
    points = calibrations(rows)
    if not len(points):
        return []
    tried = points["epsilon"].drop_nulls().unique().sort().to_list() or [None]
    at = ((epsilon, figures.at_epsilon(points, epsilon)) for epsilon in tried)
    return [
        {
            "epsilon": epsilon,
            "without": bool(own["epsilon"].is_null().any()),
            "figure": figures.calibration(own, drawn=drawn),
        }
        for epsilon, own in at
    ]


def _measures(rows: pl.DataFrame) -> list[Metric]:
    """Return the metrics that are there, and accuracy where none is."""
    there = (name for name in get_args(Metric) if name in rows.columns)
    return [name for name in there if rows[name].is_not_null().any()] or ["accuracy"]


def _measure(
    rows: pl.DataFrame, metric: Metric, places: Mapping[str, int], drawn: Mapping[str, Look]
) -> dict[str, Any]:
    means = accuracies(rows)
    points = [
        {
            "learner": places[row["name"]],
            "seconds": _number(row["fit_seconds"]),
            **{name: _number(row[name]) for name in (*_POINT, *_BESIDE)},
        }
        for row in means.sort("epsilon", "delta", maintain_order=True).iter_rows(named=True)
    ]
    points.sort(key=lambda point: point["learner"])
    learned = "majority" in rows.columns and rows["majority"].is_not_null().any()
    shared = shares_learned if learned else ratios
    shares = {
        name: shared(rows, name).filter(pl.col("ratio").is_not_null())
        for name in (baselines(rows) if metric in SHARED else ())
    }
    shares = {name: share for name, share in shares.items() if len(share) or not learned}
    tried = {epsilon: comparisons(_only(rows, epsilon=epsilon)) for epsilon in _epsilons(rows)}
    costs = {
        places[name]: figures.privacy_cost(share, baseline=name, metric=metric, drawn=drawn, learned=learned)
        for name, share in shares.items()
    }
    return {
        "points": points,
        "learned": learned,
        "costs": {places[name]: _costs(share, places) for name, share in shares.items()},
        "comparisons": [{"epsilon": epsilon, **_compared(found, places)} for epsilon, found in tried.items()],
        "figures": {
            "accuracy": figures.privacy_curve(means, metric=metric, drawn=drawn),
            "costs": costs,
        },
    }


def _costs(share: pl.DataFrame, places: Mapping[str, int]) -> list[dict[str, Any]]:
    return [
        {"learner": places[row["name"]], **{each: _number(row[each]) for each in ("epsilon", "ratio")}}
        for row in share.iter_rows(named=True)
    ]


def _compared(found: pl.DataFrame, places: Mapping[str, int]) -> dict[str, Any]:
    found = found.filter(pl.col("p").is_not_null())
    listed = found.select("first", "second", "p", "pairs").iter_rows()
    return {
        "pairs": [[places[first], places[second], p, pairs] for first, second, p, pairs in listed],
        "figure": figures.p_value_heat_map(found) if len(found) else None,
    }


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
