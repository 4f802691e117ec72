"""DPBoost: how far gains and leaves move, what a fit releases, and that the published sensitivity does not hold."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from reproductions.salamatian2021.comparators import in_figure
from reproductions.salamatian2021.dpboost import DPBoost, sizes
from reproductions.salamatian2021.gains import Bounds, Gains, candidates_of, leaf_means
from tacit.audit.mutants import half_noise
from tacit.audit.neighbors import Pair
from tacit.audit.replay import replay_pair
from tacit.errors import ParameterError
from tacit.features import GRID_STEPS, BinEncoding
from tacit.privacy import PrivacyUnit
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_rows

SCHEMA = Schema([Categorical("a", ["0", "1"]), Categorical("b", ["0", "1"])], label=Label("y", ["no", "yes"]))
MIXED = Schema([Numeric("x", 0, 1), Numeric("z", 0, 1)], label=Label("y", [0, 1]))
UNIT = PrivacyUnit(("x", "z"), label=True)
K, M = 300, 20


def crossing() -> Pair:
    """A row that goes from the opposing side to the agreeing one by column a, and the other way by column b.

    M more rows make the split by a the worse one on both tables.
    """
    rest = [("0", "1", "no")] * K + [("1", "0", "yes")] * K + [("1", "1", "no")] * M
    return Pair(SCHEMA, (("0", "0", "yes"), *rest), (("1", "1", "yes"), *rest))


def make(cost: str, **settings: int) -> DPBoost:
    return DPBoost(SCHEMA, 1.0, cost, **{"n_trees": 1, "depth": 1, **settings})


def test_a_pair_of_neighbors_refutes_the_published_sensitivity_and_not_the_corrected_one():
    published, corrected = (replay_pair(partial(make, cost), crossing()) for cost in ("published", "corrected"))
    assert published.refuted
    assert published.steps[0].reached > 1.2
    assert not corrected.refuted
    assert 0.9 < corrected.steps[0].reached <= 1


def test_two_leaves_move_by_more_than_is_published():
    # One row alone in each of two leaves, which leaves one for the other: 1/(1 + lambda) each.
    gradient = np.asarray([float(GRID_STEPS)])
    for cost, holds in (("published", False), ("corrected", True)):
        one, other = (leaf_means(np.asarray([leaf]), gradient, 2, Bounds(cost, 0, UNIT)) for leaf in (0, 1))
        moved = np.abs(one.unreleased_value - other.unreleased_value).sum()
        assert moved == pytest.approx(2 / 1.1 * GRID_STEPS, abs=2)
        assert (moved <= one.l1) == holds


def test_no_random_neighbors_move_more_than_is_stated():
    encoding, generator = BinEncoding(MIXED, MIXED.names, 4), np.random.default_rng(0)
    most = {"gains": 0.0, "leaves": 0.0}
    for trial in range(400):
        n_rows, tree = int(generator.integers(1, 12)), trial % 20
        codes, nodes = generator.integers(0, 4, (n_rows, 2)), generator.integers(0, 2, n_rows)
        gradients = np.sign(generator.uniform(-1, 1, n_rows)) * generator.choice([0.3, 1.0], n_rows) * GRID_STEPS
        others = codes.copy(), nodes.copy(), np.trunc(gradients)
        others[0][0], others[1][0] = generator.integers(0, 4, 2), generator.integers(0, 2)
        others[2][0] = generator.choice([-1, 1]) * GRID_STEPS
        left_out = int(trial % 5 == 0)  # a row that is read on one table alone
        bounds, found = Bounds("corrected", tree, UNIT), []
        for codes_, nodes_, gradients_ in (
            (codes, nodes, np.trunc(gradients)),
            tuple(each[left_out:] for each in others),
        ):
            gains = Gains(encoding, codes_, gradients_, bounds, n_rows).statistic(nodes_, 2)
            found.append((gains, leaf_means(nodes_, gradients_, 2, bounds)))
        (gains, leaves), (other_gains, other_leaves) = found
        changes = gains.unreleased_value - other_gains.unreleased_value
        assert changes.shape == (2, len(candidates_of(encoding).columns))
        moved = np.ptp(changes, axis=1).sum()
        stepped = np.abs(leaves.unreleased_value - other_leaves.unreleased_value).sum()
        assert moved <= gains.range < 8 + 1e-9
        assert stepped <= leaves.l1
        most = {"gains": max(most["gains"], moved), "leaves": max(most["leaves"], stepped / leaves.l1)}
    assert most["gains"] > 3
    assert most["leaves"] > 0.95


def test_gains_are_the_papers():
    encoding = BinEncoding(SCHEMA, SCHEMA.names)
    codes, gradients = np.asarray([[0, 0], [0, 1], [1, 1]]), np.asarray([1.0, 1.0, -1.0]) * GRID_STEPS
    gains = Gains(encoding, codes, gradients, Bounds("corrected", 0, UNIT), 3).statistic(np.zeros(3, dtype=int), 1)
    # Column a apart: 2^2/2.1 + 1/1.1; column b: 1/1.1 + 0/2.1.
    assert gains.unreleased_value[0, 0] == pytest.approx(4 / 2.1 + 1 / 1.1)
    b = candidates_of(encoding).columns.tolist().index(1)
    assert gains.unreleased_value[0, b] == pytest.approx(1 / 1.1 + 0 / 2.1)


def replayed(mutant=None, seed=0):
    rest = [("0", "1", "no"), ("1", "0", "yes"), ("1", "1", "no"), ("0", "0", "yes")] * 5
    pair = Pair(SCHEMA, (("0", "0", "yes"), *rest), (("1", "1", "no"), *rest))
    return replay_pair(partial(make, "corrected", n_trees=3, depth=2), pair, seed=seed, mutant=mutant)


def test_a_fit_leaves_its_releases_alone_and_stays_within_its_budget():
    for seed in range(4):
        found = replayed(seed=seed)
        assert [step.line.query.split(" (")[0] for step in found.steps][:3] == ["gains of splits"] * 2 + [
            "steps of leaves"
        ]
        assert len(found.steps) == 9
        assert found.differences == ()
        assert not found.refuted
        assert found.epsilon <= 1 + 1e-9


def test_trees_follow_from_the_answers_alone():
    rest = [("0", "1", "no"), ("1", "0", "yes"), ("1", "1", "no"), ("0", "0", "yes")] * 5
    pair, made = Pair(SCHEMA, (("0", "0", "yes"), *rest), (("1", "1", "no"), *rest)), []
    replay_pair(lambda: made.append(make("corrected", n_trees=3, depth=2)) or made[-1], pair)
    one, its = ([np.concatenate([*levels, leaves]).tolist() for levels, leaves in each.trees_] for each in made)
    assert one == its


def test_the_replay_sees_half_of_the_noise():
    assert replay_pair(partial(make, "corrected"), crossing(), mutant=half_noise).refuted
    # A row alone in its leaf, which goes to the other one where a column is asked that tells its codes from each other.
    alone = Pair(SCHEMA, (("0", "0", "yes"),), (("1", "1", "yes"),))
    for mutant, caught in ((None, 1.0), (half_noise, 2.0)):
        found = [replay_pair(partial(make, "corrected"), alone, seed=seed, mutant=mutant) for seed in range(6)]
        assert max(one.steps[1].reached for one in found) == pytest.approx(caught, rel=1e-3)


def test_rows_whose_gradients_noise_has_made_large_are_left_out():
    rest = [("0", "1", "no"), ("1", "0", "yes")] * 10
    pair = Pair(SCHEMA, (("0", "0", "yes"), *rest), (("1", "1", "no"), *rest))
    # At this epsilon a tree's noise is some dozens of the largest gradient that counts.
    noisy = partial(DPBoost, SCHEMA, 0.01, n_trees=3, depth=1)
    assert not any(replay_pair(noisy, pair, seed=seed).refuted for seed in range(12))


def test_trees_have_rows_of_their_own_and_each_the_whole_budget():
    generator = np.random.default_rng(0)
    X = generator.uniform(0, 1, (3000, 2))
    y = (X[:, 0] > 0.5).astype(int)
    model = DPBoost(MIXED, 200.0, n_trees=10, depth=3).fit(X, y)
    assert np.mean((model.decision(read_rows(X, MIXED)) > 0) == y) > 0.9
    assert model.privacy_.status == "simulated"
    assert sum(line.loss for line in model.privacy_.releases) == pytest.approx(10 * 200)
    assert DPBoost(MIXED, 1.0, "published", n_trees=2).fit(X, y).privacy_.status == "void"
    assert DPBoost(MIXED, 1.0, rows="halves", n_trees=2).fit(X, y).privacy_.status == "void"


@pytest.mark.parametrize(("n_rows", "n_trees"), [(50, 50), (60, 50), (32_561, 50), (271, 3), (7, 1)])
def test_parts_hold_every_row_once(n_rows, n_trees):
    found = sizes(n_rows, n_trees)
    assert found.sum() == n_rows
    assert found.min() >= 1
    assert (np.diff(found) <= 0).all()


def test_three_classes_and_tables_without_a_row_for_each_tree_are_refused():
    with pytest.raises(ParameterError, match="two classes"):
        DPBoost(MIXED, 1.0).fit(np.zeros((49, 2)), np.zeros(49, dtype=int))


def test_the_figure_has_three_series_of_five_folds():
    tasks = list(in_figure())
    assert len(tasks) == 3 * 5 * 6
    assert len({task.key for task in tasks}) == len(tasks)
