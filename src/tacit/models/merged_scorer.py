"""The scorer of a merged model: the mean of its parts' log-odds, by weights that are public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.models.links import LinkedScorer, logistic, unit_of
from tacit.models.rescaled import has_log_odds
from tacit.models.scorer import Scorer, probabilities_of
from tacit.schema import Schema
from tacit.table import Rows
from tacit.table.by_class import class_shares, class_sums

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WeighedScorers:
    """The scorers of one part, and how much it counts."""

    scorers: tuple[Scorer, ...]
    n_rows: int
    """Public; of persons where an identifier names them."""
    weight: float
    name: str
    """Of the part, for people."""


@dataclass(frozen=True)
class MergedScorer:
    """Weighted means of log-odds of the second class, or of the log-odds of each class less their mean."""

    parts: tuple[WeighedScorers, ...]
    kind: Literal["merged"] = "merged"

    multiclass: ClassVar[bool] = True

    def scores(self, rows: Rows, schema: Schema) -> Floats:
        """Return log-odds: (n_rows,) of the second class; or (n_rows, n_classes) for more than two."""
        # One part after another, so that sums are the same to the bit wherever they are computed.
        weighed = [each.weight * log_odds_of(each.scorers, schema, rows, each.n_rows) for each in self.parts]
        total = weighed[0]
        for scores in weighed[1:]:
            total = total + scores
        return np.asarray(total)

    def probabilities(self, rows: Rows, schema: Schema) -> Floats:
        """Return class probabilities, shape (n_rows, n_classes)."""
        scores = self.scores(rows, schema)
        return logistic(scores) if scores.ndim == 1 else class_shares(scores, axis=1)

    def check(self, schema: Schema) -> None:
        """Raise ModelFileError unless every part's scorers fit the schema."""
        for part in self.parts:
            for scorer in part.scorers:
                scorer.check(schema)

    @property
    def reach(self) -> float:
        """Zero: scores are log-odds."""
        return 0.0

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return a line for each part."""
        return tuple(f"{each.name}, weight {each.weight:.3g}" for each in self.parts)


def log_odds_of(scorers: Sequence[Scorer], schema: Schema, rows: Rows, n_rows: int) -> Floats:
    """Return log-odds of the second class, (n_rows,), or each class's less their mean, (n_rows, n_classes).

    Parameters
    ----------
    scorers : sequence of Scorer
    schema : Schema
    rows : Rows
    n_rows : int
        That trained them. Where they follow from probabilities, none counts as surer than one in so many: a leaf
        whose counts are all noise may say 0 or 1.
    """
    scorer = scorers[0]
    if len(scorers) == 1 and has_log_odds(scorer):
        scores = scorer.scores(rows, schema)
        return scores if scores.ndim == 1 else _centered(scores)
    if len(scorers) == 1 and isinstance(scorer, LinkedScorer) and scorer.link:
        return np.asarray(scorer.scores(rows, schema) / unit_of(scorer))
    odds = np.log(np.maximum(probabilities_of(scorers, schema, rows), 1 / max(n_rows, 2)))
    return np.asarray(odds[:, 1] - odds[:, 0]) if odds.shape[1] == 2 else _centered(odds)


def _centered(scores: Floats) -> Floats:
    return np.asarray(scores - class_sums(scores, axis=1) / scores.shape[1])
