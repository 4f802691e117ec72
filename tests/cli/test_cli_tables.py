"""Reading tables: typed by the schema, cell by cell, with one clear error that repeats no cell."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

import polars as pl
import pytest

from tacit.errors import TableError
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table, read_rows
from tacit.table.files import read_features, read_for_draft, read_with_labels
from tacit.table.files.cells import as_it_looks, typed
from tacit.table.files.csv_text import read_header
from tacit.table.files.several import Files

AGE = Numeric("age", 0, 100)
SEX = Categorical("sex", ["F", "M"])
SCHEMA = Schema([AGE, SEX], label=Label("y", [0, 1]))


def written(tmp_path, content):
    path = tmp_path / "a table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def column(values, entry, on_invalid="raise", **more):
    return typed(pl.Series("x", values, dtype=pl.String), entry, on_invalid, **more).to_list()


def test_cells_become_what_the_schema_says():
    assert column(["1", " 2.5 ", "-3e1", "", None, "NA", "?"], AGE) == [1.0, 2.5, -30.0, None, None, None, None]
    assert column(["01", " 1", "NA", "", None], Categorical("c", ["01", "1", "NA"])) == ["01", "1", "NA", None, None]
    assert column(["True", "FALSE", "yes"], Categorical("c", [False, True])) == [1.0, 0.0, float("inf")]
    assert column(["3", "3.0", "x", "NA"], Categorical("c", [1, 3])) == [3.0, 3.0, float("inf"), None]
    days = Numeric("d", date(2000, 1, 1), date(2020, 1, 1))
    assert column(["2001-02-03", "2001-02-03T06:00", "NA"], days) == [
        datetime(2001, 2, 3),
        datetime(2001, 2, 3, 6),
        None,
    ]


def test_a_blank_around_text_goes_unless_a_category_has_one():
    assert column([" F", "M "], SEX) == ["F", "M"]
    assert column([" F", "M "], Categorical("sex", [" F", "M "])) == [" F", "M "]
    assert column(["", None], Categorical("sex", ["", "M"])) == ["", ""]


@pytest.mark.parametrize("entry", [AGE, Numeric("d", date(2000, 1, 1), date(2020, 1, 1))])
def test_text_among_numbers_is_an_error_or_missing(entry):
    with pytest.raises(TableError, match="pass on_invalid='coerce' to count") as caught:
        column(["SECRET", "1"], entry)
    assert "SECRET" not in str(caught.value)
    assert column(["SECRET"], entry, "coerce") == [None]


def test_a_decimal_comma_is_read_where_the_schema_says_so(tmp_path):
    path = written(tmp_path, "age;sex\n12,5;F\n1;M\n")
    with pytest.raises(TableError, match=r'write decimal = "," for it in the schema') as caught:
        read_features(path, SCHEMA, "raise")
    assert "12" not in str(caught.value)
    commas = replace(SCHEMA, columns=[replace(AGE, decimal=","), SEX])
    assert read_features(path, commas, "raise")["age"].to_list() == [12.5, 1]


@pytest.mark.parametrize("content", ["age,sex\n1,F\n", "age;sex\n1;F\n", "sex\tage\nF\t1\n", "id|sex|age\n9|F|1\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_marks_and_line_ends(tmp_path, content, mark, end):
    path = written(tmp_path, mark + content.replace("\n", end).encode())
    assert read_features(path, SCHEMA, "raise").to_dicts() == [{"age": 1.0, "sex": "F"}]


def test_the_separator_is_the_one_that_finds_the_columns(tmp_path):
    path = written(tmp_path, 'age;sex;"note, long, with, commas"\n1;F;"a, b"\n')
    assert read_header(path.read_bytes(), ["age", "sex"], "t.csv").separator == ";"


def test_labels_are_typed_too_and_other_columns_ignored(tmp_path):
    path = written(tmp_path, '"x, y",y,sex,age\n"a ""b"", c",1,F,3\n"two\nlines",0,M,4\n')
    frame, labels = read_with_labels(path, SCHEMA, "raise")
    assert frame.columns == ["age", "sex"]
    assert labels.to_list() == [1.0, 0.0]


def test_blank_lines_at_the_end_are_no_rows_where_there_are_several_columns(tmp_path):
    assert read_features(written(tmp_path, "age,sex\n1,F\n2,M\n\n\n"), SCHEMA, "raise").height == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("lines", "ages"),
    [
        (["1", "", "2", ""], [1, None, 2, None]),
        (["", "", "3"], [None, None, 3]),
        (["", '""', "", ""], [None, None, None, None]),
        (["1", " ", ""], [1, None, None]),
    ],
)
def test_each_line_of_one_column_is_a_row_whatever_is_in_it_and_below(tmp_path, lines, ages, end):
    only = Schema([AGE], label=Label("y", [0, 1]))
    path = tmp_path / "table.csv"
    path.write_bytes("".join(line + end for line in ["age", *lines]).encode())
    assert read_features(path, only, "raise")["age"].to_list() == ages


FAR_DOWN = 2**18 + 1
"""Rows of four bytes beyond the first mebibyte, in which the first line is looked for."""


@pytest.mark.parametrize(
    ("cells", "age", "sex", "at"),
    [
        ("\x001,F", None, 0, 0),
        ("\x001,F", None, 0, FAR_DOWN),
        ("1\x00,F", None, 0, 0),
        ("1,F\x00", 1.0, 1, 0),
        ("1,\x00", 1.0, 1, 0),
        ('"1","\x00,\n"', 1.0, 1, 0),
        ("1\udcff,F", None, 0, 0),
        ("1,F\udcc3", 1.0, 1, 0),
        ("1,F\udcc3", 1.0, 1, FAR_DOWN),
    ],
)
def test_a_nul_and_a_byte_that_is_no_utf8_are_signs_of_their_cell_and_of_no_other(tmp_path, cells, age, sex, at):
    """Programs that end texts at a NUL, or within a letter, leave some behind; the first line tells kinds of files."""
    lines = ["2,F"] * (at + 3)
    lines[at] = cells
    text = "age,sex\n" + "\n".join(lines) + "\n\n"
    path = written(tmp_path, text.encode(errors="surrogateescape"))
    schema = Schema([AGE, Categorical("sex", ["F"], other=True)], label=Label("y", [0, 1]))
    for frame in (read_features(path, schema, "coerce"), joined(path, schema)):
        assert frame["age"].to_list() == [2.0] * at + [age, 2.0, 2.0]
        assert read_rows(frame, schema, on_invalid="coerce").columns["sex"].tolist() == [0] * at + [sex, 0, 0]
    is_text = cells.isascii()
    if age is None or not is_text:
        said = "a number in every cell of column 'age'" if is_text else "another encoding"
        with pytest.raises(TableError, match=said):
            read_features(path, schema, "raise")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_first_line_alone_says_what_ends_lines(tmp_path, end):
    for other in ("\n", "\r", "\r\n"):
        path = written(tmp_path, end.join(['"a\rg\ne",sex', "1,F", f'2,"{other}"', "3,F", ""]))
        frame = read_features(path, Schema([SEX], label=Label("y", [0, 1])), "coerce")
        assert frame["sex"].to_list()[::2] == ["F", "F"]


def joined(path, schema):
    """Return the frames in which files are read for fits."""
    return pl.concat([frame for frame, _ in Files.of(path).frames(schema.inputs, "coerce")])


BROKEN = {
    "quotes around whole cells": ['age,sex\n1,"SECRET\n2,M\n'],
    "another layout": [
        "age,sex\n1,F\n2\n",
        "age,sex\n1,F\n2,M,SECRET\n",
        "age,sex\n1,F\n\n2,M\n",
        "age,sex,note,last\n1,F,a,b\n2,M,b,c,SECRET\n",
    ],
    "empty file": ["", "\n\n", "\ufeff"],
    "at least one row": ["age,sex\n", "age,sex"],
    "another kind of file": [
        b"\x00\x01\x02SECRET\x00",
        "age,sex\n1,F\n".encode("utf-16-le"),
        "age,sex\n1,F\n".encode("utf-16-be"),
        b'age,"sex\nSEC\x00RET"\n1,F\n',
    ],
    "a whole spreadsheet": [b"PK\x03\x04SECRET"],
    "damaged": [b"PAR1SECRET", b"\x1f\x8bSECRET"],
    "another encoding": ["age,sex\n1,é SECRET\n".encode("latin-1"), "age,sé\n".encode("latin-1")],
    "one of them twice": ["age,sex,age\n1,F,SECRET\n", "age,sex, age \n1,F,2\n"],
    "named 'age'": ["SECRET,sex\n1,F\n", "Age,sex\nSECRET,F\n"],
}


@pytest.mark.parametrize(("message", "content"), [(m, each) for m, contents in BROKEN.items() for each in contents])
def test_what_is_no_table_gives_one_clear_error(tmp_path, message, content, capfd):
    path = written(tmp_path, content)
    with pytest.raises(TableError, match=message) as caught:
        read_features(path, SCHEMA, "raise")
    captured = capfd.readouterr()
    assert "SECRET" not in str(caught.value) + captured.out + captured.err
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    if message not in ("another encoding", "another kind of file"):  # which a draft may find out
        with pytest.raises(TableError):
            read_for_draft(path, "age")


def test_a_missing_file_and_an_empty_folder(tmp_path):
    for path in (tmp_path / "nothing.csv", tmp_path):
        with pytest.raises(TableError, match="where there is none"):
            read_features(path, SCHEMA, "raise")


def test_a_name_with_wildcards_is_a_name(tmp_path):
    path = tmp_path / "a*[b]?.csv"
    path.write_text("age,sex\n1,F\n")
    (tmp_path / "axb.csv").write_text("age,sex\n2,M\n3,M\n")
    assert read_features(path, SCHEMA, "raise").height == 1


def test_parquet_is_known_by_its_content(tmp_path):
    path = tmp_path / "table"
    frame = pl.DataFrame({"age": [1, 2], "sex": pl.Series(["F", "M"], dtype=pl.Categorical), "y": [0, 1]})
    frame.write_parquet(path)
    read, labels = read_with_labels(path, SCHEMA, "raise")
    assert read.to_dict(as_series=False) == {"age": [1, 2], "sex": ["F", "M"]}
    assert labels.to_list() == [0, 1]
    assert read_for_draft(path, "y").columns == ["age", "sex", "y"]
    numbers = Schema([AGE, Categorical("y", ["0", "1"])], label=Label("sex", ["F", "M"]))
    assert read_features(path, numbers, "raise")["y"].to_list() == ["0", "1"]


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="this version of polars has no such integers")
def test_integers_too_wide_for_numpy_are_numbers(tmp_path):
    wide = pl.Series([1, 2], dtype=pl.Int128)
    pl.DataFrame({"age": wide, "sex": ["F", "M"], "y": wide}).write_parquet(tmp_path / "table")
    read, labels = read_with_labels(tmp_path / "table", Schema([AGE, SEX], label=Label("y", [1, 2])), "raise")
    table = Table.from_frame(read, labels, Schema([AGE, SEX], label=Label("y", [1, 2], private=False)))
    assert table.public_labels().tolist() == [0, 1]
    assert read["age"].to_list() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "22", "NA"], [1, 22, None]),
        (["1.5", "2", ""], [1.5, 2.0, None]),
        (["02139", "10001"], ["02139", "10001"]),
        (["0", "0.5"], [0.0, 0.5]),
        (["True", "false", None], [True, False, None]),
        (["a", " b", "?"], ["a", "b", "?"]),
        (["", None], [None, None]),
    ],
)
def test_a_draft_sees_types(texts, expected):
    seen = as_it_looks(pl.Series("x", texts, dtype=pl.String))
    assert seen.to_list() == expected
    assert [type(value) for value in seen.to_list()] == [type(value) for value in expected]


def test_a_column_without_a_name_is_left_out_of_a_draft(tmp_path):
    frame = read_for_draft(written(tmp_path, ",age,y\n0,3,a\n1,4,b\n"), "y")
    assert frame.columns == ["age", "y"]


def test_one_row_never_changes_how_another_is_read(tmp_path):
    ordinary = "1,F\n2,M\n"
    for strange in ("NA,F", "1e300,F", '"5",F', "0007,F", "3.25,F", ",F"):
        frame = read_features(written(tmp_path, f"age,sex\n{ordinary}{strange}\n"), SCHEMA, "coerce")
        assert frame.head(2).to_dicts() == [{"age": 1.0, "sex": "F"}, {"age": 2.0, "sex": "M"}]


@pytest.mark.parametrize("first", ["5.28,0.11,y", "17,State-gov,y", "a,,y"])
def test_a_file_without_names_is_refused_before_they_are_published(run, tmp_path, first):
    path = tmp_path / "rows.csv"
    path.write_text(f"{first}\n" + "".join(f"{k / 7:.2f},{k / 9:.3f},{k % 2}\n" for k in range(60)))
    for command in ("draft", "kinds"):
        said = run("schema", command, path, "--label", "y", code=1).stderr
        assert "file that has no names" in " ".join(said.split()) and "5.28" not in said and "State" not in said
    path.write_text(",a,b,y,\n" + "".join(f"{k},{k / 7:.2f},{k / 9:.3f},{k % 2},\n" for k in range(60)))
    assert 'name = "b"' in run("schema", "draft", path, "--label", "y").stdout
