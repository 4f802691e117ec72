"""Ranges of a CSV file: the chunks, rows and errors of the whole file, wherever a range begins."""

from __future__ import annotations

import gzip
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.in_process import read_by_workers
from tacit import NaiveBayesClassifier
from tacit.errors import TableError
from tacit.models import to_json
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.table import opened_source, read_source
from tacit.table.cluster import reading
from tacit.table.files import csv_chunks, csv_ranges
from tacit.table.files.csv_ranges import has_odd_quotes, spans_of, starts_of
from tacit.table.files.several import Files

SCHEMA = Schema(
    [Numeric("a", 0, 100), Categorical("c", ["x", "y\n,z", 'q"'], other=True)], label=Label("y", ["no", "yes"])
)
NAMES = ["a", "c", "y"]
CELL = st.sampled_from(
    ["x", "", '"y\n,z"', '"q"""', '"""\n\n"""', '"\r\n"', "long " * 8, '"' + "deep\n" * 9 + '"', "ä"]
)
BROKEN = st.sampled_from(['"', 'a"b', '"x"y', ',"', "\n", ",,,,", "\udcff"])
LINE = st.tuples(st.sampled_from(["1", "2.5", " 3", "", "NA"]), CELL, st.sampled_from(["no", "yes"])).map(",".join)
TEXT = st.tuples(
    st.sampled_from(["", "\ufeff", "\n", "\ufeff\r\n"]),
    st.lists(st.one_of(LINE, LINE, LINE, LINE, LINE, LINE, LINE, LINE, BROKEN), max_size=40),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(0, 4),
).map(lambda drawn: drawn[0] + drawn[2].join(["a,c,y", *drawn[1]]) + drawn[2] * drawn[3])


def read_little_at_a_time(patch, chunk, head):
    patch.setattr(csv_chunks, "_CHUNK", chunk)
    for module in (csv_chunks, csv_ranges):
        patch.setattr(module, "HEAD", head)


def spans(path, size):
    starts = starts_of(path, size)
    return list(spans_of(starts, size, [has_odd_quotes(path, *ends) for ends in pairwise(starts)]))


def chunks(path, span, line_end):
    """Return what is parsed together, and the error at the end, if there is one."""
    found = []
    with path.open("rb") as stream:
        first = stream.read(csv_chunks.HEAD)
        try:
            found.extend(csv_chunks._chunks_of(span, stream, first, line_end, path))
        except TableError as error:
            found.append(str(error))
    return found


def rows(path, span, on_invalid):
    """Return the rows that a table is made of, and the error at the end, if there is one."""
    found = []
    try:
        for read, _ in Files((path,), path.name, span=span).frames([*SCHEMA.columns, SCHEMA.label], on_invalid):
            # Each frame is coded by itself where all of its texts are listed.
            found += read.cast({"c": pl.String, "y": pl.String}).rows()
    except TableError as error:
        found.append(str(error))
    return found


def until_the_first_error(parts):
    together = []
    for part in parts:
        together += part
        if part and isinstance(part[-1], str):
            break
    return together


@given(
    text=TEXT,
    chunk=st.integers(1, 60),
    n_chunks=st.integers(1, 4),
    head=st.integers(12, 40),
    longest=st.integers(30, 900),
)
@example(text='a,c,y\n1,"' + "x\n" * 99 + '",no\n2,x,yes', chunk=7, n_chunks=1, head=12, longest=900)
@example(text='a,c,y\n1,"x,no\n' + "2,x,yes\n" * 30, chunk=7, n_chunks=2, head=12, longest=90)
@settings(max_examples=300)
def test_ranges_give_the_rows_and_the_error_of_the_whole_file(tmp_path_factory, text, chunk, n_chunks, head, longest):
    path = tmp_path_factory.getbasetemp() / "ranges.csv"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.MonkeyPatch.context() as patch:
        read_little_at_a_time(patch, chunk, head)
        patch.setattr(csv_chunks, "_LONGEST_ROW", longest)
        divided = spans(path, chunk * n_chunks)
        for on_invalid in ("raise", "coerce"):
            found = until_the_first_error(rows(path, span, on_invalid) for span in divided)
            assert found == rows(path, None, on_invalid)
        header = text.lstrip("\ufeff\r\n")[5:7]
        line_end = b"\r" if header[:1] == "\r" and header != "\r\n" else b"\n"
        parts = until_the_first_error(chunks(path, span, line_end) for span in divided)
        assert parts == chunks(path, None, line_end)


