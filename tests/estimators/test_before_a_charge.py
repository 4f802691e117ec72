"""What is public is refused before a charge stays: the balance does not move, and no error says that it did."""

from __future__ import annotations

import inspect
import warnings
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import (
    Categorical,
    Identifier,
    Kinds,
    Label,
    LinearRegressor,
    NaiveBayesClassifier,
    Numeric,
    PaidRegressionSearch,
    PaidSearch,
    Schema,
    Target,
)
from tacit.errors import TacitError
from tacit.estimators.beforehand import _sizes
from tacit.ledger import Account, AccountUnit, Ledger
from tacit.privacy import Budget

N = 400
SCHEMA = Schema([Numeric("a", -1, 1), Categorical("c", ["u", "v"])], label=Label("y", [0, 1]))
PERSONS = Schema(SCHEMA.columns, label=SCHEMA.label, rows_per_person=3)
NUMBERS = Schema(SCHEMA.columns, label=Target("y", 0, 1))
X = pl.DataFrame({"a": np.linspace(-1, 1, N), "c": ["u", "v"] * (N // 2)})
Y = np.arange(N) % 2
KINDS = Kinds({"a": "number", "c": "category", "y": "boolean"})
CLASSIFIERS = [getattr(tacit, name) for name in tacit.__all__ if name.endswith("Classifier")]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    made = Ledger(tmp_path_factory.mktemp("ledger") / "people.ledger")
    made.open(Account.of("people", Budget(1e6)))
    return made


@pytest.fixture(scope="module")
def model():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return NaiveBayesClassifier(SCHEMA, epsilon=1.0, random_state=0).fit(X, Y).model_


@pytest.fixture
def refused(book):
    """Call something with a ledger, which must refuse it and have the same balance afterwards."""

    def call(work):
        before = book.balance().spent
        with warnings.catch_warnings(), pytest.raises((TacitError, TypeError)) as caught:
            warnings.simplefilter("ignore")
            work()
        assert isinstance(caught.value, TacitError), caught.value
        assert book.balance().spent == before, caught.value
        assert "stays" not in str(caught.value)
        return str(caught.value)

    return call


def calls(book, model):
    """Every public function that charges, as a function of what is to be wrong."""
    fit = {"schema": SCHEMA, "epsilon": 1.0, "ledger": book.path}
    search = {"grid": {"n_bins": [4, 8]}, "epsilon": 1.0, "ledger": book.path}

    def fitted(X=X, y=Y, storage="auto", client=None, **given):
        return NaiveBayesClassifier(**{**fit, **given}).fit(X, y, storage=storage, client=client)

    def searched(X=X, y=Y, storage="auto", client=None, **given):
        return PaidSearch(**{"estimator": NaiveBayesClassifier(SCHEMA), **search, **given}).fit(
            X, y, storage=storage, client=client
        )

    def searched_of_numbers(X=X, y=Y, storage="auto", client=None, **given):
        settings = {**search, "grid": {"n_bins": [4, 8]}, "estimator": LinearRegressor(NUMBERS)}
        return PaidRegressionSearch(**{**settings, **given}).fit(X, y, storage=storage, client=client)

    def rados(X=X, y=Y, **given):
        return tacit.make_rados(X, y, **{**fit, "count": 5, **given})

    def evaluated(X=X, y=Y, **given):
        return tacit.evaluate(given.pop("model", model), X, y, **{"epsilon": 1.0, "ledger": book.path, **given})

    def learned(**given):
        data = X.with_columns(y=pl.Series(Y == 1))
        return tacit.learn_schema(
            **{"data": data, "kinds": KINDS, "label": "y", "epsilon": 1.0, "delta": 1e-6, "ledger": book.path, **given}
        )

    def bounded(**given):
        schema = Schema([Numeric("a")], label=Label("y", [False, True]))
        return tacit.learn_bounds(**{"data": X, "schema": schema, "epsilon": 1.0, "ledger": book.path, **given})

    def fit_of(cls):
        return lambda **given: cls(**{**fit, **given}).fit(X, Y)

    found = {"fit": fitted, "PaidSearch": searched, "make_rados": rados, "evaluate": evaluated}
    found |= {"PaidRegressionSearch": searched_of_numbers}
    found |= {"learn_schema": learned, "learn_bounds": bounded}
    return found | {cls.__name__: fit_of(cls) for cls in CLASSIFIERS}


CHARGING = {
    name: inspect.signature(getattr(tacit, name)).parameters
    for name in tacit.__all__
    if not issubclass(type(getattr(tacit, name)), type) or name.endswith(("Classifier", "Search"))
}
CHARGING = {name: list(parameters) for name, parameters in CHARGING.items() if "ledger" in parameters}
"""The parameters of all that can charge a ledger."""


ROWS = {
    "none": None, "a number": 3, "an object": object(), "a path that is not there": "no.csv",
    "one dimension": np.ones(N), "three dimensions": np.ones((N, 2, 2)), "too wide": np.ones((N, 3)), "too few": X[:5],
    "no rows": X[:0], "a column less": X.drop("c"), "ragged": [[1, "u"], [1]], "complex": np.ones((N, 2)) * 1j,
    "dates where numbers belong": X.with_columns(a=pl.date(2020, 1, 1)),
    "lists in a column": X.with_columns(a=pl.lit([1, 2])), "texts where numbers belong": X.with_columns(a=pl.lit("q")),
    "an array of dates": np.full((N, 2), np.datetime64("2020-01-01")),
}  # fmt: skip
LABELS = {
    "too few": Y[:5], "two columns": np.ones((N, 2)), "a number": 3, "a text": "y", "a frame": X, "complex": Y * 1j,
    "dates": np.full(N, np.datetime64("2020-01-01")), "none": [],
}  # fmt: skip


@pytest.mark.parametrize("name", ["fit", "PaidSearch", "make_rados", "evaluate"])
def test_rows_and_labels_of_a_wrong_shape_or_type(book, model, refused, name):
    work = calls(book, model)[name]
    step = 1 if name == "fit" else 5  # all read by one function
    for rows in list(ROWS.values())[::step]:
        refused(lambda rows=rows: work(X=rows))
    for labels in list(LABELS.values())[::step]:
        refused(lambda labels=labels: work(y=labels))


WRONG = (float("nan"), -1, 10**5000, "absurd", b"x", [1], {}, 1j, np.ones(2), lambda: 1, int)


@pytest.mark.parametrize("name", CHARGING)
def test_a_parameter_is_taken_or_costs_nothing(book, model, name):
    work, n_refused = calls(book, model)[name], 0
    tried = [each for each in CHARGING[name] if each not in ("X", "y", "ledger")]
    for parameter in tried:
        for value in WRONG:
            before = book.balance().spent
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    work(**{parameter: value})
                except TacitError as error:
                    assert book.balance().spent == before, (parameter, value, error)
                    assert len(str(error)) < 500
                    n_refused += 1
    assert n_refused > 0.9 * len(tried) * len(WRONG)


@pytest.mark.parametrize("cls", CLASSIFIERS)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"holdout": 0.01, "epsilon": 0.01}, "to measure on"),
        ({"schema": PERSONS, "holdout": 0.5}, "an identifier"),
        ({"delta": 0.9}, "delta"),
        ({"class_weight": {0: 1.0, 7: 1.0}}, "class"),
    ],
    ids=["too few rows", "persons without a name", "delta", "class weight"],
)
def test_what_the_schema_and_the_number_of_rows_show(book, refused, cls, settings, said, tmp_path):
    asked = {"schema": SCHEMA, "epsilon": 1.0, "ledger": book.path, **settings}
    if "delta" in settings:  # of an account that has one
        other = Ledger(tmp_path / "rho.ledger")
        other.open(Account.of("people", Budget(1e3, 0.95)))
        asked["ledger"] = other.path
    refused(lambda: cls(**asked).fit(X, Y))


