"""How accuracies, or ratios, of several learners and tables are spread at each epsilon."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

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
