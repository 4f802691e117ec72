"""Sums of Poisson's and gamma residuals: a search of all small tables attains what is stated, and nothing passes it."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest

from tacit.audit.neighbors import table_of
from tacit.convex import LogLoss
from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset
from tacit.features.ranked_encoding import RankedEncoding
from tacit.queries.leaf_sums import STEPS, LeafSums
from tacit.queries.ranked_gradients import RankedGradients
from tacit.schema import Categorical, Numeric, Schema, Target

ALL = Schema([Numeric("x", -1, 1, cuts=[0.0]), Categorical("c", ["a", "b"])], label=Target("y", 0.01, 16))
BY_X, BY_C = (Literal("x", 0, 0),), (Subset("c", (1,)),)
CASES = {"all": (["x", "c"], True), "columns": (["x", "c"], False), "target": ([], True), "partial": (["c"], False)}
FOUR_CASES = pytest.mark.parametrize("case", CASES)
FAMILIES = pytest.mark.parametrize("family", ["poisson", "gamma"])


def pairs(case, at=(-1.0, 1.0)):
    """Tables of two rows whose first changes in its protected cells; numbers to predict are at the ends and between."""
    columns, target = CASES[case]
    schema = ALL.with_private(columns, label=target)
    cells = list(product(at, "ab", [0.01, 1.0, 16.0]))
    free = ("x" in columns, "c" in columns, target)
    for row, fresh in product(cells, cells):
        if all(may or old == new for old, new, may in zip(row, fresh, free, strict=True)):
            yield tuple(table_of((first, (1.0, "b", 1.0)), schema) for first in (row, fresh))


def scaled(table, family, clip=0.5):
    return table.scaled(0.0, 1.0, LogLoss(family, 1.0, clip, (0.01, 16.0)))


def leaf_sums(table, grown):
    sums = LeafSums(table, BinEncoding(table.schema, table.schema.names, 2), np.zeros(1, dtype=np.int64))
    for tests, steps in grown:
        sums.advance(tests, np.asarray([steps], dtype=np.int64) * STEPS)
    return sums


def moved(one, other):
    apart = np.abs(one.unreleased_value - other.unreleased_value)
    return apart.sum(), sqrt((apart**2).sum())


@FAMILIES
@FOUR_CASES
def test_sums_of_leaves_move_as_far_as_stated_and_no_further(family, case):
    reached = 0.0
    # Scores of four either way are means beyond the bounds.
    for grown in ([], [(BY_X, [-4, 4]), (BY_C, [3, -3])]):
        for pair in pairs(case):
            both = [leaf_sums(scaled(table, family), grown) for table in pair]
            for tests in (BY_X, BY_C):
                one, other = (sums.gradients(tests) for sums in both)
                l1, l2 = moved(one, other)
                assert l1 <= one.l1 and l2 <= one.l2 * (1 + 1e-12)
                reached = max(reached, l2 / one.l2 if one.l2 else 0.0)
            scores = [sums.scores([BY_X, BY_C]) for sums in both]
            apart = [each.unreleased_value[0] - each.unreleased_value[1] for each in scores]
            assert abs(apart[0] - apart[1]) <= scores[0].range
    assert reached > 0.999


@FAMILIES
@FOUR_CASES
def test_gradients_on_ranks_move_as_far_as_stated_and_no_further(family, case):
    reached, weights = 0.0, np.asarray([0.0, 30.0, -20.0, 20.0])[:, None]
    encoding = RankedEncoding(ALL, ALL.names, 0.4)
    for pair in pairs(case, (-1.0, 0.0)):
        one, other = (RankedGradients(scaled(table, family), encoding).statistic(weights) for table in pair)
        l1, l2 = moved(one, other)
        assert l1 <= one.l1 and l2 <= one.l2
        reached = max(reached, l2 / one.l2)
    # Where a number stays, a residual changes its sign only with features; the constant and public numbers stay, too.
    assert reached > {"partial": 0.65, "columns": 0.7}.get(case, 0.9), reached


def test_a_gamma_residual_is_shorter_below_than_what_is_stated():
    """No number is further below its mean than the mean: at a clip of two that is a quarter, and not one half."""
    both = [leaf_sums(scaled(table_of(((1.0, "a", y),), ALL), "gamma", clip=2.0), []) for y in (0.01, 16.0)]
    one, other = (each.gradients(BY_X) for each in both)
    assert moved(one, other)[0] / one.l1 == pytest.approx((0.5 + 0.99 / 4), rel=1e-3)
