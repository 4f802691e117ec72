"""Mean ranks of learners over data sets."""

from __future__ import annotations

import polars as pl

from tacit.study.summary.accuracies import accuracies
from tacit.study.summary.fits import PRICE, check_alone
from tacit.study.summary.signed_rank import DIGITS

_CELL = ("privacy", *PRICE)


def mean_ranks(frame: pl.DataFrame) -> pl.DataFrame:
    """Return each learner's rank by mean accuracy, 1 for the best, averaged over data sets.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned; rows without an epsilon are left out.

    Returns
    -------
    polars.DataFrame
        ``privacy``, ``epsilon``, ``delta``, ``name``, ``rank`` and ``data_sets``. Learners that are equal on a data set
        share the mean of their ranks. Ranked are the learners that finished at least one fit under that privacy,
        epsilon and delta, on the data sets on which all of them did: ``data_sets`` of these. Without any, the
        rank is null.

    Raises
    ------
    ParameterError
        If two learners of one name cannot be told apart.
    """
    means = accuracies(frame).filter(pl.col("epsilon").is_not_null(), pl.col("runs") > 0)
    check_alone(means, [*_CELL, "data", "name"])
    everybody = pl.col("name").n_unique().over(_CELL)
    here = pl.col("name").n_unique().over(*_CELL, "data")
    rank = (-pl.col("mean").round(DIGITS)).rank("average").over(*_CELL, "data")
    shared = pl.when(everybody == here).then(rank)
    return (
        means.with_columns(rank=shared)
        .group_by(*_CELL, "name", maintain_order=True)
        .agg(pl.col("rank").mean(), data_sets=pl.col("rank").count().cast(pl.Int64))
    )
