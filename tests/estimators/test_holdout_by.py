"""Held-out rows by group: what they cost, what they say beforehand and after, what is refused."""

from __future__ import annotations

from itertools import islice

import numpy as np
import polars as pl
import pytest

from tacit import (
    AutoClassifier,
    Categorical,
    Label,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    PaidSearch,
    Schema,
    TreeClassifier,
    evaluate,
    load_model,
)
from tacit.audit import Claim, random_pairs, replay
from tacit.audit.certificate import audit_certificate, read_certificate
from tacit.audit.neighbors import worst_pairs
from tacit.audit.replay import replay_pair
from tacit.errors import ParameterError
from tacit.estimators import holdout
from tacit.estimators.group_plan import group_plan
from tacit.estimators.grouping import groups_of
from tacit.estimators.holdout import asked_of
from tacit.privacy import Budget, NumericStatistic, PrivacyUnit
from tacit.table import Table

COLUMNS = [Numeric("x", -1, 1), Categorical("sex", ["f", "m"])]
SCHEMA = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
COUNTED = "held-out rows by class and level of the score, and 'sex'"


def rows(size, seed=0):
    draw = np.random.default_rng(seed)
    x, sex = draw.uniform(-1, 1, size), draw.choice(["f", "m"], size, p=[0.7, 0.3])
    noise = np.where(sex == "f", 0.1, 1.0) * draw.normal(size=size)
    return pl.DataFrame({"x": x, "sex": sex}), np.where(x + noise > 0, "yes", "no")


@pytest.mark.parametrize("learner", [AutoClassifier, LogisticClassifier, TreeClassifier])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_groups_cost_nothing_and_are_near_the_truth(learner, delta, tmp_path):
    X, y = rows(20_000)
    plain = learner(SCHEMA, epsilon=2.0, delta=delta, holdout=0.2).fit(X, y)
    fitted = learner(SCHEMA, epsilon=2.0, delta=delta, holdout=0.2, holdout_by="sex").fit(X, y)
    assert fitted.privacy_.epsilon == plain.privacy_.epsilon == 2.0
    counted, before = fitted.privacy_.releases[-1], plain.privacy_.releases[-1]
    assert counted.asked == f"{COUNTED} (slice 2 of 2)" and counted.basis["by"] == ("sex",)
    assert (counted.sensitivity, counted.loss) == (before.sensitivity, pytest.approx(before.loss))
    frame = fitted.model_.groups("sex").frame().filter(measure="accuracy")
    others, truth = rows(100_000, 1)
    right = fitted.model_.predict(others) == truth
    for group, value, low, high in frame.select("group", "value", "low", "high").rows():
        # Twice what 95 % are: fails once in ten thousand.
        assert abs(value - right[(others["sex"] == group).to_numpy()].mean()) < high - low
    [gap] = fitted.model_.groups().differences().filter(measure="accuracy")["low"]
    assert gap > 0  # of women labels follow from x, of men hardly
    fitted.model_.save(tmp_path / "model.json", allow=fitted.privacy_.status)
    assert load_model(tmp_path / "model.json") == fitted.model_
    audited = audit_certificate(read_certificate(tmp_path / "model.json"))
    assert audited.verdict == "not refuted" and all(control.caught for control in audited.controls)


@pytest.fixture
def any_size(monkeypatch):
    monkeypatch.setattr(holdout, "WIDEST", 1e9)
    monkeypatch.setattr(holdout, "affordable_levels", lambda *_, **__: 2)


def grouped(**settings):
    return NaiveBayesClassifier(SCHEMA, holdout=0.5, holdout_by="sex", **settings)


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_the_whole_fit_stays_at_its_claim_and_reaches_it(any_size, delta):
    found = replay(lambda: grouped(epsilon=1.0, delta=delta), islice(random_pairs(SCHEMA), 12), claim=Claim(1.0, delta))
    reached = {release.query: release.reached for release in found.releases}
    [counted] = [share for query, share in reached.items() if query.startswith(COUNTED)]
    assert 0.9 < counted <= 1 + 1e-9
    missed = [control.name for control in found.controls if control.caught != control.broken]
    # Of so few rows a zero-concentrated selection loses a tenth of its share: tests/cut_points/test_halving.py.
    assert all("medians of held-out rows" in name for name in missed) and (delta or found.verdict == "not refuted")


def test_a_variant_that_counts_a_row_twice_is_caught(any_size, monkeypatch):
    """In its own group and in the other: each replaced row then moves four counts."""
    once = holdout.held_out_scores

    def twice(*given, **named):
        found = once(*given, **named)
        value = found.unreleased_value + found.unreleased_value[::-1]
        moves = {"l1": found.l1, "l2": found.l2, "unit_weight": found.unit_weight, "basis": found.basis}
        return NumericStatistic(found.query, found.unit, value, **moves)

    def make():
        return grouped(epsilon=1.0, calibration=0, on_invalid="coerce")

    pairs = list(islice(worst_pairs(SCHEMA, n_rows=6), 12))

    def most():
        found = [replay_pair(make, pair, seed=at) for at, pair in enumerate(pairs)]
        return max(step.reached for each in found for step in each.steps if step.line.query.startswith(COUNTED))

    assert 0.9 < most() <= 1 + 1e-9
    monkeypatch.setattr(holdout, "held_out_scores", twice)
    assert most() > 1.5


