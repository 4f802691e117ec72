"""Exact output densities of BRC on tiny tables: the promise holds, is nearly used up, and half the noise is caught."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from harness.neighbors import all_pairs
from harness.scripted import largest_log_ratio
from tacit.boosting import BRC, CappedWeights
from tacit.mechanisms import announce
from tacit.privacy import Accountant, Budget
from tacit.schema import Label, Numeric, Schema

EPSILON = 0.7
PUBLIC_LABEL = Schema([Numeric("x", -1, 1)], label=Label("y", ["no", "yes"], private=False))
LABEL_ONLY = PUBLIC_LABEL.with_private([], label=True)
PARTIAL = Schema(
    [Numeric("x", -1, 1), Numeric("z", -1, 1, private=False)], label=Label("y", ["no", "yes"], private=False)
)
FOUR_CASES = [PUBLIC_LABEL, PUBLIC_LABEL.all_private(), LABEL_ONLY, PARTIAL]


def run_brc(rounds=2, intercept="uniform"):
    def run(table, noise):
        brc = BRC(rounds, CappedWeights(2**0.5, 2**0.5), intercept, "ordinal", Stump)
        accountant = Accountant(Budget(EPSILON), table.unit, noise, n_rows=table.n_rows)
        releases = announce(accountant, brc.plan(table.unit))
        return brc.train(table, releases, np.random.default_rng(3))

    return run


class Stump(DecisionTreeClassifier):
    def __init__(self):
        super().__init__(max_depth=1, random_state=0)


ANSWERS = list(product([-3.0, 0.2, 0.45, 0.9, 4.0], repeat=2))


@pytest.mark.parametrize("schema", FOUR_CASES, ids=["features", "all", "label only", "partial"])
def test_the_true_loss_is_within_epsilon(schema):
    pairs = list(all_pairs(schema, 2))[:: 3 if schema is PARTIAL else 1]
    nearly = 0.9 if schema.label.private and schema.private_columns else 0.5  # used up where every cell is private
    assert nearly * EPSILON < largest_log_ratio(run_brc(), pairs, ANSWERS) <= EPSILON + 1e-9


def test_half_of_the_noise_is_caught():
    pairs = list(all_pairs(PUBLIC_LABEL.all_private(), 2))
    assert largest_log_ratio(run_brc(), pairs, ANSWERS, stretch=0.5) > EPSILON


def test_selected_intercepts_are_within_epsilon():
    pairs = list(all_pairs(PUBLIC_LABEL.all_private(), 2))[::7]
    scripts = [(0, 0.2), (3, 0.2), (1, -3.0), (4, 4.0)]
    import tacit.boosting.random_classifiers as random_classifiers

    original = random_classifiers.CANDIDATES
    random_classifiers.CANDIDATES = 5  # enumerating the weighting of permute-and-flip takes 2 ** candidates
    try:
        assert 0 < largest_log_ratio(run_brc(1, "selected"), pairs, scripts) <= EPSILON + 1e-9
        assert largest_log_ratio(run_brc(1, "selected"), pairs, scripts, stretch=0.3) > EPSILON
    finally:
        random_classifiers.CANDIDATES = original