def test_quotes_before_a_place_tell_whether_it_is_in_a_cell(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_ranges, "HEAD", 6)
    monkeypatch.setattr(csv_ranges, "_TOGETHER", 3)
    path = tmp_path / "t.csv"
    path.write_text('a,c,y\n1,"x"\n"y""\nz",1\n')
    assert list(starts_of(path, 5)) == [0, 11, 16, 21]
    #                   first line and 1,"x" | \n"y"" | \nz",1 | the last line's end
    assert [(span.start, span.odd) for span in spans(path, 5)] == [(0, False), (11, False), (16, True), (21, False)]
    assert [has_odd_quotes(path, 6, 9), has_odd_quotes(path, 6, 11), has_odd_quotes(path, 0, 100)] == [
        True,
        False,
        False,
    ]


def test_what_is_not_divided_is_one_range(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_ranges, "HEAD", 8)
    text = b"a,c,y\n" + b"1,x,no\n" * 50
    for name, content in {
        "packed": gzip.compress(text),
        "zstd": b"\x28\xb5\x2f\xfd" + text,
        "parquet": b"PAR1" + text,
    }.items():
        (tmp_path / name).write_bytes(content)
        assert list(starts_of(tmp_path / name, 10)) == [0]
    (tmp_path / "long.csv").write_bytes(b"a,c,and many more\n" * 9)  # the first line is longer than what is looked at
    assert list(starts_of(tmp_path / "long.csv", 10)) == [0]
    (tmp_path / "t.csv").write_bytes(text)
    assert list(starts_of(tmp_path / "t.csv", 100)) == [0, 108, 208, 308]
    assert list(starts_of(tmp_path / "t.csv", 400)) == [0]
    assert csv_ranges.RANGE % csv_chunks._CHUNK == 0


def columns(table):
    return {name: table.gather(lambda block, name=name: block._rows.columns[name]).tolist() for name in ("a", "c")}


@pytest.mark.parametrize("identifier", [None, Identifier("id")])
def test_workers_read_ranges_as_one_process_reads_the_files(tmp_path, monkeypatch, identifier):
    read_little_at_a_time(monkeypatch, 40, 12)
    quoted = ['"y\n,z"', '"' + 40 * "x\n" + '"', "x", '"q"""']
    lines = [f"{at},{quoted[at % 4]},{'no' if at % 3 else 'yes'},{at % 11}" for at in range(100)]
    for name in ("0", "1"):
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,c,y,id", *lines]))
    schema = Schema(SCHEMA.columns, label=SCHEMA.label, identifier=identifier)
    found = read_by_workers(tmp_path, schema, monkeypatch, block_rows=16, shard_blocks=2, range_bytes=80)
    want = read_source(opened_source(tmp_path), schema)
    assert columns(found) == columns(want)
    assert len(columns(want)["a"]) == 200
    model, same = (NaiveBayesClassifier(schema, epsilon=5.0, random_state=3).fit_table(each) for each in (found, want))
    assert to_json(model.model_, allow="simulated") == to_json(same.model_, allow="simulated")


def test_workers_count_quotes_and_read_in_tasks_of_their_own(tmp_path, monkeypatch):
    read_little_at_a_time(monkeypatch, 40, 12)
    (tmp_path / "t.csv").write_text("a,c,y\n" + "1,x,no\n" * 60)  # 426 bytes
    doing = []
    keys_of = reading.new_keys
    monkeypatch.setattr(
        reading, "new_keys", lambda name, n_tasks: doing.append((name, n_tasks)) or keys_of(name, n_tasks)
    )
    spans_read = []
    texts_of = csv_chunks.CsvFile.texts
    monkeypatch.setattr(csv_chunks.CsvFile, "texts", lambda *given: spans_read.append(given[-1]) or texts_of(*given))
    read_by_workers(tmp_path, SCHEMA, monkeypatch, range_bytes=120)
    assert doing == [("quotes", 3)]
    assert [span.start for span in spans_read] == [0, 132, 252, 372]


def test_a_cell_that_is_refused_is_the_first_of_the_file_and_shows_nothing(tmp_path, monkeypatch):
    read_little_at_a_time(monkeypatch, 40, 12)
    rows = ["1,x,no"] * 60
    for wrong, words in [
        ({20: "word,x,no", 50: '1,"x,no'}, "a number in every cell"),
        ({20: '1,"x,no'}, "never closed"),
    ]:
        text = "\n".join(["a,c,y", *(wrong.get(at, row) for at, row in enumerate(rows))])
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(TableError) as whole:
            read_source(opened_source(tmp_path), SCHEMA)
        with pytest.raises(TableError, match=words) as divided:
            read_by_workers(tmp_path, SCHEMA, monkeypatch, range_bytes=80)
        assert str(divided.value) == str(whole.value)
