"""The rows of a study, one a fit, as the summaries read them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tacit.errors import ParameterError

SETTING = ("data", "privacy", "kind", "learner", "name", "parameters", "epsilon", "delta")
"""What tells one setting from another; its fits differ in the split and the seed alone."""

TABLE = ("data", "privacy")
SPLIT = (*TABLE, "repeat", "fold")
"""What the learners of one split share."""

PRICE = ("epsilon", "delta")

COLUMNS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys((*TABLE, "kind", "learner", "name", "parameters", "status", "message"), pl.String),
    **dict.fromkeys((*PRICE, "accuracy", "auc", "fit_seconds", "predict_seconds"), pl.Float64),
    **dict.fromkeys(("repeat", "fold", "n_train", "n_test", "n_columns", "n_private_columns"), pl.Int64),
}
"""What summaries read of a study's rows."""


def fits(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that summaries read, in their types; what is not a number is null.

    Raises
    ------
    ParameterError
        If a column is not there.
    """
    for name in COLUMNS:
        if name not in frame.columns:
            raise ParameterError(
                f"Expected rows of a study with a column {name!r}, got none. Pass what Study.run returned."
            )
    return frame.select(pl.col(name).cast(type_) for name, type_ in COLUMNS.items()).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )


def finished(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the fits that have an accuracy."""
    return fits(frame).filter(pl.col("status") == "done", pl.col("accuracy").is_not_null())


def check_alone(rows: pl.DataFrame, keys: Sequence[str]) -> None:
    """Raise ParameterError if two fits cannot be told apart by these columns, so that no pair is counted twice."""
    if rows.select(keys).is_duplicated().any():
        raise ParameterError(
            "Expected one fit for each learner, split, epsilon and delta, got several. "
            "Give learners that differ in parameters different names."
        )
