"""Text in other encodings, compressed or not: the rows of the same table in UTF-8, and one cell for each fault."""

from __future__ import annotations

import gzip
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import SchemaError, TableError
from tacit.schema import Categorical, FileFormat, Kinds, Label, Numeric, Schema
from tacit.schema.draft import draft_of
from tacit.table.files import csv_chunks, csv_ranges, read_features, read_for_draft, read_with_labels
from tacit.table.files.csv_ranges import has_odd_quotes, spans_of, starts_of
from tacit.table.files.several import Files

COLUMNS = [Numeric("größe", 0, 250), Categorical("ort", ["Köln", "Łódź", "a;b\nc", "'"], other=True)]
SCHEMA = Schema(COLUMNS, label=Label("ja/nein", ["nein", "ja"]))
LINES = ["170;Köln;ja", ' 1.5;"a;b\nc";nein', "3;;ja", "180;Zürich;nein", "190;München;ja"]
TEXT = "\r\n".join(["größe;ort;ja/nein", *LINES, ""])


def written(folder, content, name="t.csv"):
    path = folder / name
    path.write_bytes(content)
    return path


def rows(path, encoding=None, on_invalid="raise"):
    files = Files.of(path, FileFormat(encoding=encoding))
    frame, labels = read_with_labels(files, SCHEMA, on_invalid)
    return list(zip(frame["größe"].to_list(), frame["ort"].to_list(), labels.to_list(), strict=True))


WANTED = [
    (170.0, "Köln", "ja"),
    (1.5, "a;b\nc", "nein"),
    (3.0, None, "ja"),
    (180.0, "Zürich", "nein"),
    (190.0, "München", "ja"),
]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("chunk", [7, 2**23])
@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", None),
        ("utf-8", "UTF-8"),
        ("utf-8-sig", None),
        ("utf-8-sig", "cp1252"),  # the mark says more than the schema
        ("utf-16", None),
        ("utf-16", "latin-1"),
        ("utf-32", None),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "UTF-16BE"),
        ("latin-1", "latin-1"),
        ("cp1252", "cp1252"),
        ("cp1250", "windows-1250"),
        ("mac-roman", "mac-roman"),
        ("gb18030", "gb18030"),
    ],
)
def test_text_is_read_as_the_same_text_in_utf8(tmp_path, monkeypatch, encoding, declared, chunk, pack):
    path = written(tmp_path, pack(TEXT.encode(encoding)), "t.csv.gz" if pack is gzip.compress else "t.csv")
    monkeypatch.setattr(csv_chunks, "_CHUNK", chunk)
    assert rows(path, declared) == WANTED


ENCODINGS = ("cp1252", "latin-1", "ascii", "cp1253", "gbk", "shift_jis", "big5", "euc_kr", "utf-8")
LAYOUT = set(b';"\r\n')


@given(
    encoding=st.sampled_from(ENCODINGS),
    cell=st.binary(max_size=6).filter(lambda cell: not LAYOUT & set(cell)),
    on_invalid=st.sampled_from(["raise", "coerce"]),
)
@settings(max_examples=150, deadline=None)
def test_the_bytes_of_one_cell_change_no_other_cell(tmp_path_factory, encoding, cell, on_invalid):
    def lines(cell):
        return b"a;ort;x\n1;b;c\n2;" + cell + b";d\n3;" + "oe".encode(encoding) + b";f\n"

    folder = tmp_path_factory.getbasetemp()
    entries = [Numeric("a", 0, 9), Categorical("x", ["c", "d", "f"])]
    read = []
    for content in (b"ordinary", cell):
        path = written(folder, lines(content), "one-cell.csv")
        try:
            ((frame, beside),) = Files.of(path, FileFormat(encoding=encoding)).frames(entries, on_invalid, ["ort"])
        except TableError as error:
            assert on_invalid == "raise"  # whatever a cell holds, and never a way to read the others
            assert "Expected text in" in str(error)
            return
        read.append((frame.rows(), beside["ort"].to_list()[::2]))
    assert read[0] == read[1] == ([(1, "c"), (2, "d"), (3, "f")], ["b", "oe"])


