"""Searches of regressors: choices, certificates, replays on neighbors, and a broken clip that is found."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from typer.testing import CliRunner

from tacit import (
    AutoRegressor,
    BoostedTreesRegressor,
    LinearRegressor,
    NaiveBayesClassifier,
    Numeric,
    PaidRegressionSearch,
    PaidSearch,
    Schema,
    Target,
    search_cost,
)
from tacit.audit import Pair
from tacit.audit.replay import replay_pair
from tacit.cli.app import app
from tacit.errors import ParameterError, TacitError
from tacit.estimators import forget_fits, spent
from tacit.estimators.search import by_epsilon, by_rows, price
from tacit.queries import held_out
from tacit.schema import Identifier, Label
from tacit.verify.standalone import verify as program

SCHEMA = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Target("y", -20, 20))
GENERATOR = np.random.default_rng(0)
X = pl.DataFrame(GENERATOR.uniform(-1, 1, (4_000, 2)), schema=["a", "b"])
Y = 6 * X["a"].to_numpy() * X["b"].to_numpy() + GENERATOR.normal(0, 0.5, 4_000)


def search(estimator=None, grid="auto", **given):
    quick = BoostedTreesRegressor(SCHEMA, n_trees=8, depth=3)
    estimators, grid = ([LinearRegressor(SCHEMA), quick], [{}, {}]) if estimator is None else (estimator, grid)
    return PaidRegressionSearch(estimators, grid, **{"epsilon": 4.0, "delta": 1e-6, **given})


@pytest.mark.parametrize("pay", ["rows", "epsilon"])
def test_products_are_found_by_trees_and_both_programs_verify_the_search(pay, tmp_path, monkeypatch):
    monkeypatch.setattr(by_epsilon, "number_of_runs", lambda noise, stop: 2)
    forget_fits()
    private = search([AutoRegressor(SCHEMA)], [{"monotone": [None, {"a": 1}]}], pay=pay).fit(X, Y)
    assert isinstance(private.best_estimator_, BoostedTreesRegressor)
    assert (private.privacy_.status, private.privacy_.epsilon, private.privacy_.delta) == ("private", 4.0, 1e-6)
    assert "held-out absolute-error" in private.model_.why
    private.save(tmp_path / "model.json")
    assert CliRunner().invoke(app, ["verify", str(tmp_path / "model.json")]).exit_code == 0
    assert program.main([str(tmp_path / "model.json")]) == 0
    forget_fits()


def test_a_planted_bad_default_is_replaced():
    bad = BoostedTreesRegressor(SCHEMA, n_trees=8, depth=3, learning_rate=0.01, start="balance")
    grid = {"learning_rate": [0.01, 0.9]}
    chosen = [search([bad], [grid], random_state=seed).fit(X, Y).best_params_["learning_rate"] for seed in range(3)]
    assert chosen == [0.9, 0.9, 0.9]


def test_it_is_a_regressor_for_scikit_learn_and_one_charge():
    asked = search()
    assert is_regressor(asked)
    assert not is_classifier(asked)
    assert clone(asked).get_params(deep=False).keys() == asked.get_params(deep=False).keys()
    assert search_cost(asked).epsilon == 4.0
    forget_fits()
    found = asked.fit(X, Y)
    assert spent(SCHEMA).fits == 1
    assert found.predict(X[:5]).shape == (5,)
    forget_fits()


def test_a_holdout_gives_intervals_and_errors():
    found = search(holdout=0.2, random_state=0).fit(X, Y)
    assert found.predict_interval(X[:5], 0.9).shape == (5, 2)
    assert found.model_.held_out.rmse is not None
    assert found.privacy_.epsilon == 4.0


def test_persons_and_public_columns_are_searched(tmp_path):
    persons = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=Identifier("who"))
    rows = X.with_columns(who=np.arange(len(X)) // 2)
    found = search(
        [LinearRegressor(persons), LinearRegressor(persons, cut_points="grid")], [{}, {}], random_state=0
    ).fit(rows, Y)
    assert found.privacy_.persons.identifier == "who"
    public = SCHEMA.with_private([], label=False)
    found = search([LinearRegressor(public), BoostedTreesRegressor(public, n_trees=80)], [{}, {}], random_state=0).fit(
        X, Y
    )
    assert found.privacy_.status == "public"
    assert found.best_index_ == 1  # a product is nothing to the linear one
    assert found.score(X, Y) > 0.8


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: PaidSearch(LinearRegressor(SCHEMA), epsilon=1.0), "PaidRegressionSearch"),
        (lambda: search([NaiveBayesClassifier(Schema(SCHEMA.columns, label=Label("y", [0, 1])))]), "tacit.PaidSearch"),
        (lambda: search([object()]), "private regressors of this package"),
        (lambda: search(scoring="log-loss"), "absolute-error"),
        (lambda: search(pay="epsilon", holdout=0.2), "pay='rows' with a holdout"),
        (lambda: search([LinearRegressor(SCHEMA, epsilon=1.0)]), "without epsilon"),
    ],
)
def test_bad_input_is_refused_before_anything_is_spent(made, words):
    forget_fits()
    with pytest.raises(ParameterError, match=words):
        made().fit(X, Y)
    assert spent(SCHEMA).fits == 0


TINY = Schema([Numeric("x", 0, 1)], label=Target("y", 0, 10))


def pair(at):
    """Two tables whose row at a position has a number at either bound."""
    rows = [(float(x), 9.0 if x > 0.5 else 1.0) for x in np.random.default_rng(at).random(200)]
    return Pair(TINY, *((*rows[:at], (0.9, number), *rows[at + 1 :]) for number in (0.0, 10.0)))


def tiny(**given):
    estimator = BoostedTreesRegressor(TINY, n_trees=1, depth=1, candidates=1, start="balance", cut_points="grid")
    asked = {"epsilon": 8.0, "delta": 0.0, "rows": 0.5, **given}
    return PaidRegressionSearch(estimator, {"learning_rate": ["auto", 0.01]}, **asked)


@pytest.fixture
def known(monkeypatch):
    """A search that few rows pay for, whose order is known: of 200 rows 66 train, 34 compare, or 100 and 100."""
    for name in ("MIN_SIGNAL", "MIN_SIGNAL_OF_RUN"):
        monkeypatch.setattr(price, name, 1.0)
    monkeypatch.setattr(price, "MIN_ROWS", 10)
    monkeypatch.setattr(price, "_keeps_cuts", lambda *given: True)
    monkeypatch.setattr(by_epsilon, "number_of_runs", lambda noise, stop: 1)
    for module in (by_rows, by_epsilon):
        monkeypatch.setattr(module, "secret_order", lambda noise, size: np.arange(size))


def reached(pay, at, delta=0.0, mutant=None):
    """Return how far each query of a search got beyond its share, replayed on two neighbors."""
    # Of some seeds both numbers are farther than the clip from what is predicted, and cost the same.
    found = replay_pair(lambda: tiny(pay=pay, delta=delta), pair(at), seed=at + 1, delta=delta, mutant=mutant)
    assert mutant or found.differences == ()
    return {step.line.query: step.reached for step in found.steps if step.reached > 0}


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(("pay", "at"), [("rows", 10), ("rows", 80), ("rows", 150), ("epsilon", 10), ("epsilon", 150)])
def test_a_replaced_row_pays_in_one_slice_within_its_share(known, pay, at, delta):
    found = reached(pay, at, delta)
    assert found
    assert max(found.values()) <= 1 + 1e-9
    is_compared = (pay, at) in {("rows", 80), ("epsilon", 150)}
    assert is_compared == any("held-out" in query for query in found)
    assert not is_compared or len(found) == 1


@pytest.mark.parametrize(("pay", "at"), [("rows", 80), ("epsilon", 150)])
def test_errors_that_are_not_clipped_are_caught(known, pay, at, monkeypatch):
    def whole(predicted, targets, clip):
        return np.rint(np.abs(targets - predicted) * targets * 1024)

    monkeypatch.setattr(held_out, "_absolute_errors", whole)
    assert max(reached(pay, at).values()) > 1


@pytest.mark.parametrize("numbers", [0.0, 20.0, 1e9])
def test_numbers_that_are_all_the_same_give_a_model(numbers):
    try:
        found = search(random_state=0).fit(X, np.full(len(X), numbers))
    except TacitError as error:
        pytest.fail(str(error))
    assert np.isfinite(found.predict(X[:5])).all()


def test_the_command_line_tunes_a_regressor(tmp_path):
    X.with_columns(y=Y).write_csv(tmp_path / "rows.csv")
    (tmp_path / "schema.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    files = [tmp_path / "rows.csv", "--schema", tmp_path / "schema.toml", "--out", tmp_path / "model.json"]
    result = CliRunner().invoke(app, ["fit", *map(str, [*files, "--epsilon", 4, "--tune"])])
    assert result.exit_code == 0, result.output
    assert CliRunner().invoke(app, ["verify", str(tmp_path / "model.json")]).exit_code == 0
