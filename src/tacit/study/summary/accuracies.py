"""Mean and deviation of each setting's accuracy."""

from __future__ import annotations

import polars as pl

from tacit.study.summary.fits import SETTING, fits


def accuracies(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each setting: data x privacy x learner x epsilon x delta.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned.

    Returns
    -------
    polars.DataFrame
        The setting; ``mean`` and ``deviation`` of the accuracy, the latter with one degree of freedom less than runs
        and null for a single run; ``least`` and ``most``; ``auc``, ``fit_seconds`` and ``predict_seconds``, means;
        ``runs``, the fits behind these; ``failed``, the fits that failed; ``reason``, what the first of them said. In
        order of appearance.

    Notes
    -----
    Test rows of different splits overlap, and so do training rows, so the deviation is that of one more split of the
    same table, not of one more table.

    Examples
    --------
    >>> from tacit.study.summary.fits import COLUMNS
    >>> row = dict.fromkeys(COLUMNS) | {"data": "toy", "name": "BRC", "epsilon": 1.0, "status": "done"}
    >>> accuracies(pl.DataFrame([row | {"accuracy": 0.5}, row | {"accuracy": 0.75}])).select("mean", "runs").row(0)
    (0.625, 2)
    """
    done = pl.col("accuracy").filter(pl.col("status") == "done")
    failed = pl.col("status") == "failed"
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
            runs=done.count().cast(pl.Int64),
            failed=failed.sum().cast(pl.Int64),
            reason=pl.col("message").filter(failed).first(),
        )
    )
