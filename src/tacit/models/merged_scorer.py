"""The scorer of a merged model: the mean of its parts' log-odds, by weights that are public."""

from __future__ import annotations

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

    @property
    def adds_up(self) -> bool:
        """Whether log-odds are a scorer's scores, or these in some unit, so that what adds to scores adds to both."""
        scorer, *others = self.scorers
        return not others and (has_log_odds(scorer) or bool(isinstance(scorer, LinkedScorer) and scorer.link))

    @property
    def unit(self) -> float:
        """What such scores are divided by to be log-odds."""
        return 1.0 if has_log_odds(self.scorers[0]) else unit_of(self.scorers[0])

    @property
    def least(self) -> float:
        """The least probability that counts: one row in all, as a leaf whose counts are noise may say 0 or 1."""
        return 1 / max(self.n_rows, 2)

    def log_odds(self, rows: Rows, schema: Schema) -> Floats:
        """Return log-odds of the second class, (n_rows,), or each class's less their mean, (n_rows, n_classes)."""
        if self.adds_up:
            odds = self.scorers[0].scores(rows, schema) / self.unit
            return odds if odds.ndim == 1 else _centered(odds)
        odds = np.log(np.maximum(probabilities_of(self.scorers, schema, rows), self.least))
        return np.asarray(odds[:, 1] - odds[:, 0]) if odds.shape[1] == 2 else _centered(odds)


@dataclass(frozen=True)
class WeighedNumber(WeighedScorers):
    """The scorer of a number to predict: what it says is weighed as it is, in the target's unit."""

    @property
    def adds_up(self) -> bool:
        """True: predictions are sums of scores."""
        return True

    @property
    def unit(self) -> float:
        """One: the weight has the unit."""
        return 1.0


@dataclass(frozen=True)
class MergedScorer:
    """Weighted means of numbers, of log-odds of the second class, or of the log-odds of each class less their mean."""

    parts: tuple[WeighedScorers, ...]
    kind: Literal["merged"] = "merged"

    multiclass: ClassVar[bool] = True

    def scores(self, rows: Rows, schema: Schema) -> Floats:
        """Return log-odds: (n_rows,) of the second class; or (n_rows, n_classes) for more than two."""
        # One part after another, so that sums are the same to the bit wherever they are computed.
        weighed = [each.weight * each.log_odds(rows, schema) for each in self.parts]
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


def _centered(scores: Floats) -> Floats:
    return np.asarray(scores - class_sums(scores, axis=1) / scores.shape[1])
