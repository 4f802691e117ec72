"""The data frame of a study: one row per fit, always the same columns."""

from __future__ import annotations

import polars as pl

from tacit.errors import ParameterError

COLUMNS = {
    "key": pl.String,
    "data": pl.String,
    "privacy": pl.String,
    "learner": pl.String,
    "name": pl.String,
    "kind": pl.String,
    "parameters": pl.String,
    "epsilon": pl.Float64,
    "delta": pl.Float64,
    "repeat": pl.Int64,
    "fold": pl.Int64,
    "seed": pl.Int64,
    "status": pl.String,
    "error": pl.String,
    "message": pl.String,
    "accuracy": pl.Float64,
    "auc": pl.Float64,
    "fit_seconds": pl.Float64,
    "predict_seconds": pl.Float64,
    "n_train": pl.Int64,
    "n_test": pl.Int64,
    "n_columns": pl.Int64,
    "n_private_columns": pl.Int64,
}
"""Names and types of the results of fits.

``epsilon`` and ``delta`` are null without privacy, ``fold`` without cross-validation, ``error`` and ``message`` where
the fit succeeded, the measured values where it failed, and ``auc`` where there are not exactly two classes.
"""


def fit_results(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of fits, as a store gives them, with exactly the columns of a study's results.

    Raises
    ------
    ParameterError
        If a value is of another type than its column.

    Examples
    --------
    >>> fit_results(pl.DataFrame({"key": ["k"], "epsilon": [1]})).schema["epsilon"]
    Float64
    """
    columns = [
        (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in COLUMNS.items()
    ]
    try:
        return rows.select(columns)
    except pl.exceptions.PolarsError:
        message = "Expected results of fits in the store, got values that no fit gives. Choose another store."
    raise ParameterError(message)
