"""One release calibrates log-odds: lines by hand, rare classes, and the same scorer with other numbers."""

from __future__ import annotations

from importlib import import_module
from itertools import islice

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from tacit import (
    AutoClassifier,
    BoostedTreesClassifier,
    BRCClassifier,
    Categorical,
    Label,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    RadoBoostClassifier,
    Schema,
    SVMClassifier,
)
from tacit.audit import Claim, random_pairs, replay
from tacit.errors import ParameterError
from tacit.learners.platt_scaling import PlattScaledLearner
from tacit.measures.platt_moments import platt_of_sums
from tacit.mechanisms import Releases
from tacit.models import LogisticModel, RankedModel, from_json, to_json
from tacit.models.linear import LinearForm
from tacit.models.rescaled import rescaled
from tacit.privacy import PlanEntry, PrivacyUnit
from tacit.queries.platt_sums import STEPS, in_rows, of_rows
from tacit.schema import Identifier
from tacit.table import Table
from tacit.table.rows import read_rows

platt_scaling = import_module("tacit.learners.platt_scaling")
platt = import_module("tacit.sensitivities.platt")

EACH = pytest.mark.parametrize("learner", [LogisticClassifier, BoostedTreesClassifier, NaiveBayesClassifier])
OTHERS = pytest.mark.parametrize("learner", [SVMClassifier, LazyBBClassifier, BRCClassifier, RadoBoostClassifier])
"""Whose scores are no log-odds."""
NUMBERS = [Numeric(name, 0, 1) for name in "abc"]
QUERY = "residuals and curvatures of log-odds"


def rare(share, n_classes=2, n=20_000, seed=0):
    """Return rows of which such a share is of the second class, more where the first column is large."""
    draw = np.random.default_rng(seed)
    X, u = draw.random((n, 3)), draw.random(n)
    y = np.where(u < 2 * share * X[:, 0], 1, 0)
    if n_classes == 3:
        y = np.where(u > 1 - 2 * share * X[:, 1], 2, y)
    return X, y, Schema(NUMBERS, label=Label("y", list(range(n_classes))))


def sums_of(odds, labels):
    return of_rows(odds, labels).sum(axis=1) * STEPS


class Halved:
    """A learner whose log-odds are half of what they should be, and less by one; it releases nothing."""

    multiclass = False

    def unsupported(self, persons):
        return None

    def plan(self, unit):
        return [PlanEntry("selection", weight=3.0, count=2)]

    def train(self, table, releases, generator):
        return LogisticModel((LinearForm(("a",), (1.0,), "ordinal"),), -0.5)


def drawn(slope, intercept, n=200_000, seed=0):
    draw = np.random.default_rng(seed)
    odds = draw.normal(-0.5, 1.5, n)
    return odds, (draw.random(n) < expit(slope * odds + intercept)).astype(int)


@pytest.mark.parametrize(("slope", "intercept"), [(1.0, 0.0), (0.6, 0.3), (1.6, -0.5), (1.0, 1.0), (0.8, -1.5)])
def test_exact_sums_tell_the_line(slope, intercept):
    odds, labels = drawn(slope, intercept)
    line, share = platt_of_sums(*in_rows(sums_of(odds, labels), 0.0), len(odds))
    assert share == pytest.approx(labels.mean(), rel=0.05)
    assert (line.slope, line.intercept) == (pytest.approx(slope, rel=0.12), pytest.approx(intercept, abs=0.12))
    # What matters: rows are as likely as they were.
    assert expit(line.slope * odds + line.intercept).mean() == pytest.approx(labels.mean(), rel=0.05)


def test_rows_beyond_what_curvatures_tell_are_known_by_their_place():
    """Seven in ten rows have log-odds of 5.3, where next to no curvature is, and should have 3."""
    draw = np.random.default_rng(0)
    odds = np.where(draw.random(200_000) < 0.7, 5.3, draw.normal(-1, 0.5, 200_000))
    labels = (draw.random(len(odds)) < expit(0.57 * odds)).astype(int)
    line, _ = platt_of_sums(*in_rows(sums_of(odds, labels), 0.0), len(odds))
    assert expit(5.3 * line.slope + line.intercept) == pytest.approx(expit(3.0), abs=0.02)
    assert expit(line.slope * odds + line.intercept).mean() == pytest.approx(labels.mean(), rel=0.03)


