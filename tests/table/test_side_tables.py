"""Features of side tables: each a function of one person's rows and of the schema, whatever else the tables hold."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.side_tables import VISITS, WARDS, by_hand, frame_of, schema_of
from tacit import Categorical, Feature, Label, Numeric, Schema, SideTable, joined
from tacit.errors import ParameterError, SchemaError, TableError
from tacit.table import side_rows
from tacit.table.side_rows import forms_of, numbers_of, step_of

SCHEMA = schema_of()
PERSONS = ("a", "b", "7", "c")
DAY = dt.date(2015, 6, 1)

_days = st.integers(-4200, 400).map(lambda back: DAY + dt.timedelta(days=back))
_near = st.integers(-370, 3).map(lambda back: DAY + dt.timedelta(days=back))
ROWS = st.lists(
    st.tuples(
        st.sampled_from([*PERSONS, "a stranger", None, "NA", ""]),
        st.none() | st.integers(-1000, 3000).map(lambda quarters: quarters / 4),
        st.none() | st.sampled_from(WARDS),
        st.none() | _near | _near | _days,
    ),
    max_size=25,
)


def main_of(admitted=(DAY,) * 4):
    return pl.DataFrame({"person": PERSONS, "age": [1, 2, 3, 4], "admitted": admitted}, schema_overrides={
        "admitted": pl.Date})  # fmt: skip


def made(rows, main=None, schema=SCHEMA):
    found = joined(main_of() if main is None else main, schema, {"visits": frame_of(rows)})
    return found.select(column.name for column in schema.inputs if column.from_table).rows(named=True)


@given(ROWS, st.lists(st.none() | _near | _days, min_size=4, max_size=4))
@settings(max_examples=150, deadline=None)
def test_features_are_those_of_each_person_computed_by_hand(rows, admitted):
    found = made(rows, main_of(admitted))
    assert found == [by_hand(rows, person, day) for person, day in zip(PERSONS, admitted, strict=True)]


@given(ROWS, ROWS, st.sampled_from(PERSONS), st.randoms())
@settings(max_examples=80, deadline=None)
def test_one_persons_rows_change_that_row_alone(rows, others, person, random):
    """Whatever becomes of that person's rows, and in whatever order the table has all of them."""
    kept = [row for row in rows if row[0] != person]
    changed = kept + [row for row in others if row[0] == person]
    random.shuffle(changed)
    before, after = made(rows), made(changed)
    for name, one, other in zip(PERSONS, before, after, strict=True):
        assert name == person or one == other


@given(st.lists(st.floats(-100, 500), min_size=1, max_size=40), st.randoms())
@settings(max_examples=60, deadline=None)
def test_sums_are_the_same_in_any_order(costs, random):
    rows = [("a", cost, None, dt.date(2015, 1, 1)) for cost in costs]
    before = made(rows)[0]
    random.shuffle(rows)
    assert made(rows)[0] == before
    assert before["all costs"] == pytest.approx(sum(costs), abs=len(costs) * 600 / 2**31)


