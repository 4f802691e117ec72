"""Class weights: scikit-learn's semantics, weights from public and released shares, and where they are refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

from tacit import AutoClassifier, Label, Numeric, Schema, load_model
from tacit.errors import ParameterError
from tacit.estimators import (
    BoostedTreesClassifier,
    BRCClassifier,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    PaidSearch,
    RadoBoostClassifier,
    SVMClassifier,
    TreeClassifier,
)
from tacit.models import write_model
from tacit.models.decisions import shares_of
from tacit.table import Table

SHARES = [0.9, 0.1]


def schema(**label):
    columns = [Numeric(name, -1, 1) for name in "ab"]
    return Schema(columns, label=Label("y", ["no", "yes"], **label))


def rows(n=4000, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.uniform(-1, 1, (n, 2))
    return X, np.where(draw.random(n) < 1 / (1 + np.exp(3.2 - 2 * X[:, 0] - X[:, 1])), "yes", "no")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weight", [None, {"yes": 7.0}, {"no": 0.5, "yes": 2.0}, "balanced"])
def test_without_noise_coefficients_are_those_of_scikit_learn(weight):
    X, y = rows(1500)
    share = float((y == "yes").mean())
    ours = LogisticClassifier(
        schema(prevalence=[1 - share, share]), epsilon=1e6, encoding="ordinal", regularization=1.0,
        method="k-norm", intercept=False, class_weight=weight, calibration=0, random_state=0,
    ).fit(X, y)  # fmt: skip
    # Ours are over the largest, so that lambda is over it, too.
    given = {"no": 1.0, "yes": 1.0, **(weight or {})} if weight != "balanced" else {"no": share, "yes": 1 - share}
    scaled = {name: value / max(given.values()) for name, value in given.items()}
    theirs = LogisticRegression(C=1.0, fit_intercept=False, class_weight=scaled, tol=1e-10).fit(X, y)
    # Weights are multiples of 2^-12.
    assert ours.model_.scorers[0].forms[0].weights == pytest.approx(theirs.coef_[0], rel=3e-3)


@pytest.mark.parametrize("classifier", [LogisticClassifier, TreeClassifier, BoostedTreesClassifier, SVMClassifier])
@pytest.mark.parametrize("label", [{"prevalence": SHARES}, {}, {"private": False}], ids=["public", "released", "exact"])
def test_a_rare_class_is_found(classifier, label):
    X, y = rows()
    found = []
    for weight in (None, "balanced"):
        fitted = classifier(schema(**label), epsilon=2.0, class_weight=weight, random_state=0).fit(X, y)
        found.append(balanced_accuracy_score(y, fitted.predict(X)))
    assert found[0] < 0.6
    assert found[1] > 0.62


def test_weights_are_over_the_largest_and_in_the_model_and_its_file(tmp_path):
    X, y = rows()
    model = TreeClassifier(schema(prevalence=SHARES), epsilon=1.0, class_weight="balanced").fit(X, y).model_
    assert model.class_weights == pytest.approx((1 / 9, 1.0))
    write_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json") == model
    assert [line.query for line in model.guarantee.releases if "class" in line.query][-1] != "counts and sums by class"


def test_released_shares_take_a_twentieth_and_are_about_right():
    X, y = rows()
    model = TreeClassifier(schema(), epsilon=1.0, class_weight="balanced", random_state=0).fit(X, y).model_
    first = model.guarantee.releases[0]
    assert (first.query, first.sensitivity) == ("counts and sums by class", 2.0)
    assert first.loss == pytest.approx(0.05, rel=1e-6)
    share = (y == "yes").mean()
    # Laplace noise of scale 40 rows on some 250.
    assert model.class_weights[0] == pytest.approx(share / (1 - share), abs=0.15)
    assert model.class_weights[1] == 1.0


def test_noise_alone_makes_no_class_rare():
    X, y = rows(60)
    weights = [
        TreeClassifier(schema(), epsilon=0.1, class_weight="balanced", random_state=seed).fit(X, y).model_.class_weights
        for seed in range(10)
    ]
    assert min(map(min, weights)) > 0.01


def test_weighed_rows_count_as_their_classes_weigh():
    X, y = np.zeros((6, 2)), ["no", "no", "yes", "no", "yes", "yes"]
    table = Table.from_frame(X, y, schema(), block_rows=4).weighing_classes([0.25, 1.0], 0.5)
    counted = table.sum(lambda block: block.counted(block.labels, 2)) / table.unit_weight
    assert counted.tolist() == [0.75, 3.0]
    assert (table.mean_weight, table.influence, table.n_persons) == (0.5, table.unit_weight, 6)
    assert table.unweighed.sum(lambda block: block.counted(block.labels, 2)).tolist() == [3, 3]
    rest = table.one_against_rest(0)
    assert rest.weighs_classes
    assert (rest.sum(lambda block: block.counted(block.labels, 2)) / rest.unit_weight).tolist() == [3.0, 0.75]


def test_threshold_balanced_is_the_class_that_balanced_weights_favor():
    X, y = rows()
    given = {"epsilon": 20.0, "class_weight": "balanced", "random_state": 0}
    for label, same in (({"prevalence": SHARES}, 0.97), ({}, 0.9)):
        model = BoostedTreesClassifier(schema(**label), **given).fit(X, y).model_
        again = model.predict(X, threshold="balanced")
        assert (again == model.predict(X)).mean() > same
        # Released counts are of weighed rows; shares are not.
        assert model.class_shares == pytest.approx([0.93, 0.07], abs=0.04)
    assert shares_of(schema(prevalence=SHARES).label, (), None, (0.1, 1.0)) == pytest.approx(SHARES)


@pytest.mark.parametrize(
    ("classifier", "settings"),
    [(BRCClassifier, {}), (LazyBBClassifier, {}), (NaiveBayesClassifier, {}), (RadoBoostClassifier, {})],
)
def test_other_learners_say_why_they_do_not_take_them(classifier, settings):
    with pytest.raises(ParameterError, match=r"class_weight=None for .*threshold"):
        classifier(schema(), epsilon=1.0, class_weight="balanced", **settings).fit(*rows(50))


@pytest.mark.parametrize(
    "given", ["even", 3, {"yes": 0}, {"yes": -1.0}, {"yes": float("inf")}, {"yes": "2"}, {"maybe": 2}]
)
def test_what_is_no_weight_is_refused(given):
    with pytest.raises(ParameterError, match="class_weight"):
        TreeClassifier(schema(), epsilon=1.0, class_weight=given).fit(*rows(50))


def test_a_gaussian_objective_has_nothing_left_to_release_shares():
    given = {"epsilon": 1.0, "delta": 1e-6, "method": "gaussian-objective", "class_weight": "balanced"}
    with pytest.raises(ParameterError, match="prevalence"):
        LogisticClassifier(schema(), **given).fit(*rows(50))
    LogisticClassifier(schema(prevalence=SHARES), **given).fit(*rows(50))


def test_parameters_are_cloned_and_auto_and_search_pass_them_on():
    X, y = rows(1000)
    auto = clone(AutoClassifier(schema(prevalence=SHARES), epsilon=1.0, class_weight={"yes": 9}))
    assert auto.get_params()["class_weight"] == {"yes": 9}
    assert auto.fit(X, y).model_.class_weights == pytest.approx((1 / 9, 1.0))
    searched = PaidSearch(
        TreeClassifier(schema(prevalence=SHARES), class_weight="balanced"),
        {"criterion": ["error", "gini"]},
        epsilon=20.0,
    ).fit(X, y)
    assert searched.model_.class_weights == pytest.approx((1 / 9, 1.0))


def test_auto_leaves_out_a_learner_without_weights():
    three = Schema([Numeric("a", -1, 1)], label=Label("y", ["p", "q", "r"]))
    X = np.random.default_rng(0).uniform(-1, 1, (1000, 1))
    y = np.where(X[:, 0] < -0.9, "p", np.where(X[:, 0] < 0, "q", "r"))
    assert AutoClassifier(three, epsilon=1.0, delta=0).fit(X, y).choice_.learner == "naive-bayes"
    weighed = AutoClassifier(three, epsilon=1.0, delta=0, class_weight="balanced").fit(X, y)
    assert (weighed.choice_.learner, weighed.model_.learner) == ("tree", "tree")