@given(code=st.integers(0, 0xFFFF).filter(lambda code: chr(code) not in ';"\r\n'))
@settings(max_examples=100, deadline=None)
def test_one_unit_of_utf16_changes_no_other_cell(tmp_path_factory, code):
    before, after = "a;ort;x\n1;b;c\n2;x".encode("utf-16"), "y;d\n3;e;f\n".encode("utf-16-le")
    path = written(tmp_path_factory.getbasetemp(), before + code.to_bytes(2, "little") + after, "unit.csv")
    entries = [Numeric("a", 0, 9), Categorical("x", ["c", "d", "f"])]
    ((frame, beside),) = Files.of(path).frames(entries, "coerce", ["ort"])
    assert (frame.rows(), beside["ort"].to_list()[::2]) == ([(1, "c"), (2, "d"), (3, "f")], ["b", "e"])


def test_no_table_is_read_by_an_encoding_that_its_cells_suggest(tmp_path):
    latin = written(tmp_path, TEXT.encode("latin-1"))
    for read in (lambda: rows(latin), lambda: read_features(latin, SCHEMA, "coerce")):
        with pytest.raises(TableError, match="Expected text in UTF-8, got another encoding in t"):
            read()  # the names are no UTF-8
    text = "größe;ort;ja/nein\n1;a;ja\n2;ä;ja\n".encode()
    path = written(tmp_path, text.replace("ä".encode(), b"\xe4"))
    with pytest.raises(TableError, match="Expected text in UTF-8"):
        rows(path)
    assert rows(path, on_invalid="coerce") == [(1.0, "a", "ja"), (2.0, "\ufffd", "ja")]


def test_bytes_that_an_encoding_does_not_have(tmp_path):
    path = written(tmp_path, "größe;ort;ja/nein\n1;a?;ja\n2;ä;ja\n".encode("cp1252").replace(b"?", b"\x81"))
    with pytest.raises(TableError, match="Expected text in cp1252"):
        rows(path, "cp1252")
    assert rows(path, "cp1252", "coerce") == [(1.0, "a\ufffd", "ja"), (2.0, "ä", "ja")]
    torn = written(tmp_path, TEXT.encode("utf-16")[:-1])
    with pytest.raises(TableError, match=r"Expected text in utf-16|another layout"):
        rows(torn)


def test_the_schema_says_the_encoding_and_an_option_says_otherwise(tmp_path):
    schema = Schema(COLUMNS, label=SCHEMA.label, file=FileFormat(encoding="cp1250"))
    assert Schema.from_toml(schema.to_toml()) == schema
    assert '[file]\nencoding = "cp1250"' in schema.to_toml()
    path = written(tmp_path, TEXT.encode("cp1250"))
    assert read_features(path, schema, "raise")["ort"].to_list() == [ort for _, ort, _ in WANTED]
    assert FileFormat("latin-1").over(schema.file) == FileFormat("latin-1")
    assert FileFormat(sheet="A").over(schema.file) == FileFormat("cp1250", "A")
    assert Schema(COLUMNS, label=SCHEMA.label, file=FileFormat()).file is None


@pytest.mark.parametrize("encoding", ["utf-7", "iso2022_jp", "hz", "cp500", "hex", "idna", "no such", "", 3])
def test_an_encoding_in_which_one_cell_changes_others_is_refused(encoding):
    with pytest.raises(SchemaError, match="encoding"):
        FileFormat(encoding=encoding)


@pytest.mark.parametrize("table", ["file = 3", '[file]\nencodin = "cp1252"', "[file]\nencoding = 1252"])
def test_what_a_schema_says_of_files_is_checked(table):
    with pytest.raises(SchemaError, match=r"\[file\]|encoding"):
        Schema.from_toml(SCHEMA.to_toml().replace("format = 1", f"format = 1\n{table}\n"))


