"""Saved files are whole or not at all; what is no file is written to, or refused by its name."""

from __future__ import annotations

import os
import signal
import socket
import stat
import threading

import pytest

from tacit.errors import ParameterError
from tacit.saving import is_stream, making, replacing, write_atomically

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")


def parts(folder):
    return [path.name for path in folder.iterdir() if ".part" in path.name]


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    target = tmp_path / "deep" / "target"
    target.parent.mkdir()
    for name, leads_to in (("link", target), ("link of a link", tmp_path / "link")):
        (tmp_path / name).symlink_to(leads_to)
        write_atomically(tmp_path / name, name)  # at first nothing is there
        assert (tmp_path / name).is_symlink()
        assert target.read_text() == name
    assert parts(target.parent) == parts(tmp_path) == []


@pytest.mark.parametrize("form", ["/dev/fd/{}", "/proc/self/fd/{}", "/proc/{pid}/fd/{}", "link"])
def test_an_open_descriptor_gets_the_bytes_behind_what_is_there(tmp_path, form):
    log = tmp_path / "log"
    log.write_text("kept\n")
    with log.open("a") as stream:
        path = form.format(stream.fileno(), pid=os.getpid())
        if form == "link":
            path = tmp_path / "link"
            path.symlink_to(f"/dev/fd/{stream.fileno()}")
        for text in ("one\n", "two\n"):
            write_atomically(type(tmp_path)(path), text)
    assert log.read_text() == "kept\none\ntwo\n"
    assert parts(tmp_path) == []


def test_stdout_gets_it_after_what_was_printed(capfd):
    from pathlib import Path

    print("before", end=" ")  # is in Python's own buffer
    write_atomically(Path("/dev/stdout"), "after")
    assert capfd.readouterr().out == "before after"


def test_pipes_and_devices_are_written_to(tmp_path):
    from pathlib import Path

    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_atomically(tmp_path / "pipe", b"x" * 10**6)  # more than a pipe holds
    reader.join()
    assert got == [b"x" * 10**6]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    write_atomically(Path("/dev/null"), "gone")
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_atomically(Path("/dev/full"), "x" * 10**6)


@pytest.mark.parametrize("kind", ["a folder", "a socket", "open for it"])
def test_what_holds_no_bytes_is_refused_by_its_name(tmp_path, kind):
    path = tmp_path / "there"
    read_only = os.open(os.devnull, os.O_RDONLY)
    if kind == "a folder":
        path.mkdir()
    elif kind == "a socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    else:
        path = type(tmp_path)(f"/dev/fd/{read_only}")
    with pytest.raises(ParameterError, match=f"got '{path}', which is .*{kind}"):
        write_atomically(path, "x")
    os.close(read_only)
    for closed in (read_only, 10**30):
        with pytest.raises(ParameterError, match="not open for it"):
            is_stream(type(tmp_path)(f"/dev/fd/{closed}"))


def killed_while_saving(path):
    child = os.fork()
    if not child:
        with replacing(path) as scratch:
            scratch.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.parametrize("name", ["model.json", "[a]*?.json", "ü"])
def test_what_a_killed_save_left_is_removed_by_the_next_one(tmp_path, name):
    path, other = tmp_path / name, tmp_path / f"{name}.other"
    path.write_text("old")
    for each in (path, other):
        killed_while_saving(each)
    assert path.read_text() == "old"
    assert len(parts(tmp_path)) == 2
    (tmp_path / f".{name}.mine.part").touch()
    write_atomically(path, "new")
    assert path.read_text() == "new"
    left = sorted(parts(tmp_path))
    assert left[0] == f".{name}.mine.part"
    assert left[1].startswith(f".{name}.other."), "only its own"


def test_a_save_that_goes_on_meanwhile_is_left_alone(tmp_path):
    path = tmp_path / "model.json"
    with replacing(path) as first:
        first.write_text("first")
        write_atomically(path, "second")
        assert path.read_text() == "second"
        assert first.read_text() == "first"
    assert path.read_text() == "first"
    assert parts(tmp_path) == []


def test_many_saves_at_once_all_succeed(tmp_path):
    path, failed = tmp_path / "model.json", []

    def save(number):
        try:
            for _ in range(5):
                write_atomically(path, str(number) * 1000)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert path.read_text() in {str(number) * 1000 for number in range(6)}
    assert parts(tmp_path) == []


def test_a_file_is_made_only_where_nothing_is(tmp_path):
    path = tmp_path / "made"
    with making(path, 0o600) as scratch:
        scratch.write_text("mine")
    assert (path.read_text(), path.stat().st_mode & 0o777, path.stat().st_nlink) == ("mine", 0o600, 1)
    with pytest.raises(FileExistsError), making(path, 0o600):
        raise AssertionError("refused before")
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    with pytest.raises(FileExistsError), making(tmp_path / "link", 0o600):
        raise AssertionError("refused before")
    with pytest.raises(FileExistsError), making(tmp_path / "other", 0o600) as scratch:
        (tmp_path / "other").write_text("another's")
    assert (tmp_path / "other").read_text() == "another's"
    assert parts(tmp_path) == []
