"""Files in ten conventions, from the file to predictions: drafts that are right, or say what they cannot know."""

from __future__ import annotations

import datetime as dt
import gzip
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit import NaiveBayesClassifier
from tacit.errors import SchemaError, TableError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.schema.draft import draft_of
from tacit.table.files import read_features, read_for_draft, read_with_labels
from tacit.table.files.several import Files

N = 300
DRAW = np.random.default_rng(7)
AGES = DRAW.integers(18, 90, N).tolist()
PAY = DRAW.lognormal(8, 0.7, N).clip(250, 19_000).round(2).tolist()
PROFIT = DRAW.normal(0, 2_000, N).clip(-8_000, 8_000).round(2).tolist()
DAYS = [dt.date(2015, 1, 1) + dt.timedelta(days) for days in DRAW.integers(0, 2_000, N).tolist()]
SHARES = DRAW.uniform(0.2, 99, N).round(1).tolist()
OLD = [age > 50 for age in AGES]
DAY = {"low": "2015-01-01", "high": "2020-12-31", "missing": "2017-12-31"}
AGE = {"low": 10, "high": 100, "whole": True}
MONEY = {"low": 200, "high": 20_000, "missing": 10_100}


@dataclass(frozen=True)
class Case:
    """Columns as texts, how they become a file, and what their draft is."""

    columns: dict[str, list[Any]]
    write: Callable[[Path, dict[str, list[Any]]], Path]
    expected: tuple[Numeric | Categorical, ...]
    label: Label
    left_out: tuple[str, ...] = ()
    person: str | None = None
    says: dict[str, str] = field(default_factory=dict)
    """Parts of what the draft says of single columns."""
    odd: dict[str, list[Any]] = field(default_factory=dict)
    """Cells of rows that come later: missing ones and such as no row had."""


def _csv(separator: str = ",", encoding: str = "utf-8", *, packed: bool = False, ending: str = "csv"):
    def write(folder: Path, columns: dict[str, list[Any]]) -> Path:
        lines = [separator.join(columns)] + [
            separator.join(map(str, row)) for row in zip(*columns.values(), strict=True)
        ]
        content = ("\n".join(lines) + "\n").encode(encoding)
        path = folder / f"rows.{ending}"
        path.write_bytes(gzip.compress(content) if packed else content)
        return path

    return write


def _hive(folder: Path, columns: dict[str, list[Any]]) -> Path:
    frame = pl.DataFrame(columns)
    for (year,), part in frame.group_by("year"):
        place = folder / "rows" / f"year={year}"
        place.mkdir(parents=True)
        part.drop("year").write_parquet(place / "part.parquet")
    return folder / "rows"


def _xlsx(folder: Path, columns: dict[str, list[Any]]) -> Path:
    pytest.importorskip("fastexcel")
    pytest.importorskip("xlsxwriter")
    pl.DataFrame(columns).write_excel(folder / "rows.xlsx")
    return folder / "rows.xlsx"


def _sav(folder: Path, columns: dict[str, list[Any]]) -> Path:
    survey = pytest.importorskip("pyreadstat")
    pandas = pytest.importorskip("pandas")
    survey.write_sav(
        pandas.DataFrame(columns, dtype=float),
        str(folder / "rows.sav"),
        variable_value_labels={
            "sex": {1.0: "male", 2.0: "female"},
            "satisfied": {1.0: "no", 2.0: "rather", 3.0: "yes", 8.0: "do not know", 9.0: "refused"},
            "vote": {0.0: "no", 1.0: "yes"},
        },
        missing_ranges={"satisfied": [8, 9], "age": [-1]},
    )
    return folder / "rows.sav"


def _said(yes: str, no: str) -> list[str]:
    return [yes if old else no for old in OLD]


