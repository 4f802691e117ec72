"""What each column adds in a merged model, by cell: the weighted sum of the effects in its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.features.encoding import cut_at
from tacit.models.cells import ColumnCells
from tacit.models.effects import ColumnEffects
from tacit.models.explanation import Explanation, explained
from tacit.models.merged_contributions import refuse_no_sum
from tacit.models.merged_scorer import MergedScorer, WeighedScorers
from tacit.schema import Numeric, Schema
from tacit.schema.whole import settled

SUMS = "Effects are weighted sums over the parts, each less its mean in its own part."
"""Beside effects: parts may have other shares of rows in a cell, so that there is no one mean."""

Own = tuple[WeighedScorers, ColumnEffects]


def merged_explanation(scorer: MergedScorer, schema: Schema) -> Explanation:
    """Return effects in the cells that the cut points of all parts make together; see ``Model.explain``.

    Noise of different parts is independent, so that variances add up. A deviation is not known where that of a part is
    not, or where a part lacks the column: that it does may follow from noise.

    Raises
    ------
    ParameterError
        If the log-odds of a part are no sum of its scores, as those of a tree.
    """
    found: dict[tuple[str, Any], list[Own]] = {}
    for part in scorer.parts:
        refuse_no_sum(part)
        for each in explained(part.scorers, schema).columns:
            found.setdefault((each.cells.column.name, each.towards), []).append((part, each))
    order = {name: at for at, name in enumerate(schema.names)}
    own = sorted(found.values(), key=lambda own: order[own[0][1].cells.column.name])
    return Explanation(tuple(_summed(each, len(scorer.parts)) for each in own))


def _summed(own: Sequence[Own], n_parts: int) -> ColumnEffects:
    """Return the effects of one column and class."""
    cells = _joint([each.cells for _, each in own])
    effects, variances, shares = np.zeros((3, cells.n_cells))
    for part, each in own:
        at, factor = each.cells.codes(cells.rows), part.weight / part.unit
        effects += factor * each.effects[at]
        if each.deviations is not None:
            variances += (factor * each.deviations[at]) ** 2
        # Nothing is known of how a part's rows are spread inside its cell.
        shares += part.n_rows * each.shares[at] / np.bincount(at)[at]
    known = len(own) == n_parts and all(each.deviations is not None for _, each in own)
    return ColumnEffects(
        own[0][1].towards,
        cells,
        shares / shares.sum(),
        effects,
        np.sqrt(variances) if known else None,
        released=all(each.released for _, each in own),
    )


def _joint(parts: Sequence[ColumnCells]) -> ColumnCells:
    """Return the cells between all cut points of a number; of categories all parts have the same."""
    column = parts[0].column
    if not isinstance(column, Numeric):
        return parts[0]
    cuts = settled([cut for each in parts for cut in each.cuts], column)
    return ColumnCells(cut_at(column, cuts)) if cuts else parts[0]
