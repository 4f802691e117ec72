"""Rows kept back from a regressor's fit: what they cost, what they say, their intervals, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field, replace
from itertools import islice, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from harness.longer import longer
from tacit import (
    AutoRegressor,
    BoostedTreesRegressor,
    Identifier,
    LinearRegressor,
    Numeric,
    RegressionModel,
    Schema,
    Target,
    evaluate,
    load_model,
)
from tacit.audit.neighbors import random_pairs, worst_pairs
from tacit.audit.replay import replay_pair
from tacit.errors import ModelFileError, ParameterError, PrivacyWarning
from tacit.estimators import holdout, residual_holdout
from tacit.models.file import from_json
from tacit.models.writing import to_json
from tacit.verify import recomputed, written_of

SCHEMA = Schema([Numeric("x", -1, 1), Numeric("z", -1, 1)], label=Target("y", -20, 20))
CASES = {"all": (["x", "z"], True), "columns": (["x", "z"], False), "target": ([], True), "partial": (["x"], False)}
EACH = pytest.mark.parametrize("cls", [AutoRegressor, LinearRegressor, BoostedTreesRegressor])


def rows(size=6_000, seed=0):
    generator = np.random.default_rng(seed)
    x, z = generator.uniform(-1, 1, (2, size))
    return pl.DataFrame({"x": x, "z": z}), 3 * x - 2 * z + generator.normal(size=size)


def covered(model, X, y, **asked):
    low, high = model.predict_interval(X, **asked).T
    return float(np.mean((low <= y) & (y <= high)))


@EACH
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_each_part_has_the_whole_budget_and_errors_are_near_the_truth(cls, delta):
    X, y = rows()
    fitted = cls(SCHEMA, epsilon=2.0, delta=delta, holdout=0.2).fit(X, y)
    found, others = fitted.model_.held_out, rows(20_000, 1)
    assert (found.n_rows, fitted.privacy_.n_rows, fitted.privacy_.epsilon) == (1_200, 6_000, 2.0)
    *_, counts, distances = fitted.privacy_.releases
    assert counts.asked == "held-out rows by level of the residual (slice 2 of 2)"
    assert distances.asked == "held-out rows by distance from the start (slice 2 of 2)"
    residuals = np.clip(others[1] - fitted.predict(others[0]), found.edges[0], found.edges[-1])
    # Twice as far as intervals of 95 %: four deviations.
    for said, truth in ((found.rmse, np.sqrt(np.mean(residuals**2))), (found.mae, np.abs(residuals).mean())):
        assert abs(said.value - truth) < said.high - said.low
    assert found.r2.low < fitted.score(*others) < found.r2.high
    assert covered(fitted, *others) > 0.87
    assert "Root mean square error" in fitted.model_._repr_html_()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_every_case_is_certified_and_both_programs_agree(tmp_path, case, delta):
    columns, target = CASES[case]
    X, y = rows(3_000)
    schema = SCHEMA.with_private(columns, label=target)
    fitted = LinearRegressor(schema, epsilon=2.0, delta=delta, holdout=0.3).fit(X, y)
    fitted.save(tmp_path / "model.json")
    back = load_model(tmp_path / "model.json")
    assert isinstance(back, RegressionModel) and back == fitted.model_
    assert (back.predict_interval(X) == fitted.predict_interval(X)).all()
    written = written_of(to_json(back).encode())
    found = recomputed(written.certificate, written.model)
    assert (found.faults, found.unknown) == ((), ())
    program = Path(tacit.__file__).parent / "verify" / "standalone" / "verify.py"
    ran = subprocess.run(
        [sys.executable, program, "--json", tmp_path / "model.json"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert json.loads(ran.stdout)["faults"] == []
    # Of a public target the distances from the start are exact, and no release.
    asked = [line.query for line in fitted.privacy_.releases]
    assert ("held-out rows by distance from the start" in asked) is target
    assert back.held_out.distances.distribution == ("Laplace" if target else "exact") or delta


def test_held_out_counts_without_their_releases_are_refused():
    X, y = rows(3_000)
    model = LinearRegressor(SCHEMA, epsilon=2.0, holdout=0.3).fit(X, y).model_
    written = written_of(to_json(model).encode())
    for query in ("held-out rows by level", "cells that halve intervals"):
        left = [
            line
            for line in model.guarantee.releases
            if line.slice is None or line.basis["query"] != query or "2 of 2" not in line.asked
        ]
        assert len(left) < len(model.guarantee.releases)
        found = recomputed(replace(model.guarantee, releases=tuple(left)), written.model)
        assert any(query in each for each in found.faults), query


def test_nothing_protected_has_no_noise():
    X, y = rows(2_000)
    schema = SCHEMA.with_private([], label=False)
    found = LinearRegressor(schema, epsilon=1.0, holdout=0.5).fit(X, y).model_.held_out
    assert (found.distribution, found.deviation, sum(found.counts)) == ("exact", 0.0, 1_000)
    assert sum(found.distances.counts) == 1_000


@pytest.fixture
def any_size(monkeypatch):
    monkeypatch.setattr(holdout, "WIDEST", 1e9)
    monkeypatch.setattr(residual_holdout, "affordable_levels", lambda *_, **__: 2)


HELD_OUT = "held-out rows", "medians of held-out rows"


def replayed(case, delta):
    columns, target = CASES[case]
    schema = SCHEMA.with_private(columns, label=target)

    def make():
        return LinearRegressor(schema, epsilon=2.0, delta=delta, holdout=0.5, on_invalid="coerce")

    reached = {}
    pairs = [*islice(random_pairs(schema, n_rows=6, seed=2), 3), *islice(worst_pairs(schema, n_rows=6), 0, None, 7)]
    # Of one or two rows none would be kept back.
    for seed, pair in enumerate(pair for pair in pairs if len(pair.first) >= 4):
        found = replay_pair(make, pair, seed=seed, delta=delta)
        assert found.differences == (), pair.kind
        for step in found.steps:
            if step.line.query.startswith(HELD_OUT):
                reached[step.line.query] = max(reached.get(step.line.query, 0.0), step.reached)
            else:
                assert step.reached <= 1 + 1e-9
    return reached


@pytest.mark.parametrize(("case", "delta"), longer(product(CASES, [0.0, 1e-3]), 3))
def test_neighbors_are_told_apart_by_no_more_than_the_share(any_size, case, delta):
    reached = replayed(case, delta)
    assert max(reached.values()) <= 1 + 1e-9
    # Of so few rows a model says hardly anything of columns: see the test of evaluations.
    assert not CASES[case][1] or reached["held-out rows by level of the residual"] > 0.9
    assert ("held-out rows by distance from the start" in reached) is CASES[case][1]


def test_a_row_that_counts_twice_is_caught(any_size, monkeypatch):
    honest = residual_holdout.residual_counts

    def twice(table, residuals, edges):
        statistic = honest(table, residuals, edges)
        return replace(statistic, unreleased_value=2 * statistic.unreleased_value)

    monkeypatch.setattr(residual_holdout, "residual_counts", twice)
    assert replayed("all", 0.0)["held-out rows by level of the residual"] > 1.8


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_intervals_cover_on_average(epsilon):
    others, found = rows(20_000, 99), []
    for seed in range(8):
        fitted = LinearRegressor(SCHEMA, epsilon=epsilon, holdout=0.2, random_state=seed).fit(*rows(8_000, seed))
        found.append(covered(fitted, *others))
        assert covered(fitted, *others, coverage=0.7) < found[-1]
    assert 0.89 < np.mean(found) < 0.99


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_intervals_and_quantiles_have_their_shapes_stay_within_bounds_and_follow():
    X, y = rows(20_000)
    fitted = AutoRegressor(SCHEMA, epsilon=2.0, holdout=0.2, random_state=0).fit(X, y)
    interval = fitted.predict_interval(X.head(7))
    assert interval.shape == (7, 2) and (interval[:, 0] < interval[:, 1]).all()
    quantiles = fitted.predict_quantiles(X, [0.9, 0.05, 0.5])
    assert quantiles.shape == (20_000, 3)
    assert (quantiles[:, 1] <= quantiles[:, 2]).all() and (quantiles[:, 2] <= quantiles[:, 0]).all()
    assert np.mean(y <= quantiles[:, 0]) == pytest.approx(0.9, abs=0.03)
    narrow = Schema(SCHEMA.columns, label=Target("y", -1, 1))
    clipped = AutoRegressor(narrow, epsilon=2.0, holdout=0.2, random_state=0).fit(X, y).model_
    assert np.abs(clipped.predict_interval(X)).max() <= 1 and np.abs(clipped.predict_quantiles(X, [0.01])).max() <= 1
    moved = Schema(SCHEMA.columns, label=Target("y", 980, 1_020))
    y = np.round(y * 64) / 64  # so that adding is exact
    here = LinearRegressor(SCHEMA, epsilon=2.0, holdout=0.2, random_state=0).fit(X, y).predict_interval(X)
    there = LinearRegressor(moved, epsilon=2.0, holdout=0.2, random_state=0).fit(X, y + 1_000).predict_interval(X)
    assert there - 1_000 == pytest.approx(here, abs=1e-4)


def test_what_noise_hides_is_the_whole_range_and_said_once():
    X, y = rows(2_000)
    fitted = LinearRegressor(SCHEMA, epsilon=0.5, holdout=0.3).fit(X, y)
    with pytest.warns(UserWarning, match="the target's whole range") as said:
        interval = fitted.model_.predict_interval(X, 0.999)
    assert interval.tolist() == [[-20.0, 20.0]] * 2_000 and len(said) == 1


def test_without_a_holdout_there_are_no_intervals():
    fitted = LinearRegressor(SCHEMA, epsilon=1.0).fit(*rows(500))
    assert fitted.model_.held_out is None
    for ask in (fitted.predict_interval, lambda X: fitted.predict_quantiles(X, [0.5])):
        with pytest.raises(ParameterError, match="Fit with holdout"):
            ask(rows(5)[0])


@pytest.mark.parametrize("wrong", [{"coverage": 1.0}, {"coverage": "all"}, {"confidence": 0}])
def test_shares_that_are_none_are_refused(wrong):
    fitted = LinearRegressor(SCHEMA, epsilon=2.0, holdout=0.3, random_state=0).fit(*rows(2_000))
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        fitted.predict_interval(rows(5)[0], **wrong)
    for quantiles in ([], [1.5], 0.5, ["half"]):
        with pytest.raises(ParameterError, match="quantiles"):
            fitted.predict_quantiles(rows(5)[0], quantiles)


@pytest.mark.parametrize("size", [40, 10])
def test_few_rows_are_too_few_before_anything_is_spent(size):
    estimator = LinearRegressor(SCHEMA, epsilon=0.5, holdout=0.1)
    with pytest.raises(ParameterError, match=rf"which is {size // 10}: too small, as the share"):
        estimator.fit(*rows(size))
    assert not hasattr(estimator, "privacy_")


def test_as_many_rows_as_the_message_names_are_enough():
    with pytest.raises(ParameterError, match="at least ") as refused:
        LinearRegressor(SCHEMA, epsilon=0.1, holdout=0.5).fit(*rows(400))
    least = int(str(refused.value).split("at least ")[1].split(" ")[0].replace(",", ""))
    assert LinearRegressor(SCHEMA, epsilon=0.1, holdout=0.5).fit(*rows(2 * least)).model_.held_out.n_rows == least


def test_persons_are_measured_and_have_intervals_where_they_count_one():
    X, y = rows()
    people = X.with_columns(person=pl.Series(np.arange(6_000) // 3))
    schema = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("person", rows="mean"))
    fitted = LinearRegressor(schema, epsilon=3.0, holdout=0.25).fit(people, y)
    assert (fitted.privacy_.n_rows, fitted.model_.held_out.n_rows) == (2000, 500)
    assert sum(fitted.model_.held_out.counts) == pytest.approx(500, abs=60)
    ends, sure = fitted.predict_interval(X, 0.8), fitted.predict_interval(X, 0.8, confidence=0.9)
    assert ((ends[:, 0] <= y) & (y <= ends[:, 1])).mean() > 0.78
    assert (sure[:, 0] <= ends[:, 0]).all() and (ends[:, 1] <= sure[:, 1]).all()
    assert fitted.predict_quantiles(X, [0.5]).shape == (6_000, 1)
    several = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("person", rows=2))
    counted = LinearRegressor(several, epsilon=3.0, holdout=0.25).fit(people, y)
    found = counted.model_.held_out
    with pytest.raises(ParameterError, match="count one together"):
        counted.predict_interval(X)
    assert found.rows_of_person == 2 and sum(found.counts) == pytest.approx(1_000, abs=100)
    declared = Schema(SCHEMA.columns, label=SCHEMA.label, rows_per_person=3)
    with pytest.raises(ParameterError, match="on both sides"):
        LinearRegressor(declared, epsilon=3.0, holdout=0.25).fit(X, y)


@pytest.mark.parametrize("far", [1e300, 1e-300])
def test_bounds_that_are_vast_or_tiny(far):
    X, y = rows(2_000)
    schema = Schema(SCHEMA.columns, label=Target("y", -far, far))
    model = LinearRegressor(schema, epsilon=2.0, holdout=0.3).fit(X, y * far / 100).model_
    assert from_json(to_json(model)) == model
    assert json.dumps(model.held_out.measures(), allow_nan=False)
    assert 0 < model.held_out.rmse.value < far


def test_counts_of_another_target_are_refused():
    model = LinearRegressor(SCHEMA, epsilon=2.0, holdout=0.3, random_state=0).fit(*rows(2_000)).model_
    with pytest.raises(ModelFileError, match="within the target's bounds"):
        replace(model, held_out=replace(model.held_out, width=41.0))


def test_rows_of_other_people_are_measured_with_a_certificate():
    fitted = LinearRegressor(SCHEMA, epsilon=3.0, holdout=0.2, random_state=0).fit(*rows())
    X, y = rows(5_000, 1)
    found = fitted.evaluate(X, y, epsilon=1.0, other_people=True)
    assert (found.privacy.epsilon, found.privacy.n_rows, found.privacy.status) == (1.0, 5_000, "private")
    said = found.measured
    assert (said.origin, said.n_rows) == ("evaluation", 5_000)
    # The model's own intervals, on rows from which they do not follow.
    assert said.coverage.low < covered(fitted, X, y) < said.coverage.high
    document = found.document()
    assert document["measures"]["rmse"]["low"] < document["measures"]["rmse"]["high"]
    assert json.dumps(document, allow_nan=False)
    plain = LinearRegressor(SCHEMA, epsilon=3.0, random_state=0).fit(*rows()).model_
    assert evaluate(plain, X, y, epsilon=1.0).measured.interval is None
    with pytest.raises(ParameterError, match="all rows of 20"):
        evaluate(plain, X.head(20), y[:20], epsilon=1.0)
    other = Schema(SCHEMA.columns, label=Target("y", -20, 21))
    with pytest.raises(ParameterError, match="target's bounds"):
        evaluate(plain, X, y, epsilon=1.0, schema=other)
    with pytest.warns(PrivacyWarning, match="as the model was fitted to"):
        evaluate(plain, *rows(), epsilon=1.0)


@dataclass
class Evaluates:
    """An evaluation as what a replay repeats."""

    model: RegressionModel
    schema: Schema
    random_state: int = 0
    on_invalid: str = "coerce"
    measured: str = field(default="", init=False)

    def fit(self, X, y):
        found = evaluate(self.model, X, y, epsilon=1.0, schema=self.schema, random_state=self.random_state)
        self.measured, self.privacy_ = repr(found.measured), found.privacy
        return self


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore::tacit.errors.PrivacyWarning")
def test_an_evaluation_costs_no_more_than_its_share(any_size, case):
    # A model that moves with the columns, so that residuals do where these alone are private.
    model = LinearRegressor(SCHEMA, epsilon=30.0, holdout=0.2, on_invalid="coerce").fit(*rows()).model_
    columns, target = CASES[case]
    schema = SCHEMA.with_private(columns, label=target)
    pairs = [pair for pair in islice(worst_pairs(schema, n_rows=5), 0, None, 4) if len(pair.first) >= 4]
    found = [replay_pair(lambda: Evaluates(model, schema), pair, seed=at) for at, pair in enumerate(pairs)]
    assert not any(each.differences for each in found)
    assert max(step.reached for each in found for step in each.steps) <= 1 + 1e-9
    counts = [step for each in found for step in each.steps if step.line.query.startswith("held-out rows by level")]
    assert max(step.reached for step in counts) > 0.9
