"""The sum of weights: by hand, on random neighbors, and one that attains its sensitivity."""

from __future__ import annotations

from math import inf

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Categorical, Identifier, Label, Numeric, Schema, Weight
from tacit.errors import TableError
from tacit.queries.class_sums import class_counts
from tacit.queries.platt_sums import of_rows
from tacit.queries.weight_sums import plan_weight_sum, weight_sum
from tacit.sensitivities.platt import OF_MANY, OF_TWO
from tacit.table import Table
from tacit.table.row_weights import parts_of_cap

COLUMNS, LABEL = [Numeric("a", 0, 1), Categorical("c", ["u", "v"])], Label("y", ["no", "yes"])
WEIGHTS = st.floats(0, 20, allow_nan=False)


def table_of(weights, schema, labels=None, persons=None):
    n = len(weights)
    frame = pl.DataFrame({"a": np.linspace(0, 1, n), "c": ["u", "v"] * (n // 2) + ["u"] * (n % 2), "w": weights})
    if persons is not None:
        frame = frame.with_columns(person=pl.Series(persons))
    return Table.from_frame(frame, labels or ["no", "yes"] * (n // 2) + ["no"] * (n % 2), schema, block_rows=3)


def schema_of(cap=8, **further):
    of_schema = {name: further.pop(name) for name in ("identifier", "rows_per_person") if name in further}
    return Schema(COLUMNS, label=LABEL, weight=Weight("w", cap, **further), **of_schema)


def in_rows(statistic):
    return float(statistic.unreleased_value[0]) / statistic.unit_weight


def test_a_sum_and_counts_by_hand():
    table = table_of([0, 2, 4, 8, 80], schema_of()).weighing_rows(0.5)
    found = weight_sum(table)
    assert in_rows(found) == 0 + 0.25 + 0.5 + 1 + 1
    assert (found.l1, found.l2) == (table.unit_weight, table.unit_weight)
    counts = class_counts(table.schema).statistic(table)
    assert (counts.unreleased_value / table.unit_weight).tolist() == [0 + 0.5 + 1, 0.25 + 1]
    assert (table.mean_weight, table.n_rows, table.unweighed.mean_weight) == (0.5, 5, 1.0)


def test_a_cell_and_a_part_are_both_cut_at_the_cap():
    weight = Weight("w", 8)
    assert parts_of_cap(np.asarray([0.0, 4.0, 8.0, 80.0]), weight).tolist() == [0, 0.5, 1, 1]
    assert (weight.as_column.lower, weight.as_column.upper) == (-8, 8)


def test_whole_weights_are_counted_in_their_own_unit():
    table = table_of([0.0, 2.0, 4.4, 8.0, 80.0], schema_of(whole=True)).weighing_rows(0.5)
    assert (table.unit_weight, int(weight_sum(table).unreleased_value[0])) == (8, 0 + 2 + 4 + 8 + 8)


def test_a_public_weight_has_a_public_sum_and_no_release():
    table = table_of([0, 2, 4, 8, 80], schema_of(private=False)).weighing_rows(0.5)
    assert weight_sum(table).is_public
    assert plan_weight_sum(table.unit, 1.0) == []
    assert not class_counts(table.schema).statistic(table).is_public


def test_rows_without_weights_are_refused():
    with pytest.raises(TableError, match="weighing_rows"):
        weight_sum(table_of([1, 2], schema_of()))
    with pytest.raises(TableError, match="Set weights once"):
        table_of([1, 2], schema_of()).weighing_rows(0.5).weighing_rows(0.5)
    with pytest.raises(TableError, match="Set weights afterwards"):
        table_of([1, 2], schema_of()).weighing_rows(0.5).slices([1])


@settings(max_examples=60, deadline=None)
@given(st.lists(WEIGHTS, min_size=2, max_size=8), WEIGHTS, st.booleans())
def test_no_neighbor_moves_the_sum_further(weights, other, whole):
    schema = schema_of(whole=whole)
    tables = [table_of(each, schema).weighing_rows(0.5) for each in (weights, [other, *weights[1:]])]
    one, two = map(weight_sum, tables)
    moved = abs(int(one.unreleased_value[0]) - int(two.unreleased_value[0]))
    assert moved <= one.l1 == one.l2


def test_a_neighbor_attains_the_sensitivity():
    moves = []
    for other in (0.0, 1.0, 4.0, 8.0, 100.0):
        tables = [table_of([first, 3.0, 3.0], schema_of()).weighing_rows(0.5) for first in (0.0, other)]
        moves.append(abs(in_rows(weight_sum(tables[0])) - in_rows(weight_sum(tables[1]))))
    assert max(moves) == 1.0 == moves[-1]


@settings(max_examples=40, deadline=None)
@given(st.lists(WEIGHTS, min_size=1, max_size=6), st.lists(WEIGHTS, min_size=1, max_size=6))
def test_one_person_moves_the_sum_by_one(mine, other):
    schema = schema_of(identifier=Identifier("person"))
    tables = [
        table_of([*own, 3.0], schema, persons=["p"] * len(own) + ["q"]).weighing_rows(0.5) for own in (mine, other)
    ]
    one, two = (int(weight_sum(table).unreleased_value[0]) for table in tables)
    assert abs(one - two) <= weight_sum(tables[0]).l1 == tables[0].unit_weight


@pytest.mark.parametrize("rows", [2, 5])
def test_rows_of_one_person_that_count_one_each_move_it_as_often(rows):
    schema = schema_of(rows_per_person=rows)
    table = table_of([8.0] * 10, schema).weighing_rows(0.5)
    assert weight_sum(table).l1 == rows * table.unit_weight


@pytest.mark.parametrize("largest", OF_TWO)
def test_a_row_that_comes_or_goes_moves_calibration_no_further_than_one_that_changes(largest):
    scores = np.linspace(-min(largest, 60), min(largest, 60), 4001)
    for label in (0, 1):
        terms = of_rows(scores, np.full(len(scores), label))
        assert np.abs(terms).sum(axis=0).max() <= OF_TWO[largest][0][0]
        assert np.sqrt((terms**2).sum(axis=0)).max() <= OF_TWO[largest][0][1]
    assert largest != inf or np.abs(terms).sum(axis=0).max() > 1.5


def test_so_it_does_with_many_classes():
    draw = np.random.default_rng(0)
    for n_classes in (3, 8):
        scores = draw.normal(0, 1, (20_000, n_classes)) * draw.choice([0.1, 1, 5, 30], (20_000, 1))
        terms = of_rows(scores, draw.integers(0, n_classes, len(scores)))
        assert 0.4 < np.abs(terms).sum(axis=0).max() <= OF_MANY[0]
        assert np.sqrt((terms**2).sum(axis=0)).max() <= OF_MANY[1]
