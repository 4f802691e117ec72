"""Naive Bayes, trees and linear classifiers at their published cost: void, as published, and caught."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from harness.densities import shifted, worst_loss
from harness.neighbors import Pair, all_pairs, table_of
from harness.scripted import largest_log_ratio, largest_paired_log_ratio
from harness.search import largest_movement
from harness.sized import sized
from reproductions.lopuhaa2021.published import (
    PublishedLogisticClassifier,
    PublishedNaiveBayesClassifier,
    PublishedSVMClassifier,
    PublishedTreeClassifier,
)
from reproductions.lopuhaa2021.published_class_sums import PublishedClassSums
from reproductions.lopuhaa2021.published_naive_bayes import PublishedNaiveBayes
from reproductions.lopuhaa2021.published_svm import PublishedSphere, UnitNormObjective
from reproductions.lopuhaa2021.published_tree import (
    PublishedTree,
    published_attribute_counts,
    published_leaf_counts,
)
from tacit.convex import HuberLoss
from tacit.errors import ParameterError, PrivacyError
from tacit.features import BinEncoding, LinearEncoding
from tacit.learners import NaiveBayes
from tacit.learners.growing_tree import GrowingTree
from tacit.mechanisms import announce
from tacit.mechanisms.mask import density_and_mask
from tacit.privacy import Accountant, Budget, PureDP
from tacit.queries import Design
from tacit.queries.tree.rows import RowGroups, TreeRows
from tacit.schema import Categorical, Label, Numeric, Schema

EPSILON = 0.7
ALL = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
TWO = Schema(
    [Numeric("x", -1, 1), Categorical("c", ["a", "b"], private=False)], label=Label("y", ["no", "yes"], private=False)
)
LINEAR = Schema(
    [Numeric("x", -1, 1), Numeric("z", 0, 100), Categorical("c", ["a", "b"], private=False)],
    label=Label("y", ["no", "yes"], private=False),
)
THREE_CLASSES = Schema(
    [Numeric("x", 0, 10, cuts=[1, 2.5, 4, 6, 9]), Categorical("c", list("uvwz")), Categorical("s", ["f", "m"])],
    label=Label("y", ["no", "perhaps", "yes"]),
)
LABEL = Label("y", ["no", "yes"], private=False)
FAR = {"offsets": (-60.0, 60.0, -12.0, 12.0)}


def two_columns(n_rows=400):
    generator = np.random.default_rng(0)
    x = generator.uniform(-1, 1, n_rows)
    frame = np.empty((n_rows, 2), dtype=object)
    frame[:, 0], frame[:, 1] = x, np.where(x + generator.normal(0, 1, n_rows) > 0, "a", "b")
    return frame, np.where(x > 0, "yes", "no")


def three_columns(n_rows=2000):
    generator = np.random.default_rng(0)
    x = generator.uniform(-1, 1, n_rows)
    frame = np.empty((n_rows, 3), dtype=object)
    frame[:, 0], frame[:, 1] = x, generator.uniform(0, 100, n_rows)
    frame[:, 2] = np.where(x + generator.normal(0, 1, n_rows) > 0, "a", "b")
    return frame, np.where(x > 0, "yes", "no")


def test_naive_bayes_is_void():
    X, y = two_columns()
    model = PublishedNaiveBayesClassifier(TWO, epsilon=50.0, numeric="gaussian", random_state=0).fit(X, y)
    assert model.privacy_.status == "void"
    assert model.score(X, y) > 0.85
    [line] = model.privacy_.releases
    assert line.sensitivity == 1 + 1 + 2  # theirs: a class count, a category's count, a mean and a deviation
    with pytest.raises(PrivacyError):
        model.save("never.json")


@pytest.mark.parametrize("kind", [PublishedLogisticClassifier, PublishedSVMClassifier])
def test_linear_classifiers_are_void(kind):
    X, y = three_columns()
    model = kind(LINEAR.all_private(), epsilon=20.0, encoding="ordinal", random_state=0).fit(X, y)
    assert model.privacy_.status == "void"
    assert model.score(X, y) > 0.8
    [line] = model.privacy_.releases
    assert line.sensitivity == pytest.approx(2)  # theirs: rows of norm one
    assert "lambda 6.325" in line.query  # 2000 * 10^-2.5
    with pytest.raises(PrivacyError):
        model.save("never.json")
    with pytest.raises(ParameterError, match="objective-perturbation"):
        kind(LINEAR, epsilon=1.0, method="k-norm").fit(X, y)


def test_trees_are_void_and_have_the_papers_scale():
    generator = np.random.default_rng(0)
    columns = {"x": generator.uniform(0, 10, 500), "c": generator.choice(list("uvwz"), 500)}
    frame = pl.DataFrame({**columns, "s": generator.choice(["f", "m"], 500)})
    y = generator.choice(["no", "perhaps", "yes"], 500)
    options = {"growth": "level", "criterion": "counts", "max_depth": 2}
    model = PublishedTreeClassifier(THREE_CLASSES, epsilon=1.0, random_state=0, **options).fit(frame, y)
    assert model.privacy_.status == "void"
    # Their scale: attributes times (depth + 1), over epsilon.
    assert [line.noise_scale for line in model.privacy_.releases] == pytest.approx([10 * 3 / 1.0] * 3)
    with pytest.raises(ParameterError, match="growth='level' and criterion='counts'"):
        PublishedTreeClassifier(THREE_CLASSES, epsilon=1.0, random_state=0).fit(frame, y)


def test_the_trees_cost_is_half_of_what_it_takes():
    """Every attribute is charged once; a replaced row moves each by two."""
    binary = Schema([Categorical(name, ["0", "1"]) for name in "ab"], label=Label("y", ["no", "yes"]))

    def attributes(table):
        rows, tree = _at_the_root(table)
        return published_attribute_counts(rows, rows.histogram([0]), tree.spans)

    assert largest_movement(attributes, all_pairs(binary, 2))["l1"] == pytest.approx(2)
    table = table_of((("0", "0", "no"), ("1", "1", "yes")), binary)
    rows, _ = _at_the_root(table)
    assert published_leaf_counts(rows, [0], 2).unreleased_value.tolist() == [[1.0, 1.0]]
    # Leaf, attribute (a is "0"?), answer no, classes: the second row alone.
    assert attributes(table).unreleased_value[0, 0, 0].tolist() == [0.0, 1.0]


def _at_the_root(table):
    tree = GrowingTree(BinEncoding(table.schema, table.schema.names))
    return TreeRows(table, tree.encoding, RowGroups.by_class(table)), tree


def test_the_trees_cost_is_caught():
    """The paper's own noise, half of what counting takes: the true loss is above the claimed one."""
    schema = Schema([Categorical("a", ["0", "1"]), Categorical("b", ["0", "1"])], label=Label("y", ["no", "yes"]))
    pairs = list(all_pairs(schema, 2))

    def once(table, noise):
        tree = PublishedTree(BinEncoding(schema, schema.names), "level", "counts", 2)
        return run(tree)(table, noise)

    assert largest_paired_log_ratio(sized(once), pairs[:: len(pairs) // 30], [()]) > EPSILON


def run(learner, budget=Budget(EPSILON)):  # noqa: B008
    def once(table, noise):
        accountant = Accountant(budget, table.unit, noise, n_rows=table.n_rows)
        releases = announce(accountant, learner.plan(table.unit))
        return learner.train(table, releases, np.random.default_rng(0))

    return once


def changes(learner, pair):
    """The exact difference of the first release between two neighbors, as signs: where it is largest."""
    values = []
    for table in pair.tables():
        query = learner.query(table.unit, 7 / 8)
        values.append(query.statistic(table).unreleased_value)
    return np.sign(values[0] - values[1])


def settings_of(schema, numeric="binned"):
    return NaiveBayes(schema, numeric=numeric, n_bins=2)


def test_the_papers_class_counts_are_caught():
    """Categories only: they charge 1 a histogram, and a changed row moves each by 2."""
    schema = Schema([Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
    learner = settings_of(schema)
    far = 1e3
    losses = [
        largest_log_ratio(run(PublishedNaiveBayes(learner)), [pair], [[changes(learner, pair) * far]])
        for pair in all_pairs(schema, 1)
    ]
    assert max(losses) == pytest.approx(2 * EPSILON)


def test_the_papers_means_are_caught():
    """The noise on a mean is scaled by the exact class count, so the ratio at a far answer grows without limit."""
    rows = ((0.0, "a", "no"), (0.0, "a", "no"), (0.0, "a", "yes"), (0.0, "a", "yes"))
    moved = (*rows[:3], (0.0, "a", "no"))

    def log_density_of_mean(which, answer):
        published = PublishedClassSums(
            settings_of(ALL, "gaussian").query(table_of(which, ALL).unit, 7 / 8), table_of(which, ALL)
        )
        statistic = published.statistic()
        units = published.read(np.ones(len(statistic.unreleased_value))).means[0, 0]  # answer of 1, scaled back
        means = published.read(statistic.unreleased_value).means[0, 0]
        scale = units * statistic.l1 / EPSILON
        return -abs(answer - means) / scale - np.log(2 * scale)

    ratios = [abs(log_density_of_mean(rows, far) - log_density_of_mean(moved, far)) for far in (1e2, 1e3, 1e4)]
    assert ratios[0] > EPSILON
    assert ratios[2] > 5 * ratios[1] > 25 * EPSILON


def opposite_rows(numbers):
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(numbers)], label=LABEL)
    one, two = ((*[end] * numbers, "yes") for end in (1.0, -1.0))
    return schema, [Pair(schema, (one,), (two,))], Design(LinearEncoding(schema, schema.names), intercept=False)


def test_the_papers_norm_is_caught():
    """Nobody sees to norms of one: two numbers at their ends have the square of two."""
    schema, pairs, design = opposite_rows(3)
    loss = HuberLoss(0.05)
    problem = shifted(table_of(pairs[0].first, schema), design, None)
    mechanism, rows = PublishedSphere(PureDP(1.0)), UnitNormObjective.claimed(problem, loss)
    regularization = mechanism.published_regularization(rows, 1000.0)
    assert regularization == 1000.0
    found = worst_loss(
        pairs, design, loss, regularization, lambda b: mechanism.log_density(rows, regularization, b), **FAR
    )
    assert found > 1.5


def test_the_papers_fallback_is_its_formula():
    mechanism = PublishedSphere(PureDP(1.0))
    rows = UnitNormObjective.claimed(shifted(*_one_number(), None), HuberLoss(0.05))
    density = density_and_mask(1.0)[0]
    assert mechanism.published_regularization(rows, 1e-3) == pytest.approx(10 / np.expm1(density / 4))
    assert mechanism.density_epsilon(rows, 1e-3) == density / 2
    assert mechanism.density_epsilon(rows, 1e4) == pytest.approx(density - 2 * np.log1p(10 / 1e4))


def _one_number():
    schema, pairs, design = opposite_rows(1)
    return table_of(pairs[0].first, schema), design
