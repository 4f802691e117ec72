"""Exact output densities of trees on tiny tables: within epsilon, which is nearly used up; half the noise is caught."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from harness.neighbors import Pair, all_pairs
from harness.scripted import largest_log_ratio, largest_paired_log_ratio
from harness.sized import sized
from tacit.boosting import LazyBB
from tacit.boosting.smooth_weights import project, reweight
from tacit.features import BinEncoding
from tacit.learners.top_down import WeakTree
from tacit.learners.tree import Tree
from tacit.mechanisms import announce
from tacit.privacy import Accountant, Budget
from tacit.queries import Margins
from tacit.schema import Categorical, Label, Schema

EPSILON = 0.7
PUBLIC_LABEL = Schema(
    [Categorical("a", ["0", "1"]), Categorical("b", ["0", "1"])], label=Label("y", ["no", "yes"], private=False)
)
LABEL_ONLY = PUBLIC_LABEL.with_private([], label=True)
PARTIAL = PUBLIC_LABEL.with_private(["a"], label=False)
FOUR_CASES = [PUBLIC_LABEL, PUBLIC_LABEL.all_private(), LABEL_ONLY, PARTIAL]
NAMES = ["features", "all", "label only", "partial"]
CROWD = 60


def run_tree(growth="best-first", criterion="error", size=2, delta=0.0, budget="uniform"):
    def run(table, noise):
        encoding = BinEncoding(table.schema, table.schema.names)
        tree = Tree(encoding, growth, criterion, size, level_budget=budget)
        accountant = Accountant(Budget(EPSILON, delta), table.unit, noise, n_rows=table.n_rows)
        releases = announce(accountant, tree.plan(table.unit))
        return tree.train(table, releases, np.random.default_rng(0))

    return run


def run_weak(criterion="error"):
    def run(table, noise):
        encoding = BinEncoding(table.schema, table.schema.names)
        learner = WeakTree(max_splits=2, criterion=criterion)
        weights = project(reweight(Margins(table, rounds=1), 0.5), 0.9)
        accountant = Accountant(Budget(EPSILON), table.unit, noise, n_rows=table.n_rows)
        releases = announce(accountant, learner.plan(table.unit))
        return learner.learn(table, encoding, weights, releases)

    return run


def crowded(schema: Schema) -> list[Pair]:
    """Pairs of larger tables, built so that the Gini impurity moves by nearly its range."""
    crowd = [*[("0", "0", "no")] * CROWD]
    label_too = schema.label.private
    # "a" tells all, "b" half of it; the row that moves adds a mistake to one of them and takes one from the other.
    told = [*crowd, *[("1", "1", "yes")] * (CROWD // 2), *[("1", "0", "yes")] * (CROWD // 2)]
    pairs = [Pair(schema, (*told, ("0", "1", "yes")), (*told, ("1", "0", "yes")))]
    pairs.append(Pair(schema, (*crowd, ("0", "1", "yes")), (*crowd, ("1", "0", "yes"))))
    both = [*[("0", "0", "no")] * CROWD, *[("1", "1", "yes")] * CROWD]
    pairs.append(Pair(schema, (*both, ("0", "1", "yes")), (*both, ("1", "0", "yes"))))
    if label_too:
        pairs.append(Pair(schema, (*both, ("0", "1", "yes")), (*both, ("0", "1", "no"))))
    return pairs


def pairs_of(schema: Schema, at_most: int = 15) -> list[Pair]:
    """Pairs of two rows, spread over all there are, and the crowded ones where columns and label are protected."""
    pairs = list(all_pairs(schema, 2))
    spread = pairs[:: max(len(pairs) // at_most, 1)]
    return [*crowded(schema), *spread] if schema.column("a").private and schema.column("b").private else spread


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize("schema", FOUR_CASES, ids=NAMES)
def test_best_first_is_within_epsilon(schema, criterion):
    assert (
        0 < largest_paired_log_ratio(sized(run_tree(criterion=criterion)), pairs_of(schema), SCRIPTS) <= EPSILON + 1e-9
    )


SCRIPTS = list(product([0, 1], [0, 1]))
LEVEL_SCRIPTS = list(product([0, 1], repeat=3))


def test_the_budget_is_nearly_used_up():
    schema = PUBLIC_LABEL.all_private()
    pairs = pairs_of(schema, 40)
    assert largest_paired_log_ratio(sized(run_tree(size=1)), pairs, SCRIPTS) > 0.95 * EPSILON
    assert largest_paired_log_ratio(sized(run_tree()), pairs, SCRIPTS) > 0.7 * EPSILON


@pytest.mark.parametrize("criterion", ["error", "gini"])
def test_half_of_the_noise_is_caught(criterion):
    schema = PUBLIC_LABEL.all_private()
    pairs = pairs_of(schema)
    assert largest_paired_log_ratio(sized(run_tree(criterion=criterion)), pairs, SCRIPTS, stretch=0.5) > EPSILON


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize("schema", FOUR_CASES, ids=NAMES)
def test_levels_by_selection_are_within_epsilon(schema, criterion):
    pairs = pairs_of(schema)
    run = sized(run_tree("level", criterion, budget="geometric"))
    assert 0 < largest_paired_log_ratio(run, pairs, LEVEL_SCRIPTS) <= EPSILON + 1e-9


def test_half_of_the_noise_on_levels_is_caught():
    schema = PUBLIC_LABEL.all_private()
    pairs = pairs_of(schema, 40)
    assert largest_paired_log_ratio(sized(run_tree("level", "error")), pairs, LEVEL_SCRIPTS, stretch=0.5) > EPSILON


@pytest.mark.parametrize("schema", FOUR_CASES, ids=NAMES)
def test_counts_are_within_epsilon_and_nearly_use_it_up(schema):
    run = sized(run_tree("level", "counts"))
    found = largest_paired_log_ratio(run, pairs_of(schema), [()])
    assert found <= EPSILON + 1e-9
    if schema.label.private:
        assert found > 0.6 * EPSILON


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize("schema", FOUR_CASES, ids=NAMES)
def test_weak_trees_are_within_epsilon(schema, criterion):
    pairs = pairs_of(schema, 12)[-12:]
    assert 0 < largest_paired_log_ratio(sized(run_weak(criterion)), pairs, SCRIPTS) <= EPSILON + 1e-9


@pytest.mark.parametrize("criterion", ["error", "gini"])
def test_weak_trees_with_half_of_the_noise_are_caught(criterion):
    """The selections of splits nearly use their share up, so half of their noise leaks more than the whole budget."""
    pairs = pairs_of(PUBLIC_LABEL.all_private(), 5)
    whole = largest_paired_log_ratio(sized(run_weak(criterion)), pairs, SCRIPTS)
    assert 0.5 * EPSILON < whole <= EPSILON + 1e-9
    assert largest_paired_log_ratio(sized(run_weak(criterion)), pairs, SCRIPTS, stretch=0.5) > EPSILON


def test_two_rounds_of_weak_trees_are_within_epsilon_and_half_of_the_noise_is_caught():
    def run(table, noise):
        settings = LazyBB(2, 0.9, 0.5, WeakTree(max_splits=1))
        accountant = Accountant(Budget(EPSILON), table.unit, noise, n_rows=table.n_rows)
        return settings.train(table, announce(accountant, settings.plan(table.unit)), np.random.default_rng(0))

    schema = PUBLIC_LABEL.all_private()
    pairs = [*crowded(schema), *list(all_pairs(schema, 2))[::160]]
    one_round = [(question, leads) for question in (0, 1) for leads in ((-1.0, 1.0), (1.0, -1.0))]
    scripts = [(*first, *second) for first in one_round for second in one_round]
    assert 0 < largest_log_ratio(run, pairs, scripts) <= EPSILON + 1e-9
    assert largest_log_ratio(run, pairs, scripts, stretch=0.5) > EPSILON
