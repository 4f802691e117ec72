"""Fits charge a ledger before they read rows, once each, in whatever process they run."""

from __future__ import annotations

import os
import pickle
import warnings
from fractions import Fraction
from math import ceil

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import tacit
from tacit import (
    AutoClassifier,
    Label,
    NaiveBayesClassifier,
    Numeric,
    PaidSearch,
    Schema,
    SVMClassifier,
    TreeClassifier,
)
from tacit.errors import AccountExceeded, LedgerError, ParameterError, PrivacyError, PrivacyWarning, TableError
from tacit.estimators import forget_fits, spent
from tacit.ledger import DELTA_UNIT, UNIT, Account, AccountUnit, Ledger
from tacit.ledger.verify import Certificate, verify
from tacit.models.document import certificate_digest
from tacit.privacy import Budget, interposing, observing, pure_to_zcdp

SCHEMA = Schema([Numeric("a", -1, 1), Numeric("b", -1, 1)], label=Label("y", [0, 1]))
X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
Y = (X[:, 0] > 0).astype(int)
LEARNERS = [each for each in tacit.__all__ if each.endswith("Classifier")]


@pytest.fixture(autouse=True)
def _quietly(monkeypatch):
    monkeypatch.delenv("TACIT_LEDGER", raising=False)
    forget_fits()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    forget_fits()


@pytest.fixture
def book(tmp_path):
    made = Ledger(tmp_path / "people.ledger")
    made.open(Account.of("pure", Budget(3.0)))
    made.open(Account.of("rho", Budget(3.0, 1e-6)))
    return made


def certificate(model):
    return Certificate("model", model.privacy_, certificate_digest(model.privacy_))


def kinds(book):
    return [line.kind for line in book.lines() if line.kind not in ("ledger", "account")]


def test_classes_that_no_share_explains_are_refused_before_the_charge(book):
    schema = Schema(SCHEMA.columns, label=Label("y", list(range(11))))
    with pytest.raises(ParameterError, match="at most 10 classes"):
        SVMClassifier(schema, epsilon=1.0, explain_share=0.2, ledger=f"{book.path}#pure").fit(X, Y)
    assert book.balance("pure").spent == 0 and kinds(book) == []


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(("account", "delta"), [("pure", 0.0), ("rho", 1e-6)])
def test_every_learner_is_charged_once_and_known(book, name, account, delta):
    model = getattr(tacit, name)(SCHEMA, epsilon=0.5, delta=delta, ledger=f"{book.path}#{account}")
    if (name, account) == ("SVMClassifier", "rho"):
        with pytest.raises(ParameterError, match="open an account whose approximate_delta"):
            model.fit(X, Y)
        assert kinds(book) == []
        return
    model.fit(X, Y)
    assert kinds(book) == ["reserve", "commit"]
    balance = book.balance(account)
    assert balance.spent == balance.account.cost(Budget(0.5, delta))
    assert model.privacy_.composition == ("zcdp" if delta else "pure")
    paid = model.privacy_.rho if delta else sum(Fraction(line.loss) for line in model.privacy_.releases)
    assert Fraction(paid) * UNIT <= balance.spent
    assert verify(book, [certificate(model)], account=account) == ()
    assert tacit.load_model(saved(model, book.path.parent)).guarantee == model.privacy_


def saved(model, folder):
    model.save(folder / "model.json")
    return folder / "model.json"


def test_a_search_is_one_charge(book):
    search = PaidSearch(
        TreeClassifier(SCHEMA), {"max_splits": [1, 4]}, epsilon=2.0, delta=1e-6, ledger=f"{book.path}#rho"
    )
    rows = np.random.default_rng(1).uniform(-1, 1, (8000, 2))
    search.fit(rows, (rows[:, 0] > 0).astype(int))
    assert any("slice" in line.asked for line in search.privacy_.releases)
    assert kinds(book) == ["reserve", "commit"]
    assert book.lines()[-2].detail == "paid-search"
    assert verify(book, [certificate(search)]) == ()


def test_clones_pickles_and_workers_charge_one_file(book):
    model = NaiveBayesClassifier(SCHEMA, epsilon=0.1, ledger=f"{book.path}#pure")
    assert model.get_params()["ledger"] == f"{book.path}#pure"
    clone(model).fit(X, Y)
    pickle.loads(pickle.dumps(model)).fit(X, Y)
    cross_val_score(model, X, Y, cv=2, n_jobs=2)
    GridSearchCV(model, {"n_bins": [4, 8]}, cv=2).fit(X, Y)
    assert sorted(kinds(book)) == sorted(["reserve", "commit"] * 9)
    assert book.balance("pure").spent == 9 * book.balance("pure").account.cost(Budget(0.1))


