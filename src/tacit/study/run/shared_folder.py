"""Temporary folder of mode 0700, removed after use however the process that made it ends."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

from platformdirs import user_cache_dir

from tacit.errors import ParameterError
from tacit.saving import SCRATCH

if sys.platform != "win32":
    import fcntl

_PREFIX = "study-"
_LOCK = "in-use"
_ROOT_LOCK = "lock"


def shared_root() -> Path:
    """Return the folder that holds those of running studies: where rows on disk are, or in the user's cache."""
    return Path(os.environ.get(SCRATCH) or user_cache_dir("tacit")) / "running"


@contextmanager
def shared_folder() -> Iterator[Path]:
    """Give a new folder of mode 0700, and remove it afterwards; folders whose process has died go before and after.

    A process holds a lock on a file in its folder. The system gives the lock up with the process, also after
    SIGKILL, so that the next study can tell.
    """
    folder, lock = _made_and_locked()
    try:
        yield folder
    finally:
        if sys.platform == "win32":  # where an open file cannot be removed
            lock.close()
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()
        remove_left_overs()


def remove_left_overs() -> None:
    """Remove the folders of studies whose process is no longer there, as far as that is possible."""
    if shared_root().is_dir():
        with suppress(OSError), _root_locked() as root:
            _remove_left_overs(root)


def _made_and_locked() -> tuple[Path, IO[bytes]]:
    try:
        with _root_locked() as root:
            _remove_left_overs(root)
            folder = Path(mkdtemp(prefix=_PREFIX, dir=root))
            lock = (folder / _LOCK).open("wb")
            _is_locked_now(lock)
            return folder, lock
    except OSError:
        message = f"Expected room for shared tables in {shared_root()}, got refused. Make room, or pass workers=1."
    raise ParameterError(message)


@contextmanager
def _root_locked() -> Iterator[Path]:
    """Let one process at a time make or remove folders: between making and locking, a folder looks left over."""
    root = shared_root()
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (root / _ROOT_LOCK).open("wb") as lock:
        if sys.platform != "win32":
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield root


def _remove_left_overs(root: Path) -> None:
    for folder in root.glob(f"{_PREFIX}*"):
        if folder.is_dir() and not folder.is_symlink() and _is_left_over(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_left_over(folder: Path) -> bool:
    try:
        if sys.platform == "win32":  # where a file that is open cannot be removed
            (folder / _LOCK).unlink()
            return True
        with (folder / _LOCK).open("rb+") as lock:
            return _is_locked_now(lock)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _is_locked_now(stream: IO[bytes]) -> bool:
    """Lock the file for as long as it is open; False if another process has."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
