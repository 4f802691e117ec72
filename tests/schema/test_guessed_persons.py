"""Columns that name people: identifiers by name and by value, names, remarks; and tables without names of columns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tacit.errors import SchemaError
from tacit.schema import Identifier, Schema
from tacit.schema.draft import draft_of

N = 900
RANDOM = np.random.default_rng(5)
PEOPLE = np.repeat(RANDOM.choice(np.arange(10_000, 99_999), N // 3, replace=False), 3)
UNLIKE = RANDOM.choice(np.arange(10_000, 60_000), N, replace=False)


def _found(values, name="c"):
    """Return how a column is used, and why."""
    frame = pl.DataFrame({name: values, "half": np.arange(len(values)) % 7 / 2, "y": np.arange(len(values)) % 2})
    draft = draft_of(frame, "y")
    [entry] = [each for each in draft.entries if name in each.names]
    return entry.kind, f"{entry.reason}. {entry.way}"


@pytest.mark.parametrize(
    "name",
    ["person_id", "id_student", "PIDENT", "CASEID", "IDPERS", "Fallnummer", "kundennr", "numero_dossier", "hhid", "c"],
)
@pytest.mark.parametrize("written", [lambda number: number, lambda number: f"P{number}"])
def test_values_that_come_back_are_an_identifier(name, written):
    kind, _ = _found([written(number) for number in PEOPLE.tolist()], name)
    named = name != "c" or isinstance(written(1), int)
    assert kind == ("identifier" if named else "left out")  # texts under any name may be codes: asked about


@pytest.mark.parametrize("name", ["SRCID", "c", "weight", "RecordNo"])
def test_values_that_are_all_different_are_left_out(name):
    assert _found(UNLIKE, name)[0] == "left out"
    assert _found(UNLIKE.astype(float), name)[0] == "left out"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("c", RANDOM.integers(10_000, 10_000_000, N)),  # in such a range few come back by chance
        ("c", RANDOM.integers(10_000, 60_000, 3 * N)),
        ("c", RANDOM.lognormal(10, 1, 3 * N).round(-2).astype(int)),
        ("c", 1_000 * RANDOM.integers(1, 300, N)),
        ("c", np.repeat(np.arange(18, 90), 13)),
        ("birthweight", (28.35 * RANDOM.normal(120, 18, 3 * N).round()).round().astype(int)),
        ("width", RANDOM.integers(0, 500, N)),
        ("number_of_visits", RANDOM.geometric(0.02, N)),
        ("patient_weight", RANDOM.normal(75, 12, N).round().astype(int)),
        ("amount_paid", RANDOM.integers(0, 300, N)),
        ("household", RANDOM.integers(1, 12, N)),
    ],
)
def test_quantities_are_features(name, values):
    assert _found(values, name)[0] == "numeric"


def test_persons_without_a_number_in_some_row_are_left_out_and_not_proposed():
    kind, reason = _found([None, *PEOPLE.tolist()[1:]], "person_id")
    assert kind == "left out" and "rows lack one" in reason
    frame = pd.DataFrame({"person_id": PEOPLE.astype(float), "half": np.arange(N) / 2})
    assert "person_id" in dict(Schema.from_data(frame, np.arange(N) % 2).ignored)


def test_the_best_name_is_the_identifier_and_the_others_are_left_out():
    frame = pl.DataFrame(
        {"c": PEOPLE, "case_no": PEOPLE + 1, "patient": PEOPLE + 2, "hhid": PEOPLE + 3, "half": np.arange(N) / 2}
    )
    assert Schema.from_data(frame, np.arange(N) % 2).identifier == Identifier("hhid")
    assert Schema.from_data(frame.drop("hhid"), np.arange(N) % 2).identifier == Identifier("patient")
    assert Schema.from_data(frame.drop("hhid", "patient"), np.arange(N) % 2).identifier == Identifier("case_no")


FIRST, LAST = (
    ("Ann", "Bo", "Carla", "Dmitri", "\u00c9va", "Fe", "Jos\u00e9"),
    ("Smith", "M\u00fcller", "O'Hara", "de Wit", "\u00d6z"),
)
NAMES = [f"{first} {last}" for first in FIRST for last in LAST]


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("c", NAMES * 3, "names of people"),
        ("c", [name + end for end in ("", "son") for name in NAMES] * 30, "names of people"),
        ("c", [f"{name.split()[-1]}, Dr. {name.split()[0]}" for name in NAMES] * 3, "names of people"),
        ("surname", ["Smith", "Khan", "Li", "Roth"] * 200, "lead to single people"),
        ("Name", ["Smith", "Khan", "Li", "Roth"] * 5, "names of people"),
        ("c", [f"p{k % 50}@mail.example.org" for k in range(500)], "lead to single people"),
        ("c", [f"+49 30 {k % 40 + 1000} {k % 40 + 20}" for k in range(500)], "lead to single people"),
        ("c", [f"(555) 010-{k % 40 + 1000}" for k in range(500)], "lead to single people"),
        ("c", ["fine"] * 90 + ["please call 030/1234567 at night", "https://example.org"], "lead to single people"),
        ("c", ["fine"] * 90 + [f"came with pain {k} days after {k} falls" for k in range(10)], "own words"),
        ("c", [f"seen by doctor {k} again" for k in range(N)], "own words"),
        ("phone", [*range(5_550_000, 5_550_300)] * 2, "lead to single people"),
    ],
)
def test_texts_about_people_are_left_out_without_advice_to_use_them(name, values, reason):
    kind, said = _found(values, name)
    assert kind == "left out" and reason in said
    assert "bucket" not in said and "If they are codes" not in said


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("city", ["New York", "Bonn", "San Jose", "Rome"] * 30),
        ("opinion", ["agree strongly", "agree a little", "do not agree", "do not know at all"] * 30),
        ("telephone", ["none", "yes, under her name"] * 100),
        ("school_name", [f"School {k}" for k in range(12)] * 9),
        ("sold", ["01/02/2003", "n/a", "later"] * 100),
        ("part", [f"{k}-{k}-{k}" for k in range(12)] * 9),
    ],
)
def test_answers_and_places_are_categories(name, values):
    assert _found(values, name)[0] == "categorical"


@pytest.mark.parametrize(
    "names",
    [
        ("5.28571", "0.11111", "y"), ("39", "State-gov", "y"), ("2001-02-03", "a", "y"), ("a", "1,5", "y"),
        ("red", "no", "y"), ("True", "b", "y"), ("1", "3", "y"), ("17", "4", "y"), ("$5", "b", "y"), ("a", "?", "y"),
    ],
)  # fmt: skip
def test_names_that_look_like_a_row_are_refused_and_not_repeated(names):
    frame = pl.DataFrame([["red", "blue"] * 60, ["no", "yes"] * 60, ["p", "q"] * 60], schema=list(names))
    for label in ("y", "z"):
        with pytest.raises(SchemaError, match="a file that has no names") as refused:
            Schema.from_data(frame, label)
        assert not any(name in str(refused.value) for name in names[:2] if len(name) > 2)


@pytest.mark.parametrize(
    "names",
    [
        ("0", "1", "y"),
        ("2013", "2014", "y"),
        ("0", "b", "y"),
        ("smoker", "b", "y"),
        ("Q1", "age 5", "y"),
        ("Na", "K+", "y"),
    ],
)
def test_places_years_and_words_are_names(names):
    frame = pl.DataFrame([["smoker", "no"] * 60, ["no", "yes"] * 60, ["p", "q"] * 60], schema=list(names))
    assert Schema.from_data(frame, "y").names == names[:2]
    steps = pl.DataFrame(
        [[0.5] * 30 + [0.25] * 30, [0.1, 0.2] * 30, [0.1, 0.3] * 30, [0, 1] * 30], schema=["400", "410", "430", "y"]
    )
    assert Schema.from_data(steps, "y").names == ("400", "410", "430")
