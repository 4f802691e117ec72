"""The clip that trees take of what ranks leave: by hand, on neighbors, in replays, and broken on purpose."""

from __future__ import annotations

from itertools import islice

import numpy as np
import polars as pl
import pytest

from harness.longer import longer
from tacit import BoostedTreesRegressor
from tacit.audit.neighbors import random_pairs, worst_pairs
from tacit.audit.replay import replay_pair
from tacit.audit.units import pairs_of_unit
from tacit.boosting import tree_sizes
from tacit.boosting.closer_clip import CloserClip
from tacit.convex import SquaredLoss
from tacit.cut_points import PrivateCuts
from tacit.features import BinEncoding
from tacit.mechanisms import Releases
from tacit.privacy import Budget, PrivacyUnit
from tacit.queries import LeafSums, leaf_sums, residual_sizes
from tacit.queries.leaf_sums import STEPS
from tacit.schema import Categorical, Identifier, Numeric, Schema, Target
from tacit.table import Table, read_labels, read_rows

COLUMNS = [Numeric("x", -1, 1), Categorical("c", ["a", "b"])]
ALL = Schema(COLUMNS, label=Target("y", 0, 10))
CASES = {
    "all": ALL,
    "target": ALL.with_private([], label=True),
    "columns": ALL.with_private(["x", "c"], label=False),
    "nothing": ALL.with_private([], label=False),
}


def sums_of(y, schema, *, score=0.0, clip=8.0):
    frame = pl.DataFrame({"x": np.zeros(len(y)), "c": ["a"] * len(y)})
    numbers = read_labels(np.asarray(y, dtype=float), schema.label)
    scaled = Table.from_rows(read_rows(frame, schema), numbers, schema).scaled(0.0, 1.0, SquaredLoss(clip))
    return LeafSums(scaled, BinEncoding(schema, schema.names, 4), np.asarray([round(score * STEPS)]))


def test_it_is_where_all_but_one_of_32_residuals_are():
    sizes = np.repeat([0.25, 0.5, 1.0, 2.0, 4.0, 6.0], [16, 8, 4, 2, 1, 1])
    sums = sums_of(2.0 + sizes, CASES["nothing"], score=2.0)
    steps, choices = CloserClip(1.0).released(sums, SquaredLoss(8.0), Releases.none())
    assert 3.99 < steps.clip < 6.0
    assert 0.24 < choices.clip < 0.5  # half of them


def test_it_never_is_farther_than_before():
    found = CloserClip(1.0).released(sums_of([9.0] * 64, CASES["nothing"], clip=2.0), SquaredLoss(2.0), Releases.none())
    assert found[0].clip == 2.0 >= found[1].clip


def test_choices_clip_where_half_of_the_numbers_are_where_no_distance_is_released():
    steps, choices = CloserClip(1.3, 0).released(sums_of([9.0] * 64, ALL), SquaredLoss(4.0), Releases.none())
    assert (steps.clip, choices.clip) == (4.0, 1.3)
    # Residuals that are all in one cell have no half that is nearer.
    same = CloserClip(9.0).released(sums_of([0.0] * 64, CASES["nothing"]), SquaredLoss(8.0), Releases.none())
    assert same[1].clip <= same[0].clip <= 8.0


def test_residuals_are_clipped_anew():
    sums = sums_of([1.0, 8.0], CASES["nothing"])
    assert sums.gradients(()).public_value.sum() == STEPS * (1 / 16 + 1 / 2)
    sums.clip_by(SquaredLoss(1.0), SquaredLoss(1.0))
    assert sums.gradients(()).public_value.sum() == STEPS * (1 / 2 + 1 / 2)
    assert sums.curved == 2.0


def test_few_rows_keep_the_clip():
    assert CloserClip.affordable(1.5, 1_000, Budget(0.1, 1e-6)) == CloserClip(1.5, 0)
    assert CloserClip.affordable(1.5, 30_000, Budget(1.0, 1e-6)) == CloserClip(1.5, 5)


def fit_of(schema, delta, **more):
    given = {"n_trees": 1, "depth": 1, "candidates": 2, "start": "ranks", "on_invalid": "coerce", **more}
    return lambda: BoostedTreesRegressor(schema, epsilon=4.0, delta=delta, **given)


