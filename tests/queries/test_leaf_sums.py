"""Sums over leaves of oblivious trees: values by hand, and sensitivities that hold and that a search reaches."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit, softmax

from harness.neighbors import Pair, all_pairs, neighbors, table_of
from harness.search import largest_movement, movement, stated
from tacit.boosting.random_trees import draw_tree
from tacit.errors import ParameterError, PrivacyError
from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset
from tacit.features.ranked_encoding import RankedEncoding
from tacit.models import RankedModel
from tacit.privacy import PrivacyUnit
from tacit.queries import forests
from tacit.queries.leaf_sums import EVEN, MAX_RESIDUAL, STEPS, LeafSums, plan_leaf_sums, uneven
from tacit.queries.ranked_gradients import RankedScores
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.sensitivities.leaf_sums import CLIP_OF_MANY, Moves
from tacit.table import read_rows

TWO = Schema([Numeric("x", -1, 1, cuts=[0.0]), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
THREE = Schema(TWO.columns, label=Label("y", ["p", "q", "r"]))
BY_X, BY_C = (Literal("x", 0, 0),), (Subset("c", (1,)),)
CASES = {"all": (["x", "c"], True), "features": (["x", "c"], False), "label": ([], True), "partial": (["c"], False)}
FOUR_CASES = pytest.mark.parametrize("case", CASES)


def private(schema, case):
    columns, label = CASES[case]
    return schema.with_private(columns, label=label)


def sums_of(table, start=None, trees=(), bounds=EVEN):
    """Sums after trees with values; margins begin at ``start``, in units."""
    n_scores = 1 if table.n_classes == 2 else table.n_classes
    start = np.zeros(n_scores) if start is None else np.asarray(start, float)
    steps = np.rint(start * STEPS).astype(np.int64)
    sums = LeafSums(table, BinEncoding(table.schema, table.schema.names, 2), steps, bounds=bounds)
    for tests, values in trees:
        sums.advance(tests, np.rint(np.asarray(values, float).reshape(n_scores, -1) * STEPS).astype(np.int64))
    return sums


def test_two_classes_by_hand():
    rows = ((-1.0, "a", "no"), (0.5, "b", "no"), (0.25, "b", "yes"), (1.0, "a", "yes"))
    sums = sums_of(table_of(rows, TWO, block_rows=3), [1.0], [(BY_C, [0.0, -3.0])])
    up, down = expit(1.0), expit(-2.0)
    residuals = [-0.5, -down, 0.5, 1 - up]  # those of a wrong and of a right side, cut to one half
    # The test's bit is 1 where it holds: leaf 1 of x is "at most 0".
    by_x = np.asarray([sum(residuals[1:]), residuals[0]])
    assert sums.gradients(BY_X).unreleased_value[0] / STEPS == pytest.approx(by_x, abs=4 / STEPS)
    by_both = np.asarray([residuals[3], residuals[1] + residuals[2], residuals[0], 0.0])
    assert sums.gradients((*BY_X, *BY_C)).unreleased_value[0] / STEPS == pytest.approx(by_both, abs=4 / STEPS)
    h = [up * (1 - up), down * (1 - down)]
    assert sums.curvatures(BY_X).unreleased_value[0] / STEPS == pytest.approx([2 * h[1] + h[0], h[0]], abs=4 / STEPS)
    by_c = [residuals[0] + residuals[3], residuals[1] + residuals[2]]
    scores = sums.scores([BY_X, BY_C]).unreleased_value / STEPS
    assert scores == pytest.approx([np.abs(by_x).sum(), np.abs(by_c).sum()], abs=8 / STEPS)


def test_residuals_of_a_rare_class_are_cut_less():
    rows = ((-1.0, "a", "no"), (0.5, "a", "yes"), (0.5, "b", "no"), (-1.0, "b", "yes"))
    low, high = uneven(0.1)  # 0.2071 * 0.8^2 beyond one half
    assert (low, high) == pytest.approx((-0.367456, 0.632544), abs=1e-5)
    sums = sums_of(table_of(rows, TWO), [-3.0], [(BY_C, [0.0, 4.0])], (low, high))
    # Where c is a the chance is 0.047, else 0.731.
    expected = [high - expit(-3.0), 1 - expit(1.0) + low]
    assert sums.gradients(BY_C).unreleased_value[0] / STEPS == pytest.approx(expected, abs=4 / STEPS)
    assert uneven(0.9) == pytest.approx((-high, -low))
    for wrong in ((-0.5, 0.6), (-0.2, 0.75), (0.1, 0.6)):
        with pytest.raises(ParameterError, match=r"bounds of residuals within 0\.7071 and one apart"):
            sums_of(table_of(rows, TWO), bounds=wrong)


def test_three_classes_by_hand():
    rows = ((-1.0, "a", "p"), (0.5, "b", "q"), (0.25, "b", "r"))
    start = [1.0, 0.0, -2.0]
    likely = softmax(start)
    residuals = np.eye(3) - likely
    residuals *= np.minimum(1, sqrt(0.5) / np.linalg.norm(residuals, axis=1))[:, None]
    sums = sums_of(table_of(rows, THREE, block_rows=2), start)
    expected = np.stack([residuals[1] + residuals[2], residuals[0]], axis=1)
    assert sums.gradients(BY_X).unreleased_value / STEPS == pytest.approx(expected, abs=3 / STEPS)
    assert sums.curvatures(BY_X).unreleased_value / STEPS == pytest.approx(
        np.outer(likely * (1 - likely), [2, 1]), abs=3 / STEPS
    )
    assert sums.scores([BY_X]).unreleased_value / STEPS == pytest.approx(
        [np.linalg.norm(expected, axis=0).sum()], abs=8 / STEPS
    )


@given(neighbors(), st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_no_neighbor_moves_anything_further_than_stated(pair: Pair, n_classes: int, seed: int):
    generator = np.random.default_rng(seed)
    # The drawn labels with further classes beside them, so that neighbors stay neighbors.
    label = replace(pair.schema.label, classes=["no", "yes", *(f"z{at}" for at in range(n_classes - 2))])
    schema = replace(pair.schema, label=label)
    encoding = BinEncoding(schema, schema.names, 4)
    trees = [drawn_tests(encoding, generator) for _ in range(5)]
    n_scores = 1 if n_classes == 2 else n_classes
    size = generator.choice([0.1, 3.0, 40.0])
    steps = [(tests, generator.normal(0, size, (n_scores, 4))) for tests in trees[: generator.integers(4)]]
    bounds = uneven(generator.random()) if generator.random() < 0.5 else EVEN
    ranked = generator.random() < 0.5
    first = ranked_scores(schema, n_scores, size, generator_of(seed)) if ranked else None
    answers = []
    for table in replace(pair, schema=schema).tables(block_rows=5):
        start = np.rint(STEPS * generator_of(seed).normal(0, 1, n_scores)).astype(np.int64)
        sums = LeafSums(table, encoding, start, first, bounds)
        for tests, values in steps:
            sums.advance(tests, np.rint(values * STEPS).astype(np.int64))
        answers.append([sums.scores(trees), *(ask(trees[-1]) for ask in (sums.gradients, sums.curvatures))])
    for one, two in zip(*answers, strict=True):
        assert stated(one) == stated(two)
        for norm, moved in movement(one, two).items():
            assert moved <= stated(one)[norm]


def ranked_scores(schema, n_scores, size, generator):
    """A form of ranks as if it had been released."""
    whole = RankedEncoding(schema, schema.names, inf, quadratic=True)
    read = replace(whole, radius=0.5 * whole.longest)
    return RankedScores(read, np.rint(generator.normal(0, size, (read.n_features, n_scores)) * 64) / 64)


def generator_of(seed):
    return np.random.default_rng(seed + 1)


def drawn_tests(encoding, generator):
    """Two levels, each a test of any column."""
    tests = []
    for name in generator.choice(encoding.columns, 2):
        if isinstance(encoding.schema.column(name), Numeric):
            tests.append(Literal(str(name), 0, int(generator.integers(3))))
        else:
            tests.append(Subset(str(name), (0,)))
    return tuple(tests)


def trees_for(case, n_classes):
    """Margins that bring out the largest movements: none, or those of rows that are sure of a class."""
    if n_classes == 2:
        return [(), ((BY_C, [-40, 40]),), ((BY_C, [0, 40]),)]
    sure, even = np.asarray([[40, 0], [0, 40], [0, 0]]), np.asarray([[0, 0], [0, 0], [-40, -40]])
    return [
        (),
        ((BY_C, sure),),
        ((BY_C, even),),
        ((BY_C, [[40, 0], [0, 20], [0, 20]]),),
        ((BY_C, [[0, 0], [40, 0], [0, 40]]),),
    ]


@FOUR_CASES
@pytest.mark.parametrize("base", [TWO, THREE], ids=["two", "three"])
def test_the_stated_sensitivities_are_reached(case, base):
    schema = private(base, case)
    worst: dict[tuple[str, str], float] = {}
    for trees in trees_for(case, len(base.label.classes)):
        for tests in (BY_X, BY_C):
            for name in ("gradients", "curvatures"):
                moved = largest_movement(
                    lambda table, t=trees, n=name, x=tests: getattr(sums_of(table, None, t), n)(x),
                    list(all_pairs(schema, 1)),
                )
                for norm, ratio in moved.items():
                    assert ratio <= 1
                    worst[name, norm] = max(worst.get((name, norm), 0.0), ratio)
    for (name, norm), ratio in worst.items():
        free = name == "curvatures" and case == "label"  # nothing that is read may differ
        assert ratio == 0.0 if free else 0.98 < ratio <= 1, (name, norm)


@pytest.mark.parametrize("share", [0.1, 0.97])
@pytest.mark.parametrize("case", ["all", "label"])
def test_uneven_bounds_cost_nothing_and_the_stated_sensitivities_are_reached(case, share):
    """In one leaf rows are one apart; in two of length at most one, but further in L1."""
    bounds, schema = uneven(share), private(TWO, case)
    # Where nothing of either label is cut: their residuals are one apart.
    between = [[float(logit(1 - bounds[1]))]]
    given = [(start, trees) for start in (None, *between) for trees in trees_for(case, 2)]
    moved = [
        largest_movement(
            lambda table, s=start, t=trees, x=tests: sums_of(table, s, t, bounds).gradients(x),
            list(all_pairs(schema, 1)),
        )
        for start, trees in given
        for tests in (BY_X, BY_C)
    ]
    for norm in ("l1", "l2"):
        assert 0.98 < max(each[norm] for each in moved) <= 1
    table = table_of(((0.5, "a", "no"), (-0.5, "b", "yes")), schema)
    assert sums_of(table, bounds=bounds).gradients(BY_X).l2 == sums_of(table).gradients(BY_X).l2


@pytest.mark.parametrize("case", ["all", "label"])
def test_the_range_of_uneven_bounds_is_reached(case):
    bounds = uneven(0.1)
    schema = private(Schema([TWO.columns[0], Categorical("c", ["a", "b", "d"])], label=TWO.label), case)
    candidates = [BY_X, (Subset("c", (0,)),), (Subset("c", (1,)),)]
    crowds = [
        [*((-1.0, name, one) for name in "aabbaabb"), *[(-1.0, "d", other)] * 12]
        for one, other in (("no", "yes"), ("yes", "no"))
    ]
    crowds.append([*[(1.0, "a", "no")] * 4, *[(-1.0, "d", "yes")] * 4])
    pairs = [
        Pair(schema, (*crowd, *pair.first), (*crowd, *pair.second)) for crowd in crowds for pair in all_pairs(schema, 1)
    ]
    start = [float(logit(1 - bounds[1]))]
    assert (
        0.98 < largest_movement(lambda table: sums_of(table, start, (), bounds).scores(candidates), pairs)["range"] <= 1
    )


@FOUR_CASES
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_range_is_reached(case, n_classes):
    """Crowds decide with which sign a row counts in a leaf: one candidate gains all, another loses all."""
    columns = [TWO.columns[0], Categorical("c", ["a", "b", "d"])]
    label = Label("y", ["p", "q", "r"][:n_classes])
    schema = private(Schema(columns, label=label), case)
    start = [0.0, 0.0, -40.0][:n_classes] if n_classes > 2 else None  # the third class is out of the question
    candidates = [BY_X, (Subset("c", (0,)),), (Subset("c", (1,)),)]
    apart = [*((-1.0, name, "p") for name in "aabb"), *[(-1.0, "d", "q")] * 6]
    across = [*[(1.0, "a", "p")] * 2, *[(-1.0, "d", "q")] * 2]
    pairs = [
        Pair(schema, (*crowd, *pair.first), (*crowd, *pair.second))
        for crowd in (apart, across)
        for pair in all_pairs(schema, 1)
    ]
    assert 0.98 < largest_movement(lambda table: sums_of(table, start).scores(candidates), pairs)["range"] <= 1


def distributions(n_classes, generator, count=40_000):
    """Random class probabilities: even among some, or Dirichlet draws, shape (count, n_classes)."""
    sizes = generator.choice([0.02, 0.2, 1.0, 50.0], (count, 1))
    drawn = generator.gamma(sizes, size=(count, n_classes)) + 1e-12
    drawn[generator.random((count, n_classes)) < 0.4] = 1e-12
    return drawn / drawn.sum(axis=1, keepdims=True)


def residuals(likely, label):
    vectors = np.eye(likely.shape[1])[label] - likely
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors * np.minimum(1, CLIP_OF_MANY / np.maximum(lengths, 1e-12))


@pytest.mark.parametrize("n_classes", [3, 4, 6])
def test_a_search_over_probabilities_finds_nothing_beyond_the_bounds(n_classes):
    """Two rows of any distributions, in one leaf or two, with the same label or another, at real numbers."""
    generator = np.random.default_rng(n_classes)
    one, two = distributions(n_classes, generator), distributions(n_classes, generator)
    kept, flipped = residuals(two, 0), residuals(two, 1)
    own = residuals(one, 0)
    h, other = one * (1 - one), two * (1 - two)
    anything = {"label": True, "leaf": True, "margin": True}
    found = [
        ("gradients", anything, [np.hstack([own, flipped]), own - flipped], 0.98),
        ("gradients", anything | {"label": False}, [np.hstack([own, kept]), own - kept], 0.98),
        ("gradients", {"label": False, "leaf": False, "margin": True}, [own - kept], 0.9),
        ("gradients", {"label": True, "leaf": False, "margin": False}, [own - residuals(one, 1)], 0.98),
        ("curvatures", anything, [np.hstack([h, other]), h - other], 0.98),
        ("curvatures", {"label": False, "leaf": False, "margin": True}, [h - other], 0.4),
    ]
    for kind, moves, changes, share in found:
        for order, bound in enumerate(getattr(Moves(n_classes, **moves), kind), start=1):
            worst = max(np.linalg.norm(change, order, axis=1).max() for change in changes)
            assert share < worst / (bound / STEPS) <= 1, (kind, moves, order)


@pytest.mark.parametrize("base", [TWO, THREE], ids=["two", "three"])
def test_margins_that_ranks_say_first(base):
    classes = base.label.classes
    rows = ((-1.0, "a", classes[0]), (0.5, "b", classes[1]), (0.25, "b", classes[-1]), (1.0, "a", classes[1]))
    n_scores = 1 if len(classes) == 2 else 3
    first = ranked_scores(base, n_scores, 2.0, np.random.default_rng(0))
    model = RankedModel(base.names, tuple(map(tuple, first.weights.T.tolist())), first.encoding.radius, bends=True)
    margins = model.scores(read_rows([row[:2] for row in rows], base), base).reshape(4, n_scores)
    sums = LeafSums(
        table_of(rows, base, block_rows=3), BinEncoding(base, base.names, 2), np.full(n_scores, STEPS), first
    )
    likely = softmax(margins, axis=1) if n_scores > 1 else expit(margins)
    expected = np.stack([(likely * (1 - likely))[1:].sum(axis=0), (likely * (1 - likely))[0]], axis=1)
    # The test's bit is 1 where it holds: leaf 1 of x is "at most 0".
    assert sums.curvatures(BY_X).unreleased_value / STEPS == pytest.approx(expected, abs=4 / STEPS)


def test_ranks_of_a_protected_column_make_curvatures_of_public_leaves_private():
    """Without them sums over leaves of public columns are exact."""
    schema = private(TWO, "partial")
    table = table_of(((0.5, "a", "no"), (-0.5, "b", "yes")), schema)
    of_both, of_x = (
        RankedScores(read, np.ones((read.n_features, 1)))
        for read in (RankedEncoding(schema, names, 1.0) for names in (schema.names, ("x",)))
    )
    start = np.zeros(1, dtype=np.int64)
    sums = LeafSums(table, BinEncoding(schema, schema.names, 2), start, of_both)
    with pytest.raises(PrivacyError):
        _ = sums.curvatures(BY_X).public_value
    assert sums.curvatures(BY_X).l2 == Moves(2, label=False, leaf=False, margin=True).curvatures[1] > 0
    sums = LeafSums(table, BinEncoding(schema, schema.names, 2), start, of_x)
    assert (sums.curvatures(BY_X).public_value > 0).all()


def test_what_nothing_moves_is_exact_and_the_rest_is_not():
    schema = private(TWO, "partial")
    sums = sums_of(table_of(((0.5, "a", "no"), (-0.5, "b", "yes")), schema))
    assert sums.gradients(BY_X).public_value.tolist() == [[-STEPS / 2, STEPS / 2]]
    assert sums.scores([BY_X]).is_public
    with pytest.raises(PrivacyError):
        _ = sums.gradients(BY_C).public_value
    sums.advance(BY_C, np.asarray([[0, STEPS]]))
    with pytest.raises(PrivacyError):  # margins depend on a protected column by now
        _ = sums.gradients(BY_X).public_value
    assert not sums.scores([BY_X]).is_public


def test_the_plan_is_what_the_statistics_state():
    for base, case in product((TWO, THREE), CASES):
        schema = private(base, case)
        unit = PrivacyUnit(schema.private_columns, schema.label.private)
        plan = plan_leaf_sums(unit, len(schema.label.classes), selection=1.0, curvature=2.0, gradient=3.0)
        rows = ((0.5, "a", schema.label.classes[0]), (-0.5, "b", schema.label.classes[1]))
        sums = sums_of(table_of(rows, schema))
        asked = {"curvature": sums.curvatures(BY_C), "gradient": sums.gradients(BY_C)}
        for name, statistic in asked.items():
            assert [(one.l1, one.l2) for one in plan[name]] == (
                [] if statistic.is_public else [(statistic.l1, statistic.l2)]
            )
        assert len(plan["selection"]) == 1
    unit, schema = PrivacyUnit(("x", "c"), label=True), private(TWO, "all")
    ((planned,),) = [plan_leaf_sums(unit, 2, selection=1, curvature=1, gradient=1, most=MAX_RESIDUAL)["gradient"]]
    for share in (0.0, 0.3, 1.0):
        sums = sums_of(table_of(((0.5, "a", "no"), (-0.5, "b", "yes")), schema), bounds=uneven(share)).gradients(BY_C)
        assert sums.l1 <= planned.l1 and sums.l2 == planned.l2
    assert plan_leaf_sums(PrivacyUnit((), False), 2, selection=1, curvature=1, gradient=1) == {
        "selection": [],
        "curvature": [],
        "gradient": [],
    }


def test_blocks_do_not_matter():
    generator = np.random.default_rng(0)
    rows = tuple(
        zip(
            generator.uniform(-1, 1, 200).tolist(),
            generator.choice(["a", "b"], 200),
            generator.choice(["p", "q", "r"], 200),
            strict=True,
        )
    )
    values = []
    for block_rows in (7, 1000):
        sums = sums_of(table_of(rows, THREE, block_rows), [0.3, 0, -1], [(BY_X, generator_of(0).normal(size=(3, 2)))])
        values.append([sums.gradients(BY_C).unreleased_value, sums.curvatures(BY_C).unreleased_value])
    assert all((a == b).all() for a, b in zip(*values, strict=True))


@pytest.mark.parametrize("base", [TWO, THREE], ids=["two", "three"])
def test_sums_of_several_trees_are_those_of_each_alone(base, monkeypatch):
    """More than eight trees, of one column and of several, over groups of columns, in strips of a few rows."""
    monkeypatch.setattr(forests, "_STRIP", 16)
    generator = np.random.default_rng(1)
    columns = [Numeric("x", -1, 1), Categorical("c", range(300)), Categorical("d", ["a", "b"]), Numeric("z", 0, 2)]
    schema = Schema(columns, label=base.label).all_private()
    labels = generator.choice(base.label.classes, 90).tolist()
    words, numbers = generator.integers(0, 300, 90).tolist(), generator.uniform(0, 1, (2, 90)).tolist()
    rows = tuple(zip(numbers[0], words, generator.choice(["a", "b"], 90).tolist(), numbers[1], labels, strict=True))
    table = table_of(rows, schema, block_rows=50)
    encoding = BinEncoding(schema, schema.names, 32)
    trees = [draw_tree(encoding, schema.names, 8, generator, one_column=at % 3 == 0) for at in range(15)]
    start = np.zeros(1 if base is TWO else 3, dtype=np.int64)
    sums = LeafSums(table, encoding, start)
    sums.scores(trees)
    codes = table.gather(lambda block: block.codes(encoding))
    # Of an undecided row: one half towards its class; of three classes, the vector of length sqrt(1/2) towards it.
    towards = np.asarray([[-0.5, 0.5]]) if base is TWO else (np.eye(3) - 1 / 3) * sqrt(3) / 2
    residuals = towards[:, [base.label.classes.index(label) for label in labels]]
    for tests in trees:
        bits = [one.holds(codes[:, encoding.positions[one.column]]) for one in tests]
        leaves = np.asarray(bits).T @ (1 << np.arange(7, -1, -1))
        expected = np.stack([np.bincount(leaves, each, 256) for each in residuals])
        assert sums.gradients(tests).unreleased_value / STEPS == pytest.approx(expected, abs=90 / STEPS)
    each_tree, in_one_strip = [LeafSums(table, encoding, start) for _ in range(2)]
    values = generator.integers(-STEPS, STEPS, (len(start), 256))
    each_tree.advance(trees[1], values)
    monkeypatch.setattr(forests, "_STRIP", 1000)
    in_one_strip.advance(trees[1], values)
    in_one_strip.scores(trees)
    for tests in trees:
        for ask in (LeafSums.gradients, LeafSums.curvatures):
            assert (ask(each_tree, tests).unreleased_value == ask(in_one_strip, tests).unreleased_value).all()
