"""Scores of parts of trees: by hand, as of whole trees, and a range that holds and is attained."""

from __future__ import annotations

from itertools import islice, product

import numpy as np
import pytest

from tacit.audit.neighbors import Pair, random_pairs, table_of
from tacit.boosting.random_trees import draw_tree
from tacit.convex import SquaredLoss
from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset
from tacit.queries.leaf_sums import STEPS, LeafSums
from tacit.queries.tree_parts import parts_of, scores_of_parts
from tacit.schema import Categorical, Numeric, Schema, Target

ALL = Schema([Numeric("x", -1, 1, cuts=[0.0]), Categorical("c", ["a", "b"])], label=Target("y", -8, 8))
BY_X, BY_C = Literal("x", 0, 0), Subset("c", (1,))
ROWS = ((-1.0, "a", 4.0), (0.5, "b", -1.0), (0.25, "b", 0.5), (1.0, "a", -8.0))
FAR = SquaredLoss(8.0)
CASES = {"all": (["x", "c"], True), "features": (["x", "c"], False), "target": ([], True)}


def sums_of(table, near=8.0, bins=2):
    scaled = table.scaled(0.0, 1.0, FAR)
    sums = LeafSums(scaled, BinEncoding(scaled.schema, scaled.schema.names, bins), np.zeros(1, dtype=np.int64))
    sums.clip_by(FAR, SquaredLoss(near))
    return sums


def test_by_hand():
    # Residuals y / 16: 4, -1, 0.5 and -8 of 16; of a clip of one y / 2, cut: 8, -8, 4 and -8 of 16.
    for near, by_x, by_c, both in ((8.0, 4 + 8.5, 4 + 0.5, 4 + 0.5 + 8), (1.0, 8 + 12, 0 + 4, 8 + 4 + 8)):
        sums = sums_of(table_of(ROWS, ALL, block_rows=3), near)
        found = sums.scores_of_parts([(BY_X, BY_C), (BY_C, BY_X)], 1).unreleased_value * 16 / STEPS
        assert found.tolist() == [by_x, by_c, by_c, by_x]
        assert sums.scores_of_parts([(BY_X, BY_C)], 2).unreleased_value.tolist() == [both * STEPS / 16]
        assert sums.gradients((BY_X,)).unreleased_value[0, 1] * 16 / STEPS == 4  # steps have the far clip


def test_a_clip_for_choices_is_never_farther():
    one, other = (sums_of(table_of(ROWS, ALL), near).scores_of_parts([(BY_X,)], 1) for near in (8.0, 99.0))
    assert one.unreleased_value.tolist() == other.unreleased_value.tolist()


@pytest.mark.parametrize("depth", [1, 3, 5, 7])
def test_scores_are_those_of_whole_trees(depth):
    generator = np.random.default_rng(depth)
    columns = [Numeric("x", -1, 1), Categorical("c", range(300)), Numeric("z", 0, 2)]
    schema = Schema(columns, label=ALL.label).all_private()
    cells = (generator.uniform(0, 1, 90), generator.integers(0, 300, 90), generator.uniform(0, 2, 90))
    rows = tuple(zip(*(each.tolist() for each in cells), generator.uniform(-9, 9, 90).tolist(), strict=True))
    sums = sums_of(table_of(rows, schema, block_rows=50), bins=32)
    asked = [(name,) for name in schema.names]
    drawn = [draw_tree(sums.encoding, asked, 7, generator, one_column=False) for _ in range(3)]
    parts = [part for tests in drawn for part in parts_of(tests, depth)]
    found = sums.scores_of_parts(drawn, depth).unreleased_value
    assert found.tolist() == sums.scores(parts).unreleased_value.tolist()


def test_a_leaf_s_sum_is_in_one_leaf_of_each_part():
    sums = np.random.default_rng(0).integers(-9, 9, (2, 16))
    assert scores_of_parts(sums, 4).tolist() == np.abs(sums).sum(axis=1, keepdims=True).tolist()
    assert scores_of_parts(sums, 0).tolist() == np.abs(sums.sum(axis=1, keepdims=True)).tolist()


def pairs(schema):
    """A row that changes its protected cells beside crowds of either sign."""
    crowds = ((-1.0, "a", 8.0), (-1.0, "b", -8.0), (1.0, "a", -8.0), (1.0, "b", 8.0), (1.0, "b", 8.0))
    free = (*(column.private for column in schema.columns), schema.label.private)
    cells = list(product((-1.0, 1.0), "ab", (-8.0, 8.0)))
    for held in (crowds, crowds[:2], crowds[2:], crowds[1:3], ((-1.0, "b", -8.0), (1.0, "a", 8.0)) * 2):
        for row, fresh in product(cells, cells):
            if all(may or old == new for old, new, may in zip(row, fresh, free, strict=True)):
                yield Pair(schema, (row, *held), (fresh, *held))


@pytest.mark.parametrize("case", CASES)
def test_the_range_holds_and_is_attained(case):
    columns, target = CASES[case]
    schema, reached = ALL.with_private(columns, label=target), 0.0
    for pair in (*pairs(schema), *islice(random_pairs(schema, n_rows=5, seed=3), 9)):
        for near, depth in product((8.0, 1.0), (1, 2)):
            trees = [(BY_X, BY_C), (BY_C, BY_C)]
            both = [sums_of(table, near).scores_of_parts(trees, depth) for table in pair.tables()]
            assert both[0].range == both[1].range
            moved = both[0].unreleased_value - both[1].unreleased_value
            assert np.ptp(moved) <= both[0].range
            reached = max(reached, np.ptp(moved) / both[0].range)
    assert reached > 0.99


def test_public_cells_alone_are_exact():
    schema = ALL.with_private([], label=False)
    assert sums_of(table_of(ROWS, schema)).scores_of_parts([(BY_X, BY_C)], 1).is_public
