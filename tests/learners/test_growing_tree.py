"""Growing trees without rows: admitted questions, leaves' probabilities, categories split off."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import truncnorm
from sklearn.metrics import log_loss

from tacit import TreeClassifier
from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.learners.growing_tree import GrowingTree, leaf_probabilities, root_shares, split_off_categories
from tacit.learners.top_down import WeakTree
from tacit.learners.tree import Tree
from tacit.privacy import PrivacyUnit
from tacit.schema import Categorical, Label, Numeric, Schema

SCHEMA = Schema([Numeric("x", 0, 10, cuts=[2, 5]), Categorical("c", list("uvwz"))], label=Label("y", ["no", "yes"]))
ENCODING = BinEncoding(SCHEMA, SCHEMA.names)
UNIT = PrivacyUnit(("x", "c"), label=True)


def test_a_question_is_asked_where_it_can_still_tell():
    tree = GrowingTree(ENCODING)  # x at most 2, x at most 5, c is u, v, w, z
    assert tree.admitted(0).all()
    branch = tree.branch(0, 1)
    assert tree.admitted(branch.yes).tolist() == [True, False, True, True, True, True]
    assert tree.admitted(branch.no).tolist() == [False, False, True, True, True, True]
    assert tree.asked(branch.no).tolist() == [False, True]
    at = branch.no
    for question in (2, 3):
        at = tree.branch(at, question).no
    assert tree.admitted(at).tolist() == [False, False, False, False, True, True]
    at = tree.branch(at, 4).no  # only z is left
    assert not tree.admitted(at).any()


def test_a_tree_is_grown_no_deeper_than_a_model_may_be(monkeypatch):
    monkeypatch.setattr("tacit.learners.growing_tree.DEEPEST", 2)
    tree = GrowingTree(ENCODING)
    below = tree.branch(0, 2).no
    assert tree.admitted(below).any()
    deepest = tree.branch(below, 3).no
    assert not tree.admitted(deepest).any()


def test_categories_of_another_class_are_split_off():
    tree = GrowingTree(ENCODING)
    branch = tree.branch(0, 2)  # c is u
    columns = [tree.categories_asked(leaf) for leaf in tree.leaves]
    assert columns == [None, "c"]
    table = np.asarray([[0, 0], [50, 1], [2, 30], [40, 3], [0, 0]], dtype=float)
    counts, cells = split_off_categories(tree, [np.asarray([[5.0, 9.0]]), table], columns, scale=10.0)
    assert counts.tolist() == [[5, 9], [2, 30], [90, 4]]
    assert cells.tolist() == [1, 1, 4]
    below = tree.children(branch.no)
    assert below is not None
    assert tree.leaves == [branch.yes, *below]
    tree = GrowingTree(ENCODING)
    tree.branch(0, 2)
    assert len(split_off_categories(tree, [np.asarray([[5.0, 9.0]]), table], columns, scale=30.0)[0]) == 2


def test_probabilities_by_hand():
    tree = GrowingTree(ENCODING)
    tree.branch(0, 0)
    shares = leaf_probabilities(tree, np.asarray([[3.0, 1.0], [0.0, 4.0]]), 0.0)
    assert shares[1] == pytest.approx([0.75, 0.25])
    # Noise of 3 rows on one leaf's counts and of 4 on the other's is 5 on their sum.
    shares = leaf_probabilities(tree, np.asarray([[3.0, 1.0], [-2.0, 4.0]]), np.asarray([3.0, 4.0]))
    root = expected_shares([1.0, 5.0], [0.5, 0.5], 5.0)
    assert shares[0] == pytest.approx(root)
    assert shares[1] == pytest.approx(expected_shares([3.0, 1.0], root, 3.0))
    assert shares[2] == pytest.approx(expected_shares([-2.0, 4.0], root, 4.0))


def expected_shares(counts, toward, deviation, most=np.inf):
    """Return them from the product of both normal distributions, cut at zero, as scipy has its mean."""
    size, found = min(sum(max(count, 0.0) for count in counts), most), []
    for count, share in zip(counts, toward, strict=True):
        known, noise = 1 / (share * (1 - share) * size**2), 1 / deviation**2
        mean, spread = (share * size * known + count * noise) / (known + noise), (known + noise) ** -0.5
        found.append(truncnorm.mean(-mean / spread, np.inf, mean, spread))
    return np.asarray(found) / sum(found)


def test_no_node_has_more_rows_than_the_table():
    tree = GrowingTree(ENCODING)
    tree.branch(0, 0)
    counts = np.asarray([[300.0, -100.0], [-50.0, 80.0]])
    shares = leaf_probabilities(tree, counts, 90.0, most=40)
    root = expected_shares([250.0, -20.0], [0.5, 0.5], 90.0 * 2**0.5, most=40)
    assert shares[0] == pytest.approx(root)
    assert shares[1] == pytest.approx(expected_shares(counts[0], root, 90.0, most=40))
    # Of 40 rows noise of 90 says little.
    assert abs(shares[1, 0] - 0.5) < 0.2 < leaf_probabilities(tree, counts, 90.0)[1, 0] - 0.5


def test_the_root_has_exactly_as_many_rows_as_the_table():
    assert root_shares(np.asarray([60.0, 20.0]), 0.0, most=100, exact=True) == pytest.approx([0.7, 0.3])
    # Ten are added to each, and of the noise of two counts one half is left, of three two thirds.
    shares = root_shares(np.asarray([60.0, 20.0]), 100.0, most=100, exact=True)
    assert shares == pytest.approx(expected_shares([70.0, 30.0], [0.5, 0.5], 50**0.5, most=100))
    shares = root_shares(np.asarray([10.0, 20.0, 0.0]), 0.03, most=60, exact=True)
    assert shares == pytest.approx(expected_shares([20.0, 30.0, 10.0], [1 / 3] * 3, 0.02**0.5, most=60))


def test_declared_shares_are_what_the_root_is_drawn_toward():
    def said(variance):
        return root_shares(np.asarray([60.0, 40.0]), variance, most=100, exact=True, usual=(0.9, 0.1))

    # A hundred rows of such shares have 9 as variance of a count; so has each of two counts of noise with variance 18.
    assert said(18.0) == pytest.approx([0.75, 0.25], abs=1e-6)
    assert said(1e6) == pytest.approx([0.9, 0.1], abs=0.001)
    assert said(1e-6) == pytest.approx([0.6, 0.4], abs=1e-5)


def test_leaves_are_drawn_toward_the_root_that_is_given():
    tree = GrowingTree(ENCODING)
    tree.branch(0, 0)
    shares = leaf_probabilities(tree, np.asarray([[3.0, 1.0], [0.0, 0.0]]), 0.0, np.asarray([0.9, 0.1]))
    assert shares.tolist() == [[0.9, 0.1], [0.75, 0.25], [0.9, 0.1]]


def test_a_tree_of_noise_alone_says_even_shares():
    generator = np.random.default_rng(0)
    schema = Schema([Categorical(name, ["x", "y"]) for name in "abcdef"], label=Label("y", [0, 1]))
    X, y = generator.choice(["x", "y"], (50, 6)), generator.integers(0, 2, 50)
    fits = [TreeClassifier(schema, epsilon=0.02, random_state=seed).fit(X, y) for seed in range(12)]
    losses = [log_loss(y, model.predict_proba(X)) for model in fits]
    assert np.mean(losses) < np.log(2) + 0.005


@pytest.mark.parametrize(("empty", "deviation"), [([0.0, 0.0], 0.0), ([-3.0, -2.0], 3.0)])
def test_an_empty_leaf_has_its_parents_shares(empty, deviation):
    tree = GrowingTree(ENCODING)
    tree.branch(0, 0)
    shares = leaf_probabilities(tree, np.asarray([[90.0, 10.0], empty]), deviation)
    assert shares[2] == pytest.approx(shares[0]) and shares[2, 1] < 0.2


def test_a_rare_class_is_not_lost_on_the_way_to_a_leaf():
    """One count far below zero, read again at each level on the way, made it 0.0000 of nearly all rows."""
    tree = GrowingTree(ENCODING)
    leaf = 0
    for question in (0, 2):
        leaf = tree.branch(leaf, question).no
    counts = np.zeros((len(tree.leaves), 2))
    counts[tree.leaves.index(leaf)] = [18_000.0, -1_000.0]
    shares = leaf_probabilities(tree, counts, 900.0)
    assert 0.01 < shares[leaf, 1] < 0.1


def test_plans():
    splits = Tree(ENCODING, "best-first", "error", 3).plan(UNIT)
    assert [planned.kind for planned in splits] == ["selection"] * 3 + ["noise"]
    assert sum(planned.weight for planned in splits[:3]) == pytest.approx(0.7)
    levels = Tree(ENCODING, "level", "gini", 4, level_budget="geometric").plan(UNIT)
    assert levels[3].weight / levels[0].weight == pytest.approx(2.0)
    binary = Schema([Categorical(name, ["0", "1"]) for name in "abc"], label=SCHEMA.label)
    counts = Tree(BinEncoding(binary, binary.names), "level", "counts", 3).plan(UNIT)
    assert [planned.weight for planned in counts] == pytest.approx([3, 2, 1, 1])  # attributes less the level
    assert Tree(ENCODING, "level", "counts", 2).plan(PrivacyUnit((), label=False)) == []
    weak = WeakTree(2).plan(UNIT)
    assert [(planned.kind, planned.count, planned.part) for planned in weak] == [
        ("selection", 2, ("splits",)),
        ("noise", 1, ()),
    ]


@pytest.mark.parametrize("splits", [0, -1, True, 1.5])
def test_a_weak_tree_needs_splits(splits):
    with pytest.raises(ParameterError, match="max_splits"):
        WeakTree(splits)


def test_a_weak_tree_needs_as_many_questions_as_splits():
    WeakTree(6).check(ENCODING)
    with pytest.raises(ParameterError, match="at most 6"):
        WeakTree(7).check(ENCODING)