@pytest.mark.parametrize("height", [1, 3, 50])
@given(ROWS, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_features_are_the_same_however_many_rows_are_looked_at_together(height, rows, random):
    several = rows * 7
    random.shuffle(several)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(side_rows, "_STRIP", height)
        found = made(several)
        assert found == [by_hand(several, person, DAY) for person in PERSONS]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("first", [0, 1, 3])
def test_a_file_without_rows_beside_others_changes_nothing(tmp_path, kind, first):
    day = DAY - dt.timedelta(days=1)
    rows = frame_of([("a", 1.0, "lung", day), ("b", 2.0, "skin", day), ("a", 3.0, "lung", day)])
    for name, part in {"1": rows[:first], "2": rows[first:first], "3": rows[first:]}.items():
        (part.write_csv if kind == "csv" else part.write_parquet)(tmp_path / f"{name}.{kind}")
    whole = joined(main_of(), SCHEMA, {"visits": rows})
    assert whole["n"].to_list() == [2, 1, 0, 0]
    assert joined(main_of(), SCHEMA, {"visits": tmp_path}).equals(whole)


def test_of_one_date_the_latest_is_the_highest_and_the_first_the_lowest():
    day = dt.date(2015, 1, 1)
    found = made([("a", 3.0, "lung", day), ("a", 9.0, "heart", day), ("a", -2.0, "skin", day)])[0]
    assert (found["last cost"], found["first cost"], found["last ward"]) == (9, -2, "skin")


def test_a_window_ends_before_its_date_and_begins_with_its_first_day():
    ends = [DAY, DAY - dt.timedelta(days=1), DAY - dt.timedelta(days=365), DAY - dt.timedelta(days=366)]
    assert [made([("a", 1.0, None, day)])[0]["n"] for day in ends] == [0, 1, 1, 0]


def test_one_public_date_is_the_same_for_all():
    schema = schema_of(replace(VISITS, as_of=dt.date(2015, 6, 1)))
    rows = [("a", 1.0, None, dt.date(2015, 5, 31)), ("b", 1.0, None, dt.date(2015, 6, 1))]
    found = made(rows, main_of((None,) * 4), schema)
    assert [row["n"] for row in found] == [1, 0, 0, 0]


def test_dates_beyond_bounds_are_not_moved_into_a_window():
    """Clipped to the last day of the bounds, a row after the person's date would count as one before it."""
    schema = schema_of(replace(VISITS, columns=(*VISITS.columns[:2], Numeric("day", "2010-01-01", "2014-12-31"))))
    rows = [("a", 1.0, None, dt.date(2016, 1, 1)), ("a", 1.0, None, dt.date(2014, 12, 31))]
    assert made(rows, schema=schema)[0]["n"] == 1


def test_without_a_window_rows_without_a_date_count():
    schema = schema_of(replace(VISITS, as_of=None, days=None))
    found = made([("a", 1.0, "lung", None), ("a", 2.0, None, dt.date(2011, 1, 1))], schema=schema)[0]
    assert (found["n"], found["all costs"], found["last cost"], found["days"]) == (2, 3, 2, 0)


@pytest.mark.parametrize("side", [[8, 9, 8], ["8", " 9", "8 "], [8, 9, None, 8]])
@pytest.mark.parametrize("main", [[8, 9, 7], ["8", "9 ", "007"]])
def test_keys_are_read_as_identifiers_are(side, main):
    assert counts(main, side) == [2, 1, 0]


def test_a_text_with_zeros_in_front_is_no_whole_number():
    assert counts(["007", "7"], [7, 7]) == [0, 2]


def counts(main, side, **given):
    visits = Numeric("n", 0, 10, from_table=Feature("t", "count"))
    schema = Schema([visits], label=Label("y", [0, 1]), tables=[SideTable("t", [], key="k", **given)])
    return joined(pl.DataFrame({schema.tables[0].main: main}), schema, {"t": pl.DataFrame({"k": side})})["n"].to_list()


def test_the_main_table_may_call_the_key_something_else():
    assert counts([1, 2], [2], main_key="person") == [0, 1]


@pytest.mark.parametrize(
    ("main", "side", "said"),
    [
        ([1, 1], [1], "got a key twice in column 'k'"),
        ([1, None], [1], "floating-point|a row without one"),
        ([1.0, 2.0], [1], "Expected text or whole numbers in the identifier 'k'"),
        ([1, 2], [1.0], "Expected text or whole numbers in the identifier 'k'"),
        ([1, 2], [dt.date(2000, 1, 1)], "Expected text or whole numbers in the identifier 'k'"),
    ],
)
def test_other_keys_are_refused(main, side, said):
    with pytest.raises(TableError, match=said):
        counts(main, side)


@pytest.mark.parametrize(
    ("main", "tables", "error", "said"),
    [
        (main_of(), {}, TableError, "Expected side table 'visits', got none"),
        (main_of(), [1], ParameterError, "Expected side tables by name, got tables of type list"),
        (main_of(), {"visit": frame_of([])}, ParameterError, "by the names that the schema has for them"),
        (main_of(), {"visits": frame_of([]).drop("cost")}, TableError, "a column named 'cost' in side table 'visits'"),
        (main_of(), {"visits": frame_of([]).lazy().drop("ward")}, TableError, "a column named 'ward'"),
        (main_of(), {"visits": "nowhere.csv"}, TableError, "where there is none"),
        (main_of().with_columns(n=1), {"visits": frame_of([])}, TableError, "got 'n' in both"),
        (main_of().drop("person"), {"visits": frame_of([])}, TableError, "Expected a column named 'person'"),
        (np.ones((2, 2)), {"visits": frame_of([])}, TableError, "a data frame with named columns"),
    ],
)
def test_what_does_not_fit_is_refused_with_one_error(main, tables, error, said):
    with pytest.raises(error, match=said):
        joined(main, SCHEMA, tables)


def test_no_message_tells_how_many_rows_are_nobodys(capsys):
    frame = frame_of([("a stranger", 1.0, "lung", DAY)] * 3)
    assert joined(main_of(), SCHEMA, {"visits": frame})["n"].to_list() == [0, 0, 0, 0]
    assert capsys.readouterr() == ("", "")


def test_an_unlisted_category_is_refused_or_passed_over():
    frame = frame_of([("a", 1.0, "eye", dt.date(2015, 1, 1))])
    with pytest.raises(TableError, match="column 'ward' in side table 'visits'") as error:
        joined(main_of(), SCHEMA, {"visits": frame})
    assert "eye" not in str(error.value)
    found = joined(main_of(), SCHEMA, {"visits": frame}, on_invalid="coerce")
    assert found["n"].to_list() == [1, 0, 0, 0]
    assert found["wards"].to_list() == [0, 0, 0, 0]


def test_other_takes_what_is_not_listed():
    table = replace(VISITS, columns=(VISITS.columns[0], Categorical("ward", WARDS, other=True), VISITS.columns[2]))
    found = made([("a", 1.0, "eye", dt.date(2015, 1, 1)), ("a", 1.0, "lung", dt.date(2015, 1, 1))],
                 schema=schema_of(table))[0]  # fmt: skip
    assert (found["wards"], found["share of lung"], found["last ward"]) == (2, 0.5, None)


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "lazy", "chunks"])
def test_libraries_agree(library):
    rows = [("a", 1.5, "lung", dt.date(2015, 1, 1)), ("7", 2.0, None, dt.date(2015, 2, 1)), ("a", None, "skin", None)]
    frame, main = frame_of(rows), main_of()
    side = {
        "pandas": lambda: frame.to_pandas(),
        "pyarrow": lambda: frame.to_arrow(),
        "lazy": lambda: frame.lazy(),
        "chunks": lambda: pl.concat([frame[:1], frame[1:]], rechunk=False),
    }[library]()
    given = {"pandas": main.to_pandas, "pyarrow": main.to_arrow}.get(library, lambda: main)()
    found = pl.DataFrame(joined(given, SCHEMA, {"visits": side}))
    names = [column.name for column in SCHEMA.inputs if column.from_table and column.name != "first day"]
    expected = joined(main, SCHEMA, {"visits": frame})
    assert found.select(names).fill_nan(None).rows() == expected.select(names).rows()


