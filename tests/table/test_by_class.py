"""What follows from a row's numbers of the classes is the same, bit for bit, alone and in any company."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from tacit import BoostedTreesClassifier, LazyBBClassifier, LogisticClassifier, NaiveBayesClassifier, TreeClassifier
from tacit.convex import SquaredLoss
from tacit.measures.platt import onto_lines
from tacit.queries.held_out import _losses
from tacit.queries.leaf_sums import STEPS, _derivatives, _Loss
from tacit.queries.ranked_gradients import residual_steps
from tacit.schema import Label, Numeric, Schema
from tacit.table.by_class import class_shares, class_sums, other_sums

BOUNDS = (-0.5, 0.5)


def brier(scores, labels):
    return _losses(class_shares(scores, axis=1), labels, "brier")[:, None]


def lines(scores, labels):
    n_classes = scores.shape[1]
    return onto_lines(class_shares(scores, axis=1), np.linspace(0.5, 2, n_classes), np.linspace(-1, 1, n_classes))


def leaf(scores, labels):
    margins = np.rint(scores * STEPS).astype(np.int64).T
    return np.concatenate(
        _derivatives(
            _Loss(scores.shape[1], BOUNDS, SquaredLoss(2.0) if scores.shape[1] == 1 else None), margins, labels
        )
    ).T


OF_ROWS = {
    "sums": lambda scores, labels: class_sums(scores, axis=1),
    "others": lambda scores, labels: other_sums(class_shares(scores, axis=1)),
    "shares": lambda scores, labels: class_shares(scores, axis=1),
    "shares of columns": lambda scores, labels: class_shares(scores.T, axis=0).T,
    "residuals of ranks": residual_steps,
    "residuals of leaves": leaf,
    "losses": brier,
    "lines": lines,
}


@pytest.mark.parametrize("name", OF_ROWS)
@settings(max_examples=25)
@given(st.integers(3, 40), st.integers(2, 70), st.integers(0, 2**32 - 1), st.sampled_from("CF"))
def test_a_row_is_what_it_is_alone(name, n_classes, n_rows, seed, order):
    generator = np.random.default_rng(seed)
    scores = np.asarray(generator.normal(0, 3, (n_rows, n_classes)), order=order)
    labels = generator.integers(0, n_classes, n_rows)
    together = OF_ROWS[name](scores, labels)
    alone = np.concatenate([OF_ROWS[name](scores[[at]], labels[[at]]) for at in range(n_rows)])
    assert (together == alone).all()


def test_sums_and_shares_are_those_of_the_classes():
    scores = np.random.default_rng(0).normal(0, 5, (50, 12))
    assert class_shares(scores, axis=1) == pytest.approx(softmax(scores, axis=1), rel=1e-14)
    assert class_sums(scores, axis=1) == pytest.approx(scores.sum(axis=1, keepdims=True), rel=1e-12)
    assert other_sums(scores) == pytest.approx(scores.sum(axis=1, keepdims=True) - scores, rel=1e-9)
    assert class_shares(np.asarray([[1e4, -1e4]]), axis=1).tolist() == [[1.0, 0.0]]


def test_the_rest_of_a_class_that_is_nearly_sure_is_not_lost():
    assert other_sums(np.asarray([[1.0, 1e-20, 2e-20]]))[0, 0] == 1e-20 + 2e-20


N_CLASSES = 12


@pytest.mark.parametrize(
    "estimator",
    [
        BoostedTreesClassifier(epsilon=20, delta=1e-5, n_trees=4),
        LogisticClassifier(epsilon=20, delta=1e-5, encoding="ranked"),
        LazyBBClassifier(epsilon=20, rounds=5),
        NaiveBayesClassifier(epsilon=20, holdout=0.4),
        TreeClassifier(epsilon=20),
    ],
    ids=lambda each: type(each).__name__,
)
def test_so_are_the_probabilities_of_every_model(estimator):
    generator = np.random.default_rng(0)
    rows = generator.uniform(0, 1, (4_000, 2))
    labels = np.minimum((rows[:, 0] * N_CLASSES).astype(int), N_CLASSES - 1)
    columns = [Numeric("a", 0, 1), Numeric("b", 0, 1)]
    estimator.schema = Schema(columns, label=Label("y", [*range(N_CLASSES)], private=True))
    estimator.random_state = 0
    model = estimator.fit(rows, labels).model_
    together = model.predict_proba(rows[:40])
    assert (together == np.concatenate([model.predict_proba(rows[[at]]) for at in range(40)])).all()
    assert (together == model.predict_proba(np.asarray(rows[:41]))[:40]).all()
