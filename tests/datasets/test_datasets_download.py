"""Downloads: TLS only, whole or not at all, from archives within archives; with a fake for the web."""

from __future__ import annotations

import io
import zipfile
from contextlib import contextmanager
from urllib.error import URLError

import pytest

from tacit.datasets import download as room
from tacit.datasets.download import download, open_url, unpack
from tacit.errors import DatasetUnavailable

URL = "https://example.org/table.zip"


def serving(content):
    @contextmanager
    def opener(url):
        assert url == URL
        yield io.BytesIO(content)

    return opener


def zipped(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return stream.getvalue()


class Breaking:
    """A response that breaks off after its first bytes."""

    def __init__(self):
        self.pieces = iter([b"half"])

    def read(self, size):
        for piece in self.pieces:
            return piece
        raise ConnectionResetError("gone")


def left_behind(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_puts_the_bytes_in_a_new_folder(tmp_path):
    target = tmp_path / "a" / "table.csv"
    download(URL, target, opener=serving(b"1,2\n"))
    assert target.read_bytes() == b"1,2\n"
    assert left_behind(tmp_path) == [target]


def test_replaces_what_was_there(tmp_path):
    target = tmp_path / "table.csv"
    target.write_bytes(b"old")
    download(URL, target, opener=serving(b"new"))
    assert target.read_bytes() == b"new"


def test_takes_the_member_out_of_an_archive(tmp_path):
    target = tmp_path / "table.csv"
    archive = zipped(other_csv=b"x", folder__table_csv=b"1,2\n")
    download(URL, target, member="table.csv", opener=serving(archive))
    assert target.read_bytes() == b"1,2\n"


def test_finds_a_member_in_an_archive_within_the_archive():
    archive = zipped(first_zip=zipped(names_txt=b"x"), second_zip=zipped(deep__table_csv=b"1,2\n"))
    assert unpack(archive, "table.csv") == b"1,2\n"


def test_looks_no_deeper_than_one_archive_within_another():
    archive = zipped(one_zip=zipped(two_zip=zipped(table_csv=b"1")))
    with pytest.raises(DatasetUnavailable, match="by hand"):
        unpack(archive, "table.csv")


@pytest.mark.parametrize("content", [b"not a zip archive", zipped(other_csv=b"x"), zipped(table_csv=b"1,2\n")[:-30]])
def test_leaves_nothing_where_the_archive_is_wrong(tmp_path, content):
    with pytest.raises(DatasetUnavailable, match="by hand"):
        download(URL, tmp_path / "table.csv", member="table.csv", opener=serving(content))
    assert left_behind(tmp_path) == []


def test_a_damaged_member_is_refused(tmp_path):
    archive = bytearray(zipped(table_csv=b"1,2\n"))
    archive[archive.index(b"1,2")] ^= 1
    with pytest.raises(DatasetUnavailable, match="CRC"):
        download(URL, tmp_path / "table.csv", member="table.csv", opener=serving(bytes(archive)))
    assert left_behind(tmp_path) == []


def test_keeps_the_old_file_where_the_connection_breaks(tmp_path):
    @contextmanager
    def opener(url):
        yield Breaking()

    target = tmp_path / "table.csv"
    target.write_bytes(b"old")
    with pytest.raises(DatasetUnavailable, match="ConnectionResetError"):
        download(URL, target, opener=opener)
    assert target.read_bytes() == b"old"
    assert left_behind(tmp_path) == [target]


def test_leaves_nothing_where_the_file_cannot_be_put_in_place(tmp_path, monkeypatch):
    def refuse(source, target):
        raise PermissionError("no")

    monkeypatch.setattr(room.os, "replace", refuse)
    with pytest.raises(DatasetUnavailable, match="PermissionError"):
        download(URL, tmp_path / "table.csv", opener=serving(b"1"))
    assert left_behind(tmp_path) == []


def test_a_response_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "LARGEST", 10)
    download(URL, tmp_path / "fits.csv", opener=serving(b"x" * 10))
    with pytest.raises(DatasetUnavailable, match="at most 10 bytes"):
        download(URL, tmp_path / "table.csv", opener=serving(b"x" * 11))
    assert left_behind(tmp_path) == [tmp_path / "fits.csv"]


def test_a_member_that_unpacks_to_too_much_is_refused(monkeypatch):
    archive = zipped(table_csv=b"x" * 11)
    monkeypatch.setattr(room, "LARGEST", 10)
    with pytest.raises(DatasetUnavailable, match="at most 10 bytes"):
        unpack(archive, "table.csv")


def test_a_response_without_end_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "PATIENCE", -1.0)
    with pytest.raises(DatasetUnavailable, match="TimeoutError"):
        download(URL, tmp_path / "table.csv", opener=serving(b"1"))


def test_an_address_without_tls_is_refused_unopened(tmp_path):
    def opener(url):
        raise AssertionError("opened")

    with pytest.raises(DatasetUnavailable, match="https"):
        download("http://example.org/table.zip", tmp_path / "table.csv", opener=opener)


@pytest.mark.parametrize("url", ["http://localhost:9/x", "ftp://localhost:9/x", "file:///etc/hostname"])
def test_nothing_but_tls_can_be_opened_not_even_by_a_redirect(url, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://localhost:9")
    with pytest.raises(URLError, match="unknown url type"):
        open_url(url)