def test_noise_alone_changes_nothing():
    """Of 300 rows under noise of 550 nothing is known, as a row's curvature is a quarter at most."""
    odds, labels = drawn(1.0, 0.0, n=300)
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(0, 550.0, 6) * STEPS
        line, share = platt_of_sums(*in_rows(sums_of(odds, labels) + noise, 550.0 * STEPS), 300)
        assert share == 0.5 and abs(line.intercept) < 0.1 and abs(line.slope - 1) < 0.25


def test_slopes_of_many_classes():
    """Three classes whose log-weights are twice what they should be: the slope comes near one half."""
    draw = np.random.default_rng(1)
    scores = draw.normal(0, 1.0, (100_000, 3))
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    labels = (draw.random((100_000, 1)) > shares.cumsum(axis=1)).sum(axis=1)
    for factor in (2.0, 1.0, 0.7):
        line, _ = platt_of_sums(*in_rows(sums_of(factor * scores, labels), 0.0), 100_000)
        assert line.intercept == 0 and line.slope == pytest.approx(1 / factor, rel=0.2)


def test_a_learner_by_hand():
    """Where all is public, sums are exact: log-odds of half the size, and less by one, come right."""
    public = Schema(NUMBERS[:1], label=Label("y", [0, 1])).with_private([], label=False)
    X = np.linspace(0, 1, 100_000)
    y = (np.random.default_rng(0).random(len(X)) < expit(2 * X)).astype(int)
    table = Table.from_frame(pl.DataFrame({"a": X}), y, public)
    raw = Halved().train(None, None, None)
    model = PlattScaledLearner(Halved(), 0.1, 2).train(table, Releases.none(), np.random.default_rng(0))
    rows = read_rows(pl.DataFrame({"a": [0.25, 0.75]}), public)
    before, after = (each.probabilities(rows, public)[:, 1] for each in (raw, model))
    assert np.abs(after - expit([0.5, 1.5])).max() < 0.03 < np.abs(before - expit([0.5, 1.5])).max()


def test_the_sums_have_their_share_after_all_else():
    plan = PlattScaledLearner(Halved(), 0.25, 2).plan(PrivacyUnit(("a",), label=True))
    assert [each.part for each in plan] == [(), ("calibration",)]
    assert (plan[1].kind, plan[1].weight) == ("noise", pytest.approx(2.0))  # 2 of 8


@EACH
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("share", [0.3, 0.1])
@pytest.mark.filterwarnings("ignore")
def test_rare_classes_are_as_likely_as_they_are(learner, delta, share):
    X, y, schema = rare(share)
    ratios = [
        learner(schema, epsilon=2.0, delta=delta, random_state=seed).fit(X, y).predict_proba(X)[:, 1].mean() / y.mean()
        for seed in range(3)
    ]
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)
    raw = learner(schema, epsilon=2.0, delta=delta, calibration=0, random_state=0).fit(X, y)
    if learner is BoostedTreesClassifier:
        assert raw.predict_proba(X)[:, 1].mean() / y.mean() < 0.93


@OTHERS
@pytest.mark.parametrize("share", [0.3, 0.06])
@pytest.mark.filterwarnings("ignore")
def test_scores_that_are_no_log_odds_become_such(learner, share):
    X, y, schema = rare(share)
    fits = [learner(schema, epsilon=2.0, random_state=seed).fit(X, y) for seed in range(4)]
    assert np.mean([each.predict_proba(X)[:, 1].mean() for each in fits]) == pytest.approx(y.mean(), rel=0.12)
    # The link also says how frequent classes are, and where the score decides.
    [scorer] = fits[0].model_.scorers
    assert scorer.class_shares[1] == pytest.approx(y.mean(), rel=0.3)
    likely, scores = fits[0].predict_proba(X)[:, 1], fits[0].decision_function(X)
    assert np.array_equal(likely > 0.5, scores > 0)
    without = learner(schema, epsilon=2.0, calibration=0, random_state=0).fit(X, y)
    assert without.model_.scorers[0].link is None
    assert share == 0.3 or abs(without.predict_proba(X)[:, 1].mean() / y.mean() - 1) > 0.15


