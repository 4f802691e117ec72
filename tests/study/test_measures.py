"""Measures beside accuracy, by hand and as scikit-learn has them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss, roc_auc_score

from tacit.study.fit import scored
from tacit.study.learners import Predictions
from tacit.study.summary.accuracies import COLUMNS, accuracies

TRUTH = np.asarray([0, 0, 0, 1, 1, 2, 2, 2])
LIKELY = np.asarray(
    [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.3, 0.4, 0.3], [0.1, 0.2, 0.7],
     [0.5, 0.2, 0.3], [0.2, 0.2, 0.6]]
)  # fmt: skip


def split(truth):
    schema = SimpleNamespace(columns=("a",), private_columns=())
    train = np.asarray([0, 0, 1, 2])
    return SimpleNamespace(test_labels=truth, train_labels=train, train_index=train, test_index=truth, schema=schema)


def test_of_three_classes():
    found = scored(Predictions(LIKELY.argmax(axis=1), None, 0.0, 0.0, LIKELY), split(TRUTH))
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(TRUTH, LIKELY.argmax(axis=1)))
    assert found["log_loss"] == pytest.approx(log_loss(TRUTH, LIKELY))
    assert found["auc"] == pytest.approx(roc_auc_score(TRUTH, LIKELY, multi_class="ovo"))
    assert found["brier"] == pytest.approx(((LIKELY - np.eye(3)[TRUTH]) ** 2).sum(axis=1).mean() / 2)
    assert found["majority"] == 3 / 8


def test_of_two_classes():
    truth, yes = (TRUTH > 0).astype(int), LIKELY[:, 1:].sum(axis=1)
    likely = np.column_stack([1 - yes, yes])
    found = scored(Predictions((yes > 0.5).astype(int), yes - 0.5, 0.0, 0.0, likely), split(truth))
    assert found["auc"] == pytest.approx(roc_auc_score(truth, yes))
    assert found["brier"] == pytest.approx(brier_score_loss(truth, yes))


def test_without_probabilities_there_are_no_losses():
    found = scored(Predictions(TRUTH, None, 0.0, 0.0), split(TRUTH))
    assert (found["log_loss"], found["brier"], found["auc"], found["balanced_accuracy"]) == (None, None, None, 1.0)


@pytest.mark.parametrize(
    ("gains", "said"), [([0.0, 0.0], True), ([-0.1, 0.05], True), ([0.1, 0.12], False), ([0.01], False)]
)
def test_no_better_than_the_majority_class(gains, said):
    rows = [
        dict.fromkeys(COLUMNS) | {"data": "toy", "name": "a", "status": "done", "accuracy": 0.9 + gain, "majority": 0.9}
        for gain in gains
    ]
    assert accuracies(pl.DataFrame(rows))["no_better"].to_list() == [said]


def test_results_of_earlier_versions_have_no_further_measures():
    row = dict.fromkeys(COLUMNS) | {"data": "toy", "name": "a", "status": "done", "accuracy": 0.9}
    found = accuracies(pl.DataFrame([row]))
    assert found.select("balanced_accuracy", "no_better").row(0) == (None, None)
