"""Boosting of oblivious trees: steps and sizes by hand, candidates, public stages, and fits at the limits."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

import tacit.learners.linear.ranked as ranked_module
from tacit import BoostedTreesClassifier, Categorical, Label, Numeric, Schema, Target
from tacit.boosting.boosted_trees import BoostedTrees, _halvings, _knots
from tacit.boosting.closer_clip import CloserClip
from tacit.boosting.effect_noise import boosted_noise
from tacit.boosting.random_trees import dividing, draw_tree
from tacit.boosting.tree_sizes import leaf_noise, sized
from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.features.oblivious import DEEPEST, Subset
from tacit.learners.linear.ranked import ranked_scores
from tacit.models import from_json, to_json
from tacit.privacy import Budget, PrivacyUnit
from tacit.privacy.conversions import zcdp_rho
from tacit.privacy.plan import divide
from tacit.queries.leaf_sums import STEPS
from tacit.table import Table
from tacit.table.rows import read_rows

MIXED = Schema(
    [Numeric("x", -1, 1), Numeric("z", -1, 1), Categorical("c", list("abcde")), Categorical("only", ["one"])],
    label=Label("y", ["no", "yes"]),
)
GENERATOR = np.random.default_rng(0)
N = 4000
FRAME = pl.DataFrame(
    {
        "x": GENERATOR.uniform(-1, 1, N),
        "z": GENERATOR.uniform(-1, 1, N),
        "c": GENERATOR.choice(list("abcde"), N),
        "only": ["one"] * N,
    }
)
CROSSED = np.where((FRAME["x"].to_numpy() > 0) ^ np.isin(FRAME["c"].to_numpy(), ["a", "c"]), "yes", "no")


def test_candidates_are_what_their_structure_says():
    encoding, generator = BinEncoding(MIXED, MIXED.names, 4), np.random.default_rng(0)
    columns = dividing(encoding, MIXED.names)
    assert columns == (("x",), ("z",), ("c",))
    trees = [draw_tree(encoding, columns, 5, generator, one_column=False) for _ in range(200)]
    assert {test.column for tests in trees for test in tests} == {"x", "z", "c"}
    assert {test.last for tests in trees for test in tests if isinstance(test, Literal)} == {0, 1, 2}
    halves = {test.codes for tests in trees for test in tests if isinstance(test, Subset)}
    assert len(halves) == 10  # pairs of five categories
    for _ in range(20):
        assert len({test.column for test in draw_tree(encoding, columns, 5, generator, one_column=True)}) == 1


def test_an_empty_cell_is_a_cut_of_its_number():
    schema = Schema([Numeric("x", 0, 1, missing="indicator"), Numeric("z", 0, 1)], label=MIXED.label)
    encoding, generator = BinEncoding(schema, schema.names, 4), np.random.default_rng(0)
    columns = dividing(encoding, schema.names)
    assert columns == (("x", "x is missing"), ("z",))
    trees = [draw_tree(encoding, columns, 6, generator, one_column=False) for _ in range(500)]
    asked = [test.column for tests in trees for test in tests]
    # Half of the tests are of "x", with three cuts and an empty cell.
    assert [asked.count(name) / 3000 for name in schema.names] == pytest.approx([3 / 8, 1 / 8, 1 / 2], abs=0.04)
    for _ in range(50):
        assert len({test.column for test in draw_tree(encoding, columns, 6, generator, one_column=True)}) == 1


def test_drawing_compares_no_encodings(monkeypatch):
    """A cache by value compared schemas, column by column, once for each test of a second fit like the first."""
    compared = []
    monkeypatch.setattr(BinEncoding, "__eq__", lambda one, other: compared.append(one) or NotImplemented)
    for _ in range(2):
        encoding = BinEncoding(MIXED, MIXED.names, 4)
        draw_tree(encoding, dividing(encoding, MIXED.names), 5, np.random.default_rng(0), one_column=False)
    assert not compared


UNIT = PrivacyUnit(MIXED.names, label=True)
EIGHT = Schema([Numeric(f"x{at}", -1, 1) for at in range(8)], label=MIXED.label)
UNIT_OF_EIGHT = PrivacyUnit(EIGHT.names, label=True)


def automatic(budget, n_rows, schema=EIGHT, unit=None, **given):
    unit = unit or PrivacyUnit(schema.names, label=True)
    made = sized(schema, unit, budget, n_rows, private_cuts=False, **given)
    return made.n_trees, made.depth


def test_sizes_by_hand():
    """At rho r a tree's gradients get 0.95 * 0.8 * 0.7 = 0.532 of r / trees: noise sqrt(trees / (2 * 0.532 r)) rows.

    As 2 C is 1; a fifth goes to ranks.
    """
    budget, n_rows = Budget(1.0, 1e-6), 24_000
    noise = np.sqrt(80 / (2 * 0.532 * zcdp_rho(1.0, 1e-6)))
    assert automatic(budget, n_rows) == (80, int(np.log2(n_rows / 18.5 / noise)) + 2)
    assert automatic(budget, int(200 * noise) - 1)[0] == 40
    assert automatic(budget, int(200 * noise) + 1)[0] == 80
    assert automatic(budget, int(190 * noise), start="balance")[0] == 80  # whose noise is less by the root of 0.8
    assert automatic(Budget(1e-3), 100) == (10, 2)
    assert automatic(budget, 10**6, unit=PrivacyUnit((), False)) == (80, 8)
    assert automatic(budget, n_rows, n_trees=7, depth=3) == (7, 3)
    # Pure: 0.95 * 0.7 = 0.665 epsilon / trees for gradients; Laplace noise has a standard deviation of sqrt 2 scales.
    noise = np.sqrt(2) * 20 / 0.665
    assert automatic(Budget(1.0), n_rows, n_trees=20)[1] == int(np.log2(n_rows / 18.5 / noise)) + 2


def test_residuals_are_cut_unevenly_where_that_costs_nothing():
    budget, three = Budget(1.0, 1e-6), Schema(EIGHT.columns, label=Label("y", ["p", "q", "r"]))
    given = [(EIGHT, True, budget), (EIGHT, False, budget), (three, True, budget), (EIGHT, True, Budget(1.0))]
    made = [
        sized(schema, PrivacyUnit(schema.names, label=label), spent, 24_000, private_cuts=False)
        for schema, label, spent in given
    ]
    assert [each.cut_unevenly for each in made] == [True, False, False, False]
    even = replace(made[0], cut_unevenly=False)
    assert leaf_noise(made[0], UNIT_OF_EIGHT, budget) == leaf_noise(even, UNIT_OF_EIGHT, budget)
    assert sized(EIGHT, UNIT_OF_EIGHT, budget, 24_000, depth=3).cut_unevenly


def depths(n_second, **given):
    """Return how deep trees are of 4,000 rows, of which so many are of the second class."""
    rows = pl.DataFrame({name: np.random.default_rng(at).uniform(-1, 1, 4_000) for at, name in enumerate(EIGHT.names)})
    labels = np.repeat(["no", "yes"], [4_000 - n_second, n_second])
    made = BoostedTreesClassifier(EIGHT, structure="oblivious", random_state=0, **given).fit(rows, labels)
    return {len(tree.tests) for tree in made.model_.scorers[0].trees}


def test_trees_lose_a_level_for_each_halving_of_the_classes_variance():
    budget = {"epsilon": 1.0, "delta": 1e-6, "n_trees": 10}
    (usual,) = depths(2_000, **budget)
    assert usual >= 5
    # 4 p (1 - p): 0.51 at 0.15, 0.36 at 0.1, 0.19 at 0.05.
    assert [depths(count, **budget) for count in (600, 400, 200)] == [{usual}, {usual - 1}, {usual - 2}]
    assert depths(200, **budget, depth=usual) == {usual}  # whoever asks for a depth gets it
    assert depths(4, **budget) == {2}


def test_halvings_by_hand():
    shares = [(1 / 3, 1 / 3, 1 / 3), (0.5, 0.3, 0.2), (0.85, 0.1, 0.05), (0.925, 0.04, 0.035)]
    # One less the sum of squares, over 2 / 3: 1, 0.93, 0.40, 0.21.
    assert [_halvings(np.rint(np.log(each) * STEPS).astype(np.int64)) for each in shares] == [0, 0, 1, 2]
    assert _halvings(np.asarray([40 * STEPS])) == DEEPEST
    assert [_halvings(np.zeros(count, dtype=np.int64)) for count in range(1, 12)] == [0] * 11


def test_cut_points_get_a_tenth_where_that_pays_for_them():
    made = sized(MIXED, UNIT, Budget(1.0, 1e-6), 24_000)
    plan = made.plan(UNIT)
    weights = {
        name: sum(one.weight * one.count for one in plan if (name in one.part) or not name) for name in ("cuts", "")
    }
    assert weights["cuts"] / weights[""] == pytest.approx(0.1)
    assert sized(MIXED, UNIT, Budget(1e-3), 100).cuts is None


def test_shares_of_the_budget():
    plan = BoostedTrees(MIXED, n_trees=20, depth=2).plan(UNIT)
    shares = {
        name: sum(one.weight for one in plan if name in one.part)
        for name in ("selection", "curvature", "gradient", "balance")
    }
    assert shares == pytest.approx({"selection": 0.19, "curvature": 0.095, "gradient": 0.665, "balance": 0.05})
    label = BoostedTrees(MIXED, n_trees=20, depth=2).plan(PrivacyUnit((), label=True))
    assert not any("curvature" in one.part for one in label)  # curvatures of public columns are free
    one = BoostedTrees(MIXED, n_trees=20, depth=2, candidates=1).plan(UNIT)
    assert not any("selection" in release.part for release in one)
    assert BoostedTrees(MIXED).plan(PrivacyUnit((), label=False)) == []


PUBLIC_THREE = Schema(MIXED.columns, label=Label("y", ["a", "b", "c"], private=False)).with_private(
    MIXED.names[1:], label=False
)
"""Of many public classes trees of public columns come first."""


def test_ranks_come_first_on_a_fifth_of_the_budget_under_a_delta():
    made = sized(MIXED, UNIT, Budget(1.0, 1e-6), 24_000, private_cuts=False)
    plan, ranks = made.plan(UNIT), [one for one in made.plan(UNIT) if "ranks" in one.part]
    assert sum(one.weight * one.count for one in plan) == pytest.approx(1.0)
    assert [(one.count, round(one.weight * one.count, 6)) for one in ranks] == [(1, 0.019), (8, 0.171)]
    assert [one.part[0] for one in plan][:4] == ["balance", "ranks", "ranks", "tree 0"]
    many = Schema([Categorical("c", range(1_024))], label=MIXED.label)  # and the constant
    classes = Schema([Categorical("c", range(300))], label=Label("y", range(84)))  # 84 * 601 numbers in a file
    for schema, unit, delta, given in (
        (MIXED, UNIT, 0.0, {}),
        (PUBLIC_THREE, PrivacyUnit(MIXED.names[1:], label=False), 1e-6, {}),
        (MIXED, UNIT, 1e-6, {"structure": "additive"}),
        (many, PrivacyUnit(("c",), label=True), 1e-6, {}),
        (classes, PrivacyUnit(("c",), label=True), 1e-6, {}),
    ):
        made = sized(schema, unit, Budget(1.0, delta), 24_000, **given)
        assert made.ranks is None and not any("ranks" in one.part for one in made.plan(unit))
        with pytest.raises(ParameterError, match="what start='ranks' needs"):
            sized(schema, unit, Budget(1.0, delta), 24_000, start="ranks", **given)
    assert sized(MIXED, UNIT, Budget(1.0, 1e-6), 24_000, start="balance").ranks is None
    assert sized(MIXED, PrivacyUnit(MIXED.names, label=False), Budget(1.0, 1e-6), 24_000).ranks  # no public column
    fewer = Schema([Categorical("c", range(1_023))], label=MIXED.label)
    assert sized(fewer, PrivacyUnit(("c",), label=True), Budget(1.0, 1e-6), 24_000, start="ranks").ranks


def test_noise_of_ranks_is_not_counted_as_the_last_since_choices_come_after_it():
    plan = sized(MIXED, UNIT, Budget(1.0, 1e-6), 24_000).plan(UNIT)
    division = divide(Budget(1.0, 1e-6), plan, exact_last=True)
    assert division.gaussian == 0 and not any(share.gaussian for share in division.shares)
    assert float(division.limit) == zcdp_rho(1.0, 1e-6)


@pytest.mark.parametrize(
    ("found", "kept"), [(31, (8, 16, 24)), (7, (2, 4, 6)), (5, (2, 3, 4)), (3, (1, 2, 3)), (1, (1,))]
)
def test_knots_of_ranks_are_the_middle_ones_of_each_side(found, kept):
    assert _knots(tuple(map(float, range(1, found + 1)))) == kept
    # Outermost intervals that were halved further change none of them.
    outer = [-2.0, -1.0, 0.0, *range(1, found + 1), 97.0, 98.0, 99.0]
    assert _knots(tuple(map(float, outer)), 3) == kept or found < 4


class Chosen:
    """Sums that say which trees they were asked for, and releases that take the first candidate."""

    def __init__(self, encoding):
        self.encoding, self.asked = encoding, []

    def scores(self, trees):
        self.asked.append(("whole", trees))

    def scores_of_parts(self, trees, depth):
        self.asked.append((depth, trees))

    def best(self, _):
        return 0


def test_parts_of_trees_of_several_columns_are_chosen_where_choices_have_a_clip():
    schema = Schema(EIGHT.columns, label=Target("y", 0, 1))
    asked = Chosen(BinEncoding(schema, schema.names, 4))
    settings = replace(BoostedTrees(schema, depth=3, candidates=2), closer=CloserClip(1.0))
    draw = partial(draw_tree, asked.encoding, [(name,) for name in schema.names], one_column=False)
    found = settings._part(asked, partial(draw, generator=np.random.default_rng(0)), 3, asked)
    [(depth, trees)] = asked.asked
    assert depth == 3 and [len(tests) for tests in trees] == [DEEPEST] * 2
    assert found == trees[0][:3]


def test_every_other_level_tests_a_favored_column():
    encoding = BinEncoding(EIGHT, EIGHT.names, 4)
    asked, generator = [(name,) for name in EIGHT.names], np.random.default_rng(0)
    first, second = EIGHT.names[:2]
    given = {"one_column": False, "favored": (first, first, first, second)}
    drawn = [draw_tree(encoding, asked, 8, generator, **given) for _ in range(500)]
    counts = Counter(test.column for tests in drawn for test in tests)
    shares = {name: count / 4000 for name, count in counts.items()}
    assert shares[first] == pytest.approx(1 / 2 * (3 / 4 + 1 / len(asked)), abs=0.03)
    assert shares[second] == pytest.approx(1 / 2 * (1 / 4 + 1 / len(asked)), abs=0.03)
    assert len(shares) == len(asked)


def test_noise_of_ranks_is_in_that_of_what_columns_add():
    """Of independent noise of variance 4 in each of k equal cells, less their mean, 4 (1 - 1/k) is left."""
    encoding = BinEncoding(MIXED, MIXED.names, 4)
    for n_scores, kept in ((1, 1.0), (3, 2 / 3)):  # of three classes effects are less their mean
        first = {"x": np.stack([4 * np.eye(4)] * n_scores), "c": np.stack([4 * np.eye(5)] * n_scores)}
        [x, c] = boosted_noise([], encoding, n_scores, first)
        assert np.asarray(x.deviations) == pytest.approx(np.full((n_scores, 4), np.sqrt(3 * kept)), rel=1e-3)
        assert np.asarray(c.deviations) == pytest.approx(np.full((n_scores, 5), np.sqrt(3.2 * kept)), rel=1e-3)


def test_ranks_that_come_first_begin_at_the_counts_of_the_classes_that_trees_release():
    generator = np.random.default_rng(2)
    labels = generator.choice(["p", "q", "r"], N, p=[0.9, 0.05, 0.05])
    schema = Schema(MIXED.columns, label=Label("y", ["p", "q", "r"]))
    begun, own = [], ranked_module.RankedGradients.statistic

    def noting(gradients, weights):
        begun.append(weights)
        return own(gradients, weights)

    with patch.object(ranked_module.RankedGradients, "statistic", noting):
        settings = {"epsilon": 3.0, "delta": 1e-6, "n_trees": 1, "calibration": 0, "random_state": 0}
        made = BoostedTreesClassifier(schema, **settings).fit(FRAME, labels)
    assert [one.query for one in made.privacy_.releases].count("counts and sums by class") == 1
    # The constant is the only feature of the first point, and its margins are those of the shares.
    assert not begun[0][1:].any()
    odds = begun[0][0] - begun[0][0, 0]
    assert odds / np.abs(odds).max() == pytest.approx([0, -1, -1], abs=0.1)


def test_columns_that_ranks_alone_use_have_noise():
    settings = {"n_trees": 1, "candidates": 1, "depth": 1, "cut_points": "grid", "calibration": 0, "random_state": 0}
    model = BoostedTreesClassifier(MIXED, epsilon=3.0, delta=1e-6, **settings).fit(FRAME, CROSSED).model_.scorers[0]
    noise = {each.column: np.asarray(each.deviations) for each in model.noise}
    assert set(noise) == set(MIXED.names)
    assert all(noise[name].min() > 0.01 and noise[name].mean() > 0.03 for name in ("x", "z", "c"))
    assert (noise["only"] == 0).all()


def test_ranks_learn_what_is_additive_and_trees_what_they_leave():
    odds = 3 * FRAME["z"].to_numpy() + np.where(CROSSED == "yes", 2, -2)
    labels = np.where(np.random.default_rng(1).random(N) < 1 / (1 + np.exp(-odds)), "yes", "no")
    fitted = BoostedTreesClassifier(MIXED, epsilon=3.0, delta=1e-6, random_state=0).fit(FRAME, labels)
    model = fitted.model_.scorers[0]
    assert model.first is not None and model.first.noise == ()
    z = model.first.encoding(MIXED).feature_names.index("z")
    assert model.first.weights[0][z] > 1.0
    alone = np.mean((model.first.scores(fitted.model_.read(FRAME), MIXED) > 0) == (labels == "yes"))
    assert fitted.score(FRAME, labels) > alone + 0.05
    # Cut points of ranks are some of the trees'.
    assert all(set(own) <= set(dict(model.cuts)[name]) and len(own) <= 3 for name, own in model.first.cuts)
    balance = BoostedTreesClassifier(MIXED, epsilon=3.0, delta=1e-6, start="balance", random_state=0)
    assert balance.fit(FRAME, labels).model_.scorers[0].first is None


def test_a_start_is_the_class_balance_or_nothing_where_noise_hides_it():
    labels = np.where(np.arange(N) % 4 == 0, "yes", "no")
    starts = {}
    for epsilon in (1e-6, 1e3):
        model = BoostedTreesClassifier(MIXED, epsilon=epsilon, n_trees=1, random_state=0).fit(FRAME, labels)
        [starts[epsilon]] = model.model_.scorers[0].start
    assert starts[1e-6] == 0
    assert starts[1e3] / STEPS == pytest.approx(np.log(1 / 3), abs=1e-2)


def test_an_interaction_is_learned_and_an_additive_model_leaves_it_out():
    fitted = BoostedTreesClassifier(MIXED, epsilon=3.0, delta=1e-6, random_state=0).fit(FRAME, CROSSED)
    assert fitted.score(FRAME, CROSSED) > 0.85
    important = list(fitted.model_.scorers[0].importances(MIXED))
    assert set(important[:2]) == {"x", "c"}
    likely = fitted.predict_proba(FRAME)
    assert likely.sum(axis=1) == pytest.approx(np.ones(N))
    assert -np.log(likely[np.arange(N), (CROSSED == "yes").astype(int)]).mean() < 0.5
    kinds = [len(tree.columns) == 1 for tree in fitted.model_.scorers[0].trees]
    assert all(kinds[::4])
    assert not any(all(kinds[at::4]) for at in (1, 2, 3))
    additive = BoostedTreesClassifier(MIXED, epsilon=3.0, delta=1e-6, structure="additive", random_state=0)
    assert additive.fit(FRAME, CROSSED).model_.scorers[0].is_additive
    assert additive.score(FRAME, CROSSED) < 0.65


@pytest.mark.parametrize(
    ("private", "n_classes", "delta"),
    [
        *((private, n, 0.0) for private in ([], ["x"], ["x", "z", "c", "only"]) for n in (2, 3)),
        ([], 2, 1e-6),  # ranks come first, which know no products
    ],
)
def test_public_columns_and_labels_are_learned_without_noise(private, n_classes, delta):
    classes = ["no", "yes", "far"][:n_classes]
    labels = np.where(FRAME["z"].to_numpy() > 0.9, classes[-1], CROSSED)
    schema = Schema(MIXED.columns, label=Label("y", classes)).with_private(private, label=False)
    model = BoostedTreesClassifier(schema, epsilon=1e-3, delta=delta).fit(FRAME, labels)
    releases = model.privacy_.releases
    assert (len(releases) == 0) == (not private)
    accuracy = model.score(FRAME, labels)
    if not private:
        assert accuracy > 0.93
    elif len(private) == 4:
        assert accuracy < 0.7  # all of it is paid for at next to no budget
    restored = from_json(to_json(model.model_))
    assert (restored.decision_function(FRAME) == model.decision_function(FRAME)).all()


def test_ranks_begin_at_what_public_columns_say_of_a_public_label():
    """The public column decides, and next to nothing is paid: ranks hold it exactly, and trees begin there."""
    labels = np.where(FRAME["z"].to_numpy() > 0, "yes", "no")
    schema = Schema(MIXED.columns, label=Label("y", ["no", "yes"])).with_private(["x", "c", "only"], label=False)
    fitted = BoostedTreesClassifier(schema, epsilon=0.01, delta=1e-6, random_state=0).fit(FRAME, labels)
    [scorer] = fitted.model_.scorers
    assert scorer.first.columns == MIXED.names and [form.columns for form in scorer.first.public[0].forms] == [("z",)]
    assert fitted.score(FRAME, labels) > 0.93
    # Rows are scored as they were in training: what columns add is all there is.
    said = fitted.model_.explain(FRAME[:50]).group_by("row").agg(pl.col("contribution").sum()).sort("row")
    assert said["contribution"].to_numpy() == pytest.approx(fitted.decision_function(FRAME[:50]), abs=1e-4)
    table = Table.from_frame(FRAME, labels, schema)
    scores = ranked_scores(scorer.first, schema)
    squares = table.sum(lambda block: ((scores.steps(block) / STEPS) ** 2).sum(axis=1))
    expected = scorer.first.scores(read_rows(FRAME, schema), schema)
    assert squares[0] == pytest.approx((expected**2).sum(), rel=1e-5)
    importances = scorer.importances(schema)
    assert max(importances, key=importances.get) == "z"


def test_a_private_label_pays_for_everything():
    schema = MIXED.with_private([], label=True)
    model = BoostedTreesClassifier(schema, epsilon=1e-3, random_state=0).fit(FRAME, CROSSED)
    asked = {line.query for line in model.privacy_.releases}
    assert asked == {
        "counts and sums by class", "oblivious trees", "residuals by leaf", "residuals and curvatures of log-odds"
    }  # fmt: skip
    assert model.score(FRAME, CROSSED) < 0.7


def test_more_classes_share_one_vector_of_residuals():
    labels = np.asarray(["p", "q", "r"])[np.digitize(FRAME["x"].to_numpy(), [-0.3, 0.3])]
    schema = Schema(MIXED.columns, label=Label("y", ["p", "q", "r"]))
    model = BoostedTreesClassifier(schema, epsilon=3.0, delta=1e-6, random_state=0).fit(FRAME, labels)
    assert model.score(FRAME, labels) > 0.85
    assert model.predict_proba(FRAME).shape == (N, 3)
    n_trees = len(model.model_.scorers[0].trees)
    asked = [line.query for line in model.privacy_.releases]
    assert {name: asked.count(name) for name in asked if not name.startswith("medians")} == {
        "counts and sums by class": 1,
        "moments of ranked rows": 1,
        "summed gradients of ranked rows": 8,
        "residuals and curvatures of log-odds": 1,
        "oblivious trees": n_trees,
        "curvatures by leaf": n_trees,
        "residuals by leaf": n_trees,
    }


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("structure", ["mixed", "oblivious", "additive"])
@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ([Numeric("x", 0, 1)], [[0.5]] * 10),
        ([Numeric("x", -1e300, 1e300)], [[at / 10] for at in range(10)]),
        ([Categorical("c", ["a"])], [["a"]] * 10),
        ([Categorical("c", ["a", "b"])], [["a"], ["b"]] * 5),
    ],
    ids=["constant", "wide", "one category", "categories"],
)
def test_ten_rows_of_anything_give_a_model(columns, rows, structure, delta):
    schema = Schema(columns, label=Label("y", [0, 1]))
    model = BoostedTreesClassifier(schema, epsilon=1.0, delta=delta, structure=structure)
    scores = model.fit(rows, [0, 1] * 5).decision_function(rows)
    assert np.isfinite(scores).all()
    from_json(to_json(model.model_))


@pytest.mark.parametrize(
    "given", [{"n_trees": 0}, {"candidates": 10**6}, {"depth": 40}, {"learning_rate": 0.0}, {"structure": "ternary"}]
)
def test_settings_beyond_their_bounds_are_one_error(given):
    with pytest.raises(ParameterError, match=f"got {next(iter(given))}="):
        BoostedTreesClassifier(MIXED, epsilon=1.0, **given).fit(FRAME, CROSSED)


def test_trees_that_no_file_would_hold_are_refused_before_a_row_is_read():
    schema = Schema([Numeric("x", 0, 1)], label=Label("y", range(100)))
    model = BoostedTreesClassifier(schema, epsilon=1.0, n_trees=1000, depth=8)
    with pytest.raises(ParameterError, match="that a model file holds, got n_trees=1000, depth=8"):
        model.fit([[0.5]] * 100, list(range(100)))


def test_a_seed_gives_the_same_model_however_the_rows_are_blocked():
    models = [
        BoostedTreesClassifier(MIXED, epsilon=1.0, n_trees=5, random_state=3)
        .fit_table(Table.from_frame(FRAME, CROSSED, MIXED, block_rows=size))
        .model_.scorers
        for size in (100, 65_536)
    ]
    assert models[0] == models[1]
