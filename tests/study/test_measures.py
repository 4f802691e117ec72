"""Measures beside accuracy, by hand and as scikit-learn has them."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss, roc_auc_score

from tacit.study.fit import scored
from tacit.study.learners import Predictions
from tacit.study.summary import calibrations
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


def test_calibration_by_tenths():
    likely = np.asarray([0.05, 0.07, 0.31, 0.39, 1.0])
    made = Predictions(np.zeros(5, int), likely, 0.0, 0.0, np.column_stack([1 - likely, likely]))
    found = json.loads(scored(made, split(np.asarray([0, 1, 0, 0, 1])))["calibration"])
    assert found[0] == [2, 0.06, 0.5] and found[3] == [2, 0.35, 0.0] and found[9] == [1, 1.0, 1.0]
    assert found[1] == [0, 0.0, 0.0]
    odd = Predictions(np.zeros(5, int), likely, 0.0, 0.0, np.full((5, 2), np.nan))
    assert scored(odd, split(np.asarray([0, 1, 0, 0, 1])))["calibration"] is None
    assert scored(Predictions(LIKELY.argmax(axis=1), None, 0.0, 0.0, LIKELY), split(TRUTH))["calibration"] is None


def test_calibration_over_splits():
    row = dict.fromkeys(COLUMNS) | {"data": "toy", "name": "BRC", "epsilon": 1.0, "status": "done"}
    one = row | {"calibration": json.dumps([[30, 0.04, 0.1], [5, 0.15, 0.2]])}
    other = row | {"calibration": json.dumps([[10, 0.08, 0.5], [5, 0.15, 0.2]])}
    failed = row | {"status": "failed", "calibration": json.dumps([[90, 0.01, 1.0]])}
    found = calibrations(pl.DataFrame([one, other, failed]))
    # The second tenth has ten rows in all, too few.
    assert found.select("place", "rows").rows() == [(0, 40)]
    assert found.select("said", "came").row(0) == pytest.approx(((30 * 0.04 + 10 * 0.08) / 40, (3 + 5) / 40))
    assert not len(calibrations(pl.DataFrame([row])))


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
