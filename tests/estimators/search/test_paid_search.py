"""The search as an estimator: its candidates, refusals, certificate, price and what it leaves behind."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from tacit import (
    AutoClassifier,
    Identifier,
    Label,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    PaidSearch,
    Schema,
    TreeClassifier,
    load_model,
)
from tacit.audit.certificate import CertifiedClaim, audit_certificate
from tacit.cut_points import affordable_levels
from tacit.errors import ParameterError, TableError
from tacit.estimators import PrivateClassifier, forget_fits, search_cost, spent
from tacit.estimators.search.candidates import candidates_of, head_starts
from tacit.estimators.search.price import row_price
from tacit.privacy import Budget

SCHEMA = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", ["no", "yes"]))
X = pl.DataFrame(np.random.default_rng(0).uniform(-1, 1, (4000, 2)), schema=["a", "b"])
Y = np.where((X["a"] > 0.2) | (X["b"] > 0.6), "yes", "no")
BAD = TreeClassifier(SCHEMA, max_splits=1)


def search(**given):
    usual = {"estimator": BAD, "grid": {"max_splits": [1, 6]}, "epsilon": 4.0, "random_state": 0}
    return PaidSearch(**{**usual, **given})


@pytest.fixture(autouse=True)
def _from_zero():
    forget_fits()
    yield
    forget_fits()


def test_a_planted_bad_default_is_replaced():
    fitted = search().fit(X, Y)
    assert fitted.best_params_ == {"max_splits": 6} and fitted.best_index_ == 1
    assert isinstance(fitted.best_estimator_, TreeClassifier) and fitted.best_estimator_.max_splits == 6
    assert fitted.score(X, Y) > 0.9 > clone(BAD).set_params(epsilon=4.0).fit(X, Y).score(X, Y)
    assert fitted.predict_proba(X).shape == (4000, 2) and fitted.classes_.tolist() == ["no", "yes"]


def test_one_certificate_covers_search_and_model(tmp_path):
    fitted = search(random_state=None, delta=1e-6).fit(X, Y)
    privacy = fitted.privacy_
    assert (privacy.status, privacy.epsilon, privacy.delta, privacy.n_rows) == ("private", 4.0, 1e-6, 4000)
    assert {line.asked[-14:] for line in privacy.releases} == {f"(slice {k} of 3)" for k in (1, 2, 3)}
    assert any("listed without looking" in words for words in privacy.assumptions)
    assert not any("settings were chosen without" in words for words in privacy.assumptions)
    assert audit_certificate(CertifiedClaim("search", privacy)).verdict == "not refuted"
    assert spent(SCHEMA).fits == 1 and spent(SCHEMA).epsilon == 4.0
    fitted.save(tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    assert (read.predict(X) == fitted.predict(X)).all() and "chosen among 2 candidates" in read.why


def test_what_is_kept_holds_neither_rows_nor_scores():
    fitted = search().fit(X, Y)
    allowed = {"best_estimator_", "best_params_", "best_index_", "classes_", "n_features_in_", "feature_names_in_"}
    assert set(vars(fitted)) == {*fitted.get_params(deep=False), *allowed, "privacy_", "model_"}
    assert clone(fitted).get_params(deep=False).keys() == fitted.get_params(deep=False).keys()
    assert not hasattr(clone(fitted), "model_")


def test_candidates_are_the_default_and_every_other_setting_once():
    found = candidates_of(BAD, {"max_splits": [1, 4], "criterion": ["auto", "gini"]}, "log-loss")
    assert [(one.settings["max_splits"], one.settings["criterion"]) for one in found] == [
        (1, "auto"),
        (4, "auto"),
        (1, "gini"),
        (4, "gini"),
    ]
    pair = [NaiveBayesClassifier(SCHEMA), BAD]
    found = candidates_of(pair, [{}, {"max_splits": [2]}], "log-loss")
    assert [type(one.estimator).__name__ for one in found] == ["NaiveBayesClassifier", "TreeClassifier"]


def test_settings_of_first_values_come_first():
    grid = [{"max_splits": [2, 3], "criterion": ["gini", "auto"]}, {"growth": ["level"]}]
    found = candidates_of(BAD, grid, "log-loss")
    order = [(one.estimator.max_splits, one.estimator.criterion, one.estimator.growth[0]) for one in found]
    first = [(1, "auto", "b"), (2, "gini", "b"), (1, "auto", "l")]
    assert order == [*first, (3, "gini", "b"), (2, "auto", "b"), (3, "auto", "b")]


def test_our_own_defaults_have_a_head_start():
    def starts(estimators, grids):
        return head_starts(candidates_of(estimators, grids, "log-loss"))

    assert starts(BAD, {"max_splits": ["auto", 4]}) == [False, True, False]
    assert starts(BAD, {"max_splits": [4]}) == [False, False]
    learners = [NaiveBayesClassifier(SCHEMA), TreeClassifier(SCHEMA), AutoClassifier(SCHEMA)]
    assert starts(learners[:2], [{"n_bins": [8]}, {}]) == [True, False, True]
    assert starts(learners, [{}, {}, {}]) == [False, False, True]


def test_learners_compete():
    estimators = [NaiveBayesClassifier(SCHEMA), TreeClassifier(SCHEMA), LogisticClassifier(SCHEMA)]
    fitted = PaidSearch(estimators, [{}, {}, {}], epsilon=4.0, random_state=1).fit(X, Y)
    assert type(fitted.best_estimator_) in {type(each) for each in estimators}
    assert fitted.model_.learner == fitted.best_estimator_._learner


def test_the_automatic_choice_may_be_a_candidate_and_has_a_grid_of_learners():
    fitted = PaidSearch(AutoClassifier(SCHEMA), epsilon=4.0, delta=1e-6, random_state=1).fit(X, Y)
    assert fitted.score(X, Y) > 0.85


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"grid": {}}, "two candidates"),
        ({"grid": {"max_splits": [1]}}, "two candidates"),
        ({"grid": {"max_splits": []}}, "list of values .* got an empty one"),
        ({"grid": {"max_splits": 3}}, "list of values"),
        ({"grid": {"splits": [3]}}, "It has"),
        ({"grid": {"max_splits": [3, -1]}}, "max_splits=-1"),
        ({"grid": {"epsilon": [1.0, 2.0]}}, "outside of the grid"),
        ({"grid": {"delta": [0.0, 1e-6]}}, "outside of the grid"),
        ({"grid": "some"}, "grid"),
        ({"grid": [{"max_splits": [2]}, 3]}, "dictionary"),
        ({"estimator": []}, "empty list"),
        ({"estimator": [BAD, BAD], "grid": {"max_splits": [2]}}, "grid for each"),
        ({"estimator": None}, "private classifiers"),
        ({"estimator": PaidSearch(BAD)}, "private classifiers"),
        ({"estimator": GridSearchCV(BAD, {})}, "private classifiers"),
        ({"estimator": TreeClassifier(SCHEMA, epsilon=1.0)}, "without epsilon"),
        ({"estimator": TreeClassifier(SCHEMA, random_state=1)}, "without random_state"),
        ({"estimator": TreeClassifier("infer")}, "schema"),
        ({"estimator": TreeClassifier()}, "Expected a schema"),
        ({"estimator": LazyBBClassifier(SCHEMA, calibration=0), "grid": {"rounds": [2, 3]}}, "'accuracy'"),
        ({"epsilon": None}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"delta": 0.1}, "delta"),
        ({"rows": 0.9}, "rows"),
        ({"pay": "time"}, "pay"),
        ({"scoring": "auc"}, "scoring"),
    ],
)
def test_bad_input_is_refused_before_anything_is_spent(given, message, monkeypatch):
    monkeypatch.setattr(PrivateClassifier, "_train", None)
    with pytest.raises(ParameterError, match=message):
        search(**given).fit(X, Y)
    assert spent(SCHEMA).fits == 0


def test_a_candidate_that_refuses_the_table_is_refused_before_anything_is_spent():
    grid = {"method": ["auto", "gaussian-objective"]}
    with pytest.raises(ParameterError, match="share a budget"):
        PaidSearch(LogisticClassifier(SCHEMA), grid, epsilon=4.0, delta=1e-6).fit(X, Y)
    public = Schema(SCHEMA.columns, label=Label("y", ["no", "yes"], private=False))
    with pytest.raises(TableError, match="one class"):
        PaidSearch(TreeClassifier(public), {"max_splits": [1, 2]}, epsilon=4.0).fit(X, ["no"] * 4000)
    assert spent(SCHEMA).fits == 0


@pytest.mark.parametrize("pay", ["rows", "epsilon"])
def test_persons_with_several_rows_are_searched_by_person(pay):
    persons = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("person"))
    frame = X.with_columns(pl.Series("person", np.arange(4000) // 2))
    estimator = NaiveBayesClassifier(persons, n_bins=2, cut_points="grid")
    fitted = search(estimator=estimator, grid={"n_bins": [16]}, pay=pay, epsilon=8.0).fit(frame, Y)
    assert fitted.privacy_.n_rows == 2000 and fitted.privacy_.persons.identifier == "person"
    assert any("slice" in line.asked for line in fitted.privacy_.releases)
    assert b"4000" not in pickle.dumps(fitted) and len(pickle.dumps(fitted)) < 20_000


def test_several_rows_of_a_person_need_an_identifier_that_keeps_them_in_one_slice():
    declared = Schema(SCHEMA.columns, label=SCHEMA.label, rows_per_person=2)
    with pytest.raises(ParameterError, match="identifier"):
        search(estimator=TreeClassifier(declared, max_splits=1)).fit(X, Y)


def test_too_few_rows_or_too_little_epsilon_train_the_default_on_all_rows():
    for rows, epsilon in ((300, 4.0), (4000, 0.01)):
        fitted = search(epsilon=epsilon).fit(X[:rows], Y[:rows])
        assert not search(epsilon=epsilon).cost(rows).searches and fitted.best_index_ == 0
        assert not any("slice" in line.asked for line in fitted.privacy_.releases)
        alone = clone(BAD).set_params(epsilon=epsilon, random_state=0).fit(X[:rows], Y[:rows])
        assert alone.model_.scorers == fitted.model_.scorers


def test_a_search_does_not_take_rows_that_private_cut_points_need():
    """Six columns have three levels of halving at 13,000 rows and two at 85 % of them."""
    assert [affordable_levels(n, 1.0, 0.0, 6) for n in (13_000, 11_050)] == [3, 2]
    assert not row_price(13_000, Budget(1.0), 2, 0.15, n_classes=2, n_cut=6).searches
    assert row_price(13_000, Budget(1.0), 2, 0.15, n_classes=2).searches


def test_the_price_is_known_beforehand_and_is_what_the_search_does():
    priced = search(delta=1e-6).cost(4000)
    assert (priced.training, priced.choosing, priced.final) == (266, 134, 3600)
    fitted = search(delta=1e-6).fit(X, Y)
    first = [line for line in fitted.privacy_.releases if line.asked.endswith("(slice 1 of 3)")]
    whole = {line.currency: line.loss for line in fitted.privacy_.releases if line.asked.endswith("(slice 2 of 3)")}
    assert sum(line.loss for line in first) == pytest.approx(sum(whole.values()), rel=1e-6) or len(whole) == 1
    assert 1 < priced.budget.epsilon < 4.0 and "2 candidates" in str(priced)
    assert search_cost(search()).epsilon == 4.0 and search_cost(search()).fits == 1


def test_where_nothing_is_protected_the_search_is_exact():
    public = SCHEMA.with_private([], label=False)
    fitted = PaidSearch(TreeClassifier(public, max_splits=1), {"max_splits": [1, 6]}, epsilon=0.01).fit(X, Y)
    assert fitted.privacy_.status == "public" and fitted.best_params_ == {"max_splits": 6}


def test_more_than_two_classes_are_searched():
    schema = Schema(SCHEMA.columns, label=Label("y", ["a", "b", "c"]))
    labels = np.where(X["a"] > 0.3, "a", np.where(X["b"] > 0, "b", "c"))
    estimators = [TreeClassifier(schema, max_splits=1), LogisticClassifier(schema)]
    for score in ("log-loss", "accuracy", "brier"):
        made = PaidSearch(estimators, [{"max_splits": [1, 8]}, {}], epsilon=16.0, scoring=score, random_state=0)
        assert made.fit(X, labels).score(X, labels) > 0.8
