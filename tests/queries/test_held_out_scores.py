"""Held-out rows by class and level: right counts, and a sensitivity that is safe and attained."""

from __future__ import annotations

from math import sqrt

import numpy as np
import polars as pl
import pytest

from harness.neighbors import all_pairs, table_of
from harness.search import largest_movement
from tacit.privacy import PlanEntry
from tacit.queries.held_out import (
    LARGE_SHARE,
    STEPS,
    Levels,
    held_out_medians,
    held_out_other_scores,
    held_out_own_scores,
    held_out_scores,
    held_out_squares,
    plan_held_out_scores,
)
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


def test_releases_are_announced():
    private = table_of(ROWS, LINE).unit
    [medians, counts] = plan_held_out_scores(private, n_medians=3)
    assert counts == PlanEntry("noise", l1=2.0, l2=sqrt(2.0))
    assert (medians.kind, medians.count) == ("selection", 3)
    assert 3 * medians.weight / (3 * medians.weight + 1) == pytest.approx(LARGE_SHARE)
    assert plan_held_out_scores(table_of(ROWS, LINE.with_private([], label=False)).unit, n_medians=3) == []
    # Scores of public columns are public: nothing is paid for their medians.
    label = table_of(ROWS, LINE.with_private([], label=True)).unit
    assert [each.kind for each in plan_held_out_scores(label, n_medians=3)] == ["noise"]
    _, *both = plan_held_out_scores(private, n_medians=6, n_scores=3)
    assert [(each.weight, each.l1) for each in both] == [(1.0, 2.0), (1.0, 2.0), (1.0, 4.0)]
    [*_, squares] = plan_held_out_scores(private, n_medians=6, n_scores=3, squares=True)
    assert (squares.weight, squares.l1, squares.l2) == (0.1, STEPS, STEPS)


def eighths(rows):
    """Return cells of one score among eight, in steps of two."""
    return 2 * np.rint(3 * rows.columns["x"].astype(float))[:, None]


def halving(edges, coins=1):
    def query(table):
        [scores] = held_out_medians(table, eighths, 1, n_cells=8, coins=coins)
        return scores.statistic(np.asarray(edges))

    return query


def test_cells_to_be_halved_by_hand():
    statistic = halving([0, 4, 8])(table_of(ROWS, LINE, block_rows=2))
    assert statistic.unreleased_value.tolist() == [0, 2, 4, 4, 6]
    assert statistic.query == "medians of held-out rows' score"
    assert not statistic.is_public
    assert halving([0, 8])(table_of(ROWS, LINE.with_private([], label=True))).is_public


@pytest.mark.parametrize("coins", [1, 2])
@pytest.mark.parametrize("edges", [[0, 8], [0, 4, 8], [0, 2, 4, 6, 8]], ids=str)
def test_the_range_of_halving_is_safe_and_attained(edges, coins):
    moved = largest_movement(halving(edges, coins), all_pairs(LINE, 3, points=4))
    assert moved["range"] <= 1.0
    if coins == 1 and len(edges) < 4:
        assert moved["range"] == 1.0


@pytest.mark.parametrize("wrong", [np.nan, -1, 1e9, np.inf, -np.inf])
def test_any_answer_of_a_model_is_a_cell(wrong):
    [scores] = held_out_medians(
        table_of(ROWS, LINE), lambda rows: np.full((rows.n_rows, 1), wrong), 1, n_cells=8, coins=1
    )
    assert set(scores.statistic(np.asarray([0, 8])).unreleased_value.tolist()) == {7 if wrong > 7 else 0}


def test_a_coin_tells_rows_of_one_score_apart_and_nothing_else():
    table = table_of(tuple((0.5, "no") for _ in range(4_000)), LINE, block_rows=1_500)
    levels = Levels([np.asarray([20 + 16, 20 + 48])], 1_000, 64)
    counts = held_out_scores(table, lambda rows: np.full((rows.n_rows, 1), 20), 3, levels=levels).unreleased_value
    # A quarter, a half and a quarter: four deviations of 4,000 draws are 110.
    assert counts[0].tolist() == pytest.approx([1_000, 2_000, 1_000], abs=130) and counts[0, 0] != 1_000
    # Rows below and above are where they are, whatever their coins.
    for cell, place in ((20 + 16 - 64, 0), (20 + 48, 2)):
        found = held_out_scores(table, lambda rows, c=cell: np.full((rows.n_rows, 1), c), 3, levels=levels)
        assert found.unreleased_value[0, place] == 4_000


def coins_of(table, n):
    return table.gathering(lambda block: block.coins(n))()


def test_coins_are_of_persons_and_places_and_differ_by_score():
    schema = Schema(LINE.columns, label=LINE.label, identifier=Identifier("person", rows="mean"))
    frame = pl.DataFrame({"person": ["b", "a", "b"], "x": [0.0, 1.0, 0.3]})
    coins = coins_of(Table.from_frame(frame, ["no"] * 3, schema), 2)
    assert coins[0].tolist() == coins[2].tolist() != coins[1].tolist()
    assert len(set(coins[:2].ravel().tolist())) == 4
    one, other = (coins_of(table_of(((x, "no"), (0.5, "no")), LINE), 3) for x in (0.0, 1.0))
    assert one.tolist() == other.tolist()


