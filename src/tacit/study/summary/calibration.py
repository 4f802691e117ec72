"""How probable the second class was said to be, and how often it came: calibration of a study's fits, by tenths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import polars as pl

from tacit.study.summary.accuracies import SETTING, fits

MIN_ROWS = 20
"""Of a tenth, in all splits together: the standard error of a share of fewer is up to 0.11."""

_POINTS = {"place": pl.Int64, "rows": pl.Int64, "said": pl.Float64, "came": pl.Float64}


def calibrations(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each setting and tenth of the probability scale, over all its splits.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned.

    Returns
    -------
    polars.DataFrame
        The setting; ``place``, the tenth from 0 to 9; ``rows``, test rows in it; ``said``, their mean probability of
        the second class; ``came``, the share of them that has it. Without tenths of fewer than 20 rows. Empty where
        the study has more classes, learners without probabilities, or results of an earlier version.
    """
    points = pl.DataFrame([], schema={"at": pl.UInt32, **_POINTS})
    if "calibration" in frame.columns:
        texts = frame["calibration"].cast(pl.String).to_list()
        points = pl.DataFrame([line for at, text in enumerate(texts) for line in _of_fit(at, text)], points.schema)
    found = points.join(fits(frame).with_row_index("at"), on="at").filter(pl.col("status") == "done")
    weighed = (pl.col(name) * pl.col("rows") for name in ("said", "came"))
    return (
        found.with_columns(*weighed)
        .group_by(*SETTING, "place", maintain_order=True)
        .agg(pl.col("rows").sum(), pl.col("said").sum(), pl.col("came").sum())
        .with_columns(pl.col("said", "came") / pl.col("rows"))
        .filter(pl.col("rows") >= MIN_ROWS)
        .sort("place", maintain_order=True)
    )


def _of_fit(at: int, text: str | None) -> Iterator[dict[str, Any]]:
    """Yield the tenths of a fit: rows, their mean probability, the share of the second class."""
    for place, (rows, said, came) in enumerate(json.loads(text) if text else ()):
        if rows:
            yield {"at": at, "place": place, "rows": rows, "said": said, "came": came}
