"""Exact selection probabilities of LazyBB on tiny tables: within epsilon, nearly used up, broken variants caught."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tacit.boosting.smooth_weights as projection
from harness.neighbors import all_pairs
from harness.scripted import largest_log_ratio
from tacit.boosting import LazyBB, OneRule
from tacit.mechanisms import announce
from tacit.privacy import Accountant, Budget
from tacit.schema import Categorical, Label, Numeric, Schema

EPSILON = 0.8
COIN = Schema([Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"], private=False))
PARTIAL = Schema(
    [Categorical("c", ["a", "b"]), Numeric("z", -1, 1, cuts=[0], private=False)],
    label=Label("y", ["no", "yes"], private=False),
)
FOUR_CASES = [COIN, COIN.all_private(), COIN.with_private([], label=True), PARTIAL]
CANDIDATES = range(4)  # is b, is not b, always yes, always no


def run_lazybb(rounds=2, density=0.5, start=None):
    def run(table, noise):
        settings = LazyBB(rounds, density, 1.0, OneRule(), start_learner=start)
        accountant = Accountant(Budget(EPSILON), table.unit, noise, n_rows=table.n_rows)
        releases = announce(accountant, settings.plan(table.unit))
        return settings.train(table, releases, np.random.default_rng(0))

    return run


SCRIPTS = list(product(CANDIDATES, repeat=2))


@pytest.mark.parametrize("schema", FOUR_CASES, ids=["features", "all", "label only", "partial"])
def test_two_rounds_are_within_epsilon(schema):
    pairs = list(all_pairs(schema, 3))[:: 40 if schema is PARTIAL else 1]
    assert 0.3 * EPSILON < largest_log_ratio(run_lazybb(), pairs, SCRIPTS) <= EPSILON + 1e-9


def test_one_round_nearly_uses_the_budget_up():
    pairs = list(all_pairs(COIN.all_private(), 3))
    assert largest_log_ratio(run_lazybb(1), pairs, [(c,) for c in CANDIDATES]) > 0.85 * EPSILON


def test_half_of_the_noise_is_caught():
    pairs = list(all_pairs(COIN.all_private(), 3))
    assert largest_log_ratio(run_lazybb(), pairs, SCRIPTS, stretch=0.5) > EPSILON
    assert largest_log_ratio(run_lazybb(1), pairs, [(c,) for c in CANDIDATES], stretch=0.5) > EPSILON


def unprojected(margins, counts, *, density, learning_rate):
    raw = np.exp(-learning_rate * margins)
    return raw / (raw @ counts)


def capped_only(margins, counts, *, density, learning_rate):
    raw = np.minimum(1.0, density * np.exp(-learning_rate * margins))
    return raw / (raw @ counts)


@pytest.mark.parametrize("naive", [unprojected, capped_only])
def test_naive_projections_are_caught(naive, monkeypatch):
    scripts = [(first,) * 3 + (last,) for first in (0, 2) for last in (0, 3)]
    pairs = list(all_pairs(COIN.all_private(), 3))
    assert largest_log_ratio(run_lazybb(4, density=0.9), pairs, scripts) <= EPSILON + 1e-9
    monkeypatch.setattr(projection, "smooth_weights", naive)
    assert largest_log_ratio(run_lazybb(4, density=0.9), pairs, scripts) > 1.2 * EPSILON


def test_a_public_start_is_within_epsilon():
    from sklearn.linear_model import LogisticRegression

    pairs = list(all_pairs(PARTIAL, 2))[::5]
    scripts = list(product(range(6), repeat=1))
    assert 0 < largest_log_ratio(run_lazybb(1, start=LogisticRegression), pairs, scripts) <= EPSILON + 1e-9
