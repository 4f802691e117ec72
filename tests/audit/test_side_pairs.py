"""Learners on neighbors in which one person has other rows in a side table: none, one, or ten thousand."""

from __future__ import annotations

from itertools import islice

import numpy as np
import polars as pl
import pytest

from benchmarks.audits.every_case import SETTINGS
from tacit.audit.neighbors import inputs_of
from tacit.audit.replay import replay_pair
from tacit.audit.side_pairs import SidePair, side_pairs
from tacit.audit.units import pairs_of_unit
from tacit.schema import Categorical, Feature, Label, Numeric, Schema, SideTable
from tacit.schema.side_features import without_tables
from tacit.study.learners import private_learners

VISITS = SideTable(
    "visits",
    [Numeric("cost", 0, 100), Categorical("ward", ["x", "y"]), Numeric("day", "2015-01-01", "2019-12-31")],
    key="person",
    date="day",
    as_of="admitted",
)
SCHEMA = Schema(
    [
        Numeric("admitted", "2017-01-01", "2020-12-31"),
        Numeric("visits", 0, 50, whole=True, cuts=[0.5, 5], from_table=Feature("visits", "count")),
        Numeric("cost", 0, 100, cuts=[50], missing="indicator", from_table=Feature("visits", "latest", "cost")),
        Categorical("ward", ["x", "y", "none"], missing="none", from_table=Feature("visits", "latest", "ward")),
    ],
    label=Label("y", ["no", "yes"]),
    tables=[VISITS],
)
PUBLIC = Schema(
    [Numeric("admitted", "2017-01-01", "2020-12-31", private=False), *SCHEMA.inputs[1:]],
    label=Label("y", ["no", "yes"], private=False),
    tables=[VISITS],
)


@pytest.mark.parametrize("schema", [SCHEMA, PUBLIC])
def test_pairs_differ_in_one_row_of_features(schema):
    moved = 0
    for pair in islice(side_pairs(schema, seed=1), 12):
        (one, _), (other, _) = pair.inputs()
        rows = [at for at, (a, b) in enumerate(zip(one.rows(), other.rows(), strict=True)) if a != b]
        assert len(rows) <= 1
        moved += len(rows)
    assert moved >= 8


def test_a_pair_of_ten_thousand_rows_is_among_them():
    heavy = next(pair for pair in side_pairs(SCHEMA, seed=1) if "10,000" in pair.kind)
    assert abs(len(heavy.side[0]["visits"]) - len(heavy.side[1]["visits"])) == 10_000
    (one, _), (other, _) = heavy.inputs()
    assert sum(a != b for a, b in zip(one["visits"], other["visits"], strict=True)) == 1


def test_repeated_persons_have_rows_of_their_own():
    pair = next(side_pairs(SCHEMA, seed=1))
    once, twice = pair.inputs()[1][0], pair.times(2).inputs()[1][0]
    assert twice["visits"].to_list() == once["visits"].to_list() * 2


def test_an_audit_tries_both_kinds_of_pairs():
    kinds = {type(pair).__name__ == "SidePair" for pair in islice(pairs_of_unit(SCHEMA), 4)}
    assert kinds == {True, False}


@pytest.mark.parametrize("schema", [SCHEMA, PUBLIC], ids=["private", "public"])
@pytest.mark.parametrize("learner", ["boosted-trees", "logistic", "naive-bayes", "tree"])
def test_no_release_is_above_its_share(learner, schema):
    settings = SETTINGS.get(learner, ({},))[0]

    def make():
        given = {"epsilon": 1.0, "delta": 1e-3, "on_invalid": "coerce", "ledger": "none"} | dict(settings)
        return private_learners()[learner](schema, **given)

    reached = []
    for at, pair in enumerate(side_pairs(schema, seed=2)):
        if at < 3 or "10,000" in pair.kind:
            found = replay_pair(make, pair, seed=at, delta=1e-3)
            assert found.differences == ()
            reached += [step.reached for step in found.steps]
        if "10,000" in pair.kind:
            break
    assert 0 < max(reached) <= 1 + 1e-9


def test_a_feature_that_reads_others_rows_is_caught():
    """A count less the mean of all counts: each person's row moves with one person's rows."""

    class Centered(SidePair):
        def inputs(self):
            return tuple((x.with_columns(visits=pl.col("visits") - pl.col("visits").mean()), y) for x, y in
                         super().inputs())  # fmt: skip

    schema = without_tables(SCHEMA)

    def make():
        return private_learners()["naive-bayes"](schema, epsilon=1.0, on_invalid="coerce", ledger="none")

    pairs = (pair for pair in side_pairs(SCHEMA, seed=2) if len(pair.first) > 20 and "40 and 40" not in pair.kind)
    worst = []
    for pair in islice(pairs, 4):
        found = replay_pair(make, Centered(SCHEMA, pair.first, pair.second, side=pair.side), seed=1)
        worst += [step.reached for step in found.steps]
    assert max(worst) > 1 + 1e-6


def test_rows_of_a_pair_are_those_of_the_main_table():
    pair = next(side_pairs(SCHEMA, seed=1))
    frame, labels = pair.inputs()[0]
    drawn, same = inputs_of(pair.first, without_tables(SCHEMA))
    assert labels == same
    assert frame["admitted"].to_list() == drawn["admitted"].to_list()
    assert np.isfinite(frame["visits"].to_numpy()).all()
