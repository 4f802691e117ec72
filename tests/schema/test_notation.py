"""How numbers and dates are written: what each form is, what is refused, and what contradicts itself."""

from __future__ import annotations

import math
from datetime import date

import pytest

from tacit.errors import SchemaError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.schema.likely_notation import likely_date, likely_number

GERMAN = {"decimal": ",", "thousands": ".", "signs": ["€", "EUR", "%"], "negatives": "brackets", "below": "<"}
SWISS = {"thousands": "'", "signs": ["CHF", "Fr."], "negatives": "behind"}
FRENCH = {"decimal": ",", "thousands": " ", "below": "<", "below_counts": "half"}
ENGLISH = {"thousands": ",", "signs": ["$", "kg/m2", "m2"], "negatives": "brackets", "below": "<", "below_counts": 7}
PLAIN = {"decimal": ","}
PRICES = {"thousands": "'", "signs": ["CHF", ".-", ".\u2013", ",- \u20ac"], "negatives": "behind"}

READ = [
    (GERMAN, "1.234,50", 1234.5),
    (GERMAN, "1.250", 1250),
    (GERMAN, "-1.250.000", -1_250_000),
    (GERMAN, "980", 980),
    (GERMAN, "4602", 4602),
    (GERMAN, "0,5", 0.5),
    (GERMAN, ",5", 0.5),
    (GERMAN, "5,", 5),
    (GERMAN, "1.234,50 €", 1234.5),
    (GERMAN, "€\u00a07", 7),
    (GERMAN, "EUR -3,5", -3.5),
    (GERMAN, "-€3,5", -3.5),
    (GERMAN, "12 %", 12),
    (GERMAN, "(1.234,50)", -1234.5),
    (GERMAN, "(7 €)", -7),
    (GERMAN, "€ (7)", -7),
    (GERMAN, "<1", 1),
    (GERMAN, "< 0,5 %", 0.5),
    (GERMAN, "<-2", -2),
    (GERMAN, " +3 ", 3),
    (GERMAN, "1,5E+03", 1500),
    (GERMAN, "\u22124", -4),
    (SWISS, "1'234.5", 1234.5),
    (SWISS, "CHF 1\u2019234\u2019567", 1_234_567),
    (SWISS, "Fr.5", 5),
    (SWISS, "5.00-", -5),
    (SWISS, "5 CHF-", -5),
    (SWISS, "5- CHF", -5),
    (FRENCH, "1 234,5", 1234.5),
    (FRENCH, "1\u202f234\u00a0567", 1_234_567),
    (FRENCH, "<1", 0.5),
    (ENGLISH, "1,234.50", 1234.5),
    (ENGLISH, "$(1,234)", -1234),
    (ENGLISH, "24.5 kg/m2", 24.5),
    (ENGLISH, "24m2", 24),
    (ENGLISH, "<1", 7),
    (PLAIN, "4,602", 4.602),
    (PRICES, "CHF 1'200.-", 1200),
    (PRICES, "12.\u2013", 12),
    (PRICES, "12,- \u20ac", 12),
    (PRICES, "CHF 12.50", 12.5),
    (PRICES, "-12.-", -12),
    (PRICES, "12.5-", -12.5),
]
REFUSED = [
    (GERMAN, "1.25"),
    (GERMAN, "1.2500"),
    (GERMAN, "0.123"),
    (GERMAN, "01.234"),
    (GERMAN, "1.234.5"),
    (GERMAN, "12.34.567"),
    (GERMAN, "1,234.5"),
    (GERMAN, "1234.567"),
    (GERMAN, "1 250"),
    (GERMAN, "5-"),
    (SWISS, "CHF 12.-"),
    ({"decimal": ",", "negatives": "behind"}, "5,-"),
    (PRICES, ".-12"),
    (GERMAN, "-5-"),
    (GERMAN, "(-5)"),
    (GERMAN, "(5"),
    (GERMAN, "- 5"),
    (GERMAN, "5 kg"),
    (GERMAN, "5 € €"),
    (GERMAN, ">1"),
    (GERMAN, "<"),
    (GERMAN, "€"),
    (GERMAN, ","),
    (GERMAN, "true"),
    (GERMAN, "inf"),
    (GERMAN, "\u0663"),
    (GERMAN, "1_0"),
    (SWISS, "1,234"),
    (SWISS, "-5-"),
    (FRENCH, "1  234"),
    (FRENCH, "<-1"),
    (ENGLISH, "m25"),
    (ENGLISH, "1,23"),
    (PLAIN, "4.602"),
    (PLAIN, "1.234,5"),
]


