"""Files: the data folder before the cache, the cache before the web; downloads over TLS only, whole or not at all."""

from __future__ import annotations

import errno
import gzip
import io
import os
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import requests

from tacit.datasets import fetch
from tacit.datasets.fetch import File, content, download, obtain, unpack
from tacit.errors import DatasetUnavailable

URL = "https://example.org/table.csv"
FILE = File("set/table.csv", URL)
PACKED = File("set/table.csv", "https://example.org/table.zip", "table.csv")


def serving(*pieces):
    def downloader(url, output, _):
        assert url.startswith("https://example.org/")
        for piece in pieces:
            output.write(piece)

    return downloader


def closed(url, output, _):
    raise AssertionError("opened")


def zipped(**files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, inside in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), inside)
    return stream.getvalue()


def left_behind(folder):
    return sorted(path for path in folder.rglob("*") if path.name != "set")


@pytest.fixture
def folders(tmp_path, monkeypatch):
    data, cache = tmp_path / "data", tmp_path / "cache"
    (data / "set").mkdir(parents=True)
    (cache / "set").mkdir(parents=True)
    monkeypatch.setenv("TACIT_DATA", str(data))
    monkeypatch.setattr(fetch, "cache_folder", lambda: cache)
    return data / "set", cache / "set"


def test_the_data_folder_comes_first(folders):
    data, cache = folders
    (data / "table.csv").write_bytes(b"data")
    (cache / "table.csv").write_bytes(b"cache")
    assert obtain(FILE, downloader=closed) == data / "table.csv"
    assert content(data / "table.csv") == b"data"


def test_a_packed_file_will_do(folders):
    data, _ = folders
    (data / "table.csv.gz").write_bytes(gzip.compress(b"packed"))
    assert content(obtain(FILE, downloader=closed)) == b"packed"


def test_the_cache_comes_next(folders):
    _, cache = folders
    (cache / "table.csv").write_bytes(b"cache")
    assert obtain(FILE, downloader=closed) == cache / "table.csv"


def test_the_cache_alone_will_do(folders, monkeypatch):
    _, cache = folders
    (cache / "table.csv").write_bytes(b"cache")
    monkeypatch.delenv("TACIT_DATA")
    assert obtain(FILE, downloader=closed) == cache / "table.csv"


def test_a_download_goes_into_the_cache_and_is_found_there_again(folders):
    data, cache = folders
    assert obtain(FILE, downloader=serving(b"we", b"b")) == cache / "table.csv"
    assert list(data.iterdir()) == []
    assert content(obtain(FILE, downloader=closed)) == b"web"
    assert left_behind(cache) == [cache / "table.csv"]


def test_never_means_never(folders):
    with pytest.raises(DatasetUnavailable, match=r"set/table\.csv"):
        obtain(FILE, downloads="never", downloader=closed)


def test_offline_the_error_says_what_to_put_where(folders):
    def offline(url, output, _):
        raise OSError("no network")

    data, cache = folders
    with pytest.raises(DatasetUnavailable) as caught:
        obtain(FILE, downloader=offline)
    for part in ("set/table.csv", URL, str(data.parent), str(cache.parent), "TACIT_DATA", "no network"):
        assert part in str(caught.value)
    assert left_behind(cache) == []


def test_a_damaged_packed_file_is_named(folders):
    data, _ = folders
    (data / "table.csv.gz").write_bytes(gzip.compress(b"packed")[:-6])
    with pytest.raises(DatasetUnavailable, match=r"table\.csv\.gz"):
        content(data / "table.csv.gz")


@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz"])
def test_a_file_of_too_much_is_refused(name, folders, monkeypatch):
    data, _ = folders
    (data / name).write_bytes(gzip.compress(b"x" * 11) if name.endswith("gz") else b"x" * 11)
    monkeypatch.setattr(fetch, "MAX_FILE_BYTES", 10)
    with pytest.raises(DatasetUnavailable, match="more than 10 bytes"):
        content(data / name)


def test_find_reads_and_downloads_nothing(folders):
    data, cache = folders
    assert fetch.find(FILE) is None
    (cache / "table.csv.gz").write_bytes(b"not packed")
    assert fetch.find(FILE) == cache / "table.csv.gz"
    (data / "table.csv").write_bytes(b"")
    assert fetch.find(FILE) == data / "table.csv"


def test_puts_the_bytes_in_a_new_folder_in_place_of_what_was_there(tmp_path):
    target = tmp_path / "a" / "table.csv"
    for text in (b"old", b"new"):
        download(FILE, target, downloader=serving(text))
        assert target.read_bytes() == text
    assert left_behind(target.parent) == [target]


def test_takes_the_member_out_of_an_archive(tmp_path):
    target = tmp_path / "table.csv"
    download(PACKED, target, downloader=serving(zipped(other_csv=b"x", folder__table_csv=b"1,2\n")))
    assert target.read_bytes() == b"1,2\n"
    assert left_behind(tmp_path) == [target]


def test_a_member_with_a_hostile_path_is_written_to_its_own_place_alone(tmp_path):
    target = tmp_path / "cache" / "table.csv"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("../../outside.csv", b"x")
        opened.writestr("/../table.csv", b"1,2\n")
    download(PACKED, target, downloader=serving(archive.getvalue()))
    assert left_behind(tmp_path) == [target.parent, target]


def test_finds_a_member_in_an_archive_within_the_archive():
    archive = zipped(first_zip=zipped(names_txt=b"x"), second_zip=zipped(deep__table_csv=b"1,2\n"))
    assert unpack(archive, "table.csv") == b"1,2\n"