@EACH
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.filterwarnings("ignore")
def test_what_is_said_of_rows_adds_up_to_their_calibrated_scores(learner, n_classes, delta):
    X, y, schema = rare(0.1, n_classes, n=4_000)
    fitted = learner(schema, epsilon=10.0, delta=delta, calibration=0.1, random_state=0).fit(X, y)
    model = fitted.model_
    scores = fitted.decision_function(X[:50])
    said = model.explain(X[:50]).group_by("row", "class").agg(pl.col("contribution").sum()).sort("class", "row")
    expected = scores if n_classes == 2 else (scores - scores.mean(axis=1, keepdims=True)).T.ravel()
    contributions = said["contribution"].to_numpy()
    if n_classes > 2:
        contributions = contributions.reshape(n_classes, -1)
        contributions = (contributions - contributions.mean(axis=0)).ravel()
    assert contributions == pytest.approx(expected, abs=1e-5)
    again = from_json(to_json(model, allow="simulated"))
    assert again == model
    assert again.predict_proba(X).tolist() == fitted.predict_proba(X).tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [LogisticClassifier, BoostedTreesClassifier, AutoClassifier])
def test_scores_are_a_line_of_what_they_were(learner):
    """The same noise, all but one release: the raw model's scores times a slope, plus an intercept."""
    X, y, schema = rare(0.2, n=5_000)
    fitted = learner(schema, epsilon=1.0, delta=1e-5, random_state=0).fit(X, y)
    [scorer] = fitted.model_.scorers
    other = rescaled(scorer, 0.5, 1.0)
    rows = read_rows(pl.DataFrame(X[:200], schema=list("abc")), schema)
    assert other.scores(rows, schema) == pytest.approx(0.5 * scorer.scores(rows, schema) + 1.0, abs=2e-4)
    noise, halved = ([row for each in one.noise for row in each.deviations] for one in (scorer, other))
    assert np.concatenate(halved) == pytest.approx(0.5 * np.concatenate(noise), rel=1e-3)
    other.check(schema)


def test_ranks_have_an_intercept_of_every_row():
    model = RankedModel(("a",), ((0.5, 0.25),), 0.5)
    schema = Schema(NUMBERS[:1], label=Label("y", [0, 1]))
    moved = rescaled(model, 2.0, 0.75)
    rows = read_rows(pl.DataFrame({"a": [0.0, 0.5, 1.0]}), schema)
    assert moved.scores(rows, schema) == pytest.approx(2 * model.scores(rows, schema) + 0.75)
    assert "+0.75 always" in moved.words(schema)


@EACH
@pytest.mark.filterwarnings("ignore")
def test_it_costs_its_share_and_no_more(learner):
    X, y, schema = rare(0.3, n=3_000)
    for delta in (0.0, 1e-6):
        spent = {"epsilon": 3.0, "delta": delta, "random_state": 0}
        with_line = learner(schema, calibration=0.2, **spent).fit(X, y).privacy_
        without = learner(schema, calibration=0, **spent).fit(X, y).privacy_
        [own] = [each for each in with_line.releases if each.query == QUERY]
        assert own.loss == pytest.approx(0.2 * sum(each.loss for each in with_line.releases), rel=1e-6)
        assert with_line.epsilon == without.epsilon == 3.0 and with_line.delta == without.delta == delta
        assert not any(each.query == QUERY for each in without.releases)


