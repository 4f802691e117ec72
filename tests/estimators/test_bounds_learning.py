"""Open bounds of a schema, learned from rows: nothing else of it changes, and certificates add what they cost."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest
from typer.testing import CliRunner

from tacit import (
    Categorical,
    Identifier,
    Label,
    NaiveBayesClassifier,
    Numeric,
    Schema,
    learn_bounds,
)
from tacit.cli.app import app
from tacit.errors import ParameterError, SchemaError, TableError
from tacit.estimators import forget_fits
from tacit.ledger import UNIT, Account, AccountUnit, Ledger
from tacit.models.released_schema import schema_guarantee
from tacit.privacy import Budget

N = 3_000
EXACT = {"epsilon": 40.0, "random_state": 0}
"""So much that bounds are where rows are."""
ILL = Label("ill", ["no", "yes"])


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    monkeypatch.delenv("TACIT_LEDGER", raising=False)
    forget_fits()
    yield
    forget_fits()


def people(n: int = N) -> pl.DataFrame:
    """Ages of 18 to 89, pay of 1,000 to 3,999.50 and days from 2003 to 2011 as texts; a tenth of each is missing."""
    at = np.arange(n)
    days = [(date(2003, 1, 1) + timedelta(days=int(each) % 3_000)).strftime("%d.%m.%y") for each in at]
    pay = [f"{1000 + each % 4000},{5 * (each % 2)} EUR" for each in at]
    return pl.DataFrame(
        {
            "person": at // 3,
            "age": np.where(at % 10 == 0, 999, 18 + at % 72),
            "pay": ["k.A." if each % 10 == 1 else text for each, text in zip(at, pay, strict=True)],
            "since": [None if each % 10 == 2 else text for each, text in zip(at, days, strict=True)],
            "height": 150 + at % 50,
            "job": np.where(at % 2, "nurse", "clerk"),
            "ill": np.where(at % 3, "yes", "no"),
        }
    )


DECLARED = Schema(
    [
        Numeric("age", whole=True, missing="indicator", missing_codes=[999]),
        Numeric("pay", decimal=",", signs=["EUR"], replace={"k.A.": ""}, scale="log"),
        Numeric("since", dates="%d.%m.%y", private=False),
        Numeric("height", 50, 250, center=170, missing=170),
        Categorical("job", ["clerk", "nurse"], other=True, missing="missing"),
    ],
    label=ILL,
    ignored={"person": "a name"},
)


@pytest.fixture(scope="module")
def learned() -> Schema:
    return learn_bounds(people(), DECLARED, **EXACT)


def test_bounds_are_where_numbers_are_whatever_is_missing(learned):
    assert learned.open == ()
    age, pay, since = (learned.column(name) for name in ("age", "pay", "since"))
    assert (age.low, age.high) == (pytest.approx(18, abs=2), pytest.approx(89, abs=2))
    assert age.low == int(age.low) and age.high == int(age.high)
    assert (pay.lower, pay.upper) == (pytest.approx(1000, abs=200), pytest.approx(4000, abs=200))
    assert abs(since.low - date(2003, 1, 1)) < timedelta(days=60)  # and not 1969, or 1970
    assert abs(since.high - date(2011, 3, 20)) < timedelta(days=60)
    assert age.center == pytest.approx(53, abs=2) and pay.center == pay.missing == pytest.approx(2500, abs=70)


def test_all_else_stays_as_it_was_declared(learned):
    assert learned.learned.entries == ("age", "pay", "since")
    opened = {"low": None, "high": None, "center": None}
    columns = [
        replace(column, **opened, missing=was.missing) if was.name in DECLARED.open else column
        for column, was in zip(learned.inputs, DECLARED.inputs, strict=True)
    ]
    assert replace(learned, columns=columns, learned=None) == DECLARED
    assert Schema.from_toml(learned.to_toml()) == learned
    assert learned.column("age is missing").indicates == "age"


def test_a_fit_adds_what_they_cost():
    schema = learn_bounds(people(), DECLARED, epsilon=2.0)
    cost = schema_guarantee(schema)
    assert (cost.status, cost.epsilon, cost.delta, cost.n_rows) == ("private", 2.0, 0.0, N)
    assert cost.columns == ("age", "pay", "since") and not cost.label
    assert sorted(line.query for line in cost.releases) == sorted(
        [f"rows by cell of {each}" for each in cost.columns] * 2
    )
    privacy = NaiveBayesClassifier(schema, epsilon=0.5).fit(people(), people()["ill"]).privacy_
    assert (privacy.status, privacy.epsilon, privacy.delta) == ("private", 2.5, 0.0)


def test_files_give_the_same_bounds_as_frames(learned, tmp_path):
    people().write_csv(tmp_path / "people.csv", separator=";")
    people().drop("ill").write_parquet(tmp_path / "people.parquet")  # labels are not read
    for name in ("people.csv", "people.parquet"):
        assert learn_bounds(tmp_path / name, DECLARED, **EXACT) == learned


def test_what_too_few_rows_show_stays_open_and_is_paid_for():
    schema = learn_bounds(people(30), DECLARED, epsilon=0.01)
    assert schema.open and set(schema.open) == set(DECLARED.open) - set(schema.learned.entries)
    assert schema_guarantee(schema).epsilon == 0.01
    with pytest.raises(SchemaError, match="at a higher epsilon"):
        learn_bounds(people(30), schema, epsilon=1.0)


def test_parts_of_dates_and_years_of_two_digits_have_no_place_for_missing_ones():
    """The year 1, or 1969, is what a missing one would count as between bounds that hold all."""
    texts = [None if at % 2 else f"{1 + at % 28}.5.{at % 10:02}" for at in range(1_000)]
    columns = [
        Numeric("year", dates="%d.%m.%y", date_part="year"),
        Numeric("since", dates="%d.%m.%y"),
        Numeric("day", dates="%d.%m.%y", date_part="day"),
        Numeric("full", dates="%d.%m.%Y", date_part="year"),
    ]
    rows = pl.DataFrame({"year": texts, "since": texts, "day": texts})
    rows = rows.with_columns(full=pl.col("since").str.replace(r"\.5\.", ".5.20"))
    schema = learn_bounds(rows, Schema(columns, label=ILL), **EXACT)
    for name, low, high in (("year", 2000, 2008), ("day", 1, 27), ("full", 2000, 2008)):
        assert low - 1 <= schema.column(name).lower <= low and high <= schema.column(name).upper <= high + 4
    assert schema.column("since").low.year in (1999, 2000)


@pytest.mark.parametrize("rows", ["mean", 2])
def test_persons_of_several_rows_count_as_their_identifier_says(rows):
    """A thousand persons of three rows of up to 40, and one with 3,000 rows of 900, who is beyond all bounds."""
    at = np.arange(3_000)
    frame = pl.DataFrame({"person": [*(at // 3), *[-1] * 3_000], "score": [*(at % 40), *[900] * 3_000]})
    schema = Schema([Numeric("score", whole=True)], label=ILL, identifier=Identifier("person", rows=rows))
    found = learn_bounds(frame, schema, epsilon=2.0)
    cost = schema_guarantee(found)
    assert (cost.n_rows, cost.counted, cost.persons.identifier) == (1_001, "persons", "person")
    assert found.identifier == schema.identifier
    assert found.column("score").upper <= 80
    with_labels = frame.with_columns(ill=pl.when(pl.col("score") > 20).then(pl.lit("yes")).otherwise(pl.lit("no")))
    privacy = NaiveBayesClassifier(found, epsilon=0.5).fit(with_labels, with_labels["ill"]).privacy_
    assert (privacy.status, privacy.epsilon) == ("private", 2.5)
    # A row of another person is no neighbor of the learning's tables.
    for other in (replace(found, identifier=None), replace(found, identifier=Identifier("score 2"))):
        renamed = with_labels.with_columns(pl.col("person").alias("score 2"))
        privacy = NaiveBayesClassifier(other, epsilon=0.5).fit(renamed, renamed["ill"]).privacy_
        assert privacy.status == "void"


def test_a_ledger_is_charged_once_and_before_rows_are_read(tmp_path):
    book = Ledger(tmp_path / "people.ledger")
    book.open(Account.of("ours", Budget(5.0), AccountUnit(public=("since",))))
    book.open(Account.of("persons", Budget(5.0), AccountUnit(identifier="person")))
    schema = learn_bounds(people(), DECLARED, epsilon=2.0, ledger=f"{book.path}#ours")
    assert book.balance("ours").spent == 2 * UNIT
    NaiveBayesClassifier(schema, epsilon=0.5, ledger=f"{book.path}#ours").fit(people(), people()["ill"])
    spent = {"ours": 2.5 * UNIT, "persons": 0}
    unread = [
        (people().drop("pay"), DECLARED, "ours"),
        (people().drop("person"), replace(DECLARED, ignored={}, identifier=Identifier("person")), "persons"),
        (np.zeros((9, 5)), DECLARED, "ours"),
        (pd.DataFrame(np.zeros((9, 3))), DECLARED, "ours"),
    ]
    for rows, declared, account in unread:
        with pytest.raises(TableError):
            learn_bounds(rows, declared, epsilon=2.0, ledger=f"{book.path}#{account}")
        assert {name: book.balance(name).spent for name in spent} == spent


@pytest.mark.parametrize(
    ("schema", "given", "error", "words"),
    [
        (Schema([Numeric("age", 0, 99)], label=ILL), {}, SchemaError, "open bounds to learn, got none"),
        (replace(DECLARED, guessed=["job"]), {}, SchemaError, "without guesses"),
        ("draft.toml", {}, ParameterError, "a Schema with open bounds"),
        (DECLARED, {"epsilon": 0}, ParameterError, "epsilon"),
        (DECLARED, {"delta": 0.9}, ParameterError, "below 1/n_rows"),
        (replace(DECLARED, ignored={}, identifier=Identifier("who")), {}, TableError, "'who'"),
    ],
)
def test_refusals(schema, given, error, words):
    with pytest.raises(error, match=words):
        learn_bounds(people(50), schema, **{"epsilon": 1.0, **given})


def test_from_the_dictionary_of_a_file_to_a_model(tmp_path):
    """By commands alone: a survey whose missing codes are declared in its file, and are no ages."""
    at = np.arange(3_000)
    frame = pd.DataFrame(
        {
            "personid": at // 2,
            "age": np.where(at % 9 == 0, 997.0, 20.0 + at % 60),
            "sex": 1.0 + at % 2,
            "ill": 1.0 + at % 3 // 2,
        }
    )
    pyreadstat.write_sav(
        frame,
        tmp_path / "people.sav",
        variable_value_labels={"sex": {1: "female", 2: "male"}, "ill": {1: "no", 2: "yes"}},
        missing_ranges={"age": [{"lo": 997, "hi": 999}]},
    )
    table, draft, schema, model = (str(tmp_path / name) for name in ("people.sav", "draft.toml", "s.toml", "m.json"))

    def run(*arguments: str, code: int = 0):
        done = CliRunner().invoke(app, [*arguments])
        assert done.exit_code == code, done.output
        return done

    run("schema", "draft", table, "--label", "ill", "--dictionary", "--out", draft)
    assert "low and high of 'age', got open bounds" in run("schema", "check", draft).output
    learning = ("schema", "learn", table, "--schema", draft, "--epsilon", "3", "--out", schema)
    assert "Leave --label out" in run(*learning, "--label", "ill", code=1).output
    assert "--label" in run("schema", "learn", table, "--epsilon", "3", code=1).output
    said = run(*learning).stderr
    assert "Learned bounds of 'age'; all else" in said
    assert "all rows of one 'personid'" in " ".join(said.split())
    learned = Schema.from_toml(schema)
    assert schema_guarantee(learned).n_rows == 1_500
    age = learned.column("age")
    assert 0 <= age.lower <= 20 and 79 <= age.upper < 200 and age.has_indicator
    assert "Ready for" in run("schema", "check", schema).output
    run("fit", table, "--schema", schema, "--epsilon", "1", "--out", model)
