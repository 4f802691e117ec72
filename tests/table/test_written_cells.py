"""Cells as people write them: what one is alone it is in files, frames and lists, whatever is beside it."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import NaiveBayesClassifier
from tacit.errors import TableError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_labels, read_rows
from tacit.table.cell import moments_of, parts_of
from tacit.table.files import read_features
from tacit.table.files.cells import retyped, typed
from tacit.table.files.workbook import Cells
from tacit.table.written import read_written

Y = Label("y", ["no", "yes"])
NUMBERS = {
    "German": Numeric(
        "x",
        -1e6,
        1e6,
        decimal=",",
        thousands=".",
        signs=["€", "%", "m2"],
        negatives="brackets",
        below="<",
        below_counts="half",
        replace={"none": "0", "k.A.": ""},
    ),
    "Swiss": Numeric("x", -1e6, 1e6, thousands="'", signs=["CHF", "Fr.", "e"], negatives="behind", below="<"),
    "French": Numeric("x", -1e6, 1e6, decimal=",", thousands=" ", below="\u2264", below_counts=7),
    "codes": Numeric("x", -1e6, 1e6, decimal=",", missing_codes=["x", -9, "99"], missing=0),
    "comma": Numeric("x", -1e6, 1e6, decimal=","),
    "signs": Numeric("x", -1e6, 1e6, signs=["$"], missing="indicator"),
}
PIECES = [*"0127.,'\u2019 -\u2212+()<\u2264€%$e", "000", "250", "1.250", "m2", "CHF", "Fr.", "E+02", "\u00a0", "\u202f"]
PIECES += ["none", "k.A.", "NA", "x", "99", "-9", "\t", "\u2003", "\u0663", "½", "nan", "inf", "true"]
DATES = {
    "German": Numeric("x", "1950-01-01", "2030-12-31", dates="%d.%m.%Y or %Y-%m-%d"),
    "two digits": Numeric("x", "1925-01-01", "2024-12-31", dates="%d.%m.%y", replace={"never": "31.12.24"}),
    "times": Numeric("x", 0, 23, dates="%m/%d/%Y %I:%M %p", date_part="hour"),
    "months": Numeric("x", 1, 12, dates="%d%b%Y", date_part="month", missing_codes=["x", 99], missing=1),
    "digits": Numeric("x", 1, 7, dates="%Y%m%d", date_part="weekday"),
    "ISO": Numeric("x", 1950, 2030, date_part="year"),
}
MOMENTS = [
    "01.02.2020",
    "1.2.2020",
    "31.04.2020",
    "24.12.45",
    "24.12.19",
    "2020-12-24",
    "2020-12-24 10:30",
    "never",
    "x",
]
MOMENTS += [
    "1/2/2020 6:30 PM",
    "13/2/2020 6:30 PM",
    "05JAN2001",
    "5jan2001",
    "20201224",
    "2020122",
    "99",
    "",
    "NA",
    " 1 ",
]


def schema_of(column):
    return Schema([column], label=Y)


def alone(cell, column):
    """Return what a list of one row is read as; NaN and the text "nan" are the same missing cell."""
    return read_rows([[cell]], schema_of(column), on_invalid="coerce").columns["x"].tolist()[0]


def together(cells, column):
    """Return what a column of texts is read as in a file, in frames of text and in a list of rows."""
    schema, series = schema_of(column), pl.Series("x", cells, dtype=pl.String)
    frames = {"file": typed(series, column, "coerce").to_frame("x"), "text": series.to_frame()}
    frames["rows"] = [[cell] for cell in cells]
    return {name: read_rows(frame, schema, on_invalid="coerce").columns["x"].tolist() for name, frame in frames.items()}


@pytest.mark.parametrize("name", NUMBERS)
@given(cells=st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_numbers_are_what_each_cell_is_alone(name, cells):
    column = NUMBERS[name]
    wanted = [alone(cell, column) for cell in cells]
    assert together(cells, column) == {"file": wanted, "text": wanted, "rows": wanted}


FORMS = [
    *("1.250", "1.25", "0.125", "1.234,5", "1234,5", ",5", "5,", "4.602", "1'250", "1\u2019250", "1 250"),
    *("1\u202f250,5", "<1", "< 1,5 %", "<-1", "\u22641", "\u2264 -2", "(5)", "€ (5)", "(-5)", "5-", "5 CHF-", "-Fr.5"),
    *("\u22125", "- 5", "12 %", "24m2", "5e3", "$5", "none", "k.A.", "x", "99", "-9", "NA", "", "inf", "1" * 400),
]  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_columns_are_read_as_their_cells(name):
    notation = NUMBERS[name].notation
    read, texts = read_written(pl.Series("x", FORMS), notation)
    alone = [notation.read(cell) for cell in FORMS]
    assert read.to_list() == [None if number is None or math.isnan(number) else number for number in alone]
    assert texts.is_null().to_list() == [number is not None and math.isnan(number) for number in alone]


@given(
    number=st.floats(-1e6, 1e6).map(lambda number: round(number, 3)),
    name=st.sampled_from(list(NUMBERS)),
    others=st.lists(st.sampled_from(["5", "x", "NA", ""]), max_size=2),
)
@settings(max_examples=50, deadline=None)
def test_numbers_come_back_as_they_were_written(number, name, others):
    column = NUMBERS[name]
    if number not in (-9, 99):
        assert all(read[-1] == number for read in together([*others, column.notation.written(number)], column).values())


@pytest.mark.parametrize("name", DATES)
@given(cells=st.lists(st.sampled_from(MOMENTS) | st.dates().map("{0:%d.%m.%Y}".format), min_size=1, max_size=6))
@settings(max_examples=20, deadline=None)
def test_dates_are_what_each_cell_is_alone(name, cells):
    column = DATES[name]
    # What is a moment in a file without a format but no ISO text of Python's is a matter of its own.
    wanted = [alone(cell if cell.strip() not in ("", "NA") else None, column) for cell in cells]
    assert together(cells, column)["file"] == wanted
    if column.notation:
        assert together(cells, column) == {"file": wanted, "text": wanted, "rows": wanted}


def test_what_dates_are():
    assert alone("24.12.2020", DATES["German"]) == (date(2020, 12, 24) - date(1970, 1, 1)).days
    assert alone("never", DATES["two digits"]) == (date(2024, 12, 31) - date(1970, 1, 1)).days
    assert alone("1/2/2020 6:59 PM", DATES["times"]) == 18
    assert alone("05JAN2001", DATES["months"]) == 1
    assert alone("20201224", DATES["digits"]) == alone(20201224, DATES["digits"]) == 4
    assert alone(datetime(2003, 5, 1, 7), DATES["ISO"]) == alone("2003-05-01", DATES["ISO"]) == 2003


def test_typed_cells_are_what_they_are():
    column = NUMBERS["German"]
    for frame in (pl.DataFrame({"x": [1.25, -3.0]}), np.array([[1.25], [-3.0]]), [[1.25], [-3]]):
        assert read_rows(frame, schema_of(column)).columns["x"].tolist() == [1.25, -3]
    mixed = [["1.250"], [1.25], [True], [None], [date(2000, 1, 1)]]
    middle = column.middle
    assert read_rows(mixed, schema_of(column), on_invalid="coerce").columns["x"].tolist() == [
        1250, 1.25, 1, middle, middle,
    ]  # fmt: skip
    moments = pl.DataFrame({"x": [date(2020, 12, 24), date(2021, 1, 1)]})
    assert read_rows(moments, schema_of(DATES["months"])).columns["x"].tolist() == [12, 1]
    assert read_rows(moments, schema_of(DATES["digits"])).columns["x"].tolist() == [4, 5]
    assert read_rows(pl.DataFrame({"x": [20201224, 20210101]}), schema_of(DATES["digits"])).columns["x"].tolist() == [
        4,
        5,
    ]
    with pytest.raises(TypeError, match="Expected dates in column 'x', got a column of numbers"):
        read_rows(pl.DataFrame({"x": [12, 1]}), schema_of(DATES["months"]))


@given(
    numbers=st.lists(st.integers(1, 31), min_size=1, max_size=5),
    part=st.sampled_from(["year", "month", "day", "weekday", "hour"]),
)
def test_parts_of_moments_are_the_numbers(numbers, part):
    most = {"year": 31, "month": 12, "day": 31, "weekday": 7, "hour": 23}[part]
    column = Numeric("x", 0, 99, date_part=part)
    moments = moments_of([*numbers, math.nan], column)
    assert read_rows(pl.DataFrame({"x": moments}), schema_of(column), on_invalid="coerce").columns["x"].tolist() == [
        *(min(number, most) for number in numbers), column.middle,
    ]  # fmt: skip


def test_parts_are_those_of_the_calendar():
    moments = [datetime(1899, 12, 31, 23, 59, 59, 999_999), datetime(1970, 1, 1), datetime(2024, 2, 29, 13)]
    days = np.array([(moment - datetime(1970, 1, 1)).total_seconds() / 86400 for moment in moments])
    for part in ("year", "month", "day", "hour"):
        found = parts_of(days, part).tolist()
        assert found[1:] == [getattr(moment, part) for moment in moments[1:]]
    assert parts_of(days, "weekday").tolist() == [moment.isoweekday() for moment in moments]
    assert parts_of(days, "year").tolist()[0] == 1899


@pytest.mark.parametrize(
    ("cells", "column", "words"),
    [
        (["4,5", "1"], Numeric("x", 0, 9), 'write decimal = "," for it'),
        (["1", "1.234,50"], Numeric("x", 0, 9), 'write decimal = ",", thousands = "." for it'),
        (["1", "5 SECRET"], Numeric("x", 0, 9), r"write signs = \[...\] for it"),
        (["1.25", "4,602"], NUMBERS["comma"], "as the schema says they are written"),
        (["24.12.2020"], Numeric("x", "2000-01-01", "2020-12-31"), 'write dates = "%d.%m.%Y" for it'),
        (["24/12/2020"], DATES["German"], "as the schema says they are written"),
    ],
)
def test_what_is_not_read_is_refused_and_never_shown(cells, column, words, tmp_path):
    (tmp_path / "t.csv").write_text("x\n" + "".join(f'"{cell}"\n' for cell in cells))
    sources = [lambda: read_features(tmp_path / "t.csv", schema_of(column), "raise")]
    sources += [lambda: read_rows(pl.DataFrame({"x": cells}), schema_of(column))]
    sources += [lambda: read_rows([[cell] for cell in cells], schema_of(column))]
    for read in sources:
        with pytest.raises(TableError, match=words) as caught:
            read()
        assert not any(cell in str(caught.value) for cell in cells if len(cell) > 1)


def test_texts_of_digits_are_refused_where_nothing_is_declared():
    with pytest.raises(TypeError, match="texts of digits in a column of text"):
        read_rows(pl.DataFrame({"x": ["34", "5"]}), schema_of(Numeric("x", 0, 90)))


SEX = Categorical("x", ["female", "male"], missing="male", replace={"f": "female", "F": "female", "1": "male", "-": ""})
HEART = Categorical("x", ["I", "I21"], match="prefix", other=True, replace={"heart": "I21.4", "In": "I"})


@pytest.mark.parametrize(
    ("column", "cells", "codes"),
    [
        (SEX, ["f", " F ", "male", "1", "-"], [0, 0, 1, 1, 1]),
        (SEX, ["1.0", "female", "", "01", "f"], [1, 0, 1, 1, 0]),
        (Categorical("x", [1, 2], other=True, replace={"one": "1", "9": "2"}), ["one", "9", "9.0", "1"], [0, 1, 1, 0]),
        (Categorical("x", [False, True], replace={"ja": "true", "nein": "false"}), ["ja", "nein", "true"], [1, 0, 1]),
        (HEART, ["heart", "I63", "In", "In1", "x"], [1, 0, 0, 0, 2]),
    ],
)
def test_synonyms_are_the_categories(column, cells, codes):
    schema, series = schema_of(column), pl.Series("x", cells, dtype=pl.String)
    assert (
        read_rows(typed(series, column, "coerce").to_frame("x"), schema, on_invalid="coerce").columns["x"].tolist()
        == codes
    )
    one_by_one = [read_rows([[cell or None]], schema, on_invalid="coerce").columns["x"].tolist()[0] for cell in cells]
    assert [code if cell != "?" else 2 for code, cell in zip(one_by_one, cells, strict=True)] == codes


def test_synonyms_that_are_numbers_go_by_value():
    column = Categorical("x", ["female", "male"], replace={"1": "male", "2": "female"})
    for cells in ([1, 2], [1.0, 2.0], ["1", "2"], ["1.0", "02"]):
        assert read_rows(pl.DataFrame({"x": cells}), schema_of(column)).columns["x"].tolist() == [1, 0]
    codes = Categorical("x", buckets=50, replace={"7": "seven"})
    found = read_rows([["seven"], ["7"], [7], ["07"], [7.0]], schema_of(codes)).columns["x"].tolist()
    assert len(set(found)) == 1


def test_synonyms_of_labels():
    label = Label("y", ["no", "yes"], replace={"n": "no", "0": "no", "1": "yes"})
    for labels in (["n", "yes", "1"], [0, 1, 1], np.array([0.0, 1.0, 1.0]), pl.Series(["0", " 1 ", "yes"])):
        assert read_labels(labels, label).tolist() == [0, 1, 1]
    with pytest.raises(TableError):
        read_labels(["n", "maybe"], label)


def test_a_file_and_a_single_row_are_fitted_and_served_alike(tmp_path):
    ages = np.random.default_rng(0).integers(200, 9000, 300)
    rows = "".join(
        f"{age:,};{'f' if age % 2 else 'm'};{'yes' if age > 4500 else 'n'}\n".replace(",", ".") for age in ages
    )
    (tmp_path / "t.csv").write_text("pay;sex;y\n" + rows)
    sex = Categorical("sex", ["female", "male"], replace={"f": "female", "m": "male"})
    schema = Schema(
        [Numeric("pay", 0, 10_000, thousands=".", decimal=","), sex],
        label=Label("y", ["no", "yes"], replace={"n": "no"}),
    )
    model = NaiveBayesClassifier(schema, epsilon=50).fit(tmp_path / "t.csv").model_
    served = [pl.DataFrame({"pay": ["9.000"], "sex": ["f"]}), pl.DataFrame({"pay": [9000.0], "sex": ["female"]})]
    served += [[["9.000,0", "m"]], [[9000, "m"]]]
    assert [model.predict(row).tolist() for row in served] == [["yes"]] * 4
    assert model.predict([["200", "f"]]).tolist() == ["no"]


@pytest.mark.parametrize(
    ("ways", "code", "missing", "there"),
    [
        ({"decimal": ",", "thousands": "."}, "9.999", ["9999", 9999.0, "9.999,0"], ["9,999", 9.999]),
        ({"decimal": ",", "thousands": "."}, "-1.000", [-1000, "\u22121.000"], ["-1", -1.0]),
        ({"decimal": ","}, "9,9", ["9,90", 9.9], ["99", 9.0]),
        ({"thousands": "'"}, "9'999", ["9999", 9999], ["9", 9.999]),
        ({"decimal": ","}, "9.9", ["9.9"], ["9,9", 9.9]),
        ({"negatives": "brackets"}, "(9)", ["-9", -9.0], ["9", 9]),
        ({"signs": ["%"]}, "99 %", ["99", 99, "99%"], ["9 %", 9]),
        ({"below": "<"}, "<1", ["<1"], ["1", "< 1", 1.0]),
    ],
)
def test_codes_of_missing_numbers_are_written_as_cells_are(ways, code, missing, there):
    schema = Schema([Numeric("x", -1e5, 1e5, missing=7, missing_codes=[code], **ways)], label=Y)
    read = read_rows([[cell] for cell in (code, *missing, *there)], schema).columns["x"]
    assert (read == 7).tolist() == [True] * (1 + len(missing)) + [False] * len(there)


DAY, ELSE = datetime(2020, 1, 2), datetime(2010, 1, 1)
"""What a cell is, and what a missing one counts as."""
DOORS = {
    "polars": lambda cells: pl.DataFrame({"x": cells}),
    "Arrow": lambda cells: pl.DataFrame({"x": cells}).to_arrow(),
    "pandas": lambda cells: pd.DataFrame({"x": cells}),
    "pandas with a missing cell": lambda cells: pd.DataFrame({"x": [*cells, None]}),
    "objects": lambda cells: np.array([[cell] for cell in cells], dtype=object),
    "doubles": lambda cells: np.array([[float(cell)] for cell in cells]),
}


def of_sheet(cells):
    nothing = [None] * len(cells)
    return Cells(
        pl.Series(nothing, dtype=pl.String), pl.Series(cells, dtype=pl.Float64), pl.Series(nothing, dtype=pl.Datetime)
    )


FILES = {
    "Parquet": lambda cells, column: retyped(pl.Series(cells), column, "raise"),
    "Parquet with a missing cell": lambda cells, column: retyped(pl.Series([*cells, None]), column, "raise"),
    "sheet": lambda cells, column: of_sheet(cells).read(column, "raise"),
}


def days_in(given, schema):
    return [datetime(1970, 1, 1) + timedelta(days=number) for number in read_rows(given, schema).columns["x"].tolist()]


@pytest.mark.parametrize(
    ("cell", "ways", "day"),
    [
        (99_999_999, {"missing_codes": [99_999_999]}, ELSE),
        (99_999_999, {"missing_codes": [99_999_999.0]}, ELSE),
        (99_999_999, {"replace": {"99999999": "20200102"}}, DAY),
        (0, {"missing_codes": [0]}, ELSE),
        (0, {"replace": {"0": ""}}, ELSE),
        (0, {"missing_codes": ["00000000"]}, ELSE),
        (0, {"replace": {"00000000": "20200102"}}, DAY),
        (-1, {"missing_codes": ["x", -1]}, ELSE),
        (999, {"replace": {"0999": "", "x": "20200102"}}, ELSE),
    ],
)
def test_a_code_among_dates_that_are_whole_numbers_goes_by_its_value(cell, ways, day):
    """Where a library made numbers of all cells, zeros in front are gone; in text they are what is written."""
    column = Numeric("x", "2000-01-01", "2030-12-31", missing="2010-01-01", dates="%Y%m%d", **ways)
    for name, make in DOORS.items():
        assert days_in(make([20_200_102, cell]), schema_of(column))[:2] == [DAY, day], name
    for name, read in FILES.items():
        found = pl.DataFrame({"x": read([20_200_102, cell], column)})
        assert days_in(found, schema_of(column))[:2] == [DAY, day], name
    code = str(next(iter(ways.get("replace", ways.get("missing_codes"))))).removesuffix(".0")
    texts = typed(pl.Series(["20200102", "-1" if code == "x" else code]), column, "raise")
    assert days_in(pl.DataFrame({"x": texts}), schema_of(column)) == [DAY, day]


@pytest.mark.parametrize("ways", [{}, {"dates": "%d.%m.%Y"}, {"dates": "%d%m%Y"}])
def test_a_code_that_is_a_number_is_one_among_objects_and_no_other_number_is(ways):
    column = Numeric("x", "2000-01-01", "2030-12-31", missing="2010-01-01", missing_codes=[0, 9999], **ways)
    for cell in (0, 0.0, 9999, np.int32(9999), "9999"):
        assert days_in([[DAY], [cell], [None]], schema_of(column)) == [DAY, ELSE, ELSE]
    for cell in (1, 20_200_102, 0.5, True):
        with pytest.raises(TableError, match="Expected dates in column 'x'"):
            read_rows([[DAY], [cell]], schema_of(column))
    for cells in ([0, 9999], [0.0, math.nan]):
        with pytest.raises(TypeError, match="a column of numbers"):
            read_rows(np.array([cells]).T, schema_of(column))