def column(fields, **more):
    return Numeric("x", -1e9, 1e9, **fields, **more)


@pytest.mark.parametrize(("fields", "cell", "number"), READ)
def test_what_a_cell_is(fields, cell, number):
    assert column(fields).notation.read(cell) == number


@pytest.mark.parametrize(("fields", "cell"), REFUSED)
def test_what_no_cell_is(fields, cell):
    assert column(fields).notation.read(cell) is None


@pytest.mark.parametrize("cell", ["", " ", "NA", "NaN", "?", "k.A.", "x", " x "])
def test_missing_cells(cell):
    notation = column(PLAIN, replace={"k.A.": ""}, missing_codes=["x", -9], missing=0).notation
    assert math.isnan(notation.read(cell))
    assert notation.read("-9") == -9  # a number, which is compared with codes where all numbers are


def test_what_is_replaced_comes_first():
    notation = column(PLAIN, replace={"none": "0", "half": "0,5", "-": ""}).notation
    assert [notation.read(cell) for cell in ("none", " half ", "None", "half 1")][:2] == [0, 0.5]
    assert math.isnan(notation.read("None"))
    assert math.isnan(notation.read("-"))
    assert notation.read("half 1") is None


DAYS = [
    ("%d.%m.%Y", "24.12.2020", date(2020, 12, 24)),
    ("%d.%m.%Y", "1.2.2020", date(2020, 2, 1)),
    ("%m/%d/%Y", "2/1/2020", date(2020, 2, 1)),
    ("%Y%m%d", "20200229", date(2020, 2, 29)),
    ("%d.%m.%y", "24.12.45", date(1945, 12, 24)),
    ("%d.%m.%y", "24.12.19", date(2019, 12, 24)),
    ("%d%b%Y", "05JAN2001", date(2001, 1, 5)),
    ("%B %d, %Y", "march 3, 1999", date(1999, 3, 3)),
    ("%m/%Y", "7/1999", date(1999, 7, 1)),
    ("%d.%m.%Y or %Y-%m-%d", "03.02.2001", date(2001, 2, 3)),
    ("%d.%m.%Y or %Y-%m-%d", "2001-02-03", date(2001, 2, 3)),
    ("%d.%m.%Y or %b %d, %Y", "Feb 3, 2001", date(2001, 2, 3)),
    ("%d.%m.%Y %H:%M or %d.%m.%Y", "03.02.2001", date(2001, 2, 3)),
    ("%Y%m%d or %d.%m.%y", "3.2.01", date(2001, 2, 3)),
]


@pytest.mark.parametrize(("dates", "cell", "day"), DAYS)
def test_dates(dates, cell, day):
    notation = Numeric("x", "1925-01-01", "2024-12-31", dates=dates).notation
    assert notation.read(f" {cell} ") == (day - date(1970, 1, 1)).days
    assert notation.written(notation.read(cell)) in (cell, DAYS_WRITTEN.get(cell))


DAYS_WRITTEN = {
    "1.2.2020": "01.02.2020",
    "2/1/2020": "02/01/2020",
    "05JAN2001": "05Jan2001",
    "march 3, 1999": "March 03, 1999",
    "7/1999": "07/1999",
    "2001-02-03": "03.02.2001",  # in the first of the formats
    "Feb 3, 2001": "03.02.2001",
    "03.02.2001": "03.02.2001 00:00",
    "3.2.01": "20010203",
}


