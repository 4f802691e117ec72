"""Held-out rows by class and level: right counts, and a sensitivity that is safe and attained."""

from __future__ import annotations

from math import sqrt

import numpy as np
import polars as pl
import pytest

from harness.neighbors import all_pairs, table_of
from harness.search import largest_movement
from tacit.privacy import Planned
from tacit.queries.held_out import held_out_class_scores, held_out_scores, plan_held_out_scores
from tacit.schema import Identifier, Label, Numeric, Schema
from tacit.table import Table

LINE = Schema([Numeric("x", 0, 1)], label=Label("y", ["no", "yes"]))
ROWS = ((0.0, "no"), (0.25, "yes"), (0.75, "yes"), (1.0, "no"), (0.5, "no"))


def thirds(rows):
    return np.minimum(rows.columns["x"] * 3, 2).astype(int)


def test_counts_by_hand():
    statistic = held_out_scores(table_of(ROWS, LINE, block_rows=2), thirds, 3)
    assert statistic.unreleased_value.tolist() == [[1, 1, 1], [1, 0, 1]]
    assert (statistic.l1, statistic.l2) == (2.0, sqrt(2.0))


@pytest.mark.parametrize("wrong", [np.nan, -1, 7, np.inf, -np.inf])
def test_a_cell_that_is_none_is_the_nearest(wrong):
    statistic = held_out_scores(table_of(ROWS, LINE), lambda rows: np.full(rows.n_rows, wrong), 3)
    place = 2 if wrong > 2 else 0
    assert statistic.unreleased_value[:, place].tolist() == [3, 2]
    assert statistic.unreleased_value.sum() == 5


@pytest.mark.parametrize("private_label", [True, False])
def test_the_bound_holds_and_is_attained(private_label):
    schema = LINE.with_private(["x"], label=private_label)
    moved = largest_movement(lambda table: held_out_scores(table, thirds, 3), all_pairs(schema, 2, points=3))
    assert moved == {"l1": 1.0, "l2": pytest.approx(1.0)}


@pytest.mark.parametrize(("rows", "most", "found"), [("mean", 1, [[1, 1 / 3], [0, 2 / 3]]), (2, 2, [[1, 0], [0, 2]])])
def test_persons_count_as_often_as_they_may(rows, most, found):
    schema = Schema(LINE.columns, label=LINE.label, identifier=Identifier("person", rows=rows))
    frame = pl.DataFrame({"person": ["a", "b", "b", "b"], "x": [0.0, 1.0, 1.0, 1.0]})
    table = Table.from_frame(frame, ["no", "yes", "yes", "no"], schema)
    statistic = held_out_scores(table, lambda rows: rows.columns["x"].astype(int), 2)
    assert (statistic.l1, statistic.l2) == (
        2 * most * table.unit_weight,
        pytest.approx(sqrt(2) * most * table.unit_weight),
    )
    counted = statistic.unreleased_value / statistic.unit_weight
    assert counted.sum() == (2 if rows == "mean" else 3)
    if rows == "mean":
        assert counted == pytest.approx(np.asarray(found), abs=1e-3)


def test_one_release_is_announced():
    assert plan_held_out_scores(table_of(ROWS, LINE).unit) == [Planned("noise", l1=2.0, l2=sqrt(2.0))]
    assert plan_held_out_scores(table_of(ROWS, LINE.with_private([], label=False)).unit) == []
    both = plan_held_out_scores(table_of(ROWS, LINE).unit, n_scores=3)
    assert [(each.weight, each.l1) for each in both] == [(1.0, 2.0), (2.0, 6.0)]


THREE = Schema([Numeric("x", 0, 1)], label=Label("y", ["a", "b", "c"]))


def each_class(rows):
    """Return levels of three classes, all of which differ between 0 and 1."""
    x = rows.columns["x"].astype(float)
    return np.column_stack([np.rint(2 * x), np.rint(2 - 2 * x), np.where(x > 0.5, np.nan, 7)])


def test_counts_by_each_classs_score_by_hand():
    three = ((0.0, "a"), (0.5, "b"), (1.0, "b"), (1.0, "c"))
    statistic = held_out_class_scores(table_of(three, THREE, block_rows=3), each_class, 3)
    # Of class a: the level of each row's first number, rows of other classes before its own.
    assert statistic.unreleased_value.tolist() == [
        [[0, 1, 2], [1, 0, 0]],
        [[1, 0, 1], [1, 1, 0]],
        [[1, 0, 2], [1, 0, 0]],
    ]
    assert (statistic.l1, statistic.l2) == (6.0, pytest.approx(sqrt(6)))


@pytest.mark.parametrize("private", [(["x"], True), (["x"], False), ([], True)])
def test_the_bound_for_all_classes_holds_and_is_attained_where_levels_may_change(private):
    schema = THREE.with_private(private[0], label=private[1])
    moved = largest_movement(lambda table: held_out_class_scores(table, each_class, 3), all_pairs(schema, 2, points=3))
    # Under a private label alone the row's levels stay, and two of the three classes' counts change.
    share = 1.0 if private[0] else 2 / 3
    assert moved == {"l1": pytest.approx(share), "l2": pytest.approx(sqrt(share))}