@pytest.mark.parametrize(
    ("columns", "label", "exact"),
    [([], False, True), (["sex"], False, False), ([], True, False), (["x"], False, False)],
)
def test_counts_are_exact_only_where_nothing_is_protected(columns, label, exact):
    schema = SCHEMA.with_private(columns, label=label)
    model = LogisticClassifier(schema, epsilon=1.0, holdout=0.3, holdout_by="sex").fit(*rows(6_000)).model_
    assert (model.held_out.distribution == "exact") == exact
    assert model.guarantee.columns == tuple(columns)
    if exact:
        sizes = model.groups().rows().group_by("sex").agg(pl.col("weight").sum())["weight"].sum()
        assert sizes == 1_800


def test_the_whole_has_fewer_levels_and_more_noise():
    unit, budget = PrivacyUnit(("x", "sex"), label=True), Budget(1.0)
    levels = [asked_of(4_000, 2, unit, budget, n_groups).halvings for n_groups in (1, 2, 8)]
    assert levels == sorted(levels, reverse=True) and levels[0] > levels[-1]
    X, y = rows(20_000)
    found = LogisticClassifier(SCHEMA, epsilon=1.0, holdout=0.2, holdout_by="sex").fit(X, y).model_.held_out
    assert found.deviation == pytest.approx(found.scale * 2) and found.n_rows == 4_000
    assert np.asarray(found.by_group.counts).sum(axis=0) == pytest.approx(np.asarray(found.counts))


def test_three_classes_are_grouped_by_predicted_class():
    schema = Schema(COLUMNS, label=Label("y", ["a", "b", "c"]))
    X, _ = rows(24_000)
    y = np.asarray(["a", "b", "c"])[np.digitize(X["x"], [-0.3, 0.3])]
    model = NaiveBayesClassifier(schema, epsilon=5.0, holdout=0.3, holdout_by="sex").fit(X, y).model_
    assert model.held_out.auc is not None and len(model.held_out.edges) == 1
    assert "held-out rows by level and group" in {line.basis["query"] for line in model.guarantee.releases[-4:]}
    assert model.groups().frame().filter(measure="recall")["value"].min() > 0.6
    assert model.predict_set(X.head(5)).shape == (5, 3)


def test_what_an_interval_will_be_is_said_before_the_fit_and_true():
    table = Table.from_frame(*rows(20_000), SCHEMA)
    plan = group_plan(table, 0.2, Budget(1.0), groups_of(SCHEMA, "sex"))
    errors = dict(plan.of_groups)
    assert plan.n_rows == 4_000 and errors[0.01] > errors[0.05] > errors[0.2] and plan.whole > plan.ungrouped
    assert "5% of the rows" in " ".join(plan.lines("sex"))
    model = LogisticClassifier(SCHEMA, epsilon=1.0, holdout=0.2, holdout_by="sex").fit(*rows(20_000)).model_
    frame = model.groups().frame().filter(measure="selection rate", group="m")
    # Of 30 % of the rows, at a rate of one half.
    assert (frame["high"] - frame["low"])[0] / 2 < errors[0.2]


def test_an_evaluation_is_by_group_of_other_people():
    model = LogisticClassifier(SCHEMA, epsilon=1.0).fit(*rows(3_000)).model_
    found = evaluate(model, *rows(8_000, 3), epsilon=1.0, by="sex", other_people=True)
    assert found.groups().column == "sex" and found.privacy.epsilon == 1.0
    assert found.document()["groups"]["measures"][0]["measure"] == "share of all rows"
    with pytest.raises(ParameterError, match="Fit with"):
        evaluate(model, *rows(8_000, 3), epsilon=1.0, other_people=True).groups()


def test_a_search_and_its_default_are_grouped():
    X, y = rows(12_000)
    search = PaidSearch(TreeClassifier(SCHEMA), {"max_splits": [1, 4]}, epsilon=3.0, holdout=0.2, holdout_by="sex")
    assert search.fit(X, y).model_.groups("sex").groups == ("f", "m")
    with pytest.raises(ParameterError, match="to group by"):
        PaidSearch(TreeClassifier(SCHEMA), {"max_splits": [4]}, epsilon=3.0, holdout=0.2, holdout_by="x").fit(X, y)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"holdout": 0.2, "holdout_by": "x"}, "2 to 100 listed categories"),
        ({"holdout": 0.2, "holdout_by": "age"}, "It has sex"),
        ({"holdout_by": "sex"}, "Add holdout=0.2"),
        ({"holdout": 0.2, "holdout_by": 3}, "the name of a column"),
    ],
)
def test_bad_groups_are_refused_before_anything_is_spent(settings, said):
    estimator = LogisticClassifier(SCHEMA, epsilon=1.0, **settings)
    with pytest.raises(ParameterError, match=said):
        estimator.fit(*rows(5_000))
    assert not hasattr(estimator, "privacy_")


def test_so_many_groups_that_the_whole_would_be_noise_are_refused():
    schema = Schema([COLUMNS[0], Categorical("place", [f"p{at}" for at in range(60)])], label=SCHEMA.label)
    X = pl.DataFrame({"x": np.zeros(3_000), "place": ["p1"] * 3_000})
    with pytest.raises(ParameterError, match="counted by 60 groups, could be anything"):
        LogisticClassifier(schema, epsilon=1.0, holdout=0.2, holdout_by="place").fit(X, ["no", "yes"] * 1_500)
    model = LogisticClassifier(SCHEMA, epsilon=1.0, holdout=0.2).fit(*rows(5_000)).model_
    with pytest.raises(ParameterError, match="counted by none"):
        model.groups("sex")