class Unread:
    """Rows that nobody may look at."""

    def __getattr__(self, name):
        raise AssertionError(name)


@pytest.mark.parametrize(
    ("settings", "error", "match"),
    [
        ({"epsilon": 9.0}, AccountExceeded, "asked epsilon 9, spent 0, left 3"),
        ({"delta": 1e-6}, LedgerError, "delta=0"),
        ({"random_state": 0}, ParameterError, "random_state=None with a ledger"),
        ({"schema": "infer"}, ParameterError, "without guesses"),
        ({"schema": SCHEMA.with_private(["a"])}, LedgerError, "got 'b' declared public"),
        ({"schema": SCHEMA.with_private([], label=False)}, LedgerError, "got 'a', 'b', 'y' declared public"),
    ],
)
def test_refusals_read_no_row_and_charge_nothing(book, settings, error, match):
    settings = {"schema": SCHEMA, "epsilon": 1.0, "ledger": f"{book.path}#pure", **settings}
    with pytest.raises(error, match=match):
        TreeClassifier(**settings).fit(Unread(), Unread())
    assert kinds(book) == []


def test_a_fit_that_no_certificate_covers_is_refused(book):
    for protection in ("marginal", "none"):
        given = {"epsilon": 1.0, "protected_column": "a"} if protection == "marginal" else {}
        with pytest.raises(ParameterError, match="a fit with a certificate with a ledger"):
            tacit.RadoBoostClassifier(SCHEMA, protection=protection, ledger=f"{book.path}#pure", **given).fit(X, Y)
    assert kinds(book) == []


def test_names_of_columns_are_looked_at_before_rows(book):
    model = TreeClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#pure")
    for rows, labels in (
        (pl.DataFrame({"a": [1.0]}), [0]),
        (X[:, :1], Y),
        (pl.LazyFrame({"a": [1.0]}), [0]),
        (X, None),
    ):
        with pytest.raises(TableError):
            model.fit(rows, labels)
    assert kinds(book) == ["reserve", "give-back"] * 4
    assert book.balance("pure").spent == 0
    # A cell that does not fit was read.
    with pytest.raises(TableError):
        model.fit(np.where(X > 0.9, np.nan, X), Y)
    assert book.balance("pure").spent == UNIT


def test_what_is_public_is_not_charged(book):
    public = SCHEMA.with_private([], label=False)
    book.open(Account.of("public", Budget(1.0), AccountUnit.of(public)))
    model = TreeClassifier(public, epsilon=1.0, ledger=f"{book.path}#public").fit(X, Y)
    assert (model.privacy_.status, model.privacy_.charge) == ("public", None)
    assert kinds(book) == []
    assert verify(book, [certificate(model)]) == ()


def test_an_account_of_persons_takes_fits_that_protect_persons(book):
    persons = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=tacit.Identifier("person"))
    book.open(Account.of("persons", Budget(1.5), AccountUnit.of(persons)))
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "person": np.arange(len(X)) // 2})
    model = NaiveBayesClassifier(persons, epsilon=1.0, ledger=f"{book.path}#persons").fit(frame, Y)
    assert verify(book, [certificate(model)], account="persons") == ()
    with pytest.raises(
        LedgerError, match=r"protects all rows of one 'person', as the account does, got one of one row"
    ):
        NaiveBayesClassifier(SCHEMA, epsilon=0.1, ledger=f"{book.path}#persons").fit(frame, Y)
    for without in (frame.drop("person"), X):
        with pytest.raises(TableError, match="a column named 'person'"):
            NaiveBayesClassifier(persons, epsilon=0.1, ledger=f"{book.path}#persons").fit(without, Y)
    assert book.balance("persons").left == UNIT // 2
    with pytest.raises(LedgerError, match=r"protects one row, as the account does, got one of all rows"):
        NaiveBayesClassifier(persons, epsilon=0.1, ledger=f"{book.path}#pure").fit(frame, Y)


def test_the_environment_names_a_ledger(book, monkeypatch):
    monkeypatch.setenv("TACIT_LEDGER", f"{book.path}#pure")
    TreeClassifier(SCHEMA, epsilon=1.0).fit(X, Y)
    TreeClassifier(SCHEMA, epsilon=1.0, ledger="none").fit(X, Y)
    with interposing(lambda pending: pending.draw()):  # an audit's, whose certificate is void
        TreeClassifier(SCHEMA, epsilon=1.0).fit(X, Y)
    assert book.balance("pure").spent == UNIT


