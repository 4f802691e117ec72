"""Rows by place: right counts, and sensitivities that hold for random neighbors and that a search reaches."""

from __future__ import annotations

from math import sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.neighbors import Pair, all_pairs, neighbors, table_of
from harness.search import largest_movement
from tacit.features import GridEncoding, GridWindow
from tacit.queries.place_counts import PlaceCounts, plan_places
from tacit.schema import Identifier, Label, Numeric, Schema
from tacit.table import Table

LABEL = Label("y", ["no", "yes"])
# Even cells on a logarithmic scale: of eight, each edge is a whole logarithm.
LOGS = Schema([Numeric("x", 0, np.expm1(8), scale="log")], label=LABEL)
TWO = Schema([Numeric("a", 0, 1), Numeric("b", -1e6, 1e6)], label=LABEL)


EDGES = (0, 64, 96, 256)


def asked(table, columns=None, edges=EDGES):
    windows = [GridWindow(GridEncoding(table.schema, name)) for name in columns or table.schema.names]
    return PlaceCounts(table, windows).statistic(np.asarray([edges] * len(windows)))


def test_counts_by_hand():
    rows = tuple((float(np.expm1(place)), "no") for place in (0.5, 0.9, 3.5, 8.0))
    answer = asked(table_of(rows, LOGS, block_rows=2))
    assert answer.unreleased_value.tolist() == [[2, 0, 2]]
    assert (answer.l1, answer.l2) == (2.0, sqrt(2))
    # A part without cells has no rows.
    assert asked(table_of(rows, LOGS), edges=(0, 0, 128, 256)).unreleased_value.tolist() == [[0, 3, 1]]


def test_each_column_has_edges_of_its_own():
    table = table_of(((0.0, 1e6, "no"), (1.0, -1e6, "yes")), TWO)
    places = PlaceCounts(table, [GridWindow(GridEncoding(TWO, name)) for name in "ab"])
    assert places.statistic(np.asarray([[0, 1, 256], [0, 256, 256]])).unreleased_value.tolist() == [[1, 1], [2, 0]]


def test_rows_outside_of_a_window_are_in_its_outer_cells():
    rows = tuple((float(np.expm1(place)), "no") for place in (0.5, 3.51, 3.51, 3.99, 7.0))
    # Of 2^9 cells those from 3 to 4 and on to 7 on the scale: 64 to one unit.
    window = GridWindow(GridEncoding(LOGS, "x"), first=3 * 64, shift=48 - 9)
    answer = PlaceCounts(table_of(rows, LOGS), [window]).statistic(np.asarray([[0, 1, 33, 64, 255, 256]]))
    assert answer.unreleased_value.tolist() == [[1, 2, 1, 0, 1]]


@pytest.mark.parametrize("edges", [(0, 128, 256), EDGES, range(257)], ids=len)
def test_the_sensitivities_are_attained(edges):
    reached = largest_movement(lambda table: asked(table, edges=edges), all_pairs(TWO, 2, points=2))
    assert reached == pytest.approx({"l1": 1.0, "l2": 1.0})


@given(neighbors())
def test_random_neighbors_stay_within_the_sensitivities(pair: Pair):
    numbers = tuple(column.name for column in pair.schema.columns if isinstance(column, Numeric))
    if numbers:
        assert max(largest_movement(lambda table: asked(table, numbers), [pair]).values()) <= 1 + 1e-12


def test_public_columns_count_for_nothing_and_alone_are_not_released():
    half = TWO.with_private(["a"], label=True)
    unit = table_of(((0.5, 1.0, "no"),), half).unit
    answer = asked(table_of(((0.5, 1.0, "no"),), half), ("a", "b"))
    assert (answer.l1, answer.l2) == (2.0, sqrt(2))
    [planned] = plan_places(unit, ("a", "b"), count=3, weight=0.5)
    assert (planned.kind, planned.l1, planned.l2) == ("last noise", 2.0, sqrt(2))
    assert (planned.count, planned.weight) == (3, 0.5)
    assert plan_places(unit, ("b",), count=3, weight=0.5) == []


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_a_person_of_several_rows_moves_counts_by_one_row_or_by_all(before, after):
    def answer(own, rows):
        schema = Schema([Numeric("a", 0, 1)], label=LABEL, identifier=Identifier("who", rows=rows))
        frame = pl.DataFrame({"a": [*own, 0.3], "who": ["p"] * 3 + ["q"]})
        return asked(Table.from_frame(frame, ["no", "yes", "no", "no"], schema))

    for rows, times in (("mean", 1), (3, 3)):
        one, two = (answer(own, rows) for own in (before, after))
        moved = np.abs(one.unreleased_value - two.unreleased_value) / one.unit_weight
        assert moved.sum() <= times * 2 + 1e-9 and sqrt((moved**2).sum()) <= times * sqrt(2) + 1e-9
        assert (one.l1, one.l2) == pytest.approx((times * 2 * one.unit_weight, times * sqrt(2) * one.unit_weight))
