"""Held-out rows that count as a weight of the schema says: measures of the population, and what a row may move."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from math import sqrt

import numpy as np
import polars as pl
import pytest

from tacit import (
    AutoRegressor,
    BoostedTreesRegressor,
    LinearRegressor,
    LogisticClassifier,
    NaiveBayesClassifier,
    PaidSearch,
    TreeClassifier,
    evaluate,
    load_model,
)
from tacit.audit.neighbors import random_pairs, worst_pairs
from tacit.audit.replay import replay_pair
from tacit.audit.weighed_pairs import WeighedPair, with_weight_column
from tacit.errors import ModelFileError, ParameterError
from tacit.estimators import holdout, residual_holdout
from tacit.estimators.holdout import asked_of, check_size
from tacit.estimators.row_weights import weighed
from tacit.measures.held_out import HeldOut
from tacit.models.document import as_plain
from tacit.privacy import Budget, PrivacyUnit
from tacit.queries.held_out import (
    Groups,
    Levels,
    held_out_loss,
    held_out_losses,
    held_out_other_scores,
    held_out_own_scores,
    held_out_scores,
    held_out_squares,
)
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema, Target, Weight
from tacit.table import Table, row_weights
from tacit.verify import recomputed

COLUMNS = [Numeric("x", -1, 1), Categorical("sex", ["f", "m"])]
SCHEMA = Schema(COLUMNS, label=Label("y", ["no", "yes"]), weight=Weight("w", 4))


def survey(size, seed=0, asked=0.9):
    """Nine of ten are of a stratum whose labels follow from x; the others count nine times as much and are noise."""
    draw = np.random.default_rng(seed)
    x, easy = draw.uniform(-1, 1, size), draw.random(size) < asked
    y = np.where(np.where(easy, x, draw.normal(size=size)) > 0, "yes", "no")
    w = np.where(easy, 4 / 9, 4.0)
    return pl.DataFrame({"x": x, "sex": draw.choice(["f", "m"], size), "w": w}), y


def test_counts_by_hand_and_what_a_row_moves():
    frame = pl.DataFrame({"x": [0.5, -0.5, 0.5], "sex": ["f", "f", "m"], "w": [1.0, 2.0, 9.0]})
    table = Table.from_frame(frame, ["yes", "no", "no"], SCHEMA)
    found = held_out_scores(weighed(table), lambda rows: (rows.columns["x"] > 0).astype(int), 2)
    # A quarter, half, and one, as a weight beyond the cap counts as the cap.
    assert (found.unreleased_value / found.unit_weight).tolist() == [[0.5, 1.0], [0.0, 0.25]]
    assert (found.l1, found.l2) == (2.0 * found.unit_weight, pytest.approx(sqrt(2) * found.unit_weight))


def test_measures_are_those_of_the_population():
    frame, y = survey(30_000)
    fitted = LogisticClassifier(SCHEMA, epsilon=3.0, holdout=0.3).fit(frame, y)
    # Half of the population is of either stratum: nearly all of one is right, half of the other.
    new, truth = survey(100_000, 1, asked=0.5)
    right = (fitted.predict(new) == truth).mean()
    found = fitted.model_.held_out
    assert found.weighed and found.accuracy.low < right < found.accuracy.high < 0.85
    plain = replace(SCHEMA, weight=None)
    assert LogisticClassifier(plain, epsilon=3.0, holdout=0.3).fit(frame, y).model_.held_out.accuracy.low > 0.9
    assert any("those of the population" in line for line in fitted.model_.measured)
    others = evaluate(fitted.model_, *survey(9_000, 2), epsilon=2.0, other_people=True)
    assert others.measured.weighed and others.measured.accuracy.low < right < others.measured.accuracy.high
    asked = evaluate(fitted.model_, *survey(9_000, 2), epsilon=2.0, other_people=True, schema=plain)
    assert not asked.measured.weighed and asked.measured.accuracy.low > 0.9


def test_groups_files_and_certificates(tmp_path):
    model = NaiveBayesClassifier(SCHEMA, epsilon=2.0, holdout=0.3, holdout_by="sex").fit(*survey(20_000)).model_
    accuracy = model.groups("sex").frame().filter(measure="accuracy")
    assert (accuracy["low"] < 0.77).all() and (accuracy["high"] > 0.73).all()
    body = as_plain(model)
    assert recomputed(model.guarantee, body).holds
    model.save(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json") == model
    for other in (replace(model.held_out, weighed=False), None):
        if other is not None:
            with pytest.raises(ModelFileError, match="count as the schema says"):
                replace(model, held_out=other)
    with pytest.raises(ModelFileError, match="count as the schema says"):
        replace(model, schema=replace(model.schema, weight=None))


def test_weights_of_one_under_a_cap_of_one_count_as_none():
    frame, y = survey(6_000)
    own = replace(SCHEMA, weight=Weight("w", 1, whole=True, mean=1))
    given = {"epsilon": 1.0, "random_state": 0, "holdout": 0.3}
    weighed_fit = TreeClassifier(own, **given).fit(frame.with_columns(w=pl.lit(1.0)), y).model_
    plain = TreeClassifier(replace(SCHEMA, weight=None), **given).fit(frame, y).model_
    assert weighed_fit.held_out == replace(plain.held_out, weighed=True)
    assert weighed_fit.held_out.known_total is None and plain.held_out.known_total == 1_800


@pytest.mark.parametrize("part", [1.0, 0.25])
def test_intervals_of_weighed_rows_hold_the_truth_and_are_exact_for_weights_of_none_and_all(part):
    """800 rows count one or nothing, each with a chance of a half, or all of them a quarter: of 90 % each is right."""
    draw = np.random.default_rng(3)
    inside, width = [], []
    for _ in range(1_500):
        right = draw.random(800) < 0.9
        v = np.where(draw.random(800) < 0.5, 1.0, 0.0) if part == 1.0 else np.full(800, part)
        hit, miss = float(v[right].sum()), float(v[~right].sum())
        held = HeldOut(((hit, miss), (0.0, 0.0)), (0.0,), 800, 0.0, "exact", weighed=True)
        inside.append(held.accuracy.low <= 0.9 <= held.accuracy.high)
        width.append(held.accuracy.high - held.accuracy.low)
    share = np.mean(inside)
    # 95 % where weights are none and all; of equal ones the interval is twice as long as it could be.
    assert 0.935 < share < 0.97 if part == 1.0 else share > 0.998
    assert np.mean(width) == pytest.approx(2 * 2.04 * sqrt(0.09 / (400 if part == 1.0 else 200)), rel=0.05)


def test_a_total_that_noise_hides_makes_intervals_wide():
    """Six rows of the cap among noise of deviation 30 on each count: nothing is known, whatever the counts are."""
    draw, inside = np.random.default_rng(5), []
    for noise in draw.normal(scale=30, size=(1_000, 4)):
        counts = np.asarray([[4.0, 1.0], [0.0, 1.0]]) + noise.reshape(2, 2)
        held = HeldOut(tuple(map(tuple, counts.tolist())), (0.0,), 300, 30.0, "Gaussian", weighed=True)
        inside.append((held.accuracy.low <= 5 / 6 <= held.accuracy.high, held.gain.low <= 0 <= held.gain.high))
    assert (np.mean(inside, axis=0) > 0.94).all()


def test_too_few_rows_are_refused_by_the_declared_mean():
    table = Table.from_frame(*survey(2_000), replace(SCHEMA, weight=Weight("w", 4, mean=0.1)))
    with pytest.raises(ParameterError, match="too small"):
        check_size(400, table, Budget(1.0), "holdout=0.2")
    check_size(400, Table.from_frame(*survey(2_000), SCHEMA), Budget(1.0), "holdout=0.2")
    unit, budget = PrivacyUnit(("x",), label=True), Budget(1.0)
    levels = [asked_of(20_000, 2, unit, budget, mean=mean).halvings for mean in (1.0, 0.02)]
    assert levels[0] > levels[1]


def extreme_pairs(schema):
    """Pairs of six rows, of which one differs: in each cell, the weight too, and in all."""
    inner = with_weight_column(schema)
    return [WeighedPair.of(pair, schema) for pair in worst_pairs(inner, n_rows=6) if len(pair.first) > 3]


def pairs_for(schema, count):
    """Random pairs, and those at which most weight leaves a cell and enters another, or comes."""
    inner, found = with_weight_column(schema), extreme_pairs(schema)

    def weight(pair):
        return [
            rows[0][-2] if isinstance(rows[0][-2], float) else 0.0 for rows in (pair.inner.first, pair.inner.second)
        ]

    full = [pair for pair in found if min(weight(pair)) == 4.0]
    ends = [pair for pair in found if sorted(weight(pair)) == [0.0, 4.0]]
    random = (WeighedPair.of(pair, schema) for pair in islice(random_pairs(inner, n_rows=6, seed=2), 3))
    return [*random, *full[:: max(1, len(full) // count)], *ends[:: max(1, 2 * len(ends) // count)]]


def halves(rows):
    return (rows.columns["x"] > 0).astype(int)


def of_both(rows):
    return np.column_stack([halves(rows), 1 - halves(rows)])


def chances(rows):
    return np.column_stack([1.0 - halves(rows), halves(rows).astype(float)])


LEVELS = Levels([np.asarray([1])] * 2, 2, 1)
INFLUENCE = np.asarray([[[-1.0, 0.5], [1.0, 0.25]]] * 2)
QUERIES = {
    "counts": lambda table: held_out_scores(table, halves, 2),
    "counts by group": lambda table: held_out_scores(table, halves, 2, groups=Groups("sex", ("f", "m"))),
    "counts by own score": lambda table: held_out_own_scores(table, of_both, LEVELS),
    "counts by others' scores": lambda table: held_out_other_scores(table, of_both, LEVELS),
    "squares": lambda table: held_out_squares(table, of_both, LEVELS, INFLUENCE, 1.5),
    "one loss": lambda table: held_out_loss(table, chances, "brier"),
}


@pytest.mark.parametrize("query", QUERIES)
def test_what_a_row_with_its_weight_moves_is_safe_and_attained(query):
    found = []
    for pair in extreme_pairs(SCHEMA):
        one, other = (QUERIES[query](weighed(table)) for table in pair.tables())
        moved = np.abs(one.unreleased_value.astype(float) - other.unreleased_value).ravel()
        found.append((moved.sum() / one.l1, np.sqrt((moved**2).sum()) / one.l2))
    assert np.max(found) <= 1 + 1e-9 and np.max(found, axis=0) == pytest.approx(1, abs=0.02)


def test_two_losses_move_apart_by_twice_a_loss_at_most():
    moved = []
    for pair in extreme_pairs(SCHEMA):
        both = [held_out_losses(weighed(t), [chances, lambda r: 1 - chances(r)], "brier") for t in pair.tables()]
        one, other = (each.unreleased_value.astype(float) for each in both)
        moved.append(abs((one[0] - one[1]) - (other[0] - other[1])) / both[0].range)
    assert max(moved) == pytest.approx(1, abs=0.02) and max(moved) <= 1 + 1e-9


@pytest.fixture
def any_size(monkeypatch):
    monkeypatch.setattr(holdout, "WIDEST", 1e9)
    for module in (holdout, residual_holdout):
        monkeypatch.setattr(module, "affordable_levels", lambda *_, **__: 2)


NUMBER = Schema(COLUMNS, label=Target("t", 0, 10), weight=Weight("w", 4, mean=2))
FIXED = replace(SCHEMA, weight=Weight("w", 4, mean=2))


def reached(make, schema, query, delta=0.0):
    found = [replay_pair(make, pair, seed=at, delta=delta) for at, pair in enumerate(pairs_for(schema, 8))]
    assert [each.differences for each in found if each.differences] == []
    every = [step for each in found for step in each.steps]
    return max(step.reached for step in every), max(s.reached for s in every if s.line.query.startswith(query))


def of_classes(schema, **settings):
    return lambda: NaiveBayesClassifier(schema, calibration=0, on_invalid="coerce", holdout=0.5, **settings)


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("by", [None, "sex"])
def test_held_out_counts_cost_their_share_and_reach_it(any_size, by, delta):
    make = of_classes(FIXED, epsilon=1.0, delta=delta, holdout_by=by)
    most, own = reached(make, FIXED, "held-out rows by class", delta)
    assert most <= 1 + 1e-9 and own > 0.9


@pytest.mark.parametrize("rows", ["mean", 2])
def test_held_out_counts_of_persons_keep_to_their_share(any_size, rows):
    from tacit.audit.units import pairs_of_unit

    schema = replace(FIXED, identifier=Identifier("who", rows=rows))
    enough = (pair for pair in pairs_of_unit(schema, seed=1) if min(t.n_persons for t in pair.tables()) > 3)
    pairs = list(islice(enough, 5))
    found = [replay_pair(of_classes(schema, epsilon=1.0), pair, seed=at) for at, pair in enumerate(pairs)]
    assert [each.differences for each in found if each.differences] == []
    assert max(step.reached for each in found for step in each.steps) <= 1 + 1e-9


def test_residual_counts_cost_their_share(any_size):
    def make():
        return LinearRegressor(NUMBER, epsilon=1.0, delta=0.0, on_invalid="coerce", holdout=0.5)

    most, own = reached(make, NUMBER, "held-out rows by")
    assert most <= 1 + 1e-9 and own > 0.9


def test_held_out_weights_without_a_cap_are_caught(any_size, monkeypatch):
    monkeypatch.setattr(row_weights, "parts_of_cap", lambda numbers, weight: numbers / weight.cap)
    monkeypatch.setattr(Weight, "as_column", property(lambda weight: Numeric(weight.name, -64, 64)))
    pairs = []
    for pair in pairs_for(FIXED, 8):
        inner = pair.inner
        row = list(inner.second[0])
        row[-2] = 32.0
        pairs.append(replace(pair, inner=replace(inner, second=(tuple(row), *inner.second[1:]))))
    make = of_classes(FIXED, epsilon=1.0)
    found = [replay_pair(make, pair, seed=at) for at, pair in enumerate(pairs)]
    held = [s for each in found for s in each.steps if s.line.query.startswith("held-out rows by class")]
    assert max(step.reached for step in held) > 1.5


def test_a_search_chooses_by_weighed_rows(any_size):
    frame, y = survey(20_000)
    tried = [TreeClassifier(SCHEMA), NaiveBayesClassifier(SCHEMA)]
    for pay in ("rows", "epsilon"):
        found = PaidSearch(tried, epsilon=2.0, pay=pay, holdout=0.2 * (pay == "rows")).fit(frame, y)
        lines = found.privacy_.releases
        assert pay == "epsilon" or found.model_.held_out.weighed
        held = [line for line in lines if line.query.startswith("held-out l") or "candidates" in line.query]
        assert held and all(line.basis["weight"] > 1 for line in held)
        assert recomputed(found.privacy_, as_plain(found.model_)).holds
    given = PaidSearch(tried, epsilon=2.0).fit(frame.drop("w"), y, sample_weight=frame["w"])
    assert given.privacy_.epsilon == 2.0


@pytest.mark.filterwarnings("ignore:Intervals end")
@pytest.mark.parametrize("learner", [LinearRegressor, BoostedTreesRegressor, AutoRegressor])
def test_errors_of_a_number_are_those_of_the_population(learner):
    draw = np.random.default_rng(0)
    x, easy = draw.uniform(-1, 1, 30_000), draw.random(30_000) < 0.9
    # The mean absolute error is about 0.08 in the stratum that is asked more often, and 1.6 in the other.
    t = 5 + 2 * x + np.where(easy, 0.1, 2.0) * draw.normal(size=30_000)
    frame = pl.DataFrame({"x": x, "sex": ["f"] * 30_000, "w": np.where(easy, 4 / 9, 4.0)})
    schema = replace(NUMBER, weight=Weight("w", 4))
    fitted = learner(schema, epsilon=4.0, holdout=0.3).fit(frame, t)
    model, new = fitted.model_, pl.DataFrame({"x": x[:5_000], "sex": ["f"] * 5_000})
    missed = np.abs(model.predict(new) - t[:5_000])
    population = (missed[easy[:5_000]].mean() + missed[~easy[:5_000]].mean()) / 2
    assert model.held_out.weighed and model.held_out.mae.low < population * 1.1
    assert model.held_out.mae.high > population * 0.9
    ends = model.predict_interval(new, 0.8)
    inside = (ends[:, 0] <= t[:5_000]) & (t[:5_000] <= ends[:, 1])
    assert (inside[easy[:5_000]].mean() + inside[~easy[:5_000]].mean()) / 2 > 0.78
    sure = model.predict_interval(new, 0.8, confidence=0.9)
    assert (sure[:, 0] <= ends[:, 0]).all() and (ends[:, 1] <= sure[:, 1]).all()
