"""How well cells halve intervals: right values, and a range that is safe and attained."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.neighbors import Pair, table_of
from harness.search import cell_scores, largest_movement, movement
from tacit.features import GridEncoding
from tacit.queries import MedianScores
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table

# Even cells on a logarithmic scale; eight of them have whole logarithms as edges.
SCHEMA = Schema([Numeric("x", 0, np.expm1(8), scale="log")], label=Label("y", ["no", "yes"], private=False))
ONE, TWO, FOUR = [0, 8], [0, 3, 8], [0, 1, 3, 6, 8]


def scores(table: Table, edges=ONE):
    return MedianScores(table, GridEncoding(SCHEMA, "x", bits=3)).statistic(np.asarray(edges))


def rows(*numbers):
    return Table.from_frame(np.expm1(numbers)[:, None], ["no"] * len(numbers), SCHEMA)


def test_scores_by_hand():
    statistic = scores(rows(0.5, 0.9, 3.5, 8.0))
    # Cells 0, 0, 3 and 7: two rows at most in cells 0 to 2, three from cell 3 on; a cut after cell 7 would cut nothing.
    assert statistic.unreleased_cells.of(slice(None)).tolist() == [0, 0, 3, 7]
    assert statistic.intervals.tolist() == [[0, 7]]
    assert [each.tolist() for each in cell_scores(statistic)] == [[0, 0, 0, -2, -2, -2, -2]]


def test_intervals_count_their_own_rows_and_those_of_one_cell_are_left_out():
    statistic = scores(rows(0.5, 0.9, 3.5, 8.0), [0, 1, 4, 7, 8])
    assert statistic.intervals.tolist() == [[1, 3], [4, 6]]
    # One row in cells 1 to 3, in the last; none in cells 4 to 6.
    assert [each.tolist() for each in cell_scores(statistic)] == [[-1, -1], [0, 0]]


@pytest.mark.parametrize("edges", [ONE, TWO, FOUR], ids=str)
def test_the_range_is_safe_and_attained(edges):
    cells = [(float(np.expm1(cell + 0.5)), "no") for cell in range(8)]
    pairs = (
        Pair(SCHEMA, (*others, one), (*others, two))
        for others in combinations_with_replacement(cells, 2)
        for one, two in combinations(cells, 2)
    )
    moved = largest_movement(lambda table: scores(table, edges), pairs)
    assert moved["range"] == 1.0


def test_a_row_that_changes_its_interval_moves_both():
    one, two = scores(rows(0.5, 1.5, 6.5), TWO), scores(rows(0.5, 7.5, 6.5), TWO)
    assert movement(one, two)["range"] == 2 + 2


@given(
    st.lists(st.floats(0, 8), min_size=2, max_size=12),
    st.floats(0, 8),
    st.sets(st.integers(1, 255), max_size=9),
)
def test_random_neighbors_stay_within_the_range(numbers, other, inner):
    edges = np.asarray([0, *sorted(inner), 256])
    one, two = (
        MedianScores(rows(*each), GridEncoding(SCHEMA, "x", bits=8)).statistic(edges)
        for each in (numbers, [other, *numbers[1:]])
    )
    changes = [after - before for before, after in zip(cell_scores(one), cell_scores(two), strict=True)]
    assert movement(one, two)["range"] <= one.range
    assert sum(change.any() for change in changes) <= one.moved


def test_public_columns_are_exact():
    schema = Schema([Numeric("x", 0, 8, private=False)], label=Label("y", ["no", "yes"]))
    table = table_of(((1.0, "no"), (5.0, "yes")), schema)
    statistic = MedianScores(table, GridEncoding(schema, "x", bits=3)).statistic(np.asarray(ONE))
    assert statistic.is_public
