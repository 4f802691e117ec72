"""One person's cell decides about that person's row: fits of two neighbors, whatever the type of the changed cell."""

from __future__ import annotations

import warnings
from functools import cache
from itertools import product

import numpy as np
import pytest

from harness.longer import longer
from tacit import (
    Categorical,
    Label,
    LogisticClassifier,
    NaiveBayesClassifier,
    PrivacyWarning,
    Schema,
    TreeClassifier,
)
from tacit.study.learners import private_learners

SCHEMA = Schema([Categorical("c", [0, 1], other=True)], label=Label("y", [0, 1]))
CELLS = [0, 1] * 1000
SEEDS = 20
LEARNERS = sorted(private_learners().values(), key=lambda cls: cls._learner)


def times_learned(learner, X, y, **parameters):
    """Return for how many seeds the model predicts that the label is the cell."""
    learned = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        for seed in range(SEEDS):
            model = learner(SCHEMA, epsilon=0.1, random_state=seed, **parameters).fit(X, y)
            learned += model.predict([[0], [1]]).tolist() == [0, 1]
    return learned


@cache
def times_learned_before(learner):
    return times_learned(learner, [[cell] for cell in CELLS], CELLS, on_invalid="coerce")


# Cells are read before a learner sees them: every type with one learner, and every learner with one type.
@pytest.mark.parametrize(
    ("learner", "foreign"),
    [*longer(((learner, "x") for learner in LEARNERS), 4), (NaiveBayesClassifier, b"0"), (NaiveBayesClassifier, 1j)],
)
def test_a_cell_of_another_type_moves_the_model_no_more_than_one_row_may(learner, foreign):
    neighbor = [[foreign], *([cell] for cell in CELLS[1:])]
    after = times_learned(learner, neighbor, CELLS, on_invalid="coerce")
    assert abs(times_learned_before(learner) - after) <= 3


@pytest.mark.parametrize(
    ("learner", "make", "foreign"),
    [
        *product([NaiveBayesClassifier], [list, tuple, lambda y: np.asarray(y, dtype=object)], ["x", None, 0.5]),
        (TreeClassifier, list, "x"), (LogisticClassifier, list, "x"),
    ],
)  # fmt: skip
def test_nor_does_a_label_of_another_type(learner, make, foreign):
    X = [[cell] for cell in CELLS]
    after = times_learned(learner, X, make([foreign, *CELLS[1:]]), on_invalid="coerce")
    assert abs(times_learned_before(learner) - after) <= 3


def test_the_attack_would_be_seen():
    """The models do learn at this budget, so that losing all rows would change the count."""
    assert times_learned(NaiveBayesClassifier, [[cell] for cell in CELLS], CELLS) == SEEDS