@pytest.mark.parametrize(
    ("dates", "cell"),
    [
        ("%d.%m.%Y", "30.02.2020"),
        ("%d.%m.%Y", "24.12.20"),
        ("%d.%m.%Y", "24.12.2020 10:00"),
        ("%d.%m.%Y", "2020-12-24"),
        ("%d.%m.%Y", "24/12/2020"),
        ("%d.%m.%Y", "2 4.12.2020"),
        ("%Y%m%d", "2020111"),
        ("%d.%m.%y", "24.12.2020"),
        ("%d.%m.%Y %H:%M", "24.12.2020 24:00"),
        ("%m/%d/%Y %I:%M %p", "1/2/2020 13:00 PM"),
        ("%d.%m.%Y or %Y-%m-%d", "2020-12-24 or 24.12.2020"),
        ("%d.%m.%Y or %Y-%m-%d", "24-12-2020"),
    ],
)
def test_no_dates(dates, cell):
    assert Numeric("x", "1925-01-01", "2024-12-31", dates=dates).notation.read(cell) is None


def test_times():
    notation = Numeric("x", "2020-01-01", "2020-12-31", dates="%m/%d/%Y %I:%M:%S %p").notation
    at = (date(2020, 1, 2) - date(1970, 1, 1)).days
    assert notation.read("1/2/2020 12:00:00 AM") == at
    assert notation.read("1/2/2020 6:00:00 pm") == at + 0.75


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"decimal": ";"}, "decimal to be one of"),
        ({"thousands": "_"}, "thousands to be one of"),
        ({"decimal": ",", "thousands": ","}, "different marks"),
        ({"thousands": "."}, "different marks"),
        ({"negatives": "front"}, "negatives to be one of"),
        ({"signs": []}, "signs"),
        ({"signs": ["-"]}, "signs"),
        ({"signs": ["5"]}, "signs"),
        ({"signs": ["e5"]}, "signs"),
        ({"signs": [" €"]}, "signs"),
        ({"signs": ["€", "€"]}, "signs"),
        ({"below": "-"}, "below"),
        ({"below": "€", "signs": ["€"]}, "below"),
        ({"below_counts": "half"}, "below with below_counts"),
        ({"below": "<", "below_counts": float("nan")}, "below_counts"),
        ({"below": "<", "below_counts": "third"}, "below_counts"),
        ({"dates": "%d.%m.%Y"}, "dates as bounds"),
        ({"date_part": "week"}, "date_part to be one of"),
        ({"date_part": "hour", "dates": "%d.%m.%Y"}, "the hour"),
        ({"date_part": "month", "decimal": ","}, "columns of numbers only"),
        ({"low": "2000-01-01", "high": "2010-01-01", "date_part": "year"}, "numbers as bounds"),
        ({"low": "2000-01-01", "high": "2010-01-01", "signs": ["€"]}, "columns of numbers only"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%d.%m."}, "the year"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%d.%m.%Y %Q"}, "directives"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%d.%m.%Y%"}, "directives"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%d.%m.%d.%Y"}, "once"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%d.%m.%Y %I"}, "%I with %p"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": 5}, "a format"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%d.%m.%Y or %d.%m."}, "the year"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": " or ".join(["%d.%m.%Y"] * 6)}, "at most 5 formats"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%d/%m/%Y or %m/%d/%Y"}, "no two"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%Y-%m-%d or %y%m%d or %d%m%y"}, "no two"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%d.%m.%Y %H:%M or %d.%m.%Y %M:%S"}, "no two"),
        ({"low": 1, "high": 12, "date_part": "month", "dates": "%d%m%Y or %m%d%Y"}, "no two"),
        ({"low": "1900-01-01", "high": "2010-01-01", "dates": "%d.%m.%y"}, "the century"),
        ({"low": "2000-01-01", "high": "2010-01-01", "dates": "%d.%m.%Y", "scale": "log"}, "scale"),
        ({"replace": {"5": "6"}}, "no numbers"),
        ({"replace": {"NA": "6"}}, "no numbers"),
        ({"replace": {"x": "y"}}, "numbers or dates as the column has them"),
        ({"replace": {"x": "1,5"}}, "numbers or dates as the column has them"),
        ({"replace": {}}, "replace"),
        ({"replace": {"x": 5}}, "replace"),
        ({"replace": {"": "5"}}, "replace"),
        ({"replace": {" x": "5"}}, "replace"),
        ({"replace": "x"}, "replace"),
    ],
)
def test_contradictions(fields, words):
    with pytest.raises(SchemaError, match=words):
        Numeric(**{"name": "x", "low": 0, "high": 9} | fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"categories": ["a"], "replace": {"b": "c"}},
        {"categories": ["a", "b"], "replace": {"b": "a"}},
        {"categories": ["a"], "replace": {"b": "a", "c": "b"}},
        {"categories": ["a"], "replace": {"x": ""}},
        {"categories": ["a"], "replace": {"1": "a", "1.0": "a"}},
        {"categories": ["1"], "replace": {"01": "1"}},
        {"categories": ["a"], "replace": {"nan": "a"}},
        {"categories": [1, 2], "replace": {"one": "3"}},
        {"categories": ["I"], "match": "prefix", "replace": {"heart": "J"}},
        {"buckets": 8, "replace": {"NaN": "x"}},
    ],
)
def test_contradictions_of_categories(fields):
    with pytest.raises(SchemaError, match="replace"):
        Categorical("x", **fields)


