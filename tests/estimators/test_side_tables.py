"""Fits on side tables: one model whatever holds the tables, and refusals before anything is charged."""

from __future__ import annotations

import datetime as dt
import hashlib
import inspect

import numpy as np
import polars as pl
import pytest

from tacit import (
    AutoRegressor,
    Categorical,
    Feature,
    Label,
    NaiveBayesClassifier,
    Numeric,
    PaidSearch,
    Schema,
    SideTable,
    Target,
    evaluate,
    joined,
)
from tacit.errors import TableError
from tacit.estimators.fitted import FittedClassifier, FittedRegressor, StagedMixin
from tacit.ledger import Account, Ledger
from tacit.models.writing import to_json
from tacit.privacy import Budget
from tacit.privacy.assumptions import SIDE_TABLES

VISITS = SideTable(
    "visits",
    [Numeric("cost", 0, 100), Categorical("ward", ["x", "y"]), Numeric("day", "2015-01-01", "2019-12-31")],
    key="person",
    date="day",
    as_of="admitted",
)
COLUMNS = [
    Numeric("admitted", "2017-01-01", "2020-12-31"),
    Numeric("visits", 0, 50, whole=True, from_table=Feature("visits", "count")),
    Numeric("cost", 0, 100, missing="indicator", from_table=Feature("visits", "latest", "cost")),
    Categorical("ward", ["x", "y", "none"], missing="none", from_table=Feature("visits", "latest", "ward")),
]
SCHEMA = Schema(COLUMNS, label=Label("ill", [0, 1]), tables=[VISITS])
MADE = ["visits", "cost", "ward"]


@pytest.fixture(scope="module")
def tables():
    draws = np.random.default_rng(4)
    n_persons, n_rows = 1200, 6000
    days = [dt.date(2015, 1, 1) + dt.timedelta(days=int(day)) for day in draws.integers(0, 1800, n_rows)]
    visits = pl.DataFrame(
        {
            "person": draws.integers(0, n_persons + 50, n_rows),
            "cost": draws.uniform(0, 110, n_rows).round(2),
            "ward": draws.choice(["x", "y"], n_rows),
            "day": days,
        }
    )
    admitted = [dt.date(2018, 1, 1) + dt.timedelta(days=int(day)) for day in draws.integers(0, 900, n_persons)]
    persons = pl.DataFrame({"person": np.arange(n_persons), "admitted": admitted})
    found = joined(persons, SCHEMA, {"visits": visits})
    ill = (found["visits"].to_numpy() + draws.normal(0, 1, n_persons) > 4).astype(int)
    return persons.with_columns(ill=pl.Series(ill)), visits


@pytest.fixture(scope="module")
def folder(tables, tmp_path_factory):
    found = tmp_path_factory.mktemp("hospital")
    persons, visits = tables
    persons.write_csv(found / "persons.csv")
    persons.write_parquet(found / "persons.parquet")
    visits.write_parquet(found / "visits.parquet")
    visits.sample(fraction=1, shuffle=True, seed=1).write_csv(found / "visits.csv")
    return found


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
def digest_of(X, y=None, **given):
    fitted = NaiveBayesClassifier(SCHEMA, epsilon=1.0, random_state=3, ledger="none").fit(X, y, **given)
    return hashlib.sha256(to_json(fitted.model_, allow="simulated").encode()).hexdigest()


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
def test_one_model_from_frames_files_and_queries(tables, folder):
    persons, visits = tables
    y, shuffled = persons["ill"], visits.sample(fraction=1, shuffle=True, seed=2)
    expected = digest_of(persons, y, tables={"visits": visits})
    assert digest_of(persons.to_pandas(), y, tables={"visits": shuffled.to_pandas()}) == expected
    assert digest_of(joined(persons, SCHEMA, {"visits": shuffled}), y) == expected
    for name in ("persons.csv", "persons.parquet"):
        for storage, side in (("memory", "visits.csv"), ("disk", "visits.parquet")):
            given = {"storage": storage, "tables": {"visits": folder / side}}
            assert digest_of(folder / name, **given) == expected
    assert digest_of(persons.lazy(), tables={"visits": visits.lazy()}) == expected


def test_the_certificate_says_that_rows_of_side_tables_are_covered(tables):
    persons, visits = tables
    fitted = NaiveBayesClassifier(SCHEMA, epsilon=1.0, ledger="none").fit(
        persons, persons["ill"], tables={"visits": visits}
    )
    assert fitted.privacy_.status == "private"
    assert SIDE_TABLES in fitted.privacy_.assumptions
    assert set(MADE) <= set(fitted.privacy_.columns)
    assert "All rows of a person there are protected" in " ".join(str(fitted.privacy_).split())


def test_a_model_predicts_with_side_tables_or_with_features(tables):
    persons, visits = tables
    fitted = NaiveBayesClassifier(SCHEMA, epsilon=1.0, ledger="none").fit(
        persons, persons["ill"], tables={"visits": visits}
    )
    others = persons.head(50).with_columns(person=pl.col("person") + 100)
    given = {"visits": visits}
    whole = joined(others, SCHEMA, given)
    assert (fitted.predict_proba(others, tables=given) == fitted.predict_proba(whole)).all()
    assert (fitted.predict(others, tables=given) == fitted.model_.predict(whole)).all()
    with pytest.raises(TableError, match="Expected side table 'visits', got none"):
        fitted.predict(others)


