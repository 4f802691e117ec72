"""PATE on split features and Boosting for People: what the corrected ones release, and that what is published leaks."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import log

import numpy as np
import pytest

from reproductions.shen2022.baselines import TrainedAdaBoost
from reproductions.shen2022.pate import QUESTIONS, PublishedPATE, SplitPATE
from reproductions.shen2022.people import BoostingForPeople, own_epsilon, sampled_cost
from reproductions.shen2022.people_replay import Rows, apart, replay
from tacit.audit.mutants import half_noise
from tacit.audit.neighbors import Pair
from tacit.audit.replay import press, replay_pair
from tacit.errors import ParameterError
from tacit.schema import Label, Numeric, Schema
from tacit.table import read_rows

SCHEMA = Schema(
    [Numeric("a", -1, 1), Numeric("b", -1, 1), Numeric("p", -1, 1, private=False)],
    label=Label("y", [0, 1], private=False),
)


def rows_of(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(seed).uniform(-1, 1, (n_rows, 3))
    return X, (X @ [1.0, 0.5, 0.5] > 0).astype(int)


def pair() -> Pair:
    """Two tables of one part more rows than teachers, which differ in the private columns of a row."""
    X, y = rows_of(240)
    rows = [(*map(float, row), int(label)) for row, label in zip(X, y, strict=True)]
    return Pair(SCHEMA, tuple(rows), ((-rows[0][0], -rows[0][1], *rows[0][2:]), *rows[1:]))


def make() -> SplitPATE:
    return SplitPATE(SCHEMA, epsilon=1.0)


def test_the_corrected_pate_stays_within_its_budget_and_leaves_nothing_else():
    found = replay_pair(make, pair())
    assert [step.line.query for step in found.steps] == ["votes of teachers", "rows of each label with bit 1"]
    assert found.differences == ()
    assert not found.refuted
    assert found.steps[1].reached == pytest.approx(1)  # a row of the opposite sign has the other bit
    assert press(found, make).epsilon <= 1 + 1e-9


def test_the_corrected_rule_and_odds_follow_from_the_answers_alone():
    made = []
    replay_pair(lambda: made.append(make()) or made[-1], pair())
    assert made[0].rule_.tolist() == made[1].rule_.tolist()
    assert made[0].log_odds_.tolist() == made[1].log_odds_.tolist()


def test_the_replay_sees_half_of_the_noise():
    one, other = pair(), None
    for seed in range(8):  # a row whose bit goes the other way, for some rule
        other = replay_pair(make, one, seed=seed, mutant=half_noise)
        if other.refuted:
            break
    assert other is not None
    assert other.refuted


def test_the_corrected_pate_learns_where_noise_is_small():
    X, y = rows_of(4000)
    model = SplitPATE(SCHEMA, epsilon=100.0).fit(X, y)
    assert [line.sensitivity for line in model.privacy_.releases] == [QUESTIONS, 1]
    assert np.mean((model.decision(read_rows(X, SCHEMA)) > 0) == y) > 0.85


def test_a_private_label_is_refused():
    with pytest.raises(ParameterError, match="public label"):
        SplitPATE(replace(SCHEMA, label=Label("y", [0, 1])), 1.0).fit(*rows_of(50))


def test_the_published_pate_is_flat_where_all_queries_share_and_grows_where_each_is_alone():
    X, y = rows_of(3000)
    train, test = slice(0, 2500), slice(2500, None)
    private, public = ((X[train][:, at], X[test][:, at]) for at in (slice(0, 2), slice(2, 3)))

    def accuracy(noise):
        return np.mean(PublishedPATE(0.2, noise).predict(private, public, y[train]) == y[test])

    together, alone = accuracy("all queries"), accuracy("each query alone")
    assert together < 0.75
    assert alone > together + 0.1


def test_secret_draws_cost_what_the_proof_says():
    """Four rows, weights with a cap of 1/2, two draws, randomized response on whether row 0 was drawn high."""
    own, size, density, n_rows = 1.0, 2, 0.5, 4
    one, other = np.asarray([0.5, 0.3, 0.1, 0.1]), np.asarray([0.0, 0.6, 0.2, 0.2])
    cells = np.asarray([1, 0, 0, 0]), np.asarray([0, 0, 0, 0])
    keep = np.exp(own) / (1 + np.exp(own))

    def distribution(weights, values):
        chance = 0.0
        for drawn in product(range(n_rows), repeat=size):
            high = any(values[at] for at in drawn)
            chance += np.prod(weights[list(drawn)]) * (keep if high else 1 - keep)
        return chance

    first, second = distribution(one, cells[0]), distribution(other, cells[1])
    loss = max(abs(log(first / second)), abs(log((1 - first) / (1 - second))))
    bound = sampled_cost(own, size, n_rows, density)
    assert 0.5 * bound < loss <= bound
    assert own_epsilon(bound, size, n_rows, density) == pytest.approx(own)


MODES = ["sampled", "noisy accuracy", "noisy weights"]


@pytest.mark.parametrize("mode", MODES)
def test_no_round_of_boosting_for_people_costs_more_than_its_part_and_some_cost_nearly_as_much(mode):
    X, y = rows_of(60)
    most = 0.0
    for trial in range(12):
        fitted = BoostingForPeople(4.0, mode, rounds=6, seed=trial).fit(X, y)
        other, labels = X.copy(), y.copy()
        other[0], labels[0] = -X[0] if trial % 2 else np.sign(X[0]), 1 - y[0]
        rounds = list(replay(fitted, Rows(X, y), Rows(other, labels)))
        assert len(rounds) == 6
        assert sum(sum(one.losses) for one in rounds) <= 4.0 * (1 + 1e-9)
        most = max(most, *(one.reached for one in rounds))
    assert most > 0.7
    assert most <= 1 + 1e-9


def test_distributions_of_a_draw_differ_by_at_most_the_cap_and_attain_it():
    cap = 0.5  # four rows, kappa 1/2
    assert apart([np.asarray([0.5, 0.3, 0.1, 0.1]), np.asarray([0.0, 0.6, 0.2, 0.2])]) == pytest.approx(cap)


@pytest.mark.parametrize("mode", MODES)
def test_boosting_for_people_learns_with_a_large_budget_and_guesses_with_a_small_one(mode):
    X, y = rows_of(3000)
    accuracies = [
        np.mean(BoostingForPeople(epsilon, mode, rounds=5, seed=1).fit(X, y).predict(X) == y)
        for epsilon in (200.0, 0.001)
    ]
    assert accuracies[0] > 0.85
    assert accuracies[1] < 0.8


def test_adaboost_with_a_trained_learner_begins_with_the_learner():
    X, y = rows_of(500)
    boost = TrainedAdaBoost(3).fit(X, y)
    stages = boost.staged_predict(X)
    assert stages.shape == (3, 500)
    assert (stages[0] == boost.learners_[0].predict(X)).all()
