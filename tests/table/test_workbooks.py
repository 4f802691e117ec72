"""Spreadsheets: the rows of the same table as CSV, each cell by itself, whatever others in its column are."""

from __future__ import annotations

import re
import zipfile
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.errors import MissingExtra, TableError
from tacit.schema import Categorical, FileFormat, Identifier, Label, Numeric, Schema
from tacit.schema.draft import draft_of
from tacit.table import check_source, opened_source, read_rows, read_source
from tacit.table.files import frames, read_features, read_for_draft, workbook, workbook_reader
from tacit.table.files.several import Files

xlsxwriter = pytest.importorskip("xlsxwriter")

COLUMNS = [
    Numeric("größe", 0, 250, missing=100, decimal=",", signs=["%"]),
    Numeric("seit", "2000-01-01", "2030-12-31", dates="%d.%m.%Y", missing="2010-01-01"),
    Categorical("plz", ["00123", "123", "9.5"], other=True),
    Categorical("stufe", [1, 2, 3], other=True),
    Categorical("raucht", [False, True], other=True),
]
SCHEMA = Schema(COLUMNS, label=Label("y", ["ja", "nein"]), identifier=Identifier("id"))
NAMES = ["größe", "seit", "plz", "stufe", "raucht", "y", "id", "Bemerkung"]
ROWS = [
    [170, date(2020, 12, 31), "00123", 1, True, "ja", 1001, "a"],
    [1.5, datetime(2020, 12, 31, 6), 123, "2", False, "nein", "1002", None],
    ["1,5", "31.12.2020", 9.5, 3.0, "true", "ja", "007", "b\nc"],
    ["12 %", None, "x", None, None, "nein", 7, 3.5],
]


BLANK = object()
"""A cell that is there, with a style, and has nothing in it."""


def sheet(path, rows, *, first=0, name="Patients", others=()):
    """Write rows as a spreadsheet, dates in the style of dates; a tuple is a formula with its result."""
    with xlsxwriter.Workbook(path) as book:
        style = book.add_format({"num_format": "dd.mm.yyyy"})
        shown = book.add_worksheet(name)
        for place, row in enumerate(rows, start=first):
            for column, cell in enumerate(row):
                if isinstance(cell, str):
                    shown.write_string(place, column, cell)
                elif isinstance(cell, tuple):
                    shown.write_formula(place, column, "=1", None, cell[0])
                elif cell is BLANK:
                    shown.write_blank(place, column, None, style)
                elif cell is not None:
                    shown.write(place, column, cell, style if isinstance(cell, date) else None)
        for other in others:
            other(book)
    return path


@pytest.fixture(autouse=True)
def in_this_process(request):
    """Start no process, which takes long, where a test is about cells."""
    with pytest.MonkeyPatch.context() as patch:
        if "process" not in request.node.name:
            patch.setattr("tacit.table.files.reading_process.is_possible", lambda: False)
            patch.setattr(workbook, "described", lambda module, path, told: module.described(str(path), **told))
        yield


def read(path, schema=SCHEMA, on_invalid="raise"):
    entries = [*schema.inputs, schema.label, *([schema.identifier] if schema.identifier else [])]
    return pl.concat([frame for frame, _ in Files.of(path, schema.file).frames(entries, on_invalid)])


def test_each_cell_is_what_it_is_in_a_process_of_its_own(tmp_path):
    frame = read(sheet(tmp_path / "t", [NAMES, *ROWS]))  # known by its content
    assert frame["größe"].to_list() == [170, 1.5, 1.5, 12]
    assert frame["seit"].to_list() == [
        datetime(2020, 12, 31), datetime(2020, 12, 31, 6), datetime(2020, 12, 31), None
    ]  # fmt: skip
    assert frame["plz"].to_list() == ["00123", "123", "9.5", "x"]
    assert frame["stufe"].to_list() == [1, 2, 3, None]
    assert frame["raucht"].to_list() == [1, 0, 1, None]
    assert frame["y"].to_list() == ["ja", "nein", "ja", "nein"]
    assert frame["id"].to_list() == ["1001", "1002", "007", "7"]


