"""A cell decides about its own row: whatever it is, whatever holds it, however the column is declared."""

from __future__ import annotations

import io
import warnings
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.odd_cells import FAR_DECIMAL, ODD_CELLS
from tacit.errors import TacitError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_labels, read_rows

ODD_TEXTS = ("x", "7", "0.5", "-1", "1e3", "True", "2000-01-01", '""', "nan", str(2**53 + 1), "9" * 20)
READERS = {
    "pandas": lambda cells: pd.read_csv(io.StringIO("\n".join(["c", *cells]))),
    "polars": lambda cells: pl.read_csv("\n".join(["c", *cells]).encode()),
}
FILES = {
    "integers": ["0", "1", "2"],
    "floats": ["0.0", "1.0", "2.0"],
    "truths": ["True", "False", "True"],
    "lower truths": ["true", "false", "true"],
    "texts": ["a", "1", "b"],
    "codes": ["01", "02", "00"],
    "dates": ["2000-01-01", "2001-01-01", "2000-05-05"],
}
YES_NO = Label("y", ["no", "yes"])


def in_rows(make_row, make_rows=list):
    return lambda cells: make_rows(make_row(cell) for cell in cells)


def objects(cells):
    column = np.empty((len(cells), 1), dtype=object)
    for row, cell in enumerate(cells):
        column[row, 0] = cell
    return column


UNTYPED = {
    "lists": in_rows(lambda cell: [cell]),
    "tuples": in_rows(lambda cell: (cell,), tuple),
    "tuples in a list": in_rows(lambda cell: (cell,)),
    "object rows": lambda cells: list(objects(cells)),
    "object array": objects,
    "pandas objects": lambda cells: pd.DataFrame({"c": pd.Series(list(objects(cells)[:, 0]), dtype=object)}),
    "polars objects": lambda cells: pl.DataFrame({"c": pl.Series(cells, dtype=pl.Object)}),
}
"""Containers that keep each cell as it is."""

TYPED = {
    "array": lambda cells: np.asarray(cells).reshape(-1, 1),
    "pandas": lambda cells: pd.DataFrame({"c": cells}),
    "pandas nullable": lambda cells: pd.DataFrame({"c": cells}).convert_dtypes(),
    "polars": lambda cells: pl.DataFrame({"c": pl.Series(cells, strict=False)}),
    "arrow": lambda cells: pa.table({"c": pa.array(cells, from_pandas=True)}),
}
"""Containers that choose a type by looking at all cells."""

NUMBERS = Numeric("c", 0, 100)
DAYS = Numeric("c", "1990-01-01", "2010-01-01")
WHOLE = Categorical("c", [0, 1, 2], other=True)
COLUMNS = {
    "numbers": NUMBERS,
    "numbers with missing": Numeric("c", 0, 100, missing=7),
    "days": DAYS,
    "texts": Categorical("c", ["a", "b"], other=True),
    "texts with missing": Categorical("c", ["a", "b", "1"], missing="b"),
    "texts of numbers": Categorical("c", ["0", "1", "2"]),
    "texts of codes": Categorical("c", ["00", "01", "02"], other=True),
    "texts of dates": Categorical("c", ["2000-01-01", "2001-02-03", "2002-03-04"], other=True),
    "texts of one number": Categorical("c", ["1", "01", "a"], other=True),
    "whole numbers": WHOLE,
    "huge numbers": Categorical("c", [2**53, 2**53 + 1], other=True),
    "fractions": Categorical("c", [0.5, 1.0, 2.5]),
    "truth values": Categorical("c", [False, True], missing=True),
    "texts with one that spells NaN": Categorical("c", ["nan", "1", "a"], other=True),
}
OTHERS = {
    "texts": ["a", "b", "a"],
    "digits": ["0", "1", "02"],
    "integers": [0, 1, 2],
    "huge integers": [2**53, 2**53 + 1, 1],
    "floats": [0.5, 1.0, 2.0],
    "truths": [False, True, True],
    "decimals": [Decimal("0.5"), Decimal(1), Decimal(2)],
    "dates": [date(2000, 1, 1), date(2001, 2, 3), date(2002, 3, 4)],
    "moments": [datetime(2000, 1, 1, 5), datetime(2001, 2, 3), datetime(2002, 3, 4)],
    "moments with a zone": [datetime(2000, 1, 1, 5, tzinfo=UTC) + timedelta(days) for days in range(3)],
    "moments of NumPy": [np.datetime64("2000-01-01T05", "s"), np.datetime64("2001-02-03", "ns"), np.datetime64("2002")],
    "floats without a number": [float("nan"), 1.0, float("nan")],
    "texts of dates": ["2000-01-01", "2000-01-02T12:00:00Z", "2001-01-01"],
    "missing": [None, float("nan"), 1],
    "mixed": ["a", 1, None],
}