def _every(step: int, codes: list[Any], cells: list[Any]) -> list[Any]:
    """Return the cells, of which every so many-th is a code."""
    return [codes[k // step % len(codes)] if k % step == 0 else cell for k, cell in enumerate(cells)]


def _german(number: float, digits: int = 2) -> str:
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def _french(number: float, blank: str) -> str:
    return f"{number:,.2f}".replace(",", blank).replace(".", ",")


def _dollars(number: float) -> str:
    return f'"(${-number:,.2f})"' if number < 0 else f'"${number:,.2f}"'


def _coded(name: str, high: int, codes: list[int], low: int = 0) -> Numeric:
    return Numeric(name, low, high, whole=True, missing="indicator", missing_codes=codes)


def _french_case(blank: str, encoding: str) -> Case:
    return Case(
        {
            "d\u00e9partement": [("75", "2A", "13")[k % 3] for k in range(N)],
            "revenu": [f"{_french(pay, blank)} \u20ac" for pay in PAY],
            "part": [f"{share} %".replace(".", ",") for share in SHARES],
            "n\u00e9 le": [f"{day:%d/%m/%Y}" for day in DAYS],
            "r\u00e9pondu": _said("oui", "non"),
        },
        _csv(";", encoding),
        (
            Categorical("d\u00e9partement", ["13", "2A", "75"], other=True),
            Numeric("revenu", decimal=",", thousands=" ", signs=["\u20ac"], **MONEY),
            Numeric("part", 0.2, 100, missing=50.1, decimal=",", signs=["%"]),
            Numeric("n\u00e9 le", dates="%d/%m/%Y", **DAY),
        ),
        Label("r\u00e9pondu", ["non", "oui"]),
        odd={"d\u00e9partement": ["", "974"], "revenu": ["", f"1{blank}234,5"]},
    )


CASES = {
    "survey codes": Case(
        {
            "idno": [str(k * 7919 % 99_991) for k in range(1, N + 1)],
            "trust": _every(9, [77, 88, 99], [k % 11 for k in range(N)]),
            "left": _every(9, [7, 8, 9], [k % 5 + 1 for k in range(N)]),
            "scale": _every(9, [7, 8, 9], [k % 7 for k in range(N)]),
            "income": _every(9, [97, 98, 99], [k % 10 + 1 for k in range(N)]),
            "hours": _every(9, [998, 999], [k * 7 % 80 for k in range(N)]),
            "age": _every(9, [-9, -8, -1], AGES),
            "vote": _said("yes", "no"),
        },
        _csv(),
        (
            _coded("trust", 10, [77, 88, 99]),
            _coded("left", 5, [7, 8, 9], low=1),
            Numeric("scale", 0, 10, whole=True, missing=5),
            _coded("income", 10, [97, 98, 99], low=1),
            _coded("hours", 100, [998, 999]),
            _coded("age", 100, [-9, -8, -1], low=10),
        ),
        Label("vote", ["no", "yes"]),
        ("idno",),
        says={"scale": "missing_codes = [7, 8, 9]"},
        odd={"trust": ["", "88"], "hours": ["998", ""], "age": ["-1", "200"]},
    ),
    "German": Case(
        {
            "Kunden-Nr.": [str(100_000 + 7 * k) for k in range(N)],
            "Einkommen": [_german(pay) for pay in PAY],
            "Kauf am": [f"{day:%d.%m.%Y}" for day in DAYS],
            "Stra\u00dfe": [f"Hauptstra\u00dfe {k % 90 + 1}" for k in range(N)],
            "PLZ": [("01067", "10115", "80331")[k % 3] for k in range(N)],
            "gek\u00fcndigt": _said("ja", "nein"),
        },
        _csv(";", "latin-1"),
        (
            Numeric("Einkommen", decimal=",", thousands=".", **MONEY),
            Numeric("Kauf am", dates="%d.%m.%Y", **DAY),
            Categorical("PLZ", ["01067", "10115", "80331"], other=True),
        ),
        Label("gek\u00fcndigt", ["ja", "nein"]),
        ("Kunden-Nr.", "Stra\u00dfe"),
        odd={"Einkommen": ["", "1.000"], "Kauf am": ["1.2.2016", ""], "PLZ": ["99999", ""]},
    ),
    "French": _french_case("\u00a0", "cp1252"),
    "French, narrow blanks": _french_case("\u202f", "utf-8"),
    "US": Case(
        {
            "Account": [f"A{k:05d}" for k in range(N)],
            "Profit": [_dollars(profit) for profit in PROFIT],
            "Rate": [f"{share}%" for share in SHARES],
            "Opened": [f"{day:%m/%d/%Y}" for day in DAYS],
            "Visits": [f'"{k * k % 4_900 + 20:,}"' for k in range(N)],
            "Phone": [f"({200 + k}) 555-{1000 + 7 * k}" for k in range(N)],
            "Churn": _said("Yes", "No"),
        },
        _csv(),
        (
            Numeric("Profit", -10_000, 10_000, missing=0, thousands=",", signs=["$"], negatives="brackets"),
            Numeric("Rate", 0.2, 100, missing=50.1, signs=["%"]),
            Numeric("Opened", dates="%m/%d/%Y", **DAY),
            Numeric("Visits", 20, 5_000, whole=True, missing=2_510, thousands=","),
        ),
        Label("Churn", ["No", "Yes"]),
        ("Account", "Phone"),
        odd={"Profit": ["", '"($1,234)"'], "Rate": ["5 %", ""], "Visits": ["", '"1,000"']},
    ),
    "hive folder": Case(
        {
            "age": AGES,
            "site": [("north", "south")[k % 2] for k in range(N)],
            "year": [2019 + k % 3 for k in range(N)],
            "y": _said("yes", "no"),
        },
        _hive,
        (
            Numeric("age", missing=55, **AGE),
            Categorical("site", ["north", "south"], other=True),
            Categorical("year", [2019, 2020, 2021], other=True),
        ),
        Label("y", ["no", "yes"]),
        odd={"age": [None, 30], "site": ["east", None], "year": [2022, 2023]},
    ),
    "SPSS": Case(
        {
            "ID": [float(k) for k in range(1, N + 1)],
            "sex": [k % 2 + 1.0 for k in range(N)],
            "age": _every(9, [-1.0], [float(age) for age in AGES]),
            "satisfied": _every(9, [8.0, 9.0], [k % 3 + 1.0 for k in range(N)]),
            "vote": [float(old) for old in OLD],
        },
        _sav,
        (
            Categorical("sex", ["male", "female"], other=True),
            Numeric("age", missing="indicator", **AGE),
            Categorical("satisfied", ["no", "rather", "yes"], other=True),
        ),
        Label("vote", ["no", "yes"]),
        ("ID",),
        odd={"sex": [None, 3.0], "age": [-1.0, None], "satisfied": [9.0, 4.0]},
    ),
    "xlsx": Case(
        {
            "Case No": list(range(5_000, 5_000 + N)),
            "Age": AGES,
            "Admitted": DAYS,
            "Cost": PAY,
            "Ward": [("A1", "B2", "C3")[k % 3] for k in range(N)],
            "Died": _said("yes", "no"),
        },
        _xlsx,
        (
            Numeric("Age", missing=55, **AGE),
            Numeric("Admitted", **DAY),
            Numeric("Cost", **MONEY),
            Categorical("Ward", ["A1", "B2", "C3"], other=True),
        ),
        Label("Died", ["no", "yes"]),
        ("Case No",),
        odd={"Age": [None, 20], "Admitted": [None, dt.date(2016, 5, 1)], "Ward": ["D4", None]},
    ),
    "csv.gz": Case(
        {
            "patient_id": [10_000 + (k // 3) * 577 % 80_021 for k in range(N)],
            "icd10": [f"{'ABCDIJ'[k % 6]}{k * 7 % 90 + 10}.{k % 8}" for k in range(N)],
            "seen": [f"{day:%Y-%m-%d}" if k % 3 else f"{day:%d.%m.%Y}" for k, day in enumerate(DAYS)],
            "sex": [("F", "f", "female", "M", "male")[k % 5] for k in range(N)],
            "crp": ["<1" if k % 10 == 0 else f"{k * 13 % 190 + 1.5}" for k in range(N)],
            "y": [int(old) for old in OLD],
        },
        _csv(packed=True, ending="csv.gz"),
        (
            Categorical("icd10", list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), match="prefix", other=True),
            Numeric("seen", dates="%Y-%m-%d or %d.%m.%Y", **DAY),
            Categorical(
                "sex", ["female", "male"], other=True, replace={"F": "female", "M": "male", "f": "female"}
            ),
            Numeric("crp", 1, 200, missing=100, below="<"),
        ),
        Label("y", [0, 1]),
        person="patient_id",
        odd={"icd10": ["", "U07.1"], "seen": ["", "1.2.2016"], "sex": ["m", ""], "crp": ["< 1", ""]},
    ),
    "UTF-16": Case(
        {
            "Alter": AGES,
            "Ort": [("K\u00f6ln", "\u0141\u00f3d\u017a", "\u0391\u03b8\u03ae\u03bd\u03b1")[k % 3] for k in range(N)],
            "Betrag": [f"{pay}".replace(".", ",") for pay in PAY],
            "krank": _said("ja", "nein"),
        },
        _csv("\t", "utf-16", ending="txt"),
        (
            Numeric("Alter", missing=55, **AGE),
            Categorical("Ort", ["K\u00f6ln", "\u0141\u00f3d\u017a", "\u0391\u03b8\u03ae\u03bd\u03b1"], other=True),
            Numeric("Betrag", decimal=",", **MONEY),
        ),
        Label("krank", ["ja", "nein"]),
        odd={"Alter": ["", "7"], "Ort": ["Paris", ""], "Betrag": ["", "7"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CASES))
def test_a_file_in_a_convention_is_drafted_right_fitted_and_served(tmp_path, name):
    case = CASES[name]
    path = case.write(tmp_path, case.columns)
    files = Files.of(path).in_found_encoding()
    draft = draft_of(read_for_draft(path, case.label.name), case.label.name, file=files.written)
    schema = draft.schema
    assert {column.name: column for column in schema.inputs} == {column.name: column for column in case.expected}
    assert schema.label == case.label and set(dict(schema.ignored)) == set(case.left_out)
    assert schema.identifier == (Identifier(case.person) if case.person else None)
    for entry in draft.entries:
        assert case.says.get(entry.name, "") in f"{entry.reason} {entry.way}"
    reviewed = Schema.from_toml(replace(schema, guessed=()).to_toml())
    rows, labels = read_with_labels(path, reviewed, "raise")
    fitted = NaiveBayesClassifier(reviewed, epsilon=20.0, random_state=0).fit(rows, labels)
    assert (fitted.predict(read_features(path, reviewed, "raise")) == np.asarray(labels)).mean() > 0.5
    _serve(fitted, reviewed, case, tmp_path / "later")


def _serve(fitted: NaiveBayesClassifier, schema: Schema, case: Case, folder: Path) -> None:
    """Predict rows that come later, alone and together: no cell of one decides how another is read."""
    given = {column: list(case.columns[column][:2]) for column in case.columns} | case.odd
    scores = []
    for at in (slice(0, 2), slice(0, 1), slice(1, 2)):
        place = folder / f"{at.start}{at.stop}"
        place.mkdir(parents=True)
        path = case.write(place, {column: cells[at] for column, cells in given.items()})
        scores.append(fitted.predict_proba(read_features(path, schema, "raise")))
    assert (np.concatenate(scores[1:]) == scores[0]).all() and np.isfinite(scores[0]).all()


ROWS = [[AGES[k], PAY[k], ("north", "south")[k % 2], ("no", "yes")[OLD[k]]] for k in range(N)]


@pytest.mark.parametrize("label", ["y", "yes", "no"])
def test_a_file_without_names_is_refused_and_reads_with_them(tmp_path, label):
    path = tmp_path / "rows.csv"
    rows = "".join(",".join(map(str, row)) + "\n" for row in ROWS)
    path.write_text(rows)
    with pytest.raises((SchemaError, TableError), match="first line"):
        draft_of(read_for_draft(path, label), label)
    path.write_text("age,pay,site,y\n" + rows)
    schema = draft_of(read_for_draft(path, "y"), "y").schema
    named = Schema.from_data(pl.DataFrame(ROWS, schema=["age", "pay", "site", "y"], orient="row"), "y")
    assert [column.name for column in schema.columns] == ["age", "pay", "site"] and schema == named