def test_looks_no_deeper_than_one_archive_within_another():
    archive = zipped(one_zip=zipped(two_zip=zipped(table_csv=b"1")))
    with pytest.raises(DatasetUnavailable, match="by hand"):
        unpack(archive, "table.csv")


@pytest.mark.parametrize(
    "wrong",
    [b"not a zip archive", zipped(other_csv=b"x"), zipped(table_csv=b"1,2\n")[:-30]],
    ids=["no-archive", "other-file", "truncated"],
)
def test_leaves_nothing_where_the_archive_is_wrong(tmp_path, wrong):
    with pytest.raises(DatasetUnavailable, match="by hand"):
        download(PACKED, tmp_path / "table.csv", downloader=serving(wrong))
    assert left_behind(tmp_path) == []


def test_a_damaged_member_is_refused(tmp_path):
    archive = bytearray(zipped(table_csv=b"1,2\n"))
    archive[archive.index(b"1,2")] ^= 1
    with pytest.raises(DatasetUnavailable, match="CRC"):
        download(PACKED, tmp_path / "table.csv", downloader=serving(bytes(archive)))
    assert left_behind(tmp_path) == []


def test_keeps_the_old_file_where_the_connection_breaks(tmp_path):
    def breaking(url, output, _):
        output.write(b"half")
        raise ConnectionResetError("gone")

    target = tmp_path / "table.csv"
    target.write_bytes(b"old")
    with pytest.raises(DatasetUnavailable, match="ConnectionResetError"):
        download(FILE, target, downloader=breaking)
    assert target.read_bytes() == b"old"
    assert left_behind(tmp_path) == [target]


def test_a_broken_connection_is_tried_again_from_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr("pooch.core.time.sleep", lambda _: None)
    calls = []

    def breaking(url, output, _):
        calls.append(url)
        output.write(b"half")
        if len(calls) < fetch.TRIES:
            raise requests.exceptions.ConnectionError("gone")

    download(FILE, tmp_path / "table.csv", downloader=breaking)
    assert (tmp_path / "table.csv").read_bytes() == b"half"
    assert len(calls) == fetch.TRIES


def test_leaves_nothing_where_the_file_cannot_be_put_in_place(tmp_path, monkeypatch):
    def refuse(source, target):
        raise PermissionError("no")

    monkeypatch.setattr(fetch.os, "replace", refuse)
    with pytest.raises(DatasetUnavailable, match="PermissionError"):
        download(FILE, tmp_path / "table.csv", downloader=serving(b"1"))
    assert left_behind(tmp_path) == []


def test_a_response_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "MAX_FILE_BYTES", 10)
    download(FILE, tmp_path / "fits.csv", downloader=serving(b"x" * 5, b"x" * 5))
    with pytest.raises(DatasetUnavailable, match="at most 10 bytes"):
        download(FILE, tmp_path / "table.csv", downloader=serving(b"x" * 5, b"x" * 6))
    assert left_behind(tmp_path) == [tmp_path / "fits.csv"]


def test_a_member_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(fetch, "MAX_FILE_BYTES", 10)
    with pytest.raises(DatasetUnavailable, match="at most 10 bytes"):
        unpack(zipped(table_csv=b"x" * 11), "table.csv")


def test_a_response_without_end_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "PATIENCE", -1.0)
    with pytest.raises(DatasetUnavailable, match="TimeoutError"):
        download(FILE, tmp_path / "table.csv", downloader=serving(b"1"))


@pytest.mark.parametrize("url", ["http://example.org/x", "ftp://example.org/x", "file:///etc/hostname"])
def test_an_address_without_tls_is_refused_unopened(url, tmp_path):
    with pytest.raises(DatasetUnavailable, match="https"):
        download(File("x", url), tmp_path / "table.csv", downloader=closed)


class _Server(BaseHTTPRequestHandler):
    """Promises ten bytes and sends four; or leads elsewhere."""

    def do_GET(self):
        self.send_response(302 if self.path == "/elsewhere" else 200)
        self.send_header("Location", "/")
        self.send_header("Content-Length", "10")
        self.end_headers()
        self.wfile.write(b"half")

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    serving = HTTPServer(("127.0.0.1", 0), _Server)
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{serving.server_port}"
    serving.shutdown()
    serving.server_close()


def test_a_truncated_response_is_refused(server, monkeypatch):
    monkeypatch.setattr(fetch, "check_tls", lambda *_, **__: None)
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        fetch.from_web(server, io.BytesIO(), None)


@pytest.mark.parametrize("path", ["", "/elsewhere"])
def test_a_response_without_tls_is_refused_before_its_content_is_read(path, server):
    output = io.BytesIO()
    with pytest.raises(DatasetUnavailable, match="https"):
        fetch.from_web(server + path, output, None)
    assert output.getvalue() == b""


@pytest.mark.parametrize(
    ("location", "good"),
    [("https://b.org/x", True), ("/x", True), ("//b.org/x", True), ("http://b.org/x", False), ("file:///x", False)],
)
def test_redirects_lead_to_https_alone(location, good):
    response = requests.Response()
    response.url, response.status_code, response.headers["location"] = URL, 302, location
    if good:
        fetch.check_tls(response)
    else:
        with pytest.raises(DatasetUnavailable, match="redirect"):
            fetch.check_tls(response)


def test_a_full_disk_is_not_blamed_on_the_server(tmp_path):
    def full(url, output, _):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(DatasetUnavailable, match="Expected room for a download in the folder") as caught:
        download(File("a/b.csv", "https://example.org/b.csv"), tmp_path / "a" / "b.csv", downloader=full)
    assert "TACIT_DATA" in str(caught.value)
    assert list((tmp_path / "a").iterdir()) == []