def test_more_classes_than_a_learner_takes_are_refused_of_files_too(book, refused, tmp_path):
    schema = Schema(SCHEMA.columns, label=Label("y", list(range(101))))
    X.with_columns(y=pl.Series(Y)).write_csv(tmp_path / "t.csv")
    learner = tacit.SVMClassifier(schema, epsilon=1.0, ledger=book.path)
    assert "at most 100 classes" in refused(lambda: learner.fit(X, Y))
    assert "at most 100 classes" in refused(lambda: learner.fit(tmp_path / "t.csv"))


OTHER = {
    "no frame": X.to_numpy(), "nothing": None, "no rows": X[:0], "a column less": X[["a"]],
    "lists": X.with_columns(a=pl.lit([1, 2])), "structs": X.with_columns(c=pl.struct("a")),
    "dates": X.with_columns(a=pl.date(2020, 1, 1)), "dates of a category": X.with_columns(c=pl.date(2020, 1, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
def test_a_schema_is_not_learned_of_other_names_and_types(book, model, refused, name):
    data = OTHER[name].with_columns(y=True) if isinstance(OTHER[name], pl.DataFrame) else OTHER[name]
    refused(lambda: calls(book, model)["learn_schema"](data=data))


@pytest.mark.parametrize("name", ["make_rados", "learn_schema", "evaluate", "PaidSearch", "TreeClassifier"])
def test_a_delta_that_so_few_rows_do_not_admit(model, tmp_path, name):
    other = Ledger(tmp_path / "rho.ledger")
    other.open(Account.of("people", Budget(1e3, 0.5), approximate_delta=0.4))
    with warnings.catch_warnings(), pytest.raises(TacitError, match=r"a delta below 1/n_rows.*Nothing was charged"):
        warnings.simplefilter("ignore")
        calls(other, model)[name](delta=0.01)
    assert other.balance().spent == 0


def test_an_evaluation_on_as_many_people_as_the_model_has(book, model, refused, tmp_path):
    path = tmp_path / "people.parquet"
    X.with_columns(y=pl.Series(Y)).write_parquet(path)
    for given in ({}, {"X": path, "y": None}):
        said = refused(lambda given=given: calls(book, model)["evaluate"](**given, other_people=False))
        assert "got as many as it was fitted to" in said and "Nothing was charged" in said


@pytest.mark.parametrize("schema", [PERSONS, Schema(SCHEMA.columns, label=Label("y", [0, 1, 2]))], ids=["persons", "3"])
def test_tables_without_rados(book, model, refused, schema, tmp_path):
    other = Ledger(tmp_path / "persons.ledger")
    other.open(Account.of("people", Budget(10.0), AccountUnit.of(schema)))
    refused(lambda: calls(other, model)["make_rados"](schema=schema))
    assert other.balance().spent == 0


@pytest.mark.parametrize(
    ("n_persons", "settings"),
    [
        (20, {"epsilon": 1.0}),  # of more persons with one row each the objective is perturbed, which takes none
        (10, {"epsilon": 1.0, "delta": 0.05}),
        (900, {"epsilon": 20.0, "delta": 1e-3, "holdout": 0.5}),
    ],
)
def test_a_number_of_persons_that_is_not_known_yet_is_not_refused(tmp_path, n_persons, settings):
    schema = Schema([Numeric(name, -1, 1) for name in "abc"], label=SCHEMA.label, identifier=Identifier("p", rows=1))
    other = Ledger(tmp_path / "rho.ledger")
    other.open(Account.of("people", Budget(1e3, 0.5), AccountUnit.of(schema)))
    rows = pl.DataFrame({name: np.linspace(-1, 1, n_persons) for name in "abc"}).with_columns(p=np.arange(n_persons))
    model = tacit.LogisticClassifier(schema, ledger=other.path, **settings).fit(rows, np.arange(n_persons) % 2)
    assert model.privacy_.n_rows == n_persons


@pytest.mark.parametrize(("delta", "largest"), [(0.0, 2**27), (0.3, 3), (0.25, 3), (1e-3, 999), (1e-100, 2**27)])
def test_sizes_end_with_the_most_rows_that_a_delta_admits(delta, largest):
    sizes = _sizes(delta)
    assert sizes == sorted(set(sizes)) and sizes[-1] == largest
    Budget(1.0, delta).check_rows(largest)
    if delta > 1e-9:
        with pytest.raises(TacitError):
            Budget(1.0, delta).check_rows(largest + 1)


def test_a_share_may_be_a_fraction(book):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert calls(book, None)["fit"](holdout=Fraction(1, 2)).model_.held_out is not None


def test_what_a_cell_shows_is_paid_for(book):
    before = book.balance().spent
    bad = X.with_columns(c=pl.lit("w"))
    with pytest.raises(TacitError, match="stays: epsilon 1 is spent"):
        NaiveBayesClassifier(SCHEMA, epsilon=1.0, ledger=book.path).fit(bad, Y)
    assert book.balance().spent > before
