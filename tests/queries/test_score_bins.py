"""Counts of score levels: right values, and a sensitivity that is safe and attained."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from harness.neighbors import all_pairs, table_of
from harness.search import largest_movement
from tacit.errors import PrivacyError
from tacit.queries import score_bins
from tacit.schema import Label, Numeric, Schema
from tacit.table import LinearEncoding

LINE = Schema([Numeric("x", -1, 1)], label=Label("y", ["no", "yes"], private=False))
EDGES = np.asarray([-0.5, 0.5])


def score(block):
    return block.features(LinearEncoding(LINE, ("x",)))[:, 0].astype(float)


def test_bins_by_hand():
    table = table_of(((-1.0, "no"), (-0.5, "yes"), (0.25, "yes"), (1.0, "yes"), (0.75, "no")), LINE, block_rows=2)
    assert score_bins(table, score, EDGES).unreleased_value.tolist() == [[1, 0, 1], [1, 1, 1]]


@pytest.mark.parametrize("private_label", [True, False])
def test_the_bound_holds_and_is_attained(private_label):
    schema = LINE.with_private(["x"], label=private_label)

    def here(block):
        return block.features(LinearEncoding(schema, ("x",)))[:, 0].astype(float)

    moved = largest_movement(lambda table: score_bins(table, here, EDGES), all_pairs(schema, 2, points=3))
    assert moved == {"l1": 1.0, "l2": pytest.approx(1.0)}


def test_the_bounds_are_stated():
    statistic = score_bins(table_of(((0.0, "no"),), LINE), score, EDGES)
    assert (statistic.l1, statistic.l2) == (2.0, sqrt(2.0))


def test_exact_counts_need_a_table_that_protects_nothing():
    rows = ((0.0, "no"), (1.0, "yes"))
    with pytest.raises(PrivacyError):
        _ = score_bins(table_of(rows, LINE), score, EDGES).public_value
    public = LINE.with_private([], label=False)

    def here(block):
        return block.features(LinearEncoding(public, ("x",)))[:, 0].astype(float)

    assert score_bins(table_of(rows, public), here, EDGES).public_value.tolist() == [[0, 1, 0], [0, 0, 1]]
