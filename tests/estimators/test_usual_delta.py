"""The delta that follows from the number of rows: what it is, where it is counted, and what is charged for it."""

from __future__ import annotations

import os
from threading import Thread

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import AutoClassifier, Identifier, Label, LazyBBClassifier, NaiveBayesClassifier, Numeric, PaidSearch, Schema
from tacit.errors import ParameterError, SchemaError, TableError
from tacit.estimators import forget_fits, search_cost
from tacit.ledger import UNIT, Account, AccountUnit, Ledger
from tacit.privacy import Budget, zcdp_rho
from tacit.privacy.loss import usual_delta

N = 2_000
SCHEMA = Schema([Numeric("a", 0, 1)], label=Label("y", [0, 1]))
PERSONS = Schema([Numeric("a", 0, 1)], label=Label("y", [0, 1]), identifier=Identifier("who"))
DROPS = Schema([Numeric("a", 0, 1)], label=Label("y", [0, 1], missing="drop"))


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    monkeypatch.delenv("TACIT_LEDGER", raising=False)
    forget_fits()


def rows(n: int = N) -> pl.DataFrame:
    """Numbers whose upper half is of class 1; of persons with two rows each."""
    a = np.arange(n) / n
    return pl.DataFrame({"a": a, "who": np.arange(n) // 2, "y": (a >= 0.5).astype(int)})


@pytest.fixture
def book(tmp_path):
    made = Ledger(tmp_path / "people.ledger")
    made.open(Account.of("pure", Budget(50.0)))
    made.open(Account.of("rho", Budget(50.0, 1e-5), AccountUnit(labeled=("y",))))
    made.open(Account.of("persons", Budget(50.0, 1e-5), AccountUnit(identifier="who")))
    return made


@given(st.integers(1, 10**15))
def test_it_is_the_largest_power_of_ten_far_below_one_over_the_rows(n_rows):
    delta = usual_delta(n_rows)
    power = round(-np.log10(delta))
    assert delta == float(f"1e-{power}")
    assert power >= 5 and 10**power >= 10 * n_rows
    assert power == 5 or 10 ** (power - 1) < 10 * n_rows


def test_it_is_the_default_of_the_automatic_choice_alone():
    table = rows()
    assert AutoClassifier(SCHEMA, epsilon=1.0).fit(table, table["y"]).privacy_.delta == 1e-5
    for cls in (NaiveBayesClassifier, LazyBBClassifier):
        assert cls(SCHEMA, epsilon=1.0).fit(table, table["y"]).privacy_.delta == 0
    assert NaiveBayesClassifier(SCHEMA, epsilon=1.0, delta="auto").fit(table, table["y"]).privacy_.delta == 1e-5
    assert AutoClassifier(SCHEMA, epsilon=1.0, delta=0).fit(table, table["y"]).privacy_.delta == 0
    many = rows(10_001)
    assert AutoClassifier(SCHEMA, epsilon=1.0).fit(many, many["y"]).privacy_.delta == 1e-6


def test_a_search_has_that_of_its_first_estimator():
    table, grid = rows(), {"n_bins": [4, 8]}
    found = [PaidSearch([cls(SCHEMA)], [{}] if cls is AutoClassifier else [grid]) for cls in (NaiveBayesClassifier,)]
    assert [each.set_params(epsilon=2.0).fit(table, table["y"]).privacy_.delta for each in found] == [0]
    automatic = PaidSearch(AutoClassifier(SCHEMA), epsilon=2.0)
    assert automatic.fit(table, table["y"]).privacy_.delta == 1e-5
    assert search_cost(automatic).delta == 1e-5
    assert search_cost(PaidSearch(NaiveBayesClassifier(SCHEMA), grid, epsilon=2.0)).delta == 0


def test_a_schema_or_an_account_keeps_fits_pure(book):
    table, pure = rows(), Schema(SCHEMA.columns, label=SCHEMA.label, delta=0)
    assert AutoClassifier(pure, epsilon=1.0).fit(table, table["y"]).privacy_.delta == 0
    assert AutoClassifier(pure, epsilon=1.0, delta=1e-7).fit(table, table["y"]).privacy_.delta == 1e-7
    assert pure != SCHEMA and Schema.from_toml(pure.to_toml()) == pure and "[privacy]\ndelta = 0\n" in pure.to_toml()
    model = AutoClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#pure").fit(table, table["y"])
    assert (model.privacy_.delta, book.balance("pure").spent) == (0, UNIT)


def test_a_fit_has_no_larger_delta_than_its_account(book):
    book.open(Account.of("strict", Budget(50.0, 1e-8)))
    table = rows()
    model = AutoClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#strict").fit(table, table["y"])
    assert model.privacy_.delta == 1e-8 and charged(book, "strict", 1e-8)


@pytest.mark.parametrize("delta", [1e-6, True, "0", -0.1])
def test_a_schema_has_no_other_delta(delta):
    with pytest.raises(SchemaError, match="delta=0, for pure epsilon"):
        Schema(SCHEMA.columns, label=SCHEMA.label, delta=delta)


DOORS = {
    "frame": lambda table, folder: (table, table["y"]),
    "array": lambda table, folder: (table["a"].to_numpy()[:, None], table["y"].to_numpy()),
    "lazy frame": lambda table, folder: (table.lazy(), None),
    "lazy frame and labels": lambda table, folder: (table.lazy(), table["y"]),
    "CSV": lambda table, folder: (written(table.write_csv, folder / "t.csv"), None),
    "Parquet": lambda table, folder: (written(table.write_parquet, folder / "t.parquet"), None),
    "a stream and labels": lambda table, folder: (pa.RecordBatchReader.from_stream(table), table["y"]),
}


def written(write, path):
    write(path)
    return path


def charged(book, account, amount_of):
    """Tell whether the account was charged one fit of epsilon 1 at this delta, and no more."""
    return book.balance(account).spent / UNIT == pytest.approx(zcdp_rho(1.0, amount_of), rel=1e-9)


@pytest.mark.filterwarnings("ignore:An array is matched")
@pytest.mark.parametrize("door", DOORS)
def test_rows_are_counted_before_the_charge(book, tmp_path, door):
    table = rows(10_001)
    X, y = DOORS[door](table, tmp_path)
    privacy = AutoClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#rho").fit(X, y).privacy_
    assert (privacy.delta, privacy.n_rows) == (1e-6, 10_001)
    assert charged(book, "rho", 1e-6)


@pytest.mark.parametrize("door", ["frame", "lazy frame", "lazy frame and labels", "CSV", "Parquet"])
def test_persons_and_rows_with_a_label_are_counted_as_the_fit_counts_them(book, tmp_path, door):
    table = rows(20_000)  # of 10,000 persons
    X, y = DOORS[door](table, tmp_path)
    privacy = AutoClassifier(PERSONS, epsilon=1.0, ledger=f"{book.path}#persons").fit(X, y).privacy_
    assert (privacy.delta, privacy.n_rows) == (1e-5, 10_000) and charged(book, "persons", 1e-5)
    few = table.with_columns(y=pl.when(pl.col("who") % 2 == 0).then("y"))
    X, y = DOORS[door](few, tmp_path)
    privacy = AutoClassifier(DROPS, epsilon=1.0, ledger=f"{book.path}#rho").fit(X, y).privacy_
    assert (privacy.delta, privacy.n_rows) == (1e-5, 10_000) and charged(book, "rho", 1e-5)


def test_what_is_read_once_names_its_delta(book):
    table = rows()
    for schema, account, y in [(SCHEMA, "rho", None), (PERSONS, "persons", table["y"])]:

        def stream():
            return pa.RecordBatchReader.from_stream(table)

        ledger = f"{book.path}#{account}"
        with pytest.raises(ParameterError, match="read only once"):
            AutoClassifier(schema, epsilon=1.0, ledger=ledger).fit(stream(), y)
        assert book.balance(account).spent == 0
        assert AutoClassifier(schema, epsilon=1.0).fit(stream(), y).privacy_.delta == 1e-5
        named = AutoClassifier(schema, epsilon=1.0, delta=1e-6, ledger=ledger).fit(stream(), y)
        assert named.privacy_.delta == 1e-6 and charged(book, account, 1e-6)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with a name is of POSIX")
def test_a_pipe_is_opened_once(book, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Python opens the pipe once; who closes it and opens it again ends the table in between.
    Thread(target=pipe.write_bytes, args=[rows().write_csv().encode()]).start()
    privacy = AutoClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#rho").fit(pipe).privacy_
    assert (privacy.delta, privacy.n_rows) == (1e-5, N)


def test_counting_tells_nothing_of_a_cell_that_is_not_paid_for(book, tmp_path):
    """A row that names nobody lets the fit fail as before: after the charge."""
    table = rows().with_columns(who=pl.when(pl.col("a") > 0).then("who"))
    table.write_csv(tmp_path / "t.csv")
    ledger = f"{book.path}#persons"
    for X, y in [(table, table["y"]), (tmp_path / "t.csv", None)]:
        before = book.balance("persons").spent
        with pytest.raises(TableError, match=r"identifier 'who'.*stays"):
            AutoClassifier(PERSONS, epsilon=1.0, ledger=ledger).fit(X, y)
        assert book.balance("persons").spent > before


def test_who_charges_by_hand_says_how_many_rows_there_are(book):
    table = rows()
    model = AutoClassifier(SCHEMA, epsilon=1.0, ledger=f"{book.path}#rho")
    with pytest.raises(ParameterError, match="Pass count="), model.charging():
        pass
    assert book.balance("rho").spent == 0
    with model.charging(lambda: N) as payment:
        payment.reading()
        model.fit(table, table["y"])
    assert model.privacy_.delta == 1e-5 and charged(book, "rho", 1e-5)
