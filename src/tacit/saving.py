"""Files that appear whole or not at all; a pipe, a device or an open descriptor is written to, never replaced."""

from __future__ import annotations

import errno
import glob
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tacit.errors import ParameterError, shown

if sys.platform != "win32":
    import fcntl

SCRATCH = "TACIT_SCRATCH"
"""Environment variable that names the folder of rows on disk."""

_DESCRIPTORS = re.compile(r"/dev/fd|/proc/(\d+)(/task/\d+)?/fd")
"""Folders whose entries are open descriptors, as /dev/stdout leads to one."""

_MARK, _END = ".tacit-", ".part"
"""Around what is random in the name of a file that is being written, by which the next save knows it."""

_MAX_LINKS = 40
"""Links that lead to one another, as many as Linux follows."""


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace a file in one step, so that a crash leaves the old one or the new one; text becomes UTF-8."""
    with replacing(path) as scratch:
        scratch.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a file to write, which replaces another one in one step if the body ends without an error.

    A link stays a link, and the file that it leads to is replaced. What cannot be replaced is written to when the body
    ends: a pipe, a terminal, ``/dev/null``, or an open descriptor such as ``/dev/stdout``, after what is there already.

    Raises
    ------
    ParameterError
        If a folder, a disk or a socket is there.
    OSError
        If the system refuses; with the name of the path, and nothing is left of the file that was written.
    """
    if is_stream(path):
        with tempfile.TemporaryDirectory() as folder:
            scratch = Path(folder) / "content"
            yield scratch
            _send(scratch, path)
        return
    target = Path(os.path.realpath(path))
    with _scratch(path, target) as scratch:
        yield scratch
        _settle(scratch, _mode(target))
        os.replace(scratch, target)


@contextmanager
def making(path: Path, mode: int) -> Iterator[Path]:
    """Give the path of a file to write, which appears where nothing is if the body ends without an error.

    Raises
    ------
    FileExistsError
        If something is there, before the body and after it.
    """
    _refuse_existing(path)
    with _scratch(path, path) as scratch:
        yield scratch
        _settle(scratch, mode)
        try:
            os.link(scratch, path)  # unlike a renamed one, a link replaces nothing
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            _refuse_existing(path)
            os.rename(scratch, path)


def new_folder(path: Path) -> Path:
    """Return where a folder is to be made, links followed, once it is sure that nothing there is lost.

    Raises
    ------
    ParameterError
        If the folder holds something, is the one in use, or cannot be made there.
    """
    target = Path(os.path.realpath(path))
    wrong = (
        (not target.parent.is_dir(), "whose own folder does not exist. Make that first"),
        (target.exists() and not target.is_dir(), "which is none. Choose another name"),
        (target == Path.cwd(), "which you are in. Name another"),
        (target.is_dir() and any(target.iterdir()), "which holds something. Name another"),
    )
    if found := [why for holds, why in wrong if holds]:
        raise ParameterError(f"Expected a new or an empty folder, got {shown(path)}, {found[0]}.")
    return target


def write_folder(target: Path, files: Mapping[str, str]) -> None:
    """Make a folder of text files in one step, where none or an empty one is; a crash leaves that, or all files.

    Raises
    ------
    OSError
        If the system refuses; nothing is left of what was written.
    """
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}{_MARK}", suffix=_END) as scratch:
        made = Path(scratch, "content")
        made.mkdir()
        for name, content in files.items():
            (made / name).write_bytes(content.encode("utf-8"))
            _settle(made / name, _mode(made / name))
        if target.is_dir():
            made.chmod(stat.S_IMODE(target.stat().st_mode))
            target.rmdir()  # which refuses if something was put there meanwhile
        os.rename(made, target)