SEPARATED = ["sep=;\r\n", '"sep=;"\n', "SEP=;\n", "\ufeffsep=;\r\n", "\n\nsep=;\n\n"]


@pytest.mark.parametrize("line", SEPARATED)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_first_line_that_names_the_separator_is_none_of_names(tmp_path, monkeypatch, line, encoding):
    path = written(tmp_path, (line + TEXT).encode(encoding))
    assert rows(path) == WANTED
    monkeypatch.setattr(csv_chunks, "_CHUNK", 11)
    assert rows(path) == WANTED
    assert read_for_draft(path, "ja/nein").columns == ["größe", "ort", "ja/nein"]


def test_the_named_separator_is_the_only_one(tmp_path):
    path = written(tmp_path, b"sep=^\na^b,c\n1^2\n")
    ((frame, _),) = Files.of(path).frames([Numeric("b,c", 0, 9)], "raise")
    assert frame.rows() == [(2.0,)]
    with pytest.raises(TableError, match="named 'a'"):
        next(Files.of(written(tmp_path, b"sep=;\na,b\n1,2\n")).frames([Numeric("a", 0, 9)], "raise"))
    with pytest.raises(TableError, match="empty file"):
        next(Files.of(written(tmp_path, b"sep=;\n")).frames([Numeric("a", 0, 9)], "raise"))


def test_ranges_of_a_file_begin_after_the_line_that_names_the_separator(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_chunks, "_CHUNK", 20)
    for module in (csv_chunks, csv_ranges):
        monkeypatch.setattr(module, "HEAD", 40)
    path = written(tmp_path, ("sep=;\r\n" + "\r\n".join(["größe;ort;ja/nein", *LINES * 5, ""])).encode())
    starts = starts_of(path, 60)
    assert len(starts) > 3
    spans = list(spans_of(starts, 60, [has_odd_quotes(path, *ends) for ends in pairwise(starts)]))
    read = [Files((path,), "t.csv", span=span).frames([*COLUMNS, SCHEMA.label], "raise") for span in spans]
    assert [row for frames in read for frame, _ in frames for row in frame.rows()] == WANTED * 5
    # Ranges of bytes are not ranges of text in other encodings, which one worker reads.
    assert starts_of(path, 60, "cp1252") == (0,)
    assert starts_of(written(tmp_path, TEXT.encode("utf-16")), 60) == (0,)


@pytest.mark.parametrize(
    ("encoding", "proposed"), [("utf-8", None), ("utf-16", None), ("cp1252", "cp1252"), ("utf-16-le", "utf-16-le")]
)
def test_a_draft_proposes_the_encoding_and_a_fit_then_reads_by_it(tmp_path, encoding, proposed):
    text = "größe;ort;ja/nein\n" + "170;Köln;ja\n180;Zürich;nein\n" * 40
    path = written(tmp_path, gzip.compress(text.encode(encoding)), "t.csv.gz")
    files = Files.of(path).in_found_encoding()
    draft = draft_of(read_for_draft(files, "ja/nein"), "ja/nein", file=files.written)
    schema = Schema.from_toml(draft.to_toml())
    assert schema.file == (FileFormat(proposed) if proposed else None)
    assert ("check a name with an accent" in draft.to_toml()) == (proposed is not None)
    assert Kinds.from_toml(Kinds.of_schema(schema).to_toml()).file == schema.file
    frame, labels = read_with_labels(path, schema, "raise")
    assert (frame["ort"][1], labels[1]) == ("Zürich", "nein")


def test_a_draft_of_text_in_an_unlikely_encoding_asks_for_its_name(tmp_path):
    path = written(tmp_path, "größe;ort\n1;Ý\u0081".encode("latin-1"))
    with pytest.raises(TableError, match="Name the one that it has"):
        read_for_draft(Files.of(path).in_found_encoding(), "ort")
