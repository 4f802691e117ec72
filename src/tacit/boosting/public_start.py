"""Where boosting starts under a public label: the margin of a model of the public columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.models import STEPS_PER_VOTE, LinearRule, PublicStart, snapped, start_encoding
from tacit.table import Block, Table

REACH = 8
"""Largest margin of a public start, in votes; within it, private rounds can still outvote it."""


@dataclass(frozen=True)
class StartOfRows:
    """A public start that reads blocks of a table.

    Parameters
    ----------
    start : PublicStart
    table : Table
    """

    start: PublicStart
    table: Table
    steps_per_vote: int = STEPS_PER_VOTE

    @property
    def reach(self) -> int:
        """Largest absolute margin, in steps."""
        return self.start.reach

    def margins(self, block: Block) -> NDArray[np.int64]:
        """Return margins towards the second class, in steps."""
        return self.start.margins(block.features(start_encoding(self.table.schema)))


def public_start(
    table: Table, make_learner: Callable[[], Any], learning_rate: float, strength: float
) -> PublicStart | None:
    """Return the margin of a linear model of public columns, fitted once; None where there is nothing to fit.

    A score of log odds z corresponds to z / (2 learning_rate) votes: the vote F that is least in expectation of
    exp(-learning_rate * margin) is half the log odds over the rate. ``strength`` times that is taken: less than one,
    as a few private votes would not outweigh it at full strength, and more where these are mostly noise.

    Parameters
    ----------
    table : Table
    make_learner : callable
        Makes an unfitted linear classifier whose scores are log odds.
    learning_rate : float
    strength : float

    Notes
    -----
    Privacy: reads public columns and the public label alone, before the first private release; none where the
    label is protected. Proof: ``proofs/boosting/smooth_weights.md``.
    """
    if table.unit.label or not table.schema.public_columns:
        return None
    features, labels = table.public_features(start_encoding(table.schema)), table.public_labels()
    if labels.min() == labels.max():
        return None
    learner = make_learner()
    learner.fit(features.astype(np.float64), labels)
    votes = strength / (2 * learning_rate)
    rule = LinearRule(snapped(learner.coef_[0] * votes), snapped(np.ravel(learner.intercept_) * votes)[0])
    return PublicStart(rule, REACH * STEPS_PER_VOTE)