@pytest.mark.filterwarnings("ignore")
def test_an_objective_of_fixed_epsilon_leaves_the_sums_their_share():
    X, y, schema = rare(0.3, n=3_000)
    settings = {"method": "gaussian-objective", "encoding": "binned", "cut_points": "grid", "random_state": 0}
    fitted = LogisticClassifier(schema, epsilon=2.0, delta=1e-6, calibration=0.25, **settings).fit(X, y)
    objective, sums = fitted.privacy_.releases
    assert (objective.loss, objective.delta) == (pytest.approx(1.5), pytest.approx(1e-6))
    assert (sums.loss, sums.currency, sums.query) == (pytest.approx(0.5), "epsilon", QUERY)


@pytest.mark.filterwarnings("ignore")
def test_a_public_label_and_persons_are_calibrated_too():
    X, y, schema = rare(0.1)
    public = Schema(NUMBERS, label=Label("y", [0, 1], private=False))
    of_label = BoostedTreesClassifier(public, epsilon=2.0, random_state=0).fit(X, y)
    assert of_label.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), rel=0.1)
    frame = pl.DataFrame(X, schema=list("abc")).with_columns(who=pl.Series(np.arange(len(X)) // 4))
    of_persons = Schema(NUMBERS, label=schema.label, identifier=Identifier("who", rows="mean"))
    fitted = BoostedTreesClassifier(of_persons, epsilon=4.0, delta=1e-6, random_state=0).fit(frame, y)
    assert fitted.predict_proba(frame)[:, 1].mean() == pytest.approx(y.mean(), rel=0.1)


@EACH
@pytest.mark.parametrize("value", [-0.1, 1.0, "much", None, np.nan])
def test_shares_that_are_none_are_refused(learner, value):
    schema = Schema(NUMBERS[:1], label=Label("y", [0, 1]))
    with pytest.raises(ParameterError, match="calibration"):
        learner(schema, epsilon=1.0, calibration=value).fit(pl.DataFrame({"a": [0.5]}), [0])


SMALL = {
    BoostedTreesClassifier: {"n_trees": 2, "depth": 1},
    LazyBBClassifier: {"rounds": 2},
    BRCClassifier: {"rounds": 2},
    RadoBoostClassifier: {"rounds": 5, "count": 20},
}


def replayed(learner, calibration, pairs=10, classes=("no", "yes")):
    settings = SMALL.get(learner, {})
    schema = Schema([Numeric("age", 0, 90), Categorical("sky", ["a", "b"])], label=Label("y", list(classes)))
    return replay(
        lambda: learner(schema, epsilon=1.0, on_invalid="coerce", calibration=calibration, **settings),
        islice(random_pairs(schema), pairs),
        claim=Claim(1.0),
    )


def of_sums(found):
    [own] = [each for each in found.releases if each.query == QUERY]
    return own.reached


@EACH
def test_replay_finds_no_more_than_the_share(learner):
    found = replayed(learner, 0.03, pairs=15)
    assert found.verdict == "not refuted"
    # Of few rows no model is sure: see the proof.
    assert 0.4 < of_sums(found) <= 1 + 1e-9


@OTHERS
def test_replay_of_scores_that_are_no_log_odds(learner):
    found = replayed(learner, 0.3)
    assert found.verdict != "refuted" and 0.4 < of_sums(found) <= 1 + 1e-9


@EACH
def test_three_classes_are_replayed_within_their_share(learner):
    """Of logistic regression one training for each class, of trees one for all."""
    found = replayed(learner, 0.3, classes=("low", "middle", "high"))
    assert found.verdict != "refuted" and of_sums(found) <= 1 + 1e-9


def test_sums_that_move_further_than_said_are_caught(monkeypatch):
    less = dict.fromkeys(platt.OF_TWO, ((0.4, 0.3),) * 2)
    monkeypatch.setattr(platt, "OF_TWO", less)
    found = replayed(LogisticClassifier, 0.3)
    assert found.verdict == "refuted" and of_sums(found) > 1


def test_scores_that_read_other_rows_are_caught(monkeypatch):
    given = platt_scaling._log_odds

    def beside_the_mean(block, **told):
        scores = given(block, **told)
        return 50 * (scores - scores.mean())

    monkeypatch.setattr(platt_scaling, "_log_odds", beside_the_mean)
    assert of_sums(replayed(LogisticClassifier, 0.3)) > 1.2
