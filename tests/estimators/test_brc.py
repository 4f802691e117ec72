"""BRC through the estimator: what it learns, in all cases, alone and in scikit-learn's tools."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tacit import BRCClassifier, Label, Numeric, Schema
from tacit.errors import ModelFileError, ParameterError
from tacit.models import LinearRule, OpaqueRule, TreeRule, from_json, to_json

GENERATOR = np.random.default_rng(0)
X = pl.DataFrame(GENERATOR.uniform(-1, 1, (3000, 5)), schema=list("abcde"))
Y = np.where(X.to_numpy() @ [1, -1, 0.7, 0.5, 0.0] > 0, "yes", "no")
COLUMNS = [Numeric(name, -1, 1) for name in "abcde"]
ALL = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
CASES = {
    "all private": ALL,
    "public label": ALL.with_private(list("abcde"), label=False),
    "partial": ALL.with_private(list("abc"), label=False),
    "private label, public columns": ALL.with_private([], label=True),
    "private label, some public columns": ALL.with_private(["a", "b"], label=True),
    "nothing private": ALL.with_private([], label=False),
}


def brc(schema=ALL, **settings):
    return BRCClassifier(schema, **{"epsilon": 2.0, "random_state": 0, "calibration": 0.0, **settings})


@pytest.mark.parametrize("case", CASES)
def test_it_learns_in_every_case(case):
    model = brc(CASES[case]).fit(X, Y)
    assert model.score(X, Y) > 0.75
    assert model.privacy_.columns == CASES[case].private_columns
    assert model.privacy_.label == CASES[case].label.private


def test_public_parts_are_used_only_where_the_label_is_public():
    for case, schema in CASES.items():
        sources = {vote.source for vote in brc(schema).fit(X, Y).model_.scorers[0].votes}
        public = {"partial": {"public"}, "nothing private": {"public"}}
        assert sources >= public.get(case, {"private"}), case
        if schema.label.private:
            assert sources == {"private"}


def test_private_classifiers_read_private_columns_and_public_ones_public_columns():
    votes = brc(CASES["partial"]).fit(X, Y).model_.scorers[0].votes
    for vote in votes:
        read = {name for name, weight in zip("abcde", vote.rule.weights, strict=True) if weight}
        assert read <= (set("abc") if vote.source == "private" else set("de"))


def test_with_a_private_label_public_columns_are_inside_the_random_classifiers():
    votes = brc(CASES["private label, some public columns"]).fit(X, Y).model_.scorers[0].votes
    assert all(vote.rule.weights[4] != 0 for vote in votes)


@pytest.mark.parametrize("settings", [{}, {"intercept": "uniform"}, {"intercept": "selected"}, {"encoding": "one-hot"}])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_every_variant_learns(settings, delta):
    model = brc(delta=delta, **settings).fit(X, Y)
    assert model.score(X, Y) > 0.7
    assert model.privacy_.composition == ("zcdp" if delta else "pure")


def test_the_cost_is_the_budget():
    for rounds in (1, 7, 25):
        guarantee = brc(rounds=rounds).fit(X, Y).privacy_
        assert len(guarantee.releases) == rounds
        assert sum(line.loss for line in guarantee.releases) == pytest.approx(2.0)
        assert sum(Fraction(line.loss) for line in guarantee.releases) <= 2


# 3000 rows, c1 * c2 = 2: the paper's rule of thumb up to 25, and 3000 epsilon / 75 where that is more.
@pytest.mark.parametrize(
    ("epsilon", "rounds"), [(0.001, 1), (0.01, 7), (0.02, 15), (0.5, 25), (1.0, 40), (7.4, 296), (50.0, 300)]
)
def test_rounds_follow_the_rule(epsilon, rounds):
    assert len(brc(epsilon=epsilon).fit(X, Y).privacy_.releases) == rounds


def test_a_delta_pays_for_the_most_rounds():
    assert len(brc(epsilon=0.1, delta=1e-6).fit(X, Y).privacy_.releases) == 300
    # One next to nothing leaves so small a rho that Laplace noise of a few rounds is less.
    assert len(brc(epsilon=0.1, delta=1e-60).fit(X, Y).privacy_.releases) == 25


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_rounds_are_those_of_the_paper_where_public_columns_are_learned_exactly(delta):
    assert len(brc(CASES["partial"], delta=delta, epsilon=1.0).fit(X, Y).privacy_.releases) == 25


def test_each_class_has_rounds_for_its_share_of_the_budget():
    labels = np.digitize(X["a"].to_numpy(), [-0.5, 0.5])
    model = brc(Schema(COLUMNS, label=Label("y", [0, 1, 2])), epsilon=3.0).fit(X, labels)
    assert len(model.privacy_.releases) == 3 * 40


def test_with_few_features_the_intercept_is_drawn():
    schema = Schema(COLUMNS[:2], label=Label("y", ["no", "yes"]))
    few = brc(schema).fit(X, Y).model_.scorers[0].votes
    many = brc().fit(X, Y).model_.scorers[0].votes
    assert all(vote.rule.intercept != 0 for vote in few)
    assert all(vote.rule.intercept == 0 for vote in many)


def test_more_classes_share_the_budget():
    labels = np.digitize(X["a"].to_numpy(), [-0.3, 0.3])
    schema = Schema(COLUMNS, label=Label("y", [0, 1, 2, 3]))
    model = brc(schema, epsilon=20.0, intercept="uniform").fit(X, labels)
    assert len(model.model_.scorers) == 4
    assert sum(line.loss for line in model.privacy_.releases) == pytest.approx(20.0)
    assert model.decision_function(X).shape == (3000, 4)
    assert np.abs(model.decision_function(X)).max() <= 1
    assert model.score(X, labels) > 0.6


def test_stages_end_in_the_prediction():
    model = brc(rounds=6).fit(X, Y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 6
    assert (stages[-1] == model.predict(X)).all()
    first = model.model_.scorers[0].votes[0]
    alone = first.rule.decide(X.to_numpy()) == (first.coefficient > 0)
    assert np.mean((stages[0] == "yes") == alone) > 0.999  # up to the features' grid


@pytest.mark.parametrize(
    ("learner", "kind"),
    [
        (None, LinearRule),
        (LogisticRegression(C=0.1), LinearRule),
        (RidgeClassifier(), LinearRule),
        (DecisionTreeClassifier(max_depth=3), TreeRule),
        (RandomForestClassifier(5), OpaqueRule),
    ],
)
def test_public_learners(learner, kind):
    model = brc(CASES["partial"], public_learner=learner).fit(X, Y)
    public = [vote.rule for vote in model.model_.scorers[0].votes if vote.source == "public"]
    assert public and all(isinstance(rule, kind) for rule in public)
    assert model.score(X, Y) > 0.6
    if kind is OpaqueRule:
        with pytest.raises(ModelFileError, match="public learner"):
            to_json(model.model_, allow="simulated")
    else:
        again = from_json(to_json(model.model_, allow="simulated"))
        assert (again.decision_function(X) == model.decision_function(X)).all()


@pytest.mark.parametrize(
    "learner", [LogisticRegression, LinearRegression(), DecisionTreeRegressor(), KNeighborsClassifier(), "logistic"]
)
def test_public_learners_are_classifiers_that_take_weights(learner):
    with pytest.raises(ParameterError, match="sample_weight"):
        brc(CASES["partial"], public_learner=learner).fit(X, Y)


@pytest.mark.parametrize("drawn", [3, (np.zeros((2, 3)),), (np.zeros(3), np.zeros(2)), (np.zeros((2, 9)), np.zeros(2))])
def test_drawn_classifiers_have_the_shape_that_was_asked_for(drawn):
    with pytest.raises(ParameterError, match="draw_classifiers"):
        brc(CASES["partial"], rounds=2, draw_classifiers=lambda *_: drawn).fit(X, Y)


def test_a_rule_decides_like_the_public_learner_it_was_made_from():
    """Every admitted learner, against its own predictions on the features."""
    from tacit.boosting.public_models import PublicBooster

    features = GENERATOR.integers(-1024, 1025, (400, 3)) / 1024
    labels = (features[:, 0] + features[:, 1] > 0).astype(int)
    for learner in (LogisticRegression(), RidgeClassifier(), DecisionTreeClassifier(random_state=0)):
        booster = PublicBooster(lambda learner=learner: learner, features.astype("f4"), labels, np.arange(3), 3)
        assert np.mean(booster.rule.decide(features) == (learner.predict(features) == 1)) > 0.995
        assert booster.edge == pytest.approx(learner.score(features, labels) - 0.5, abs=0.005)


def test_it_works_in_pipelines_and_searches():
    pipeline = make_pipeline(FunctionTransformer(), brc(rounds=5))
    assert pipeline.fit(X, Y).score(X, Y) > 0.6
    assert len(cross_val_score(brc(rounds=5), X, Y, cv=3)) == 3
    search = GridSearchCV(brc(), {"rounds": [2, 5]}, cv=2).fit(X, Y)
    assert search.best_estimator_.privacy_.epsilon == 2.0


def test_a_constant_classifier_of_a_public_label_is_listed_as_exact():
    schema = Schema([Numeric("x", -1, 1)], label=Label("y", ["a", "b", "c"], private=False))
    rows, labels = np.linspace(-1, 1, 60)[:, None], ["a", "b"] * 30
    model = BRCClassifier(schema, epsilon=1.0, rounds=2).fit(rows, labels)
    third = model.model_.scorers[2]
    assert {vote.source for vote in third.votes} == {"public"}  # nobody is in class c: learned from labels alone
    assert model.privacy_.exact == ("Which classes of the public label y have rows.",)
    private = BRCClassifier(schema.all_private(), epsilon=1.0, rounds=2).fit(rows, labels)
    assert private.privacy_.exact == ()


def test_a_seed_gives_the_same_model():
    one, two, other = (brc(random_state=seed).fit(X, Y).model_ for seed in (5, 5, 6))
    assert one == two != other
    generators = [np.random.default_rng(1), np.random.RandomState(1)]
    for generator in generators:
        assert brc(random_state=generator).fit(X, Y).privacy_.status == "simulated"
