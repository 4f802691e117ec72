"""Files: the data folder before the cache, the cache before the web, packed or not."""

from __future__ import annotations

import gzip
import io
from contextlib import contextmanager

import pytest

from tacit.datasets import files
from tacit.datasets.files import File, obtain
from tacit.errors import DatasetUnavailable

FILE = File("set/table.csv", "https://example.org/table.csv")


@pytest.fixture
def folders(tmp_path, monkeypatch):
    data, cache = tmp_path / "data", tmp_path / "cache"
    (data / "set").mkdir(parents=True)
    (cache / "set").mkdir(parents=True)
    monkeypatch.setenv("TACIT_DATA", str(data))
    monkeypatch.setattr(files, "cache_folder", lambda: cache)
    return data / "set", cache / "set"


def offline(url):
    raise OSError("no network")


def closed(url):
    raise AssertionError("opened")


@contextmanager
def online(url):
    yield io.BytesIO(b"web")


def test_the_data_folder_comes_first(folders):
    data, cache = folders
    (data / "table.csv").write_bytes(b"data")
    (cache / "table.csv").write_bytes(b"cache")
    assert obtain(FILE, opener=closed) == (data / "table.csv", b"data")


def test_a_packed_file_will_do(folders):
    data, _ = folders
    (data / "table.csv.gz").write_bytes(gzip.compress(b"packed"))
    assert obtain(FILE, opener=closed) == (data / "table.csv.gz", b"packed")


def test_the_cache_comes_next(folders):
    _, cache = folders
    (cache / "table.csv").write_bytes(b"cache")
    assert obtain(FILE, opener=closed)[1] == b"cache"


def test_the_cache_alone_will_do(folders, monkeypatch):
    _, cache = folders
    (cache / "table.csv").write_bytes(b"cache")
    monkeypatch.delenv("TACIT_DATA")
    assert obtain(FILE, opener=closed)[1] == b"cache"


def test_a_download_goes_into_the_cache_and_is_found_there_again(folders):
    data, cache = folders
    assert obtain(FILE, opener=online) == (cache / "table.csv", b"web")
    assert list(data.iterdir()) == []
    assert obtain(FILE, opener=closed) == (cache / "table.csv", b"web")


def test_never_means_never(folders):
    with pytest.raises(DatasetUnavailable, match=r"set/table\.csv"):
        obtain(FILE, downloads="never", opener=closed)


def test_offline_the_error_says_what_to_put_where(folders):
    data, cache = folders
    with pytest.raises(DatasetUnavailable) as caught:
        obtain(FILE, opener=offline)
    message = str(caught.value)
    for part in ("set/table.csv", "https://example.org/table.csv", str(data.parent), str(cache.parent), "TACIT_DATA"):
        assert part in message
    assert "no network" in message


def test_a_damaged_packed_file_is_named(folders):
    data, _ = folders
    (data / "table.csv.gz").write_bytes(gzip.compress(b"packed")[:-6])
    with pytest.raises(DatasetUnavailable, match=r"table\.csv\.gz"):
        obtain(FILE, opener=closed)


def test_a_packed_file_that_unpacks_to_too_much_is_refused(folders, monkeypatch):
    data, _ = folders
    (data / "table.csv.gz").write_bytes(gzip.compress(b"x" * 11))
    monkeypatch.setattr(files, "LARGEST", 10)
    with pytest.raises(DatasetUnavailable, match=r"table\.csv\.gz"):
        obtain(FILE, opener=closed)


def test_find_reads_and_downloads_nothing(folders):
    data, cache = folders
    assert files.find(FILE) is None
    (cache / "table.csv.gz").write_bytes(b"not packed")
    assert files.find(FILE) == cache / "table.csv.gz"
    (data / "table.csv").write_bytes(b"")
    assert files.find(FILE) == data / "table.csv"