def is_stream(path: Path, asked: str = "a file to write") -> bool:
    """Return whether a path leads to what is written to and not replaced; refuse what is neither that nor a file.

    Parameters
    ----------
    path : Path
    asked : str
        What an error says that is expected.

    Raises
    ------
    ParameterError
        If a folder, a disk or a socket is there, or a descriptor that is not open for writing.
    """
    number = _descriptor(path)
    if number is not None:
        if not _is_writable(number):
            raise ParameterError(f"Expected {asked}, got {shown(path)}, which is not open for it. Name a file.")
        return True
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return False  # nothing is there yet
    if stat.S_ISREG(kind):
        return False
    if stat.S_ISFIFO(kind) or stat.S_ISCHR(kind):
        return True
    found = "a folder" if stat.S_ISDIR(kind) else "a disk" if stat.S_ISBLK(kind) else "a socket"
    raise ParameterError(f"Expected {asked}, got {shown(path)}, which is {found}. Name a file.")


def _descriptor(path: Path) -> int | None:
    """Return the open descriptor that a path leads to by its links, such as 1 of ``/dev/stdout``."""
    step = path
    for _ in range(_MAX_LINKS):
        folder = os.path.realpath(step.parent)
        found = _DESCRIPTORS.fullmatch(folder)
        if found and step.name.isdecimal() and found[1] in (None, str(os.getpid())):
            return int(step.name)
        try:
            step = Path(folder, os.readlink(step))
        except (OSError, ValueError):
            return None  # no link
    return None


def _is_writable(number: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        return fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    except (OSError, OverflowError):
        return False


def _send(scratch: Path, path: Path) -> None:
    """Write a file to an open descriptor, a pipe or a device."""
    number = _descriptor(path)
    if sys.stdout is not None:
        sys.stdout.flush()  # what was written before comes first
    try:
        # Opening /dev/stdout would open its file once more, and write over what is in it.
        with open(path if number is None else os.dup(number), "wb") as stream, scratch.open("rb") as content:
            shutil.copyfileobj(content, stream)
    except OSError as error:
        error.filename = str(path)
        raise


@contextmanager
def _scratch(path: Path, target: Path) -> Iterator[Path]:
    """Give a file beside the target, removed if it does not become it; those of killed processes are removed first."""
    _remove_left_overs(target)
    try:
        handle, scratch = _made_and_locked(target)
        try:
            yield scratch
        finally:
            scratch.unlink(missing_ok=True)
            if handle is not None:
                os.close(handle)
    except OSError as error:
        if error.errno is not None:
            error.filename = str(path)  # a full disk does not say for which file
        raise


def _made_and_locked(target: Path) -> tuple[int | None, Path]:
    """Return a new file with a lock that this process holds, which the system gives up with it, however it ends."""
    while True:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}{_MARK}", suffix=_END)
        if sys.platform == "win32":  # where an open file can be neither removed nor renamed
            os.close(handle)
            return None, Path(name)
        if _lock(handle, wait=True):
            return handle, Path(name)
        os.close(handle)  # another process took it for left over before it was locked


def _remove_left_overs(target: Path) -> None:
    """Remove what killed processes left of this file, as far as that is possible."""
    for name in glob.glob(f".{glob.escape(target.name)}{_MARK}*{_END}", root_dir=target.parent, include_hidden=True):
        left = target.parent / name
        with suppress(OSError):
            handle = os.open(left, os.O_RDWR)
            try:
                if _lock(handle, wait=False):
                    left.unlink()
                    Path(f"{left}-journal").unlink(missing_ok=True)  # of a database
            finally:
                os.close(handle)


def _lock(handle: int, *, wait: bool) -> bool:
    """Lock an open file for as long as it is open; False if another process has, or it has no name any more."""
    if sys.platform == "win32":
        return False
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fstat(handle).st_nlink > 0
    return wait  # no locks here: then nobody removes it either


def _settle(scratch: Path, mode: int) -> None:
    """Put a file on the disk before its name is: after a crash the name leads to a whole file, old or new."""
    with open(scratch, "rb+") as written:
        os.fsync(written.fileno())
    os.chmod(scratch, mode)


def _mode(path: Path) -> int:
    """Return the mode of the file that is replaced, or that of a new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    # The mask can be read only by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
