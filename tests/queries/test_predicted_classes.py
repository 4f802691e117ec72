"""Rows by cell, class and predicted class: right counts, and a sensitivity that is safe and attained."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from harness.neighbors import all_pairs, table_of
from harness.search import largest_movement
from tacit.privacy import PlanEntry
from tacit.queries.predicted_classes import STEPS, plan_predicted_classes, predicted_classes, sensitivities
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.table import Table

SQUARE = Schema([Numeric("x", 0, 1), Categorical("c", ["u", "v"])], label=Label("y", ["no", "yes"]))
ROWS = ((0.0, "u", "no"), (0.25, "v", "yes"), (1.0, "v", "yes"))
SIZES = (2, 2)


def cells(rows):
    return np.column_stack([(rows.columns["x"] > 0.5).astype(int), rows.columns["c"]])


def likely(rows):
    second = np.where(rows.columns["c"] == 1, rows.columns["x"], 0.0)
    return np.column_stack([1 - second, second])


def counted(table, cells=cells, likely=likely, sizes=SIZES):
    return predicted_classes(table, cells, sizes, likely)


def test_counts_by_hand():
    statistic = counted(table_of(ROWS, SQUARE, block_rows=2))
    rows = (statistic.unreleased_value / STEPS).tolist()
    # By class, and then by what is predicted: the second row is a quarter of the second class, the third all of it.
    assert rows == [[[1, 0], [0.75, 0.25]], [[0, 0], [0, 1]], [[1, 0], [0, 0]], [[0, 0], [0.75, 1.25]]]
    assert (statistic.l1, statistic.l2) == (4 * STEPS, pytest.approx(2 * STEPS))


@pytest.mark.parametrize("wrong", [np.nan, -1.0, 7.0, np.inf])
def test_a_row_counts_one_in_each_column_whatever_is_predicted(wrong):
    def odd(rows):
        return np.column_stack([np.full(rows.n_rows, wrong), np.full(rows.n_rows, 0.7), np.full(rows.n_rows, 0.7)])

    schema = Schema(SQUARE.columns, label=Label("y", ["maybe", "no", "yes"]))
    value = counted(table_of(ROWS, schema), likely=odd).unreleased_value
    assert value.min() >= 0 and value[:2].sum() == value[2:].sum() == 3 * STEPS


def test_a_cell_that_is_none_is_counted_nowhere():
    value = counted(table_of(ROWS, SQUARE), cells=lambda rows: cells(rows) - [[0, 1]]).unreleased_value
    assert value[:2].sum() == 3 * STEPS and value[2:].sum() == 2 * STEPS and value[3].sum() == 0


@pytest.mark.parametrize(("private", "label"), [(["x", "c"], True), (["x"], False), ([], True)])
def test_the_bound_holds_and_is_attained(private, label):
    schema = SQUARE.with_private(private, label=label)
    moved = largest_movement(counted, all_pairs(schema, 1, points=3))
    # A replaced row enters other cells or has another label, or is predicted otherwise where a column is public.
    assert moved == {"l1": pytest.approx(1.0), "l2": pytest.approx(1.0)}


@pytest.mark.parametrize(("rows", "most"), [("mean", 1), (2, 2)])
def test_persons_count_as_often_as_they_may(rows, most):
    schema = Schema(SQUARE.columns, label=SQUARE.label, identifier=Identifier("person", rows=rows))
    frame = pl.DataFrame({"person": ["a", "b", "b", "b"], "x": [0.0, 1.0, 1.0, 1.0], "c": ["u", "v", "v", "v"]})
    table = Table.from_frame(frame, ["no", "yes", "yes", "no"], schema)
    statistic = counted(table)
    assert statistic.l1 == 4 * STEPS * most * table.unit_weight
    assert statistic.l2 == pytest.approx(2 * STEPS * most * table.unit_weight)
    found = statistic.unreleased_value / statistic.unit_weight / STEPS
    assert found[:2].sum() == (2 if rows == "mean" else 3)


def test_one_release_is_announced_for_all_columns():
    l1, l2 = sensitivities(8)
    assert l1 == 16 and 4 <= l2 == pytest.approx(4)
    assert plan_predicted_classes(table_of(ROWS, SQUARE).unit, 8, 0.5) == [PlanEntry("noise", weight=0.5, l1=l1, l2=l2)]
    assert plan_predicted_classes(table_of(ROWS, SQUARE.with_private([], label=False)).unit, 8, 0.5) == []