def as_csv(cell, name):
    if isinstance(cell, date):
        return cell.strftime("%d.%m.%Y")
    return "" if cell is None else str(cell).replace(".", ",") if name == "größe" else str(cell)


def test_a_fit_has_the_rows_of_the_same_table_as_csv(tmp_path):
    rows = [[cell if column != 1 else date(2020, 1, 2) for column, cell in enumerate(row)] for row in ROWS * 3]
    book = sheet(tmp_path / "t.xlsx", [NAMES, *rows], first=2)
    lines = [";".join(f'"{as_csv(*each)}"' for each in zip(row, NAMES, strict=True)) for row in [NAMES, *rows]]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    found = [read_rows(read(path), SCHEMA) for path in (book, tmp_path / "t.csv")]
    for name in SCHEMA.input_names:
        assert found[0].columns[name].tolist() == found[1].columns[name].tolist(), name
    source = opened_source(book, SCHEMA)
    check_source(source, SCHEMA)
    assert read_source(source, SCHEMA).n_persons == 4


TYPED = [1, 1.5, -1e300, 2.0**70, True, date(1999, 1, 2), datetime(2020, 1, 2, 3)]
CELLS = st.one_of(
    st.sampled_from([None, "", " ", "text", "1,5", "NA", *TYPED]),
    st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF), max_size=4),
)


@given(cell=CELLS, column=st.integers(0, 7), on_invalid=st.sampled_from(["raise", "coerce"]))
@example(cell=("#N/A",), column=0, on_invalid="coerce")
@example(cell=("#DIV/0!",), column=2, on_invalid="coerce")
@settings(max_examples=25, deadline=None)
def test_one_cell_changes_no_other(tmp_path_factory, cell, column, on_invalid):
    path = tmp_path_factory.getbasetemp() / "one-cell.xlsx"
    changed = [*ROWS[0]]
    changed[column] = cell
    before = read(sheet(path, [NAMES, *ROWS]), on_invalid=on_invalid)
    try:
        after = read(sheet(path, [NAMES, changed, *ROWS[1:]]), on_invalid=on_invalid)
    except TableError:
        assert on_invalid == "raise"
        return
    as_text = [pl.col(name).cast(pl.String) for name in ("y", "plz")]
    assert after.with_columns(as_text)[1:].equals(before.with_columns(as_text)[1:])


def test_an_error_in_a_cell_is_a_missing_cell(tmp_path):
    path = sheet(tmp_path / "t.xlsx", [["a", "y"], [("#N/A",), "ja"], [("#DIV/0!",), "nein"], [(3,), "ja"]])
    schema = Schema([Numeric("a", 0, 9, missing=0)], label=SCHEMA.label)
    assert read(path, schema)["a"].to_list() == [None, None, 3]


def test_a_date_is_no_number_and_a_number_no_date(tmp_path):
    path = sheet(
        tmp_path / "t.xlsx", [["a", "d", "y"], [1, date(2020, 1, 2), "ja"], [date(2020, 1, 2), 44_000, "nein"]]
    )
    columns = [Numeric("a", 0, 9, missing=0), Numeric("d", "2000-01-01", "2030-01-01", missing="2010-01-01")]
    for column, words in zip(columns, ["a number in every cell of column 'a'", "a date such as"], strict=True):
        schema = Schema([column], label=SCHEMA.label)
        with pytest.raises(TableError, match=words):
            read(path, schema)
        assert read(path, schema, "coerce")[column.name].null_count() == 1
    part = Schema([Numeric("d", 1, 12, date_part="month", missing=1)], label=SCHEMA.label)
    assert read_rows(read(path, part, "coerce"), part, on_invalid="coerce").columns["d"].tolist() == [1, 1]


