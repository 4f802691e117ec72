"""What every released scorer can do, those that a model file may hold, and the scores of all of a model's together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.models.boosted_trees import BoostedTreesModel
from tacit.models.linear import LinearModel, LogisticModel
from tacit.models.links import LinkedScorer, has_public_link, linked_together, unit_of
from tacit.models.literal_tree import LiteralTree
from tacit.models.literal_votes import LiteralVoteModel
from tacit.models.naive_bayes import NaiveBayesModel
from tacit.models.rado_form import RadoForm
from tacit.models.ranked import RankedModel
from tacit.models.vote import VoteModel
from tacit.schema import Schema
from tacit.table import Rows
from tacit.table.by_class import class_sums


@runtime_checkable
class StagedScores(Protocol):
    """A scorer that grows in stages."""

    def staged_scores(self, rows: Rows, schema: Schema) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each stage."""


Scorer = (
    VoteModel
    | LiteralVoteModel
    | NaiveBayesModel
    | LiteralTree
    | BoostedTreesModel
    | LinearModel
    | LogisticModel
    | RadoForm
    | RankedModel
)
"""All kinds of scorer; each has a literal ``kind``, by which a file names it."""


def scores_of(scorers: Sequence[Scorer], schema: Schema, rows: Rows) -> NDArray[np.float64]:
    """Return scores: shape (n_rows,), above zero for the second class; or (n_rows, n_classes)."""
    if len(scorers) == 1:
        return scorers[0].scores(rows, schema)
    return np.column_stack([each.scores(rows, schema) / unit_of(each) for each in scorers])


def probabilities_of(scorers: Sequence[Scorer], schema: Schema, rows: Rows) -> NDArray[np.float64]:
    """Return class probabilities, shape (n_rows, n_classes)."""
    if len(scorers) > 1 and has_public_link(scorers):
        linked = [each for each in scorers if isinstance(each, LinkedScorer)]
        return linked_together(scores_of(scorers, schema, rows), linked)
    likely = [each.probabilities(rows, schema) for each in scorers]
    if len(likely) == 1:
        return likely[0]
    # A little above zero, so that a row that every class denies has probabilities, too.
    positive = np.column_stack([each[:, 1] for each in likely]) + 1e-12
    return np.asarray(positive / class_sums(positive, axis=1))