def test_all_that_takes_rows_takes_side_tables():
    for kind in (FittedClassifier, FittedRegressor, StagedMixin, NaiveBayesClassifier, AutoRegressor, PaidSearch):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            asked = inspect.signature(method).parameters
            if "X" in asked and not name.startswith("_") and name != "evaluate":  # its options are a function's
                assert asked["tables"].kind == inspect.Parameter.KEYWORD_ONLY, (kind.__name__, name)


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
def test_side_tables_and_features_give_the_same_of_every_method(tables):
    persons, visits = tables
    y, given = persons["ill"], {"visits": visits}
    whole = joined(persons, SCHEMA, given)
    fitted = NaiveBayesClassifier(SCHEMA, epsilon=4.0, holdout=0.4, random_state=1, ledger="none").fit(
        persons, y, tables=given
    )
    for name, more in (("decision_function", ()), ("predict_log_proba", ()), ("predict_set", (0.8,))):
        asked = getattr(fitted, name)
        assert np.array_equal(asked(persons, *more, tables=given), asked(whole, *more)), name
    assert fitted.explain(persons.head(5), tables=given).equals(fitted.explain(whole.head(5)))
    assert fitted.score(persons, y, tables=given) == fitted.score(whole, y)
    told = [
        fitted.evaluate(X, y, epsilon=1.0, random_state=0, other_people=True, **more).measured.accuracy
        for X, more in ((persons, {"tables": given}), (whole, {}))
    ]
    assert told[0] == told[1]


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning", "ignore::UserWarning")
def test_side_tables_and_features_give_the_same_of_every_method_of_regressors(tables):
    persons, visits = tables
    y, given = persons["ill"], {"visits": visits}
    number = Schema(COLUMNS, label=Target("ill", 0, 1), tables=[VISITS])
    whole = joined(persons, number, given)
    fit = AutoRegressor(number, epsilon=4.0, holdout=0.4, random_state=1, ledger="none")
    fitted = fit.fit(persons, y, tables=given)
    for name, more in (("predict_interval", (0.8,)), ("predict_quantiles", ([0.1, 0.9],))):
        asked = getattr(fitted, name)
        assert np.array_equal(asked(persons, *more, tables=given), asked(whole, *more)), name
    assert fitted.score(persons, y, tables=given) == fitted.score(whole, y)


@pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")
def test_searches_regressors_and_evaluations_take_side_tables(tables):
    persons, visits = tables
    y, given = persons["ill"], {"visits": visits}
    found = PaidSearch(NaiveBayesClassifier(SCHEMA), "auto", epsilon=1.0, random_state=0, ledger="none").fit(
        persons, y, tables=given
    )
    assert SIDE_TABLES in found.privacy_.assumptions
    number = Schema(COLUMNS[:2], label=Target("ill", 0, 1), tables=[VISITS])
    regressor = AutoRegressor(number, epsilon=1.0, random_state=0, ledger="none").fit(persons, y, tables=given)
    assert len(regressor.predict(persons, tables=given)) == len(persons)
    told = evaluate(found.model_, persons, y, epsilon=1.0, tables=given, random_state=0, other_people=True)
    assert SIDE_TABLES in told.privacy.assumptions


@pytest.mark.parametrize("change", ["key twice", "no key", "no side table", "other key type", "taken name"])
def test_nothing_is_charged_for_tables_that_do_not_fit(change, tables, folder, tmp_path):
    persons, visits = tables
    book = Ledger(tmp_path / "people.ledger")
    book.open(Account.of("people", Budget(10.0)))
    given = {"visits": visits}
    if change == "key twice":
        persons = persons.with_columns(person=pl.lit(3))
    if change == "no key":
        persons = persons.drop("person")
    if change == "no side table":
        given = {"visits": folder / "nothing.csv"}
    if change == "other key type":
        given = {"visits": visits.with_columns(pl.col("person").cast(pl.Float64))}
    if change == "taken name":
        persons = persons.with_columns(visits=pl.lit(1))
    path = tmp_path / "persons.parquet"
    persons.write_parquet(path)
    for X, y in ((persons, persons["ill"]), (path, None)):
        fit = NaiveBayesClassifier(SCHEMA, epsilon=1.0, ledger=tmp_path / "people.ledger")
        with pytest.raises(TableError):
            fit.fit(X, y, tables=given)
    assert book.balance().spent == 0


def test_a_ledger_pays_for_a_fit_with_side_tables(tables, tmp_path):
    persons, visits = tables
    Ledger(tmp_path / "people.ledger").open(Account.of("people", Budget(10.0)))
    fitted = NaiveBayesClassifier(SCHEMA, epsilon=1.0, delta="auto", ledger=tmp_path / "people.ledger").fit(
        persons, persons["ill"], tables={"visits": visits}
    )
    assert fitted.privacy_.charge is not None
