"""What is left of the accuracy without privacy."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from tacit.study.summary.fits import SETTING, SPLIT, check_alone, finished


def ratios(frame: pl.DataFrame, reference: str | Mapping[str, str]) -> pl.DataFrame:
    """Return each setting's accuracy relative to that of a learner without privacy on the same splits.

    The ratio is the mean of the ratios of paired splits, not the ratio of the means: each split is measured against
    what was possible on it.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned.
    reference : str or mapping of str to str
        The ``learner`` or ``name`` of the reference; or one for each learner's ``learner`` or ``name``, as in table 2
        of Lopuhaä-Zwakenberg and others (2021). Settings of a learner without one have no row.

    Returns
    -------
    polars.DataFrame
        The setting, ``reference`` as it was asked for, ``ratio`` (mean), ``deviation`` (null for a single pair), and
        ``pairs``: the splits on which both were trained and the reference was right at least once. Without any,
        the ratio is null.
    """
    rows = finished(frame).filter(pl.col("kind") != "reference")
    paired = rows.with_columns(_asked(reference).alias("reference")).filter(pl.col("reference").is_not_null())
    found = paired.join(_baselines(frame), on=[*SPLIT, "reference"], how="left", nulls_equal=True)
    ratio = pl.col("accuracy") / pl.col("baseline")
    return found.group_by(*SETTING, "reference", maintain_order=True).agg(
        ratio=ratio.mean(), deviation=ratio.std(), pairs=ratio.count().cast(pl.Int64)
    )


def _asked(reference: str | Mapping[str, str]) -> pl.Expr:
    if isinstance(reference, str):
        return pl.lit(reference)
    by_learner = (
        pl.col(column).replace_strict(dict(reference), default=None, return_dtype=pl.String)
        for column in ("name", "learner")
    )
    return pl.coalesce(*by_learner)


def _baselines(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the accuracy of each reference on each split, under its learner's name and its own."""
    rows = finished(frame).filter(pl.col("kind") == "reference", pl.col("accuracy") > 0)
    either = pl.concat([rows.with_columns(reference=pl.col(column)) for column in ("learner", "name")])
    once = either.select(*SPLIT, "reference", "parameters", baseline="accuracy").unique(maintain_order=True)
    check_alone(once, [*SPLIT, "reference"])
    return once.drop("parameters")
