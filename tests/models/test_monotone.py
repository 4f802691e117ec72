"""Projection of released curves and leaves: by hand, as properties of any tree, and what a file may say."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Categorical, Label, LogisticClassifier, Numeric, Schema
from tacit.errors import ModelFileError
from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset, reached_leaves
from tacit.features.ranked_encoding import CURVE_RANKS
from tacit.models import LinearForm, LogisticModel, ObliviousTree, RankedModel, from_json, to_json
from tacit.models.document import canonical, digest
from tacit.models.monotone import projected
from tacit.models.monotone_sums import monotone_sum
from tacit.models.monotone_trees import masses_of, ordered, separated, supported
from tacit.models.noise import ColumnNoise
from tacit.models.ranked_curves import additive
from tacit.table import Rows

LABEL = Label("y", ["no", "yes"])
COLUMNS = [Numeric("a", 0, 4, cuts=[1, 2, 3]), Numeric("b", 0, 1, cuts=[0.5]), Categorical("c", list("pqr"))]
SCHEMA = Schema(COLUMNS, label=LABEL)
BINS = BinEncoding(SCHEMA, SCHEMA.names)


def test_bins_become_means_by_their_shares():
    form = LinearForm(("a", "b"), (0.0, 3.0, 1.0, 0.5, -1.0, 1.0))
    model = LogisticModel((form,), 0.25)
    even = projected(model, SCHEMA, {"a": 1, "b": -1})
    assert even.forms[0].weights == (0.0, 1.5, 1.5, 1.5, 0.0, 0.0)
    known = ColumnNoise("a", (0.25, 0.5, 0.25, 0.0), ((0.1,) * 4,), released=True)
    by_rows = projected(replace(model, noise=(known,)), SCHEMA, {"a": 1})
    # (2 * 3 + 1 * 1) / 3, and a bin without rows follows.
    assert by_rows.forms[0].weights == pytest.approx((0.0, 7 / 3, 7 / 3, 7 / 3, -1.0, 1.0), abs=1e-6)
    assert by_rows.intercept == 0.25


@pytest.mark.parametrize(("sign", "left"), [(1, (0.5, 0.0)), (-1, (0.0, -0.75))])
def test_a_coefficient_of_the_wrong_sign_is_zero(sign, left):
    model = LogisticModel((LinearForm(("a", "b"), (0.5, -0.75), "ordinal"),), 0.0)
    assert projected(model, SCHEMA, {"a": sign, "b": sign}).forms[0].weights == left


def test_leaves_of_two_numbers_by_hand():
    # Leaves by (b above, a above): the first test's bit is the higher, and a test that holds is 1.
    tree = ObliviousTree((Literal("b", 0, 0), Literal("a", 0, 1)), ((8, 4, 2, 6),))
    values = np.asarray([8, 4, 2, 6])  # b high: a high 8, a low 4; b low: a high 2, a low 6
    found = ordered(tree, BINS, {"a": 1, "b": 1}, np.ones(4)).values[0]
    # Along b first: pairs (low, high) are (6, 4) -> (5, 5) and (2, 8); along a: (5, 8) and (5, 2) -> (3.5, 3.5) -> 4.
    assert found == (8, 5, 4, 4)
    assert sum((values - np.asarray(found)) ** 2) < sum((values - values.mean()) ** 2)


TESTS = [*(Literal("a", 0, at) for at in range(3)), Literal("b", 0, 0), Subset("c", (0,)), Subset("c", (1, 2))]


@st.composite
def trees(draw):
    tests = draw(st.lists(st.sampled_from(TESTS), min_size=1, max_size=5))
    size = 1 << len(tests)
    values = draw(st.lists(st.integers(-50, 50), min_size=size, max_size=size))
    weights = draw(st.lists(st.integers(1, 30), min_size=size, max_size=size))
    signs = draw(st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from([1, -1]), min_size=1))
    return ObliviousTree(tuple(tests), (tuple(values),)), signs, np.asarray(weights, dtype=float)


CODES = np.asarray(list(product(range(4), range(2), range(3))), dtype=np.uint8)


@given(trees())
def test_any_tree_is_ordered_along_each_number_for_all_other_cells(drawn):
    tree, signs, weights = drawn
    found = ordered(tree, BINS, signs, weights)
    grid = np.asarray(found.values[0])[reached_leaves(found.tests, CODES, BINS)].reshape(4, 2, 3)
    before = np.asarray(tree.values[0])[reached_leaves(tree.tests, CODES, BINS)].reshape(4, 2, 3)
    for axis, name in enumerate(("a", "b")):
        if name in signs:
            assert (signs[name] * np.diff(grid, axis=axis) >= 0).all()
    assert before.min() <= grid.min() and grid.max() <= before.max()
    assert ordered(found, BINS, signs, weights) == found
    if goes_with(before, signs):
        assert (grid == before).all()


def added(trees):
    """What trees add to each cell, by bins of "a", of "b" and categories."""
    of_each = (np.asarray(tree.values[0])[reached_leaves(tree.tests, CODES, BINS)] for tree in trees)
    return np.sum(list(of_each), axis=0).reshape(4, 2, 3)


def goes_with(grid, signs):
    return all((signs[n] * np.diff(grid, axis=at) >= 0).all() for at, n in enumerate(("a", "b")) if n in signs)


@given(st.lists(trees(), min_size=1, max_size=4))
def test_curves_and_ordered_trees_add_up_to_the_trees(drawn):
    signs = drawn[0][1]
    given_trees = [tree for tree, _, _ in drawn]
    left, curves = separated(given_trees, BINS, signs)
    assert curves.keys() <= signs.keys() and all(goes_with(added([tree]), signs) for tree in left)
    shapes = {"a": (4, 1, 1), "b": (1, 2, 1)}
    whole = added(left) + sum((curve.reshape(shapes[name]) for name, curve in curves.items()), np.zeros((4, 2, 3)))
    assert (whole == added(given_trees)).all()


@given(st.lists(trees(), min_size=1, max_size=4))
def test_any_sum_of_trees_becomes_monotone_and_what_is_stays(drawn):
    signs = drawn[0][1]
    # In steps of 2^-20, of which roundings are next to nothing.
    given_trees = [replace(tree, values=(tuple(10**6 * value for value in tree.values[0]),)) for tree, _, _ in drawn]
    masses = masses_of(given_trees, [weights for _, _, weights in drawn], BINS, signs)
    found, first = monotone_sum(given_trees, None, BINS, signs, masses)
    assert first is None and goes_with(added(found), signs) and len(found) >= 1
    again, _ = monotone_sum(found, None, BINS, signs, masses)
    assert added(again).ravel() == pytest.approx(added(found).ravel(), abs=100)
    with patch("tacit.models.monotone_sums.MAX_TREES_OF_MODEL", 0):  # more than a file holds
        each_alone, _ = monotone_sum(given_trees, None, BINS, signs, masses)
    assert goes_with(added(each_alone), signs)
    assert len(each_alone) == len(drawn)


@given(st.lists(trees(), min_size=1, max_size=4))
def test_shrunk_interactions_leave_means_along_numbers_as_they_are(drawn):
    signs = drawn[0][1]
    given_trees = [tree for tree, _, _ in drawn]
    found = supported(given_trees, BINS, signs, {})
    for own, given_one in zip(found, given_trees, strict=True):
        assert added([own]).mean() == pytest.approx(added([given_one]).mean(), abs=1)
        for axes in ((1, 2), (0, 2)):
            assert added([own]).mean(axis=axes) == pytest.approx(added([given_one]).mean(axis=axes), abs=1)
    # A steep curve supports all.
    steep = {name: sign * 1000.0 * np.arange(BINS.bins_of[name]) for name, sign in signs.items()}
    assert supported(given_trees, BINS, signs, steep) == given_trees


def test_a_tree_that_takes_back_leaves_a_rising_sum_as_it_is():
    rises, back = (ObliviousTree((Literal("a", 0, at),), (own,)) for at, own in ((0, (9, 0)), (0, (-4, 0))))
    found, _ = monotone_sum([rises, back], None, BINS, {"a": 1}, {})
    assert added(found)[:, 0, 0].tolist() == [0, 5, 5, 5]


def test_bins_count_by_what_is_known_of_their_leaves():
    # Leaves by their tests: a in bin 0 and b in bin 0, a alone, b alone, neither.
    both = ObliviousTree((Literal("a", 0, 0), Literal("b", 0, 0)), ((0, 0, 0, 0),))
    known = np.asarray([7.0, 5.0, 3.0, 1.0])  # neither, b alone, a alone, both
    found = masses_of([both, both], [known, 3 * known], BINS, {"a": 1, "b": -1})
    assert found["a"].tolist() == [2 + 4 * 4.0, *[2 + 4 * 12 / 3] * 3]
    assert found["b"].tolist() == [2 + 4 * 6.0, 2 + 4 * 10.0]
    assert masses_of([both], [known], BINS, {"b": 1}).keys() == {"b"}


def test_a_curve_goes_to_the_mean_by_what_is_known():
    # From 1000 to 0 where it is to rise: nine times as much is known of the first bin as of each of the others.
    falls = ObliviousTree((Literal("a", 0, 0),), ((0, 1000),))
    found, _ = monotone_sum([falls], None, BINS, {"a": 1}, {"a": np.asarray([9.0, 1.0, 1.0, 1.0])})
    assert added(found)[:, 0, 0].tolist() == [750] * 4
    alike, _ = monotone_sum([falls], None, BINS, {"a": 1}, {})
    assert added(alike)[:, 0, 0].tolist() == [250] * 4


def test_a_form_of_ranks_becomes_what_columns_add_on_average():
    schema = Schema([Numeric(name, -1, 1) for name in "ab"] + [Categorical("c", ["u", "v"])], label=LABEL)
    weights = (0.5, 2.0, -0.75, 1.0, 0.5, -0.5, 0.5)
    scorer = RankedModel(("a", "b", "c"), (weights,), 0.4, bends=True)
    found = additive(scorer, schema)
    generator = np.random.default_rng(0)
    n = 40_000
    others = {"b": generator.uniform(-1, 1, n), "c": generator.integers(0, 2, n).astype(np.int32)}
    means = np.asarray(
        [scorer.scores(Rows({"a": np.full(n, rank), **others}, n), schema).mean() for rank in CURVE_RANKS]
    )
    curve = found.curves["a"]
    # What the others add in long rows differs a little from their mean.
    assert curve - curve.mean() == pytest.approx(means - means.mean(), abs=0.02)
    assert np.ptp(means) > 0.5
    whole = found.model(found.curves)
    rows = {"a": generator.uniform(-1, 1, n), **others}
    both = whole.scores(Rows(rows, n), schema), scorer.scores(Rows(rows, n), schema)
    assert np.corrcoef(*both)[0, 1] > 0.98 and np.std(both[0]) == pytest.approx(np.std(both[1]), rel=0.05)
    # Additive: what one column changes is the same whatever the others are.
    high, low = ({**rows, "a": np.full(n, rank)} for rank in (0.9, -0.9))
    assert np.ptp(whole.scores(Rows(high, n), schema) - whole.scores(Rows(low, n), schema)) == 0


@pytest.fixture(scope="module")
def document():
    generator = np.random.default_rng(0)
    x = generator.uniform(0, 1, (2000, 1))
    schema = Schema([Numeric("a", 0, 1)], label=LABEL)
    labels = np.where(generator.random(2000) < x[:, 0], "yes", "no")
    fits = {
        name: LogisticClassifier(schema, epsilon=2.0, delta=1e-6, encoding="ranked", monotone=asked, random_state=0)
        for name, asked in (("with", {"a": 1}), ("without", None))
    }
    return {name: json.loads(to_json(each.fit(x, labels).model_, allow="simulated")) for name, each in fits.items()}


def again(document, change):
    body = json.loads(json.dumps(document))
    change(body["model"])
    body["digest"] = digest(canonical(body["model"]))
    return from_json(json.dumps(body))


def test_only_models_that_are_monotone_say_so(document):
    assert "monotone" not in document["without"]["model"]
    assert "curved" not in document["without"]["model"]["scorers"][0]
    assert again(document["with"], lambda model: None).monotone == (("a", 1),)


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.update(monotone=[["a", -1]]),
        lambda model: model.update(monotone=[["a", 2]]),
        lambda model: model.update(monotone=[["z", 1]]),
        lambda model: model["scorers"][0].update(radius=0.5),
        lambda model: model["scorers"][0]["curved"][0][1].reverse(),
        lambda model: model["scorers"][0]["curved"][0][1].pop(),
        lambda model: model["scorers"][0]["weights"][0].__setitem__(2, 0.5),
    ],
    ids=["sign", "no sign", "no column", "clipped", "curve", "short curve", "quadratic term"],
)
def test_a_file_that_claims_more_is_refused(document, change):
    with pytest.raises(ModelFileError):
        again(document["with"], change)
