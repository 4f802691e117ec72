"""The rows of a study, as pictures and pages take them: one data set at a time, one name for each curve."""

from __future__ import annotations

import re
from typing import Literal, get_args

import polars as pl

from tacit.errors import ParameterError
from tacit.study.summary import accuracies
from tacit.study.summary.accuracies import COLUMNS
from tacit.study.summary.leading import predicts_number

Metric = Literal["accuracy", "auc", "balanced_accuracy", "log_loss", "brier", "rmse", "mae", "r2"]

METRICS: dict[str, str] = {
    "accuracy": "accuracy",
    "auc": "area under the ROC curve",
    "balanced_accuracy": "balanced accuracy",
    "log_loss": "log-loss",
    "brier": "Brier score",
    "rmse": "root mean square error",
    "mae": "mean absolute error",
    "r2": "R2",
}
"""What is measured on the test rows, in words."""

LOSSES = ("log_loss", "brier", "rmse", "mae")
"""Of which less is better."""

SHARED = ("accuracy", "auc", "r2")
"""Of which rows of a study say what a constant has, so that there is a share of the way from there."""


# Control (but tabs and ends of lines), direction and surrogate characters, and breaks of lines and paragraphs.
_UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def study_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows in their types, each learner under a name that no other has.

    What was run at several values of delta, or with several sets of parameters, under one name gets these in its name.
    """
    if not len(frame):
        raise ParameterError("Expected a study with rows, got none. Run it first.")
    if missing := [name for name in COLUMNS if name not in frame.columns]:
        raise ParameterError(f"Expected rows of a study, got none with {missing[0]!r}. Pass what Study.run returned.")
    typed = frame.with_columns(pl.col(name).cast(type_) for name, type_ in COLUMNS.items())
    one_name = ("data", "privacy", "name")
    several_deltas = (pl.col("delta").filter(pl.col("epsilon").is_not_null()).n_unique() > 1).over(one_name)
    several_settings = (pl.col("parameters").n_unique() > 1).over(one_name)
    delta = pl.when(several_deltas & pl.col("delta").is_not_null()).then(pl.format(", delta {}", "delta"))
    settings = pl.when(several_settings).then(pl.format(", {}", "parameters"))
    return typed.with_columns(name=pl.concat_str("name", settings, delta, ignore_nulls=True))


def shown(text: str) -> str:
    """Return a text whose control and direction characters are replaced, as they could make it read as another.

    Examples
    --------
    >>> shown("caf\u00e9 \u202eevil")
    'café �evil'
    """
    return _UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", text)


def cases(frame: pl.DataFrame) -> list[tuple[str, str]]:
    """Return each (data, privacy) of a study once, in order of appearance."""
    return list(frame.select("data", "privacy").unique(maintain_order=True).iter_rows())


def rows_of_case(frame: pl.DataFrame, data: str | None = None, privacy: str | None = None) -> pl.DataFrame:
    """Return the rows of one data set under one privacy."""
    rows = study_rows(frame)
    for column, wanted in (("data", data), ("privacy", privacy)):
        found = rows[column].unique(maintain_order=True).to_list()
        if wanted is None and len(found) > 1:
            raise ParameterError(f"Expected one {column}, got {_listed(found)}. Pass {column}=.")
        if wanted is not None and wanted not in found:
            raise ParameterError(f"Expected {column} of the study, got {column}={wanted!r}. Have {_listed(found)}.")
        rows = rows if wanted is None else rows.filter(pl.col(column) == wanted)
    return rows


def measured(rows: pl.DataFrame, metric: Metric) -> pl.DataFrame:
    """Return the rows with the metric in the place of the accuracy, which the summaries read."""
    if metric not in get_args(Metric):
        listed = ", ".join(map(repr, get_args(Metric)))
        raise ParameterError(f"Expected metric to be one of {listed}, got metric={metric!r}. Choose one of them.")
    if metric == "accuracy":
        if predicts_number(rows):
            raise ParameterError(
                "Expected metric 'rmse', 'mae' or 'r2' of a number to predict, got 'accuracy'. Pass one."
            )
        return rows
    # An order that says nothing has an area of one half, the mean an R2 of 0; what a constant has otherwise, rows of a
    # study do not say.
    chance = pl.lit({"auc": 0.5, "r2": 0.0}.get(metric), dtype=pl.Float64)
    value = pl.col(metric) if metric in rows.columns else pl.lit(None, dtype=pl.Float64)
    return rows.with_columns(accuracy=value, majority=chance)


def check_share(metric: Metric) -> None:
    """Raise ParameterError for a loss, of which less is better: a share of it says nothing."""
    if metric in LOSSES:
        raise ParameterError(
            f"Expected a metric of which more is better for a share, got metric={metric!r}. "
            f"Choose one of {', '.join(map(repr, SHARED))}."
        )


def run_times(rows: pl.DataFrame) -> pl.DataFrame:
    """Return, of finished fits, each learner's ``median``, ``least`` and ``most`` seconds, its ``fits``, and ``level``.

    The last says whether it has no epsilon. In order of appearance.
    """
    seconds = pl.col("fit_seconds")
    return (
        rows.filter(pl.col("status") == "done", seconds > 0)
        .group_by("name", maintain_order=True)
        .agg(
            median=seconds.median(),
            least=seconds.min(),
            most=seconds.max(),
            fits=seconds.count().cast(pl.Int64),
            level=pl.col("epsilon").is_null().all(),
        )
    )


def baselines(rows: pl.DataFrame) -> list[str]:
    """Return the names of non-private baselines that finished a fit, the best first."""
    means = accuracies(rows).filter(pl.col("kind") == "baseline", pl.col("mean") > 0)
    return means.sort("mean", descending=True, maintain_order=True)["name"].unique(maintain_order=True).to_list()


def chosen_baseline(rows: pl.DataFrame, wanted: str | None) -> str:
    """Return the name or learner that was asked for, which a non-private baseline has; the best one by default."""
    known = rows.filter(pl.col("kind") == "baseline").select("name", "learner").unique(maintain_order=True)
    if wanted in known["name"] or wanted in known["learner"]:
        return str(wanted)
    if wanted is not None:
        listed = ", ".join(known["name"]) or "none"
        raise ParameterError(f"Expected a non-private baseline, got baseline={wanted!r}. The study has: {listed}.")
    if found := baselines(rows):
        return found[0]
    raise ParameterError("Expected a non-private baseline in the study, got none. Add one, as 'baseline:logistic'.")


def spaced_ticks(values: list[float], apart: float) -> list[float]:
    """Return of positive increasing values the last, and as many as are this share of the logarithmic span apart.

    Examples
    --------
    >>> spaced_ticks([0.001, 0.01, 0.6, 0.75, 1.0], 0.1)
    [0.001, 0.01, 1.0]
    """
    kept = values[-1:]  # from the right: the largest epsilon is where curves end, and is always labeled
    span = values[-1] / values[0] if values else 1.0
    for value in reversed(values[:-1]):
        if kept[0] / value >= span**apart:
            kept.insert(0, value)
    return kept


def _listed(found: list[str]) -> str:
    return ", ".join(repr(name) for name in found[:8]) + (", ..." if len(found) > 8 else "")
