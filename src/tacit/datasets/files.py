"""Where the files of data sets are: the folder that TACIT_DATA names, the cache, or their source."""

from __future__ import annotations

import gzip
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from platformdirs import user_cache_dir

from tacit.datasets.download import LARGEST, Opener, download, open_url
from tacit.errors import DatasetUnavailable

VARIABLE = "TACIT_DATA"
"""The environment variable that names the data folder."""

Downloads = Literal["if-missing", "never"]


@dataclass(frozen=True)
class File:
    """A file that a data set needs.

    Attributes
    ----------
    path : str
        Folder and name in the data folder and in the cache; the same with ``.gz`` behind it will do.
    url : str
        Where it comes from.
    member : str, optional
        Its name in the zip archive that lies there.
    """

    path: str
    url: str
    member: str | None = None


def obtain(file: File, *, downloads: Downloads = "if-missing", opener: Opener = open_url) -> tuple[Path, bytes]:
    """Return where the file was found, and its content unpacked; download it into the cache if it is nowhere.

    Raises
    ------
    DatasetUnavailable
        If it is nowhere and cannot or must not be downloaded, or cannot be read; says what to put where.
    """
    if path := find(file):
        return path, _content(path)
    if downloads == "never":
        raise DatasetUnavailable(nowhere(file, "no copy in the data folder or the cache"))
    target = cache_folder() / file.path
    try:
        download(file.url, target, member=file.member, opener=opener)
    except DatasetUnavailable as error:
        reason = str(error)
    else:
        return target, _content(target)
    raise DatasetUnavailable(nowhere(file, reason))


def find(file: File) -> Path | None:
    """Return where the file is, in the data folder or the cache, or None; nothing is read or downloaded."""
    for folder in _folders():
        for path in (folder / file.path, folder / f"{file.path}.gz"):
            if path.is_file():
                return path
    return None


def cache_folder() -> Path:
    """Return the folder that downloads go to."""
    return Path(user_cache_dir("tacit"))


def _folders() -> tuple[Path, ...]:
    named = os.environ.get(VARIABLE)
    return (Path(named).expanduser(), cache_folder()) if named else (cache_folder(),)


def _content(path: Path) -> bytes:
    try:
        content = _unpacked(path) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        reason = type(error).__name__
    else:
        return content
    raise DatasetUnavailable(f"Expected a readable file at {path}, got {reason}. Replace or remove it.")


def _unpacked(path: Path) -> bytes:
    with gzip.open(path) as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError("too large")
    return content


def nowhere(file: File, reason: str) -> str:
    """Return what to say of a file that is nowhere: where to get it, and where to put it."""
    source = file.url if file.member is None else f"{file.url} (the file {file.member} in it)"
    folder = os.environ.get(VARIABLE) or f"the folder that the environment variable {VARIABLE} names"
    return (
        f"Expected the file {file.path}, got none: {reason.rstrip('.')}. Get it from {source}, put it into {folder} "
        f"as {file.path} (or with .gz behind it), and set {VARIABLE} to that folder; {cache_folder()} is also searched."
    )
