"""Columns that a library reads or codes as a whole: what each cell gives that is read alone."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_labels, read_rows
from tacit.table.files.cells import typed

TEXTS = ["a", "b", " a", "a ", "01", "1", "1.0", " 2", "", "é", "nan", "NaN", "None", "true", "?", "x,y"]
NUMBERS = ["1", "+5", "-0", "1,5", "inf", "-Infinity", "nan", "NaN", "NA", "1e5", "1E400", "0x10", "1.0.0", ".5", "5."]
NUMBERS += [
    " 5",
    "5 ",
    "\t5",
    "5\u00a0",
    "1_0",
    "٣",
    "",
    "-",
    "true",
    "0.1",
    "4.35",
    "2.2250738585072011e-308",
    "9" * 25,
]
LISTS = [("a", "b"), ("1", "01", "a"), ("a", " a", ""), ("nan", "b"), ("é", "x,y", "None"), (1, 2, 3), (True, False)]


def read_alone(texts, entry):
    """Return each text's reading in a column whose other cell lets no shortcut be taken."""
    return [typed(pl.Series("cells", [text, " ? "], dtype=pl.String), entry, "coerce")[0] for text in texts]


def same(found, want):
    return [repr(each) for each in found] == [repr(each) for each in want]


@given(texts=st.lists(st.none() | st.sampled_from(NUMBERS), max_size=6))
@settings(max_examples=300)
def test_numbers_of_text(texts):
    column = Numeric("n", -9, 9)
    found = typed(pl.Series("cells", texts, dtype=pl.String), column, "coerce")
    assert same(found.to_list(), read_alone(texts, column))


@given(texts=st.lists(st.none() | st.sampled_from(TEXTS), max_size=6), listed=st.sampled_from(LISTS))
@settings(max_examples=300)
def test_categories_of_text(texts, listed):
    column = Categorical("c", listed)
    found = typed(pl.Series("cells", texts, dtype=pl.String), column, "coerce")
    assert same(found.to_list(), read_alone(texts, column))


CELLS = {pl.String: TEXTS, pl.Int64: [0, 1, 2, 2**40], pl.UInt8: [0, 1, 3], pl.Boolean: [True, False]}


def as_arrow(series):
    pytest.importorskip("pyarrow")
    return pl.DataFrame({"c": series}).to_arrow()


def as_pandas(series):
    pandas = pytest.importorskip("pandas")
    kind = {pl.Int64: "Int64", pl.UInt8: "UInt8", pl.Boolean: "boolean"}.get(series.dtype)
    # Its own whole numbers have no missing cells.
    whole = series.dtype.is_integer() and not series.null_count()
    return pandas.DataFrame({"c": series.to_pandas() if kind is None or whole else series.to_pandas().astype(kind)})


FRAMES = {
    "pandas": as_pandas,
    "category": lambda series: as_pandas(series.cast(pl.String)).astype("category"),
    "polars": lambda series: pl.DataFrame({"c": series}),
    "Arrow": as_arrow,
    "Categorical": lambda series: pl.DataFrame({"c": series.cast(pl.String).cast(pl.Categorical)}),
    "Enum": lambda series: pl.DataFrame(
        {"c": series.cast(pl.String).cast(pl.Enum(series.cast(pl.String).drop_nulls().unique().to_list()))}
    ),
}


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("missing", [False, True])
def test_codes_of_a_column_are_those_of_its_cells(name, kind, missing):
    generator = np.random.default_rng(0)
    for listed in LISTS:
        extra = {"missing": listed[-1]} if missing else {}
        schema = Schema([Categorical("c", listed, other=not missing, **extra)], label=Label("y", [0, 1]))
        for _ in range(8):
            cells = [CELLS[kind][at] if at < len(CELLS[kind]) else None for at in generator.integers(0, 17, 9)]
            series = pl.Series("c", cells, dtype=kind)
            frame = FRAMES[name](series)
            try:
                found = read_rows(frame, schema, on_invalid="coerce").columns["c"].tolist()
            except TypeError:  # a type that this list admits in no row
                with pytest.raises(TypeError):
                    read_rows(FRAMES[name](series[:1]), schema, on_invalid="coerce")
                continue
            as_text = name in ("Categorical", "Enum", "category")
            spelled = [str(cell).lower() if kind == pl.Boolean else str(cell) for cell in cells]
            cells = [text if as_text and cell is not None else cell for text, cell in zip(spelled, cells, strict=True)]
            alone = [read_rows([[cell]], schema, on_invalid="coerce").columns["c"].tolist()[0] for cell in cells]
            assert found == alone


@pytest.mark.parametrize("kind", ["i1", "u2", "i8"])
@pytest.mark.parametrize("cells", [[3, 1, 1, 2, 0, 7], [1, 2, 2**13, 3]])
def test_codes_of_whole_numbers_in_arrays(kind, cells):
    cells = [cell % 128 for cell in cells] if kind == "i1" else cells
    schema = Schema([Categorical("c", [1, 2, 3], other=True)], label=Label("y", [0, 1]))
    array = np.asarray(cells, dtype=kind)
    want = [cell - 1 if cell in (1, 2, 3) else 3 for cell in cells]
    for frame in (array.reshape(-1, 1), pytest.importorskip("pandas").DataFrame({"c": array})):
        assert read_rows(frame, schema).columns["c"].tolist() == want


SIMPLE = [None, True, False, 0, -3, 2**53 + 1, 10**400, 0.1, float("nan"), float("inf"), -0.0]
SIMPLE += [
    kind(value) for value in (1, 0.1, 100) for kind in (np.float64, np.float32, np.int64, np.int8, np.uint8, np.bool_)
]
ODD = ["2", "two", np.longdouble(1), np.datetime64("2020-01-01"), np.str_("3"), np.float16(0.5), b"4"]


@given(cells=st.lists(st.sampled_from(SIMPLE), min_size=1, max_size=5), odd=st.lists(st.sampled_from(ODD), max_size=1))
def test_numbers_of_objects_are_those_of_their_cells(cells, odd):
    schema = Schema([Numeric("n", -9, 200, missing=-9)], label=Label("y", [0, 1]))
    rows = np.fromiter([*cells, *odd], dtype=object).reshape(-1, 1)

    def read(given):
        found = read_rows(given, schema, on_invalid="coerce").columns["n"]
        return np.asarray(found, dtype=np.float64).tolist()

    # Beside a text no shortcut is taken.
    alone = [read(np.array([[cell], ["?"]], dtype=object))[0] for cell in rows[:, 0]]
    assert same(read(rows), alone)


def test_labels_are_coded_as_columns_are():
    label = Label("y", ["no", "yes", "01"])
    cells = ["yes", "no", "01", "yes"]
    coded = pl.Series(cells).cast(pl.Enum(["yes", "01", "no", "never"]))
    assert read_labels(coded, label).tolist() == read_labels(cells, label).tolist() == [2, 1, 0, 2]