def pairs_of(schema, step=28):
    yield from islice(random_pairs(schema, n_rows=6, seed=2), 6)
    yield from islice(worst_pairs(schema, n_rows=6), 0, None, step)


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(CloserClip, "affordable", classmethod(lambda cls, half, n_rows, budget: cls(half, 2)))


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("step", longer((28, 7), 2))
@pytest.mark.parametrize("case", ["all", "target", "columns"])
def test_no_release_is_above_its_share_and_nothing_else_differs(case, step):
    schema, reached = CASES[case], 0.0
    for seed, pair in enumerate(pairs_of(schema, step)):
        found = replay_pair(fit_of(schema, 1e-3), pair, seed=seed, delta=1e-3)
        assert found.differences == (), pair.kind
        assert all(each.reached <= 1 + 1e-9 for each in found.steps)
        own = [each.reached for each in found.steps if each.line.query == "median distance in residual"]
        assert own
        reached = max(reached, *own)
    assert reached > 0.1  # six rows: ranks move little


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("rows", [3, "mean"])
def test_persons_move_it_as_often_as_their_rows_are_read(rows, monkeypatch):
    schema = Schema(COLUMNS, label=ALL.label, identifier=Identifier("id", rows=rows))

    def reached():
        return max(
            step.reached
            for seed, pair in enumerate(islice(pairs_of_unit(schema, seed=1), 6))
            for step in replay_pair(fit_of(schema, 1e-3), pair, seed=seed, delta=1e-3).steps
            if step.line.query == "median distance in residual"
        )

    assert 0.05 < reached() <= 1
    monkeypatch.setattr(residual_sizes, "rows_read", lambda table: 1)
    assert reached() > 1


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("step", longer((28, 7), 2))
@pytest.mark.parametrize("case", ["all", "target", "columns"])
def test_no_choice_among_parts_of_trees_is_above_its_share(case, step):
    schema, reached = CASES[case], 0.0
    given = {"n_trees": 2, "depth": 2, "structure": "oblivious"}
    for seed, pair in enumerate(pairs_of(schema, step)):
        found = replay_pair(fit_of(schema, 1e-3, **given), pair, seed=seed, delta=1e-3)
        assert found.differences == (), pair.kind
        assert all(each.reached <= 1 + 1e-9 for each in found.steps)
        own = [each.reached for each in found.steps if each.line.query == "oblivious trees"]
        assert len(own) == 2
        reached = max(reached, *own)
    assert reached > 0.1


@pytest.mark.parametrize("case", ["all", "columns"])
def test_cut_points_of_long_tails_are_found_by_as_many_releases_whatever_the_rows(case, monkeypatch):
    """Six rows have no outer cut points by themselves."""
    monkeypatch.setattr(tree_sizes, "affordable_cuts", lambda schema, *_, **__: PrivateCuts(schema, 1, outer=2))
    schema, reached = CASES[case], 0.0
    for seed, pair in enumerate(pairs_of(schema)):
        found = replay_pair(fit_of(schema, 1e-3), pair, seed=seed, delta=1e-3)
        assert found.differences == (), pair.kind
        own = [step.reached for step in found.steps if step.line.query == "medians of x"]
        assert len(own) == 3 and max(own) <= 1 + 1e-9
        reached = max(reached, *own)
    assert reached > 0.1


class Uncut:
    """NumPy, but that nothing is cut."""

    def __getattr__(self, name):
        return (lambda values, *bounds: values) if name == "clip" else getattr(np, name)


@pytest.mark.usefixtures("always")
def test_choices_by_residuals_that_are_not_cut_are_caught(monkeypatch):
    monkeypatch.setattr(leaf_sums, "np", Uncut())
    given = {"n_trees": 1, "depth": 2, "structure": "oblivious"}
    found = [replay_pair(fit_of(ALL, 1e-3, **given), pair, seed=0, delta=1e-3) for pair in pairs_of(ALL)]
    assert max(step.reached for each in found for step in each.steps if step.line.query == "oblivious trees") > 1


@pytest.mark.usefixtures("always")
def test_a_clip_that_is_read_exactly_is_caught(monkeypatch):
    whole = residual_sizes.RowCells

    def exact(query, unit, *rest):
        return whole(query, PrivacyUnit((), label=False), *rest)

    monkeypatch.setattr(residual_sizes, "RowCells", exact)
    found = [replay_pair(fit_of(ALL, 1e-3), pair, seed=0, delta=1e-3) for pair in pairs_of(ALL)]
    assert any(each.differences or any(step.reached > 1 for step in each.steps) for each in found)
