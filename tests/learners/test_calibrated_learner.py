"""A share of the budget makes log-odds of scores that are none: by hand, on rare classes, and in all that follows."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from itertools import islice

import numpy as np
import polars as pl
import pytest
from scipy.special import expit, logit

from tacit import BRCClassifier, Categorical, Label, LazyBBClassifier, Numeric, PaidSearch, Schema, SVMClassifier
from tacit.audit import Claim, random_pairs, replay
from tacit.errors import ModelFileError, ParameterError
from tacit.learners.calibrated_learner import (
    CalibratedLearner,
    calibration_share,
    line_of_levels,
    n_levels,
    slope_of_levels,
)
from tacit.learners.surest_line import surest_line
from tacit.mechanisms import Released, Releases
from tacit.models import LinearModel
from tacit.models.file import from_json, to_json
from tacit.models.links import Link
from tacit.models.literal_votes import LiteralRule, LiteralVoteModel
from tacit.privacy import Planned, PrivacyUnit
from tacit.schema import Identifier
from tacit.table import Table
from tacit.table.literals import Literal
from tacit.table.rows import read_rows

calibrated_learner = import_module("tacit.learners.calibrated_learner")
score_bins = import_module("tacit.queries.score_bins")

LEARNERS = [LazyBBClassifier, SVMClassifier, BRCClassifier]
EACH = pytest.mark.parametrize("learner", LEARNERS)
SKY = Schema([Categorical("sky", ["clear", "gray"])], label=Label("rain", ["no", "yes"]))
NUMBERS = [Numeric(name, -1, 1) for name in "abc"]


class ThreeVotes:
    """A learner that always returns three votes for the second class where the sky is gray, and releases nothing."""

    multiclass = False

    def why_not(self, persons):
        return None

    def plan(self, unit):
        return [Planned("selection", weight=3.0, count=2)]

    def train(self, table, releases, generator):
        return LiteralVoteModel((LiteralRule(Literal("sky", 1, 1)),) * 3)


def rare(n_classes=2, n=40_000, seed=0):
    """Return rows of which few are of the second class, and more of few of the third."""
    draw = np.random.default_rng(seed)
    X = draw.uniform(-1, 1, (n, 3))
    odds = -3.2 + 1.5 * X[:, 0] + X[:, 1]
    chance = expit(odds)
    u = draw.random(n)
    y = np.where(u < chance, "b", "a")
    if n_classes == 3:
        y = np.where((u >= chance) & (u < 2 * chance), "c", y)
    return X, y, Schema(NUMBERS, label=Label("y", list("abc"[:n_classes])))


def loss(model, X, y):
    likely = model.predict_proba(X)
    return -np.log(likely[np.arange(len(y)), np.searchsorted(model.classes_, y)]).mean()


def loss_of_shares(y):
    shares = np.unique(y, return_counts=True)[1] / len(y)
    return -(shares * np.log(shares)).sum()


def test_exact_counts_by_hand():
    """Of clear skies 20 in 100 rain, of gray ones 70; there are as many of both. Votes say -3 and +3."""
    sky = np.repeat(["clear", "gray"], 50_000)
    rain = np.where(np.arange(100_000) % 100 < np.where(sky == "gray", 70, 20), "yes", "no")
    public = SKY.with_private([], label=False)
    table = Table.from_frame(pl.DataFrame({"sky": sky}), rain, public)
    model = CalibratedLearner(ThreeVotes(), 0.1, 500.0).train(table, Releases.none(), np.random.default_rng(0))
    assert model.link.class_shares == pytest.approx((0.55, 0.45))
    # 3 votes are log-odds of 1.2 by the public link, in the level from 1.125 to 1.5, of which the middle is taken.
    likely = model.probabilities(read_rows(pl.DataFrame({"sky": ["clear", "gray"]}), SKY), SKY)[:, 1]
    assert likely == pytest.approx([0.2, 0.7], abs=0.03)
    slope = (logit(0.7) - logit(0.2)) / 6
    assert model.link.slope == pytest.approx(slope, rel=0.15)
    assert model.link.offset == pytest.approx((logit(0.7) + logit(0.2)) / 2 / slope, rel=0.15)


def test_the_counts_have_their_share_after_all_else():
    unit = PrivacyUnit(("sky",), label=True)
    plan = CalibratedLearner(ThreeVotes(), 0.25, 500.0).plan(unit)
    assert [each.part for each in plan] == [(), ("calibration",)]
    assert (plan[1].l1, plan[1].weight) == (2.0, pytest.approx(2.0))  # 2 of 8
    assert calibration_share(2_999, 1.0) == 0
    assert (calibration_share(5_999, 1.0, 3), calibration_share(6_000, 1.0, 3)) == (0.0, 0.05)
    assert [calibration_share(n, 1.0) for n in (3_000, 5_000, 10**9)] == pytest.approx([0.1, 0.06, 0.05])


def test_levels_hold_the_largest_score():
    votes = LiteralVoteModel((LiteralRule(Literal("sky", 1, 1)),) * 30)
    assert slope_of_levels(votes) == pytest.approx(3 / 30)
    form = LinearModel((), 0.0)
    assert slope_of_levels(form) == LinearModel.log_odds_of_one
    assert [n_levels(product, votes) for product in (999.0, 1_000.0, 3_000.0)] == [16, 32, 32]
    assert [n_levels(product, form) for product in (999.0, 1_000.0, 3_000.0)] == [16, 32, 128]


@EACH
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.filterwarnings("ignore")
def test_rare_classes_are_as_likely_as_they_are(learner, n_classes, delta):
    X, y, schema = rare(n_classes)
    others, truth, _ = rare(n_classes, seed=1)
    losses = []
    for calibration in ("auto" if n_classes == 2 or learner is BRCClassifier else 0.06, 0.0):
        settings = {"epsilon": 1.5, "delta": delta, "calibration": calibration, "random_state": 3}
        losses.append(loss(learner(schema, **settings).fit(X, y), others, truth))
    assert losses[0] < loss_of_shares(truth) + 0.003
    # LazyBB of two classes votes for the frequent one alone, whatever the row.
    assert losses[0] < losses[1] - (0.001 if learner is LazyBBClassifier and n_classes == 2 else 0.005)


@EACH
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_the_likeliest_is_predicted_and_all_else_agrees(learner, n_classes):
    X, y, schema = rare(n_classes, n=6_000)
    fitted = learner(schema, epsilon=10.0, calibration=0.05, random_state=0).fit(X, y)
    model = fitted.model_
    assert all(scorer.link and scorer.link.offset for scorer in model.scorers)
    likely, scores = fitted.predict_proba(X), fitted.decision_function(X)
    assert likely.sum(axis=1) == pytest.approx(1)
    assert (model.classes[likely.argmax(axis=1)] == fitted.predict(X)).all()
    # Whatever is said of rows adds up to their scores.
    said = model.explain(X[:50]).group_by("row", "class").agg(pl.col("contribution").sum()).sort("class", "row")
    expected = scores[:50] if n_classes == 2 else scores[:50].T.ravel()
    assert said["contribution"].to_numpy() == pytest.approx(expected, abs=1e-6)
    again = from_json(to_json(model, allow="simulated"))
    assert again == model
    assert again.predict_proba(X).tolist() == likely.tolist()
    if learner is not SVMClassifier:
        assert (list(fitted.staged_predict(X))[-1] == fitted.predict(X)).all()


@EACH
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_counts_tell_the_classes_shares(learner, n_classes):
    X, y, schema = rare(n_classes)
    fitted = learner(schema, epsilon=3.0, calibration=0.05, random_state=0).fit(X, y)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    assert fitted.model_.class_shares == pytest.approx(shares, abs=0.02)
    assert fitted.model_.class_shares.tolist() != shares.tolist()
    if learner is BRCClassifier:  # the others' scores hardly tell these rows apart
        found = fitted.predict(X, threshold="balanced")
        assert np.mean([(found[y == each] == each).mean() for each in set(y)]) > 1 / n_classes + 0.1


@EACH
@pytest.mark.filterwarnings("ignore")
def test_of_more_than_two_classes_the_rule_is_for_brc(learner):
    X, y, schema = rare(3)
    [link, *_] = [each.link for each in learner(schema, epsilon=1.0, random_state=0).fit(X, y).model_.scorers]
    assert (link is not None) == (learner is BRCClassifier)


@EACH
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.filterwarnings("ignore")
def test_it_costs_its_share_and_no_more(learner, delta):
    X, y, schema = rare(3, n=6_000)
    spent = {"epsilon": 3.0, "delta": delta, "random_state": 0}
    with_counts = learner(schema, calibration=0.2, **spent).fit(X, y).privacy_
    without = learner(schema, calibration=0.0, **spent).fit(X, y)
    assert without.model_.scorers[0].link is None
    counted = [each for each in with_counts.releases if each.query == "rows by level of the score and class"]
    assert len(counted) == 3 and not any("level of the score" in each.query for each in without.privacy_.releases)
    assert {(each.sensitivity, each.sensitivity_kind) for each in counted} <= {(2.0, "l1"), (2.0**0.5, "l2")}
    assert with_counts.epsilon == without.privacy_.epsilon == 3.0
    in_epsilon = [each for each in counted if each.currency == "epsilon"]
    assert sum(each.loss for each in in_epsilon) == pytest.approx(0.6 * len(in_epsilon) / 3)
    whole = sum((Fraction(each.loss) for each in with_counts.releases if each.currency == "epsilon"), Fraction(0))
    assert whole <= 3


@pytest.mark.filterwarnings("ignore")
def test_an_objective_of_fixed_epsilon_leaves_the_counts_their_share():
    X, y, schema = rare(n=6_000)
    grid = {"cut_points": "grid", "random_state": 0}
    fitted = SVMClassifier(schema, epsilon=2.0, delta=1e-6, calibration=0.25, **grid).fit(X, y)
    objective, counted = fitted.privacy_.releases
    assert (objective.loss, objective.delta) == (pytest.approx(1.5), pytest.approx(1e-6))
    assert (counted.loss, counted.currency) == (pytest.approx(0.5), "epsilon")


def test_several_rows_of_a_person_say_as_much_as_one():
    """Three of each: the line is that of a third of the rows, with a third of the noise, and not that of all rows."""
    edges = np.linspace(-3, 3, 17)[1:-1]
    rows = np.zeros(16)
    rows[[5, 9]] = 900.0, 600.0
    counts = np.stack([rows * 0.7, rows * 0.3])
    few = Schema(SKY.columns, label=SKY.label, rows_per_person=3)
    sky, rain = pl.DataFrame({"sky": ["gray"] * 6}), ["yes", "no"] * 3
    line = line_of_levels(Released(counts, 60.0, "Laplace"), edges, Table.from_frame(sky, rain, few))
    assert line == surest_line(counts / 3, edges, 500.0, 2 * 20.0**2)
    assert line != surest_line(counts, edges, 1_500.0, 2 * 60.0**2)


@pytest.mark.filterwarnings("ignore")
def test_rows_that_count_by_their_classes_are_counted_so():
    X, y, schema = rare()
    model = SVMClassifier(schema, epsilon=5.0, class_weight={"a": 0.05, "b": 1.0}, random_state=0).fit(X, y)
    weights = np.where(y == "b", 1.0, 0.05)
    assert np.average(model.predict_proba(X)[:, 1], weights=weights) == pytest.approx(
        weights @ (y == "b") / weights.sum(), abs=0.03
    )
    # Shares of the rows themselves.
    assert model.model_.class_shares == pytest.approx([(y == "a").mean(), (y == "b").mean()], abs=0.02)


@pytest.mark.filterwarnings("ignore")
def test_several_rows_of_a_person_are_one():
    X, y, schema = rare(n=20_000)
    frame = pl.DataFrame(X, schema=list("abc")).with_columns(who=pl.Series(np.arange(20_000) // 4))
    of_persons = Schema(NUMBERS, label=schema.label, identifier=Identifier("who", rows="mean"))
    model = BRCClassifier(of_persons, epsilon=5.0, random_state=0).fit(frame, y)
    [counted] = [each for each in model.privacy_.releases if each.query == "rows by level of the score and class"]
    assert counted.sensitivity == 2.0 * 4096  # a person weighs so much
    assert model.model_.class_shares == pytest.approx([(y == "a").mean(), (y == "b").mean()], abs=0.03)
    assert loss(model, frame, y) < loss_of_shares(y) + 0.01


@pytest.mark.filterwarnings("ignore")
def test_a_search_scores_probabilities_that_a_share_is_paid_for():
    X, y, schema = rare(n=4_000)
    search = PaidSearch(LazyBBClassifier(schema, calibration=0.1), {"density": [0.1, 0.2]}, epsilon=4.0, random_state=0)
    assert search.fit(X, y).model_.scorers[0].link
    with pytest.raises(ParameterError, match="calibration such as"):
        PaidSearch(LazyBBClassifier(schema), {"density": [0.1, 0.2]}, epsilon=4.0).fit(X, y)


@pytest.mark.parametrize("value", [-0.1, 1.0, "much", None, np.nan])
def test_shares_that_are_none_are_refused(value):
    with pytest.raises(ParameterError, match="calibration"):
        LazyBBClassifier(SKY, epsilon=1.0, calibration=value).fit(pl.DataFrame({"sky": ["gray"]}), ["no"])


@pytest.mark.parametrize(
    "link", [(0.0, 0.0), (-1.0, 0.0), (1e9, 0.0), (1.0, 1e300), (1.0, float("nan")), (float("inf"), 0.0)]
)
def test_links_of_damaged_files_are_refused(link):
    with pytest.raises(ModelFileError, match="slope"):
        Link(*link, (0.5, 0.5))
    with pytest.raises(ModelFileError, match="share"):
        Link(1.0, 0.0, (0.5, 0.4))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [LazyBBClassifier, SVMClassifier])
def test_scores_in_clumps_make_no_probability_sure(learner):
    """Most rows are where next to nothing is of the second class, and a few where most is: lines have several roots."""
    schema = Schema([Numeric(name, -1, 1) for name in "abcde"], label=Label("y", [0, 1]))

    def drawn(seed, n=10_000):
        draw = np.random.default_rng(seed)
        X = draw.uniform(-1, 1, (n, 5))
        return X, (draw.random(n) < expit(12 * (X[:, 0] - 0.9))).astype(int)

    others, truth = drawn(777)
    more = []
    for seed in range(8):
        fits = [learner(schema, epsilon=1.0, calibration=each, random_state=seed) for each in ("auto", 0.0)]
        paid, public = (loss(each.fit(*drawn(seed)), others, truth) for each in fits)
        more.append(paid - public)
    assert np.mean(more) < -0.01 and max(more) < 0.05


def test_of_lines_the_surest_is_taken():
    """Of 9,000 rows at the bottom 1 in 125 are of the second class, of 500 in the middle 145, of 500 at the top 305."""
    edges = np.linspace(-3, 3, 17)[1:-1]
    rows, chance = np.zeros(16), np.zeros(16)
    rows[[1, 8, 13]], chance[[1, 8, 13]] = [9_000, 500, 500], [0.008, 0.29, 0.61]
    exact = np.stack([rows * (1 - chance), rows * chance])
    places = np.asarray([-2.44, 0.19, 2.06])
    for seed in range(10):
        noise = np.random.default_rng(seed).laplace(0, 40, exact.shape)
        line = surest_line(exact + np.rint(noise), edges, 10_000.0, 3_200.0)
        odds = line.slope * places + line.intercept
        assert odds[2] < 3 and (exact[1, [1, 8, 13]] @ np.logaddexp(0, -odds)) / 10_000 < 0.2
    line = surest_line(exact, edges, 10_000.0, 0.0)
    assert expit(line.slope * places + line.intercept) == pytest.approx([0.01, 0.2, 0.68], abs=0.06)


def replayed(learner, pairs=12):
    settings = {} if learner is SVMClassifier else {"rounds": 2}
    schema = Schema([Numeric("age", 0, 90), Categorical("sky", ["a", "b"])], label=Label("y", ["no", "yes"]))
    return replay(
        lambda: learner(schema, epsilon=1.0, on_invalid="coerce", calibration=0.3, **settings),
        islice(random_pairs(schema), pairs),
        claim=Claim(1.0),
    )


def of_counts(found):
    [counted] = [each for each in found.releases if each.query == "rows by level of the score and class"]
    return counted.reached


@EACH
def test_replay_finds_no_more_than_the_share_and_nearly_all_of_it(learner):
    found = replayed(learner)
    assert found.verdict == "not refuted"
    assert 0.9 < of_counts(found) <= 1 + 1e-9


def test_counts_that_move_further_than_said_are_caught(monkeypatch):
    monkeypatch.setattr(score_bins, "L1", 1.0)
    monkeypatch.setattr(score_bins, "L2", 0.7)
    found = replayed(BRCClassifier)
    assert found.verdict != "not refuted" and of_counts(found) > 1.5


def test_scores_that_read_other_rows_are_caught(monkeypatch):
    given = calibrated_learner._scores

    def beside_the_mean(rows, **told):
        scores = given(rows, **told)
        return 50 * (scores - scores.mean())

    monkeypatch.setattr(calibrated_learner, "_scores", beside_the_mean)
    assert of_counts(replayed(SVMClassifier, pairs=30)) > 1.2
