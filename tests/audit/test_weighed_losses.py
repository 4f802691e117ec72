"""Learners and losses replayed where one row's weight goes from 0 to the cap; a mean that is not released is caught."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, product

import pytest

from harness.longer import longer
from tacit import BoostedTreesRegressor, LinearRegressor, TreeClassifier
from tacit.audit.replay import replay_pair
from tacit.audit.units import pairs_of_unit
from tacit.estimators import training
from tacit.schema import Categorical, Label, Numeric, Schema, Target, Weight
from tacit.study.learners import private_learners
from tacit.table import Table
from tacit.table.persons import MAX_UNIT_WEIGHT as UNIT
from tests.audit.test_survey_weights import EVERYTHING, of_weights, pairs_for, reached

COLUMNS = [Numeric("a", 0, 1), Numeric("b", -1, 1)]
TARGETS = {
    "squared": Target("t", 0, 10),
    "absolute": Target("t", 0, 10),
    "quantile": Target("t", 0, 10),
    "huber": Target("t", 0, 10),
    "poisson": Target("t", 0, 10, whole=True),
    "gamma": Target("t", 1, 1000),
    "auto": Target("t", 1, 1000, scale="log"),
}
REGRESSORS = {"linear": (LinearRegressor, {}), "boosted trees": (BoostedTreesRegressor, {"n_trees": 2})}


def number(loss, **weight):
    return Schema(COLUMNS, label=TARGETS[loss], weight=Weight("w", 8, **weight))


def made(regressor, loss, schema, delta):
    cls, settings = REGRESSORS[regressor]
    given = {"quantiles": (0.1, 0.9)} if loss == "quantile" else {}
    return lambda: cls(schema, epsilon=1.0, delta=delta, loss=loss, on_invalid="coerce", **settings, **given)


def replayed(make, pairs, delta):
    return [replay_pair(make, pair, seed=at, delta=delta) for at, pair in enumerate(pairs)]


@pytest.mark.parametrize(("regressor", "loss", "delta"), longer(product(REGRESSORS, TARGETS, [0.0, 1e-3]), 3))
def test_every_loss_keeps_to_its_shares(regressor, loss, delta):
    schema = number(loss)
    pairs = [*islice(of_weights(schema, others=1.0, ends=(0.0, 8.0)), 2), *pairs_for(schema, 2)]
    found = replayed(made(regressor, loss, schema, delta), pairs, delta)
    assert [each.differences for each in found if each.differences] == []
    assert 0.3 < reached(found) <= 1 + 1e-9
    assert {each.steps[0].line.query for each in found} == {"sum of weights"}
    # From 0 to the cap is as far as the sum moves.
    assert found[0].steps[0].reached == pytest.approx(1.0)


@pytest.mark.parametrize("learner, settings", [("logistic", {}), ("tree", {}), ("boosted-trees", {"n_trees": 2})])
@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_a_row_that_comes_from_nothing_to_the_cap_keeps_to_the_shares(learner, settings, delta):
    make = lambda: private_learners()[learner](  # noqa: E731
        EVERYTHING, epsilon=1.0, delta=delta, on_invalid="coerce", **settings
    )
    found = replayed(make, of_weights(EVERYTHING, others=1.0, ends=(0.0, 8.0)), delta)
    assert [each.differences for each in found if each.differences] == []
    assert found[0].steps[0].reached == pytest.approx(1.0) and reached(found) <= 1 + 1e-9


@pytest.mark.parametrize("loss, start", [("absolute", set()), ("poisson", {"residuals by leaf"})])
def test_median_spread_and_start_do_not_move_with_a_weight(loss, start):
    schema = number(loss)
    pairs = of_weights(schema, others=1.0, ends=(0.0, 8.0))
    for each in replayed(made("boosted trees", loss, schema, 0.0), pairs, 0.0):
        queries = [step.line.query for step in each.steps]
        before = each.steps[1 : queries.index("oblivious trees")]
        assert {step.line.query for step in before} == {"rows by place of the target"} | start
        assert {step.loss for step in before} == {0.0}


@pytest.mark.parametrize("loss", ["absolute", "poisson"])
@pytest.mark.parametrize("regressor", REGRESSORS)
def test_a_mean_weight_that_is_not_the_released_one_is_caught(regressor, loss, monkeypatch):
    scaled = training._scaled

    def broken(learner, table, releases, generator):
        parts = float(table.sum(lambda block: block.weights.sum())) / table.unit_weight / table.n_persons
        return scaled(learner, table.unweighed.weighing_rows(max(parts, 0.01)), releases, generator)

    monkeypatch.setattr(training, "_scaled", broken)
    schema = number(loss)
    pairs = of_weights(schema, others=1.0, ends=(0.0, 8.0))
    assert any(each.differences for each in replayed(made(regressor, loss, schema, 1e-3), pairs, 1e-3))


@pytest.mark.parametrize("regressor", REGRESSORS)
def test_the_mean_that_learners_read_is_the_released_one(regressor, monkeypatch):
    """So much epsilon that the sum is known: with little, noise alone makes the mean of so few rows one."""
    means, weighing = [], Table.weighing_rows
    monkeypatch.setattr(Table, "weighing_rows", lambda table, mean: means.append(mean) or weighing(table, mean))
    schema = number("squared")
    cls, settings = REGRESSORS[regressor]
    make = lambda: cls(schema, epsilon=300.0, delta=1e-3, on_invalid="coerce", **settings)  # noqa: E731
    found = replayed(make, of_weights(schema, others=3.0, ends=(0.0, 8.0)), 1e-3)
    assert [each.differences for each in found if each.differences] == []
    released = [each.answers[0].item() / UNIT / 24 for each in found]
    # Of the first of each fit's two the sum is asked; the second is what learners read, on both neighbors.
    assert means[1::2] == pytest.approx([each for each in released for _ in range(2)])
    assert min(released) == pytest.approx(23 * 3 / 8 / 24, abs=0.05) and {*means[::2]} == {1.0}


@pytest.mark.parametrize("persons", [{}, {"rows_per_person": 3}])
def test_pairs_with_public_weights_are_fitted_and_not_refused(persons):
    columns = [Numeric("a", 0, 1), Categorical("c", ["u", "v"])]
    weight = Weight("w", 8, private=False)
    schema = Schema(columns, label=Label("y", ["no", "yes"]), weight=weight, **persons)
    make = lambda: TreeClassifier(schema, epsilon=1.0, on_invalid="coerce")  # noqa: E731
    found = replayed(make, islice(pairs_of_unit(schema, seed=1), 12), 0.0)
    assert all(each.steps for each in found)
    assert [each.differences for each in found if each.differences] == []
    assert 0.9 < reached(found) <= 1 + 1e-9
    heavier = replace(schema, weight=replace(weight, private=True))
    assert any(0.0 in pair.inputs()[0][0]["w"] for pair in islice(pairs_of_unit(heavier, seed=1), 12))