def add_codes(book):
    book.add_worksheet("Codes").write(0, 0, "x")


def test_the_sheet_is_named_where_there_are_several(tmp_path):
    def hidden(book):
        shown = book.add_worksheet("Lists")
        shown.write(0, 0, "x")
        shown.hide()

    def empty(book):
        book.add_worksheet("Sheet2")
        book.add_chartsheet("Chart")

    one = sheet(tmp_path / "one.xlsx", [NAMES, *ROWS], others=(hidden, empty))
    assert read(one).height == 4
    two = sheet(tmp_path / "two.xlsx", [NAMES, *ROWS], others=(add_codes,))
    with pytest.raises(TableError, match=r"sheet=None of these: 'Patients', 'Codes'\. Name one"):
        read(two)
    assert read(two, Schema(COLUMNS, label=SCHEMA.label, file=FileFormat(sheet="Patients"))).height == 4
    with pytest.raises(TableError, match="got sheet='patients' of these"):
        Files.of(two, FileFormat(sheet="patients")).check_columns(["y"])
    with pytest.raises(TableError, match="named 'y' in two"):
        Files.of(two, FileFormat(sheet="Codes")).check_columns(["y"])


def test_blank_rows_before_a_table_are_no_rows(tmp_path):
    rows = [["y", None, "a"], ["ja", None, 1], [None, "beside", None], ["nein", None, 2]]
    path = sheet(tmp_path / "t.xlsx", [[None] * 3, [BLANK], *rows])
    schema = Schema([Numeric("a", 0, 9, missing=0)], label=SCHEMA.label)
    assert read(path, schema, "coerce")["a"].to_list() == [1, None, 2]
    frames_of = workbook_reader.frames(str(path), ["a", "y"], 2, "Patients", 0)
    assert [frame.height for frame in frames_of] == [2, 1]
    with pytest.raises(TableError, match="at least one row in none"):
        read(sheet(tmp_path / "none.xlsx", [["a", "y"]]), schema)
    with pytest.raises(TableError, match="an empty sheet"):
        read(sheet(tmp_path / "empty.xlsx", []), schema)
    with pytest.raises(TableError, match="one of them twice"):
        read(sheet(tmp_path / "twice.xlsx", [["a", " a", "y"], [1, 2, "ja"]]), schema)


ALONE = Schema([Numeric("a", 0, 9, missing=0)], label=SCHEMA.label)


@given(blank=st.sets(st.integers(0, 4)), first=st.integers(0, 2))
@example(blank={4}, first=0)
@example(blank={0, 1, 2, 3, 4}, first=1)
@settings(max_examples=10, deadline=None)
def test_how_many_rows_there_are_is_said_by_no_cell(tmp_path_factory, blank, first):
    rows = [[BLANK, BLANK] if at in blank else [at, "ja"] for at in range(5)]
    path = sheet(tmp_path_factory.getbasetemp() / "blank.xlsx", [["a", "y"], *rows], first=first)
    expected = [None if at in blank else at for at in range(5)]
    assert read(path, ALONE, "coerce")["a"].to_list() == expected
    for reads in (lambda: read(path, ALONE), lambda: read_for_draft(path, "y")):
        if 4 in blank:
            with pytest.raises(TableError, match=r"got blank rows at the end\. They count as rows"):
                reads()
        else:
            assert reads()["a"].to_list() == expected


