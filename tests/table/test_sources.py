"""Tables of files, queries and data sets: the rows of the whole table, whatever holds them and wherever they are."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import TableError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.table import MEMORY, Disk, Table, opened_source, read_source, sources
from tacit.table.files import csv_chunks, frames, places, read_features, several
from tacit.table.files.csv_text import HEAD
from tacit.table.partitions import Partitions
from tacit.table.persons import Members

COLUMNS = [Numeric("a", 0, 100), Categorical("c", ["x", "y,\n z", '"q"'], other=True), Categorical("k", [1, 2, 3])]
SCHEMA = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
PERSONS = Schema(COLUMNS, label=SCHEMA.label, identifier=Identifier("id"))


def frame(n_rows=500):
    generator = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "a": generator.uniform(0, 100, n_rows),
            "c": generator.choice(["x", "y,\n z", '"q"', "other"], n_rows),
            "k": generator.integers(1, 4, n_rows),
            "y": generator.choice(["no", "yes"], n_rows),
            "id": generator.integers(0, n_rows // 4, n_rows),
            "^.*$": generator.uniform(size=n_rows),
        }
    )


def cells(table):
    """Return all that a table holds, block by block."""
    found = []

    def look(block):
        members = block.members
        of_persons = [] if members is None else [members.person, members.rank, members.count, members.key]
        weights = [] if block.weights is None else [block.weights]
        rows = [block.labels, *block._rows.columns.values(), *of_persons, *weights]
        found.append([(each.dtype.str, each.tolist()) for each in rows])

    table.visit(look)
    return found


def whole(schema, rows=None):
    rows = frame() if rows is None else rows
    return cells(Table.from_frame(rows, rows["y"], schema, block_rows=64))


def read(given, schema, place):
    return cells(read_source(opened_source(given), schema, place=place))


@pytest.fixture(autouse=True)
def few_rows_together(monkeypatch, tmp_path):
    """Make many blocks, frames and chunks of a few hundred rows."""
    monkeypatch.setattr(sources, "BLOCK_ROWS", 64)
    monkeypatch.setattr(Table.from_batches.__func__, "__kwdefaults__", {"block_rows": 64, "storage": MEMORY})
    monkeypatch.setattr(frames, "rows_together", lambda _: 90)
    monkeypatch.setattr(csv_chunks, "_CHUNK", 300)
    monkeypatch.setattr(csv_chunks, "HEAD", 100)
    monkeypatch.setenv("TACIT_SCRATCH", str(tmp_path / "scratch"))


def of_parts(folder, write, ending):
    for at, part in enumerate(frame().iter_slices(170)):
        write(part, folder / f"part-{at}.{ending}")
    return folder


def packed(part, path):
    path.write_bytes(gzip.compress(part.write_csv().encode()))


def packed_by_zstd(part, path):
    arrow = pytest.importorskip("pyarrow")
    with arrow.output_stream(str(path), compression="zstd") as stream:
        stream.write(part.write_csv().encode())


def as_dataset(folder):
    dataset = pytest.importorskip("pyarrow.dataset")
    of_parts(folder, pl.DataFrame.write_parquet, "parquet")
    return dataset.dataset(folder)


def as_relation(folder):
    duckdb = pytest.importorskip("duckdb")
    of_parts(folder, pl.DataFrame.write_parquet, "parquet")
    return duckdb.sql(f"SELECT * FROM '{folder}/*.parquet' ORDER BY filename, file_row_number")


SOURCES = {
    "CSV": lambda folder: str(of_parts(folder, pl.DataFrame.write_csv, "csv") / "part-*"),
    "Parquet": lambda folder: of_parts(folder, pl.DataFrame.write_parquet, "parquet"),
    "Arrow": lambda folder: of_parts(folder, pl.DataFrame.write_ipc, "arrow"),
    "gzip": lambda folder: of_parts(folder, packed, "csv.gz"),
    "zstd": lambda folder: of_parts(folder, packed_by_zstd, "csv.zst"),
    "LazyFrame": lambda folder: frame().lazy().with_columns(pl.col("a") * 1),
    "dataset": as_dataset,
    "relation": as_relation,
}


@pytest.mark.parametrize("schema", [SCHEMA, PERSONS])
@pytest.mark.parametrize("place", ["memory", "disk"])
@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_the_table_of_all_its_rows(tmp_path, name, place, schema):
    given_ = SOURCES[name](tmp_path)
    assert read(given_, schema, place) == whole(schema)


def test_of_persons_the_first_rows_are_kept(tmp_path):
    schema = Schema(COLUMNS, label=SCHEMA.label, identifier=Identifier("id", rows=2))
    of_parts(tmp_path, pl.DataFrame.write_csv, "csv")
    assert read(tmp_path, schema, "disk") == read(tmp_path, schema, "memory") == whole(schema)


@given(
    names=st.lists(st.sampled_from(["a", "b", "", "ä\n", "longer " * 9, *map(str, range(30))])),
    cut=st.integers(1, 50),
    together=st.integers(1, 50),
)
@settings(max_examples=60)
def test_partitions_find_the_same_persons_as_all_identifiers_together(tmp_path_factory, names, cut, together):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.table.partitions._ROWS_TOGETHER", together)
        for storage in (MEMORY, Disk(tmp_path_factory.getbasetemp())):
            parts = Partitions(storage)
            for start in range(0, len(names), cut):
                parts.add(names[start : start + cut])
            if not names:
                continue
            found, want = parts.members(), Members.of(names)
            for each in ("person", "rank", "count"):
                assert getattr(found, each).tolist() == getattr(want, each).tolist()


LINES = st.lists(
    st.tuples(
        st.sampled_from(["1", "", " 2.5", "nan", "1e1"]), st.sampled_from(["x", '"y,\n\n z"', '"""q"""', '""', ""])
    )
)


@given(rows=LINES, end=st.sampled_from(["\n", "\r\n", "\r"]), blank=st.integers(0, 3), chunk=st.integers(1, 40))
@settings(max_examples=150)
def test_chunks_of_a_csv_file_are_read_as_the_whole(tmp_path_factory, rows, end, blank, chunk):
    path = tmp_path_factory.getbasetemp() / "chunks.csv"
    text = end.join(["a,c,k", *(f"{a},{c},1" for a, c in rows)]) + end * blank
    path.write_text(text, newline="")
    schema = Schema([Numeric("a", 0, 9, missing=0), COLUMNS[1], COLUMNS[2]], label=SCHEMA.label)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_chunks, "_CHUNK", chunk)
        patch.setattr(csv_chunks, "HEAD", 10)
        try:
            want = read_features(path, schema, "coerce")
        except TableError:
            with pytest.raises(TableError):
                list(opened_source(path).frames(schema.columns, "coerce"))
            return
        found = [each for each, _ in opened_source(path).frames(schema.columns, "coerce")]
    as_text = pl.col("c").cast(pl.String)  # each frame is coded by itself where all of its texts are listed
    assert pl.concat(each.with_columns(as_text) for each in found).equals(want.with_columns(as_text))


def test_blank_lines_between_rows_are_refused_wherever_a_chunk_ends(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a,c,k,y\n" + "1,x,1,no\n" * 3 + "\n" + "1,x,1,no\n" * 3)
    for chunk in range(1, 40):
        monkeypatch.setattr(csv_chunks, "_CHUNK", chunk)
        monkeypatch.setattr(csv_chunks, "HEAD", 9)
        with pytest.raises(TableError, match=r"another layout.* `row.names = FALSE`"):
            read(path, SCHEMA, "memory")


def test_a_quote_that_is_never_closed_ends_within_bounds(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text('a,c,k,y\n1,"x,1,no\n' + "1,x,1,no\n" * 500)
    monkeypatch.setattr(csv_chunks, "_LONGEST_ROW", 1000)
    with pytest.raises(TableError, match=r"quotes around whole cells.* in t\.csv"):
        read(path, SCHEMA, "memory")


def faults(folder):
    """Yield what is wrong with a source, the source, and what is said of it."""
    parquet, csv = pl.DataFrame.write_parquet, pl.DataFrame.write_csv
    rows = frame(50)

    def made(name, *files):
        place = folder / name
        place.mkdir()
        for at, (write, part) in enumerate(files):
            write(part, place / f"{at}.{'csv' if write is csv else 'parquet'}")
        return place

    twice = made("twice", (csv, rows))
    (twice / "again.csv").symlink_to(twice / "0.csv")
    yield twice, "each file once"
    yield made("columns", (csv, rows), (csv, rows.drop("k"))), "named 'k' in 1.csv"
    yield made("empty", (csv, rows), (csv, rows.clear())), "at least one row in 1.csv"
    yield made("nothing"), "where there is none"
    (made("bytes") / "0.csv").touch()
    yield folder / "bytes", "empty file"
    short = made("short", (parquet, rows), (parquet, rows))
    (short / "1.parquet").write_bytes((short / "1.parquet").read_bytes()[:-40])
    yield short, "damaged one in 1.parquet"
    torn = made("torn", (csv, rows))
    (torn / "0.csv.gz").write_bytes(gzip.compress(rows.write_csv().encode())[:-20])
    (torn / "0.csv").unlink()
    yield torn, "damaged one in 0.csv.gz"
    yield str(folder / "*.nothing"), "where there is none"
    yield rows.lazy().drop("y"), "named 'y' in the query"
    yield (
        rows.lazy().with_columns(a=pl.col("c").map_elements(lambda cell: [][len(cell)], pl.Float64)),
        "a query or data set that can be read",
    )
    yield rows.lazy().filter(pl.col("a") < 0), "at least one row"


@pytest.mark.parametrize("order", [(0, 50, 450), (50, 0, 450), (50, 450, 0)])
def test_empty_parquet_files_beside_others_have_no_rows(tmp_path, order):
    """Spark writes such for partitions without rows."""
    start = 0
    for at, height in enumerate(order):
        frame()[start : start + height].write_parquet(tmp_path / f"{at}.parquet")
        start += height
    assert cells(read_source(opened_source(tmp_path), SCHEMA)) == whole(SCHEMA)
    for at in range(3):
        frame().clear().write_parquet(tmp_path / f"{at}.parquet")
    with pytest.raises(TableError, match=r"at least one row in 0\.parquet"):
        read_source(opened_source(tmp_path), SCHEMA)


@pytest.mark.parametrize("place", ["memory", "disk"])
def test_what_cannot_be_read_is_one_error_without_a_cell(tmp_path, place):
    for given_, message in faults(tmp_path):
        with pytest.raises(TableError, match=message) as caught:
            read(given_, SCHEMA, place)
        assert "other" not in str(caught.value).replace("others", "")
        assert "other" not in repr(caught.value.__context__)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path):
    folder = of_parts(tmp_path, pl.DataFrame.write_csv, "csv")
    source = opened_source(folder)
    reading = source.frames((*SCHEMA.columns, SCHEMA.label), "raise")
    next(reading)
    path = folder / "part-1.csv"
    before, content = path.stat(), path.read_text()
    path.write_text(content[:-2] + str((int(content[-2]) + 1) % 10) + "\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(TableError, match="stay the same"):
        list(reading)


def test_the_footer_tells_a_change_that_size_and_time_do_not(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"abc")
    before, found = places.state_of(path), path.stat()
    path.write_bytes(b"abd")
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert places.state_of(path) != before
    assert places.state_of(path)[:3] == before[:3]


def test_large_files_go_to_disk_by_their_size_and_the_memory_that_is_left(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    frame().write_csv(path)
    kinds = []
    for left in (path.stat().st_size * sources.SHARE, path.stat().st_size * sources.SHARE - 1):
        monkeypatch.setattr(sources, "memory_left", lambda left=left: left)
        kinds.append(type(read_source(opened_source(path), SCHEMA)._storage).__name__)
    kinds.append(type(read_source(opened_source(frame().lazy()), SCHEMA)._storage).__name__)
    assert kinds == ["Memory", "Disk", "Disk"]


def test_a_pipe_is_kept_on_disk_without_a_name(tmp_path):
    content = io.BytesIO()
    frame().write_parquet(content)
    for given_ in (frame().write_csv().encode(), content.getvalue()):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        if (child := os.fork()) == 0:
            pipe.write_bytes(given_)
            os._exit(0)
        source = opened_source(pipe)
        os.waitpid(child, 0)
        assert cells(read_source(source, SCHEMA)) == whole(SCHEMA)
        assert list(Path(os.environ["TACIT_SCRATCH"]).iterdir()) == []
        pipe.unlink()


def test_a_first_line_is_as_long_as_before():
    assert HEAD == 2**20


def test_parts_of_large_files_have_the_same_rows_in_their_order(tmp_path):
    rows = frame(1000)
    kinds = {"a.parquet": rows.write_parquet, "b.arrow": rows.write_ipc, "c.csv": rows.write_csv}
    for name, write in kinds.items():
        write(tmp_path / name)
    parts = [list(several.Files.of(tmp_path / name).parts(500)) for name in kinds]
    assert [[part.rows for part in own] for own in parts] == [
        [(0, 500), (500, None)],
        [(0, 500), (500, None)],
        [(0, None)],
    ]
    # 1,000 rows are four parts of 240 and forty rows, which are too few for a process of their own.
    assert [part.rows for part in several.Files.of(tmp_path / "a.parquet").parts(240)][-1] == (720, None)
    for own in parts:
        read = [block for part in own for block in cells(read_source(part, SCHEMA, place="memory"))]
        assert columns_of(read) == columns_of(whole(SCHEMA, rows))


def columns_of(blocks):
    """Return each column's cells in all blocks, one after the other."""
    return [[cell for _, values in parts for cell in values] for parts in zip(*blocks, strict=True)]


def test_a_part_is_tried_without_the_others(tmp_path):
    path = tmp_path / "a.parquet"
    frame(1000).write_parquet(path, row_group_size=250, compression="uncompressed", statistics=False)
    content = bytearray(path.read_bytes())
    content[8:40] = b"\xff" * 32  # the head of the first page
    path.write_bytes(content)
    first, other = several.Files.of(path).parts(500)
    with pytest.raises(TableError, match="got a damaged one"):
        read_source(first, SCHEMA, place="memory")
    assert read_source(other, SCHEMA, place="memory").n_rows == 500
