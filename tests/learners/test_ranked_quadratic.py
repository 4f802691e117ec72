"""Quadratic terms of ranks: what they are for, from where on, their moments, files, and what is said of them."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from math import inf

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

import tacit.learners.linear.defaults as defaults
import tacit.learners.linear.rank_moments as rank_moments
import tacit.learners.linear.ranked as module
import tacit.rules.linear as rules
from tacit import Categorical, Label, LogisticClassifier, Numeric, Schema
from tacit.audit import Claim, replay
from tacit.audit.neighbors import random_pairs
from tacit.audit.person_pairs import person_pairs, with_identifier
from tacit.features.ranked_encoding import QUADRATIC, RankedEncoding
from tacit.learners.linear.coefficients import ranked_noise
from tacit.learners.linear.shrinkage import OutputNoise
from tacit.models import RankedModel, from_json, to_json
from tacit.models.attribution import attribution
from tacit.models.cells import Distribution
from tacit.models.document import canonical, digest
from tacit.table.rows import Rows

N = 4_000
GENERATOR = np.random.default_rng(5)
FRAME = pl.DataFrame(
    {"x": GENERATOR.normal(size=N), "z": np.exp(GENERATOR.normal(size=N)), "c": GENERATOR.choice(["a", "b"], N)}
)
FAR = (np.abs(FRAME["x"].to_numpy()) > 0.7).astype(int)
# Bounds of x that hold the rows and none of its own cut points: these are released.
SCHEMA = Schema([Numeric("x", -9, 4), Numeric("z", 0, 1e4), Categorical("c", ["a", "b"])], label=Label("y", [0, 1]))
SIGNAL = 70 * 3 / N
"""Epsilon at the boundary of the rule."""


def fitted(schema=SCHEMA, labels=FAR, **settings):
    given = {"epsilon": 0.2, "delta": 1e-5, "encoding": "ranked", "random_state": 0, **settings}
    return LogisticClassifier(schema, **given).fit(FRAME, labels)


def test_labels_that_follow_from_the_size_of_a_number_are_learned_with_quadratic_terms_alone(monkeypatch):
    def area(seed):
        return roc_auc_score(FAR, fitted(random_state=seed).decision_function(FRAME))

    assert np.mean([area(seed) for seed in range(4)]) > 0.9
    monkeypatch.setattr(rules, "SIGNAL_FOR_QUADRATIC", 1e9)
    assert np.mean([area(seed) for seed in range(4)]) < 0.65


def test_so_are_many_classes():
    classes = np.digitize(np.abs(FRAME["x"].to_numpy()), [0.4, 1.0])
    model = fitted(Schema(SCHEMA.columns, label=Label("y", [0, 1, 2])), classes, epsilon=1.0)
    assert model.score(FRAME, classes) > 0.7


def test_the_rule_reads_public_numbers_alone():
    assert [defaults.use_quadratic(10_000, epsilon, 10) for epsilon in (0.0699, 0.0701)] == [False, True]
    assert [fitted(epsilon=SIGNAL * times).model_.scorers[0].bends for times in (0.999, 1.001)] == [False, True]
    # Columns whose margin is exact are counted, too.
    public = SCHEMA.with_private(["x"], label=False)
    assert [fitted(public, epsilon=SIGNAL * times).model_.scorers[0].bends for times in (0.999, 1.001)] == [False, True]


def test_moments_by_hand():
    schema = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", [0, 1]))
    encoding = RankedEncoding(schema, ("x", "c"), 0.75, quadratic=True)
    # The term's mean is 0.6 (3/2 of one half less one half). Of a mean rank of 0.2 the mean of cubes is 9/5 of one half
    # of it, and that of rank times term 0.6 (3/2 of this less half of 0.2).
    product = 0.6 * (1.5 * 0.18 - 0.1)
    expected = [
        [0.25, 0.1, 0.075, 0, 0.25],
        [0.1, 0.5, product, 0, 0.1],
        [0.075, product, 0.1, 0, 0.075],
        [0, 0, 0, 3 / 16, -3 / 16],
        [0.25, 0.1, 0.075, -3 / 16, 7 / 16],
    ]
    found = rank_moments.independent_moments(encoding, np.asarray([0.2]), np.asarray([0.5, 0.1, 0.25, 0.75]))
    assert found == pytest.approx(np.asarray(expected) * 0.75**2 / (0.25 + 0.5 + 0.1 + 10 / 16))
    # All ranks at 1 or -1: a mean as large as the root of the mean square would leave nothing to learn from.
    found = rank_moments.independent_moments(encoding, np.asarray([1.0]), np.asarray([1.0, 0.36, 0.25, 0.75]))
    assert found[0, 2] / found[0, 0] == pytest.approx(0.999 * 0.6 / 0.5)
    assert found[1, 2] / found[1, 1] == pytest.approx(0.999 * 0.6)


@pytest.mark.parametrize("slope", [0.0, 0.9])
def test_moments_are_those_of_rows(slope):
    encoding = RankedEncoding(SCHEMA, ("x",), inf, quadratic=True)
    encoding = replace(encoding, radius=encoding.longest)
    # Ranks of a density that is linear in them: quantiles of t + slope t^2 / 2 between -1 and 1.
    ranks = np.linspace(-1, 1, 200_001)
    at = (GENERATOR.random(200_000) - 0.5) * 2
    x = np.interp(at, ranks + slope * (ranks**2 - 1) / 2, ranks)
    low, high = SCHEMA.column("x").lower, SCHEMA.column("x").upper
    features = encoding.transform(Rows({"x": low + (x + 1) / 2 * (high - low)}, 200_000))
    squares = (features[:, 1:] ** 2).mean(axis=0)
    moments = features.T @ features / len(features)
    found = rank_moments.independent_moments(encoding, features[:, [1]].mean(axis=0), squares)
    assert found == pytest.approx(moments, abs=5e-3)


def test_what_to_expect_of_a_quadratic_terms_square():
    encoding = RankedEncoding(SCHEMA, ("x", "c"), 0.75, quadratic=True)
    sure = rank_moments.expected_squares(encoding, np.asarray([0.2, 0.1, 0.0, 1.0]), 1e-6)
    assert sure == pytest.approx([0.2, 0.1, 0.0, 1.0], abs=1e-5)
    # Where noise hides what was released it is that of uniform ranks, somewhat larger for being above zero.
    guessed = rank_moments.expected_squares(encoding, np.zeros(4), 1e6)
    uniform = np.linspace(-1, 1, 100_001)
    quadratic = QUADRATIC * (3 * uniform**2 - 1) / 2
    assert guessed[1] / guessed[0] == pytest.approx(np.mean(quadratic**2) / np.mean(uniform**2), rel=1e-3)
    assert (
        rank_moments.expected_squares(encoding, np.full(4, 9.0), 0.01)[1] == QUADRATIC**2
    )  # and no larger than can be


def test_a_quadratic_term_has_a_width_of_its_own():
    bent = RankedEncoding(SCHEMA, ("x", "c", "z"), 0.75, quadratic=True)
    assert module._blocks(bent) == (1, 2, 3, 5, 6, 7)
    straight = replace(bent, quadratic=False)
    assert module._blocks(straight) == straight.starts == (1, 2, 4, 5)


def test_a_file_keeps_quadratic_terms_and_files_without_the_field_have_none():
    model = fitted()
    text = to_json(model.model_, allow="simulated")
    again = from_json(text)
    assert again.scorers[0].bends
    assert (again.decision_function(FRAME) == model.decision_function(FRAME)).all()
    straight = fitted(epsilon=0.01)
    document = json.loads(to_json(straight.model_, allow="simulated"))
    [scorer] = document["model"]["scorers"]
    assert scorer.pop("bends") is False
    document["digest"] = digest(canonical(document["model"]))
    old = from_json(json.dumps(document))
    assert (old.decision_function(FRAME) == straight.decision_function(FRAME)).all()


OWN_CUTS = Schema([Numeric("x", -4, 4, cuts=[-1.2, -0.6, 0, 0.6, 1.2]), *SCHEMA.columns[1:]], label=SCHEMA.label)
CELLS = (
    "at most -1.2", "above -1.2 and at most -0.6", "above -0.6 and at most 0", "above 0 and at most 0.6",
    "above 0.6 and at most 1.2", "above 1.2",
)  # fmt: skip


def effects(model, *what):
    told = model.explain().filter(pl.col("column") == "x")
    rows = {row["cell"]: row for row in told.iter_rows(named=True)}
    return [np.asarray([rows[cell][each] for cell in CELLS]) for each in what]


def test_an_effect_falls_and_rises():
    [found] = effects(fitted(OWN_CUTS).model_, "effect")
    steps = np.diff(found)
    assert (steps[:2] < -1).all() and (steps[3:] > 1).all() and abs(steps[2]) < 0.5


def test_stated_deviations_are_those_of_many_fits():
    # One label in ten follows from a number. Cut points are the schema's, so that what is told is the same in each fit.
    numbers = OWN_CUTS.columns[0], Numeric("z", 0, 1e4, cuts=[0.5, 1.0, 2.0])
    schema = Schema([*numbers, OWN_CUTS.columns[2]], label=OWN_CUTS.label)
    generator = np.random.default_rng(5)
    labels = np.where(generator.random(N) < 0.9, generator.integers(0, 2, N), FAR)
    each = [
        effects(fitted(schema, labels, random_state=seed, epsilon=1.0).model_, "effect", "deviation")
        for seed in range(80)
    ]
    found, stated = np.moveaxis(each, 1, 0)
    # Means over the cells: their errors go together, and of one cell the deviation of 80 fits is itself 8 % off.
    assert 0.7 < np.mean(found.std(axis=0, ddof=1) / stated.mean(axis=0)) < 1.15


def test_deviations_of_effects_are_those_of_the_sum_of_both_features():
    schema = Schema([Numeric("x", -4, 4, cuts=[-1.2, -0.6, 0, 0.6, 1.2]), SCHEMA.columns[2]], label=SCHEMA.label)
    generator = np.random.default_rng(0)
    root = generator.normal(size=(5, 5))
    covariance = root @ root.T
    model = RankedModel(("x", "c"), ((0.0,) * 5,), 0.5, bends=True)
    stated = {
        one.column: one.deviations[0]
        for one in ranked_noise(model, OutputNoise([covariance], np.zeros(1, dtype=int)), schema)
    }
    # What columns add under many draws of coefficients.
    weights = generator.multivariate_normal(np.zeros(5), covariance, size=100_000)

    def added(row):
        how = attribution(replace(model, weights=(tuple(row),)), schema)
        return {name: effect[0] for name, effect in how.effects(Distribution.of(how.cells)).items()}

    of_units = [added(row) for row in np.eye(5).tolist()]
    for name, effect in added(weights[0].tolist()).items():
        found = weights @ np.asarray([each[name] for each in of_units])
        assert effect == pytest.approx(found[0])  # what columns add is linear in coefficients
        assert np.std(found, axis=0) == pytest.approx(np.asarray(stated[name]), rel=0.01)  # 4 standard errors


def test_what_columns_add_to_each_row_adds_up_to_the_score():
    model = fitted().model_
    added = model.explain(FRAME[:50])
    total = added.group_by("row").agg(pl.col("contribution").sum()).sort("row")["contribution"].to_numpy()
    assert total == pytest.approx(model.decision_function(FRAME[:50]))


@pytest.mark.parametrize("persons", [False, True])
def test_no_replayed_release_costs_more_than_its_share(persons, monkeypatch):
    monkeypatch.setattr(rules, "SIGNAL_FOR_QUADRATIC", 0.0)
    schema = Schema([Numeric("a", 0, 90), Numeric("b", -1e6, 1e6)], label=Label("y", ["u", "v"]))
    schema = with_identifier(schema, "mean") if persons else schema
    pairs = person_pairs(schema, seed=1) if persons else random_pairs(schema)
    found = replay(
        lambda: LogisticClassifier(schema, epsilon=2.0, delta=1e-3, encoding="ranked"),
        islice(pairs, 2),
        claim=Claim(2.0, 1e-3),
        search=2,
    )
    assert found.verdict == "not refuted"
    assert all(control.caught for control in found.controls if control.broken)
