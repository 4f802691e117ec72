"""Held-out residuals by level: right cells and counts, and a sensitivity that is safe, attained, and needed."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import polars as pl
import pytest

from harness.search import largest_movement
from tacit.audit.neighbors import Pair, table_of
from tacit.measures.score_cells import MIDDLE, TIE_BITS, cells_of_odds
from tacit.privacy import PlanEntry
from tacit.queries.held_out_residuals import (
    Residuals,
    distance_counts,
    plan_held_out_residuals,
    residual_counts,
    residual_medians,
)
from tacit.schema import Identifier, Numeric, Schema, Target
from tacit.table import Table

ALL = Schema([Numeric("x", 0, 1)], label=Target("y", -8, 8))
CASES = {"all": (["x"], True), "columns": (["x"], False), "target": ([], True)}
ROWS = ((0.0, 0.0), (1.0, 3.0), (0.5, -1.0), (0.25, 8.0))
TWICE = Residuals(lambda rows: 2 * rows.columns["x"].astype(float), 1.0)
"""Residuals of the rows: 0, 1, -2 and 7.5."""
EDGES = cells_of_odds(np.asarray([-1.0, 0.5, 4.0]))


def case_of(case):
    columns, target = CASES[case]
    return ALL.with_private(columns, label=target)


def test_counts_by_hand():
    statistic = residual_counts(table_of(ROWS, ALL, block_rows=3), TWICE, EDGES)
    assert statistic.unreleased_value.tolist() == [1, 1, 1, 1]
    assert (statistic.l1, statistic.l2) == (2.0, sqrt(2.0))
    # In halves of a unit: 0, 2, -4 and 15.
    halves = residual_counts(table_of(ROWS, ALL), replace(TWICE, spread=0.5), EDGES)
    assert halves.unreleased_value.tolist() == [1, 1, 1, 1]
    tens = residual_counts(table_of(ROWS, ALL), replace(TWICE, spread=10.0), EDGES)
    assert tens.unreleased_value.tolist() == [0, 3, 1, 0]


def test_cells_of_residuals_by_hand():
    cells = table_of(ROWS, ALL).gather(TWICE.cells) >> TIE_BITS
    assert cells.tolist() == (cells_of_odds(np.asarray([0.0, 1.0, -2.0, 7.5])) >> TIE_BITS).tolist()
    # A residual of nothing is in the last step below the middle, as a score of zero is.
    assert cells[0] == (MIDDLE >> TIE_BITS) - 1


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e308])
def test_whatever_a_model_says_a_row_has_one_cell(wrong):
    asked = Residuals(lambda rows: np.full(rows.n_rows, wrong), 1e-300)
    assert residual_counts(table_of(ROWS, ALL), asked, EDGES).unreleased_value.sum() == 4
    statistic = residual_medians(table_of(ROWS, ALL), asked).statistic(np.asarray([0, 1 << 48]))
    assert (np.diff(statistic.unreleased_value) >= 0).all()


def test_distances_by_hand():
    statistic = distance_counts(table_of(ROWS, ALL, block_rows=3), 1.0, np.asarray([1.0, 2.0, 6.0]))
    # 1, 2, 2 and 7; a distance at an edge is below it.
    assert statistic.unreleased_value.tolist() == [1, 2, 0, 1]
    assert distance_counts(table_of(ROWS, case_of("columns")), 1.0, np.asarray([1.0])).is_public
    assert not distance_counts(table_of(ROWS, case_of("target")), 1.0, np.asarray([1.0])).is_public


QUERIES = {
    "counts": lambda table: residual_counts(table, TWICE, EDGES),
    "distances": lambda table: distance_counts(table, 1.0, np.asarray([1.0, 2.0, 6.0])),
}


def random_pairs_of(case, count=150):
    """Pairs of neighbors of four rows, which differ in the last one's protected cells."""
    generator, (columns, target) = np.random.default_rng(1), CASES[case]
    schema = case_of(case)
    for _ in range(count):
        drawn = np.column_stack([generator.uniform(0, 1, 5), generator.uniform(-8, 8, 5)]).round(2).tolist()
        *others, one, other = map(tuple, drawn)
        other = (other[0] if columns else one[0], other[1] if target else one[1])
        yield Pair(schema, (*others, one), (*others, other))


@pytest.mark.parametrize(
    ("asked", "case"),
    [("counts", "all"), ("counts", "columns"), ("counts", "target"), ("distances", "all"), ("distances", "target")],
)
def test_the_bound_holds_for_random_neighbors_and_is_attained(asked, case):
    assert largest_movement(QUERIES[asked], random_pairs_of(case)) == {"l1": 1.0, "l2": pytest.approx(1.0)}


def test_the_range_of_halving_holds():
    moved = 0.0
    for pair in random_pairs_of("all"):
        one, other = (residual_medians(table, TWICE).statistic(np.asarray([0, 1 << 48])) for table in pair.tables())
        at = np.union1d(one.unreleased_value, other.unreleased_value)
        scores = [
            -np.abs(2 * np.searchsorted(each.unreleased_value, at, side="right") - len(each.unreleased_value))
            for each in (one, other)
        ]
        moved = max(moved, np.ptp(scores[0] - scores[1]))
        assert one.range == other.range == 4.0
    assert 2.0 <= moved <= 4.0


def test_a_row_that_counts_twice_is_caught():
    def twice(table):
        statistic = residual_counts(table, TWICE, EDGES)
        return replace(statistic, unreleased_value=2 * statistic.unreleased_value)

    far = Pair(ALL, ((0.0, -8.0), *ROWS), ((0.0, 8.0), *ROWS))
    assert largest_movement(twice, [far]) == {"l1": 2.0, "l2": pytest.approx(2.0)}


@pytest.mark.parametrize(("rows", "most", "found"), [("mean", 1, [1, 1]), (2, 2, [2, 1])])
def test_persons_count_as_often_as_they_may(rows, most, found):
    schema = Schema(ALL.columns, label=ALL.label, identifier=Identifier("person", rows=rows))
    frame = pl.DataFrame({"person": ["a", "b", "b", "b"], "x": [0.0, 1.0, 1.0, 1.0]})
    table = Table.from_frame(frame, [5.0, -5.0, -5.0, -5.0], schema)
    statistic = residual_counts(table, TWICE, cells_of_odds(np.asarray([0.0])))
    assert statistic.l1 == 2 * most * table.unit_weight
    assert statistic.unreleased_value / statistic.unit_weight == pytest.approx(np.asarray(found), abs=1e-3)


def test_releases_are_announced():
    [medians, counts, distances] = plan_held_out_residuals(table_of(ROWS, ALL).unit, n_medians=3)
    assert counts == PlanEntry("noise", l1=2.0, l2=sqrt(2.0))
    assert distances == PlanEntry("noise", weight=0.2, l1=2.0, l2=sqrt(2.0))
    assert 3 * medians.weight / (3 * medians.weight + 1.2) == pytest.approx(0.2)
    # Distances from the start are public where the target is.
    public = plan_held_out_residuals(table_of(ROWS, case_of("columns")).unit, n_medians=3)
    assert [each.kind for each in public] == ["selection", "noise"]
    assert plan_held_out_residuals(table_of(ROWS, ALL.with_private([], label=False)).unit, n_medians=3) == []
