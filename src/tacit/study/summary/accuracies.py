"""Means, standard deviations and quantiles of accuracies, from a study's rows of one fit each; sizes of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.features.literals import literals
from tacit.schema import Numeric, Schema

SETTING = ("data", "privacy", "kind", "learner", "name", "parameters", "epsilon", "delta")
"""Key of a setting; its fits differ in the split and the seed alone."""

TABLE = ("data", "privacy")
SPLIT = (*TABLE, "repeat", "fold")
"""What the learners of one split share."""

PRICE = ("epsilon", "delta")

COLUMNS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys((*TABLE, "kind", "learner", "name", "parameters", "status", "message"), pl.String),
    **dict.fromkeys((*PRICE, "accuracy", "auc", "fit_seconds", "predict_seconds"), pl.Float64),
    **dict.fromkeys(("repeat", "fold", "n_train", "n_test", "n_columns", "n_private_columns"), pl.Int64),
}
"""Columns of a study's results that summaries read, in their types."""

MEASURES = ("balanced_accuracy", "log_loss", "brier", "majority", "rmse", "mae", "r2")
"""Measures that results of earlier versions lack; null there."""


def fits(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that summaries read, in their types; what is not a number is null.

    Of a number to predict R2 is in the accuracy's place, and 0, which its mean has, in the majority class's: both are
    shares of which more is better, and 1 is most.
    """
    for name in COLUMNS:
        if name not in frame.columns:
            raise ParameterError(
                f"Expected rows of a study with a column {name!r}, got none. Pass what Study.run returned."
            )
    later = [
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(pl.Float64).alias(name) for name in MEASURES
    ]
    known = frame.select(*(pl.col(name).cast(type_) for name, type_ in COLUMNS.items()), *later).with_columns(
        pl.col(pl.Float64).fill_nan(None)  # polars counts NaN as a number, larger than all others
    )
    of_number = pl.col("accuracy").is_null() & pl.col("r2").is_not_null()
    return known.with_columns(
        accuracy=pl.when(of_number).then("r2").otherwise("accuracy"),
        majority=pl.when(of_number).then(0.0).otherwise("majority"),
    )


def finished(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the fits that have an accuracy."""
    return fits(frame).filter(pl.col("status") == "done", pl.col("accuracy").is_not_null())


def check_alone(rows: pl.DataFrame, keys: Sequence[str]) -> None:
    """Raise ParameterError if two fits agree in all of these columns: a join on them would count pairs twice."""
    if rows.select(keys).is_duplicated().any():
        raise ParameterError(
            "Expected one fit for each learner, split, epsilon and delta, got several. "
            "Give learners that differ in parameters different names."
        )


def accuracies(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each setting: data x privacy x learner x epsilon x delta.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned.

    Returns
    -------
    polars.DataFrame
        The setting; ``mean`` and ``deviation`` (standard deviation) of the accuracy, the latter with one degree of
        freedom less than runs and null for a single run; ``least`` and ``most``; ``auc``, ``fit_seconds``,
        ``predict_seconds``, ``balanced_accuracy``, ``log_loss``, ``brier`` and ``majority``, means; ``no_better``,
        whether the accuracy is no more than a standard error above that of the most frequent class; ``runs``, the
        fits behind these; ``failed``, the fits that failed; ``reason``, the message of the first of them. In order
        of appearance. Of a number to predict all that is said of accuracy is of R2, and that of the most frequent class
        is 0, the R2 of the mean; ``rmse``, ``mae`` and ``r2`` are means, too.

    Notes
    -----
    Test rows of different splits overlap, and so do training rows, so the standard deviation is that of one more
    split of the same table, not of one more table.

    Examples
    --------
    >>> from tacit.study.summary.accuracies import COLUMNS
    >>> row = dict.fromkeys(COLUMNS) | {"data": "toy", "name": "BRC", "epsilon": 1.0, "status": "done"}
    >>> accuracies(pl.DataFrame([row | {"accuracy": 0.5}, row | {"accuracy": 0.75}])).select("mean", "runs").row(0)
    (0.625, 2)
    """
    done = pl.col("accuracy").filter(pl.col("status") == "done")
    failed = pl.col("status") == "failed"
    gain = (pl.col("accuracy") - pl.col("majority")).filter(pl.col("status") == "done").drop_nulls()
    return (
        fits(frame)
        .group_by(SETTING, maintain_order=True)
        .agg(
            mean=done.mean(),
            deviation=done.std(),
            least=done.min(),
            most=done.max(),
            auc=pl.col("auc").mean(),
            fit_seconds=pl.col("fit_seconds").mean(),
            predict_seconds=pl.col("predict_seconds").mean(),
            **{name: pl.col(name).mean() for name in MEASURES},
            no_better=gain.mean() <= (gain.std() / gain.count().sqrt()).fill_null(0.0),
            runs=done.count().cast(pl.Int64),
            failed=failed.sum().cast(pl.Int64),
            reason=pl.col("message").filter(failed).first(),
        )
    )


QUANTILES = {"least": 0.0, "lower": 0.25, "median": 0.5, "upper": 0.75, "most": 1.0}


def distribution(settings: pl.DataFrame, value: str = "mean", by: Sequence[str] = ("epsilon",)) -> pl.DataFrame:
    """Return the quantiles of one figure over settings, for each epsilon.

    Over learners and tables that is figure 5 of Lopuhaä-Zwakenberg and others (2021).

    Parameters
    ----------
    settings : polars.DataFrame
        Of `accuracies` or `ratios`: one point a table and learner. Rows without an epsilon are left out.
    value : str
        The column: ``"mean"`` or ``"ratio"``.
    by : sequence of str
        A distribution for each of these; as ``("privacy", "epsilon", "delta")``.

    Returns
    -------
    polars.DataFrame
        The columns of `by`, sorted; ``least``, ``lower`` (a quarter), ``median``, ``upper`` (three quarters), ``most``,
        interpolated linearly between points; ``mean``; and ``points``, how many there are. Null without points.
    """
    numbers = pl.col(value).fill_nan(None)
    return (
        settings.filter(pl.col("epsilon").is_not_null())
        .group_by(by)
        .agg(
            *(numbers.quantile(share, "linear").alias(name) for name, share in QUANTILES.items()),
            mean=numbers.mean(),
            points=numbers.count().cast(pl.Int64),
        )
        .sort(by, nulls_last=True)
    )


def table_sizes(frame: pl.DataFrame, schemas: Mapping[str, Schema]) -> pl.DataFrame:
    """Return numbers of rows and columns of the tables.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned.
    schemas : mapping of str to Schema
        By the name of the data. What is not there has no numbers of kinds and literals, and a schema with a column
        of more than 256 categories none of literals.

    Returns
    -------
    polars.DataFrame
        ``data``, ``privacy``; ``rows``, training and test rows together, null if no fit was finished; ``columns``,
        ``private_columns``, ``numeric``, ``categorical``; and ``literals``: the conditions that the schema admits,
        thresholds of numbers (32 bins of a column that names no cuts) and categories.
    """
    sizes = (
        fits(frame)
        .group_by(TABLE, maintain_order=True)
        .agg(
            rows=(pl.col("n_train") + pl.col("n_test")).max(),
            columns=pl.col("n_columns").max(),
            private_columns=pl.col("n_private_columns").max(),
        )
    )
    return sizes.join(_widths(schemas), on="data", how="left", maintain_order="left")


def _widths(schemas: Mapping[str, Schema]) -> pl.DataFrame:
    names = {"data": pl.String, **dict.fromkeys(("numeric", "categorical", "literals"), pl.Int64)}
    return pl.DataFrame([(name, *_width(schema)) for name, schema in schemas.items()], schema=names, orient="row")


def _width(schema: Schema) -> tuple[int, int, int | None]:
    numeric = sum(isinstance(column, Numeric) for column in schema.columns)
    return numeric, len(schema.columns) - numeric, _n_literals(schema)


def _n_literals(schema: Schema) -> int | None:
    """Return the number of conditions; None for a schema with more codes than a byte has, or without any condition."""
    try:
        return len(literals(BinEncoding(schema, schema.names)))
    except ParameterError:
        return None