def test_what_is_declared_comes_back():
    columns = [
        Numeric("a", 0, 9, **GERMAN | {"below_counts": "half"}, replace={"none": "0", "k.A.": ""}, missing=1),
        Numeric("b", 0, 9, **ENGLISH),
        Numeric("c", "2000-01-01", "2010-01-01", dates="%d.%m.%Y or %Y-%m-%d"),
        Numeric("d", 1, 12, date_part="month", dates="%d.%m.%y %H:%M"),
        Numeric("e", 0, 23, date_part="hour"),
        Categorical("f", ["female", "male"], replace={"f": "female", "F": "female", "-": ""}, missing="male"),
        Categorical("g", buckets=8, replace={"x": "y"}),
    ]
    schema = Schema(columns, label=Label("y", ["no", "yes"], replace={"n": "no", "0": "no"}))
    assert Schema.from_toml(schema.to_toml()) == schema
    assert 'replace = {none = "0", "k.A." = ""}' in schema.to_toml()
    made = eval(repr(schema), {"Schema": Schema, "Numeric": Numeric, "Categorical": Categorical, "Label": Label})
    assert made == schema
    assert hash(made) == hash(schema)


@pytest.mark.parametrize(
    ("cell", "entry"),
    [
        ("4,5", 'decimal = ","'),
        ("1.234,50", 'decimal = ",", thousands = "."'),
        ("1,234.50", 'thousands = ","'),
        ("4,602", 'decimal = "," or thousands = ","'),
        ("1'250", 'thousands = "\'"'),
        ("1 250,5", 'decimal = ",", thousands = " "'),
        ("(5)", 'negatives = "brackets"'),
        ("5,00-", 'decimal = ",", negatives = "behind"'),
        ("< 1", 'below = "<"'),
        ("12 %", 'signs = ["%"]'),
        ("5 SECRET", "signs = [...]"),
        ("1e-5", ""),
        ("word", ""),
        ("", ""),
        ("24.12.2020", ""),
    ],
)
def test_an_error_names_the_entry_that_would_read_a_cell(cell, entry):
    assert likely_number(cell) == entry


def test_an_error_names_the_format_that_would_read_a_date():
    assert likely_date("24.12.2020") == 'dates = "%d.%m.%Y"'
    assert likely_date("24.12.2020 10:30") == 'dates = "%d.%m.%Y %H:%M"'
    assert likely_date("yesterday") == ""
