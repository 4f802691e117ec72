"""Moments of edges: right values, sensitivities that are safe and attained in every norm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from harness.neighbors import all_pairs, neighbors, table_of
from harness.search import largest_movement
from tacit.errors import PrivacyError
from tacit.features import GRID_STEPS, LinearEncoding
from tacit.privacy import PrivacyUnit
from tacit.queries.edge_moments import EdgeSums, exact_moments, score_sum
from tacit.queries.edges import EdgeForm, all_edges, exact_edges
from tacit.schema import Categorical, Label, Numeric, Schema

MIXED = Schema(
    [Numeric("x", -1, 1), Categorical("c", ["u", "v"]), Numeric("z", -1, 1, private=False)],
    label=Label("y", ["no", "yes"], private=False),
)
CASES = {
    "features": MIXED,
    "all": MIXED.all_private(),
    "label": MIXED.with_private([], label=True),
    "all but label": MIXED.with_private(["x", "c", "z"], label=False),
}


def form_of(schema, categorical="one-hot", constant=True, clip=1.0):
    return EdgeForm(LinearEncoding(schema, schema.names, categorical, clip), constant)


def test_sums_by_hand():
    rows = ((0.5, "u", 1.0, "yes"), (-1.0, "v", 0.0, "no"), (0.25, "v", -0.5, "yes"))
    table = table_of(rows, MIXED.all_private())
    query = EdgeSums(form_of(table.schema), table.unit)
    assert query.ball.widths == (1, 2, 1, 1)
    assert query.gauged(table).unreleased_value.tolist() == [1.75, 1, 0, 0.5, 1]
    table = table_of(rows, MIXED)  # a public label: the constant and z stand still
    query = EdgeSums(form_of(MIXED), table.unit)
    assert query.ball.widths == (1, 2)
    assert (query.statistic(table).unreleased_value / GRID_STEPS).tolist() == [1.75, 1, 0]


def test_edges_by_hand():
    rows = ((0.5, "u", 1.0, "yes"), (-1.0, "v", 0.5, "no"))
    table = table_of(rows, MIXED, block_rows=1)
    assert all_edges(table, form_of(MIXED)).unreleased_value.tolist() == [[0.5, 1, 0], [1, 0, -1]]
    assert exact_edges(table, form_of(MIXED)).tolist() == [[1, 1], [-0.5, -1]]
    half = form_of(MIXED, clip=0.5)
    assert all_edges(table, half).unreleased_value.tolist() == [[1, 1, 0], [1, 0, -1]]
    assert exact_edges(table, half).tolist() == [[1, 1], [-1, -1]]
    with pytest.raises(PrivacyError, match="public label"):
        exact_edges(table_of(rows, MIXED.all_private()), form_of(MIXED))


def test_sums_do_not_depend_on_blocks():
    generator = np.random.default_rng(0)
    rows = tuple((*generator.uniform(-1, 1, 1), "u", 0.5, generator.choice(["no", "yes"])) for _ in range(20))
    schema = MIXED.all_private()
    query = EdgeSums(form_of(schema), table_of(rows, schema).unit)
    whole, split = (query.statistic(table_of(rows, schema, size)) for size in (65_536, 3))
    assert (whole.unreleased_value == split.unreleased_value).all()


@pytest.mark.parametrize("clip", [1.0, 0.25])
@pytest.mark.parametrize("categorical", ["one-hot", "ordinal"])
@pytest.mark.parametrize("schema", CASES.values(), ids=CASES)
def test_movement_is_within_the_bounds_and_attains_l1(schema, categorical, clip):
    form = form_of(schema, categorical, clip=clip)
    pairs = list(all_pairs(schema, 1, points=3))
    worst = largest_movement(lambda table: EdgeSums(form, table.unit).statistic(table), pairs)
    assert 0.999999 < worst["l1"] <= 1
    assert 0.999999 < worst["l2"] <= 1
    gauge, gauged = 0.0, {}
    for pair in pairs:
        for rows in {pair.first, pair.second} - gauged.keys():
            table = table_of(rows, schema)
            gauged[rows] = EdgeSums(form, table.unit).gauged(table)
        one, two = gauged[pair.first], gauged[pair.second]
        assert one.sensitivity == two.sensitivity
        gauge = max(gauge, one.ball.gauge(one.unreleased_value - two.unreleased_value) / one.sensitivity)
    assert 0.999999 < gauge <= 1


@pytest.mark.parametrize("schema", CASES.values(), ids=CASES)
def test_edges_move_as_stated(schema):
    form = form_of(schema)
    worst = largest_movement(lambda table: all_edges(table, form), all_pairs(schema, 1))
    assert worst["l1"] == pytest.approx(1, abs=1e-9)
    assert 0.999999 < worst["l2"] <= 1


@given(neighbors())
@settings(max_examples=60, deadline=None)
def test_random_neighbors_stay_within_the_bounds(pair):
    for categorical, clip in (("one-hot", 1.0), ("ordinal", 1.0), ("ordinal", 0.3)):
        form = form_of(pair.schema, categorical, clip=clip)
        for query in (
            lambda t, f=form: EdgeSums(f, t.unit).statistic(t),
            lambda t, f=form: all_edges(t, f),
        ):
            assert max(largest_movement(query, [pair]).values()) <= 1 + 1e-12


def test_the_score_moves_by_two_at_most_and_less_for_few_columns():
    form = form_of(MIXED, "ordinal")
    for weights in ([0.9, 0.8, 0.9], [0.2, 0.1, 0.9]):
        query = lambda table, w=weights: score_sum(table, form, np.asarray(w))  # noqa: E731
        worst = largest_movement(query, all_pairs(MIXED, 1, points=3))
        assert 0.99 < worst["l1"] <= 1
    table = table_of(((1.0, "u", -1.0, "no"),), MIXED)
    assert score_sum(table, form, np.asarray([0.2, 0.1, 0.9])).l1 == pytest.approx(0.6 * GRID_STEPS + 1)


def test_exact_parts_need_public_cells():
    rows = ((1.0, "v", 0.5, "yes"), (1.0, "v", 1.0, "yes"))
    table = table_of(rows, MIXED)
    sums, squares = exact_moments(table, form_of(MIXED))
    assert sums.tolist() == [1.5, 2.0]  # the public column and the constant alone
    assert squares.tolist() == [1.25, 2.0]
    with pytest.raises(PrivacyError, match="public cells"):
        _ = score_sum(table, form_of(MIXED), np.zeros(4)).public_value
    label_only = table_of(rows, MIXED.with_private([], label=True))
    assert score_sum(label_only, form_of(MIXED, "ordinal"), np.asarray([0.5, 0, 0])).public_value.tolist() == [
        GRID_STEPS
    ]


def test_a_table_that_protects_more_than_was_said_is_refused():
    table = table_of(((0.5, "u", 1.0, "yes"), (-1.0, "v", 0.0, "no")), MIXED)
    nothing = EdgeSums(form_of(table.schema), PrivacyUnit((), label=False))
    for ask in (nothing.statistic, nothing.gauged):
        with pytest.raises(PrivacyError, match="unit"):
            ask(table)
