"""Scores of columns of categories: right counts, a range that holds for random neighbors and that is attained."""

from __future__ import annotations

from itertools import islice

import polars as pl
import pytest
from hypothesis import given, settings

from harness.neighbors import Pair, all_pairs, neighbors, table_of
from harness.search import largest_movement
from tacit.errors import ParameterError
from tacit.features.ranked_encoding import RankedEncoding
from tacit.privacy import Budget
from tacit.privacy.plan import divide
from tacit.queries.column_scores import WEIGHT_STEPS, ColumnScores, plan_columns
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.table import Table

BITS = Schema([Categorical("a", ["0", "1"]), Categorical("b", ["0", "1"])], label=Label("y", ["no", "yes"]))
MANY = Schema([Categorical("a", ["u", "v", "w"]), Categorical("b", ["0", "1"])], label=Label("y", ["p", "q", "r"]))


def scores(table, weights=None):
    encoding = RankedEncoding(table.schema, table.schema.names, 0.3)
    return ColumnScores(table, encoding, weights or (1.0,) * table.n_classes).best_of(range(len(encoding.blocks)))


def rows_told(table, weights=None):
    return (scores(table, weights).unreleased_value / WEIGHT_STEPS).tolist()


def weighed(table):
    """Scores where the second class counts half, and a third one hardly."""
    return scores(table, (1.0, 0.5, 0.125)[: table.n_classes])


def test_scores_by_hand_in_blocks():
    rows = (("u", "0", "p"), ("u", "0", "q"), ("u", "1", "p"), ("v", "1", "r"), ("w", "1", "r"), ("w", "0", "q"))
    table = table_of(rows, MANY, block_rows=2)
    # Of a: two of three p in u, one in v, one of two in w. Of b: two of three q in 0, two of three r in 1.
    assert rows_told(table) == [4, 4]
    assert rows_told(table_of((*rows, ("v", "0", "r"), ("v", "0", "q")), MANY)) == [5, 5]
    one = ColumnScores(table, RankedEncoding(MANY, ("b", "a"), 0.3), (1.0, 1.0, 1.0)).best_of([1])
    assert one.unreleased_value.tolist() == [4 * WEIGHT_STEPS]
    # With an r that counts a quarter, of a: two p, a quarter, one q; of b: two q, and one p beside two r.
    assert rows_told(table, (1.0, 1.0, 0.25)) == [3.25, 3]


def test_a_number_counts_by_bins_and_its_empty_cells_apart():
    schema = Schema(
        [Numeric("x", 0, 9, cuts=[3, 6], missing="indicator"), Numeric("z", 0, 9, cuts=[3, 6])], label=BITS.label
    )
    cells = {"x": [1.0, 2.0, 4.5, None, None, 8.0], "z": [1.0, 2.0, 4.5, 5.0, 5.0, 8.0]}
    table = Table.from_frame(pl.DataFrame(cells), ["no", "no", "no", "yes", "yes", "yes"], schema)
    encoding = RankedEncoding(schema, schema.names, 0.3)
    assert encoding.blocks == ("x", "z")
    found = ColumnScores(table, encoding, (1.0, 1.0)).best_of([0, 1]).unreleased_value / WEIGHT_STEPS
    # The center of "x" has the class no; two of three of the middle of "z" have yes.
    assert found.tolist() == [6, 5]


def test_a_category_that_is_not_listed_is_counted_nowhere():
    table = Table.from_frame([["0", "1"], ["?", "1"], ["1", "?"]], ["no", "no", "yes"], BITS, on_invalid="coerce")
    assert rows_told(table) == [2, 2]


@pytest.mark.parametrize("wrong", [(1.0,), (1.0, 2.0), (-0.1, 1.0), (1.0, 1.0, 1.0)])
def test_weights_that_are_none_are_refused(wrong):
    with pytest.raises(ParameterError, match="weight"):
        scores(table_of(CROWD, BITS), wrong)


