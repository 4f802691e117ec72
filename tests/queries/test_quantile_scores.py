"""Ranks of grid points: right values, and a range that is safe and attained."""

from __future__ import annotations

import numpy as np

from harness.neighbors import all_pairs
from harness.search import largest_movement
from tacit.queries import QuantileScores
from tacit.schema import Label, Numeric, Schema
from tacit.table import BinEncoding, Table

SCHEMA = Schema([Numeric("x", 0, 4)], label=Label("y", ["no", "yes"], private=False))


def scores(table: Table, quantile: float = 0.5):
    return QuantileScores(table, BinEncoding(SCHEMA, ("x",), 4)).statistic("x", quantile)


def test_scores_by_hand():
    table = Table.from_frame(np.asarray([[0.5], [1.0], [1.5], [3.9]]), ["no", "yes", "no", "no"], SCHEMA)
    # At most 1, 2, 3: two, three, three rows; the median is rank 2.
    assert scores(table).unreleased_value.tolist() == [0, -1, -1]
    assert scores(table, 0.75).unreleased_value.tolist() == [-1, 0, 0]


def test_the_range_is_safe_and_attained():
    moved = largest_movement(scores, all_pairs(SCHEMA, 3, points=5))
    assert moved["range"] == 1.0
