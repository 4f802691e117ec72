"""What is left of the accuracy without privacy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from tacit.errors import ParameterError
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
        The ``name`` of the reference, or its ``learner`` if none has that name; or one for each learner's ``name`` or
        ``learner``, as in table 2 of Lopuhaä-Zwakenberg and others (2021). Settings of a learner without one have no
        row.

    Returns
    -------
    polars.DataFrame
        The setting, ``reference`` as it was asked for, ``ratio`` (mean), ``deviation`` (null for a single pair), and
        ``pairs``: the splits on which both were trained and the reference was right at least once. Without any,
        the ratio is null.

    Raises
    ------
    ParameterError
        If several references of different names are of the learner that was asked for, or two have one name.
    """
    rows = finished(frame).filter(pl.col("kind") != "baseline")
    paired = rows.with_columns(_asked(reference).alias("reference")).filter(pl.col("reference").is_not_null())
    asked = paired["reference"].unique(maintain_order=True)
    found = paired.join(_baselines(frame, asked), on=[*SPLIT, "reference"], how="left", nulls_equal=True)
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


def _baselines(frame: pl.DataFrame, asked: Iterable[str]) -> pl.DataFrame:
    """Return the accuracy of each reference that was asked for on each split, under what it was called."""
    rows = finished(frame).filter(pl.col("kind") == "baseline", pl.col("accuracy") > 0)
    found = pl.concat([rows.clear().with_columns(reference=pl.lit("")), *(_called(rows, each) for each in asked)])
    check_alone(found, [*SPLIT, "reference"])
    return found.select(*SPLIT, "reference", baseline="accuracy")


def _called(rows: pl.DataFrame, asked: str) -> pl.DataFrame:
    """Return the rows of the reference of this name, or, without one, of this learner."""
    named = rows.filter(pl.col("name") == asked)
    found = named if len(named) else rows.filter(pl.col("learner") == asked)
    names = found["name"].unique(maintain_order=True).to_list()
    if len(names) > 1:
        listed = ", ".join(map(repr, names))
        raise ParameterError(f"Expected one reference, got reference={asked!r}, which is {listed}. Pass one of these.")
    return found.with_columns(reference=pl.lit(asked))
