"""What each column adds to the score of a row, and which columns weigh most in a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.models.attribution import Attribution, attribution
from tacit.models.explanation import class_of, distribution_of, written
from tacit.models.links import unit_of

if TYPE_CHECKING:
    import polars as pl

    from tacit.schema import Schema
    from tacit.table import Rows

Floats = NDArray[np.float64]


def contributions(scorers: Sequence[Any], schema: Schema, rows: Rows) -> pl.DataFrame:
    """Return what each column adds to the scores of each row; see ``Model.explain``."""
    import polars as pl

    frames = []
    for at, scorer in enumerate(scorers):
        how = attribution(scorer, schema)
        base, parts = how.parts(distribution_of(how, scorer), rows)
        deviations = _deviations_of_rows(how, scorer, rows)
        for score in range(how.n_scores):
            towards = written(class_of(schema, at if len(scorers) > 1 else score, max(len(scorers), how.n_scores)))
            # One-vs-rest models compare scores in units of their own.
            unit = unit_of(scorer) if len(scorers) > 1 else 1.0
            frames += [_added(None, np.full(rows.n_rows, base[score] / unit), towards)]
            for name, part in parts.items():
                off = deviations[name][:, score] / unit if name in deviations else None
                frames += [_added(name, part[:, score] / unit, towards, off)]
    return pl.concat(frames).sort("row", maintain_order=True)


def strongest(added: pl.DataFrame, predicted: Sequence[Any], classes: Sequence[Any], n_columns: int) -> pl.DataFrame:
    """Return the columns that weigh most in each row's prediction, those that add most or take most away first.

    Parameters
    ----------
    added : polars.DataFrame
        What ``contributions`` returned for the rows.
    predicted : sequence of length n_rows
        The class that is predicted for each row.
    classes : sequence
        All classes, sorted.
    n_columns : int
        How many columns are kept for each row.

    Returns
    -------
    polars.DataFrame
        ``row``, ``column``, ``contribution`` to the score of the predicted class, ``deviation``.
    """
    import polars as pl

    wanted = pl.DataFrame({"row": np.arange(len(predicted)), "predicted": [written(each) for each in predicted]})
    found = added.filter(pl.col("column").is_not_null()).join(wanted, on="row", maintain_order="left")
    own = pl.col("class") == pl.col("predicted")
    if len(classes) == 2:
        # The one score is that of the second class: what adds to it takes as much from the first.
        sign = pl.when(own).then(1.0).otherwise(-1.0)
        found = found.with_columns(contribution=pl.col("contribution") * sign)
    else:
        found = found.filter(own)
    order = [pl.col("row"), -pl.col("contribution").abs()]
    found = found.sort(order, maintain_order=True).group_by("row", maintain_order=True).head(n_columns)
    return found.select("row", "column", "contribution", "deviation")


def _deviations_of_rows(how: Attribution, scorer: Any, rows: Rows) -> dict[str, Floats]:
    """Return by column the noise in the effect of each row's cell, (n_rows, n_scores); NaN where it is in none."""
    cells = {each.column.name: each for each in how.cells}
    # A category that the schema does not list has code -1: the row of NaN that is put last.
    known = {each.column: np.transpose(each.deviations) for each in getattr(scorer, "noise", ())}
    padded = {name: np.vstack([own, np.full(own.shape[1], np.nan)]) for name, own in known.items()}
    return {name: own[cells[name].codes(rows)] for name, own in padded.items()}


def _added(name: str | None, values: Floats, towards: str, deviations: Floats | None = None) -> pl.DataFrame:
    import polars as pl

    rows = pl.Series("row", np.arange(len(values)))
    said = [pl.lit(towards).alias("class"), pl.lit(name, dtype=pl.String).alias("column")]
    off = np.full(len(values), np.nan) if deviations is None else deviations
    numbers = pl.Series("contribution", values), pl.Series("deviation", off).fill_nan(None)
    return pl.DataFrame([rows]).with_columns(*said, *numbers)
