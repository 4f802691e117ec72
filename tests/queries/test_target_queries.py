"""Queries of numbers to predict: values by hand, and sensitivities that hold and are attained."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest

from tacit.audit.neighbors import Pair, random_pairs, table_of, values
from tacit.convex import SquaredLoss
from tacit.errors import SchemaError, TableError
from tacit.features import BinEncoding, DistanceEncoding, GridEncoding, GridWindow
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset
from tacit.features.ranked_encoding import RankedEncoding
from tacit.learners.target_scale import _alone
from tacit.queries.class_sums import class_counts
from tacit.queries.leaf_sums import STEPS, LeafSums, plan_leaf_sums
from tacit.queries.ranked_gradients import GRADIENT_STEPS, RankedGradients, gradient_sensitivity
from tacit.queries.residual_sizes import cells_of_sizes, residual_sizes
from tacit.queries.target_cells import TargetPlaces, target_cells
from tacit.schema import Categorical, Label, Numeric, Schema, Target

ALL = Schema([Numeric("x", -1, 1, cuts=[0.0]), Categorical("c", ["a", "b"])], label=Target("y", -8, 8))
BY_X, BY_C = (Literal("x", 0, 0),), (Subset("c", (1,)),)
CASES = {"all": (["x", "c"], True), "features": (["x", "c"], False), "target": ([], True), "partial": (["c"], False)}
FOUR_CASES = pytest.mark.parametrize("case", CASES)
ROWS = ((-1.0, "a", 4.0), (0.5, "b", -1.0), (0.25, "b", 0.5), (1.0, "a", -8.0))


def case_of(case):
    columns, target = CASES[case]
    return ALL.with_private(columns, label=target)


def scaled(rows, schema=ALL, clip=2.0):
    return table_of(rows, schema, block_rows=3).scaled(0.0, 1.0, SquaredLoss(clip))


def leaf_sums(table, trees=()):
    sums = LeafSums(table, BinEncoding(table.schema, table.schema.names, 2), np.zeros(1, dtype=np.int64))
    for tests, steps in trees:
        sums.advance(tests, np.asarray([steps], dtype=np.int64) * STEPS)
    return sums


def test_what_counts_classes_refuses_numbers_before_it_reads_one():
    table = table_of(ROWS, ALL)
    with pytest.raises(SchemaError, match="Take a regressor"):
        class_counts(ALL).statistic(table)
    with pytest.raises(TableError, match="Take a regressor"):
        table.gather(lambda block: block.labels)
    with pytest.raises(TableError, match="Take a classifier"):
        table_of(((0.0, "a", 1),), Schema(ALL.columns, label=Label("y", [0, 1]))).scaled(0.0, 1.0, SquaredLoss(2.0))


def test_residuals_of_leaves_by_hand():
    # Residuals are (y - s) / (2 clip), cut to one half: 1, -1/4, 1/8, -2 for s = 0 and clip 2.
    sums = leaf_sums(scaled(ROWS))
    assert (sums.gradients(BY_X).unreleased_value[0] / STEPS).tolist() == [-0.25 + 0.125 - 0.5, 0.5]
    assert (sums.curvatures(BY_X).unreleased_value[0] / STEPS).tolist() == [0.75, 0.25]
    # After two is added where c is b: (-1 - 2) / 4 and (0.5 - 2) / 4.
    sums = leaf_sums(scaled(ROWS), [(BY_C, [0, 2])])
    assert (sums.gradients(BY_C).unreleased_value[0] / STEPS).tolist() == [0.0, -0.5 - 0.375]
    assert leaf_sums(scaled(ROWS, clip=4.0)).gradients(BY_X).unreleased_value[0, 1] == STEPS / 2
    assert [leaf_sums(scaled(ROWS, clip=each)).curved for each in (2.0, 4.0)] == [1.0, 0.5]


def moved(one, other):
    return np.abs(one - other).sum(), sqrt(((one - other) ** 2).sum())


@FOUR_CASES
def test_sums_of_leaves_move_as_far_as_stated_and_no_further(case):
    schema, grown = case_of(case), [(BY_X, [-3, 3]), (BY_C, [1, -1])]
    plan = plan_leaf_sums(schema_unit(schema), 1, selection=1.0, curvature=1.0, gradient=1.0)
    asked = [(tests, trees) for tests in (BY_X, BY_C, (*BY_X, *BY_C)) for trees in ([], grown[:1], grown)]
    reached = {}
    for tests, trees in asked:
        for pair in [*pairs(schema), *random_pairs_of(schema)]:
            both = [leaf_sums(table.scaled(0.0, 1.0, SquaredLoss(2.0)), trees) for table in pair.tables()]
            for name, of in (("gradient", LeafSums.gradients), ("curvature", LeafSums.curvatures)):
                one, other = (of(sums, tests) for sums in both)
                l1, l2 = moved(one.unreleased_value, other.unreleased_value)
                assert l1 <= one.l1 and l2 <= one.l2 * (1 + 1e-12), (tests, trees, pair)
                assert not plan[name] or one.l1 <= plan[name][0].l1
                if one.l2:
                    key = name, len(tests), len(trees)
                    reached[key] = max(reached.get(key, 0.0), l2 / one.l2)
            scores = [sums.scores([tests, BY_C]) for sums in both]
            apart = [each.unreleased_value[0] - each.unreleased_value[1] for each in scores]
            assert abs(apart[0] - apart[1]) <= scores[0].range
    assert max(found for (name, *_), found in reached.items() if name == "gradient") > 0.999
    if case != "target":
        assert max(found for (name, *_), found in reached.items() if name == "curvature") > 0.999


def test_a_public_number_s_residual_may_change_its_sign():
    # As a class's cannot: the row's score moves from -3 to 3, and its number is between.
    schema = case_of("features").with_private(["x"], label=False)
    both = [((x, "a", 0.0),) for x in (-1.0, 1.0)]
    sums = [leaf_sums(scaled(rows, schema), [(BY_X, [3, -3])]) for rows in both]
    one, other = (each.gradients(BY_C) for each in sums)
    assert moved(one.unreleased_value, other.unreleased_value) == (STEPS, STEPS)
    assert (one.l1, one.l2) == pytest.approx((STEPS, STEPS))


def schema_unit(schema):
    return table_of(ROWS, schema).unit


def pairs(schema):
    """One row that changes in its protected cells, in a table of that row and another."""
    free = (*(column.private for column in schema.columns), schema.label.private)
    cells = [*(values(column, 2) for column in schema.columns), [-8.0, -1.0, 0.0, 8.0]]
    rest = (1.0, "b", 0.0)
    for row in product(*cells):
        for fresh in product(*cells):
            if all(may or old == new for old, new, may in zip(row, fresh, free, strict=True)):
                yield Pair(schema, (row, rest), (fresh, rest))


def random_pairs_of(schema, count=6):
    return [pair for pair, _ in zip(random_pairs(schema, n_rows=5, seed=3), range(count), strict=False)]


@FOUR_CASES
def test_gradients_on_ranks_move_as_far_as_stated_and_no_further(case):
    schema = case_of(case)
    encoding = RankedEncoding(schema, schema.names, 0.4)
    # The constant, a rank and two categories: scores are far apart by the number and by the category.
    weights, reached = np.asarray([0.0, 30.0, -20.0, 20.0])[:, None], 0.0
    for pair in pairs(schema):
        one, other = (
            RankedGradients(table.scaled(0.0, 1.0, SquaredLoss(2.0)), encoding).statistic(weights)
            for table in pair.tables()
        )
        l1, l2 = moved(one.unreleased_value, other.unreleased_value)
        assert l1 <= one.l1 and l2 <= one.l2
        assert (one.l1 / GRADIENT_STEPS, one.l2 / GRADIENT_STEPS) == pytest.approx(
            gradient_sensitivity(encoding, one.unit, 1)
        )
        reached = max(reached, l2 / one.l2)
    # Where a number stays, a residual changes its sign only with its features, which all but the constant do.
    assert reached > {"partial": 0.7, "features": 0.7}.get(case, 0.9), reached


def test_a_gradient_on_ranks_by_hand():
    encoding = RankedEncoding(ALL, ("c",), 0.5)
    table = scaled(((0.0, "a", 1.0), (0.0, "b", -3.0)), clip=4.0)
    found = RankedGradients(table, encoding).statistic(np.zeros((3, 1))).unreleased_value[:, 0] / GRADIENT_STEPS
    features = encoding.of(rows_of(table)).features() / 2**14
    assert found == pytest.approx(-0.125 * features[0] + 0.375 * features[1], abs=1e-3)
    assert SquaredLoss(4.0).slope == 0.125


def rows_of(table):
    found = []
    table.visit(lambda block: found.append(block.scored(lambda rows: rows)))
    return found[0]


def test_places_of_numbers_move_by_two():
    window = GridWindow(GridEncoding(_alone(ALL.target), "y"))
    edges = np.asarray([[0, 100, 200, 256]])
    rows = [(0.0, "a", number) for number in (-8.0, 0.0, 8.0, 8.0)]
    places = TargetPlaces(table_of(tuple(rows), ALL), [window])
    fresh = TargetPlaces(table_of(((0.0, "a", 8.0), *rows[1:]), ALL), [window])
    one, other = places.statistic(edges), fresh.statistic(edges)
    assert one.unreleased_value.tolist() == [[1, 1, 2]]
    assert moved(one.unreleased_value, other.unreleased_value) == (one.l1, pytest.approx(one.l2)) == (2, sqrt(2))
    assert TargetPlaces(table_of(tuple(rows), case_of("features")), [window]).statistic(edges).is_public


def test_cells_of_numbers_are_halved_where_their_middle_is():
    rows = tuple((0.0, "a", number) for number in (-8.0, -1.0, 1.0, 2.0, 6.0))
    grid = GridEncoding(_alone(ALL.target), "y")
    statistic = target_cells(table_of(rows, case_of("features")), grid).statistic(np.asarray([0, grid.n_cells]))
    assert statistic.is_public
    cells = DistanceEncoding(_alone(ALL.target), "y", 1.0)
    near = target_cells(table_of(rows, ALL), cells)
    assert near.statistic(np.asarray([0, cells.n_cells])).range == 4.0
    assert [round(cells.farthest(int(each)), 1) for each in near._numbers] == pytest.approx([0, 1, 2, 5, 9], abs=0.1)


@FOUR_CASES
def test_sizes_of_residuals_move_as_far_as_stated_and_no_further(case):
    schema, cells, reached = case_of(case), cells_of_sizes(1.0), 0.0
    edges = np.asarray([0, cells.n_cells])
    # The row may be anywhere: its score is -3 or 3, by its number x.
    for pair in [*pairs(schema), *random_pairs_of(schema)]:
        both = [leaf_sums(table.scaled(0.0, 1.0, SquaredLoss(2.0)), [(BY_X, [-3, 3])]) for table in pair.tables()]
        one, other = (residual_sizes(sums, cells).statistic(edges) for sums in both)
        scores = [
            -np.abs(2 * np.searchsorted(each.unreleased_value, np.arange(cells.n_cells), side="right") - 2.0)
            for each in (one, other)
        ]
        change = (scores[0] - scores[1])[:-1]
        assert np.ptp(change) <= one.range
        assert not one.is_public or (change == 0).all()
        reached = max(reached, float(np.ptp(change)))
    # Of two rows one stays: its cell is between, and two half rows on either side make four.
    assert reached == (4.0 if case in ("all", "target", "features") else reached)