def test_a_frame_of_pandas_goes_by_position_whatever_its_index():
    main = main_of().to_pandas().set_index(np.asarray([3, 1, 2, 0]))
    found = joined(main, SCHEMA, {"visits": frame_of([("a", 1.0, None, dt.date(2015, 1, 1))])})
    assert found["n"].tolist() == [1, 0, 0, 0]
    assert found.index.tolist() == [3, 1, 2, 0]


def test_numbers_have_integers_in_their_order():
    numbers = np.asarray([-1e9, -5.5, -1e-300, -0.0, 0.0, 1e-300, 2.25, 1e9])
    order = forms_of(numbers, Numeric("x", -1e9, 1e9), ["order"])["order"]
    assert (np.diff(order) >= 0).all()
    assert order[3] == order[4]  # zero has one sign
    assert numbers_of(order).tolist() == numbers.tolist()


@pytest.mark.parametrize(("bounds", "step"), [((0, 1), 2.0**-30), ((-8, 3), 2.0**-27), ((0, 2**31), 2.0)])
def test_a_step_is_a_power_of_two_that_holds_the_bounds(bounds, step):
    assert step_of(Numeric("x", *bounds)) == step


def test_a_person_of_ten_thousand_rows():
    rows = [("b", float(at % 7), WARDS[at % 2], dt.date(2015, 1, 1 + at % 28)) for at in range(10_000)]
    assert made(rows)[1] == by_hand(rows, "b", DAY)


def test_a_schema_without_side_tables_takes_none():
    plain = Schema([Numeric("age", 0, 90)], label=Label("y", [0, 1]))
    with pytest.raises(SchemaError, match="with side tables"):
        joined(main_of(), plain, {})


def test_keys_may_be_numbers_in_one_file_and_texts_in_the_next(tmp_path):
    main = pl.DataFrame({"k": ["1", "2", "x", *map(str, range(10, 30))]})  # more than rows looked at together
    for name, keys in (("a", [1, 1, 2]), ("b", ["1", "x", "02"]), ("c", [2, 2, 3])):
        pl.DataFrame({"k": keys}).write_parquet(tmp_path / f"{name}.parquet")
    visits = Numeric("n", 0, 10, from_table=Feature("t", "count"))
    schema = Schema([visits], label=Label("y", [0, 1]), tables=[SideTable("t", [], key="k")])
    assert joined(main, schema, {"t": tmp_path})["n"].to_list() == [3, 3, 1, *[0] * 20]


def test_the_latest_and_the_first_before_1970():
    old = Numeric("day", "1900-01-01", "2020-12-31")
    schema = schema_of(replace(VISITS, columns=(*VISITS.columns[:2], old), as_of=None, days=None))
    dates = [dt.date(1950, 1, 1), dt.date(1969, 12, 31), dt.date(1950, 1, 1)]
    rows = [("a", cost, None, day) for cost, day in zip((3.0, -4.0, -2.0), dates, strict=True)]
    found = made(rows, schema=schema)[0]
    assert (found["last cost"], found["first cost"]) == (-4, -2)
