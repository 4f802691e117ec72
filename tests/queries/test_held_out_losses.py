"""Losses of candidates on held-out rows: right values, and a range that is safe and attained."""

from __future__ import annotations

from itertools import islice
from math import log

import numpy as np
import polars as pl
import pytest

from harness.neighbors import all_pairs, table_of
from harness.search import largest_movement
from tacit.audit.neighbors import random_pairs
from tacit.privacy import PlanEntry
from tacit.queries.held_out import STEPS, held_out_loss, held_out_losses, plan_held_out_losses
from tacit.schema import Identifier, Label, Numeric, Schema, Target
from tacit.sensitivities.scores import largest_loss
from tacit.table import Table

LINE = Schema([Numeric("x", 0, 1)], label=Label("y", ["no", "yes"]))
ROWS = ((0.0, "no"), (0.25, "yes"), (0.75, "yes"), (1.0, "no"))


def likely(rows):
    """Probability x of "yes"."""
    return np.column_stack([1 - rows.columns["x"], rows.columns["x"]])


def unlikely(rows):
    return likely(rows)[:, ::-1]


def positions(probabilities):
    return lambda rows: probabilities(rows).argmax(axis=1)


def test_losses_by_hand():
    table = table_of(ROWS, LINE, block_rows=3)

    def sums(score, *predictors, **given):
        return (-held_out_losses(table, predictors, score, **given).unreleased_value).tolist()

    assert sums("accuracy", positions(likely), positions(unlikely)) == [2, 2]
    # (1 - p)^2 of the row's class in 1024ths: 0, 9/16, 1/16, 1.
    assert sums("brier", likely) == [576 + 64 + 1024]
    rounded = [round(-log(p) / 3 * STEPS) for p in (0.25, 0.75)]
    assert sums("log-loss", likely) == [sum(rounded) + STEPS]
    assert sums("log-loss", likely, likely, handicaps=[0, 7])[1] == sums("log-loss", likely)[0] + 7


def test_a_prediction_that_is_no_number_costs_the_largest_loss():
    table = table_of(ROWS, LINE)
    for score in ("brier", "log-loss"):
        statistic = held_out_losses(table, [lambda rows: np.full((rows.n_rows, 2), np.nan)], score)
        assert statistic.unreleased_value.tolist() == [-4 * STEPS]


@pytest.mark.parametrize("private_label", [True, False])
@pytest.mark.parametrize("score", ["accuracy", "brier", "log-loss"])
def test_the_range_holds_and_is_attained(score, private_label):
    schema = LINE.with_private(["x"], label=private_label)
    predictors = [likely, unlikely] if score != "accuracy" else [positions(likely), positions(unlikely)]
    moved = largest_movement(lambda table: held_out_losses(table, predictors, score), all_pairs(schema, 2, points=3))
    assert moved == {"range": 1.0}
    assert held_out_losses(table_of(ROWS, schema), predictors, score).range == 2 * largest_loss(score)


@pytest.mark.parametrize(("rows", "most"), [("mean", 1), (2, 2)])
def test_persons_count_as_often_as_they_may(rows, most):
    schema = Schema(LINE.columns, label=LINE.label, identifier=Identifier("person", rows=rows))
    frame = pl.DataFrame({"person": ["a", "b", "b", "b"], "x": [0.0, 1.0, 1.0, 1.0]})
    table = Table.from_frame(frame, ["no", "no", "no", "no"], schema)
    statistic = held_out_losses(table, [positions(likely), positions(likely)], "accuracy", handicaps=[0, 3])
    one = table.unit_weight
    assert statistic.unreleased_value.tolist() == [-most * one, -most * one - 3 * one]
    assert statistic.range == 2 * most * one


NUMBERS = Schema([Numeric("x", 0, 10)], label=Target("y", 0, 10))


def itself(rows):
    return rows.columns["x"]


def test_absolute_errors_by_hand():
    table = table_of(((0.0, 0.0), (1.0, 3.0), (9.0, 2.0), (4.0, 4.5)), NUMBERS, block_rows=3)
    nothing, infinite = (lambda rows, value=value: np.full(rows.n_rows, value) for value in (np.nan, np.inf))
    statistic = held_out_losses(table, [itself, nothing, infinite], "absolute-error", clip=4.0)
    # 0, half of the clip, beyond it, and an eighth.
    assert (-statistic.unreleased_value).tolist() == [512 + 1024 + 128, 4 * 1024, 4 * 1024]
    one = held_out_loss(table, itself, "absolute-error", clip=4.0)
    assert one.unreleased_value.tolist() == [512 + 1024 + 128]
    assert one.l1 == one.l2 == 1024
    assert held_out_loss(table, itself, "absolute-error", clip=1e-320).unreleased_value.tolist() == [3 * 1024]


@pytest.mark.parametrize("private_target", [True, False])
def test_the_range_of_absolute_errors_holds_and_is_attained(private_target):
    schema = NUMBERS.with_private(["x"], label=private_target)

    def of(table):
        return held_out_losses(table, [itself, lambda rows: 10 - rows.columns["x"]], "absolute-error", clip=5.0)

    assert largest_movement(of, all_pairs(schema, 2, points=3)) == {"range": 1.0}
    assert of(table_of(((0.0, 0.0),), schema)).range == 2 * 1024
    single = largest_movement(
        lambda table: held_out_loss(table, itself, "absolute-error", clip=5.0), all_pairs(schema, 2, points=3)
    )
    assert single == {"l1": 1.0, "l2": 1.0}
    drawn = largest_movement(of, islice(random_pairs(schema, n_rows=5, seed=0), 60))
    assert 0.3 < drawn["range"] <= 1.0


def test_one_selection_is_announced():
    assert plan_held_out_losses(table_of(ROWS, LINE).unit) == [PlanEntry("selection")]
    public = LINE.with_private([], label=False)
    assert plan_held_out_losses(table_of(ROWS, public).unit) == []
