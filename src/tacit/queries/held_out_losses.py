"""Losses of several models on rows that they were not trained on: what a search chooses by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, Planned, PrivacyUnit, SelectionStatistic
from tacit.table import Block, Rows, Table

Score = Literal["log-loss", "accuracy", "brier"]

LOG_LOSS_BOUND = 3.0
"""Nats, where a log-loss is clipped: a class that was given a probability below 1/20 costs no more."""

STEPS = 1024
"""Parts of the largest loss of one row: losses are whole numbers of them, so that sums are exact."""

Predictor = Callable[[Rows], NDArray[Any]]
"""Of rows, positions of classes, shape (n_rows,), or probabilities of classes, shape (n_rows, n_classes)."""


def held_out_losses(
    table: Table, predictors: Sequence[Predictor], score: Score, handicaps: Sequence[int] | None = None
) -> SelectionStatistic:
    """Return minus the summed loss of each model, in steps, for a selection.

    Privacy: a row's loss of each model is a whole number from 0 to ``largest_loss(score)``, a function of this row and
    of released models alone, so a difference of two models' sums moves by at most twice that: the range, replace-one,
    whatever is protected; of persons, as often as one counts. Handicaps are public. Proof:
    ``proofs/queries/held_out_losses.md``.

    Parameters
    ----------
    predictors : sequence of callable
        Of models that were trained on other rows.
    handicaps : sequence of int, optional
        Of each model, in steps, added to its loss; public.
    """
    added = np.asarray([0] * len(predictors) if handicaps is None else handicaps, dtype=np.int64)
    sums = _sums(table, predictors, score) + added * table.unit_weight
    bound = largest_loss(score) * table.influence
    return SelectionStatistic(f"held-out {score} of candidates", table.unit, -sums, range=2.0 * bound)


def held_out_loss(table: Table, predictor: Predictor, score: Score) -> NumericStatistic:
    """Return the summed loss of one model, in steps, to leave with noise.

    Privacy: moves by at most ``largest_loss(score)``, L1 and L2, replace-one; of persons, as often as one counts.
    Proof: ``proofs/queries/held_out_losses.md``.
    """
    bound = float(largest_loss(score) * table.influence)
    total = _sums(table, [predictor], score)
    return NumericStatistic(f"held-out {score}", table.unit, total, l1=bound, l2=bound)


def plan_held_out_loss(unit: PrivacyUnit) -> list[Planned]:
    """Return the noisy release to announce."""
    return [] if unit.protects_nothing else [Planned("noise")]


def plan_held_out_losses(unit: PrivacyUnit) -> list[Planned]:
    """Return the selection to announce."""
    return [] if unit.protects_nothing else [Planned("selection")]


def largest_loss(score: Score) -> int:
    """Return the largest loss of one row, in steps; the smallest is 0."""
    return 1 if score == "accuracy" else STEPS


def _sums(table: Table, predictors: Sequence[Predictor], score: Score) -> NDArray[np.int64]:
    def losses(block: Block) -> NDArray[np.int64]:
        # Whole numbers below 2^53 in all, so sums of floats are exact.
        each = [block.weighted(_losses(block.scored(predict), block.labels, score)).sum() for predict in predictors]
        return np.asarray(each, dtype=np.int64)

    total: NDArray[np.int64] = table.sum(losses)
    return total


def _losses(predicted: NDArray[Any], labels: NDArray[Any], score: Score) -> NDArray[np.float64]:
    """Return the loss of each row in whole steps, whatever the model predicts."""
    if score == "accuracy":
        return np.asarray(predicted != labels, dtype=np.float64)
    right = predicted[np.arange(len(labels)), labels.astype(np.intp)]
    if score == "log-loss":
        fractions = -np.log(np.clip(right, 1e-300, 1.0)) / LOG_LOSS_BOUND
    else:
        # Half the squared distance to the label's corner, at most 1 for probabilities.
        fractions = ((predicted**2).sum(axis=1) - 2 * right + 1) / 2
    # A probability that is no number counts as the largest loss: the bound must hold for all rows.
    bounded = np.clip(np.nan_to_num(fractions, nan=1.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    return np.asarray(np.rint(bounded * STEPS))
