"""Large data sets: a fake archive, packed as the real one is, is fetched through a file and read block by block."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from reproductions.nock2015 import large
from reproductions.nock2015.large import class_first, read_large, whole_lines
from reproductions.nock2015.large_records import LARGE_RECORDS
from tacit.datasets import catalog, fetch, load
from tacit.datasets.catalog import load_schema
from tacit.errors import DatasetUnavailable

RECORDS = {record.name: record for record in LARGE_RECORDS}
ROWS = 7
WIDTHS = {"hardware": 96, "twitter": 77, "susy": 18, "higgs": 28}


def text_of(name, rows=ROWS, shift=0.0):
    """Rows as the archive writes them: the class in front, or a score at the end; classes 1, 0, 1, 0, ..."""
    lines = []
    for row in range(rows):
        cells = [row + place / 4 + shift for place in range(WIDTHS[name])]
        wanted = 1 - row % 2
        cells = [float(wanted), *cells] if name in ("susy", "higgs") else [*cells, 499.5 + wanted / 2]
        lines.append(",".join(f"{cell:.18e}" for cell in cells))
    return ("\n".join(lines) + "\n").encode()


def archive_of(name, text):
    """A zip archive with a packed table in it, or with a packed tar archive that has the table in a folder."""
    inside, member = io.BytesIO(), RECORDS[name].file.member
    if name in ("susy", "higgs"):
        packed, inner = gzip.compress(text), f"{member}.gz"
    else:
        with tarfile.open(fileobj=inside, mode="w:gz") as tar:
            for path, content in (("./regression/other.names", b"no"), (f"./regression/x/{member}", text)):
                entry = tarfile.TarInfo(path)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
        packed, inner = inside.getvalue(), "regression.tar.gz"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        opened.writestr(inner, packed)
    return stream.getvalue()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("TACIT_DATA", raising=False)
    monkeypatch.setattr(fetch, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(large, "cache_folder", lambda: tmp_path)
    for name, record in RECORDS.items():
        monkeypatch.setitem(catalog.records(), name, replace(record, n_rows=ROWS))
    return tmp_path


def serving(content):
    def downloader(url, output, _):
        assert url.startswith("https://archive.ics.uci.edu/static/public/")
        output.write(content)

    return downloader


def closed(url, output, _):
    raise AssertionError("opened")


def left_behind(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", WIDTHS)
def test_a_table_comes_out_of_its_archive_and_is_found_again(name, cache, monkeypatch):
    monkeypatch.setattr(large, "BLOCK", 1000)  # so that rows come in several blocks
    data = load(name, downloader=serving(archive_of(name, text_of(name))))
    assert data.frame.shape == (ROWS, WIDTHS[name])
    assert data.frame.columns == list(load_schema(name).names)
    assert data.target.to_list() == [1, 0, 1, 0, 1, 0, 1]
    expected = np.arange(ROWS)[:, None] + np.arange(WIDTHS[name]) / 4
    assert (data.frame.to_numpy() == expected).all()
    assert left_behind(cache) == [cache / f"{RECORDS[name].file.path}.gz"]
    assert load(name, downloader=closed).frame.equals(data.frame)


@pytest.mark.parametrize("name", WIDTHS)
def test_the_size_that_is_checked_is_the_documented_one(name):
    documented = {"hardware": 28_179, "twitter": 583_250, "susy": 5_000_000, "higgs": 11_000_000}
    assert RECORDS[name].n_rows == documented[name]
    schema = load_schema(name)
    assert len(schema.columns) == WIDTHS[name]
    assert schema.private_columns == schema.names
    assert schema.label.private


@pytest.mark.parametrize("rows", [ROWS - 1, ROWS + 1, 0])
def test_another_number_of_rows_is_refused(rows, cache):
    with pytest.raises(DatasetUnavailable, match=re.escape("susy/SUSY.csv.gz")):
        load("susy", downloader=serving(archive_of("susy", text_of("susy", rows))))


def test_reading_stops_where_there_is_too_much(cache, monkeypatch):
    monkeypatch.setattr(large, "BLOCK", 400)
    path, read = cache / "SUSY.csv", []

    def counting(block, schema):
        read.append(block)
        return class_first(block, schema)

    path.write_bytes(text_of("susy", 200))
    record = replace(RECORDS["susy"], n_rows=ROWS, read=counting)
    assert ROWS < read_large(record, path, load_schema("susy")).height < 30
    assert sum(map(len, read)) < 0.2 * path.stat().st_size


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace(b",", b";"),
        lambda text: b"\n".join(line + b",1" for line in text.split(b"\n")[:-1]),
        lambda text: b"\n".join(line.rpartition(b",")[0] for line in text.split(b"\n")[:-1]),
        lambda text: text.replace(b"e+00", b"x", 1),
        lambda text: b"\xff\xfe" * 50,
    ],
)
def test_another_layout_is_refused(spoil, cache):
    with pytest.raises(DatasetUnavailable, match=re.escape("susy/SUSY.csv.gz")):
        load("susy", downloader=serving(archive_of("susy", spoil(text_of("susy")))))


@pytest.mark.parametrize("name", ["susy", "twitter"])
def test_a_broken_download_leaves_nothing_behind(name, cache):
    whole = archive_of(name, text_of(name))
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 255
    for content in (whole[:-40], whole[: len(whole) // 2], b"", bytes(flipped)):
        with pytest.raises(DatasetUnavailable, match="by hand"):
            load(name, downloader=serving(content))
        assert left_behind(cache) == []


def test_an_archive_without_the_file_and_one_too_large_are_refused(cache, monkeypatch):
    with pytest.raises(DatasetUnavailable, match="HIGGS"):
        load("higgs", downloader=serving(archive_of("susy", text_of("susy"))))
    monkeypatch.setattr(large, "MAX_FILE_BYTES", 100)
    with pytest.raises(DatasetUnavailable, match="at most 100 bytes"):
        load("susy", downloader=serving(archive_of("susy", text_of("susy"))))
    monkeypatch.setattr(large, "PATIENCE", -1.0)
    monkeypatch.setattr(large, "MAX_FILE_BYTES", 10**9)
    with pytest.raises(DatasetUnavailable, match="no end in the time"):
        load("susy", downloader=serving(archive_of("susy", text_of("susy"))))
    assert left_behind(cache) == []


def test_offline_the_error_says_what_to_put_where(cache):
    def offline(url, output, _):
        raise OSError("no network")

    for downloads, reason in (("if-missing", "no network"), ("never", "no copy")):
        with pytest.raises(DatasetUnavailable) as caught:
            load("higgs", downloads=downloads, downloader=offline)
        for part in ("higgs/HIGGS.csv", "280/higgs.zip", "TACIT_DATA", str(cache), reason):
            assert part in str(caught.value)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_copy_in_the_data_folder_will_do(ending, cache, tmp_path, monkeypatch):
    folder = tmp_path / "own"
    (folder / "twitter").mkdir(parents=True)
    text = text_of("twitter")
    (folder / "twitter" / f"Twitter.data{ending}").write_bytes(gzip.compress(text) if ending else text)
    monkeypatch.setenv("TACIT_DATA", str(folder))
    assert load("twitter", downloader=closed).frame.height == ROWS


def test_lines_are_kept_whole(monkeypatch):
    monkeypatch.setattr(large, "BLOCK", 8)
    blocks = list(whole_lines(io.BytesIO(b"one\ntwo\nthree\nfour and more\nend")))
    assert b"".join(blocks) == b"one\ntwo\nthree\nfour and more\nend"
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    with pytest.raises(ValueError, match="end of line"):
        list(whole_lines(io.BytesIO(b"x" * 100)))


def test_large_numbers_keep_four_bytes_where_the_archive_has_no_more():
    frame = class_first(text_of("susy"), load_schema("susy"))
    assert set(frame.drop("class").dtypes) == {pl.Float32}