def reading(make, cells, column, on_invalid):
    """Return what each row becomes, or None where our library refuses the table, or another cannot make it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = make(cells)
        except BaseException:  # polars panics
            return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return read_rows(table, Schema([column], label=YES_NO), on_invalid=on_invalid).columns["c"].tolist()
        except TacitError as error:
            assert error.__cause__ is None
            assert error.__context__ is None
            return None


def is_plain(cell):
    """Tell whether constructors of arrays and frames take the cell, and soon.

    Arrow expands a Decimal of a million digits, and polars empties the other cells beside a member of an Enum.
    """
    kind = type(cell)
    if kind is str:
        return len(cell) < 1000
    return not (issubclass(kind, type | Enum) or kind.__module__ == "harness.odd_cells" or cell is FAR_DECIMAL)


PLAIN_CELLS = [cell for cell in ODD_CELLS if is_plain(cell)]


def pairs(first, second):
    """Return all pairs: each of the one and of the other is in some that the main suite runs, the rest are audits."""
    return [
        pytest.param(one, other, marks=() if (at + place) % min(len(first), len(second)) == 0 else pytest.mark.audit)
        for at, one in enumerate(first)
        for place, other in enumerate(second)
    ]


@pytest.mark.parametrize(("container", "name"), pairs(UNTYPED, COLUMNS))
def test_where_cells_keep_their_type_reading_is_total_and_row_by_row(container, name):
    make, column = UNTYPED[container], COLUMNS[name]
    odd = PLAIN_CELLS if container == "polars objects" else ODD_CELLS  # polars looks at the class of each object
    cells = [cell for cells in OTHERS.values() for cell in cells] + list(odd)
    alone = [reading(make, [cell], column, "coerce")[0] for cell in cells]
    assert reading(make, cells, column, "coerce") == alone
    for cell, value in zip(cells, alone, strict=True):
        strict = reading(make, [cells[0], cell], column, "raise")
        assert strict in (None, [alone[0], value])


@pytest.mark.parametrize(("container", "others"), pairs(TYPED, OTHERS))
def test_where_a_library_types_the_column_other_rows_stay_or_the_type_is_refused(container, others):
    make, cells = TYPED[container], OTHERS[others]
    compared = 0
    for name, column in COLUMNS.items():
        before = reading(make, cells, column, "coerce")
        if before is None:
            continue
        for odd in PLAIN_CELLS:
            after = reading(make, [cells[0], odd, *cells[2:]], column, "coerce")
            if after is not None:
                assert (after[0], after[2]) == (before[0], before[2]), (name, type(odd))
                compared += 1
    assert compared > 50 or others in ("dates", "moments", "moments with a zone", "moments of NumPy", "mixed")


@pytest.mark.parametrize(
    ("frame", "other"),
    [(lambda c: pd.DataFrame({0: c}), "pandas"), (lambda c: TYPED["polars"](c).lazy(), "polars")],
)
def test_numbered_columns_and_lazy_frames_are_read_as_their_frames(frame, other):
    for cells in OTHERS.values():
        for column in COLUMNS.values():
            assert reading(frame, cells, column, "coerce") == reading(TYPED[other], cells, column, "coerce")


@pytest.mark.parametrize(("reader", "file"), pairs(READERS, FILES))
def test_a_cell_of_a_file_that_another_library_types_changes_no_other_row(reader, file):
    read, cells, compared = READERS[reader], FILES[file], 0
    for name, column in COLUMNS.items():
        before = reading(read, cells, column, "coerce")
        for odd in ODD_TEXTS:
            after = reading(read, [cells[0], odd, cells[2]], column, "coerce")
            if before is not None and after is not None:
                assert (after[0], after[2]) == (before[0], before[2]), (name, odd)
                compared += 1
    assert compared > 50


@pytest.mark.parametrize("classes", [["a", "b"], ["0", "1"], [0, 1], [0.5, 1.0, 2.0], [True, False]])
@pytest.mark.parametrize("make", [list, tuple, lambda y: objects(y)[:, 0], lambda y: UNTYPED["pandas objects"](y)["c"]])
def test_labels_are_read_row_by_row(make, classes):
    label = Label("y", classes)
    cells = [cell for cells in OTHERS.values() for cell in cells] + list(ODD_CELLS)
    alone = [read_labels(make([cell]), label, on_invalid="coerce")[0] for cell in cells]
    assert read_labels(make(cells), label, on_invalid="coerce").tolist() == alone
    assert set(alone) == set(range(len(classes)))
    with pytest.raises(TacitError):
        read_labels(make(cells), label)


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6), st.binary(max_size=3), st.decimals(),
    st.complex_numbers(), st.fractions(), st.datetimes(timezones=st.none() | st.timezones()), st.dates(),
    st.timedeltas(), st.sampled_from(["1", "01", "1.0", "a", "true", "2000-01-01", 2**53, Decimal(1), np.int64(1)]),
)  # fmt: skip
CELLS = SCALARS | st.lists(SCALARS, max_size=2) | st.tuples(SCALARS) | st.dictionaries(st.text(max_size=2), SCALARS)


@settings(deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5), st.sampled_from(sorted(COLUMNS)), st.booleans())
def test_a_list_of_rows_is_read_as_its_rows_are(rows, name, as_tuple):
    schema = Schema([COLUMNS[name], Categorical("d", ["a", "1"], other=True)], label=YES_NO)
    whole = read_rows(tuple(rows) if as_tuple else rows, schema, on_invalid="coerce")
    for at, row in enumerate(rows):
        alone = read_rows([list(row)], schema, on_invalid="coerce")
        assert [alone.columns[c][0] for c in "cd"] == [whole.columns[c][at] for c in "cd"]


def test_cells_by_hand():
    def read(column, *cells):
        return reading(UNTYPED["lists"], list(cells), column, "coerce")

    assert read(NUMBERS, 3, "4", " 5.0 ", True, "false", Decimal(6), np.int8(7), "1e1") == [3, 4, 5, 1, 0, 6, 7, 10]
    assert read(NUMBERS, "x", b"7", None, "nan", 1j, 10**400, "1_0", [8]) == [50.0] * 8  # the center
    assert read(NUMBERS, -5, 10**300, "1e300") == [0, 100, 100]
    noon = 10957.5  # days from 1970 to 2000: 30 * 365 + 7
    assert read(DAYS, "2000-01-01T12:00", datetime(2000, 1, 1, 12), np.datetime64("2000-01-01T12")) == [noon] * 3
    assert read(DAYS, "2000-01-01T14:00+02:00", pd.Timestamp("2000-01-01T21", tz="Asia/Tokyo")) == [noon] * 2
    assert read(DAYS, "20000101", "2000", 10957, "today", pd.NaT, np.datetime64(5, "7s")) == [DAYS.middle] * 6
    assert read(DAYS, np.datetime64("2000", "Y"), np.datetime64(2**62, "Y"), date.min) == [
        10957,
        DAYS.upper,
        DAYS.lower,
    ]
    assert read(WHOLE, 1, 1.0, "1", "01", True, Decimal("1.0"), np.float16(1), "TRUE") == [1] * 8
    assert read(WHOLE, 0.5, "x", 3, None, 1j, 2**70) == [3] * 6  # other
    assert read(COLUMNS["texts of codes"], 1, "1", "01", 1.0, True, "1.0", 3) == [1, 1, 1, 1, 1, 1, 3]
    assert read(COLUMNS["texts of one number"], "1", "01", 1, "1.0", "a") == [0, 1, 3, 3, 2]
    assert read(COLUMNS["huge numbers"], 2**53, 2**53 + 1, str(2**53 + 1), 2.0**53) == [0, 1, 1, 2]
    assert read(COLUMNS["truth values"], True, 1, "True", 0.0, "no", float("nan")) == [1, 1, 1, 0, -1, 1]
    assert read(COLUMNS["texts with missing"], None, "nan", pd.NA, "b", "c") == [1, 1, 1, 1, -1]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda columns: np.asarray([columns["c"]]).T])
def test_one_cell_does_not_decide_whether_a_column_of_numbers_is_refused_for_dates(make):
    said = set()
    for cells in ([np.nan, np.nan], [np.nan, 10957.0], [10957.0, np.nan]):
        for on_invalid in ("raise", "coerce"):
            with pytest.raises(TypeError) as refused:
                read_rows(make({"c": cells}), Schema([DAYS], label=YES_NO), on_invalid=on_invalid)
            said.add(str(refused.value))
    assert len(said) == 1 and "a column of numbers (or of NaN alone)" in said.pop()


def test_masked_cells_are_missing_whatever_fills_them():
    def read(column, table, on_invalid="raise"):
        return read_rows(table, Schema([column], label=YES_NO), on_invalid=on_invalid).columns["c"].tolist()

    def masked(cells, **options):
        return np.ma.array(np.asarray(cells)[:, None], mask=[[True], [False]], **options)

    missing = Numeric("c", 0, 100, missing=9)
    for filler in (None, 1, 7):
        assert read(missing, masked([1, 2], fill_value=filler)) == [9, 2]
        assert read(missing, masked([1.5, 2.5], fill_value=filler)) == [9, 2.5]
        assert read(NUMBERS, list(masked([1, 2], fill_value=filler)), "coerce") == [50, 2]
        assert read(Categorical("c", [1, 2], missing=2), masked([1, 2], fill_value=filler)) == [1, 1]
    assert read(Categorical("c", ["?", "a"], missing="a"), masked(["?", "?"])) == [1, 0]
    for unit in ("D", "s", "ns"):
        moments = np.asarray(["2000-01-01", "2000-01-02"], dtype=f"datetime64[{unit}]")
        assert read(DAYS, masked(moments), "coerce") == [DAYS.middle, 10958]
    pairs = np.ma.array(np.zeros((2, 1), dtype=[("a", int), ("b", int)]), mask=[[(True, False)], [(False, False)]])
    with pytest.raises(TacitError):
        read(NUMBERS, pairs, "coerce")


@pytest.mark.parametrize("order", ["<", ">"])
def test_bytes_of_numbers_may_stand_in_either_order(order):
    def read(column, cells, kind):
        array = np.asarray(cells).astype(kind)[:, None].astype(np.dtype(kind).newbyteorder(order))
        return reading(lambda made: made, array, column, "coerce")

    assert read(DAYS, ["2000-01-01", "2000-01-02T12", "NaT"], "datetime64[h]") == [10957, 10958.5, DAYS.middle]
    assert read(NUMBERS, [1, 2], "i2") == read(NUMBERS, [1, 2], "f4") == [1, 2]
