"""Files of SPSS, Stata and SAS: codes or labels as the schema lists them, missing codes, one cell at a time."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import MissingExtra, TableError
from tacit.schema import Categorical, FileFormat, Identifier, Label, Numeric, Schema
from tacit.table import opened_source, read_rows, read_source
from tacit.table.files import read_for_draft, survey
from tacit.table.files.formats import format_of
from tacit.table.files.several import Files

pyreadstat = pytest.importorskip("pyreadstat")

ROWS = {
    "sex": [1.0, 2, 9, 1],
    "trust": [0.0, 10, 77, None],
    "region": ["N", "S ", "X", ""],
    "since": [date(2020, 1, 2), None, date(1999, 12, 31), date(2020, 2, 29)],
    "seen": [datetime(2020, 1, 2, 6), None, datetime(2020, 1, 2, 3, 4, 5), datetime(1999, 1, 1)],
    "number": [10001.0, 10002, 10003, 2**40],
    "vote": [1.0, 2, 2, 1],
}
LABELS = {
    "sex": {1: "male", 2: "female", 9: "no answer"},
    "trust": {0: "none", 10: "full", 77: "refused"},
    "region": {"N": "north", "S": "south"},
    "vote": {1: "yes", 2: "no"},
}
MISSING = {"sex": [9], "trust": [{"lo": 77, "hi": 99}], "region": ["X"]}
NUMBER = Numeric("trust", 0, 10, missing=5)
DAYS = [Numeric(name, "1990-01-01", "2030-01-01", missing="2010-01-01") for name in ("since", "seen")]
LABEL = Label("vote", ["no", "yes"])


def spss(path, rows=ROWS, **more):
    frame = pl.DataFrame(rows, strict=False)
    pyreadstat.write_sav(frame, path, variable_value_labels=LABELS, missing_ranges=MISSING, **more)
    return path


def stata(path, rows=ROWS, **more):
    labels = {name: LABELS[name] for name in ("sex", "trust", "vote")}
    pyreadstat.write_dta(pl.DataFrame(rows, strict=False), path, variable_value_labels=labels, **more)
    return path


def sas(path, rows=ROWS, **more):
    pyreadstat.write_xport(pl.DataFrame(rows, strict=False), path, **more)
    return path


@pytest.fixture(autouse=True)
def in_this_process(request):
    """Start no process, which takes long, where a test is about cells."""
    with pytest.MonkeyPatch.context() as patch:
        if "process" not in request.node.name:
            patch.setattr("tacit.table.files.reading_process.is_possible", lambda: False)
            patch.setattr(survey, "described", lambda module, path, told: module.described(str(path), **told))
        yield


def column(path, entry, on_invalid="raise"):
    ((frame, _),) = Files.of(path).frames([entry], on_invalid)
    return frame[entry.name].to_list()


def test_texts_are_labels_and_numbers_codes(tmp_path):
    path = spss(tmp_path / "t")  # known by its content
    assert column(path, Categorical("sex", ["male", "female"])) == ["male", "female", None, "male"]
    assert column(path, Categorical("sex", [1, 2], other=True)) == [1, 2, None, 1]
    assert column(path, Categorical("sex", ["1", "2"], other=True)) == ["1", "2", None, "1"]
    assert column(path, Categorical("sex", ["female", "1"], other=True)) == ["1", "female", None, "1"]
    assert column(path, Categorical("region", ["north", "south"], other=True)) == ["north", "south", None, None]
    assert column(path, Categorical("region", ["N", "S"], other=True)) == ["N", "S", None, None]
    assert column(path, Categorical("region", ["N"], match="prefix", other=True)) == ["N", "S", None, None]
    assert column(path, NUMBER) == [0, 10, None, None]
    assert column(path, Categorical("trust", ["0", "full"], other=True)) == ["0", "full", None, None]
    assert column(path, LABEL) == ["yes", "no", "no", "yes"]
    assert column(path, Identifier("number")) == ["10001", "10002", "10003", "1099511627776"]
    for day in DAYS:
        found = [None if cell is None else datetime.fromisoformat(cell.isoformat()) for cell in column(path, day)]
        assert found == [None if cell is None else datetime.fromisoformat(cell.isoformat()) for cell in ROWS[day.name]]


def test_a_code_that_is_declared_missing_is_one_that_a_schema_may_list(tmp_path):
    path = spss(tmp_path / "t.sav")
    assert column(path, Categorical("sex", ["male", "no answer"], other=True)) == [
        "male",
        "female",
        "no answer",
        "male",
    ]
    assert column(path, Categorical("sex", [1, 2, 9])) == [1, 2, 9, 1]
    assert column(path, Categorical("region", ["X"], other=True)) == ["north", "south", "X", None]
    replaced = Categorical("sex", ["m", "f"], replace={"male": "m", "female": "f"}, other=True)
    schema = Schema([replaced], label=LABEL)
    ((frame, _),) = Files.of(path).frames([replaced], "raise")
    assert read_rows(frame, schema).columns["sex"].tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (spss, "t.sav"),
        (lambda path: spss(path, compress=True), "t.zsav"),
        (stata, "t.dta"),
        (lambda path: stata(path, version=8), "old.dta"),
        (sas, "t.xpt"),
        (lambda path: sas(path, file_format_version=5), "old.xpt"),
    ],
)
def test_a_fit_has_the_rows_of_the_same_table_as_csv(tmp_path, write, name):
    path = write(tmp_path / name)
    lists = ["male", "female"] if "xpt" not in name else ["1", "2"]
    columns = [Categorical("sex", lists, other=True, missing="missing"), NUMBER, *DAYS]
    label = Label("vote", ["no", "yes"]) if "xpt" not in name else Label("vote", ["1", "2"])
    schema = Schema(columns, label=label, identifier=Identifier("number"))
    labels = {1.0: lists[0], 2.0: lists[1], 9.0: "" if "sav" in name else "9"}
    csv = pl.DataFrame(
        {
            "sex": [labels[cell] for cell in ROWS["sex"]],
            "trust": [cell if cell != 77 or "sav" not in name else None for cell in ROWS["trust"]],
            **{day: ROWS[day] for day in ("since", "seen")},
            "number": [str(int(cell)) for cell in ROWS["number"]],
            "vote": [label.classes[1] if cell == 1 else label.classes[0] for cell in ROWS["vote"]],
        }
        if "xpt" not in name
        else {
            **{each: ROWS[each] for each in ("trust", "since", "seen")},
            **{each: [str(int(cell)) for cell in ROWS[each]] for each in ("sex", "number", "vote")},
        }
    )
    csv.write_csv(tmp_path / "t.csv")
    found = []
    for each in (path, tmp_path / "t.csv"):
        table = read_source(opened_source(each), schema)
        rows = []
        table.visit(lambda block, rows=rows: rows.append([block.labels, *block._rows.columns.values()]))
        found.append([part.tolist() for part in rows[0]])
    assert found[0] == found[1]


@given(
    cell=st.one_of(
        st.none(),
        st.sampled_from([1.0, 2.0, 9.0, 77.0, 3.0, 1.5, -1e300, 1e300]),
        st.floats(-8e307, 8e307),  # Stata holds no more
    ),
    name=st.sampled_from(["sex", "trust", "number", "vote"]),
    write=st.sampled_from([(spss, "one.sav"), (stata, "one.dta"), (sas, "one.xpt")]),
)
@settings(max_examples=40, deadline=None)
def test_one_cell_changes_no_other(tmp_path_factory, cell, name, write):
    entries = [Categorical("sex", ["male", "2"], other=True), NUMBER, *DAYS, Categorical("vote", [1, 2], other=True)]
    entries.append(Categorical("region", ["north", "S"], other=True))
    changed = {**ROWS, name: [cell, *ROWS[name][1:]]}
    found = []
    for rows in (ROWS, changed):
        path = write[0](tmp_path_factory.getbasetemp() / write[1], rows)
        ((frame, beside),) = Files.of(path).frames(entries, "coerce", ["number"])
        texts = frame.with_columns(pl.col("sex", "region").cast(pl.String))
        found.append((texts[1:].rows(), beside[1:].rows()))
    assert found[0] == found[1]


def test_rows_come_in_parts_of_a_process_of_their_own(tmp_path, monkeypatch):
    for module in ("frames", "several"):
        monkeypatch.setattr(f"tacit.table.files.{module}.rows_together", lambda _: 3)
    path = spss(tmp_path / "t.sav", {name: cells * 2 for name, cells in ROWS.items()})
    frames = [frame for frame, _ in Files.of(path).frames([NUMBER, LABEL], "raise")]
    assert [frame.height for frame in frames] == [3, 3, 2]
    assert pl.concat(frames)["trust"].to_list() == [0, 10, None, None] * 2
    content = path.read_bytes()
    (tmp_path / "short.sav").write_bytes(content[:-9])
    (tmp_path / "not.sav").write_bytes(content[:50] + b"SECRET" * 100)
    for name in ("short.sav", "not.sav"):
        with pytest.raises(TableError, match=r"a whole file of SPSS, Stata or SAS.* in \w+.sav") as caught:
            list(Files.of(tmp_path / name).frames([NUMBER, LABEL], "raise"))
        assert "SECRET" not in str(caught.value)


def test_the_library_and_the_columns_are_asked_for_by_name(tmp_path, monkeypatch):
    path = stata(tmp_path / "t.dta")
    with pytest.raises(TableError, match="named 'age' in t"):
        Files.of(path).check_columns(["age"])
    monkeypatch.setattr(survey, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"Install tacit\[survey\]"):
        Files.of(path).check_columns(["sex"])


def test_a_draft_sees_declared_labels(tmp_path):
    frame = read_for_draft(spss(tmp_path / "t.sav"), "vote")
    assert frame["sex"].dtype == pl.Enum(["male", "female"])
    assert frame["region"].dtype == pl.Enum(["north", "south"])
    assert frame["vote"].to_list() == ["yes", "no", "no", "yes"]
    assert frame["number"].dtype == pl.Int64
    assert frame["trust"].to_list() == ["none", "full", None, None]
    assert frame["since"].dtype == pl.Date
    # Some steps of a scale have no label: then they are numbers.
    steps = {**ROWS, "trust": [0.0, 4, 77, 10]}
    assert read_for_draft(spss(tmp_path / "steps.sav", steps), "vote")["trust"].to_list() == [0, 4, None, 10]


def test_an_encoding_that_the_file_does_not_name(tmp_path):
    # The format of this version names no encoding; the library writes UTF-8 all the same.
    path = stata(tmp_path / "t.dta", {**ROWS, "region": ["Köln"] * 4}, version=12)
    entry = Categorical("region", ["Köln", "KÃ¶ln"])
    assert column(path, entry) == ["KÃ¶ln"] * 4
    ((frame, _),) = Files.of(path, FileFormat("utf-8")).frames([entry], "raise")
    assert frame["region"].to_list() == ["Köln"] * 4


SAS = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (SAS, "sas7bdat"),
        (SAS[:-1], "csv"),
        (b"\x72\x02\x01\x00", "dta"),
        (b"\x69\x01\x01\x00", "dta"),
        (b"rx,y\n", "csv"),
        (b"s\x02\x02", "csv"),
        (b"$FL3@(#)", "sav"),
        (b"HEADER RECORD*******LIBV8", "xpt"),
        (b"", "csv"),
        (b"\xd0\xcf\x11\xe0", "workbook"),
    ],
)
def test_formats_are_known_by_their_first_bytes(tmp_path, head, found):
    (tmp_path / "t").write_bytes(head)
    assert format_of(tmp_path / "t") == found
