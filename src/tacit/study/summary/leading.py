"""The measure to read first: accuracy, or another one where one class has most of the rows."""

from __future__ import annotations

from typing import Literal

import polars as pl

from tacit.measures.held_out import DOMINANT

Leading = Literal["accuracy", "auc", "balanced_accuracy", "rmse", "r2"]
"""Columns of a study's results; advice on a number to predict leads with R2, as errors have the number's unit."""

NAMES: dict[str, str] = {"accuracy": "Accuracy", "auc": "AUC", "balanced_accuracy": "Balanced accuracy"}
"""What tables and sentences call shares, of which more is better."""


def predicts_number(frame: pl.DataFrame) -> bool:
    """Return whether the fits of one table predict a number: they have errors in its unit."""
    return "rmse" in frame.columns and bool(frame["rmse"].is_not_null().any())


def leading_measure(frame: pl.DataFrame) -> Leading:
    """Return the measure that tells the learners of one table apart, if any does.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned, of one table. Its finished fits say the accuracy of the majority class. Where they
        predict a number, the root mean square error leads.

    Notes
    -----
    Privacy: it depends on exact shares of the classes, as all results of a study do, and a study is not private.

    Examples
    --------
    >>> leading_measure(pl.DataFrame({"status": ["done"], "majority": [0.9], "auc": [0.7]}))
    'auc'
    """
    if predicts_number(frame):
        return "rmse"
    if (majority_share(frame) or 0.0) < DOMINANT:
        return "accuracy"
    done = frame.filter(pl.col("status") == "done")
    # Some learners give no scores, and a measure that only some have orders nothing.
    known: tuple[Leading, ...] = ("auc", "balanced_accuracy")
    return next((each for each in known if each in done.columns and not done[each].has_nulls()), "accuracy")


def leading_reason(frame: pl.DataFrame) -> str:
    """Return in a sentence why another measure than accuracy leads; empty where accuracy does."""
    lead = leading_measure(frame)
    if lead in ("accuracy", "rmse"):
        return ""
    share = 100 * (majority_share(frame) or 0.0)
    return f"{NAMES[lead]} leads: always predicting the majority class is already right for {share:.1f} % of the rows."


def majority_share(frame: pl.DataFrame) -> float | None:
    """Return the mean accuracy of always predicting the majority class; None where no fit states it."""
    if "majority" not in frame.columns:
        return None
    found = frame.filter(pl.col("status") == "done")["majority"].cast(pl.Float64).mean()
    return float(found) if isinstance(found, float) else None