@pytest.mark.parametrize("schema", [BITS, MANY.with_private(["a"], label=True)], ids=["two", "three"])
def test_all_small_tables_stay_within_the_range(schema):
    pairs = [pair for n in (1, 2) for pair in all_pairs(schema, n, points=3)]
    # Two or three rows are not enough for a crowd of either class.
    assert largest_movement(scores, pairs)["range"] <= 1
    assert largest_movement(weighed, pairs)["range"] <= 1


@given(neighbors())
@settings(max_examples=300, deadline=None)
def test_random_neighbors_stay_within_the_range(pair):
    assert largest_movement(scores, [pair]).get("range", 0) <= 1
    assert largest_movement(weighed, [pair]).get("range", 0) <= 1


CROWD = (("0", "1", "no"),) * 2


@pytest.mark.parametrize(
    ("schema", "one", "two"),
    [
        # Alone in one cell of a and in the crowd of b, then the other way round: one score falls and one rises.
        (BITS, ("1", "1", "yes"), ("0", "0", "yes")),
        (BITS.with_private(["a", "b"], label=False), ("1", "1", "yes"), ("0", "0", "yes")),
    ],
    ids=["all", "public label"],
)
def test_the_range_is_attained(schema, one, two):
    assert largest_movement(scores, [Pair(schema, (*CROWD, one), (*CROWD, two))])["range"] == 1


def test_numbers_and_their_empty_cells_attain_it():
    """As of categories: bins for cells, of "a" an empty cell for one of them."""
    numbers = [Numeric("a", 0, 9, cuts=[3, 6], missing="indicator"), Numeric("b", 0, 9, cuts=[3, 6])]
    schema = Schema(numbers, label=BITS.label)

    def told(a, b):
        rows = pl.DataFrame({"a": [1.0, 1.0, a], "b": [8.0, 8.0, b]}, schema={"a": pl.Float64, "b": pl.Float64})
        return scores(Table.from_frame(rows, ["no", "no", "yes"], schema))

    # Alone in a cell of its own in "a" and in the crowd of "b", then the other way round.
    for alone in (None, 8.0):
        one, two = (each.unreleased_value for each in (told(alone, 8.0), told(1.0, 1.0)))
        moved = one - two
        assert moved.max() - moved.min() == told(1.0, 1.0).range


def test_a_label_alone_attains_it():
    schema = BITS.with_private([], label=True)
    # In its cell of a the row is one of two of its class, and in that of b of the other class.
    others = (("0", "1", "yes"), ("1", "1", "no"), ("1", "1", "no"), ("0", "0", "yes"))
    first, second = (*others, ("0", "1", "yes")), (*others, ("0", "1", "no"))
    moved = largest_movement(scores, [Pair(schema, first, second)])["range"]
    assert moved == 1


def test_persons_move_scores_as_far_as_they_weigh():
    declared = Schema(BITS.columns, label=BITS.label, rows_per_person=3)
    assert scores(table_of(CROWD, declared)).range == 6 * WEIGHT_STEPS
    named = Schema(BITS.columns, label=BITS.label, identifier=Identifier("who", rows="mean"))
    frame = pl.DataFrame({"a": ["0", "0", "1"], "b": ["1", "1", "0"], "who": ["ann", "ann", "bob"]})
    table = Table.from_frame(frame, ["no", "yes", "yes"], named)
    found = scores(table)
    # Ann's two rows weigh one half each: half a person in one cell of either column, and Bob.
    assert (found.unreleased_value / WEIGHT_STEPS / table.unit_weight).tolist() == [1.5, 1.5]
    assert found.range == 2 * table.unit_weight * WEIGHT_STEPS


def test_choices_share_their_weight():
    assert plan_columns(0, 0.5) == []
    [choices] = plan_columns(4, 0.5)
    assert (choices.kind, choices.count, choices.weight * choices.count) == ("selection", 4, 0.5)
    assert len(divide(Budget(1.0), [choices]).shares) == 4


def test_half_of_the_range_is_caught(monkeypatch):
    monkeypatch.setattr("tacit.sensitivities.scores.RANGE_OF_COLUMNS", 1.0)
    assert largest_movement(scores, islice(all_pairs(BITS, 3), 3_000))["range"] > 1