def test_it_is_charged_before_the_first_release_and_what_fails_stays(book):
    seen = []

    def stop(release):
        seen.append(book.balance("pure").spent)
        raise ZeroDivisionError

    with observing(stop), pytest.raises(ZeroDivisionError):
        TreeClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#pure").fit(X, Y)
    assert seen == [UNIT]
    assert book.balance("pure").spent == UNIT
    assert kinds(book) == ["reserve"]


def test_a_certificate_does_not_tell_whether_earlier_fits_ended(book):
    model = TreeClassifier(SCHEMA, epsilon=0.5, ledger=f"{book.path}#pure")
    with pytest.raises(TableError):
        model.fit(np.where(X > 0.9, np.nan, X), Y)
    after_a_failure = model.fit(X, Y).privacy_.charge.number
    after_a_model = model.fit(X, Y).privacy_.charge.number
    assert (after_a_failure, after_a_model) == (2, 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_process_that_was_forked_in_a_fit_releases_nothing(book):
    model = TreeClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#pure")
    with model.charging() as payment:
        payment.reading()
        child = os.fork()
        if not child:
            try:
                model.fit(X, Y)
            except PrivacyError as error:
                os._exit(7 if "forked" in str(error) else 8)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        model.fit(X, Y)
    assert kinds(book) == ["reserve", "commit"]


def test_a_process_that_was_forked_between_releases_makes_no_more(book):
    model, seen = TreeClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#pure"), []
    with model.charging() as payment:

        def fork(release):
            seen.append(release)
            payment.reserved._process = -1  # as the child's is another

        with observing(fork), pytest.raises(PrivacyError, match="forked"):
            model.fit(X, Y)
    assert len(seen) == 1


def test_rows_may_be_read_within_a_charge_for_one_fit(book):
    model = TreeClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#pure")
    with model.charging() as payment:
        payment.reading()
        rows = X.copy()
        model.fit(rows, Y)
        with pytest.raises(PrivacyError, match="one fit a charge"):
            model.fit(rows, Y)
    assert kinds(book) == ["reserve", "commit"]
    with pytest.raises(ZeroDivisionError), model.charging():
        raise ZeroDivisionError
    assert book.balance("pure").spent == UNIT


def test_the_rule_of_auto_keeps_the_charged_delta(book):
    model = AutoClassifier(SCHEMA, epsilon=0.001, delta=1e-6, ledger=f"{book.path}#rho").fit(X, Y)
    assert model.privacy_.composition == "zcdp"
    with pytest.raises(ParameterError):
        SVMClassifier(SCHEMA, epsilon=0.1, delta=1e-6, ledger=f"{book.path}#rho").fit(X, Y)
    assert SVMClassifier(SCHEMA, epsilon=0.1, ledger=f"{book.path}#rho").fit(X, Y).privacy_.composition == "pure"


def test_fits_without_a_rho_are_charged_beside_it(book):
    book.open(Account.of("both", Budget(3.0, 1e-6), approximate_delta=2.5e-7))
    given = {"epsilon": 0.2, "delta": 1e-7, "ledger": f"{book.path}#both"}
    svm = SVMClassifier(SCHEMA, **given).fit(X, Y)
    search = PaidSearch(TreeClassifier(SCHEMA), {"max_splits": [1, 4]}, pay="epsilon", **given).fit(X, Y)
    with pytest.raises(LedgerError, match=r"adds up, got delta=1e-07 with 5e-08 of 2.5e-07 left"):
        SVMClassifier(SCHEMA, **given).fit(X, Y)
    spent = book.balance("both")
    assert spent.delta_spent == 2 * ceil(Fraction(1e-7) * DELTA_UNIT)
    assert spent.spent == 2 * ceil(Fraction(pure_to_zcdp(0.2)) * UNIT)
    known = [Certificate("x", each.privacy_, certificate_digest(each.privacy_)) for each in (svm, search)]
    assert verify(book, known, account="both") == ()
    assert svm.privacy_.delta == 1e-7
    TreeClassifier(SCHEMA, **given).fit(X, Y)  # has a rho, and needs none of that delta
    assert book.balance("both").delta_spent == spent.delta_spent


def test_the_tally_says_nothing_of_fits_that_a_ledger_holds(book):
    ledgered = TreeClassifier(SCHEMA, epsilon=0.5, ledger=f"{book.path}#pure")
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        warnings.filterwarnings("ignore", "An array is matched")
        for _ in range(4):
            ledgered.fit(X, Y)
    with pytest.warns(PrivacyWarning, match=r"5 private fits.*epsilon 2\.5 .*--ledger"):
        TreeClassifier(SCHEMA, epsilon=0.5).fit(X, Y)
    assert spent(SCHEMA).epsilon == 2.5
