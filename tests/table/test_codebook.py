"""Codes of buckets and prefixes: of each cell by itself, whatever container, file or other cell is around it."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.odd_cells import ODD_CELLS
from tacit.errors import TableError
from tacit.schema import Categorical, Label, Schema
from tacit.table import Disk, Table, read_rows
from tacit.table.codebook import UNSEEN, codebook
from tacit.table.files import read_features
from tacit.table.files.cells import retyped, typed
from tacit.table.files.survey import Variable
from tacit.table.files.workbook import Cells

BUCKETS = Categorical("c", buckets=1_000, salt="s")
PREFIXES = Categorical("c", ["I", "I21", "I21.40", "02", "1"], match="prefix", other=True, missing="I")
TEXTS = ["I", "I21", "I21.4", "I21.40", "I21.409", " I2 ", "i21", "", " ", "nan", "02139", "2139", "2139.0", "2.1e3",
         "é", "None", "J", "-0", "0", "inf", "1", "true"]  # fmt: skip
NUMBERS = [2139, 0, 1, 2**53 + 1, -3]


def schema_of(column):
    return Schema([column], label=Label("y", [0, 1]))


def read(cells, column):
    return read_rows(cells, schema_of(column), on_invalid="coerce").columns["c"].tolist()


def alone(cells, column):
    return [read([[cell]], column)[0] for cell in cells]


def test_a_bucket_follows_from_salt_and_text_alone():
    """By the documented formula, written out, so that others can compute it."""
    key = blake2b(b"s").digest()
    texts = {"E11.9": b"E11.9", " E11.9\t": b"E11.9", "02139": b"2139", 2139.0: b"2139", 0.5: b"0.5", True: b"1"}
    for cell, text in (texts | {-0.0: b"0", 1e300: b"1e+300", "\ud800": b"\xed\xa0\x80"}).items():
        want = int.from_bytes(blake2b(text, digest_size=8, key=key).digest(), "little") % 1_000
        assert codebook(BUCKETS).code(cell) == want
    other = Categorical("c", buckets=1_000, salt="t")
    assert codebook(other).code("E11.9") != codebook(BUCKETS).code("E11.9")


def test_missing_cells_have_a_code_of_their_own():
    for cell in (None, float("nan"), "", "  ", "nan", pd.NA, np.float64("nan")):
        assert codebook(BUCKETS).code(cell) == 1_000
        assert codebook(PREFIXES).code(cell) == 0


@pytest.mark.parametrize(
    "listed",
    [["9", "A"], ["9.0", "true"], [9, 1, 0], [9.0, 0.5], [False, True], ["1", "0", "nan"], ["True", "09"], [2.5, 1]],
)
def test_cells_of_a_file_go_by_value_as_those_of_frames_do(listed, tmp_path):
    """But for the words by which files say that a number is missing."""
    cells = ["9", "9.0", "09", "9e0", "+9", "1", "1.0", "true", "True", "FALSE", "0", "-0", ".5", "2.5", "A", "inf"]
    column = Categorical("c", listed, other=True, missing=listed[0])
    (tmp_path / "cells.csv").write_text("c\n" + "\n".join(f'"{cell}"' for cell in cells))
    frames = [read_features(tmp_path / "cells.csv", schema_of(column), "raise")]
    pl.DataFrame({"c": cells}).write_parquet(tmp_path / "cells.parquet")
    frames.append(read_features(tmp_path / "cells.parquet", schema_of(column), "raise"))
    for cell in cells:
        (tmp_path / "cell.csv").write_text(f'c\n"{cell}"')
        frames.append(read_features(tmp_path / "cell.csv", schema_of(column), "raise"))
    found = [read(frame, column) for frame in frames]
    by_itself = [code for codes in found[2:] for code in codes]
    assert found[0] == found[1] == by_itself == alone(cells, column)


PADDED = ["F", " F", "M\t", "\u00a0M", "f", "F F", " F  F", "", " ", "\t", None, " 1", "1 ", " nan ", " x ", "x"]


@pytest.mark.parametrize(
    ("listed", "codes"),
    [
        (["F", "M"], [0, 0, 1, 1, 2, 2, 2, *[1] * 4, 2, 2, 1, 0, 0]),
        (["F", "M", "F F", "1"], [0, 0, 1, 1, 4, 2, 4, *[1] * 4, 3, 3, 1, 0, 0]),
        ([" F", "M", "F"], [2, 0, 3, 3, 3, 3, 3, 1, 3, 3, 1, 3, 3, 1, 2, 2]),
        (["M", ""], [2, 2, 0, 0, 2, 2, 2, 1, 1, 1, 0, 2, 2, 0, 2, 2]),
        ([1, 2], [2] * 7 + [1] * 4 + [0, 0, 1, 2, 2]),
    ],
)
def test_blanks_around_a_text_count_in_no_container_unless_a_listed_text_has_some(listed, codes):
    replace = {"x": "F"} if "F" in listed else None
    column = Categorical("c", listed, other=True, missing="M" if "M" in listed else 2, replace=replace)
    assert alone(PADDED, column) == codes
    for name, make in FRAMES.items():
        assert read(make(PADDED), column) == codes, name
    if "" not in listed:  # else an empty cell of a file is that text
        typed_cells = typed(pl.Series(PADDED, dtype=pl.String), column, "coerce")
        assert read(typed_cells.to_frame("c"), column) == codes


def test_buckets_are_evenly_full():
    codes = np.asarray([codebook(Categorical("c", buckets=8)).code(f"code {at}") for at in range(8_000)])
    counts = np.bincount(codes, minlength=8)
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 24.3  # chi-squared of 7 degrees, one in a thousand


@pytest.mark.parametrize(
    ("cell", "code"),
    [("I", 0), ("I2", 0), ("I21", 1), ("I21.4", 1), ("I21.40", 2), ("I21.409", 2), ("I2140", 1), (" I21.4 ", 1),
     ("i21", UNSEEN), ("J", UNSEEN), ("02139", 3), ("2139", UNSEEN), ("1", 4), ("1.5", 4)],
)  # fmt: skip
def test_the_longest_listed_prefix_wins_letter_by_letter(cell, code):
    assert codebook(PREFIXES).code(cell) == code


@pytest.mark.parametrize("column", [BUCKETS, PREFIXES], ids=["buckets", "prefixes"])
def test_one_cell_of_any_type_decides_about_its_own_row(column):
    expected = alone(["I21.4", "02139", "J"], column)
    for odd in ODD_CELLS:
        rows = np.full((4, 1), "I21.4", dtype=object)
        rows[1, 0], rows[2, 0], rows[3, 0] = odd, "02139", "J"
        own = read([[odd]], column)
        for given_rows in (rows, [[cell] for cell in rows[:, 0]]):
            found = read(given_rows, column)
            assert [found[0], *found[2:]] == expected
            assert found[1:2] == own


FRAMES = {
    "polars": lambda cells: pl.DataFrame({"c": pl.Series(cells, dtype=pl.String)}),
    "Arrow": lambda cells: pl.DataFrame({"c": pl.Series(cells, dtype=pl.String)}).to_arrow(),
    "Categorical": lambda cells: pl.DataFrame({"c": pl.Series(cells, dtype=pl.Categorical)}),
    "pandas": lambda cells: pd.DataFrame({"c": pd.Series(cells, dtype=object)}),
    "pandas text": lambda cells: pd.DataFrame({"c": pd.Series(cells, dtype="string")}),
    "array": lambda cells: np.array([[cell] for cell in cells], dtype=object),
}


@pytest.mark.parametrize("column", [BUCKETS, PREFIXES], ids=["buckets", "prefixes"])
@given(cells=st.lists(st.none() | st.sampled_from(TEXTS) | st.text(max_size=3), min_size=1, max_size=5))
@settings(max_examples=40)
def test_texts_have_one_code_in_every_container(column, cells):
    expected = alone(cells, column)
    for name, make in FRAMES.items():
        if name != "Arrow" or pytest.importorskip("pyarrow"):
            assert read(make(cells), column) == expected, name


def test_a_number_is_in_the_bucket_of_its_text():
    expected = alone([str(number) for number in NUMBERS], BUCKETS)
    for cells in (NUMBERS, [float(number) for number in NUMBERS]):
        assert alone(cells, BUCKETS) == expected
        assert read(np.asarray([cells]).T, BUCKETS) == expected
        assert read(pl.DataFrame({"c": cells}), BUCKETS) == expected


def test_a_column_of_numbers_is_refused_for_prefixes_whatever_its_cells_hold():
    for cells in (pl.DataFrame({"c": [2139]}), np.asarray([[2139.0]]), pd.DataFrame({"c": [True]})):
        with pytest.raises(TypeError, match="numbers lose the zeros of a code"):
            read(cells, PREFIXES)
    for cells in ([np.nan, np.nan], [np.nan, 2139.0]):
        for make in (pd.DataFrame, pl.DataFrame, lambda columns: np.asarray([columns["c"]]).T):
            with pytest.raises(TypeError, match="numbers lose the zeros of a code"):
                read(make({"c": cells}), PREFIXES)
    assert read(pd.DataFrame({"c": [None, None]}), PREFIXES) == [0, 0]


@pytest.mark.parametrize("column", [BUCKETS, PREFIXES], ids=["buckets", "prefixes"])
def test_files_are_read_as_frames_are(tmp_path, column):
    cells = [text for text in TEXTS if text != "None"]
    frame = pl.DataFrame({"c": pl.Series(cells, dtype=pl.String), "at": range(len(cells))})
    frame.write_csv(tmp_path / "rows.csv")
    frame.write_parquet(tmp_path / "rows.parquet")
    for name in ("rows.csv", "rows.parquet"):
        of_file = read_features(tmp_path / name, schema_of(column), "coerce")
        assert read(of_file, column) == read(frame, column), name


def test_whole_numbers_of_a_file_are_buckets_and_refused_for_prefixes_as_those_of_frames_are(tmp_path):
    pl.DataFrame({"c": [2139, None]}).write_parquet(tmp_path / "t.parquet")
    found = read(read_features(tmp_path / "t.parquet", schema_of(BUCKETS), "coerce"), BUCKETS)
    assert found == alone(["2139", None], BUCKETS)


@pytest.mark.parametrize("on_invalid", ["raise", "coerce"])
@pytest.mark.parametrize(
    "cells",
    [[2139, None], [2139.0], [21], pl.Series([0], dtype=pl.UInt8), pl.Series(["2139"]).cast(pl.Decimal(9, 0)), [True],
     pl.Series([2139, 2**64], dtype=pl.Int128)],
)  # fmt: skip
def test_a_type_of_numbers_is_refused_for_prefixes_in_a_file_as_in_a_frame(cells, on_invalid):
    listed = Categorical("c", ["02", "21", "1"], match="prefix", other=True, missing="1")
    series = pl.Series("c", cells)
    survey = Variable("c", False, {2139.0: "armed forces"}, ()).read(series.cast(pl.Float64), listed, on_invalid)
    columns = [series, retyped(series, listed, on_invalid), survey]
    for frame in [*(column.rename("c").to_frame() for column in columns), pd.DataFrame({"c": pd.Categorical([2139])})]:
        with pytest.raises(TypeError, match="numbers lose the zeros of a code"):
            read_rows(frame, schema_of(listed), on_invalid=on_invalid)


def test_cells_of_a_sheet_that_are_no_texts_begin_with_no_prefix():
    listed = Categorical("c", ["02", "21", "!", "2020"], match="prefix", other=True, missing="!", replace={'"': "21"})
    texts = pl.Series(["2139", None, None, None, '"'], dtype=pl.String)
    numbers = pl.Series([None, 2139, None, None, None], dtype=pl.Float64)
    moments = pl.Series([None, None, datetime(2020, 1, 2), None, None], dtype=pl.Datetime("us"))
    with pytest.raises(TableError, match="Expected texts in column 'c'"):
        Cells(texts, numbers, moments).read(listed, "raise")
    assert read(Cells(texts, numbers, moments).read(listed, "coerce").to_frame("c"), listed) == [1, 4, 4, 2, 1]
    assert read(Cells(texts, numbers.clear(5), moments.clear(5)).read(listed, "raise").to_frame("c"), listed) == [
        1,
        2,
        2,
        2,
        1,
    ]


@pytest.mark.parametrize("column", [BUCKETS, PREFIXES], ids=["buckets", "prefixes"])
def test_disk_holds_the_same_codes(tmp_path, column):
    frame = pl.DataFrame({"c": TEXTS})

    def codes(**where):
        found = []
        table = Table.from_frame(frame, [0, 1] * 11, schema_of(column), block_rows=5, **where)
        table.visit(lambda block: found.append(block._rows.columns["c"].tolist()))
        return found

    assert codes() == codes(storage=Disk(tmp_path))


def test_what_no_category_takes_is_refused_with_a_remedy():
    listed = Categorical("c", ["I"], match="prefix")
    with pytest.raises(TableError, match="begins with one of the schema's categories"):
        read_rows([["J"]], schema_of(listed))
    with pytest.raises(TableError, match="a cell of another type"):
        read_rows([[b"x"]], schema_of(BUCKETS))
    assert read([[b"x"]], BUCKETS) == [UNSEEN]
