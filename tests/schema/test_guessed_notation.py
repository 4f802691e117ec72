"""Numbers, dates and categories as people write them: what drafts propose, and what they name as not known."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tacit.errors import SchemaError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.schema.draft import draft_of
from tacit.schema.guesses.spellings import synonyms
from tacit.schema.missing_codes import StatedCodes
from tacit.table import read_rows
from tacit.table.files import read_features, read_for_draft

N = 300
PAY = [(37 * k) % 9_000 + 700 for k in range(N)]


def _drafted(values, **others):
    """Return the entry of a column of texts, or why it is left out, beside other columns of the same table."""
    rows = range(len(values))
    draft = draft_of(
        pl.DataFrame({"c": values} | others | {"n": [k % 7 for k in rows], "y": [k % 2 for k in rows]}), "y"
    )
    [entry] = [each for each in draft.entries if "c" in each.names]
    columns = {column.name: column for column in draft.schema.columns}
    return columns.get("c", f"{entry.reason}. {entry.way}")


def _german(number, digits):
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


COMMAS, POINTS = [f"{k % 9},5" for k in range(N)], [k % 9 + 0.5 for k in range(N)]


@pytest.mark.parametrize(
    ("written", "fields", "others"),
    [
        (lambda pay: f"{pay},50", {"decimal": ","}, {}),
        (lambda pay: _german(pay + 0.5, 2), {"decimal": ",", "thousands": "."}, {}),
        (lambda pay: _german(pay, 0), {"decimal": ",", "thousands": "."}, {"d": COMMAS}),
        (lambda pay: f"{pay:,}", {"thousands": ","}, {"d": POINTS}),
        (lambda pay: f"{pay:,}.25", {"thousands": ","}, {}),
        (lambda pay: f"{pay:,}".replace(",", "'"), {"thousands": "'"}, {}),
        (lambda pay: f"{pay:,}".replace(",", "\u202f"), {"thousands": " "}, {}),
        (
            lambda pay: f"{pay:,},5".replace(",", " ", 1) if pay > 999 else f"{pay},5",
            {"decimal": ",", "thousands": " "},
            {},
        ),
        (lambda pay: f"\u20ac {pay}", {"signs": ["\u20ac"]}, {}),
        (lambda pay: f"{pay} EUR" if pay % 2 else f"{pay} \u20ac", {"signs": ["EUR", "\u20ac"]}, {}),
        (lambda pay: f"${pay:,}.00", {"signs": ["$"], "thousands": ","}, {}),
        (lambda pay: f"{pay} mg/dl", {"signs": ["mg/dl"]}, {}),
        (lambda pay: f"{pay / 100} %", {"signs": ["%"]}, {}),
        (lambda pay: f"({pay})" if pay % 5 == 0 else f"{pay}", {"negatives": "brackets"}, {}),
        (lambda pay: f"{pay}-" if pay % 5 == 0 else f"{pay}", {"negatives": "behind"}, {}),
        (lambda pay: f"CHF {pay}.-", {"signs": ["CHF", ".-"]}, {}),
        (lambda pay: f"{pay}.\u2013" if pay % 2 else f"{pay}.95", {"signs": [".\u2013"]}, {}),
        (lambda pay: f"{pay},- \u20ac", {"signs": [",- \u20ac"]}, {}),
        (lambda pay: f"{_german(pay, 0)},-", {"decimal": ",", "thousands": ".", "signs": [",-"]}, {}),
        (lambda pay: f"Fr. {pay}", {"signs": ["Fr."]}, {}),
        (lambda pay: f"({pay})" if pay % 3 == 0 else f"{pay}", {"negatives": "brackets"}, {}),
        (lambda pay: "<800" if pay < 800 else f"{pay}", {"below": "<"}, {}),
        (lambda pay: "< 0,5" if pay < 800 else f"{pay},1", {"below": "<", "decimal": ","}, {}),
    ],
)
def test_the_notation_that_reads_every_cell_is_proposed_and_reads_it(written, fields, others):
    cells = [written(pay) for pay in PAY]
    column = _drafted(cells, **others)
    bare = Numeric("c", column.low, column.high, whole=column.whole, missing=column.missing)
    assert column == Numeric("c", bare.low, bare.high, whole=bare.whole, missing=bare.missing, **fields)
    assert column.missing == pytest.approx((column.low + column.high) / 2, rel=0.01)
    numbers = [column.notation.read(cell) for cell in cells]
    assert all(column.low <= number <= column.high for number in numbers)
    assert max(map(abs, numbers)) >= max(PAY) / 100


@pytest.mark.parametrize(
    ("cells", "others", "said"),
    [
        ([f"{pay:,}" for pay in PAY], {}, 'thousands = ","'),
        ([_german(pay, 0) for pay in PAY], {"d": COMMAS, "e": [f"{k % 9}.5" for k in range(N)]}, "thousands"),
        ([f"{pay} kg" if pay % 3 else f"{pay} g" for pay in PAY], {}, "one unit"),
        ([f"{pay} kg" if pay % 3 else f"{pay}" for pay in PAY], {}, "one unit"),
        ([f"${pay}" if pay % 3 else f"\u20ac{pay}" for pay in PAY], {}, "one unit"),
        ([f">{pay}" if pay % 3 else f"{pay}" for pay in PAY], {}, "such as >3"),
        ([f"{k % 12 + 1}/{k % 11 + 1}/2021" for k in range(N)], {}, '"%m/%d/%Y"'),
        ([f"{k % 28 + 1}.{k % 11 + 1}.{k % 70 + 10}" for k in range(N)], {}, "century"),
        ([f"{k % 28 + 1}/2/2020" if k % 2 else f"2/{k % 28 + 1}/2020" for k in range(N)], {}, "the forms that cells"),
        (
            [f"{k % 12 + 1}/2/2020" if k % 2 else f"2020-02-{k % 28 + 1:02d}" for k in range(N)],
            {},
            "the forms that cells",
        ),
        ([f"{k % 28 + 1}.2.20" if k % 2 else f"2020-02-{k % 28 + 1:02d}" for k in range(N)], {}, "century"),
        ([f"2020-02-{k % 28 + 1:02d}T10:00+01:00" for k in range(N)], {}, "day alone"),
    ],
)
def test_what_may_be_read_in_two_ways_is_named_and_not_taken(cells, others, said):
    assert said in _drafted(cells, **others)


@pytest.mark.parametrize(
    ("cells", "written"),
    [
        ([f"{k % 28 + 1}.{k % 11 + 1}.2021" for k in range(N)], "%d.%m.%Y"),
        ([f"{k % 28 + 1:02d}/{k % 11 + 1:02d}/2021" for k in range(N)], "%d/%m/%Y"),
        ([f"{k % 11 + 1}/{k % 28 + 1}/2021" for k in range(N)], "%m/%d/%Y"),
        ([f"2021/{k % 11 + 1}/{k % 28 + 1}" for k in range(N)], "%Y/%m/%d"),
        ([f"2021{k % 11 + 1:02d}{k % 28 + 1:02d}" for k in range(N)], "%Y%m%d"),
        ([f"{k % 28 + 1:02d}MAR2021" for k in range(N)], "%d%b%Y"),
        ([f"March {k % 28 + 1}, 2021" for k in range(N)], "%B %d, %Y"),
        ([f"{k % 12 + 1:02d}/2021" for k in range(N)], "%m/%Y"),
        ([f"2021-{k % 12 + 1:02d}" for k in range(N)], "%Y-%m"),
        ([f"{['Jan', 'Feb', 'Mar', 'Dec'][k % 4]} 2021" for k in range(N)], "%b %Y"),
        ([f"{k % 28 + 1}.3.2021 {k % 24}:30" for k in range(N)], "%d.%m.%Y %H:%M"),
        ([f"2021-03-{k % 28 + 1:02d} 10:30:00" for k in range(N)], None),
        ([dt.datetime(2021, 3, k % 28 + 1, 10) for k in range(N)], None),
        ([20210300 + k % 28 + 1 for k in range(N)], "%Y%m%d"),
        (
            [f"{k % 28 + 1:02d}.03.2021" if k % 3 else f"2021-03-{k % 28 + 1:02d}" for k in range(N)],
            "%Y-%m-%d or %d.%m.%Y",
        ),
        (
            [f"{k % 28 + 1}/3/2021" if k % 3 else f"2021/03/{k % 28 + 1:02d} 10:30" for k in range(N)],
            "%Y/%m/%d %H:%M or %d/%m/%Y",
        ),
        ([f"202103{k % 28 + 1:02d}" if k % 3 else f"{k % 28 + 1}.3.2021" for k in range(N)], "%Y%m%d or %d.%m.%Y"),
        ([f"202103{k % 28 + 1:02d}" if k % 3 else f"2021-03-{k % 28 + 1:02d}" for k in range(N)], "%Y%m%d or %Y-%m-%d"),
        (
            [f"202103{k % 28 + 1:02d}" if k % 90 != 1 else f"3/{k % 28 + 1}/2021" for k in range(N)],
            "%Y%m%d or %m/%d/%Y",
        ),
        ([f"202103{k % 28 + 1:02d}" if k % 3 else f"{k % 28 + 1:02d}MAR2021" for k in range(N)], "%Y%m%d or %d%b%Y"),
        (
            [(f"202103{k % 28 + 1:02d}", f"2021-03-{k % 28 + 1:02d}", f"{k % 28 + 1}.3.2021")[k % 3] for k in range(N)],
            "%Y%m%d or %Y-%m-%d or %d.%m.%Y",
        ),
        (
            [f"{k % 28 + 1} March 2021" if k % 2 else f"{k % 28 + 1} Mar 2021" for k in range(N)],
            "%d %B %Y or %d %b %Y",
        ),
    ],
)
def test_dates_are_days(cells, written):
    column = _drafted(cells)
    assert column == Numeric("c", "2021-01-01", "2021-12-31", missing="2021-07-02", dates=written)
    read = read_rows(pl.DataFrame({"c": cells}), Schema([column], label=Label("y", [0, 1]))).columns["c"]
    assert read[0] // 1 - column.lower in (0, 59)  # the first of January, or of March
    n_days = 28 if "%d" in (written or "%d") else len(set(cells))  # of a month the first day
    assert len(set(read // 1)) >= n_days and column.lower <= read.min() and read.max() <= column.upper + 1


@pytest.mark.parametrize(
    ("written", "code", "dates"),
    [
        (lambda k: 20210300 + k, 99_999_999, "%Y%m%d"),
        (lambda k: 20210300 + k, 0, "%Y%m%d"),
        (lambda k: 20210300 + k, 99_991_231, "%Y%m%d"),
        (lambda k: 20210300 + k, -9, "%Y%m%d"),
        (lambda k: f"202103{k:02d}", "00000000", "%Y%m%d"),
        (lambda k: f"2021-03-{k:02d}", "0000-00-00", None),
        (lambda k: f"2021-03-{k:02d}", "9999-12-31", None),
        (lambda k: f"{k}.3.2021", "99.99.9999", "%d.%m.%Y"),
        (lambda k: f"{k}.3.2021", "31.12.9999", "%d.%m.%Y"),
        (lambda k: f"{k}.3.2021" if k % 2 else f"202103{k:02d}", "88888888", "%Y%m%d or %d.%m.%Y"),
    ],
)
def test_codes_among_dates_stand_for_none(written, code, dates):
    cells = [code if k % 10 == 5 else written(k % 28 + 1) for k in range(N)]
    column = _drafted(cells)
    ways = {"missing": "indicator", "missing_codes": [str(code)], "dates": dates}
    assert column == Numeric("c", "2021-01-01", "2021-12-31", **ways)
    schema = Schema([column], label=Label("y", [0, 1]))
    rows = read_rows(pl.DataFrame({"c": cells}), schema)
    assert rows.columns[schema.names[1]].sum() == N // 10


def test_numbers_of_eight_digits_beside_dates_are_no_dates():
    cells = [f"{k}.3.2021" if k % 2 else str(31_415_926 + 271_828 * k) for k in range(1, 29)] * 9
    assert isinstance(_drafted(cells), str)


def test_the_order_of_days_and_months_is_that_of_the_table():
    unclear = [f"{k % 12 + 1}/{k % 11 + 1}/2021" for k in range(N)]
    for order, clear in (("%d/%m/%Y", "{0}/{1}/2021"), ("%m/%d/%Y", "{1}/{0}/2021")):
        others = [clear.format(k % 28 + 1, k % 11 + 1) for k in range(N)]
        assert _drafted(unclear, d=others).dates == order


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ([".a", ".b", ".z"], (".a", ".b", ".z")), (["#N/A", "#DIV/0!"], ("#DIV/0!", "#N/A")), (["k.A."], ("k.A.",)),
        (["refused", "don't know"], ("don't know", "refused")), (["-"], ("-",)), (["999999", "n/a"], ("n/a", 999_999)),
    ],
)  # fmt: skip
def test_words_among_numbers_are_codes(words, codes):
    for decimal in (".", ","):
        column = _drafted(
            [words[k // 9 % len(words)] if k % 9 == 0 else f"{pay}{decimal}5" for k, pay in enumerate(PAY)]
        )
        assert (column.missing_codes, column.missing, column.decimal) == (codes, "indicator", decimal)
        assert (column.low, column.high) == (500, 10_000)


@pytest.mark.parametrize(
    ("rows", "replace"),
    [
        ({"F": 3, "f": 1, "female": 9, "M": 2, "male": 8}, {"F": "female", "f": "female", "M": "male"}),
        ({"Yes": 9, "yes": 3, "YES": 1, "no": 5}, {"yes": "Yes", "YES": "Yes"}),
        ({"y": 1, "yes": 3, "n": 2, "no": 5}, {"y": "yes", "n": "no"}),
        ({"single": 4, "married": 9, "S": 1, "M": 1}, {"S": "single", "M": "married"}),
        ({"never  married": 1, "Never married": 5, "divorced": 2}, {"never  married": "Never married"}),
        ({">50K": 1, "<=50K.": 2, "a": 1, "a.": 9}, {"a": "a."}),
        ({"w": 1, "weiblich": 3, "m\u00e4nnlich": 5, "m": 2}, {"w": "weiblich", "m": "m\u00e4nnlich"}),
        ({"A": 1, "B": 2, "AB": 3, "0": 4}, {}),
        ({"N": 1, "NE": 2, "E": 3}, {}),
        ({"m": 1, "male": 2, "married": 3}, {}),
        ({"a1": 1, "A1": 2}, {}),
        ({"T": 1, "Ta": 2, "TaTa": 2}, {}),
    ],
)
def test_synonyms(rows, replace):
    assert synonyms(rows) == replace
    cells = [text for text, count in rows.items() for _ in range(10 * count)]
    column = _drafted(cells)
    assert dict(column.replace or ()) == replace
    assert set(column.categories) == set(rows) - set(replace) and column.other


def test_classes_are_replaced_too():
    cells = ["Yes", "no", "yes", "no"] * 30
    frame = pl.DataFrame({"a": [k % 9 / 2 for k in range(120)], "y": cells})
    assert Schema.from_data(frame, "y").label == Label("y", ["Yes", "no"], replace={"yes": "Yes"})


def test_declared_levels_are_no_guess_and_those_of_libraries_are():
    levels, cells = ["low", "mid", "high", "never"], ["low", "high"] * 60
    declared = pl.DataFrame({"c": pl.Series(cells, dtype=pl.Enum(levels)), "n": [0.5, 1.5] * 60, "y": [0, 1] * 60})
    ordered = pd.DataFrame({"c": pd.Categorical(cells, levels, ordered=True), "n": [0.5, 1.5] * 60, "y": [0, 1] * 60})
    for frame, guessed in (
        (declared, ("n", "y")),
        (ordered, ("c", "n", "y")),
        (pa.Table.from_pandas(ordered), None),
    ):
        schema = Schema.from_data(frame, "y")
        assert schema.column("c") == Categorical("c", levels, other=True)
        assert guessed in (None, schema.guessed)
    assert "declared in the file" in draft_of(declared, "y").to_toml()
    few = declared.with_columns(c=pl.Series([None, *cells[1:]], dtype=pl.Enum(levels)))
    assert Schema.from_data(few, "y").column("c") == Categorical("c", levels, other=True)  # whatever rows are missing
    other = pl.DataFrame(
        {"c": pl.Series(cells, dtype=pl.Categorical), "d": pl.Series(["u", "v"] * 60, dtype=pl.Categorical)}
    )
    assert Schema.from_data(other, [0, 1] * 60).column("c").categories == ("high", "low")  # not those of d


FILES = {
    "german": ("pay;age;y\n", "{0};{1},5;{2}\n", {"decimal": ",", "thousands": "."}),
    "cents": ("pay;age;y\n", "{0},50;{1};{2}\n", {"decimal": ",", "thousands": "."}),
    "unclear": ("pay;age;y\n", "{0};{1};{2}\n", None),
    "points": ("pay,age,y\n", "{0},{1}.5,{2}\n", {}),
}


@pytest.mark.parametrize("name", list(FILES))
def test_a_point_in_a_file_is_what_the_file_says(tmp_path, name):
    header, row, fields = FILES[name]
    path = tmp_path / "rows.csv"
    written = (
        [_german(pay, 0) for pay in PAY] if name != "points" else [f"{pay / 1000:.3f}" for pay in np.add(PAY, 1000)]
    )
    path.write_text(header + "".join(row.format(pay, k % 80, k % 2) for k, pay in enumerate(written)))
    draft = draft_of(read_for_draft(path, "y"), "y")
    if fields is None:
        assert "may be of decimals or of thousands" in dict(draft.schema.ignored)["pay"]
        return
    pay = draft.schema.column("pay")
    assert (pay.decimal, pay.thousands) == (fields.get("decimal", "."), fields.get("thousands"))
    read = read_rows(read_features(path, draft.schema, "raise"), draft.schema).columns["pay"]
    first = PAY[0] + 0.5 * (name == "cents") if fields else (PAY[0] + 1000) / 1000
    assert read[0] == first and pay.low <= read.min() and read.max() <= pay.high


def test_codes_may_be_stated_of_single_columns():
    scale = [k % 11 if k % 8 else 77 for k in range(N)]
    frame = pl.DataFrame({"age": [k % 80 for k in range(N)], "trust": scale, "y": [0, 1] * (N // 2)})
    for options, of_age in ((["77"], None), (["trust=77,88", "N"], None), (["age=77", "77"], (77,))):
        drafted = draft_of(frame, "y", StatedCodes.of(options)).schema
        assert (drafted.column("age").missing_codes, drafted.column("trust").missing_codes) == (of_age, (77,))
    with pytest.raises(SchemaError, match="got name='trus'"):
        draft_of(frame, "y", StatedCodes.of(["trus=77"]))