def test_the_rows_of_a_sheet_are_found_however_its_parts_are_called(tmp_path):
    """As other programs write them: names of elements with a prefix, parts from the root, rows that hold no cell."""
    whole = sheet(tmp_path / "t.xlsx", [["a", "y"], [1, "ja"], [BLANK, BLANK]], others=(add_codes,))
    space = b'xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    changes = {
        "xl/workbook.xml": [(b'name="Codes"', b'name="Patients &amp; more"')],
        "xl/_rels/workbook.xml.rels": [(b'"worksheets/', b'"/xl/Worksheets/')],
        "xl/worksheets/sheet1.xml": [
            (rb"<(/?)(row|c|v|sheetData)\b", rb"<\1x:\2"),
            (b"</x:sheetData>", b'<x:row r="1048576" hidden="1"/></x:sheetData>'),
            (b"<worksheet ", b"<worksheet " + space + b" "),
        ],
    }
    with zipfile.ZipFile(whole) as before, zipfile.ZipFile(tmp_path / "other.xlsx", "w") as after:
        for name in before.namelist():
            content = before.read(name)
            for old, new in changes.get(name, ()):
                content, n_changes = re.subn(old, new, content)
                assert n_changes
            after.writestr(name, content)
    named = Schema(ALONE.columns, label=ALONE.label, file=FileFormat(sheet="Patients"))
    assert read(tmp_path / "other.xlsx", named, "coerce")["a"].to_list() == [1, None]


def test_rows_that_polars_wrote_are_read_back(tmp_path):
    frame = pl.DataFrame({"a": [None, 1, None, None], "y": [None, "ja", None, None]}, schema={"a": int, "y": str})
    frame.write_excel(tmp_path / "t.xlsx")
    assert read(tmp_path / "t.xlsx", ALONE, "coerce")["a"].to_list() == [None, 1, None, None]


def test_what_is_no_spreadsheet_is_one_error_and_ends_no_process(tmp_path, monkeypatch, capfd):
    whole = sheet(tmp_path / "t.xlsx", [NAMES, *ROWS]).read_bytes()
    far = sheet(tmp_path / "far.xlsx", [["a"]], others=(lambda book: book.worksheets()[0].write(1048575, 16383, 1),))
    contents = [whole[:-500], b"PK\x03\x04SECRET", b"\xd0\xcf\x11\xe0SECRET", far.read_bytes()]
    for place, content in enumerate(contents):
        path = tmp_path / f"{place}.xlsx"
        path.write_bytes(content)
        with pytest.raises(TableError, match="a whole spreadsheet") as caught:
            read(path)
        assert "SECRET" not in str(caught.value)
    assert capfd.readouterr().err == ""
    monkeypatch.setattr(workbook, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"Install tacit\[excel\]"):
        read(tmp_path / "t.xlsx")


def test_a_draft_goes_by_the_types_of_all_cells(tmp_path):
    names = ["age", "pay", "since", "plz", "sex", "smokes", "y"]
    days = [date(2010 + at % 5, 1, 1) for at in range(80)]
    rows = [
        [20 + at % 50, at / 3, days[at], f"{at % 7:05}", "fm"[at % 2], at % 3 == 0, ["no", "yes"][at % 2]]
        for at in range(80)
    ]
    path = sheet(tmp_path / "t.xlsx", [names, *rows])
    frame = read_for_draft(path, "y")
    assert frame.dtypes == [pl.Int64, pl.Float64, pl.Date, pl.String, pl.String, pl.Boolean, pl.String]
    drafted = Schema.from_toml(draft_of(frame, "y").to_toml())
    assert isinstance(drafted.column("age"), Numeric)
    assert drafted.column("since").is_date
    found = read_rows(read_features(path, drafted, "raise"), drafted)
    assert found.columns["age"].tolist() == [row[0] for row in rows]


def test_large_sheets_come_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "rows_together", lambda _: 90)
    monkeypatch.setattr("tacit.table.files.several.rows_together", lambda _: 90)
    path = sheet(tmp_path / "t.xlsx", [["a", "y"], *([at % 9, "ja"] for at in range(400))])
    schema = Schema([Numeric("a", 0, 9)], label=SCHEMA.label)
    heights = [frame.height for frame, _ in Files.of(Path(path)).frames(schema.inputs, "raise")]
    assert heights == [90, 90, 90, 90, 40]
    assert read(path, schema)["a"].to_list() == [at % 9 for at in range(400)]
