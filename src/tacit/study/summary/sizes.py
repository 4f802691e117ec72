"""Size and width of a study's tables."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from tacit.errors import ParameterError
from tacit.schema import Numeric, Schema
from tacit.study.summary.accuracies import TABLE, fits
from tacit.table import BinEncoding
from tacit.table.literals import literals


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
