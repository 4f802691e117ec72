"""What each column adds to the score of a row in a merged model: the weighted sum of what it adds in the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.errors import ParameterError
from tacit.models.contributions import contributions
from tacit.models.merged_scorer import MergedScorer, WeighedScorers
from tacit.schema import Schema
from tacit.table import Rows

if TYPE_CHECKING:
    import polars as pl


def merged_contributions(scorer: MergedScorer, schema: Schema, rows: Rows) -> pl.DataFrame:
    """Return what each column adds to the scores of each row; see ``Model.explain``.

    The deviation is null where that of a part is not known, or a part lacks the column.

    Raises
    ------
    ParameterError
        If the log-odds of a part are no sum of its scores, as those of a tree.
    """
    import polars as pl

    found = pl.concat([_of_part(part, schema, rows) for part in scorer.parts])
    known = pl.col("deviation").count() == len(scorer.parts)
    total = found.group_by("row", "class", "column", maintain_order=True).agg(
        contribution=pl.col("contribution").sum(),
        deviation=pl.when(known).then(pl.col("deviation").pow(2).sum().sqrt()),
    )
    if schema.n_classes > 2:
        # Scores of many classes are less their mean.
        mean = pl.col("contribution").mean().over("row", "column")
        total = total.with_columns(contribution=pl.col("contribution") - mean)
    return total.sort("row", maintain_order=True)


def refuse_no_sum(part: WeighedScorers) -> None:
    """Raise ParameterError if the log-odds of a part are no sum of its scores."""
    if not part.adds_up:
        raise ParameterError(
            f"Expected parts whose columns add to log-odds, got another: {part.name}. Explain each part by itself."
        )


def _of_part(part: WeighedScorers, schema: Schema, rows: Rows) -> pl.DataFrame:
    import polars as pl

    refuse_no_sum(part)
    factor = part.weight / part.unit
    return contributions(part.scorers, schema, rows).with_columns(
        contribution=pl.col("contribution") * factor, deviation=pl.col("deviation") * factor
    )
