"""Learners with class weights, replayed on neighbors: within their shares, and what is forgotten is caught."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from benchmarks.audits.every_case import CASES
from tacit.audit.neighbors import random_pairs, worst_pairs
from tacit.audit.person_pairs import person_pairs, with_identifier
from tacit.audit.replay import replay_pair
from tacit.boosting.boosted_trees import BoostedTrees
from tacit.schema import Label
from tacit.sensitivities.leaf_sums import Moves
from tacit.study.learners import private_learners
from tacit.table import Block, Table

SCHEMAS = {
    **{name: CASES[name] for name in ("everything private", "a public column and label", "three classes")},
    "the label alone": CASES["everything private"].with_private([], label=True),
}
LEARNERS = [
    ("boosted-trees", {"n_trees": 2, "cut_points": "grid"}, 0.0),
    ("boosted-trees", {"n_trees": 2}, 1e-3),
    ("tree", {}, 0.0),
    ("tree", {"criterion": "gini", "cut_points": "private"}, 0.0),
    ("tree", {"criterion": "counts", "growth": "level", "max_depth": 2}, 1e-3),
    ("logistic", {"method": "k-norm"}, 0.0),
    ("logistic", {"method": "mean-operator"}, 0.0),
    ("logistic", {"encoding": "ranked", "cut_points": "private"}, 0.0),
    ("logistic", {"encoding": "binned"}, 1e-3),
    ("logistic", {"encoding": "ranked"}, 1e-3),
    ("svm", {}, 0.0),
]


def with_shares(schema):
    label = schema.label
    shares = [0.9, *[0.1 / (len(label.classes) - 1)] * (len(label.classes) - 1)]
    return replace(schema, label=Label(label.name, label.classes, private=label.private, prevalence=shares))


def replayed(learner, settings, schema, delta, weight="balanced", count=4):
    make = lambda: private_learners()[learner](  # noqa: E731
        schema, epsilon=1.0, delta=delta, on_invalid="coerce", class_weight=weight, **settings
    )
    pairs = person_pairs(schema, seed=1) if schema.identifier else None
    if pairs is None:
        pairs = [*islice(random_pairs(schema, n_rows=5, seed=2), 2), *list(worst_pairs(schema, n_rows=6))[:count]]
    return [replay_pair(make, pair, seed=at, delta=delta) for at, pair in enumerate(islice(pairs, count))]


def reached(found):
    return max(step.reached for each in found for step in each.steps)


@pytest.mark.parametrize("case", SCHEMAS)
def test_no_release_costs_more_than_its_share(case):
    # Shares that are released cost a release of their own; of the label alone, public ones are the harder case.
    schema = with_shares(SCHEMAS[case]) if case == "the label alone" else SCHEMAS[case]
    most = 0.0
    for learner, settings, delta in LEARNERS:
        found = replayed(learner, settings, schema, delta, count=1 if case == "three classes" else 2)
        assert [each.differences for each in found if each.differences] == [], (learner, settings)
        assert reached(found) <= 1 + 1e-9, (learner, settings)
        most = max(most, reached(found))
    assert most > 0.6


def test_curvatures_that_forget_the_label_are_refused_or_caught(monkeypatch):
    schema = with_shares(SCHEMAS["the label alone"])
    found = replayed("boosted-trees", {"n_trees": 2}, schema, 0.0, weight={"yes": 9}, count=6)
    curvature = [step.reached for each in found for step in each.steps if "curvatures" in step.line.query]
    assert 0.3 < max(curvature) <= 1 + 1e-9
    monkeypatch.setattr(BoostedTrees, "plan", _planned_without_weights(BoostedTrees.plan))
    monkeypatch.setattr(Moves, "curvatures", property(_curvatures_without_weights(Moves.curvatures.fget)))
    found = replayed("boosted-trees", {"n_trees": 2}, schema, 0.0, weight={"yes": 9}, count=6)
    assert any(each.differences for each in found)


def test_weights_above_one_are_caught(monkeypatch):
    kept = Block.weighing
    monkeypatch.setattr(Block, "weighing", lambda block, own, name, unit: kept(block, 2 * own, name, unit))
    for learner, settings in (
        ("tree", {}),
        ("logistic", {"method": "mean-operator"}),
        ("boosted-trees", {"n_trees": 2}),
    ):
        found = replayed(learner, settings, SCHEMAS["everything private"], 0.0, weight={"no": 1}, count=4)
        assert reached(found) > 1.5, learner


def test_bins_counted_by_weight_are_caught(monkeypatch):
    monkeypatch.setattr(Table, "unweighed", property(lambda table: table))
    schema = with_shares(SCHEMAS["a public column and label"].with_private([], label=True))
    settings = {"encoding": "binned", "cut_points": "grid"}
    assert any(each.differences for each in replayed("logistic", settings, schema, 1e-3, count=6))


@pytest.mark.parametrize("rows", ["mean", 3])
@pytest.mark.parametrize("learner", ["boosted-trees", "tree", "logistic"])
def test_persons_with_class_weights_keep_to_their_shares(learner, rows):
    schema = with_shares(with_identifier(SCHEMAS["everything private"], rows))
    settings, delta = {"boosted-trees": ({"n_trees": 2}, 0.0), "tree": ({}, 0.0)}.get(learner, ({}, 1e-3))
    found = replayed(learner, settings, schema, delta, count=5)
    assert [each.differences for each in found if each.differences] == []
    assert 0.05 < reached(found) <= 1 + 1e-9


def _planned_without_weights(plan):
    return lambda learner, unit: plan(replace(learner, weighs_classes=False), unit)


def _curvatures_without_weights(curvatures):
    return lambda moves: curvatures(replace(moves, weighs_classes=False))