THREE = Schema([Numeric("x", 0, 1)], label=Label("y", ["a", "b", "c"]))


BY_CELL = Levels([np.asarray([1, 2])] * 3, 3, 1)
BY_SCORE = (held_out_own_scores, held_out_other_scores)


def each_class(rows):
    """Return levels of three classes, all of which differ between 0 and 1."""
    x = rows.columns["x"].astype(float)
    return np.column_stack([np.rint(2 * x), np.rint(2 - 2 * x), np.where(x > 0.5, np.nan, 7)])


def test_counts_by_each_classs_score_by_hand():
    three = ((0.0, "a"), (0.5, "b"), (1.0, "b"), (1.0, "c"))
    own, others = (ask(table_of(three, THREE, block_rows=3), each_class, BY_CELL) for ask in BY_SCORE)
    # Of class a: the level of each row's first number, of its own row and of those of other classes.
    assert own.unreleased_value.tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 0]]
    assert others.unreleased_value.tolist() == [[0, 1, 2], [1, 0, 1], [1, 0, 2]]
    assert (own.l1, own.l2) == (2.0, pytest.approx(sqrt(2)))
    assert (others.l1, others.l2) == (4.0, pytest.approx(2.0))


@pytest.mark.parametrize("private", [(["x"], True), (["x"], False), ([], True)])
@pytest.mark.parametrize("ask", BY_SCORE)
def test_the_bound_for_all_classes_holds_and_is_attained_where_levels_may_change(private, ask):
    schema = THREE.with_private(private[0], label=private[1])
    moved = largest_movement(lambda table: ask(table, each_class, BY_CELL), all_pairs(schema, 2, points=3))
    # Under a private label alone the row's levels stay: of others' counts, of two of three classes, two change.
    share = 1.0 if private[0] or ask is held_out_own_scores else 1 / 2
    assert moved == {"l1": pytest.approx(share), "l2": pytest.approx(sqrt(share))}


INFLUENCE = np.asarray([[[0.0, 0.1, -0.2], [0.5, 0.0, 0.0]], [[0.3, 0.0, 0.2], [0.0, -0.6, 0.0]], [[0.0] * 3] * 2])


def test_squares_by_hand():
    three = ((0.0, "a"), (0.5, "b"), (1.0, "b"), (1.0, "c"))
    statistic = held_out_squares(table_of(three, THREE, block_rows=3), each_class, BY_CELL, INFLUENCE, 0.8)
    # Levels are (0, 2, 2), (1, 1, 2) and twice (2, 0, 0): 0.5 + 0.2, 0.1 - 0.6, -0.2 + 0.0 and -0.2 + 0.3.
    shares = np.asarray([0.7, 0.5, 0.2, 0.1]) / 0.8
    assert statistic.unreleased_value.tolist() == [np.rint(shares**2 * STEPS).sum()]
    assert (statistic.l1, statistic.l2) == (STEPS, STEPS)
    # What is beyond the most counts as it.
    assert held_out_squares(table_of(three, THREE), each_class, BY_CELL, INFLUENCE, 1e-3).unreleased_value.tolist() == [
        4 * STEPS
    ]


@pytest.mark.parametrize("private", [(["x"], True), (["x"], False), ([], True)])
def test_the_bound_of_squares_holds_and_is_attained(private):
    schema = THREE.with_private(private[0], label=private[1])
    # Of a row at the last levels nothing is added, and of class b at its second everything.
    influence = np.zeros((3, 2, 3))
    influence[1, 1] = [-7.0, 1.0, 1.0]
    influence[0, 0] = [0.0, 0.0, -influence[1, 1, 0]]

    def squares(table):
        return held_out_squares(table, each_class, BY_CELL, influence, 1.0)

    moved = largest_movement(squares, all_pairs(schema, 2, points=3))
    assert moved == {"l1": 1.0, "l2": 1.0}


@pytest.mark.parametrize("persons", ["rows", "mean", 2])
def test_squares_of_random_neighbors_stay_within_the_bound(persons):
    generator = np.random.default_rng(5)
    identifier = None if persons == "rows" else Identifier("person", rows=persons)
    schema = Schema(THREE.columns, label=THREE.label, identifier=identifier)
    most = 0.0
    for _ in range(200):
        people = np.arange(6) if persons == "rows" else np.sort(generator.integers(0, 3, 6))
        rows = generator.choice([0.0, 0.5, 1.0], (2, 6)), generator.choice(list("abc"), (2, 6))
        changed = people == generator.choice(people)
        influence = generator.normal(size=(3, 2, 3)) * generator.choice([0.3, 1, 10])
        found = []
        for side in range(2):
            x, y = (np.where(changed, each[side], each[0]) for each in rows)
            frame = pl.DataFrame({"person": people, "x": x}).drop("person" if persons == "rows" else [])
            table = Table.from_frame(frame, y.tolist(), schema)
            found.append(held_out_squares(table, each_class, BY_CELL, influence, 1.0))
        off = abs(found[0].unreleased_value[0] - found[1].unreleased_value[0]) / found[0].l1
        most = max(most, float(off))
    assert 0.8 < most <= 1.0
