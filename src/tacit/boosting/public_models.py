"""Models of public columns and a public label, exact and at no cost: BRC's public rounds, LazyBB's start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.models import STEPS_PER_VOTE, LinearRule, OpaqueRule, PublicStart, Rule, TreeRule, snapped, start_encoding
from tacit.table import Block, Table

_ROWS_PER_CHUNK = 65_536


class PublicBooster:
    """Public weights of the rows, and the best public classifier under them.

    Privacy: reads public columns and the public label alone. Which rounds move the public weights depends on
    private answers only after their release.

    Parameters
    ----------
    learner : callable
        Makes a fresh, unfitted classifier with ``fit(features, labels, sample_weight)`` and ``predict``.
    features : array of shape (n_rows, n_features)
        Public columns only.
    labels : array of shape (n_rows,)
        0 or 1; public.
    positions : array of int
        The features' indices among the model's.
    n_features : int
        Number of the model's features.
    """

    def __init__(
        self,
        learner: Any,
        features: NDArray[np.float32],
        labels: NDArray[Any],
        positions: NDArray[np.intp],
        n_features: int,
    ):
        self._learner, self._features, self._labels = learner, features.astype(np.float64), labels
        self._positions, self._n_features = positions, n_features
        self._weights = np.ones(len(labels))
        self.rule: Rule
        self._train()

    def reweigh(self) -> None:
        """Multiply the weights of mistakes by exp(edge) and train again."""
        self._weights = self._weights * np.exp(self.edge * self._mistakes)
        # Kept at mean one, so that hundreds of rounds neither overflow nor underflow.
        self._weights /= self._weights.mean()
        self._train()

    def _train(self) -> None:
        if self._labels.min() == self._labels.max():
            self.rule, self.edge = _constant_rule(bool(self._labels[0]), self._n_features), 0.5
            self._mistakes = np.zeros(len(self._labels), dtype=bool)
            return
        classifier = self._learner()
        classifier.fit(self._features, self._labels, sample_weight=self._weights)
        self.rule = as_rule(classifier, self._positions, self._n_features)
        self._mistakes = self._decisions() != (self._labels == 1)
        self.edge = 0.5 - float(self._weights @ self._mistakes / self._weights.sum())

    def _decisions(self) -> NDArray[np.bool_]:
        """Return the rule's decisions; the features that it does not read are made up for some rows at a time."""
        decided = np.empty(len(self._labels), dtype=bool)
        for start in range(0, len(decided), _ROWS_PER_CHUNK):
            chunk = slice(start, start + _ROWS_PER_CHUNK)
            embedded = np.zeros((len(decided[chunk]), self._n_features))
            embedded[:, self._positions] = self._features[chunk]
            decided[chunk] = self.rule.decide(embedded)
        return decided


def as_rule(classifier: Any, positions: NDArray[np.intp], n_features: int) -> Rule:
    """Return a fitted classifier of labels 0 and 1 as a rule of the model's features."""
    if hasattr(classifier, "tree_") and classifier.tree_.n_outputs == 1:
        return _tree_rule(classifier, positions)
    if hasattr(classifier, "coef_") and np.size(classifier.coef_) == len(positions):
        # Zero on private features, which a public classifier does not read.
        weights = np.zeros(n_features)
        weights[positions] = np.ravel(classifier.coef_)
        return LinearRule(snapped(weights), snapped(np.asarray(classifier.intercept_, float).ravel())[0])
    return OpaqueRule(classifier, tuple(positions.tolist()))


def _constant_rule(second: bool, n_features: int) -> LinearRule:
    return LinearRule((0.0,) * n_features, 1.0 if second else -1.0)


def _tree_rule(classifier: Any, positions: NDArray[np.intp]) -> TreeRule:
    tree = classifier.tree_
    leaf = tree.children_left == -1
    feature = np.where(leaf, -1, positions[np.where(leaf, 0, tree.feature)])
    return TreeRule(
        feature=tuple(feature.tolist()),
        threshold=tuple(np.where(leaf, 0.0, tree.threshold).tolist()),
        left=tuple(tree.children_left.tolist()),
        right=tuple(tree.children_right.tolist()),
        second=tuple((classifier.classes_[tree.value[:, 0, :].argmax(axis=1)] == 1).tolist()),
    )


MAX_START_MARGIN = 8
"""Largest margin of a public start, in votes; within it, private rounds can still outvote it."""


@dataclass(frozen=True)
class StartMargins:
    """Margins of rows before the first round, as ``Margins`` asks for them: in steps of a grid, at most ``reach``."""

    reach: int
    margins: Callable[[Block], NDArray[np.int64]]
    steps_per_vote: int = STEPS_PER_VOTE


def start_margins(start: PublicStart, table: Table) -> StartMargins:
    """Return the margins of a table's rows under a public start."""
    encoding = start_encoding(table.schema)
    return StartMargins(start.reach, lambda block: start.margins(block.features(encoding)))


def public_start(
    table: Table, make_learner: Callable[[], Any], learning_rate: float, strength: float
) -> PublicStart | None:
    """Return the margin of a linear model of public columns, fitted once; None where there is nothing to fit.

    A score of log odds z corresponds to z / (2 learning_rate) votes: the vote F that is least in expectation of
    exp(-learning_rate * margin) is half the log odds over the rate. ``strength`` times that is taken: less than one,
    as a few private votes would not outweigh it at full strength, and more where these are mostly noise.

    Privacy: reads public columns and the public label alone, before the first private release; none where the
    label is protected. Proof: ``proofs/boosting/smooth_weights.md``.

    Parameters
    ----------
    make_learner : callable
        Makes an unfitted linear classifier whose scores are log odds.
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
    return PublicStart(rule, MAX_START_MARGIN * STEPS_PER_VOTE)
