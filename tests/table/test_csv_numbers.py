"""Numbers that polars reads from CSV at once are those that each cell's text is."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.schema import Categorical, Numeric
from tacit.table.files.cells import of_texts
from tacit.table.files.csv_text import Header, read_texts
from tacit.table.files.several import Files

COLUMN = Numeric("x", -1e300, 1e300)
WORDS = [
    "",
    "NA",
    "NaN",
    "-nan",
    "inf",
    "+Infinity",
    "1e400",
    "1_0",
    "0x1",
    "1.",
    "+.5",
    "٣",
    " 1",
    "1\t",
    "1d5",
    "true",
]


def read(cells, numbers):
    content = "\n".join(["a,x,b", *(f"1,{cell},2" for cell in cells)]).encode()
    texts = read_texts(content, Header(",", ("a", "x", "b")), ["x"], "t.csv", numbers)
    return texts, of_texts(texts, [COLUMN], "coerce")["x"].to_list()


@given(
    st.lists(
        st.sampled_from(WORDS)
        | st.floats(width=32).map(repr)
        | st.floats().map(repr)
        | st.text("0123456789.+-eEinfa_ \t", max_size=8)
        | st.text("0123456789.+-eE ", max_size=6).map(lambda text: f'"{text}"'),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=300, deadline=None)
def test_read_together_as_each_alone(cells):
    _, together = read(cells, {"x"})
    alone = [read([cell], ())[1][0] for cell in cells]
    assert list(map(repr, together)) == list(map(repr, alone))


def test_one_word_leaves_all_cells_texts():
    assert read(["1.5", "2"], {"x"})[0]["x"].dtype == pl.Float64
    assert read(["1.5", "2", "NA"], {"x"})[0]["x"].to_list() == ["1.5", "2", "NA"]


@pytest.mark.parametrize("line", ["1,2,3,4", "1,2"])
def test_lines_of_another_length_are_refused(line, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"a,x,b\n1,2,3\n{line}\n1,2,3\n")
    with pytest.raises(ValueError, match="as many cells as the first line"):
        list(Files.of(path).frames([COLUMN], "raise"))


def test_only_plain_numbers_are_read_so(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,x,d,m,id\nk,1.50,2020-01-02,N,007\nk,2,2020-01-03,3,8\n")
    entries = [
        COLUMN,
        Numeric("d", "2020-01-01", "2020-12-31"),
        Numeric("m", 0, 9, missing_codes=["N"], missing=0),
        Categorical("a", ["k"]),
    ]
    ((frame, beside),) = Files.of(path).frames(entries, "raise", ["x", "id"])
    assert frame["x"].to_list() == [1.5, 2]
    assert frame["m"].to_list() == [None, 3]
    assert beside["x"].to_list() == ["1.50", "2"]
    assert beside["id"].to_list() == ["007", "8"]
