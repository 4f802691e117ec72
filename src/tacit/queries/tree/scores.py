"""Impurity decrease of every split at every leaf of a growing tree, and its sensitivity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.privacy import SelectionStatistic
from tacit.privacy.statistic import JointSelectionStatistic
from tacit.queries.tree.rows import TreeRows
from tacit.sensitivities.masses import Criterion, SplitScoresBasis

WEIGHT_STEPS = 2**10
"""Parts of one, of which class weights are whole numbers: products with counts are exact."""


_MIN_TOTAL = 1e-300
"""In place of the total of an empty node, so that 0 / 0 becomes 0; far below any mass of a row."""


def impurity(masses: NDArray[Any], criterion: Criterion) -> NDArray[Any]:
    """Return impurities of nodes in rows (or mass), shape (...), from masses by class, shape (..., n_classes).

    gini: m - sum of squares of m_c / m, which is 2 m_0 m_1 / m for two classes, half of the 4 m_0 m_1 / m by which
    Kearns and Mansour (1996) bound the error; error: m minus the largest m_c, an integer where masses are. An empty
    node has none.
    """
    if criterion not in get_args(Criterion):
        raise ParameterError(f"Expected criterion 'gini' or 'error', got criterion={criterion!r}. Choose one.")
    if criterion == "error":
        return np.asarray(masses.sum(axis=-1) - masses.max(axis=-1))
    floats = np.maximum(masses, 0.0)  # a difference of rounded masses may lie below zero, as far as rounding goes
    total, squares = floats.sum(axis=-1), np.einsum("...c,...c->...", floats, floats)
    squares /= np.maximum(total, _MIN_TOTAL)
    return np.asarray(total - squares)


class SplitScores:
    """The impurity decrease of every (leaf, question), from histograms.

    Privacy: with influence z (1 for counts of rows), the range over all pairs of (leaf, question) is at most 4 z
    for gini, 8 z in the units of Salamatian (2021), Theorem 4.2.2, and 2 z for the error; the ranges of separate
    choices of the leaves add up to the same. Any number of classes, any protected part of a row. Proof:
    ``proofs/queries/tree/split_scores.md``.

    Parameters
    ----------
    spans : array of shape (n_questions, 2)
        Where each question's bins start and stop.
    criterion : {"gini", "error"}

    Notes
    -----
    Class weights of the rows' groups are brought to whole numbers of ``WEIGHT_STEPS``. No row counts more than without,
    so that the ranges hold.
    """

    def __init__(self, rows: TreeRows, spans: NDArray[np.intp], criterion: Criterion):
        self._rows, self._spans, self._criterion = rows, spans, criterion
        weights = rows.groups.class_weights
        self._weights = None if weights is None else on_steps(weights)
        self._name = criterion if weights is None else f"weighted {criterion}"

    def improvements(self, histogram: NDArray[np.int64]) -> NDArray[Any]:
        """Return the impurity decrease of each question at each leaf, shape (n_leaves, n_questions).

        The histogram has shape (n_leaves, n_groups, n_bins). Never leaves by itself.
        """
        yes, everyone = question_masses(histogram, self._spans, self._rows)
        if self._weights is not None:
            # After counting: leaves are labeled by rows that count one.
            yes, everyone = yes * self._weights, everyone * self._weights
        parts = impurity(yes, self._criterion) + impurity(everyone[:, None, :] - yes, self._criterion)
        return np.asarray(impurity(everyone, self._criterion)[:, None] - parts)

    def best_of_all(self, scores: Sequence[NDArray[Any]]) -> SelectionStatistic:
        """Return one choice among the admitted candidates of all leaves, one row of scores for each leaf."""
        return SelectionStatistic(
            query=f"{self._name} improvement of each leaf and question",
            unit=self._rows.unit,
            unreleased_value=np.concatenate(list(scores)),
            range=self._range,
            basis=self._basis,
        )

    def best_of_each(self, histogram: NDArray[np.int64], admitted: NDArray[np.bool_]) -> JointSelectionStatistic:
        """Return one choice for each leaf among its admitted questions."""
        return JointSelectionStatistic(
            query=f"{self._name} improvement of each question, at every leaf of a level",
            unit=self._rows.unit,
            unreleased_value=self.improvements(histogram),
            range=self._range,
            admitted=admitted,
            basis=self._basis,
        )

    @property
    def _basis(self) -> SplitScoresBasis:
        groups = self._rows.groups
        return SplitScoresBasis(**vars(groups.bounds), criterion=self._criterion, n_classes=len(groups.mass))

    @property
    def _range(self) -> float:
        table = self._rows.table
        return self._basis.sensitivity(table.unit, table.n_persons)["range"]


def on_steps(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights of classes as multiples of one part in ``WEIGHT_STEPS``, at least one part and at most all.

    Examples
    --------
    >>> on_steps(np.asarray([1e-9, 0.5, 2.0])).tolist()
    [0.0009765625, 0.5, 1.0]
    """
    return np.asarray(np.clip(np.rint(weights * WEIGHT_STEPS), 1, WEIGHT_STEPS) / WEIGHT_STEPS)


def question_masses(
    histogram: NDArray[np.int64], spans: NDArray[np.intp], rows: TreeRows
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return masses by class where each question holds, (n_leaves, n_questions, n_classes), and of each leaf."""
    summed = np.zeros((*histogram.shape[:2], histogram.shape[2] + 1), dtype=np.int64)
    # With sums from the left, a question, which is a range of bins, takes one difference.
    np.cumsum(histogram, axis=2, out=summed[:, :, 1:])
    held = summed[:, :, spans[:, 1]] - summed[:, :, spans[:, 0]]
    everyone = summed[:, :, rows.encoding.n_codes[0]]  # each column's bins hold all rows of a leaf
    groups = rows.groups
    return groups.masses(held), groups.masses(everyone[:, :, None])[:, 0]
